//! Rows about structured keys, hash tables, and mechanisms of failure.

use super::{Verdict, stored};

stored! {
    /// The bits of a value that are compared.
    pub enum Window {
        /// All bits of the function.
        Whole,
        /// The lowest bits.
        Low,
        /// The highest bits.
        High,
    }

    /// A row of `structured.csv`.
    pub struct StructuredRow {
        /// Name of the key set.
        pub set: String,
        /// Name of the function.
        pub function: String,
        /// The bits that are compared.
        pub window: Window,
        /// Number of compared bits.
        pub bits: u32,
        /// Distinct keys.
        pub keys: u64,
        /// Distinct keys minus distinct values.
        pub collisions: u64,
        /// Expected collisions of a random function.
        pub expected: f64,
        /// Lower end of the 99 % interval for the mean number of collisions.
        pub ci_low: f64,
        /// Upper end of that interval.
        pub ci_high: f64,
        /// Two-sided p-value of this test alone.
        pub p_value: f64,
        /// `p_value` corrected for the number of tests in the file (Bonferroni).
        pub p_adjusted: f64,
        /// The verdict of this row.
        pub verdict: Verdict,
        /// In a row worse than chance, a key that shares its compared bits with another key, escaped for print; else
        /// empty.
        pub first: String,
        /// The other key.
        pub second: String,
    }

    /// The way in which a hash table chooses the bucket of a value.
    pub enum Choice {
        /// The low bits; the number of buckets is a power of two.
        LowBits,
        /// The high bits: value times buckets over 2^bits, rounded down.
        HighBits,
        /// The high bits of the 64-bit product with 2^64 over the golden ratio; the number of buckets is a power of
        /// two.
        Fibonacci,
        /// The remainder; the number of buckets is not a power of two.
        #[serde(alias = "prime")]
        Remainder,
    }

    /// A row of `occupancy.csv`: chains of keys in a hash table with about one bucket for each key.
    pub struct OccupancyRow {
        /// Name of the dataset.
        pub dataset: String,
        /// Name of the function.
        pub function: String,
        /// The way in which the table chooses buckets.
        pub choice: Choice,
        /// Number of buckets.
        pub buckets: u64,
        /// Keys in the table.
        pub keys: u64,
        /// Mean number of keys compared to find a present key: the sum of c (c + 1) / 2 over buckets of c keys, divided
        /// by the number of keys.
        pub hit: f64,
        /// Expected `hit` of a random function.
        pub hit_expected: f64,
        /// Lower end of the range of `hit` in which random functions lie, in every row of 99 of 100 files.
        pub hit_low: f64,
        /// Upper end of that range.
        pub hit_high: f64,
        /// Two-sided p-value of `hit`.
        pub hit_p: f64,
        /// Mean number of keys compared for an absent key with a random bucket: keys per bucket.
        pub miss: f64,
        /// Keys in the fullest bucket.
        pub longest: u64,
        /// Expected `longest` of a random function.
        pub longest_expected: f64,
        /// Upper end of the range of `longest` in which random functions lie, in every row of 99 of 100 files.
        pub longest_high: u64,
        /// Upper-tail p-value of `longest`.
        pub longest_p: f64,
        /// Share of empty buckets.
        pub empty: f64,
        /// Expected `empty` of a random function.
        pub empty_expected: f64,
        /// Lower end of the range of `empty` in which random functions lie, in every row of 99 of 100 files.
        pub empty_low: f64,
        /// Upper end of that range.
        pub empty_high: f64,
        /// Two-sided p-value of `empty`.
        pub empty_p: f64,
        /// The least of the three p-values, corrected for the number of tests in the file, three a row (Bonferroni).
        pub p_adjusted: f64,
        /// The verdict of this row.
        pub verdict: Verdict,
    }

    /// A dependence of values on keys that a random function does not have.
    pub enum Mechanism {
        /// The value follows from the last `parameter` bytes and the length.
        LastBytes,
        /// The value follows from the first `parameter` bytes and the length.
        FirstBytes,
        /// The difference (exclusive or) of two values follows from the difference of the keys: the values of three
        /// keys a, b, c and of their sum cancel.
        XorLinear,
        /// The low `parameter` bits of the value follow from the low `parameter` bits of each byte.
        LowBits,
        /// Raising the last byte but one by 1 and lowering the last by `parameter` leaves the value unchanged.
        ByteSum,
        /// Flipping the lowest bit of the last byte but one and bit `parameter` of the last leaves the value unchanged.
        ByteFlip,
        /// Exchanging the last two bytes leaves the value unchanged.
        ByteOrder,
        /// Upper-case and lower-case letters give the same value.
        LetterCase,
        /// Zero bytes before the key leave the value unchanged.
        LeadingZeroes,
        /// Only `parameter` bits of the value ever change from key to key.
        FixedBits,
    }

    /// A row of `mechanisms.csv`.
    pub struct MechanismRow {
        /// Name of the function.
        pub function: String,
        /// The mechanism that was tried.
        pub mechanism: Mechanism,
        /// The parameter of the mechanism, the most informative if several were tried; 0 for a mechanism without one.
        pub parameter: u32,
        /// Number of trials.
        pub trials: u64,
        /// Number of trials in which the mechanism occurred.
        pub hits: u64,
        /// Share of trials in which the mechanism occurs with a random function.
        pub chance: f64,
        /// Upper-tail p-value, corrected for the number of tests behind the file (Bonferroni).
        pub p_adjusted: f64,
        /// Set if the mechanism holds: more often than chance, and in at least three of four trials.
        pub holds: bool,
        /// A key of a pair that shows the mechanism, escaped for print; empty if the mechanism does not hold.
        pub first: String,
        /// The other key, with the same value or part of the value. Both are empty for a mechanism that is not about
        /// pairs.
        pub second: String,
    }
}
