//! Which sizes are measured, and how long.

use bench_kit::suites::membership::Contents;

/// The false-positive probability of every filter.
pub(crate) const FPP: f64 = 0.01;

/// One size.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// The size's name: the bits asked for.
    pub(crate) bits: u64,
    /// Keys that it is made for.
    pub(crate) insertions: u64,
    /// Up to [`Contents::Keys`] a filter is filled one by one in every round. Of random words half of the bits are set,
    /// which is the load that a filter is made for; to these each round puts keys of its own.
    pub(crate) contents: Contents,
    /// How often a filter is filled in a batch.
    pub(crate) builds: u32,
    /// Keys that are put where a filter is not filled from empty, and keys that are asked for.
    pub(crate) keys: u64,
    /// Rounds before those that count.
    pub(crate) warm_up: u64,
    pub(crate) rounds: u64,
}

impl Plan {
    /// All sizes, smallest first.
    ///
    /// In the first one Java's compiler sees every loop often enough to have compiled it for good.
    pub(crate) fn all(quick: bool) -> [Self; 4] {
        let plan = |bits: u64, keys: u64, warm_up, rounds, quick_rounds| Self {
            bits,
            insertions: insertions(bits),
            contents: Contents::Keys,
            builds: (keys / insertions(bits)).max(1) as u32,
            keys,
            warm_up,
            rounds: if quick { quick_rounds } else { rounds },
        };
        [
            plan(10_000, 100_000, 20, 101, 7),
            plan(1_000_000, 100_000, 5, 101, 7),
            plan(100_000_000, 1_000_000, 1, 11, 1),
            Self {
                contents: Contents::RandomWords,
                ..plan(2_000_000_000, 1_000_000, 1, 31, 3)
            },
        ]
    }
}

/// The most keys whose filter at [`FPP`] is at most this large: n ln 100 / ln^2 2 bits are what Guava takes for n.
fn insertions(bits: u64) -> u64 {
    (bits as f64 * 0.480_453_013_918_201_4 / 4.605_170_185_988_092) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_named() {
        for plan in Plan::all(false) {
            let insertions = i64::try_from(plan.insertions).unwrap();
            let parameters = guava_bloom::Parameters::new(insertions as u64, FPP).unwrap();
            let off = plan.bits.abs_diff(parameters.optimal_bits());
            assert!(off <= 10, "{} bits: {}", plan.bits, parameters.optimal_bits());
            assert_eq!(parameters.probe_count(), 7);
        }
    }
}
