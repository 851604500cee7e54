//! AVX-512: 16 lanes, masked loads, and tables of 256 bytes in registers.
//!
//! Uses the subsets F, BW, DQ and VL, which every processor with AVX-512 has except the first, Xeon Phi.

mod lanes;
mod lanes64;

use core::arch::x86_64::*;

use super::single::bytes_at;
use super::{Avx2, Avx512};
use crate::bits::in_registers;
use crate::lanes::{Lanes, Target};

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
