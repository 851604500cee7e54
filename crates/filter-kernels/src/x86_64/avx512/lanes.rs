//! The operations on 16 lanes.

use core::arch::x86_64::*;

use super::Avx512;
use crate::lanes::{Lanes, operations};

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
