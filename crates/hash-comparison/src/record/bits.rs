//! Records of tests of single bits: windows of the output, avalanche, independence of output bits.

use super::stored;

stored! {
    /// The bits of a value that a window takes.
    pub enum WindowEnd {
        /// The lowest bits.
        Low,
        /// The highest bits of the function's own output.
        High,
        /// All bits of the function.
        Full,
    }

    /// A row of `windows.csv`: collisions of a key set in some bits of the values.
    pub struct WindowRow {
        /// Name of the dataset.
        pub dataset: String,
        /// Name of the function.
        pub function: String,
        /// The position of the window.
        pub end: WindowEnd,
        /// Number of bits in the window.
        pub bits: u32,
        /// Distinct keys.
        pub keys: u64,
        /// Distinct keys minus distinct values of the window.
        pub collisions: u64,
        /// Expected collisions of a random function.
        pub expected: f64,
        /// Two-sided p-value of this window alone.
        pub p_value: f64,
        /// Lower end of the 99 % interval for the mean number of collisions.
        pub ci_low: f64,
        /// Upper end of that interval.
        pub ci_high: f64,
        /// `p_value` corrected for the number of rows in the file (Bonferroni).
        pub p_adjusted: f64,
    }

    /// A row of `avalanche.csv`: the number of times that flipping one bit of a key flips one bit of the value.
    ///
    /// The file has the keys of eight bytes and the output bits that are compared elsewhere, at most 32; `mixing.csv`
    /// sums up the other lengths and all output bits.
    pub struct AvalancheRow {
        /// Name of the function.
        pub function: String,
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

    /// The test that a row of `mixing.csv` summarises.
    pub enum MixingTest {
        /// A cell is an input bit and an output bit, and counts the trials in which the output bit flipped.
        Avalanche,
        /// A cell is an input bit and two output bits, and counts the trials in which both or neither flipped.
        Independence,
    }

    /// A row of `mixing.csv`: a test of all cells of one function at one key length.
    ///
    /// With an ideal function each cell is a count of fair coins, and any two cells are independent.
    pub struct MixingRow {
        /// Name of the function.
        pub function: String,
        /// The test, which defines the cells.
        pub test: MixingTest,
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

    /// A kind of test of single bits.
    pub enum BitTest {
        /// More collisions in some window of the output than chance gives.
        Windows,
        /// Input bits do not flip output bits half of the time.
        Avalanche,
        /// Output bits flip together.
        Independence,
    }

    /// A failed test of single bits. The verdict does not include these tests: a table or filter over the keys at hand
    /// may never meet the weakness.
    pub struct BitFact {
        /// Name of the dataset; none for random keys.
        pub dataset: Option<String>,
        /// Name of the function.
        pub function: String,
        /// The test.
        pub test: BitTest,
        /// The observation, in words.
        pub reason: String,
    }
}
