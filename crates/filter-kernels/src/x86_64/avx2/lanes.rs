//! The operations on 8 lanes.

use core::arch::x86_64::*;

use super::Avx2;
use crate::lanes::{Lanes, PACKINGS, last_bytes, operations};

impl Lanes for Avx2 {
    const LANES: usize = 8;
    const UNEVEN: bool = true;
    const IN_PLACE: bool = false;
    const TABLE_BYTES: usize = 128;

    type Vector = __m256i;
    /// A hit sets the highest bit of its lane.
    type Hits = __m256i;

    operations! {
        [unsafe] fn load_at(self, place: *const u8) = _mm256_loadu_si256(place.cast());
        [unsafe] fn store_at(self, vector: __m256i, place: *mut u8) -> () = _mm256_storeu_si256(place.cast(), vector);
        fn shift_right[const BY: u32](self, a) = _mm256_srl_epi32(a, _mm_cvtsi32_si128(BY.cast_signed()));
        fn hit(self, hits, words, positions) = {
            // 31 minus the position modulo 32 moves the bit to the top.
            let to_the_top = _mm256_andnot_si256(positions, _mm256_set1_epi32(31));
            _mm256_and_si256(hits, _mm256_sllv_epi32(words, to_the_top))
        };
        fn compress(self, vector, bits: u32) = {
            let packing = &PACKINGS[bits as usize & 0xff];
            let lanes = _mm256_cvtepu8_epi32(_mm_loadl_epi64(packing.as_ptr().cast()));
            _mm256_permutevar8x32_epi32(vector, lanes)
        };
        fn words_at(self, words: &[[u8; 4]], beyond: __m256i, positions: __m256i) = {
            // At most 2^27, so that the index below is not negative.
            let count = words.len().min(1 << 27) as i32;
            // Words are read under a mask of those that the slice has.
            let indices = _mm256_srli_epi32::<5>(positions);
            let inside = _mm256_cmpgt_epi32(_mm256_set1_epi32(count), indices);
            _mm256_mask_i32gather_epi32::<4>(beyond, words.as_ptr().cast(), indices, inside)
        };
        fn table_words[const QUARTERS: usize](self, table: &[__m256i; QUARTERS], positions: __m256i) = {
            // Only the low three bits count.
            let indices = _mm256_srli_epi32::<5>(positions);
            // The highest bit of each lane selects the vector: here bit 3 of the index, below bit 4.
            let third = _mm256_slli_epi32::<23>(positions);
            match *table.as_slice() {
                [a] => _mm256_permutevar8x32_epi32(a, indices),
                [a, b] => self.of_pair(a, b, indices, third),
                [a, b, c, d] => {
                    let low = self.of_pair(a, b, indices, third);
                    let high = self.of_pair(c, d, indices, third);
                    self.chosen(low, high, _mm256_slli_epi32::<22>(positions))
                }
                _ => unreachable!("tables have 1, 2 or 4 vectors"),
            }
        };
        fn high_bits(self, bytes: &[u8; 64]) -> u64 = {
            let low = _mm256_movemask_epi8(_mm256_loadu_si256(bytes[..32].as_ptr().cast()));
            let high = _mm256_movemask_epi8(_mm256_loadu_si256(bytes[32..].as_ptr().cast()));
            u64::from(low.cast_unsigned()) | u64::from(high.cast_unsigned()) << 32
        };
        fn packed_words(self, keys: &[[u8; 16]]) -> [Self::Vector; 4] = {
            let keys: &[[u8; 16]; 8] = keys.first_chunk().expect("a group has a key for each lane");
            let rows: *const __m256i = keys.as_ptr().cast();
            self.transposed([
                _mm256_loadu_si256(rows),
                _mm256_loadu_si256(rows.add(1)),
                _mm256_loadu_si256(rows.add(2)),
                _mm256_loadu_si256(rows.add(3)),
            ])
        };
        fn in_order(self, vector) = _mm256_permutevar8x32_epi32(vector, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
        fn hit_bits(self, hits) -> u32 = _mm256_movemask_ps(_mm256_castsi256_ps(hits)).cast_unsigned();
        fn splat(self, value: u32) = _mm256_set1_epi32(value.cast_signed());
        fn add(self, a, b) = _mm256_add_epi32(a, b);
        fn sub(self, a, b) = _mm256_sub_epi32(a, b);
        fn mul(self, a, b) = _mm256_mullo_epi32(a, b);
        fn mul_high(self, a, b) = {
            let even = _mm256_srli_epi64::<32>(_mm256_mul_epu32(a, b));
            let odd = _mm256_mul_epu32(_mm256_srli_epi64::<32>(a), _mm256_srli_epi64::<32>(b));
            _mm256_blend_epi32::<0b1010_1010>(even, odd)
        };
        fn min(self, a, b) = _mm256_min_epu32(a, b);
        fn or(self, a, b) = _mm256_or_si256(a, b);
        fn xor(self, a, b) = _mm256_xor_si256(a, b);
        fn shift_left_each(self, a, counts) = _mm256_sllv_epi32(a, counts);
        fn rotate_15(self, a) = _mm256_or_si256(_mm256_slli_epi32::<15>(a), _mm256_srli_epi32::<17>(a));
        fn if_less(self, a, b, less, other) = {
            // Only equality can be compared without a sign.
            let not_less = _mm256_cmpeq_epi32(_mm256_max_epu32(a, b), a);
            _mm256_blendv_epi8(less, other, not_less)
        };
        fn bit_of(self, positions) = {
            let counts = _mm256_and_si256(positions, _mm256_set1_epi32(31));
            _mm256_sllv_epi32(_mm256_set1_epi32(1), counts)
        };
        fn all_hits(self) -> __m256i = self.splat(u32::MAX);
        fn table[const QUARTERS: usize](self, bytes: &[u8]) -> [__m256i; QUARTERS] = {
            let (words, beyond) = (bytes.as_chunks::<4>().0, self.splat(last_bytes(bytes)));
            let mut table = [self.splat(0); QUARTERS];
            for (i, vector) in table.iter_mut().enumerate() {
                let part = &words[words.len().min(8 * i)..];
                // Words are read under a mask of those that the slice has.
                let whole = _mm256_maskload_epi32(part.as_ptr().cast(), self.word_mask(part.len()));
                // The place of the bytes after the last whole word, if it is in this vector.
                let place = self.splat(words.len().wrapping_sub(8 * i) as u32);
                let here = _mm256_cmpeq_epi32(self.iota(), place);
                *vector = _mm256_or_si256(whole, _mm256_and_si256(beyond, here));
            }
            table
        };
        fn words[const WHOLE: bool](self, keys: &[&[u8]], from: usize) -> [__m256i; 4] = {
            let keys: &[&[u8]; 8] = keys.first_chunk().expect("a group has a key for each lane");
            self.transposed([
                self.row::<WHOLE>(keys, 0, from),
                self.row::<WHOLE>(keys, 1, from),
                self.row::<WHOLE>(keys, 2, from),
                self.row::<WHOLE>(keys, 3, from),
            ])
        };
        [unsafe] fn all_set(self, bytes: &[u8], positions: __m256i, count: u32) -> bool = self.all_of_8(bytes, positions, count);
    }
}
