//! The cuckoo filter's contract, seen from outside.

use membership_filters::{Bytes, Hashed};
use membership_filters::{CuckooFilter, CuckooParameters, Error};

use super::support::hashes::Hashes;
use super::support::rates::{assert_near, false_positives};

fn filter(parameters: &CuckooParameters) -> CuckooFilter<Bytes> {
    CuckooFilter::new(Bytes, parameters).unwrap()
}

/// Inserts keys until an insertion fails.
fn fill(filter: &mut CuckooFilter<Bytes>, seed: u64) -> Vec<Hashed<Bytes>> {
    Hashes::from_seed(seed)
        .take_while(|&hash| filter.insert_hashed(&hash).is_ok())
        .collect()
}

#[test]
fn sizes_follow_from_capacity_and_probability() {
    // Bits: the smallest f with 1 - (1 - 1/(2^f - 1))^8 <= p. Buckets: capacity * 5/19, rounded up, plus 6, made even.
    for (capacity, fpp, bits, buckets) in [
        (0, 0.9, 4, 6),
        (1, 0.5, 4, 8),
        (19, 0.03, 9, 12),
        (1000, 0.01, 10, 270),
        (1_000_000, 0.001, 13, 263_164),
        (1_000_000, 0.0001, 17, 263_164),
        (10, 1.9e-9, 32, 10),
    ] {
        let parameters = CuckooParameters::new(capacity, fpp).unwrap();
        assert_eq!(parameters.fingerprint_bits(), bits, "{capacity} {fpp}");
        assert_eq!(parameters.buckets(), buckets, "{capacity} {fpp}");
        assert_eq!(parameters.slots(), 4 * buckets);
        assert!(parameters.capacity() >= capacity);
        assert!(parameters.rate() <= fpp);
        assert_eq!(
            parameters.memory_bytes(),
            (4 * buckets * u64::from(bits)).div_ceil(64) * 8
        );
    }
}

#[test]
fn wrong_parameters_are_refused_with_both_values() {
    let text = |result: Result<CuckooParameters, Error>| result.unwrap_err().to_string();
    assert_eq!(
        text(CuckooParameters::new(10, 1e-9)),
        "the false-positive rate must be at least 1.8626451481467549e-9, got 1e-9"
    );
    assert_eq!(
        text(CuckooParameters::with_fingerprint_bits(10, 3)),
        "the fingerprint bits must be between 4 and 32, got 3"
    );
    assert_eq!(
        text(CuckooParameters::with_buckets(10, 33)),
        "the fingerprint bits must be between 4 and 32, got 33"
    );
    for capacity in [u64::MAX, u64::MAX / 2, 1 << 61] {
        let error = CuckooParameters::new(capacity, 0.01).unwrap_err();
        assert!(matches!(error, Error::TooLarge(_)), "{error}");
    }
    for buckets in [u64::MAX, u64::MAX - 1, 1 << 62] {
        let error = CuckooParameters::with_buckets(buckets, 4).unwrap_err();
        assert!(matches!(error, Error::TooLarge(_)), "{error}");
    }
}

#[test]
fn memory_that_is_not_there_is_an_error() {
    let parameters = CuckooParameters::with_buckets(1 << 56, 8).unwrap();
    let error = CuckooFilter::new(Bytes, &parameters).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { .. }));
    assert_eq!(
        error.to_string(),
        "out of memory: the allocator refused 288230376151711744 bytes"
    );
}

#[test]
fn tables_fill_to_95_percent() {
    for bits in [4, 5, 8, 13, 32] {
        for (buckets, seeds) in [(1_000, 10), (16_384, 3), (50_002, 1), (150_000, 1)] {
            for seed in 0..seeds {
                let parameters = CuckooParameters::with_buckets(buckets, bits).unwrap().seed(seed);
                let mut filter = filter(&parameters);
                let inserted = fill(&mut filter, 1_000 * u64::from(bits) + seed);
                let load = filter.stats().fill();
                assert!(
                    load >= 0.95,
                    "{bits} bits, {buckets} buckets, seed {seed}: {load}"
                );
                assert_eq!(filter.len(), inserted.len() as u64);
                assert!(inserted.iter().all(|&hash| filter.contains_hashed(&hash)));
                // Of a large table, buckets are fetched ahead.
                let mut together = CuckooFilter::new(Bytes, &parameters).unwrap();
                together.insert_many_hashed(&inserted).unwrap();
                assert_eq!(together, filter);
            }
        }
    }
}

#[test]
fn the_capacity_fits() {
    // The documentation of `new` states this for 8 bits or more.
    for bits in [8, 12] {
        for capacity in [1, 7, 8, 15, 30, 50, 76, 100, 1_000, 10_000] {
            for seed in 0..1_000_000 / (capacity + 1_000) {
                let mut filter = filter(&CuckooParameters::with_fingerprint_bits(capacity, bits).unwrap());
                for hash in Hashes::from_seed(seed ^ capacity << 32).take(capacity as usize) {
                    filter.insert_hashed(&hash).unwrap();
                }
            }
        }
    }
}

#[test]
fn errors_tell_what_is_full() {
    let mut filter = filter(&CuckooParameters::with_buckets(2, 32).unwrap());
    let error = Hashes::from_seed(1)
        .find_map(|hash| filter.insert_hashed(&hash).err())
        .unwrap();
    assert!(matches!(error, Error::Full(_)));
    assert_eq!(
        error.to_string(),
        "the slots must be able to take another key, got 8 of 8 taken"
    );
}

#[test]
fn eight_copies_of_an_element_fit_and_each_is_removed_by_itself() {
    for seed in 0..100 {
        let parameters = CuckooParameters::with_buckets(2 * (1 + seed % 10), 12).unwrap();
        let mut filter = filter(&parameters);
        let hash = Hashes::from_seed(seed).next().unwrap();
        (0..8).for_each(|copies| assert_eq!(filter.insert_hashed(&hash), Ok(copies == 0)));
        let full = filter.clone();
        let error = filter.insert_hashed(&hash).unwrap_err();
        assert!(matches!(error, Error::TooManyCopies));
        let text = "the copies of a fingerprint must be at most 8, got 9";
        assert_eq!(error.to_string(), text);
        assert!(filter == full && filter.len() == 8);
        for _ in 0..8 {
            assert!(filter.contains_hashed(&hash) && filter.remove_hashed(&hash).unwrap());
        }
        assert!(!filter.contains_hashed(&hash) && !filter.remove_hashed(&hash).unwrap());
    }
}

#[test]
fn false_positives_are_as_many_as_expected() {
    for bits in [4, 6, 8, 10, 13] {
        for share in [0.25, 0.5, 0.95] {
            let parameters = CuckooParameters::with_buckets(50_000, bits).unwrap();
            let mut filter = filter(&parameters);
            let count = (parameters.slots() as f64 * share) as usize;
            for hash in Hashes::from_seed(bits.into()).take(count) {
                filter.insert_hashed(&hash).unwrap();
            }
            let stats = filter.stats();
            assert!((stats.fill() - share).abs() < 1e-4);
            let found = false_positives(99, |hash| filter.contains_hashed(&hash));
            assert_near(found, stats.expected_rate);
            assert!(stats.expected_rate < parameters.rate());
        }
    }
}

/// Insertions return it, in registers.
#[test]
fn an_error_is_small() {
    assert_eq!(size_of::<Result<bool, Error>>(), 2 * size_of::<usize>());
}
