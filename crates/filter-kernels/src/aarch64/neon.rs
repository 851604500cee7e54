//! NEON: 8 lanes in two registers, and tables of 128 bytes in eight.
//!
//! NEON has neither gathers nor 64-bit products. The 64-bit hash and the stores of bits therefore use the portable code,
//! for which the compiler has the same instructions, and words of large filters are loaded one by one.

mod lanes;

use core::arch::aarch64::*;

use crate::bits::{Words, halves};
use crate::lanes::Lanes;

/// The kernel. This module is compiled only for targets where every processor has NEON, so calling the instructions is
/// sound; "see the type" in the comments below refers to this.
#[derive(Debug, Clone, Copy)]
pub struct Neon(());

impl Neon {
    /// [`Lanes::all_set`]. Arrays of 16 to 64 bytes are looked up in registers, as two overlapping halves.
    #[inline(always)]
    fn all_of_8(self, bit_array: &[u8], positions: [uint32x4_t; 2], count: u32) -> bool {
        // SAFETY: see the type; the halves have the lengths of the vectors.
        unsafe {
            let (bytes, bits) = if let Some((both, positions)) = halves::<_, 32>(self, bit_array, positions) {
                let [low, high] = both.map(|half| vld1q_u8_x2(half.as_ptr()));
                let (places, bits) = in_bytes(positions);
                (
                    vqtbl4_u8(uint8x16x4_t(low.0, low.1, high.0, high.1), places),
                    bits,
                )
            } else if let Some((both, positions)) = halves::<_, 16>(self, bit_array, positions) {
                let [low, high] = both.map(|half| vld1q_u8(half.as_ptr()));
                let (places, bits) = in_bytes(positions);
                (vqtbl2_u8(uint8x16x2_t(low, high), places), bits)
            } else {
                let words = Words::<_, 0>::new(self, bit_array).at(self, positions);
                let hits = self.hit(self.all_hits(), words, positions);
                return self.hit_bits(hits).trailing_ones() >= count.min(8);
            };
            let set = vget_lane_u64::<0>(vreinterpret_u64_u8(vtst_u8(bytes, bits)));
            (!set).checked_shl(64 - 8 * count.min(8)).unwrap_or(0) == 0
        }
    }
}

/// Returns the byte of each position, and the bit in it.
#[inline(always)]
fn in_bytes([low, high]: [uint32x4_t; 2]) -> (uint8x8_t, uint8x8_t) {
    // SAFETY: see the type.
    unsafe {
        let positions = vuzp1q_u16(vreinterpretq_u16_u32(low), vreinterpretq_u16_u32(high));
        let numbers = vand_u8(vmovn_u16(positions), vdup_n_u8(7));
        let bits = vshl_u8(vdup_n_u8(1), vreinterpret_s8_u8(numbers));
        (vshrn_n_u16::<3>(positions), bits)
    }
}
