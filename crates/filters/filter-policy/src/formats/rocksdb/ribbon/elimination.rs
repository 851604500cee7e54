//! Building: Gaussian elimination as equations are added, then back substitution from the last slot.
#![allow(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "lengths were checked before, and the lowest bits are meant"
)]

use super::definition::{Equation, MAX_COLUMNS, SPREAD, Shape, WIDTH, Word, used_seed};
use crate::simd::choose::KernelToken;
use crate::simd::compile::by_kernel;
use crate::simd::lanes::Target;

/// The number of rows from which they are prefetched before use: a quarter of a megabyte.
const PREFETCHED_ROWS: usize = (1 << 18) / size_of::<EchelonRow>();

/// The number of equations between the prefetch of the first row and its use.
const AHEAD: usize = 16;

/// The number of equations that are eliminated side by side.
const SIDE_BY_SIDE: usize = 4;

/// The number of columns that are solved together.
const TOGETHER: usize = 4;

/// A row of the system in row echelon form, at the index of the first slot that it uses; all zeros if empty.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(32))]
pub(crate) struct EchelonRow {
    low: u64,
    high: u64,
    result: u32,
}

/// The number of slots from which [`eliminate`] gains more than [`sort`] takes.
///
/// 1 M keys took 97 ns each, and then 18 after 26; 100,000 keys 34, and then 23 after 27 (AMD Zen 3).
pub(crate) const SORTED_SLOTS: usize = 1_000_000;

/// Sorts hash values so that their equations under a stored seed are eliminated from the last slots to the first, in rows that
/// are still in the cache. The solution does not depend on the order.
pub(crate) fn sort(seed: u8, hashes: &mut [u64]) {
    let seed = used_seed(seed);
    // Equations of larger spread values start at the same slots or later ones.
    hashes.sort_unstable_by_key(|&hash| !(hash ^ seed).wrapping_mul(SPREAD));
}

/// Adds the equations of these hash values under a stored seed to empty rows, one for each slot of the shape. Returns
/// false if the equations contradict each other; the caller then empties the rows and tries another seed.
pub(crate) fn eliminate(kernel: KernelToken, rows: &mut [EchelonRow], seed: u8, hashes: &[u64]) -> bool {
    let seed = used_seed(seed);
    by_kernel!(
        |lanes, rows: &mut [EchelonRow], seed: u64, hashes: &[u64]| -> bool {
            eliminate_by(lanes, rows, seed, hashes)
        },
        kernel
    )
}

/// Writes the solution of the rows; `words` has as many as the shape. Slots without an equation are zeros.
pub(crate) fn solve(kernel: KernelToken, rows: &[EchelonRow], shape: Shape, words: &mut [Word]) {
    by_kernel!(
        |lanes, rows: &[EchelonRow], shape: Shape, words: &mut [Word]| -> () {
            solve_by(lanes, rows, shape, words);
        },
        kernel
    );
}

/// Each equation waits for a row at every step, so several go side by side. Their order does not matter: which rows are
/// filled, and the solution, depend on the set of equations alone.
#[inline(always)]
fn eliminate_by<L: Target>(lanes: L, rows: &mut [EchelonRow], used_seed: u64, hashes: &[u64]) -> bool {
    let Some(starts) = rows.len().checked_sub(WIDTH as usize - 1) else {
        return hashes.is_empty();
    };
    let equation = |&hash: &u64| Equation::new(hash, used_seed, starts as u32);
    let Some((first, others)) = hashes.split_first_chunk::<SIDE_BY_SIDE>() else {
        return hashes.iter().all(|hash| finish(rows, equation(hash)));
    };
    let ahead = if rows.len() < PREFETCHED_ROWS {
        others.len()
    } else {
        AHEAD
    };
    let (mut others, mut later) = (others.iter(), others.iter().skip(ahead));
    let mut open = first.each_ref().map(equation);
    loop {
        for place in 0..SIDE_BY_SIDE {
            match step(rows, &mut open[place]) {
                Step::Left => continue,
                Step::Contradicts => return false,
                Step::Done => {}
            }
            if let Some(hash) = later.next() {
                lanes.prefetch::<true, _>(rows, equation(hash).start);
            }
            let Some(hash) = others.next() else {
                let mut open = open.into_iter().enumerate();
                return open.all(|(other, open)| other == place || finish(rows, open));
            };
            open[place] = equation(hash);
        }
    }
}

