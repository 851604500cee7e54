//! Measures the rates that formulas and pages state. One run is enough, because the rates do not depend on features.

use filter_policy::formats;
use filter_policy::leveldb::LevelDbHash;
use filter_policy::view::FilterView;
use filter_policy::{AnyFormat, BitsPerKey, BloomFilterPolicy, FilterPolicy};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::support::keys::filter_of;

/// Counts the answers of many filters of as many random keys.
struct Counted {
    queried: f64,
    matches: f64,
    /// The mean of the rates that follow from the contents of filters, of all or of a few.
    estimate: f64,
}

impl Counted {
    fn rate(&self) -> f64 {
        self.matches / self.queried
    }
}

/// Queries filters, and stops early at many matches. Estimates take long where probes depend on each other.
fn count(format: &dyn AnyFormat, bits: u32, keys: u32, queries: u32, random: &mut SplitMix64) -> Counted {
    let policy = format.policy(BitsPerKey::whole(bits));
    // Few of each filter, because rates of filters differ.
    let each = (10 * keys).clamp(200, 20_000);
    let (mut queried, mut matches, mut estimates) = (0, 0, Vec::new());
    while queried < queries && matches < 20_000 {
        let stored: Vec<[u8; 8]> = (0..keys).map(|_| random.next_u64().to_le_bytes()).collect();
        let filter = filter_of(&policy, &stored);
        if !is_rough(format) || estimates.len() < 4 {
            estimates.push(FilterView::new(format, &filter).expected_rate());
        }
        let absent = (0..each).map(|_| random.next_u64().to_le_bytes());
        matches += absent.filter(|key| policy.key_may_match(key, &filter)).count();
        queried += each;
    }
    Counted {
        queried: queried.into(),
        matches: matches as f64,
        estimate: estimates.iter().sum::<f64>() / estimates.len() as f64,
    }
}

/// The probes of these depend on each other: THEORY.md says how far the computed rate of LevelDB's format is off, and a part
/// of Basho's was measured.
fn is_rough(format: &dyn AnyFormat) -> bool {
    let rough = [formats::LEVEL_DB, formats::BASHO, formats::LEGACY_BLOOM];
    rough.iter().any(|rough| rough.kind() == format.kind())
}

/// The rate of each format is what is counted, as far as a count can tell: for one key to ten thousands, at rates of 10 to
/// 0.01 %. So is the rate that follows from the contents of filters, if keys are many.
#[test]
fn rates_are_those_that_are_counted() {
    let mut random = SplitMix64::seed_from_u64(5);
    for format in formats::ALL {
        for keys in [1, 2, 4, 10, 32, 100, 300, 3000, 60_000] {
            for (bits, queries) in [(5, 150_000), (10, 1_000_000), (15, 150_000), (20, 150_000)] {
                let stated = format
                    .expected_rate(keys.into(), BitsPerKey::whole(bits))
                    .unwrap();
                let found = count(*format, bits, keys, queries, &mut random);
                let chance = 3.5 / libm::sqrt(found.matches.max(1.0));
                let (counted, estimate) = (found.rate(), found.estimate);
                let at = format!(
                    "{} of {keys} keys at {bits} bits per key: {stated:e} stated, {counted:e} counted ({}), \
                     {estimate:e} estimated",
                    format.name(),
                    found.matches,
                );
                let off = match (is_rough(*format), keys) {
                    (true, 10..300) if bits == 10 => 1.06,
                    (true, ..300) => 1.25,
                    (true, _) => 1.06,
                    (false, ..10) => 1.25,
                    (false, _) => 1.01,
                };
                let is_near = |rate: f64, off| libm::log(rate / counted).abs() < libm::log(off) + chance;
                assert!(
                    is_near(stated, off) || found.matches == 0.0 && stated < 5e-5,
                    "{at}"
                );
                let off = if is_rough(*format) { 1.25 } else { 1.03 };
                assert!(
                    keys < 300 || found.matches < 20.0 || is_near(estimate, off),
                    "{at}"
                );
            }
        }
    }
}

/// Returns the share of absent ids that pass: each of many filters holds `keys` consecutive even numbers of this many
/// digits, and is queried for the odd numbers after them.
fn passing_neighbours(policy: &dyn FilterPolicy, queries: u64, keys: u64, digits: usize) -> f64 {
    let id = |number: u64| format!("{number:0digits$}").into_bytes();
    let filters = queries / keys;
    let mut passed = 0;
    for index in 0..filters {
        let numbers = (0..keys).map(|i| 2 * (index * keys + i));
        let stored: Vec<Vec<u8>> = numbers.clone().map(id).collect();
        let filter = filter_of(policy, &stored);
        passed += numbers
            .filter(|number| policy.key_may_match(&id(number + 1), &filter))
            .count();
    }
    passed as f64 / (filters * keys) as f64
}

/// The rates in WHICH.md.
#[test]
fn small_filters_of_leveldbs_hash_let_neighbours_of_16_bytes_pass() {
    let ten = BitsPerKey::whole(10);
    let (leveldb, ours) = (
        BloomFilterPolicy::with_leveldb_hash(ten),
        BloomFilterPolicy::new(ten),
    );
    for (keys, expected) in [
        (32, 0.41),
        (38, 0.59),
        (64, 0.42),
        (100, 0.015),
        (128, 0.020),
        (512, 0.008),
    ] {
        let passing = |policy: &dyn FilterPolicy, digits| passing_neighbours(policy, 1 << 18, keys, digits);
        let rate = passing(&leveldb, 16);
        assert!((rate / expected - 1.0).abs() < 0.1, "{keys} keys: {rate}");
        for rate in [passing(&leveldb, 17), passing(&ours, 16)] {
            assert!((0.007..0.0135).contains(&rate), "{keys} keys: {rate}");
        }
    }
}

/// The mean and the worst of all sizes, as WHICH.md and the proposal to LevelDB state them, and the bytes that the better
/// sizes cost.
#[test]
fn coprime_sizes_let_fewer_neighbours_pass() {
    let sizes = 16..=160_u64;
    let mean_and_worst = |policy: &BloomFilterPolicy<LevelDbHash>| {
        let rates: Vec<f64> = sizes
            .clone()
            .map(|keys| passing_neighbours(policy, 1 << 14, keys, 16))
            .collect();
        (
            rates.iter().sum::<f64>() / rates.len() as f64,
            rates.into_iter().fold(0.0, f64::max),
        )
    };
    let policy = BloomFilterPolicy::with_leveldb_hash(BitsPerKey::whole(10));
    let (mean, worst) = mean_and_worst(&policy);
    assert!(
        (0.055..0.07).contains(&mean) && (0.55..0.65).contains(&worst),
        "{mean}, {worst}"
    );
    let coprime = policy.coprime_sizes();
    let (mean, worst) = mean_and_worst(&coprime);
    assert!(mean < 0.02 && worst < 0.06, "{mean}, {worst}");
    let bytes = |policy: &BloomFilterPolicy<LevelDbHash>| -> usize {
        sizes
            .clone()
            .map(|keys| policy.max_filter_len(keys as usize).unwrap())
            .sum()
    };
    let more = (bytes(&coprime) - bytes(&policy)) as f64 / 145.0;
    assert!((0.8..1.6).contains(&more), "{more}");
}
