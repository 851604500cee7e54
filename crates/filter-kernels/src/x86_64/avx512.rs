//! AVX-512: 16 lanes, masked loads, and tables of 256 bytes in registers.
//!
//! Uses the subsets F, BW, DQ and VL, which every processor with AVX-512 has except the first, Xeon Phi.

mod lanes;
mod lanes64;
mod parities;

use core::arch::x86_64::*;

pub(super) use parities::parities;

use super::Avx512;
use super::single::bytes_at;
use crate::lanes::Lanes;

impl Avx512 {
    /// [`Lanes::all_set`], in half a vector.
    ///
    /// # Safety
    ///
    /// The positions are below the number of bits.
    #[inline(always)]
    unsafe fn all_of_8(self, bit_array: &[u8], mut positions: __m256i, count: u32) -> bool {
        let len = bit_array.len();
        // SAFETY: see the type; the positions are guaranteed by the caller.
        unsafe {
            let live = _bzhi_u32(0xff, count) as __mmask8;
            let wide = _mm512_castsi256_si512(positions);
            let words = if len <= 64 {
                self.table_words(&self.table::<1>(bit_array), wide)
            } else if len <= 128 {
                self.table_words(&self.table::<2>(bit_array), wide)
            } else if let (Some(first), Some(last), ..=192) =
                (bit_array.first_chunk::<128>(), bit_array.last_chunk::<64>(), len)
            {
                // Two vectors from the start on and one that ends with the array need no masks.
                let first: *const __m512i = first.as_ptr().cast();
                let behind = _mm256_cmpge_epu32_mask(positions, _mm256_set1_epi32(8 * 128));
                let gap = _mm256_set1_epi32((8 * (len - 64)) as i32);
                positions = _mm256_mask_sub_epi32(positions, behind, positions, gap);
                let indices = _mm512_castsi256_si512(_mm256_srli_epi32::<5>(positions));
                let (low, high) = (_mm512_loadu_si512(first), _mm512_loadu_si512(first.add(1)));
                let words = _mm512_permutex2var_epi32(low, indices, high);
                let last = _mm512_loadu_si512(last.as_ptr().cast());
                _mm512_mask_permutexvar_epi32(words, __mmask16::from(behind), indices, last)
            } else if len <= 256 {
                self.table_words(&self.table::<4>(bit_array), wide)
            } else {
                let bytes = bytes_at(bit_array, positions, count);
                // The lowest byte of each lane has the bit of its position modulo 8.
                let wanted = _mm256_rolv_epi32(_mm256_set1_epi32(0x0101_0101), positions);
                return _mm_testc_si128(bytes, _mm256_maskz_cvtepi32_epi8(live, wanted)) != 0;
            };
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

    /// Returns the 16 bytes of a key from `from` on, in the form of [`Lanes::words`].
    #[inline(always)]
    fn step<const WHOLE: bool>(self, key: &[u8], from: usize) -> __m128i {
        if WHOLE {
            let step: &[u8] = &key[from..from + 16];
            // SAFETY: see the type; the slice has the length of a vector.
            return unsafe { _mm_loadu_si128(step.as_ptr().cast()) };
        }
        // The end of the key, not an empty slice elsewhere: even under an empty mask, an address without memory costs
        // time.
        let rest = &key[from.min(key.len())..];
        let mask = (1_u8 << (rest.len() / 4).min(4)) - 1;
        // SAFETY: see the type; words are read under a mask of those that the slice has.
        unsafe { _mm_maskz_loadu_epi32(mask, rest.as_ptr().cast()) }
    }

    /// Returns the steps of the keys `i`, `i + 4`, `i + 8` and `i + 12`.
    #[inline(always)]
    fn row<const WHOLE: bool>(self, keys: &[&[u8]; 16], i: usize, from: usize) -> __m512i {
        self.four([
            self.step::<WHOLE>(keys[i], from),
            self.step::<WHOLE>(keys[i + 4], from),
            self.step::<WHOLE>(keys[i + 8], from),
            self.step::<WHOLE>(keys[i + 12], from),
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
