//! Mixing of the bits of a key: avalanche and independence of output bits (Webster and Tavares, "On the Design of
//! S-Boxes", CRYPTO '85), with random keys.
//!
//! With an ideal function all flips of one key are independent fair coins, even across input bits: the values of the
//! changed keys are independent of each other and of the original value. So the cells of avalanche are independent, and
//! the cells of independence are pairwise independent, as the variance of the sum requires. Repeated keys are too rare
//! to matter: among 2,048 keys of four bytes with one bit flipped, one time in sixty.

use crate::functions::Function;
use crate::questions::mixing::flips::Trials;
use crate::questions::{AvalancheRow, MixingRow, MixingTest};
use statistics::correction::{FAMILY_LEVEL, bonferroni};
use statistics::{binomial, chi_square};

/// Tested key lengths, bytes.
pub const KEY_BYTES: [u32; 4] = [4, 8, 16, 32];

/// The key length whose avalanche cells are all recorded, bytes.
pub(super) const RECORDED_BYTES: u32 = 8;

/// The amount of testing.
#[derive(Debug, Clone, Copy)]
pub struct Effort<'a> {
    /// Key lengths, bytes.
    pub key_bytes: &'a [u32],
    /// Keys of each length, in units of 64.
    pub blocks: usize,
}

impl Effort<'static> {
    /// The effort of a run: 2,048 keys of each of [`KEY_BYTES`].
    pub const RUN: Self = Self {
        key_bytes: &KEY_BYTES,
        blocks: 32,
    };
}

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
pub fn measure(function: &Function, seed: u64, effort: Effort<'_>) -> Mixing {
    let mut mixing = Mixing::default();
    let bits = function.output_bits;
    for &key_bytes in effort.key_bytes {
        let trials = Trials::new(function, key_bytes, effort.blocks, seed);
        let count = trials.count();
        let pairs = bits * (bits - 1) / 2;
        let mut avalanche = Tally::new(count, u64::from(trials.input_bits() * bits));
        let mut independence = Tally::new(count, u64::from(trials.input_bits() * pairs));
        for input_bit in 0..trials.input_bits() {
            let flips = trials.flip(input_bit);
            for (output_bit, flips) in (0..).zip(flips.counts()) {
                avalanche.add(flips, (input_bit, output_bit, None));
                if key_bytes == RECORDED_BYTES && output_bit < function.compared_bits() {
                    mixing.avalanche.push(AvalancheRow {
                        function: function.name.to_owned(),
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
            (MixingTest::Avalanche, avalanche),
            (MixingTest::Independence, independence),
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
    fn row(self, function: &Function, test: MixingTest, key_bytes: u32) -> Option<MixingRow> {
        let (distance, worst_count, (worst_input_bit, worst_output_bit, worst_other_bit)) = self.worst?;
        let chi_square = self.squares as f64 / self.trials as f64;
        let level = 1.0 - FAMILY_LEVEL / self.cells as f64;
        let (worst_low, worst_high) = binomial::proportion_interval(worst_count, self.trials, level);
        Some(MixingRow {
            function: function.name.to_owned(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions;

    const LITTLE: Effort<'static> = Effort {
        key_bytes: &[4, 8],
        blocks: 4,
    };

    fn rows(hash: fn(&[u8]) -> u64, output_bits: u32) -> Vec<MixingRow> {
        measure(&Function::custom("f", output_bits, hash, &[]), 1, LITTLE).rows
    }

    fn worst(row: &MixingRow) -> (u32, u32, Option<u32>, u64) {
        let (input, output) = (row.worst_input_bit, row.worst_output_bit);
        (input, output, row.worst_other_bit, row.worst_count)
    }

    #[test]
    fn a_function_that_copies_its_key_fails_in_every_cell() {
        let rows = rows(
            |key| u64::from(u32::from_le_bytes(key[..4].try_into().unwrap())),
            32,
        );
        let [avalanche, independence, ..] = &rows[..] else {
            panic!("{rows:?}");
        };
        assert_eq!(
            (avalanche.test, avalanche.key_bytes, avalanche.trials),
            (MixingTest::Avalanche, 4, 256)
        );
        assert_eq!((avalanche.cells, avalanche.off_cells), (1024, 1024));
        // Every cell is 0 or all: 256 for each.
        assert_eq!(avalanche.chi_square, 1024.0 * 256.0);
        assert_eq!(worst(avalanche), (0, 0, None, 256));
        // For 256 of 256, the interval ends at the share that gives this count once in 2 * 102,400 times.
        let low = (0.005_f64 / 1024.0).powf(1.0 / 256.0);
        assert!(
            (avalanche.worst_low / low - 1.0).abs() < 1e-9 && avalanche.worst_high == 1.0,
            "{avalanche:?}"
        );
        assert_eq!(
            (independence.test, independence.cells),
            (MixingTest::Independence, 32 * 496)
        );
        assert_eq!(independence.off_cells, independence.cells);
        // Flipping bit 0 flips output bit 0 only, so it never agrees with bit 1.
        assert_eq!(worst(independence), (0, 0, Some(1), 0));
        assert!(rows.iter().all(|row| row.p_worst == 0.0 || row.p_overall == 0.0));
    }

    #[test]
    fn two_equal_bits_fail_independence_alone_and_one_bit_has_no_pairs() {
        let equal = |key: &[u8]| {
            let value = (functions::find("XXH3").unwrap().hash)(key) & 0x7fff_ffff;
            value | (value & 1) << 31
        };
        for pair in rows(equal, 32).chunks(2) {
            assert!(pair[0].p_overall.min(pair[0].p_worst) > 0.01, "{pair:?}");
            let (_, one, other, count) = worst(&pair[1]);
            assert_eq!((one, other, count), (0, Some(31), 256));
            assert_eq!(pair[1].off_cells, u64::from(pair[1].key_bytes) * 8);
            assert!(pair[1].p_worst < 1e-60);
        }
        let one_bit = rows(|key| u64::from(key[0] & 1), 1);
        assert!(one_bit.iter().map(|row| row.test).eq([MixingTest::Avalanche; 2]));
    }
}
