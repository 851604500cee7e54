//! Mixing of the bits of a key: avalanche and independence of output bits (Webster and Tavares, "On the Design of
//! S-Boxes", CRYPTO '85), with random keys.
//!
//! With an ideal function all flips of one key are independent fair coins, even across input bits: the values of the
//! changed keys are independent of each other and of the original value. So the cells of avalanche are independent, and
//! the cells of independence are pairwise independent, as the variance of the sum requires. Repeated keys are too rare
//! to matter: among 2,048 keys of four bytes with one bit flipped, one time in sixty.

use crate::functions::Function;
use crate::questions::mixing::flips::Trials;
use crate::questions::{AvalancheRow, MixingRow};
use crate::record::BitTest;
use statistics::correction::{FAMILY_LEVEL, bonferroni};
use statistics::{binomial, chi_square};

/// Tested key lengths, bytes.
pub const KEY_BYTES: [u32; 4] = [4, 8, 16, 32];

/// The key length whose avalanche cells are all recorded, bytes.
pub(super) const RECORDED_BYTES: u32 = 8;

/// The lengths of keys in bytes, and the number of keys of each length in units of 64.
pub type Effort<'a> = (&'a [u32], usize);

/// The effort of a run: 2,048 keys of each of [`KEY_BYTES`].
pub const EFFORT: Effort<'static> = (&KEY_BYTES, 32);

/// The mixing results of one function.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mixing {
    /// Every avalanche cell at `RECORDED_BYTES`, for the compared output bits only.
    pub avalanche: Vec<AvalancheRow>,
    /// One row of avalanche and one of independence for each length, over all output bits.
    pub rows: Vec<MixingRow>,
}

/// Measures one function. The keys depend only on `seed` and their length. `p_adjusted` of the rows is 1 until all rows
/// are judged.
pub fn measure(function: &Function, seed: u64, (lengths, blocks): Effort<'_>) -> Mixing {
    let mut mixing = Mixing::default();
    let bits = function.facts.output_bits;
    for &key_bytes in lengths {
        let trials = Trials::new(function, key_bytes, blocks, seed);
        let count = trials.count();
        let pairs = bits * (bits - 1) / 2;
        let mut avalanche = Tally::new(count, u64::from(trials.input_bits() * bits));
        let mut independence = Tally::new(count, u64::from(trials.input_bits() * pairs));
        for input_bit in 0..trials.input_bits() {
            let flips = trials.flip(input_bit);
            for (output_bit, flips) in (0..).zip(flips.counts()) {
                avalanche.add(flips, (input_bit, output_bit, None));
                if key_bytes == RECORDED_BYTES && output_bit < function.facts.bits {
                    mixing.avalanche.push(AvalancheRow {
                        function: function.facts.name.clone(),
                        key_bytes,
                        input_bit,
                        output_bit,
                        flips,
                        trials: count,
                    });
                }
            }
            for ((lower, higher), agree) in flips.agreements() {
                independence.add(agree, (input_bit, lower, Some(higher)));
            }
        }
        for (test, tally) in [
            (BitTest::Avalanche, avalanche),
            (BitTest::Independence, independence),
        ] {
            mixing.rows.extend(tally.row(function, test, key_bytes));
        }
    }
    mixing
}

/// Returns the greatest probability that `p_worst` of a random function's `cells` cells is below 1 %. Counts are whole
/// numbers, so this probability is below 1 % too.
pub fn attainable_worst(trials: u64, cells: u64) -> f64 {
    off_from(trials, cells).map_or(0.0, |distance| p_worst(distance, trials, cells))
}

/// Returns the least distance from the middle, doubled, that makes one of `cells` cells off, or `None` if none does.
fn off_from(trials: u64, cells: u64) -> Option<u64> {
    // The distance has the parity of the number of trials, which is even.
    (0..=trials)
        .step_by(2)
        .find(|&distance| p_worst(distance, trials, cells) < FAMILY_LEVEL)
}

/// Returns the p-value of the furthest of `cells` cells.
fn p_worst(distance: u64, trials: u64, cells: u64) -> f64 {
    bonferroni(two_sided_p(distance, trials), cells as usize)
}

/// Input bit, output bit, and the other output bit.
type Cell = (u32, u32, Option<u32>);

/// Running counts of the cells of a row.
#[derive(Debug)]
struct Tally {
    trials: u64,
    cells: u64,
    /// The least distance from the middle, doubled, that makes a cell off.
    off_from: u64,
    off: u64,
    squares: u64,
    /// Distance from the middle, doubled; the count; the cell.
    worst: Option<(u64, u64, Cell)>,
}

impl Tally {
    fn new(trials: u64, cells: u64) -> Self {
        Self {
            trials,
            cells,
            off_from: off_from(trials, cells).unwrap_or(u64::MAX),
            off: 0,
            squares: 0,
            worst: None,
        }
    }

    fn add(&mut self, count: u64, cell: Cell) {
        let distance = (2 * count).abs_diff(self.trials);
        self.squares += distance * distance;
        self.off += u64::from(distance >= self.off_from);
        if self.worst.is_none_or(|(worst, ..)| distance > worst) {
            self.worst = Some((distance, count, cell));
        }
    }

    /// Returns the row, or `None` without a cell.
    fn row(self, function: &Function, test: BitTest, key_bytes: u32) -> Option<MixingRow> {
        let (distance, worst_count, (worst_input_bit, worst_output_bit, worst_other_bit)) = self.worst?;
        let chi_square = self.squares as f64 / self.trials as f64;
        let level = 1.0 - FAMILY_LEVEL / self.cells as f64;
        let (worst_low, worst_high) = binomial::proportion_interval(worst_count, self.trials, level);
        Some(MixingRow {
            function: function.facts.name.clone(),
            test,
            key_bytes,
            trials: self.trials,
            cells: self.cells,
            chi_square,
            p_overall: chi_square::upper_tail(chi_square, self.cells),
            worst_input_bit,
            worst_output_bit,
            worst_other_bit,
            worst_count,
            worst_low,
            worst_high,
            p_worst: p_worst(distance, self.trials, self.cells),
            off_cells: self.off,
            p_adjusted: 1.0,
        })
    }
}

/// Returns the probability that a count of fair coins is at least `distance / 2` off its middle.
fn two_sided_p(distance: u64, trials: u64) -> f64 {
    let count = (trials + distance) / 2;
    (2.0 * binomial::at_least(count as f64, trials as f64, 0.5)).min(1.0)
}
