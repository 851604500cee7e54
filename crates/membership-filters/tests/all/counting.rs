//! The counting Bloom filter's contract, seen from outside.

use membership_filters::{Bytes, CounterWidth, CountingBloomFilter, Hash128, Hashed, Parameters};

use super::support::hashes::Hashes;
use super::support::rates::{assert_near, false_positives};

fn filter(parameters: &Parameters, bits: u8) -> CountingBloomFilter<Bytes> {
    CountingBloomFilter::new(Bytes, parameters, CounterWidth::new(bits).unwrap()).unwrap()
}

/// 64 counters with 7 probes.
fn tiny(bits: u8) -> CountingBloomFilter<Bytes> {
    filter(&Parameters::new(1, 0.01).unwrap(), bits)
}

/// An element with repeated positions in a filter of 64 counters: the second half of the hash is 32, so every other
/// position repeats.
const REPEATING: Hashed<Bytes> = Hashed::assume(Bytes, Hash128 { h1: 5, h2: 32 });

#[test]
fn repeated_positions_count_once() {
    let mut filter = tiny(4);
    assert_eq!((filter.counters(), filter.probe_count()), (64, 7));
    assert!(filter.insert_hash(&REPEATING).unwrap());
    assert_eq!(filter.stats().nonzero_counters, 2);
    assert!(!filter.insert_hash(&REPEATING).unwrap());
    // Two counters of 2. If positions counted as often as they occur, the counters would be 8 and 6.
    assert!(filter.remove_hash(&REPEATING).unwrap());
    assert!(filter.might_contain_hash(&REPEATING));
    assert!(filter.remove_hash(&REPEATING).unwrap());
    assert_eq!(filter.stats().nonzero_counters, 0);
    assert!(!filter.remove_hash(&REPEATING).unwrap());
    assert_eq!(filter.to_bytes(), tiny(4).to_bytes());
}

#[test]
fn counters_that_are_full_stay_so() {
    for (bits, largest) in [(2, 3), (4, 15), (8, 255)] {
        let mut filter = tiny(bits);
        for _ in 0..largest - 1 {
            filter.insert_hash(&REPEATING).unwrap();
        }
        assert_eq!(filter.stats().stuck_counters, 0);
        // One more, and no removal lowers them any more, not even the removal of all copies.
        filter.insert_hash(&REPEATING).unwrap();
        assert_eq!(filter.stats().stuck_counters, 2);
        for _ in 0..2 * largest {
            assert!(filter.remove_hash(&REPEATING).unwrap());
        }
        assert!(filter.might_contain_hash(&REPEATING));
        let stats = filter.stats();
        assert_eq!(
            (stats.len, stats.stuck_counters, stats.nonzero_counters),
            (0, 2, 2)
        );
        filter.clear();
        assert!(!filter.might_contain_hash(&REPEATING));
        assert_eq!(filter.to_bytes(), tiny(bits).to_bytes());
    }
}

#[test]
fn removing_what_was_never_inserted_can_hide_others() {
    let mut filter = filter(&Parameters::new(50, 0.1).unwrap(), 8);
    let inserted: Vec<Hashed<Bytes>> = Hashes::from_seed(1).take(50).collect();
    for &hash in &inserted {
        filter.insert_hash(&hash).unwrap();
    }
    let before = filter.clone();
    let double = Hashes::from_seed(2).find(|&hash| filter.might_contain_hash(&hash));
    assert!(filter.remove_hash(&double.unwrap()).unwrap());
    assert!(!filter.might_contain_hash(&double.unwrap()));
    assert_eq!(filter.len(), 49);
    // A hidden element can no longer be removed; inserting the double again repairs the filter.
    let lost = inserted.iter().find(|&&hash| !filter.might_contain_hash(&hash));
    assert!(!filter.remove_hash(lost.unwrap()).unwrap());
    filter.insert_hash(&double.unwrap()).unwrap();
    assert!(filter == before);
}

#[test]
fn false_positives_are_as_many_as_expected() {
    for (fpp, bits) in [(0.1, 4), (0.01, 4), (0.001, 8)] {
        let mut filter = filter(&Parameters::new(50_000, fpp).unwrap(), bits);
        // Twice as many as expected, half of them removed: the removed ones leave no trace.
        let hashes: Vec<Hashed<Bytes>> = Hashes::from_seed(3).take(100_000).collect();
        for &hash in &hashes {
            filter.insert_hash(&hash).unwrap();
        }
        assert!(
            hashes[50_000..]
                .iter()
                .all(|&hash| filter.remove_hash(&hash).unwrap())
        );
        let stats = filter.stats();
        assert!(
            (stats.false_positive_rate - fpp).abs() < 0.05 * fpp,
            "{}",
            stats.false_positive_rate
        );
        assert_near(
            false_positives(99, |hash| filter.might_contain_hash(&hash)),
            stats.false_positive_rate,
        );
        let estimate = filter.estimated_len().unwrap();
        assert!(estimate.abs_diff(50_000) < 500, "{estimate}");
    }
}

#[test]
fn a_filter_without_zeros_has_no_estimate() {
    let mut filter = tiny(4);
    assert_eq!(filter.estimated_len(), Some(0));
    for hash in Hashes::from_seed(1).take(1_000) {
        filter.insert_hash(&hash).unwrap();
    }
    assert_eq!(filter.estimated_len(), None);
    assert_eq!(filter.stats().false_positive_rate, 1.0);
}
