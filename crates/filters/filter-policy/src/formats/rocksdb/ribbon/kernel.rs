//! Queries for two columns at once.
#![allow(
    unsafe_code,
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "lengths were checked before, and the lowest bits are meant"
)]

use super::definition::{Equation, Word};
use crate::simd::lanes::Target;

/// The number of columns that are compared before an exit, if they are summed one by one.
pub(super) const COMPARED: usize = 2;

/// [`Equation::holds`], two columns at once. The words are those of the two blocks from the one on in which it
/// starts, of this many columns, and two more.
#[inline(always)]
pub(super) fn holds_by_two<L: Target>(lanes: L, words: &[Word], columns: usize, equation: Equation) -> bool {
    assert!(words.len() == 2 * columns + COMPARED, "two blocks and two words");
    // The coefficients as three words of 64 slots, from the first that they reach on.
    let shift = equation.start as u32 % 64;
    let masks = [
        equation.low << shift,
        equation.high << shift | equation.low >> 1 >> (63 - shift),
        equation.high >> 1 >> (63 - shift),
    ];
    // The places of these three in the first column.
    let (half, next) = (equation.start / 64 % 2, 2 * columns);
    let places = [half, if half == 0 { 1 } else { next }, next + half];
    let (halves, result) = (words.as_flattened().as_chunks::<8>().0, equation.result);
    // Two columns at a time: an exit after one column would be mispredicted for half of the absent keys.
    let mut column = 0;
    while column + COMPARED <= columns {
        // SAFETY: the last place is in the second block, at most `2 * columns + 1`; the words are those of two blocks
        // and `COMPARED` more.
        let wrong = unsafe { wrong(lanes, halves, places, masks, result, column) };
        if wrong & ((1 << COMPARED) - 1) != 0 {
            return false;
        }
        column += COMPARED;
    }
    if column == columns {
        return true;
    }
    // SAFETY: as above. Words after the last column belong to the next block.
    let wrong = unsafe { wrong(lanes, halves, places, masks, result, column) };
    wrong & ((1 << (columns - column)) - 1) == 0
}

/// Returns which of the next columns' sums are not the result's. The places are those of three halves of words in the
/// first column, and the masks select bits of them.
///
/// # Safety
///
/// There are words at the places in all of these columns.
#[inline(always)]
unsafe fn wrong<L: Target>(
    lanes: L,
    halves: &[[u8; 8]],
    places: [usize; 3],
    masks: [u64; 3],
    result: u32,
    column: usize,
) -> u32 {
    let mut sums = 0;
    for i in 0..COMPARED {
        let mut sum = 0;
        for (place, mask) in places.into_iter().zip(masks) {
            // SAFETY: guaranteed by the caller.
            let half = unsafe { *halves.get_unchecked(place + 2 * (column + i)) };
            sum ^= u64::from_le_bytes(half) & mask;
        }
        sums |= (lanes.count_ones(sum) & 1) << i;
    }
    sums ^ result >> column
}
