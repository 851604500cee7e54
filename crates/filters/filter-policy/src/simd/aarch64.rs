//! The kernel for 64-bit Arm: 8 lanes in two registers, and tables of 128 bytes in eight.
//!
//! NEON has neither gathers nor 64-bit products. The 64-bit hash and the stores of bits therefore use the portable code,
//! for which the compiler has the same instructions, and words of large filters are loaded one by one.

use core::arch::aarch64::*;
use core::arch::asm;

use crate::simd::bits::{Words, halves};
use crate::simd::kernel::Kernel;
use crate::simd::lanes::{Lanes, PACKINGS, Target, Work, operations};

/// The kernel. This module is compiled only for targets where every processor has NEON, so calling the instructions is
/// sound; "see the type" in the comments below refers to this.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Neon(());

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

impl Lanes for Neon {
    const LANES: usize = 8;
    const UNEVEN: bool = false;
    const IN_PLACE: bool = true;
    const TABLE_BYTES: usize = 128;

    type Vector = [uint32x4_t; 2];
    /// A mask: all bits of a lane are set or none.
    type Hits = [uint32x4_t; 2];

    operations! {
        fn splat(self, value: u32) = [vdupq_n_u32(value); 2];
        [unsafe] fn load_at(self, place: *const u8) = [vld1q_u32(place.cast()), vld1q_u32(place.add(16).cast())];
        [unsafe] fn store_at(self, vector: [uint32x4_t; 2], place: *mut u8) -> () = {
            vst1q_u8(place, reinterpreted(vector[0]));
            vst1q_u8(place.add(16), reinterpreted(vector[1]));
        };
        fn add(self, a, b) = in_both([a, b], |[a, b]| vaddq_u32(a, b));
        fn sub(self, a, b) = in_both([a, b], |[a, b]| vsubq_u32(a, b));
        fn mul(self, a, b) = in_both([a, b], |[a, b]| vmulq_u32(a, b));
        fn mul_high(self, a, b) = in_both([a, b], |[a, b]| {
            let low = vmull_u32(vget_low_u32(a), vget_low_u32(b));
            let high = vmull_high_u32(a, b);
            vuzp2q_u32(vreinterpretq_u32_u64(low), vreinterpretq_u32_u64(high))
        });
        fn min(self, a, b) = in_both([a, b], |[a, b]| vminq_u32(a, b));
        fn or(self, a, b) = in_both([a, b], |[a, b]| vorrq_u32(a, b));
        fn xor(self, a, b) = in_both([a, b], |[a, b]| veorq_u32(a, b));
        // A left shift by a negative amount, because `BY` has the wrong type for a right shift's constant.
        fn shift_right[const BY: u32](self, a) = in_both([a], |[a]| vshlq_u32(a, vdupq_n_s32(-BY.cast_signed())));
        fn shift_left_each(self, a, counts) = in_both([a, counts], |[a, counts]| {
            vshlq_u32(a, vreinterpretq_s32_u32(vminq_u32(counts, vdupq_n_u32(32))))
        });
        fn rotate_15(self, a) = in_both([a], |[a]| vsriq_n_u32::<17>(vshlq_n_u32::<15>(a), a));
        fn if_less(self, a, b, less, other) =
            in_both([a, b, less, other], |[a, b, less, other]| vbslq_u32(vcltq_u32(a, b), less, other));
        fn bit_of(self, positions) = in_both([positions], |[positions]| {
            let numbers = vandq_u32(positions, vdupq_n_u32(31));
            vshlq_u32(vdupq_n_u32(1), vreinterpretq_s32_u32(numbers))
        });
        fn hit(self, hits, words, positions) = {
            let bits = self.bit_of(positions);
            in_both([hits, words, bits], |[hits, words, bits]| vandq_u32(hits, vtstq_u32(words, bits)))
        };
        fn hit_bits(self, hits) -> u32 = {
            const BITS: [u16; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
            let lanes = vuzp1q_u16(vreinterpretq_u16_u32(hits[0]), vreinterpretq_u16_u32(hits[1]));
            u32::from(vaddvq_u16(vandq_u16(lanes, vld1q_u16(BITS.as_ptr()))))
        };
        fn compress(self, vector, bits: u32) = {
            let packing = &PACKINGS[bits as usize & 0xff];
            let table = uint8x16x2_t(reinterpreted(vector[0]), reinterpreted(vector[1]));
            let lanes = vmovl_u8(vld1_u8(packing.as_ptr()));
            let words = [vmovl_u16(vget_low_u16(lanes)), vmovl_high_u16(lanes)];
            words.map(|words| vreinterpretq_u32_u8(vqtbl2q_u8(table, bytes_of(words))))
        };
        fn table[const QUARTERS: usize](self, bytes: &[u8]) -> [Self::Vector; QUARTERS] = {
            let mut filled = [[0_u8; 32]; QUARTERS];
            filled.as_flattened_mut()[..bytes.len()].copy_from_slice(bytes);
            filled.map(|bytes| self.load_bytes(&bytes))
        };
        fn table_words[const QUARTERS: usize](self, table: &[[uint32x4_t; 2]; QUARTERS], positions: [uint32x4_t; 2]) =
            self.shift_right::<5>(positions).map(|words| {
                let bytes = bytes_of(words);
                // Beyond the table's end the first look-up gives 0, and the second keeps the value found.
                vreinterpretq_u32_u8(match *table.as_slice() {
                    [[a, b]] => vqtbl2q_u8(uint8x16x2_t(reinterpreted(a), reinterpreted(b)), bytes),
                    [a, b] => vqtbl4q_u8(four(a, b), bytes),
                    [a, b, c, d] => {
                        let found = vqtbl4q_u8(four(a, b), bytes);
                        vqtbx4q_u8(found, four(c, d), vsubq_u8(bytes, vdupq_n_u8(64)))
                    }
                    _ => unreachable!("tables have 1, 2 or 4 vectors"),
                })
            });
        fn high_bits(self, bytes: &[u8; 64]) -> u64 = {
            const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
            let bits = vld1q_u8(BITS.as_ptr());
            let set = |bytes| vandq_u8(vcltzq_s8(vreinterpretq_s8_u8(bytes)), bits);
            let uint8x16x4_t(a, b, c, d) = vld1q_u8_x4(bytes.as_ptr());
            // Each pairwise sum holds the bits of twice as many bytes.
            let sums = vpaddq_u8(vpaddq_u8(set(a), set(b)), vpaddq_u8(set(c), set(d)));
            vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)))
        };
        fn packed_words(self, keys: &[[u8; 16]]) -> [Self::Vector; 4] = {
            let keys: &[[u8; 16]; 8] = keys.first_chunk().expect("a group has a key for each lane");
            let start: *const u32 = keys.as_ptr().cast();
            // Each load takes four of the eight keys, and needs no alignment.
            let (low, high) = (vld4q_u32(start), vld4q_u32(start.add(16)));
            [[low.0, high.0], [low.1, high.1], [low.2, high.2], [low.3, high.3]]
        };
        fn words_at(self, words: &[[u8; 4]], beyond: [uint32x4_t; 2], positions: [uint32x4_t; 2]) = {
            let Some(last) = words.len().checked_sub(1) else {
                return beyond;
            };
            let indices = self.shift_right::<5>(positions);
            // Positions have 32 bits, so further words have no index.
            let last = self.splat(last.min(1 << 27) as u32);
            let mut places = [0; 8];
            self.store(self.min(indices, last), &mut places);
            // The places are at most that of the last word.
            let found = places.map(|place| u32::from_le_bytes(*words.get_unchecked(place as usize)));
            self.if_less(last, indices, beyond, self.load(&found))
        };
        fn all_hits(self) -> Self::Hits = self.splat(u32::MAX);
        fn in_order(self, vector) = vector;
        fn words[const WHOLE: bool](self, keys: &[&[u8]], from: usize) -> [Self::Vector; 4] = {
            let keys: &[&[u8]; 8] = keys.first_chunk().expect("a group has a key for each lane");
            self.packed_words(&keys.map(|key| step::<WHOLE>(key, from)))
        };
        [unsafe] fn all_set(self, bytes: &[u8], positions: Self::Vector, count: u32) -> bool = self.all_of_8(bytes, positions, count);
    }
}

