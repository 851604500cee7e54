//! AVX-512: 16 lanes, loads under masks, tables of 256 bytes in registers.
//!
//! Subsets F, BW, DQ and VL: what every processor with AVX-512 has but the first, Xeon Phi.

use core::arch::x86_64::*;

use super::super::generic::{Lanes, create, query};
use super::super::{Asked, Source};
use crate::modulus::Modulus;

cpufeatures::new!(
    detection, "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx2", "bmi1", "bmi2", "popcnt"
);

/// Exists only where the processor and the operating system have the instructions: the reason why calling them is
/// sound, wherever the comments below speak of the type.
#[derive(Clone, Copy)]
pub(in super::super) struct Avx512(());

impl Avx512 {
    #[inline]
    pub(in super::super) fn detect() -> Option<Self> {
        detection::get().then_some(Self(()))
    }

    pub(in super::super) fn create(
        self,
        source: Source<'_>,
        modulus: Modulus,
        probes: u8,
        bit_array: &mut [u8],
    ) {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
        fn run(lanes: Avx512, source: Source<'_>, modulus: Modulus, probes: u8, bit_array: &mut [u8]) {
            create::create(lanes, source, modulus, probes, bit_array);
        }
        // SAFETY: see the type.
        unsafe { run(self, source, modulus, probes, bit_array) }
    }

    pub(in super::super) fn insert(
        self,
        source: Source<'_>,
        modulus: Modulus,
        probes: u8,
        bit_array: &mut [u8],
    ) {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
        fn run(lanes: Avx512, source: Source<'_>, modulus: Modulus, probes: u8, bit_array: &mut [u8]) {
            create::insert(lanes, source, modulus, probes, bit_array);
        }
        // SAFETY: see the type.
        unsafe { run(self, source, modulus, probes, bit_array) }
    }

    pub(in super::super) fn may_match_many(self, asked: &Asked<'_>, source: Source<'_>, answers: &mut [u64]) {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
        fn run(lanes: Avx512, asked: &Asked<'_>, source: Source<'_>, answers: &mut [u64]) {
            query::may_match_many(lanes, asked, source, answers);
        }
        // SAFETY: see the type.
        unsafe { run(self, asked, source, answers) }
    }

    #[inline]
    pub(in super::super) fn may_match(self, asked: &Asked<'_>, hash: u32) -> bool {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
        fn run(lanes: Avx512, asked: &Asked<'_>, hash: u32) -> bool {
            query::may_match(lanes, asked, hash)
        }
        // SAFETY: see the type.
        unsafe { run(self, asked, hash) }
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

    /// [`transposed`](Self::transposed), with the lanes in order.
    #[inline(always)]
    fn transposed_keys(self, keys: &[&[u8]], load: impl Fn(&[u8]) -> __m128i) -> [__m512i; 4] {
        let keys: &[&[u8]; 16] = keys.first_chunk().expect("a group has a key for each lane");
        let row = |i: usize| {
            // SAFETY: see the type.
            unsafe {
                let row = _mm512_castsi128_si512(load(keys[i]));
                let row = _mm512_inserti32x4::<1>(row, load(keys[i + 4]));
                let row = _mm512_inserti32x4::<2>(row, load(keys[i + 8]));
                _mm512_inserti32x4::<3>(row, load(keys[i + 12]))
            }
        };
        self.transposed([row(0), row(1), row(2), row(3)])
    }
}

impl Lanes for Avx512 {
    const LANES: usize = 16;
    const TABLE_BYTES: usize = 256;

    type Vector = __m512i;
    type Hits = __mmask16;

    #[inline(always)]
    fn splat(self, value: u32) -> __m512i {
        // SAFETY: see the type.
        unsafe { _mm512_set1_epi32(value.cast_signed()) }
    }

    #[inline(always)]
    fn iota(self) -> __m512i {
        // SAFETY: see the type.
        unsafe { _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) }
    }

