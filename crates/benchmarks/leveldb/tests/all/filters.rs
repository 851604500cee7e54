//! Tests filters against LevelDB's own policy, called directly.

use bench_leveldb::EnginePolicy;
use filter_policy::{BitsPerKey, BloomFilterPolicy};
use filter_policy_leveldb::POLICY_LEVELDB;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

fn below(random: &mut SplitMix64, limit: u64) -> u64 {
    random.next_u64() % limit
}

fn bytes(random: &mut SplitMix64, len: u64) -> Vec<u8> {
    (0..len).map(|_| random.next_u64().to_le_bytes()[0]).collect()
}

/// Draws keys, mostly of up to 40 bytes; the longest have 300, and some are repeated.
fn keys(random: &mut SplitMix64, count: u64) -> Vec<Vec<u8>> {
    let mut keys: Vec<Vec<u8>> = Vec::new();
    for _ in 0..count {
        let len = match below(random, 50) {
            0 => 0,
            1 => 300,
            _ => below(random, 41),
        };
        let key = match keys.last() {
            Some(last) if below(random, 20) == 0 => last.clone(),
            _ => bytes(random, len),
        };
        keys.push(key);
    }
    keys
}

/// Returns LevelDB's policy, and ours through the Rust and the C interface.
fn policies(bits_per_key: u32) -> (EnginePolicy, [EnginePolicy; 2]) {
    let ours = BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(bits_per_key));
    let for_c = i32::try_from(bits_per_key).unwrap();
    (
        EnginePolicy::builtin(bits_per_key),
        [
            EnginePolicy::ours(ours),
            EnginePolicy::c_library(for_c, POLICY_LEVELDB),
        ],
    )
}

#[test]
fn filters_are_leveldbs_own_byte_for_byte() {
    let mut random = SplitMix64::seed_from_u64(1);
    for round in 0..4_000 {
        let bits_per_key = 1 + match round % 10 {
            0 => below(&mut random, 1000),
            _ => below(&mut random, 64),
        };
        let count = 1 + match round % 20 {
            0 => below(&mut random, 3_000),
            _ => below(&mut random, 200),
        };
        let (theirs, ours) = policies(u32::try_from(bits_per_key).unwrap());
        let keys = keys(&mut random, count);
        let expected = theirs.create_filter(&keys);
        let absent: Vec<Vec<u8>> = (0..20)
            .map(|_| {
                let len = below(&mut random, 24);
                bytes(&mut random, len)
            })
            .collect();
        for ours in &ours {
            assert_eq!(ours.name(), theirs.name());
            assert!(
                ours.create_filter(&keys) == expected,
                "round {round}: {count} keys, {bits_per_key} bits per key"
            );
            for key in keys.iter().chain(&absent) {
                assert_eq!(
                    ours.key_may_match(key, &expected),
                    theirs.key_may_match(key, &expected),
                    "round {round}: {key:x?}"
                );
            }
            assert!(keys.iter().all(|key| ours.key_may_match(key, &expected)));
        }
    }
}

#[test]
fn answers_on_any_bytes_are_leveldbs_own() {
    let mut random = SplitMix64::seed_from_u64(2);
    let (theirs, ours) = policies(10);
    let (mut yes, mut no) = (0, 0);
    // Every length up to 40 bytes with every last byte; bits from none to all.
    for len in 0..=40 {
        for last in 0..=u8::MAX {
            let mut filter = bytes(&mut random, len);
            let sparse = below(&mut random, 3);
            for byte in &mut filter {
                let mask = random.next_u64().to_le_bytes()[0];
                match sparse {
                    0 => *byte |= mask,
                    1 => *byte &= mask,
                    _ => {}
                }
            }
            if let Some(byte) = filter.last_mut() {
                *byte = last;
            }
            for _ in 0..8 {
                let key_len = below(&mut random, 20);
                let key = bytes(&mut random, key_len);
                let answer = theirs.key_may_match(&key, &filter);
                for ours in &ours {
                    assert_eq!(ours.key_may_match(&key, &filter), answer, "{filter:x?}, {key:x?}");
                }
                *(if answer { &mut yes } else { &mut no }) += 1;
            }
        }
    }
    assert!(yes > 10_000 && no > 2_000, "{yes} times yes, {no} times no");
}

#[test]
fn a_large_filter_is_leveldbs_own() {
    let keys: Vec<Vec<u8>> = (0..300_000_u32).map(|i| i.to_le_bytes().to_vec()).collect();
    for bits_per_key in [10, 30] {
        let (theirs, ours) = policies(bits_per_key);
        let expected = theirs.create_filter(&keys);
        for ours in &ours {
            assert!(
                ours.create_filter(&keys) == expected,
                "{bits_per_key} bits per key"
            );
        }
    }
}
