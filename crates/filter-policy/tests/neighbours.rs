//! Absent ids between stored ones: where LevelDB's hash, which does not mix a last time when a key's length is a
//! multiple of four, lets far more of them pass than MurmurHash2 does. README.md and THEORY.md state these figures.
#![cfg(feature = "alloc")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy as _, KeyHasher, LevelDbHash, Murmur2};

/// Keys asked for each size of filter.
const ASKED: u64 = 1 << 18;

/// A decimal id with leading zeros.
fn id(number: u64, digits: usize) -> Vec<u8> {
    format!("{number:0digits$}").into_bytes()
}

/// Share of absent ids that pass: many filters, each of `keys` even numbers in a row, asked for the odd numbers after
/// them.
fn passing<H: KeyHasher>(policy: &BloomFilterPolicy<H>, keys: u64, digits: usize) -> f64 {
    let filters = ASKED / keys;
    let mut passed = 0;
    for index in 0..filters {
        let stored = (0..keys).map(|i| 2 * (index * keys + i));
        let filter = policy
            .build(stored.clone().map(|number| id(number, digits)))
            .unwrap();
        passed += stored
            .filter(|number| policy.key_may_match(&id(number + 1, digits), &filter))
            .count();
    }
    passed as f64 / (filters * keys) as f64
}

fn leveldb() -> BloomFilterPolicy<LevelDbHash> {
    BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(10))
}

fn bloom_filter2() -> BloomFilterPolicy<Murmur2> {
    BloomFilterPolicy::bloom_filter2(BitsPerKey::whole(10))
}

#[test]
fn small_filters_of_leveldbs_hash_let_neighbours_of_16_bytes_pass() {
    for (keys, expected) in [
        (32, 0.41),
        (38, 0.59),
        (64, 0.42),
        (100, 0.015),
        (128, 0.020),
        (320, 0.10),
    ] {
        let rate = passing(&leveldb(), keys, 16);
        assert!((rate / expected - 1.0).abs() < 0.1, "{keys} keys: {rate}");
    }
}

#[test]
fn large_filters_of_leveldbs_hash_do_not() {
    for keys in [500, 512, 640, 4096] {
        let rate = passing(&leveldb(), keys, 16);
        assert!((0.007..0.018).contains(&rate), "{keys} keys: {rate}");
    }
}

#[test]
fn nor_do_keys_of_17_bytes_or_murmur_hash_2() {
    for keys in [32, 38, 64, 100, 128, 512] {
        for (what, rate) in [
            ("LevelDB's hash, 17 bytes", passing(&leveldb(), keys, 17)),
            ("MurmurHash2, 16 bytes", passing(&bloom_filter2(), keys, 16)),
            ("MurmurHash2, 17 bytes", passing(&bloom_filter2(), keys, 17)),
        ] {
            assert!((0.007..0.0135).contains(&rate), "{what}, {keys} keys: {rate}");
        }
    }
}
