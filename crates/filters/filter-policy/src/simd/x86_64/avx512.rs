//! AVX-512: 16 lanes, masked loads, and tables of 256 bytes in registers.
//!
//! Uses the subsets F, BW, DQ and VL, which every processor with AVX-512 has except the first, Xeon Phi.

use core::arch::x86_64::*;

use super::avx2::bytes_at;
use super::target::{Avx2, Avx512};
use crate::simd::bits::in_registers;
use crate::simd::lanes::{Lanes, Lanes64, Target, WideLanes, operations};

impl Avx512 {
    /// [`Lanes::all_set`], in half a vector.
    ///
    /// # Safety
    ///
    /// The positions are below the number of bits.
    #[inline(always)]
    unsafe fn all_of_8(self, bit_array: &[u8], positions: __m256i, count: u32) -> bool {
        // SAFETY: see the type; the positions are guaranteed by the caller.
        unsafe {
            let live = _bzhi_u32(0xff, count) as __mmask8;
            let words = in_registers!(
                self: Avx512, bit_array, |words| words.at(self, _mm512_castsi256_si512(positions)),
                else {
                    let bytes = bytes_at(bit_array, positions, count);
                    // The lowest byte of each lane has the bit of its position modulo 8.
                    let wanted = _mm256_rolv_epi32(_mm256_set1_epi32(0x0101_0101), positions);
                    return _mm_testc_si128(bytes, _mm256_maskz_cvtepi32_epi8(live, wanted)) != 0;
                }
            );
            let wanted = _mm256_rolv_epi32(_mm256_set1_epi32(1), positions);
            _mm256_mask_testn_epi32_mask(live, _mm512_castsi512_si256(words), wanted) == 0
        }
    }

    /// Transposes vectors that hold the same bytes of each key: word `i` of all keys goes to vector `i`.
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

    /// Returns the steps of the keys `i`, `i + 4`, `i + 8` and `i + 12`.
    #[inline(always)]
    fn row<const WHOLE: bool>(self, keys: &[&[u8]; 16], i: usize, from: usize) -> __m512i {
        // SAFETY: the processor has these instructions, too.
        let avx2 = unsafe { Avx2::assumed() };
        self.four([
            avx2.step::<WHOLE>(keys[i], from),
            avx2.step::<WHOLE>(keys[i + 4], from),
            avx2.step::<WHOLE>(keys[i + 8], from),
            avx2.step::<WHOLE>(keys[i + 12], from),
        ])
    }

    /// Concatenates four quarters.
    #[inline(always)]
    fn four(self, [a, b, c, d]: [__m128i; 4]) -> __m512i {
        // SAFETY: see the type.
        unsafe {
            let all = _mm512_inserti64x2::<1>(_mm512_castsi128_si512(a), b);
            _mm512_inserti64x2::<3>(_mm512_inserti64x2::<2>(all, c), d)
        }
    }
}

impl Lanes for Avx512 {
    const LANES: usize = 16;
    const UNEVEN: bool = true;
    const IN_PLACE: bool = true;
    const TABLE_BYTES: usize = 256;

    type Vector = __m512i;
    type Hits = __mmask16;

