//! Rows about structured keys, hash tables, and why functions fail.

use super::{Verdict, stored};

stored! {
    /// Which bits of a value are compared.
    pub enum Window {
        /// All that the function has.
        Whole,
        /// The lowest.
        Low,
        /// The highest.
        High,
    }

    /// A row of `structured.csv`.
    pub struct StructuredRow {
        /// Name of the key set.
        pub set: String,
        /// Name of the function.
        pub function: String,
        /// Which bits are compared.
        pub window: Window,
        /// How many.
        pub bits: u32,
        /// Distinct keys.
        pub keys: u64,
        /// Distinct keys minus distinct values.
        pub collisions: u64,
        /// The same of a random function.
        pub expected: f64,
        /// Lower end of the 99 % interval for the mean number of collisions.
        pub ci_low: f64,
        /// Upper end of that interval.
        pub ci_high: f64,
        /// Two-sided, of this one test.
        pub p_value: f64,
        /// `p_value` corrected for the number of tests in the file (Bonferroni).
        pub p_adjusted: f64,
        /// The verdict of this row.
        pub verdict: Verdict,
        /// Of a row that is worse than chance: a key whose compared bits another one shares, escaped for print, else
        /// empty.
        pub first: String,
        /// That other key.
        pub second: String,
    }

    /// How a hash table makes a bucket of a value.
    pub enum Choice {
        /// The low bits; the number of buckets is a power of two.
        LowBits,
        /// The high bits; the number of buckets is a power of two.
        HighBits,
        /// The high bits of the 64-bit product with 2^64 over the golden ratio; the number of buckets is a power of
        /// two.
        Fibonacci,
        /// The remainder; the number of buckets is a prime.
        Prime,
    }

    /// A row of `occupancy.csv`: chains of keys in a hash table with about one bucket for each key.
    pub struct OccupancyRow {
        /// Name of the dataset.
        pub dataset: String,
        /// Name of the function.
        pub function: String,
        /// How the table chooses.
        pub choice: Choice,
        /// Number of buckets.
        pub buckets: u64,
        /// Keys in the table.
        pub keys: u64,
        /// Keys compared on average until a key is found that is there: the sum of c (c + 1) / 2 over buckets of c
        /// keys, for each key.
        pub hit: f64,
        /// The same of a random function.
        pub hit_expected: f64,
        /// Where that of random functions lies, in 99 of 100 files in every row: its lower end.
        pub hit_low: f64,
        /// The upper end.
        pub hit_high: f64,
        /// Two-sided.
        pub hit_p: f64,
        /// Keys compared on average for a key that is not there and whose bucket is random: keys for each bucket.
        pub miss: f64,
        /// Keys in the fullest bucket.
        pub longest: u64,
        /// The same of a random function.
        pub longest_expected: f64,
        /// The most that random functions have, in 99 of 100 files in every row.
        pub longest_high: u64,
        /// Upper tail.
        pub longest_p: f64,
        /// Share of empty buckets.
        pub empty: f64,
        /// The same of a random function.
        pub empty_expected: f64,
        /// Where that of random functions lies, in 99 of 100 files in every row: its lower end.
        pub empty_low: f64,
        /// The upper end.
        pub empty_high: f64,
        /// Two-sided.
        pub empty_p: f64,
        /// The least of the three p-values, corrected for the number of tests in the file, three a row (Bonferroni).
        pub p_adjusted: f64,
        /// The verdict of this row.
        pub verdict: Verdict,
    }

    /// A way in which values of a function depend on keys that a random function's do not.
    pub enum Mechanism {
        /// The value follows from the last `parameter` bytes and the length.
        LastBytes,
        /// The value follows from the first `parameter` bytes and the length.
        FirstBytes,
        /// The difference (exclusive or) of two values follows from the difference of the keys: of three keys a, b, c
        /// and their sum the four values cancel.
        XorLinear,
        /// The low `parameter` bits of the value follow from the low `parameter` bits of each byte.
        LowBits,
        /// Raising the last byte but one by one and lowering the last by `parameter` leaves the value.
        ByteSum,
        /// Flipping the lowest bit of the last byte but one and bit `parameter` of the last leaves the value.
        ByteFlip,
        /// Exchanging the last two bytes leaves the value.
        ByteOrder,
        /// Letters in upper and lower case give one value.
        LetterCase,
        /// Zero bytes before the key leave the value.
        LeadingZeroes,
        /// Only `parameter` bits of the value are ever different from key to key.
        FixedBits,
    }

    /// A row of `mechanisms.csv`.
    pub struct MechanismRow {
        /// Name of the function.
        pub function: String,
        /// What was tried.
        pub mechanism: Mechanism,
        /// What [`Mechanism`] says; where several were tried, the one that says most, or 0 where it has none.
        pub parameter: u32,
        /// Times it was tried.
        pub trials: u64,
        /// Times it came out.
        pub hits: u64,
        /// Share of times that it comes out with a random function.
        pub chance: f64,
        /// Upper tail, corrected for the number of tests behind the file (Bonferroni).
        pub p_adjusted: f64,
        /// Whether it holds: more than chance, and three times in four at least.
        pub holds: bool,
        /// Where it holds: a key, escaped for print, else empty.
        pub first: String,
        /// A key whose value, or whose part of it, the same mechanism makes equal; empty where it takes more than two
        /// keys.
        pub second: String,
    }
}
