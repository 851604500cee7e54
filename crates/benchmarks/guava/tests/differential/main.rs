//! Differential tests of this crate against Guava and Spark, on random parameters and elements: answers, streams, sizes, merging
//! and errors must be the same.
//!
//! The tests need a JDK and Guava (Debian: `default-jdk-headless`, `libguava-java`), and fail without them. The seed is
//! fixed; `GUAVA_BLOOM_SEED` sets another, and `GUAVA_BLOOM_TIMES` multiplies the number of cases.
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod elements;
mod filters;
mod merging;
mod oracle;
mod random;
mod sizing;
mod spark;
mod streams;

use guava_bloom::{BloomFilter, Parameters, ProbeCountRule, Strategy};

/// Both strategies, by ordinal.
const STRATEGIES: [Strategy; 2] = [Strategy::Murmur128Mitz32, Strategy::Murmur128Mitz64];

/// Returns the parameters that Debian's version of Guava derives; newer versions compute the probe count from the rate
/// alone.
fn parameters(insertions: i64, fpp: f64, strategy: Strategy) -> Parameters {
    Parameters::with_rule(insertions as u64, fpp, ProbeCountRule::FromBitsPerInsertion)
        .unwrap()
        .with_strategy(strategy)
}

/// A filter of this crate, to which the elements' hash values are given.
type Filter = BloomFilter<()>;

/// Creates an empty filter.
fn filter(insertions: i64, fpp: f64, strategy: Strategy) -> Filter {
    BloomFilter::new((), &parameters(insertions, fpp, strategy)).unwrap()
}
