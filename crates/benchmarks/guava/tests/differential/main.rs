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
mod sizing;
mod spark;
mod streams;

use bench_kit::source::Source;
use membership_filters::{BloomFilter, Bytes, Parameters, ProbeCountRule, Strategy};

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
type Filter = BloomFilter<Bytes>;

/// Creates an empty filter.
fn filter(insertions: i64, fpp: f64, strategy: Strategy) -> Filter {
    BloomFilter::new(Bytes, &parameters(insertions, fpp, strategy)).unwrap()
}

/// Returns the source of a test, and prints the seed, which is shown if the test fails.
fn source(test: &str) -> Source {
    let seed = variable("GUAVA_BLOOM_SEED");
    println!("GUAVA_BLOOM_SEED={seed}");
    let name = (test.bytes()).fold(0, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    Source::new(seed ^ name << 32)
}

/// Returns the number of cases, `count` unless multiplied.
fn cases(count: usize) -> usize {
    count * variable("GUAVA_BLOOM_TIMES") as usize
}

/// Returns the number in an environment variable, or 1 without it.
fn variable(name: &str) -> u64 {
    let number = |text: String| {
        text.parse()
            .unwrap_or_else(|_| panic!("{name} is {text:?}, not a number"))
    };
    std::env::var(name).map_or(1, number)
}