    operations! {
        [unsafe] fn load_at(self, place: *const u8) = _mm512_loadu_si512(place.cast());
        [unsafe] fn store_at(self, vector: __m512i, place: *mut u8) -> () = _mm512_storeu_si512(place.cast(), vector);
        fn shift_right[const BY: u32](self, a) = _mm512_srli_epi32::<BY>(a);
        fn hit(self, hits: __mmask16, words, positions) -> __mmask16 = _mm512_mask_test_epi32_mask(hits, words, self.bit_of(positions));
        fn words_at(self, words: &[[u8; 4]], beyond: __m512i, positions: __m512i) = {
            // At most 2^27, so that the index below is not negative.
            let count = words.len().min(1 << 27) as i32;
            // Words are read under a mask of those that the slice has.
            let indices = _mm512_srli_epi32::<5>(positions);
            let inside = _mm512_cmplt_epi32_mask(indices, _mm512_set1_epi32(count));
            _mm512_mask_i32gather_epi32::<4>(beyond, inside, indices, words.as_ptr().cast())
        };
        fn table_words[const QUARTERS: usize](self, table: &[__m512i; QUARTERS], positions: __m512i) = {
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
        };
        fn high_bits(self, bytes: &[u8; 64]) -> u64 = _mm512_movepi8_mask(_mm512_loadu_si512(bytes.as_ptr().cast()));
        fn full_bytes(self, bytes: &[u8; 64]) -> u64 = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(bytes.as_ptr().cast()), self.splat(u32::MAX));
        fn packed_words(self, keys: &[[u8; 16]]) -> [Self::Vector; 4] = {
            let keys: &[[u8; 16]; 16] = keys.first_chunk().expect("a group has a key for each lane");
            let rows: *const __m512i = keys.as_ptr().cast();
            self.transposed([
                _mm512_loadu_si512(rows),
                _mm512_loadu_si512(rows.add(1)),
                _mm512_loadu_si512(rows.add(2)),
                _mm512_loadu_si512(rows.add(3)),
            ])
        };
        fn in_order(self, vector) = {
            let order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
            _mm512_permutexvar_epi32(order, vector)
        };
        fn splat(self, value: u32) = _mm512_set1_epi32(value.cast_signed());
        fn compress(self, vector, bits: u32) = _mm512_maskz_compress_epi32(bits as __mmask16, vector);
        fn add(self, a, b) = _mm512_add_epi32(a, b);
        fn sub(self, a, b) = _mm512_sub_epi32(a, b);
        fn mul(self, a, b) = _mm512_mullo_epi32(a, b);
        fn mul_high(self, a, b) = {
            let even = _mm512_srli_epi64::<32>(_mm512_mul_epu32(a, b));
            let odd = _mm512_mul_epu32(_mm512_srli_epi64::<32>(a), _mm512_srli_epi64::<32>(b));
            _mm512_mask_blend_epi32(0b1010_1010_1010_1010, even, odd)
        };
        fn min(self, a, b) = _mm512_min_epu32(a, b);
        fn or(self, a, b) = _mm512_or_si512(a, b);
        fn or3(self, a, b, c) = _mm512_ternarylogic_epi32::<0xfe>(a, b, c);
        fn xor(self, a, b) = _mm512_xor_si512(a, b);
        fn shift_left_each(self, a, counts) = _mm512_sllv_epi32(a, counts);
        fn rotate_15(self, a) = _mm512_rol_epi32::<15>(a);
        fn if_less(self, a, b, less, other) = _mm512_mask_blend_epi32(_mm512_cmplt_epu32_mask(a, b), other, less);
        fn bit_of(self, positions) = {
            // The rotation counts modulo 32.
            _mm512_rolv_epi32(_mm512_set1_epi32(1), positions)
        };
        fn all_hits(self) -> __mmask16 = __mmask16::MAX;
        fn hit_bits(self, hits: __mmask16) -> u32 = u32::from(hits);
        fn table[const QUARTERS: usize](self, bytes: &[u8]) -> [__m512i; QUARTERS] = {
            let mut table = [self.splat(0); QUARTERS];
            for (i, vector) in table.iter_mut().enumerate() {
                let part = &bytes[bytes.len().min(64 * i)..];
                // Bytes are read under a mask of those that the slice has.
                let mask = _bzhi_u64(u64::MAX, part.len().min(64) as u32);
                *vector = _mm512_maskz_loadu_epi8(mask, part.as_ptr().cast());
            }
            table
        };
        fn words[const WHOLE: bool](self, keys: &[&[u8]], from: usize) -> [__m512i; 4] = {
            let keys: &[&[u8]; 16] = keys.first_chunk().expect("a group has a key for each lane");
            self.transposed([
                self.row::<WHOLE>(keys, 0, from),
                self.row::<WHOLE>(keys, 1, from),
                self.row::<WHOLE>(keys, 2, from),
                self.row::<WHOLE>(keys, 3, from),
            ])
        };
        [unsafe] fn all_set(self, bytes: &[u8], positions: __m512i, count: u32) -> bool = self.all_of_8(bytes, _mm512_castsi512_si256(positions), count);
    }
}

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
