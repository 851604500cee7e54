//! Mixing of the bits of a key: avalanche, and independence of output bits.

mod chart;
mod flips;
mod measure;
mod tables;
mod verdict;

use rayon::prelude::*;

use super::{ChartKind, Measure, Of, Question, Section};
use crate::record::{BitTest, rows};
use terminal::progress::{Cancelled, go_on};

pub use self::measure::{EFFORT, Effort, KEY_BYTES, Mixing, attainable_worst, measure};
pub use self::verdict::{failed, judge};

rows! {
    /// A row of `avalanche.csv`: the number of times that flipping one bit of a key flips one bit of the value.
    ///
    /// The file has the keys of eight bytes and the output bits that are compared elsewhere, at most 32; `mixing.csv`
    /// sums up the other lengths and all output bits.
    pub struct AvalancheRow: [] {
        /// Length of the keys.
        pub key_bytes: u32,
        /// Index of the key bit: eight times the index of its byte, plus its place in the byte, 0 the lowest.
        pub input_bit: u32,
        /// Index of the output bit, 0 the lowest.
        pub output_bit: u32,
        /// Number of trials in which the output bit flipped.
        pub flips: u64,
        /// Number of trials.
        pub trials: u64,
    }

    /// A row of `mixing.csv`: a test of all cells of one function at one key length.
    ///
    /// With an ideal function each cell is a count of fair coins, and any two cells are independent.
    pub struct MixingRow: [] {
        /// The test, which defines the cells. Of avalanche a cell is an input bit and an output bit, and counts the trials in which
        /// the output bit flipped; of independence it is an input bit and two output bits, and counts those in which both or
        /// neither flipped.
        pub test: BitTest,
        /// Length of the keys.
        pub key_bytes: u32,
        /// Number of keys, each of which is one trial of every cell.
        pub trials: u64,
        /// Number of cells, which is also the number of degrees of freedom.
        pub cells: u64,
        /// Sum over the cells of `(2 count - trials)^2 / trials`.
        pub chi_square: f64,
        /// Upper-tail p-value of `chi_square`.
        pub p_overall: f64,
        /// Input bit of the cell furthest from one half, the first of equal cells.
        pub worst_input_bit: u32,
        /// Output bit of that cell, the lower of two.
        pub worst_output_bit: u32,
        /// Other output bit of that cell, for independence only.
        pub worst_other_bit: Option<u32>,
        /// Count of that cell.
        pub worst_count: u64,
        /// Lower end of the interval for that cell's share of the trials, of 99 % for all cells of the row together.
        pub worst_low: f64,
        /// Upper end of that interval.
        pub worst_high: f64,
        /// Two-sided binomial p-value of that cell, corrected for the number of cells.
        pub p_worst: f64,
        /// Number of cells that are off one half at 1 % after correction for the number of cells.
        pub off_cells: u64,
        /// Twice the lesser of `p_overall` and `p_worst`, corrected for the number of rows in the file (Bonferroni).
        pub p_adjusted: f64,
    }
}

pub(super) const QUESTION: Question = Question {
    measure: Measure::Functions(|functions, progress, records| {
        progress.begin("mixing of bits", functions.len() as u64);
        let seed = records.run.seed;
        let part = |function: &&_| {
            go_on(progress)?;
            let mixing = measure(function, seed, EFFORT);
            progress.step();
            Ok(mixing)
        };
        let parts: Vec<Mixing> = functions.par_iter().map(part).collect::<Result<_, Cancelled>>()?;
        for part in parts {
            records.avalanche.extend(part.avalanche);
            records.mixing.extend(part.rows);
        }
        Ok(())
    }),
    judge: |records| judge(&mut records.mixing),
    facts: |records| verdict::facts(&records.mixing, &records.avalanche).collect(),
    sections: &[Section {
        title: "Single bits of random keys",
        id: Some("avalanche"),
        text: "Flipping one bit of a key should flip each bit of the hash for half of the keys, and any two bits \
               independently. “Never flips”: that key bit does not affect that output bit. A function with only “never” and \
               “always” is linear. For information only: neither the test results above nor the advice use it.",
        folded: true,
        charts: &[ChartKind::new("avalanche", Of::Run(chart::scene))],
        tables: Of::Run(tables::all),
    }],
    ..Question::NONE
};
