//! Compares filters with RocksDB's own, built and queried directly.

use engine_tests::rocksdb::{Policy, slices};
use filter_policy::formats;
use filter_policy::rocksdb::FastLocalBloomPolicy;
use filter_policy::view::{FilterKind, FilterView};
use filter_policy::{BitsPerKey, FilterPolicy};

use crate::source::Source;
use crate::{may_match, ours, policies};

/// Draws a number of keys, mostly below 200 and at most 5000.
fn count(source: &mut Source) -> u64 {
    match source.below(20) {
        0 => source.below(5001),
        1 => 0,
        _ => source.below(200),
    }
}

/// Draws bits per key from 1 to 100, whole or fractional.
fn bits_per_key(source: &mut Source) -> f64 {
    match source.below(3) {
        0 => (1 + source.below(40)) as f64,
        1 => 1.0 + source.below(39_000) as f64 / 1000.0,
        _ => 1.0 + source.share() * 99.0,
    }
}

#[test]
fn filters_are_rocksdbs_own_byte_for_byte() {
    let mut source = Source::new(1);
    let mut ribbons = 0;
    for round in 0..2_000 {
        let bits_per_key = bits_per_key(&mut source);
        let count = count(&mut source);
        let keys = source.keys(count);
        let absent: Vec<Vec<u8>> = (0..20).map(|_| source.key()).collect();
        for (theirs, policy) in &policies(bits_per_key) {
            let expected = theirs.create_filter(&slices(&keys));
            let what = || {
                format!(
                    "round {round}: {}, {count} keys, {bits_per_key} bits",
                    policy.name()
                )
            };
            assert!(ours(&**policy, &keys) == expected, "{}", what());
            let reader = theirs.reader(&expected).unwrap();
            let view = FilterView::new(formats::FAST_LOCAL_BLOOM, &expected);
            ribbons += u32::from(view.kind() == FilterKind::Filter(formats::RIBBON.kind()));
            for (place, key) in keys.iter().chain(&absent).enumerate() {
                let answers = [may_match(&reader, key), policy.key_may_match(key, &expected)];
                assert_eq!(answers[0], answers[1], "{}: {key:x?}", what());
                assert!(answers[0] || place >= keys.len(), "{}: {key:x?}", what());
            }
        }
    }
    assert!(ribbons > 500, "{ribbons} Ribbon filters among them");
}

/// Every size up to 600 includes the steps of tables, of lines and of Ribbon's sizes; the keys are consecutive.
#[test]
fn filters_of_consecutive_keys_are_rocksdbs_own() {
    let keys: Vec<Vec<u8>> = (0..300_000_u32).map(|i| i.to_be_bytes().to_vec()).collect();
    let sizes = (0..=600).map(|size| (10.0, size));
    for (bits_per_key, size) in sizes.chain([(7.3, keys.len()), (15.0, keys.len())]) {
        let keys = &keys[..size];
        for (theirs, policy) in &policies(bits_per_key) {
            assert!(
                ours(&**policy, keys) == theirs.create_filter(&slices(keys)),
                "{}, {size} keys, {bits_per_key} bits",
                policy.name()
            );
        }
    }
}

/// RocksDB corrects bits per key that are too small, too large, or not a number.
#[test]
fn odd_bits_per_key_are_corrected_alike() {
    let keys: Vec<Vec<u8>> = (0..500_u32).map(|i| i.to_le_bytes().to_vec()).collect();
    for bits_per_key in [0.5, 0.75, 0.999, 99.9996, 100.0, 1e9, f64::INFINITY, f64::NAN] {
        // Numbers that are too large, and NaN, count as the maximum.
        let bits = BitsPerKey::fractional(bits_per_key).unwrap_or(BitsPerKey::MAX);
        let theirs = Policy::bloom(bits_per_key, 5).create_filter(&slices(&keys));
        assert!(
            ours(&FastLocalBloomPolicy::new(bits), &keys) == theirs,
            "{bits_per_key}"
        );
    }
}