    #[inline(always)]
    fn load(self, values: &[u32]) -> __m512i {
        let values: &[u32; 16] = values.first_chunk().expect("a value for each lane");
        // SAFETY: see the type; the array has the length of a vector.
        unsafe { _mm512_loadu_si512(values.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, vector: __m512i, values: &mut [u32]) {
        let values: &mut [u32; 16] = values.first_chunk_mut().expect("a value for each lane");
        // SAFETY: see the type; the array has the length of a vector.
        unsafe { _mm512_storeu_si512(values.as_mut_ptr().cast(), vector) }
    }

    #[inline(always)]
    fn add(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see the type.
        unsafe { _mm512_add_epi32(a, b) }
    }

    #[inline(always)]
    fn sub(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see the type.
        unsafe { _mm512_sub_epi32(a, b) }
    }

    #[inline(always)]
    fn mul(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see the type.
        unsafe { _mm512_mullo_epi32(a, b) }
    }

    #[inline(always)]
    fn mul_high(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see the type.
        unsafe {
            let even = _mm512_srli_epi64::<32>(_mm512_mul_epu32(a, b));
            let odd = _mm512_mul_epu32(_mm512_srli_epi64::<32>(a), _mm512_srli_epi64::<32>(b));
            _mm512_mask_blend_epi32(0b1010_1010_1010_1010, even, odd)
        }
    }

    #[inline(always)]
    fn min(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see the type.
        unsafe { _mm512_min_epu32(a, b) }
    }

    #[inline(always)]
    fn xor(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see the type.
        unsafe { _mm512_xor_si512(a, b) }
    }

    #[inline(always)]
    fn shift_right<const BY: u32>(self, a: __m512i) -> __m512i {
        // SAFETY: see the type.
        unsafe { _mm512_srli_epi32::<BY>(a) }
    }

    #[inline(always)]
    fn rotate_15(self, a: __m512i) -> __m512i {
        // SAFETY: see the type.
        unsafe { _mm512_rol_epi32::<15>(a) }
    }

    #[inline(always)]
    fn if_less(self, a: __m512i, b: __m512i, less: __m512i, other: __m512i) -> __m512i {
        // SAFETY: see the type.
        unsafe { _mm512_mask_blend_epi32(_mm512_cmplt_epu32_mask(a, b), other, less) }
    }

    #[inline(always)]
    fn all_hits(self) -> __mmask16 {
        __mmask16::MAX
    }

    #[inline(always)]
    fn hit(self, hits: __mmask16, words: __m512i, positions: __m512i) -> __mmask16 {
        // SAFETY: see the type.
        unsafe {
            // A rotation counts modulo 32 by itself.
            let bits = _mm512_rolv_epi32(_mm512_set1_epi32(1), positions);
            _mm512_mask_test_epi32_mask(hits, words, bits)
        }
    }

    #[inline(always)]
    fn hit_bits(self, hits: __mmask16) -> u32 {
        u32::from(hits)
    }

    #[inline(always)]
    fn compress(self, vector: __m512i, bits: u32) -> __m512i {
        // SAFETY: see the type.
        unsafe { _mm512_maskz_compress_epi32(bits as __mmask16, vector) }
    }

    #[inline(always)]
    fn words_at(self, words: &[[u8; 4]], beyond: __m512i, positions: __m512i) -> __m512i {
        // Not above 2^27, so that the index below is not negative.
        let count = words.len().min(1 << 27) as i32;
        // SAFETY: see the type; words are read under a mask of those that the slice has.
        unsafe {
            let indices = _mm512_srli_epi32::<5>(positions);
            let inside = _mm512_cmplt_epi32_mask(indices, _mm512_set1_epi32(count));
            _mm512_mask_i32gather_epi32::<4>(beyond, inside, indices, words.as_ptr().cast())
        }
    }

    #[inline(always)]
    fn table<const QUARTERS: usize>(self, bytes: &[u8]) -> [__m512i; QUARTERS] {
        core::array::from_fn(|i| {
            let part = bytes.get(64 * i..).unwrap_or_default();
            let mask = match part.len() {
                0 => 0,
                len @ ..64 => u64::MAX >> (64 - len),
                _ => u64::MAX,
            };
            // SAFETY: see the type; bytes are read under a mask of those that the slice has.
            unsafe { _mm512_maskz_loadu_epi8(mask, part.as_ptr().cast()) }
        })
    }

    #[inline(always)]
    fn table_words<const QUARTERS: usize>(self, table: &[__m512i; QUARTERS], positions: __m512i) -> __m512i {
        // SAFETY: see the type.
        unsafe {
            let indices = _mm512_srli_epi32::<5>(positions);
            match *table.as_slice() {
                [a] => _mm512_permutexvar_epi32(indices, a),
                [a, b] => _mm512_permutex2var_epi32(a, indices, b),
                [a, b, c, d] => {
                    let low = _mm512_permutex2var_epi32(a, indices, b);
                    let high = _mm512_permutex2var_epi32(c, indices, d);
                    let upper = _mm512_test_epi32_mask(indices, _mm512_set1_epi32(32));
                    _mm512_mask_blend_epi32(upper, low, high)
                }
                _ => unreachable!("tables have 1, 2 or 4 vectors"),
            }
        }
    }

    #[inline(always)]
    fn high_bits(self, bytes: &[u8; 64]) -> u64 {
        // SAFETY: see the type; the array has the length of a vector.
        unsafe { _mm512_movepi8_mask(_mm512_loadu_si512(bytes.as_ptr().cast())) }
    }

    #[inline(always)]
    fn packed_words(self, keys: &[[u8; 16]]) -> [__m512i; 4] {
        let keys: &[[u8; 16]; 16] = keys.first_chunk().expect("a group has a key for each lane");
        // SAFETY: see the type; four vectors have the length of the array.
        let row = |i: usize| unsafe { _mm512_loadu_si512(keys[4 * i..4 * i + 4].as_ptr().cast()) };
        self.transposed([row(0), row(1), row(2), row(3)])
    }

    #[inline(always)]
    fn in_order(self, vector: __m512i) -> __m512i {
        // SAFETY: see the type.
        unsafe {
            let order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
            _mm512_permutexvar_epi32(order, vector)
        }
    }

    #[inline(always)]
    fn words(self, keys: &[&[u8]], from: usize) -> [__m512i; 4] {
        self.transposed_keys(keys, |key| {
            let rest = key.get(from..).unwrap_or_default();
            let mask = (1_u8 << (rest.len() / 4).min(4)) - 1;
            // SAFETY: see the type; words are read under a mask of those that the slice has.
            unsafe { _mm_maskz_loadu_epi32(mask, rest.as_ptr().cast()) }
        })
    }

    #[inline(always)]
    fn whole_words(self, keys: &[&[u8]], from: usize) -> [__m512i; 4] {
        self.transposed_keys(keys, |key| {
            let step: &[u8] = &key[from..from + 16];
            // SAFETY: see the type; the slice has the length of a vector.
            unsafe { _mm_loadu_si128(step.as_ptr().cast()) }
        })
    }

    #[inline(always)]
    fn prefetch<const WRITE: bool>(self, bytes: &[u8], index: usize) {
        let place = bytes.as_ptr().wrapping_add(index).cast();
        // SAFETY: a hint, whatever the address; part of what every x86-64 processor decodes.
        unsafe {
            if WRITE {
                _mm_prefetch::<_MM_HINT_ET0>(place);
            } else {
                _mm_prefetch::<_MM_HINT_T0>(place);
            }
        }
    }
}
