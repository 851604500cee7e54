//! The cuckoo filter's contract, seen from outside.

use membership_filters::{Bytes, CuckooFilter, CuckooParameters, Error, Hash128, Hashed};

use super::support::hashes::Hashes;

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
        assert_eq!(parameters.slots(), 4 * buckets, "{capacity} {fpp}");
        assert!(parameters.capacity() >= capacity);
        assert!(parameters.rate() <= fpp);
        assert_eq!(
            parameters.memory_bytes(),
            (4 * buckets * u64::from(bits)).div_ceil(64) * 8
        );
    }
}

#[test]
fn sizes_and_rates_out_of_range_are_refused() {
    assert_eq!(
        CuckooParameters::new(10, 1e-9).unwrap_err().to_string(),
        "the false-positive rate must be at least 1.8626451481467549e-9, got 1e-9"
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

/// By checksums, filters of many shapes: a second implementation of `FORMAT.md`, as slow and plain as the text, gave those
/// before it was removed, when headers did not name the keys' encoding.
#[test]
fn fingerprints_are_moved_as_they_always_were() {
    for (buckets, bits, seed, checksum) in [
        (2, 4, 0, 0xae32_73f8_c376_c461),
        (10, 5, 1, 0x1144_6640_165b_9a25),
        (14, 13, u64::MAX, 0x398e_d1d1_15d8_2696),
        (100, 32, 77, 0x6c38_cff4_0e1c_50ea),
        (1000, 12, 5, 0x140e_04b2_e736_a625),
    ] {
        let mut filter = filter(&CuckooParameters::with_buckets(buckets, bits).unwrap().seed(seed));
        // More keys than fit, with removals in between, and some keys twice.
        let hashes: Vec<Hashed<Bytes>> = Hashes::from_seed(seed).take(6 * buckets as usize).collect();
        for (i, hash) in hashes.iter().enumerate() {
            let _full = filter.insert_hashed(hash);
            if i % 5 == 0 {
                filter.remove_hashed(&hashes[i / 2]).unwrap();
                let _full = filter.insert_hashed(hash);
            }
        }
        let mut contents = filter.to_bytes();
        contents.truncate(contents.len() - 8);
        contents[8..16].copy_from_slice(&[1, 1, 0, 0, 0, 0, 0, 0]);
        assert_eq!(Hash128::of(&contents).h1, checksum);
    }
}

/// Insertions return it, in registers.
#[test]
fn an_error_is_small() {
    assert_eq!(size_of::<Result<bool, Error>>(), 2 * size_of::<usize>());
}
