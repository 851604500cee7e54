//! The operations on 4 lanes of 64 bits.

use core::arch::x86_64::*;

use super::Avx2;
use crate::lanes::{Lanes64, Pair, WideLanes, operations};

impl WideLanes for Avx2 {
    type Wide = Quad;
    /// A product of 64 bits takes seven instructions, so four keys would leave most of the processor idle.
    type Chains = Pair<Quad>;

    operations! {
        fn wide(self) -> Quad = Quad(self);
        fn chains(self) -> Pair<Quad> = Pair(Quad(self));
        fn load_walks(self, hashes: &[u64]) -> [__m256i; 2] = {
            let hashes: &[u64; 8] = hashes.first_chunk().expect("a value for each lane");
            let start: *const __m256i = hashes.as_ptr().cast();
            let (first, second) = (_mm256_loadu_si256(start), _mm256_loadu_si256(start.add(1)));
            [
                _mm256_permute2x128_si256::<0x20>(first, second),
                _mm256_permute2x128_si256::<0x31>(first, second),
            ]
        };
        fn upper_halves(self, walks: [__m256i; 2]) = {
            let (first, second) = (_mm256_castsi256_ps(walks[0]), _mm256_castsi256_ps(walks[1]));
            _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(first, second))
        };
    }
}

/// Four lanes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Quad(Avx2);

impl Lanes64 for Quad {
    const LANES: usize = 4;

    type Vector = __m256i;

    operations! {
        fn store(self, vector: __m256i, values: &mut [u64]) -> () = {
            let values: &mut [u64; 4] = values.first_chunk_mut().expect("a value for each lane");
            _mm256_storeu_si256(values.as_mut_ptr().cast(), vector)
        };
        fn shift_left[const BY: u32](self, a) = _mm256_sll_epi64(a, _mm_cvtsi32_si128(BY.cast_signed()));
        fn shift_right[const BY: u32](self, a) = _mm256_srl_epi64(a, _mm_cvtsi32_si128(BY.cast_signed()));
        fn rotate_left[const LEFT: i32, const RIGHT: i32](self, a) = {
            const { assert!(LEFT + RIGHT == 64) };
            _mm256_or_si256(_mm256_slli_epi64::<LEFT>(a), _mm256_srli_epi64::<RIGHT>(a))
        };
        fn above(self, a, bound: u64) -> u32 = {
            let above = _mm256_cmpgt_epi64(a, self.splat(bound));
            _mm256_movemask_pd(_mm256_castsi256_pd(above)).cast_unsigned()
        };
        fn if_above(self, a, bound: u64, yes, no) = _mm256_blendv_epi8(no, yes, _mm256_cmpgt_epi64(a, self.splat(bound)));
        fn splat(self, value: u64) = _mm256_set1_epi64x(value.cast_signed());
        fn add(self, a, b) = _mm256_add_epi64(a, b);
        fn sub(self, a, b) = _mm256_sub_epi64(a, b);
        fn and(self, a, b) = _mm256_and_si256(a, b);
        fn xor(self, a, b) = _mm256_xor_si256(a, b);
        fn mul(self, a, b) = {
            let low = _mm256_mul_epu32(a, b);
            let left = _mm256_mul_epu32(_mm256_srli_epi64::<32>(a), b);
            let right = _mm256_mul_epu32(a, _mm256_srli_epi64::<32>(b));
            _mm256_add_epi64(low, _mm256_slli_epi64::<32>(_mm256_add_epi64(left, right)))
        };
        fn mul_halves(self, a, b) = _mm256_mul_epu32(a, b);
        fn lower_and_upper(self, lower, upper) = _mm256_blend_epi32::<0b1010_1010>(lower, upper);
        fn swap_bytes(self, a) = {
            let reversed = _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
            _mm256_shuffle_epi8(a, _mm256_broadcastsi128_si256(reversed))
        };
        fn shift_right_each(self, a, counts) = _mm256_srlv_epi64(a, counts);
        fn collect(self, value: impl Fn(usize) -> u64) = {
            let [a, b, c, d] = [value(0), value(1), value(2), value(3)].map(u64::cast_signed);
            _mm256_setr_epi64x(a, b, c, d)
        };
        [unsafe] fn collect_pairs(self, place: impl Fn(usize) -> *const u8) -> (Self::Vector, Self::Vector) = {
            let words = |i| _mm_loadu_si128(place(i).cast());
            let even = _mm256_set_m128i(words(2), words(0));
            let odd = _mm256_set_m128i(words(3), words(1));
            (_mm256_unpacklo_epi64(even, odd), _mm256_unpackhi_epi64(even, odd))
        };
    }
}
