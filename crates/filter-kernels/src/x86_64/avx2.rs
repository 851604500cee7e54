//! AVX2: 8 lanes, and tables of 128 bytes in registers.

mod lanes;
mod lanes64;
mod parities;

use core::arch::x86_64::*;

pub(super) use parities::parities;

use super::Avx2;
use super::single::bytes_at;
use crate::bits::halves;
use crate::lanes::Lanes;

/// Masks for loads of 0 to 8 words: the vector that starts at word `8 - n` has its first `n` words set.
static WORD_MASKS: [[u32; 8]; 2] = [[u32::MAX; 8], [0; 8]];

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
