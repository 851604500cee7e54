//! The counting Bloom filter's contract, seen from outside.

use membership_filters::guava::Parameters;
use membership_filters::{Bytes, CountingBloomFilter, Hash128, Hashed, Hashing, Utf8};

use super::support::samples::sample;

/// 64 counters with 7 probes.
fn tiny() -> CountingBloomFilter<Bytes> {
    CountingBloomFilter::new(Bytes, &Parameters::new(1, 0.01).unwrap()).unwrap()
}

/// Returns the number of counters that have their largest value, of which all bits are ones, from the stored form.
pub(crate) fn stuck_counters<F: Hashing>(filter: &CountingBloomFilter<F>) -> usize {
    let bytes = filter.to_bytes();
    let (width, counters) = (usize::from(bytes[18]), &bytes[40..]);
    let bit = |number: usize| counters[number / 8] >> (number % 8) & 1 == 1;
    let is_stuck = |&counter: &usize| (0..width).all(|number| bit(counter * width + number));
    (0..filter.stats().places as usize).filter(is_stuck).count()
}

/// A key with repeated positions in a filter of 64 counters: the second half of the hash is 32, so every other
/// position repeats.
const REPEATING: Hashed<Bytes> = Hashed::assume(Bytes, Hash128 { h1: 5, h2: 32 });

#[test]
fn repeated_positions_count_once() {
    let mut filter = tiny();
    let stats = filter.stats();
    assert_eq!((stats.places, stats.probe_count), (64, Some(7)));
    assert!(filter.insert_hashed(&REPEATING).unwrap());
    assert_eq!(filter.stats().taken, 2);
    assert!(!filter.insert_hashed(&REPEATING).unwrap());
    // Two counters of 2. If positions counted as often as they occur, the counters would be 8 and 6.
    assert!(filter.remove_hashed(&REPEATING).unwrap());
    assert!(filter.contains_hashed(&REPEATING));
    assert!(filter.remove_hashed(&REPEATING).unwrap());
    assert_eq!(filter.stats().taken, 0);
    assert!(!filter.remove_hashed(&REPEATING).unwrap());
    assert_eq!(filter.to_bytes(), tiny().to_bytes());
}

#[test]
fn counters_that_are_full_stay_so() {
    let mut filter = tiny();
    for _ in 0..14 {
        filter.insert_hashed(&REPEATING).unwrap();
    }
    assert_eq!(stuck_counters(&filter), 0);
    // One more, and no removal lowers them any more, not even the removal of all copies.
    filter.insert_hashed(&REPEATING).unwrap();
    assert_eq!(stuck_counters(&filter), 2);
    for _ in 0..30 {
        assert!(filter.remove_hashed(&REPEATING).unwrap());
    }
    assert!(filter.contains_hashed(&REPEATING));
    let stats = filter.stats();
    assert_eq!((stats.len, stuck_counters(&filter), stats.taken), (Some(0), 2, 2));
    let read = CountingBloomFilter::from_bytes(&filter.to_bytes(), Bytes).unwrap();
    assert!(read == filter);
    filter.clear();
    assert!(!filter.contains_hashed(&REPEATING));
    assert_eq!(filter.to_bytes(), tiny().to_bytes());
}

/// New filters have counters of four bits, stored ones may have others.
#[test]
fn counters_of_five_bits_count_on() {
    let bytes = sample("counting");
    let mut filter = CountingBloomFilter::from_bytes(&bytes, Utf8).unwrap();
    for name in ["alice", "bob", "bob", ""] {
        assert!(filter.remove(name), "{name}");
    }
    assert_eq!((filter.len(), filter.stats().taken), (0, 0));
    for inserted in 1..=31 {
        filter.insert("dave");
        assert_eq!(stuck_counters(&filter) > 0, inserted == 31);
    }
}