impl Target for Neon {
    const KERNEL: Kernel = Kernel::Neon;

    #[inline(always)]
    unsafe fn assumed() -> Self {
        Self(())
    }

    #[inline(always)]
    fn call<W: Work>(self, work: W) -> W::Out {
        #[inline(never)]
        fn run<W: Work>(lanes: Neon, work: W) -> W::Out {
            work.narrow(lanes)
        }
        run(self, work)
    }

    #[inline(always)]
    fn here<W: Work>(self, work: W) -> W::Out {
        work.narrow(self)
    }

    #[inline(always)]
    fn prefetch<const WRITE: bool, T>(self, items: &[T], index: usize) {
        let place = items.as_ptr().wrapping_add(index);
        // SAFETY: a prefetch is a hint, valid for any address.
        unsafe {
            if WRITE {
                asm!("prfm pstl1keep, [{}]", in(reg) place, options(nostack, preserves_flags, readonly));
            } else {
                asm!("prfm pldl1keep, [{}]", in(reg) place, options(nostack, preserves_flags, readonly));
            }
        }
    }
}

/// Returns the 16 bytes of a key from `from` on, in the form of [`Lanes::words`].
#[inline(always)]
fn step<const WHOLE: bool>(key: &[u8], from: usize) -> [u8; 16] {
    if WHOLE {
        return *key[from..].first_chunk().expect("every key has all four words");
    }
    let mut step = [[0; 4]; 4];
    let rest = key.get(from..).unwrap_or_default();
    for (word, found) in step.iter_mut().zip(rest.as_chunks().0) {
        *word = *found;
    }
    *step.as_flattened().first_chunk().expect("four words")
}

/// Does an operation on both halves. The closure works on vectors, which is sound and fast here: all code may use NEON.
#[inline(always)]
fn in_both<const N: usize>(
    vectors: [[uint32x4_t; 2]; N],
    half: impl Fn([uint32x4_t; N]) -> uint32x4_t,
) -> [uint32x4_t; 2] {
    [
        half(vectors.map(|vector| vector[0])),
        half(vectors.map(|vector| vector[1])),
    ]
}

/// Returns a table of 64 bytes.
#[inline(always)]
fn four([a, b]: [uint32x4_t; 2], [c, d]: [uint32x4_t; 2]) -> uint8x16x4_t {
    uint8x16x4_t(
        reinterpreted(a),
        reinterpreted(b),
        reinterpreted(c),
        reinterpreted(d),
    )
}

#[inline(always)]
fn reinterpreted(words: uint32x4_t) -> uint8x16_t {
    // SAFETY: see the type.
    unsafe { vreinterpretq_u8_u32(words) }
}

/// Returns the places of the four bytes of each word.
#[inline(always)]
fn bytes_of(words: uint32x4_t) -> uint8x16_t {
    // SAFETY: see the type.
    unsafe { vreinterpretq_u8_u32(vmlaq_n_u32(vdupq_n_u32(0x0302_0100), words, 0x0404_0404)) }
}
