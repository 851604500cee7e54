//! Tests of the measured rates against formulas and known values.

use std::collections::HashSet;

use filter_policy::formats;
use filter_policy::leveldb::{LevelDbHash, Murmur2};
use terminal::progress::Silent;

use super::series::all;
use crate::record::Batch;
use crate::suites::rates::{Effort, IDEAL, SUITE, Series, measure};
use crate::turns::Run;

fn rates(series: &[Series], effort: &Effort) -> Vec<Batch> {
    let run = Run {
        is_quick: true,
        progress: &Silent,
    };
    measure(&run, series, effort).unwrap()
}

const COARSE: Effort = Effort {
    sizes: &[32, 1_000, 100_000],
    swept: &[],
    members: 100_000,
    fewest_probes: 200_000,
    most_probes: 400_000,
};

/// LevelDB's rate takes long to count.
const OF_LEVELDB: [&str; 3] = [IDEAL, LevelDbHash::POLICY_NAME, Murmur2::POLICY_NAME];

/// Returns five standard deviations of a count with this expectation. Differences between single filters spread the
/// count more than independent trials would.
fn chance(expected: f64) -> f64 {
    5.0 * (1.5 * expected).sqrt() + 1.0
}

#[test]
fn every_filter_does_what_its_formula_says() {
    let filters: Vec<Series> = all()
        .into_iter()
        .filter(|series| !OF_LEVELDB.contains(&series.name))
        .collect();
    let rows = rates(&filters, &COARSE);
    assert_eq!(rows.len(), filters.len() * 3 * 3);
    for row in &rows {
        let probes = row.calls as f64;
        let expected = row.case.number("expected") * probes;
        let measured = row.count as f64;
        // Guava's positions and RedisBloom's are multiples of one stride, and repeat in small filters.
        let contender = &*row.case.contender;
        let bytes = row.case.number("bytes");
        let array = match contender {
            "redisbloom" => bytes - 73.0,
            _ => bytes,
        };
        let strides = 2.5 / (8.0 * array) * probes;
        let (low, high) = match contender {
            "Guava, MITZ_64" | "Guava, MITZ_32" | "redisbloom" => (0.98, 1.02 * expected + strides),
            // The probes depend on each other, which the formula ignores.
            "rocksdb.internal.LegacyBloomFilter" => (0.98, f64::INFINITY),
            _ => (0.98, 1.02 * expected),
        };
        assert!(measured > low * expected - chance(expected), "{row:?}");
        assert!(measured < high + chance(expected), "{row:?}");
    }
}

#[test]
fn all_series_are_in_the_suite_in_any_number_of_threads() {
    const TINY: Effort = Effort {
        sizes: &[32, 1_000],
        swept: &[1_000],
        members: 2_000,
        fewest_probes: 20_000,
        most_probes: 20_000,
    };
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let rows = one.install(|| rates(&all(), &TINY));
    assert_eq!(rates(&all(), &TINY), rows);
    assert_eq!(rows.len(), all().len() * (3 + 21));
    assert!(SUITE.rows(&rows).is_ok());
    let names: HashSet<&str> = rows.iter().map(|row| &*row.case.contender).collect();
    assert_eq!(names.len(), all().len(), "{names:?}");
    // All but the one with signed tails.
    let policies = formats::ALL.iter().filter(|known| names.contains(known.name()));
    assert_eq!(policies.count(), formats::ALL.len() - 1);
}
