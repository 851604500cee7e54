//! The sizes and the lengths of the measurements.

/// The false-positive probability of every filter.
pub(crate) const FPP: f64 = 0.01;

/// The measurement of one size.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// The requested bits, which name the size.
    pub(crate) bits: u64,
    /// Keys that the filter is sized for.
    pub(crate) insertions: u64,
    /// Without them every round fills an empty filter. Random words have half of their bits set, the load of a full
    /// filter, and each round inserts its own keys in addition.
    pub(crate) has_random_words: bool,
    /// Number of filters filled in a batch.
    pub(crate) builds: u64,
    /// Keys queried, and keys inserted into a filter that is not built from empty.
    pub(crate) keys: u64,
    /// Rounds that are not recorded.
    pub(crate) warm_up: u64,
    pub(crate) rounds: u64,
}

impl Plan {
    /// Returns all sizes, smallest first.
    ///
    /// The first size runs every loop often enough for Java's compiler to finish with it.
    pub(crate) fn all(quick: bool) -> [Self; 4] {
        let plan = |bits: u64, keys: u64, warm_up, rounds, quick_rounds| Self {
            bits,
            insertions: insertions(bits),
            has_random_words: false,
            builds: (keys / insertions(bits)).max(1),
            keys,
            warm_up,
            rounds: if quick { quick_rounds } else { rounds },
        };
        [
            plan(10_000, 100_000, 20, 101, 7),
            plan(1_000_000, 100_000, 5, 101, 7),
            plan(100_000_000, 1_000_000, 1, 11, 1),
            Self {
                has_random_words: true,
                ..plan(2_000_000_000, 1_000_000, 1, 31, 3)
            },
        ]
    }
}

/// Returns the most keys whose filter at [`FPP`] has at most `bits` bits: Guava takes n ln 100 / ln^2 2 bits for n
/// keys.
fn insertions(bits: u64) -> u64 {
    (bits as f64 * 0.480_453_013_918_201_4 / 4.605_170_185_988_092) as u64
}
