//! AVX2: 8 lanes, tables of 128 bytes in registers.

mod lanes;
mod wide;

use core::arch::x86_64::*;

use super::super::Source;
use super::super::generic::{Lanes, create, query};
use crate::modulus::LaneDivisor;

cpufeatures::new!(detection, "avx2", "bmi1", "bmi2", "popcnt");

/// Exists only where the processor and the operating system have the instructions: the reason why calling them is
/// sound, wherever the comments below speak of the type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx2(());

/// For loads of 0 to 8 words: the vector from the word `8 - n` on has its first `n` words set.
static WORD_MASKS: [u32; 16] = [
    u32::MAX,
    u32::MAX,
    u32::MAX,
    u32::MAX,
    u32::MAX,
    u32::MAX,
    u32::MAX,
    u32::MAX,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
];

impl Avx2 {
    #[inline]
    pub(crate) fn detect() -> Option<Self> {
        detection::get().then_some(Self(()))
    }

    pub(in super::super) fn create(
        self,
        bit_array: &mut [u8],
        divisor: LaneDivisor,
        probes: u8,
        source: Source<'_>,
    ) {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn run(lanes: Avx2, bit_array: &mut [u8], divisor: LaneDivisor, probes: u8, source: Source<'_>) {
            create::create(lanes, bit_array, divisor, probes, source);
        }
        // SAFETY: see the type.
        unsafe { run(self, bit_array, divisor, probes, source) }
    }

    pub(in super::super) fn insert(
        self,
        bit_array: &mut [u8],
        divisor: LaneDivisor,
        probes: u8,
        source: Source<'_>,
    ) {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn run(lanes: Avx2, bit_array: &mut [u8], divisor: LaneDivisor, probes: u8, source: Source<'_>) {
            create::insert(lanes, bit_array, divisor, probes, source);
        }
        // SAFETY: see the type.
        unsafe { run(self, bit_array, divisor, probes, source) }
    }

    #[cfg(feature = "alloc")]
    pub(in super::super) fn create_in_map(
        self,
        bit_array: &mut [u8],
        divisor: LaneDivisor,
        probes: u8,
        source: Source<'_>,
        map: &mut [u8],
    ) {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn run(
            lanes: Avx2,
            bit_array: &mut [u8],
            divisor: LaneDivisor,
            probes: u8,
            source: Source<'_>,
            map: &mut [u8],
        ) {
            create::create_in_map(lanes, bit_array, divisor, probes, source, map);
        }
        // SAFETY: see the type.
        unsafe { run(self, bit_array, divisor, probes, source, map) }
    }

    pub(in super::super) fn may_match_many(
        self,
        bit_array: &[u8],
        divisor: LaneDivisor,
        probes: u32,
        source: Source<'_>,
        answers: &mut [u64],
    ) {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn run(
            lanes: Avx2,
            bit_array: &[u8],
            divisor: LaneDivisor,
            probes: u32,
            source: Source<'_>,
            answers: &mut [u64],
        ) {
            query::may_match_many::<_, false>(lanes, bit_array, divisor, probes, source, answers);
        }
        // SAFETY: see the type.
        unsafe { run(self, bit_array, divisor, probes, source, answers) }
    }

    #[inline]
    pub(in super::super) fn may_match(
        self,
        bit_array: &[u8],
        divisor: LaneDivisor,
        probes: u32,
        hash: u32,
    ) -> bool {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn run(lanes: Avx2, bit_array: &[u8], divisor: LaneDivisor, probes: u32, hash: u32) -> bool {
            query::may_match(lanes, bit_array, divisor, probes, hash)
        }
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn run_8(lanes: Avx2, bit_array: &[u8], divisor: LaneDivisor, probes: u32, hash: u32) -> bool {
            lanes.all_of_8(bit_array, divisor, probes, hash)
        }
        // SAFETY: see the type.
        unsafe {
            if probes <= 8 {
                run_8(self, bit_array, divisor, probes, hash)
            } else {
                run(self, bit_array, divisor, probes, hash)
            }
        }
    }

