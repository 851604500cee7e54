//! Sizes and probe counts of LevelDB's format.

use super::*;

#[test]
fn probe_counts_are_those_of_leveldb() {
    // No product below the upper limit is a whole number, so integer arithmetic must agree with the doubles.
    for bits in 0..=1000_u32 {
        let exact = (bits * 69 / 100).clamp(1, 30);
        assert_eq!(probe_count(BitsPerKey::whole(bits)), exact, "{bits} bits per key");
    }
    assert_eq!(probe_count(BitsPerKey::MAX), 30);
}

#[test]
#[cfg(target_pointer_width = "64")]
fn sizes_beyond_the_platform_are_errors() {
    let error = filter_len(BitsPerKey::MAX, usize::MAX).unwrap_err();
    assert_eq!(
        error,
        Error::FilterTooLarge {
            keys: usize::MAX as u64,
            most: 4_294_967_296,
            bits_per_key: 4_294_967_295.0
        }
    );
    // The product fits into 64 bits, but not once it is rounded up to whole bytes.
    assert!(filter_bits(BitsPerKey::whole(1), u64::MAX).is_err());
    assert_eq!(filter_bits(BitsPerKey::whole(1), u64::MAX - 7), Ok(u64::MAX - 7));
}
