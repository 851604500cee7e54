//! Records of what a function does to single bits: windows of the output, avalanche, independence of output bits.

use super::stored;

stored! {
    /// Which bits of a value a window takes.
    pub enum WindowEnd {
        /// The lowest.
        Low,
        /// The highest of the function's own output.
        High,
        /// All that the function has.
        Full,
    }

    /// A row of `windows.csv`: collisions of a key set when only some bits of the values are looked at.
    pub struct WindowRow {
        /// Name of the dataset.
        pub dataset: String,
        /// Name of the function.
        pub function: String,
        /// Where the window lies.
        pub end: WindowEnd,
        /// How many bits it has.
        pub bits: u32,
        /// Distinct keys.
        pub keys: u64,
        /// Distinct keys minus distinct values of the window.
        pub collisions: u64,
        /// The same of a random function.
        pub expected: f64,
        /// Two-sided, of this one window.
        pub p_value: f64,
        /// Lower end of the 99 % interval for the mean number of collisions.
        pub ci_low: f64,
        /// Upper end of that interval.
        pub ci_high: f64,
        /// `p_value` corrected for the number of rows in the file (Bonferroni).
        pub p_adjusted: f64,
    }

    /// A row of `avalanche.csv`: how often turning over one bit of a key turns over one bit of the value.
    ///
    /// The file has the keys of eight bytes and the output bits that are compared elsewhere, at most 32; `mixing.csv`
    /// sums up the other lengths and all output bits.
    pub struct AvalancheRow {
        /// Name of the function.
        pub function: String,
        /// Length of the keys.
        pub key_bytes: u32,
        /// Which bit of the key: eight times the index of its byte, plus its place in the byte, 0 the lowest.
        pub input_bit: u32,
        /// Which bit of the value, 0 the lowest.
        pub output_bit: u32,
        /// In how many trials it was turned over.
        pub flips: u64,
        /// Number of trials.
        pub trials: u64,
    }

    /// What a row of `mixing.csv` sums up.
    pub enum MixingTest {
        /// A cell is an input bit and an output bit; it counts the trials in which the one turned over the other.
        Avalanche,
        /// A cell is an input bit and two output bits; it counts the trials in which both or neither were turned over.
        Independence,
    }

    /// A row of `mixing.csv`: a test of all cells of one function at one key length.
    ///
    /// With an ideal function each cell is a count of fair coins, and any two cells are independent.
    pub struct MixingRow {
        /// Name of the function.
        pub function: String,
        /// What a cell is.
        pub test: MixingTest,
        /// Length of the keys.
        pub key_bytes: u32,
        /// Keys, each of which is one trial of every cell.
        pub trials: u64,
        /// Number of cells, which is that of the degrees of freedom too.
        pub cells: u64,
        /// Sum over the cells of `(2 count - trials)^2 / trials`.
        pub chi_square: f64,
        /// Upper tail of that sum.
        pub p_overall: f64,
        /// Input bit of the cell furthest from one half, the first of equal ones.
        pub worst_input_bit: u32,
        /// Its output bit, the lower of two.
        pub worst_output_bit: u32,
        /// Its other output bit, of independence alone.
        pub worst_other_bit: Option<u32>,
        /// Its count.
        pub worst_count: u64,
        /// Lower end of the interval for its share of the trials, of 99 % for all cells of the row together.
        pub worst_low: f64,
        /// Upper end of that interval.
        pub worst_high: f64,
        /// Two-sided binomial, corrected for the number of cells.
        pub p_worst: f64,
        /// Cells that are off one half at 1 % after correction for the number of cells.
        pub off_cells: u64,
        /// Twice the lesser of `p_overall` and `p_worst`, corrected for the number of rows in the file (Bonferroni).
        pub p_adjusted: f64,
    }

    /// A kind of test of single bits.
    pub enum BitTest {
        /// More collisions in some window of the output than chance gives.
        Windows,
        /// Input bits do not turn over output bits half of the time.
        Avalanche,
        /// Output bits are turned over together.
        Independence,
    }

    /// A test of single bits that a function failed. It is no part of the verdict: a table or filter over the keys at
    /// hand may never meet the weakness.
    pub struct BitFact {
        /// Name of the dataset; none where the keys are drawn at random.
        pub dataset: Option<String>,
        /// Name of the function.
        pub function: String,
        /// The test.
        pub test: BitTest,
        /// What was seen, in words.
        pub reason: String,
    }
}
