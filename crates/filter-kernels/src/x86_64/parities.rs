//! Parities of eight rows: four vectors of each side.

use core::arch::x86_64::*;

use crate::lanes::compiled;

/// The maximum number of columns.
const COLUMNS: usize = 8;

compiled! { avx2
/// [`Target::parities`](crate::lanes::Target::parities).
#[inline]
pub(super) fn parities(first: &[[u8; 16]], second: &[[u8; 16]], [here, next]: [u128; 2]) -> u32 {
    /// From each place on, as many lanes to read as halves of words are left.
    const LIVE: [i64; 4 * COLUMNS] = {
        let mut live = [0; 4 * COLUMNS];
        let mut i = 0;
        while i < 2 * COLUMNS {
            live[i] = -1;
            i += 1;
        }
        live
    };
    let columns = first.len().min(second.len()).min(COLUMNS);
    let coefficients = |word: u128| {
        let halves = _mm_set_epi64x((word >> 64) as i64, word as i64);
        _mm256_broadcastsi128_si256(halves)
    };
    let (here, next) = (coefficients(here), coefficients(next));
    // The selected bits of two columns.
    let selected = |from: usize| {
        // SAFETY: the start is at most 4 * COLUMNS - 4, so four lanes follow; under the mask, only words of the slices are read.
        let (first, second) = unsafe {
            let live = _mm256_loadu_si256(LIVE.as_ptr().add(2 * (COLUMNS - columns + from)).cast());
            (
                _mm256_maskload_epi64(first.as_ptr().wrapping_add(from).cast(), live),
                _mm256_maskload_epi64(second.as_ptr().wrapping_add(from).cast(), live),
            )
        };
        _mm256_xor_si256(_mm256_and_si256(first, here), _mm256_and_si256(second, next))
    };
    // The sums of four columns' halves, in the order of the columns 0, 2, 1 and 3, gather in the upper halves.
    let halves = |from| {
        let (a, b) = (selected(from), selected(from + 2));
        let sum = _mm256_xor_si256(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
        _mm256_castsi256_ps(_mm256_xor_si256(sum, _mm256_slli_epi64::<32>(sum)))
    };
    let both = _mm256_shuffle_ps::<0b11_01_11_01>(halves(0), halves(4));
    let sum = _mm256_permutevar8x32_epi32(
        _mm256_castps_si256(both),
        _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7),
    );
    odd_lanes(sum)
}
}

compiled! { avx2
/// Returns whether the bits of each lane are odd in number.
#[inline]
fn odd_lanes(sum: __m256i) -> u32 {
    // The sum of a lane's bits gathers in its highest.
    let sum = _mm256_xor_si256(sum, _mm256_slli_epi32::<16>(sum));
    let sum = _mm256_xor_si256(sum, _mm256_slli_epi32::<8>(sum));
    let sum = _mm256_xor_si256(sum, _mm256_slli_epi32::<4>(sum));
    let sum = _mm256_xor_si256(sum, _mm256_slli_epi32::<2>(sum));
    let sum = _mm256_xor_si256(sum, _mm256_slli_epi32::<1>(sum));
    _mm256_movemask_ps(_mm256_castsi256_ps(sum)).cast_unsigned()
}
}
