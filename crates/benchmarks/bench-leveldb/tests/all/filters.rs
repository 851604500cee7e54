//! Tests filters against LevelDB's own policy, called directly.

use engine_tests::leveldb::{Policy, UniquePtr, slices};
use filter_policy::{BitsPerKey, BloomFilterPolicy};
use filter_policy_leveldb::POLICY_LEVELDB;

use crate::may_match;
use crate::source::Source;

/// Returns LevelDB's policy, and ours through the Rust and the C interface.
fn policies(bits_per_key: u16) -> (UniquePtr<Policy>, [UniquePtr<Policy>; 2]) {
    let ours = BloomFilterPolicy::with_leveldb_hash(BitsPerKey::whole(bits_per_key.into()));
    let for_c = Policy::c_library(bits_per_key.into(), POLICY_LEVELDB);
    (Policy::builtin(bits_per_key), [Policy::ours(ours), for_c])
}

#[test]
fn filters_are_leveldbs_own_byte_for_byte() {
    let mut source = Source::new(1);
    for round in 0..4_000 {
        let bits_per_key = 1 + source.below(60);
        let count = 1 + match round {
            0 => 300_000,
            _ => source.below(if round % 20 == 0 { 3_000 } else { 200 }),
        };
        let (theirs, ours) = policies(bits_per_key as u16);
        let keys = source.keys(count);
        let expected = theirs.create_filter(&slices(&keys));
        let absent: Vec<Vec<u8>> = (0..20).map(|_| source.key()).collect();
        for ours in &ours {
            assert_eq!(ours.name(), theirs.name());
            assert!(
                ours.create_filter(&slices(&keys)) == expected,
                "round {round}: {count} keys, {bits_per_key} bits per key"
            );
            for (place, key) in keys.iter().chain(&absent).enumerate() {
                let answers = [&theirs, ours].map(|policy| may_match(policy, key, &expected));
                assert_eq!(answers[0], answers[1], "round {round}: {key:x?}");
                assert!(answers[0] || place >= keys.len(), "round {round}: {key:x?}");
            }
        }
    }
}

#[test]
fn answers_on_any_bytes_are_leveldbs_own() {
    let mut source = Source::new(2);
    let (theirs, ours) = policies(10);
    let (mut yes, mut no) = (0, 0);
    // Every length up to 40 bytes with every last byte; bits from none to all.
    for len in 0..=40 {
        for last in 0..=u8::MAX {
            let mut filter = source.bytes(len);
            let (mask, sparse) = (source.bytes(len), source.below(3));
            for (byte, mask) in filter.iter_mut().zip(mask) {
                match sparse {
                    0 => *byte |= mask,
                    1 => *byte &= mask,
                    _ => {}
                }
            }
            if let Some(byte) = filter.last_mut() {
                *byte = last;
            }
            for key in (0..8).map(|_| source.key()) {
                let answer = may_match(&theirs, &key, &filter);
                for ours in &ours {
                    assert_eq!(may_match(ours, &key, &filter), answer, "{filter:x?}, {key:x?}");
                }
                *(if answer { &mut yes } else { &mut no }) += 1;
            }
        }
    }
    assert!(yes > 10_000 && no > 2_000, "{yes} times yes, {no} times no");
}
