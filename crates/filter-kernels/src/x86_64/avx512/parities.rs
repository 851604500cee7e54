//! Parities of eight rows: two vectors of each side.

use core::arch::x86_64::*;

use super::super::avx2::odd_lanes;
use crate::lanes::compiled;

/// The maximum number of columns.
const COLUMNS: usize = 8;

compiled! { avx512
/// [`Target::parities`](crate::lanes::Target::parities).
#[inline]
pub(crate) fn parities(first: &[[u8; 16]], second: &[[u8; 16]], [here, next]: [u128; 2]) -> u32 {
    // Two halves of a word for each column.
    let live = _bzhi_u32(0xffff, 2 * first.len().min(second.len()) as u32);
    let (low, high) = (live as __mmask8, (live >> 8) as __mmask8);
    let coefficients = |word: u128| {
        let halves = _mm_set_epi64x((word >> 64) as i64, word as i64);
        _mm512_broadcast_i64x2(halves)
    };
    let (here, next) = (coefficients(here), coefficients(next));
    let selected = |live, from| {
        // SAFETY: under the mask, only words of the slices are read.
        let (first, second) = unsafe {
            (
                _mm512_maskz_loadu_epi64(live, first.as_ptr().wrapping_add(from).cast()),
                _mm512_maskz_loadu_epi64(live, second.as_ptr().wrapping_add(from).cast()),
            )
        };
        _mm512_xor_si512(_mm512_and_si512(first, here), _mm512_and_si512(second, next))
    };
    let (a, b) = (selected(low, 0), selected(high, COLUMNS / 2));
    let lower = _mm512_permutex2var_epi64(a, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), b);
    let upper = _mm512_permutex2var_epi64(a, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), b);
    let sum = _mm512_xor_si512(lower, upper);
    odd_lanes(_mm512_cvtepi64_epi32(_mm512_xor_si512(sum, _mm512_srli_epi64::<32>(sum))))
}
}
