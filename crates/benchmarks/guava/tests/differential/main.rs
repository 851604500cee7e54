//! The same questions to Guava and to this crate, on random parameters and elements: answers, streams, sizes, merging
//! and errors must be the same.
//!
//! Needs a JDK and Guava (Debian: `default-jdk-headless`, `libguava-java`), and fails without them. The cases are
//! those of a fixed seed; `GUAVA_BLOOM_SEED` chooses another, `GUAVA_BLOOM_TIMES` multiplies their number.
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod elements;
mod filters;
mod merging;
mod oracle;
mod random;
mod sizing;
mod streams;

use guava_bloom::{BloomFilter, Parameters, ProbeCountRule, Strategy};

/// Both strategies; the index is the ordinal.
const STRATEGIES: [Strategy; 2] = [Strategy::Murmur128Mitz32, Strategy::Murmur128Mitz64];

/// The parameters that Guava of the version in Debian derives: before it took the probe count from the rate alone.
fn parameters(insertions: i64, fpp: f64, strategy: Strategy) -> Parameters {
    Parameters::with_rule(insertions as u64, fpp, ProbeCountRule::FromBitsPerInsertion)
        .unwrap()
        .with_strategy(strategy)
}

/// An empty filter of ours.
fn filter<F: Default>(insertions: i64, fpp: f64, strategy: Strategy) -> BloomFilter<F> {
    BloomFilter::new(F::default(), &parameters(insertions, fpp, strategy)).unwrap()
}
