//! Sizes and probe counts of LevelDB's format.

use super::*;

#[test]
fn probe_counts_are_those_of_leveldb() {
    // No product below the upper limit is a whole number, so integer arithmetic must agree with the doubles.
    for bits in 0..=1000_u32 {
        let exact = (bits * 69 / 100).clamp(1, 30);
        assert_eq!(
            u32::from(probe_count(BitsPerKey::whole(bits))),
            exact,
            "{bits} bits per key"
        );
    }
    assert_eq!(probe_count(BitsPerKey::MAX), 30);
}

#[test]
fn sizes_that_were_published() {
    let published = [
        (10, 80_000, 100_001, 6),
        (15, 80_000, 150_001, 10),
        (20, 80_000, 200_001, 13),
        (10, 45_402, 56_754, 6),
        (15, 45_402, 85_130, 10),
        (20, 45_402, 113_506, 13),
    ];
    for (bits, keys, bytes, probes) in published {
        let bits_per_key = BitsPerKey::whole(bits);
        assert_eq!(filter_len(bits_per_key, keys), Ok(bytes));
        assert_eq!(probe_count(bits_per_key), probes);
    }
}

#[test]
fn sizes_beyond_the_platform_are_errors() {
    let error = filter_len(BitsPerKey::MAX, usize::MAX).unwrap_err();
    assert_eq!(
        error,
        Error::FilterTooLarge {
            keys: usize::MAX as u64,
            bits_per_key: 4_294_967_295.0
        }
    );
    // The product fits into 64 bits, but not once it is rounded up to whole bytes.
    assert!(filter_bits(BitsPerKey::whole(1), u64::MAX).is_err());
    assert_eq!(filter_bits(BitsPerKey::whole(1), u64::MAX - 7), Ok(u64::MAX - 7));
}
