//! AVX-512: 16 lanes, loads under masks, tables of 256 bytes in registers.
//!
//! Subsets F, BW, DQ and VL: what every processor with AVX-512 has but the first, Xeon Phi.

mod lanes;
mod wide;

use core::arch::x86_64::*;

use super::super::Source;
use super::super::generic::{Lanes, create, query};
use crate::modulus::LaneDivisor;

// With AVX-512 F the compiler takes FMA and F16C for given. The latter cannot be asked for here; it came before AVX2, and
// is, as the other, for floating-point numbers, of which there are none.
cpufeatures::new!(
    detection, "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx2", "bmi1", "bmi2", "fma", "popcnt"
);

/// Exists only where the processor and the operating system have the instructions: the reason why calling them is
/// sound, wherever the comments below speak of the type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx512(());

impl Avx512 {
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
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
        fn run(lanes: Avx512, bit_array: &mut [u8], divisor: LaneDivisor, probes: u8, source: Source<'_>) {
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
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
        fn run(lanes: Avx512, bit_array: &mut [u8], divisor: LaneDivisor, probes: u8, source: Source<'_>) {
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
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
        fn run(
            lanes: Avx512,
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
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
        fn run(
            lanes: Avx512,
            bit_array: &[u8],
            divisor: LaneDivisor,
            probes: u32,
            source: Source<'_>,
            answers: &mut [u64],
        ) {
            query::may_match_many::<_, true>(lanes, bit_array, divisor, probes, source, answers);
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
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
        fn run(lanes: Avx512, bit_array: &[u8], divisor: LaneDivisor, probes: u32, hash: u32) -> bool {
            query::may_match(lanes, bit_array, divisor, probes, hash)
        }
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
        fn run_8(lanes: Avx512, bit_array: &[u8], divisor: LaneDivisor, probes: u32, hash: u32) -> bool {
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

    /// [`query::may_match`] for at most 8 probes: half a vector takes half as long to gather.
    #[inline(always)]
    fn all_of_8(self, bit_array: &[u8], divisor: LaneDivisor, probes: u32, hash: u32) -> bool {
        let LaneDivisor { bits, reciprocal } = divisor;
        // SAFETY: see the type; the gather reads four bytes each, none of them after the last four of the slice.
        unsafe {
            let numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
            let stride = _mm256_set1_epi32(hash.rotate_left(15).cast_signed());
            let hash = _mm256_set1_epi32(hash.cast_signed());
            let hashes = _mm256_add_epi32(hash, _mm256_mullo_epi32(numbers, stride));
            let reciprocal = _mm256_set1_epi32(reciprocal.cast_signed());
            let bits = _mm256_set1_epi32(bits.cast_signed());
            let even = _mm256_srli_epi64::<32>(_mm256_mul_epu32(hashes, reciprocal));
            let odd = _mm256_mul_epu32(_mm256_srli_epi64::<32>(hashes), reciprocal);
            let quotients = _mm256_blend_epi32::<0b1010_1010>(even, odd);
            let rests = _mm256_sub_epi32(hashes, _mm256_mullo_epi32(quotients, bits));
            let mut positions = _mm256_min_epu32(rests, _mm256_sub_epi32(rests, bits));

            let live = _bzhi_u32(0xff, probes) as __mmask8;
            let wide = _mm512_castsi256_si512(positions);
            let words = if bit_array.len() <= 64 {
                _mm512_castsi512_si256(self.table_words(&self.table::<1>(bit_array), wide))
            } else if bit_array.len() <= 128 {
                _mm512_castsi512_si256(self.table_words(&self.table::<2>(bit_array), wide))
            } else if bit_array.len() <= 256 {
                _mm512_castsi512_si256(self.table_words(&self.table::<4>(bit_array), wide))
            } else {
                // Four bytes from the one with the bit on, or the last four. The array is longer than 256 bytes, and
                // the least that 29 bits hold is not negative.
                let last = (bit_array.len() - 4).min(0x1fff_ffff) as u32;
                let bytes = _mm256_srli_epi32::<3>(positions);
                let bytes = _mm256_min_epu32(bytes, _mm256_set1_epi32(last.cast_signed()));
                let none = _mm256_setzero_si256();
                let start = bit_array.as_ptr().cast();
                let words = _mm256_mmask_i32gather_epi32::<1>(none, live, bytes, start);
                positions = _mm256_sub_epi32(positions, _mm256_slli_epi32::<3>(bytes));
                words
            };
            let wanted = _mm256_rolv_epi32(_mm256_set1_epi32(1), positions);
            _mm256_mask_testn_epi32_mask(live, words, wanted) == 0
        }
    }

    /// The same bytes of each key in a vector, transposed: word `i` of all keys in vector `i`.
    #[inline(always)]
    fn transposed(self, rows: [__m512i; 4]) -> [__m512i; 4] {
        let [a, b, c, d] = rows;
        // SAFETY: see the type.
        unsafe {
            let (ab_low, ab_high) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
            let (cd_low, cd_high) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
            [
                _mm512_unpacklo_epi64(ab_low, cd_low),
                _mm512_unpackhi_epi64(ab_low, cd_low),
                _mm512_unpacklo_epi64(ab_high, cd_high),
                _mm512_unpackhi_epi64(ab_high, cd_high),
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
        let mask = (1_u8 << (rest.len() / 4).min(4)) - 1;
        // SAFETY: see the type; words are read under a mask of those that the slice has.
        unsafe { _mm_maskz_loadu_epi32(mask, rest.as_ptr().cast()) }
    }

    /// The steps of the keys `i`, `i + 4`, `i + 8` and `i + 12`.
    #[inline(always)]
    fn row<const WHOLE: bool>(self, keys: &[&[u8]; 16], i: usize, from: usize) -> __m512i {
        let first = self.step::<WHOLE>(keys[i], from);
        let second = self.step::<WHOLE>(keys[i + 4], from);
        let third = self.step::<WHOLE>(keys[i + 8], from);
        let fourth = self.step::<WHOLE>(keys[i + 12], from);
        // SAFETY: see the type.
        unsafe {
            let row = _mm512_inserti32x4::<1>(_mm512_castsi128_si512(first), second);
            _mm512_inserti32x4::<3>(_mm512_inserti32x4::<2>(row, third), fourth)
        }
    }
}