    /// [`query::may_match`] for at most 8 probes. Bit arrays of 16 to 64 bytes are looked up in registers, without the
    /// masks of [`Lanes::table`]: as two halves that overlap, the second of which ends with the array.
    #[inline(always)]
    fn all_of_8(self, bit_array: &[u8], divisor: LaneDivisor, probes: u32, hash: u32) -> bool {
        let stride = self.splat(hash.rotate_left(15));
        let hashes = self.add(self.splat(hash), self.mul(self.iota(), stride));
        let (bits, reciprocal) = (self.splat(divisor.bits), self.splat(divisor.reciprocal));
        let rests = self.sub(hashes, self.mul(self.mul_high(hashes, reciprocal), bits));
        let positions = self.min(rests, self.sub(rests, bits));
        let len = bit_array.len();
        let (words, positions) = if let (Some(low), Some(high), ..=64) =
            (bit_array.first_chunk::<32>(), bit_array.last_chunk::<32>(), len)
        {
            let positions = self.in_halves(positions, 256, 64 - len);
            // SAFETY: see the type; the arrays have the length of a vector.
            let words = unsafe {
                let low = _mm256_loadu_si256(low.as_ptr().cast());
                let high = _mm256_loadu_si256(high.as_ptr().cast());
                self.of_pair(
                    low,
                    high,
                    _mm256_srli_epi32::<5>(positions),
                    _mm256_slli_epi32::<23>(positions),
                )
            };
            (words, positions)
        } else if let (Some(low), Some(high), ..=32) =
            (bit_array.first_chunk::<16>(), bit_array.last_chunk::<16>(), len)
        {
            let positions = self.in_halves(positions, 128, 32 - len);
            // SAFETY: see the type; the arrays have the length of half a vector.
            let words = unsafe {
                let low = _mm_loadu_si128(low.as_ptr().cast());
                let high = _mm_loadu_si128(high.as_ptr().cast());
                let both = _mm256_set_m128i(high, low);
                _mm256_permutevar8x32_epi32(both, _mm256_srli_epi32::<5>(positions))
            };
            (words, positions)
        } else {
            // Four bytes from the one with the bit on, or the last four, which `position - 8 * byte` counts from.
            let Some(last) = bit_array.len().checked_sub(4) else {
                return query::may_match(self, bit_array, divisor, probes, hash);
            };
            // SAFETY: see the type; four bytes are read each, none of them after the last four of the slice, and none before
            // its first, since 29 bits are not negative.
            let (words, bytes) = unsafe {
                let bytes = _mm256_min_epu32(
                    _mm256_srli_epi32::<3>(positions),
                    self.splat(last.min(0x1fff_ffff) as u32),
                );
                let live = self.word_mask(probes as usize);
                let none = self.splat(0);
                let start = bit_array.as_ptr().cast();
                (_mm256_mask_i32gather_epi32::<1>(none, start, bytes, live), bytes)
            };
            // SAFETY: see the type.
            let positions = self.sub(positions, unsafe { _mm256_slli_epi32::<3>(bytes) });
            (words, positions)
        };
        let live = (1_u32 << probes) - 1;
        let hits = self.hit_bits(self.hit(self.all_hits(), words, positions));
        hits & live == live
    }

    /// Positions in two halves that lie behind each other: those from the second half's first bit on are `gap` bytes
    /// further away.
    #[inline(always)]
    fn in_halves(self, positions: __m256i, second_half: u32, gap: usize) -> __m256i {
        let gap = self.splat(gap as u32 * 8);
        let moved = self.add(positions, gap);
        self.if_less(positions, self.splat(second_half), positions, moved)
    }

    /// The same bytes of each key in a vector, transposed: word `i` of all keys in vector `i`.
    #[inline(always)]
    fn transposed(self, rows: [__m256i; 4]) -> [__m256i; 4] {
        let [a, b, c, d] = rows;
        // SAFETY: see the type.
        unsafe {
            let (ab_low, ab_high) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
            let (cd_low, cd_high) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
            [
                _mm256_unpacklo_epi64(ab_low, cd_low),
                _mm256_unpackhi_epi64(ab_low, cd_low),
                _mm256_unpacklo_epi64(ab_high, cd_high),
                _mm256_unpackhi_epi64(ab_high, cd_high),
            ]
        }
    }

    /// The 16 bytes of a key from `from` on, as [`Lanes::words`] has them.
    #[inline(always)]
    fn step<const WHOLE: bool>(self, key: &[u8], from: usize) -> __m128i {
        if WHOLE {
            let step: &[u8] = &key[from..from + 16];
            // SAFETY: see the type; the slice has the length of a vector.
            return unsafe { _mm_loadu_si128(step.as_ptr().cast()) };
        }
        // Its end, not an empty slice elsewhere: under an empty mask, too, an address without memory costs time.
        let rest = &key[from.min(key.len())..];
        // SAFETY: see the type; words are read under a mask of those that the slice has.
        unsafe {
            let mask = _mm256_castsi256_si128(self.word_mask((rest.len() / 4).min(4)));
            _mm_maskload_epi32(rest.as_ptr().cast(), mask)
        }
    }

    /// The steps of the keys `i` and `i + 4`.
    #[inline(always)]
    fn row<const WHOLE: bool>(self, keys: &[&[u8]; 8], i: usize, from: usize) -> __m256i {
        let first = self.step::<WHOLE>(keys[i], from);
        let second = self.step::<WHOLE>(keys[i + 4], from);
        // SAFETY: see the type.
        unsafe { _mm256_set_m128i(second, first) }
    }

    /// `high` where the highest bit of `choice` is set, `low` elsewhere.
    #[inline(always)]
    fn chosen(self, low: __m256i, high: __m256i, choice: __m256i) -> __m256i {
        // SAFETY: see the type.
        unsafe {
            _mm256_castps_si256(_mm256_blendv_ps(
                _mm256_castsi256_ps(low),
                _mm256_castsi256_ps(high),
                _mm256_castsi256_ps(choice),
            ))
        }
    }

    /// The words of two vectors with these indices, of which three bits count; `choice` tells which of the two.
    #[inline(always)]
    fn of_pair(self, low: __m256i, high: __m256i, indices: __m256i, choice: __m256i) -> __m256i {
        // SAFETY: see the type.
        unsafe {
            let low = _mm256_permutevar8x32_epi32(low, indices);
            let high = _mm256_permutevar8x32_epi32(high, indices);
            self.chosen(low, high, choice)
        }
    }

    /// All bits of the first `count` of 8 words.
    #[inline(always)]
    fn word_mask(self, count: usize) -> __m256i {
        let mask: &[u32; 8] = WORD_MASKS[8 - count.min(8)..]
            .first_chunk()
            .expect("8 of 16 words");
        // SAFETY: see the type; the array has the length of a vector.
        unsafe { _mm256_loadu_si256(mask.as_ptr().cast()) }
    }
}
