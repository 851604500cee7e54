//! Failed tests of single bits.

use super::stored;

stored! {
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
