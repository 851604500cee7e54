//! NEON: 8 lanes in two registers, and tables of 128 bytes in eight.
//!
//! NEON has neither gathers nor 64-bit products. Single queries of large filters, the 64-bit hash and the stores of
//! bits therefore use the portable code, for which the compiler has the same instructions.

mod lanes;

use core::arch::aarch64::*;

use crate::lanes::Lanes;

/// The kernel. This module is compiled only for targets where every processor has NEON, so calling the instructions is
/// sound; "see the type" in the comments below refers to this.
#[derive(Debug, Clone, Copy)]
pub struct Neon(());

impl Neon {
    /// [`Lanes::all_set`] of 16 to 64 bytes, which are looked up in registers, as two overlapping halves, the second of
    /// which ends with the array.
    #[inline(always)]
    fn all_of_8(self, bit_array: &[u8], [low, high]: [uint32x4_t; 2], count: u32) -> bool {
        let len = bit_array.len();
        // SAFETY: see the type; the arrays have the lengths of the vectors.
        unsafe {
            // The byte of each position, and the bit in it.
            let positions = vuzp1q_u16(vreinterpretq_u16_u32(low), vreinterpretq_u16_u32(high));
            let (places, bits) = (vshrn_n_u16::<3>(positions), bit_of_byte(vmovn_u16(positions)));
            if let (Some(low), Some(high), ..=32) =
                (bit_array.first_chunk::<16>(), bit_array.last_chunk::<16>(), len)
            {
                let table = uint8x16x2_t(vld1q_u8(low.as_ptr()), vld1q_u8(high.as_ptr()));
                let places = in_halves(places, 16, 32 - len);
                are_set(vqtbl2_u8(table, places), bits, count)
            } else if let (Some(low), Some(high), ..=64) =
                (bit_array.first_chunk::<32>(), bit_array.last_chunk::<32>(), len)
            {
                let (low, high) = (vld1q_u8_x2(low.as_ptr()), vld1q_u8_x2(high.as_ptr()));
                let places = in_halves(places, 32, 64 - len);
                let table = uint8x16x4_t(low.0, low.1, high.0, high.1);
                are_set(vqtbl4_u8(table, places), bits, count)
            } else {
                unreachable!("16 to 64 bytes")
            }
        }
    }
}

/// Adjusts places to two adjacent halves: places from the second half on move by `gap` bytes.
#[inline(always)]
fn in_halves(places: uint8x8_t, second_half: u8, gap: usize) -> uint8x8_t {
    // SAFETY: see the type.
    unsafe {
        let in_second = vcge_u8(places, vdup_n_u8(second_half));
        vadd_u8(places, vand_u8(in_second, vdup_n_u8(gap as u8)))
    }
}

/// Returns the bit for the low three bits of each number.
#[inline(always)]
fn bit_of_byte(numbers: uint8x8_t) -> uint8x8_t {
    // SAFETY: see the type.
    unsafe { vshl_u8(vdup_n_u8(1), vreinterpret_s8_u8(vand_u8(numbers, vdup_n_u8(7)))) }
}

/// Returns true if the bytes of the first `count` of 8 have their bit set.
#[inline(always)]
fn are_set(bytes: uint8x8_t, bits: uint8x8_t, count: u32) -> bool {
    // SAFETY: see the type.
    let set = unsafe { vget_lane_u64::<0>(vreinterpret_u64_u8(vtst_u8(bytes, bits))) };
    (!set).checked_shl(64 - 8 * count.min(8)).unwrap_or(0) == 0
}
