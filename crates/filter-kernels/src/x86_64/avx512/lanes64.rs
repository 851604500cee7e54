//! The operations on 8 lanes of 64 bits.

use core::arch::x86_64::*;

use super::Avx512;
use crate::lanes::{Lanes64, WideLanes, operations};

impl WideLanes for Avx512 {
    type Wide = Octet;
    type Chains = Octet;

    operations! {
        fn wide(self) -> Octet = Octet(self);
        fn chains(self) -> Octet = Octet(self);
        fn load_walks(self, hashes: &[u64]) -> [__m512i; 2] = {
            let hashes: &[u64; 16] = hashes.first_chunk().expect("a value for each lane");
            let start: *const __m512i = hashes.as_ptr().cast();
            [_mm512_loadu_si512(start), _mm512_loadu_si512(start.add(1))]
        };
        fn upper_halves(self, walks: [__m512i; 2]) = {
            let odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
            _mm512_permutex2var_epi32(walks[0], odd, walks[1])
        };
    }
}

/// Eight lanes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Octet(Avx512);

impl Lanes64 for Octet {
    const LANES: usize = 8;

    type Vector = __m512i;

    operations! {
        fn store(self, vector: __m512i, values: &mut [u64]) -> () = {
            let values: &mut [u64; 8] = values.first_chunk_mut().expect("a value for each lane");
            _mm512_storeu_si512(values.as_mut_ptr().cast(), vector)
        };
        fn shift_left[const BY: u32](self, a) = _mm512_slli_epi64::<BY>(a);
        fn shift_right[const BY: u32](self, a) = _mm512_srli_epi64::<BY>(a);
        fn rotate_left[const LEFT: i32, const RIGHT: i32](self, a) = {
            const { assert!(LEFT + RIGHT == 64) };
            _mm512_rol_epi64::<LEFT>(a)
        };
        fn if_above(self, a, bound: u64, yes, no) = {
            let above = _mm512_cmpgt_epu64_mask(a, self.splat(bound));
            _mm512_mask_blend_epi64(above, no, yes)
        };
        fn splat(self, value: u64) = _mm512_set1_epi64(value.cast_signed());
        fn add(self, a, b) = _mm512_add_epi64(a, b);
        fn sub(self, a, b) = _mm512_sub_epi64(a, b);
        fn and(self, a, b) = _mm512_and_si512(a, b);
        fn xor(self, a, b) = _mm512_xor_si512(a, b);
        fn mul(self, a, b) = _mm512_mullo_epi64(a, b);
        fn mul_halves(self, a, b) = _mm512_mul_epu32(a, b);
        fn lower_and_upper(self, lower, upper) = _mm512_mask_blend_epi32(0b1010_1010_1010_1010, lower, upper);
        fn swap_bytes(self, a) = {
            let reversed = _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
            _mm512_shuffle_epi8(a, _mm512_broadcast_i32x4(reversed))
        };
        fn shift_right_each(self, a, counts) = _mm512_srlv_epi64(a, counts);
        fn collect(self, value: impl Fn(usize) -> u64) = {
            let [a, b, c, d] = [value(0), value(1), value(2), value(3)].map(u64::cast_signed);
            let [e, f, g, h] = [value(4), value(5), value(6), value(7)].map(u64::cast_signed);
            _mm512_setr_epi64(a, b, c, d, e, f, g, h)
        };
        fn above(self, a, bound: u64) -> u32 = u32::from(_mm512_cmpgt_epu64_mask(a, self.splat(bound)));
        [unsafe] fn collect_pairs(self, place: impl Fn(usize) -> *const u8) -> (Self::Vector, Self::Vector) = {
            let words = |i| _mm_loadu_si128(place(i).cast());
            // Each quarter of the words holds the same half of two neighbouring keys.
            let even = self.0.four([words(0), words(2), words(4), words(6)]);
            let odd = self.0.four([words(1), words(3), words(5), words(7)]);
            (_mm512_unpacklo_epi64(even, odd), _mm512_unpackhi_epi64(even, odd))
        };
    }
}
