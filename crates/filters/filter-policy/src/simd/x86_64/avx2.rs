//! AVX2: 8 lanes, and tables of 128 bytes in registers.

use core::arch::x86_64::*;

use super::target::Avx2;
use crate::simd::bits::halves;
use crate::simd::lanes::{Lanes, Lanes64, PACKINGS, Pair, WideLanes, last_bytes, operations};

/// Masks for loads of 0 to 8 words: the vector that starts at word `8 - n` has its first `n` words set.
static WORD_MASKS: [[u32; 8]; 2] = [[u32::MAX; 8], [0; 8]];

/// Returns the bytes that hold the bits at these positions: all 8, or the first 6 if at most 6 count. The
/// others are 0.
///
/// Separate loads are faster than one gather, which reads whole words and so would read beyond the end of the slice.
///
/// # Safety
///
/// The processor has AVX2, and the positions are below the number of bits.
#[inline(always)]
pub(super) unsafe fn bytes_at(bytes: &[u8], positions: __m256i, count: u32) -> __m128i {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let places = _mm256_srli_epi32::<3>(positions);
        let low = _mm256_castsi256_si128(places);
        let high = _mm256_extracti128_si256::<1>(places);
        // Two places in each number. Going through memory would take longer.
        let places_0_1 = _mm_cvtsi128_si64(low).cast_unsigned();
        let places_2_3 = _mm_extract_epi64::<1>(low).cast_unsigned();
        let places_4_5 = _mm_cvtsi128_si64(high).cast_unsigned();
        let byte = |place: u64| i32::from(*bytes.get_unchecked(place as u32 as usize));
        let found = _mm_cvtsi32_si128(byte(places_0_1));
        let found = _mm_insert_epi8::<1>(found, byte(places_0_1 >> 32));
        let found = _mm_insert_epi8::<2>(found, byte(places_2_3));
        let found = _mm_insert_epi8::<3>(found, byte(places_2_3 >> 32));
        let found = _mm_insert_epi8::<4>(found, byte(places_4_5));
        let found = _mm_insert_epi8::<5>(found, byte(places_4_5 >> 32));
        if count <= 6 {
            return found;
        }
        let places_6_7 = _mm_extract_epi64::<1>(high).cast_unsigned();
        let found = _mm_insert_epi8::<6>(found, byte(places_6_7));
        _mm_insert_epi8::<7>(found, byte(places_6_7 >> 32))
    }
}

impl Avx2 {
    /// [`Lanes::all_set`]. Arrays of 16 to 64 bytes are looked up in registers, without the masks of [`Lanes::table`]: as
    /// two overlapping halves, the second of which ends with the array.
    ///
    /// # Safety
    ///
    /// The positions are below the number of bits.
    #[inline(always)]
    unsafe fn all_of_8(self, bit_array: &[u8], positions: __m256i, count: u32) -> bool {
        let (words, positions) = if let Some((both, positions)) = halves::<_, 32>(self, bit_array, positions)
        {
            let table = [self.load_bytes(both[0]), self.load_bytes(both[1])];
            (self.table_words(&table, positions), positions)
        } else if let Some(([low, high], positions)) = halves::<_, 16>(self, bit_array, positions) {
            // SAFETY: see the type; the arrays have the length of half a vector.
            let table = unsafe {
                let low = _mm_loadu_si128(low.as_ptr().cast());
                _mm256_set_m128i(_mm_loadu_si128(high.as_ptr().cast()), low)
            };
            (self.table_words(&[table], positions), positions)
        } else {
            // SAFETY: guaranteed by the caller.
            return unsafe { self.all_bytes_of_8(bit_array, positions, count) };
        };
        let missing = !self.hit_bits(self.hit(self.all_hits(), words, positions)) & 0xff;
        // SAFETY: see the type.
        unsafe { _bzhi_u32(missing, count) == 0 }
    }

    /// [`all_of_8`](Self::all_of_8) of other lengths.
    #[inline(always)]
    unsafe fn all_bytes_of_8(self, bit_array: &[u8], positions: __m256i, count: u32) -> bool {
        // SAFETY: see the type; the positions are guaranteed by the caller.
        unsafe {
            let found = bytes_at(bit_array, positions, count);
            // The lowest bytes of all lanes, side by side.
            let lowest = _mm256_shuffle_epi8(positions, _mm256_set1_epi32(0x0c08_0400));
            let lowest = _mm_unpacklo_epi32(
                _mm256_castsi256_si128(lowest),
                _mm256_extracti128_si256::<1>(lowest),
            );
            // A look-up in a table of eight bytes, each with one bit set.
            let bits = _mm_set1_epi64x(0x8040_2010_0804_0201_u64.cast_signed());
            let wanted = _mm_shuffle_epi8(bits, _mm_and_si128(lowest, _mm_set1_epi8(7)));
            let missing = _mm_cvtsi128_si64(_mm_andnot_si128(found, wanted)).cast_unsigned();
            _bzhi_u64(missing, 8 * count) == 0
        }
    }

    /// Transposes vectors that hold the same bytes of each key: word `i` of all keys goes to vector `i`.
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

    /// Returns the 16 bytes of a key from `from` on, in the form of [`Lanes::words`].
    #[inline(always)]
    pub(super) fn step<const WHOLE: bool>(self, key: &[u8], from: usize) -> __m128i {
        if WHOLE {
            let step: &[u8] = &key[from..from + 16];
            // SAFETY: see the type; the slice has the length of a vector.
            return unsafe { _mm_loadu_si128(step.as_ptr().cast()) };
        }
        // The end of the key, not an empty slice elsewhere: even under an empty mask, an address without memory costs
        // time.
        let rest = &key[from.min(key.len())..];
        // SAFETY: see the type; words are read under a mask of those that the slice has.
        unsafe {
            let mask = _mm256_castsi256_si128(self.word_mask((rest.len() / 4).min(4)));
            _mm_maskload_epi32(rest.as_ptr().cast(), mask)
        }
    }

    /// Returns the steps of the keys `i` and `i + 4`.
    #[inline(always)]
    fn row<const WHOLE: bool>(self, keys: &[&[u8]; 8], i: usize, from: usize) -> __m256i {
        let first = self.step::<WHOLE>(keys[i], from);
        let second = self.step::<WHOLE>(keys[i + 4], from);
        // SAFETY: see the type.
        unsafe { _mm256_set_m128i(second, first) }
    }

    /// Selects `high` where the highest bit of `choice` is set, `low` elsewhere.
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

    /// Returns the words of two vectors by the low three bits of these indices; `choice` selects the vector.
    #[inline(always)]
    fn of_pair(self, low: __m256i, high: __m256i, indices: __m256i, choice: __m256i) -> __m256i {
        // SAFETY: see the type.
        unsafe {
            let low = _mm256_permutevar8x32_epi32(low, indices);
            let high = _mm256_permutevar8x32_epi32(high, indices);
            self.chosen(low, high, choice)
        }
    }

    /// Sets all bits of the first `count` of 8 words.
    #[inline(always)]
    fn word_mask(self, count: usize) -> __m256i {
        let mask: &[u32; 8] = WORD_MASKS.as_flattened()[8 - count.min(8)..]
            .first_chunk()
            .expect("8 of 16 words");
        // SAFETY: see the type; the array has the length of a vector.
        unsafe { _mm256_loadu_si256(mask.as_ptr().cast()) }
    }
}

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
