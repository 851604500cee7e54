//! The values of columns that several questions share, and the names of rows that are about no function.

use super::stored;

stored! {
    /// The result of a function compared with chance, best first.
    pub enum Verdict {
        /// Fewer collisions than a random function gives: the structure of these keys suits the function.
        FewerThanChance,
        /// No difference from a random function that this test could see.
        #[serde(alias = "in-band")]
        WithinChance,
        /// Worse than a random function, beyond what the number of tests explains.
        #[serde(alias = "measurably-worse")]
        WorseThanChance,
        /// So much worse that at least four bits of the output width are lost on these keys.
        #[serde(alias = "unusable")]
        FarWorseThanChance,
    }

    /// The form of timed calls, independent or waiting for each other.
    pub enum CallForm {
        /// Calls overlap in the processor: throughput.
        Independent,
        /// Each call waits for the result of the previous one: latency.
        Chained,
    }

    /// The keys that are timed, and their place in memory.
    pub enum Place {
        /// The whole set back to back in shuffled order, as keys that arrive in sequence.
        Sequence,
        /// A sample back to back in a buffer that the caches hold.
        Cache,
        /// The same keys lie far apart in a buffer larger than the caches and are visited in shuffled order, so that most are
        /// read from main memory.
        Memory,
        /// Random keys of one length, `bytes / keys`, in the first-level cache; the row is about no dataset.
        Length,
    }

    /// The bits of a value that are compared.
    pub enum End {
        /// The lowest bits.
        Low,
        /// The highest bits of the function's own output.
        High,
        /// All bits of the function.
        Full,
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
        /// One bit of the value; there are two buckets.
        Bit,
        /// Both halves of 64 bits: the block of a filter by the upper, and the bits in the block by the lower.
        Halves,
    }
}

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

impl BitFact {
    /// Returns true if the fact is about this function and test.
    pub fn is(&self, function: &str, test: BitTest) -> bool {
        self.function == function && self.test == test
    }
}

impl Verdict {
    /// Returns the text that charts and tables show. A verdict compares a count with chance, and advice says whether to use a
    /// function, so no word of `page/wording.html` is used here.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::FewerThanChance => "fewer than chance",
            Self::WithinChance => "within chance",
            Self::WorseThanChance => "worse than chance",
            Self::FarWorseThanChance => "far beyond chance",
        }
    }
}

impl Choice {
    /// Returns the text for what chooses a bucket or shard.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::LowBits => "the low bits",
            Self::HighBits => "the high bits",
            Self::Fibonacci => "multiplication",
            Self::Remainder => "remainder",
            Self::Bit => "a bit",
            Self::Halves => "both halves",
        }
    }
}

/// Name of the row in `false_positives.csv` that shows the probe scheme with an ideal hash.
pub const IDEAL: &str = "ideal";
/// Name of the rows in `timing.csv` that show the cost of the loop itself.
pub const EMPTY: &str = "empty";