/// The state of an equation after a step.
enum Step {
    Left,
    Done,
    Contradicts,
}

/// Stores the equation in its first row if that is empty, or subtracts the row. If no coefficients are left, the result
/// must be zero too.
#[inline(always)]
fn step(rows: &mut [EchelonRow], open: &mut Equation) -> Step {
    // Always a row: an equation has no coefficients beyond the last slot.
    let Some(row) = rows.get_mut(open.start) else {
        return Step::Contradicts;
    };
    // The first coefficient of every stored row is set.
    if row.low == 0 {
        let Equation {
            low, high, result, ..
        } = *open;
        *row = EchelonRow { low, high, result };
        return Step::Done;
    }
    let (mut low, mut high) = (open.low ^ row.low, open.high ^ row.high);
    open.result ^= row.result;
    if low == 0 {
        if high == 0 {
            return if open.result == 0 {
                Step::Done
            } else {
                Step::Contradicts
            };
        }
        (low, high) = (high, 0);
        open.start += 64;
    }
    let zeros = low.trailing_zeros();
    open.low = low >> zeros | high << 1 << (63 - zeros);
    open.high = high >> zeros;
    open.start += zeros as usize;
    Step::Left
}

/// Takes all steps of an equation; returns false if it contradicts the rows.
fn finish(rows: &mut [EchelonRow], mut open: Equation) -> bool {
    loop {
        match step(rows, &mut open) {
            Step::Left => {}
            Step::Done => return true,
            Step::Contradicts => return false,
        }
    }
}

/// Substitutes from the last slot to the first. A state has the 128 slots of a column that were solved last; the lowest
/// bit is the most recent one.
#[inline(always)]
fn solve_by<L: Target>(lanes: L, rows: &[EchelonRow], shape: Shape, mut words: &mut [Word]) {
    let mut states = [[0; 2]; MAX_COLUMNS as usize];
    let blocks = rows.as_chunks::<{ WIDTH as usize }>().0;
    for (block, rows) in (0..shape.blocks).zip(blocks).rev() {
        let columns = shape.words_of(block).1.min(states.len());
        let Some((before, own)) = words
            .len()
            .checked_sub(columns)
            .and_then(|at| words.split_at_mut_checked(at))
        else {
            return;
        };
        // As many columns as fit into registers, through all rows of the block.
        let (whole, rest) = states[..columns].as_chunks_mut::<TOGETHER>();
        let mut column = 0;
        for states in whole {
            substitute(lanes, states, rows, column);
            column += TOGETHER as u32;
        }
        if let Some(rest) = rest.first_chunk_mut::<3>() {
            substitute(lanes, rest, rows, column);
        } else if let Some(rest) = rest.first_chunk_mut::<2>() {
            substitute(lanes, rest, rows, column);
        } else if let Some(rest) = rest.first_chunk_mut::<1>() {
            substitute(lanes, rest, rows, column);
        }
        for (word, &[low, high]) in own.iter_mut().zip(&states) {
            *word = (low as u128 | (high as u128) << 64).to_le_bytes();
        }
        words = before;
    }
}

/// Solves for the slots of a block in columns from `column` on.
#[inline(always)]
fn substitute<L: Target, const N: usize>(
    lanes: L,
    states: &mut [[u64; 2]; N],
    rows: &[EchelonRow; WIDTH as usize],
    column: u32,
) {
    let mut now = *states;
    for row in rows.iter().rev() {
        // Without the coefficient of the slot itself.
        let (row_low, row_high) = (row.low >> 1 | row.high << 63, row.high >> 1);
        let result = row.result >> column;
        for (i, [low, high]) in now.iter_mut().enumerate() {
            let sum = lanes.count_ones(*low & row_low ^ *high & row_high);
            *high = *high << 1 | *low >> 63;
            *low = *low << 1 | u64::from((sum ^ result >> i) & 1);
        }
    }
    *states = now;
}
