//! Solves the system: Gaussian elimination as equations are added, then back substitution from the last slot.

use alloc::vec::Vec;

use filter_policy::Error;

use super::equation::{Equation, WIDTH, used_seed};
use super::sizing::Shape;

/// A row of the system in row echelon form, stored at the index of the first slot that it uses.
#[derive(Clone, Copy, Default)]
struct Row {
    /// 0 in an empty row.
    coefficients: u128,
    result: u32,
}

/// The system of a key set's equations.
pub(crate) struct Banding {
    shape: Shape,
    rows: Vec<Row>,
}

impl Banding {
    /// Makes an empty system.
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

    /// Adds the equations of these hash values under a stored seed. Returns false if the equations contradict each
    /// other; the caller must then try another seed.
    pub(crate) fn put_in(&mut self, hashes: &[u64], seed: u8) -> bool {
        self.rows.fill(Row::default());
        let (used_seed, starts) = (used_seed(seed), self.shape.starts());
        hashes
            .iter()
            .all(|&hash| add(&mut self.rows, Equation::new(hash, used_seed, starts)))
    }

    /// Writes the solution, 16 bytes for each column of each block; `out` has room for the shape's words.
    ///
    /// Slots without an equation are zeros.
    pub(crate) fn solve_into(&self, out: &mut [u8]) {
        let (mut words, _) = out.as_chunks_mut::<16>();
        // For each column, the 128 slots solved last; the lowest bit is the most recent one.
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

/// Adds an equation: eliminates it with the existing rows and stores the rest in the first empty row. If no
/// coefficients are left, the result must be zero too.
fn add(rows: &mut [Row], equation: Equation) -> bool {
    let mut at = equation.start as usize;
    let mut left = Row {
        coefficients: equation.coefficients,
        result: equation.result,
    };
    // Always a row: an equation has no coefficients beyond the last slot.
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

/// Solves for the row's own slot in each column.
#[inline]
fn substitute(states: &mut [u128], row: Row) {
    for (column, state) in (0_u32..).zip(states) {
        let shifted = *state << 1;
        let sum = (shifted & row.coefficients).count_ones() & 1;
        *state = shifted | u128::from(sum ^ row.result >> column & 1);
    }
}
