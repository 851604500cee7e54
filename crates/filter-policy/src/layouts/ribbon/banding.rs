//! Solves the system: Gaussian elimination as the equations come, then substitution from the last slot.

use alloc::vec::Vec;

use super::equation::{Equation, WIDTH, used_seed};
use super::sizing::Shape;
use crate::error::Error;

/// One row of the system in row echelon form: of its slots the first is its own.
#[derive(Clone, Copy, Default)]
struct Row {
    /// 0 in a row that no equation came to.
    coefficients: u128,
    result: u32,
}

/// The system of some keys' equations.
pub(crate) struct Banding {
    shape: Shape,
    rows: Vec<Row>,
}

impl Banding {
    /// An empty system.
    ///
    /// # Errors
    ///
    /// [`Error::AllocationFailed`].
    pub(crate) fn new(shape: Shape) -> Result<Self, Error> {
        let slots = shape.slots() as usize;
        let mut rows = Vec::new();
        rows.try_reserve_exact(slots)
            .map_err(|_| Error::AllocationFailed {
                bytes: slots.saturating_mul(size_of::<Row>()),
            })?;
        rows.resize(slots, Row::default());
        Ok(Self { shape, rows })
    }

    /// Puts the equations of these hash values in, under a stored seed. `false` when they contradict each other: then
    /// another seed has to be tried.
    pub(crate) fn put_in(&mut self, hashes: &[u64], seed: u8) -> bool {
        self.rows.fill(Row::default());
        let (used_seed, starts) = (used_seed(seed), self.shape.starts());
        hashes
            .iter()
            .all(|&hash| add(&mut self.rows, Equation::new(hash, used_seed, starts)))
    }

    /// Writes the solution, 16 bytes for each column of each block; `out` has room for the shape's words.
    ///
    /// Slots that no equation is about are zeros.
    pub(crate) fn solve_into(&self, out: &mut [u8]) {
        let (mut words, _) = out.as_chunks_mut::<16>();
        // Of each column the 128 slots that were solved last, the lowest bit being the last of them.
        let mut states = [0_u128; u32::BITS as usize];
        let blocks = self.rows.chunks_exact(WIDTH as usize);
        for (block, rows) in (0..self.shape.blocks).zip(blocks).rev() {
            let columns = self.shape.columns_of(block) as usize;
            let Some(states) = states.get_mut(..columns) else {
                return;
            };
            for row in rows.iter().rev() {
                substitute(states, *row);
            }
            let Some((before, own)) = words
                .len()
                .checked_sub(columns)
                .and_then(|at| words.split_at_mut_checked(at))
            else {
                return;
            };
            for (word, state) in own.iter_mut().zip(states) {
                *word = state.to_le_bytes();
            }
            words = before;
        }
    }
}

/// Adds an equation. What is left of it when the rows that are there are taken out goes into the first empty one;
/// where nothing is left on one side, nothing may be left on the other.
fn add(rows: &mut [Row], equation: Equation) -> bool {
    let mut at = equation.start as usize;
    let mut left = Row {
        coefficients: equation.coefficients,
        result: equation.result,
    };
    // Always a row: an equation has coefficients up to the last slot at most.
    while let Some(row) = rows.get_mut(at) {
        if row.coefficients == 0 {
            *row = left;
            return true;
        }
        left.coefficients ^= row.coefficients;
        left.result ^= row.result;
        if left.coefficients == 0 {
            return left.result == 0;
        }
        let zeros = left.coefficients.trailing_zeros();
        left.coefficients >>= zeros;
        at += zeros as usize;
    }
    false
}

/// Finds the value of a row's own slot in each column.
#[inline]
fn substitute(states: &mut [u128], row: Row) {
    for (column, state) in (0_u32..).zip(states) {
        let shifted = *state << 1;
        let sum = (shifted & row.coefficients).count_ones() & 1;
        *state = shifted | u128::from(sum ^ row.result >> column & 1);
    }
}
