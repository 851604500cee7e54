//! Filters that LevelDB wrote, and that the `BloomFilter2` policy wrote inside LevelDB: rebuilt byte for byte, with
//! every recorded answer repeated.

use filter_formats::view::{FilterKind, FilterLayout, FilterView};
use filter_policy::hashers::KeyHasher;
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy, HashedPolicy};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::support::{key, rows, unhex};

/// Builds a filter in a slice of exactly the length that the policy states, without an allocator.
fn build<H: KeyHasher>(policy: &BloomFilterPolicy<H>, keys: &[Vec<u8>]) -> Vec<u8> {
    let mut filter = vec![0xaa; policy.max_filter_len(keys.len()).unwrap()];
    let written = policy.build_in(keys, &mut filter).unwrap().len();
    assert_eq!(written, filter.len());
    filter
}

#[derive(Deserialize)]
struct Row {
    policy: String,
    tail: Option<String>,
    keys: String,
    bits_per_key: u32,
    n: u32,
    k: u8,
    len: usize,
    filter_hex: Option<String>,
    sha256: Option<String>,
    absent: String,
}

/// Checks one row against a policy; absent keys are numbered from `first_absent`.
fn check<H: KeyHasher>(policy: &BloomFilterPolicy<H>, row: &Row, first_absent: u32) {
    let at = format!(
        "{} {:?}, {} keys {}, {} bits",
        row.policy, row.tail, row.n, row.keys, row.bits_per_key
    );
    assert!(
        row.filter_hex.is_some() || row.sha256.is_some(),
        "{at}: nothing to compare with"
    );

    let keys: Vec<Vec<u8>> = (0..row.n).map(|i| key(&row.keys, i)).collect();
    let filter = build(policy, &keys);
    assert_eq!(filter.len(), row.len, "{at}");
    if let Some(digits) = &row.filter_hex {
        assert_eq!(filter, unhex(digits), "{at}");
    }
    if let Some(digest) = &row.sha256 {
        assert_eq!(Sha256::digest(&filter)[..], unhex(digest), "{at}");
    }

    let view = FilterView::new(FilterLayout::LEVEL_DB, &filter);
    assert_eq!(
        (view.kind(), view.probe_count()),
        (FilterKind::LEVEL_DB, Some(row.k)),
        "{at}"
    );
    for key in &keys {
        assert!(policy.key_may_match(key, &filter), "{at}: {key:x?} is denied");
    }
    let answers: String = (first_absent..)
        .take(row.absent.len())
        .map(|i| {
            if policy.key_may_match(&key(&row.keys, i), &filter) {
                '1'
            } else {
                '0'
            }
        })
        .collect();
    assert_eq!(answers, row.absent, "{at}");
}

#[test]
fn leveldb_filters() {
    let rows: Vec<Row> = rows("leveldb/policy.jsonl");
    assert_eq!(rows.len(), 304);
    for row in &rows {
        let policy = BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(row.bits_per_key));
        assert_eq!(policy.name(), row.policy);
        assert_eq!(row.absent.len(), 200);
        check(&policy, row, 1_000_000);
    }
}

#[test]
fn bloom_filter2_filters() {
    let rows: Vec<Row> = rows("article/policy.jsonl");
    assert_eq!(rows.len(), 210);
    for row in &rows {
        assert_eq!((row.policy.as_str(), row.absent.len()), ("BloomFilter2", 100));
        let bits_per_key = BitsPerKey::whole(row.bits_per_key);
        match row.tail.as_deref() {
            Some("unsigned") => check(&BloomFilterPolicy::new(bits_per_key), row, 100_000),
            Some("signed_x86") => {
                check(&BloomFilterPolicy::signed_tail(bits_per_key), row, 100_000);
            }
            other => panic!("no tail is called {other:?}"),
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OddRow {
    Query {
        filter_hex: String,
        key_hex: String,
        may_match: bool,
    },
    Append {
        append_to: String,
        keys: Vec<String>,
        bits_per_key: u32,
        result_hex: String,
    },
}

#[test]
fn degenerate_filters_and_appending() {
    let (mut queries, mut appends) = (0, 0);
    for row in rows("leveldb/odd_filters.jsonl") {
        match row {
            OddRow::Query {
                filter_hex,
                key_hex,
                may_match,
            } => {
                let policy = BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(10));
                let answer = policy.key_may_match(&unhex(&key_hex), &unhex(&filter_hex));
                assert_eq!(answer, may_match, "key {key_hex:?}, filter {filter_hex:?}");
                queries += 1;
            }
            OddRow::Append {
                append_to,
                keys,
                bits_per_key,
                result_hex,
            } => {
                let policy = BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(bits_per_key));
                let mut buffer = append_to.into_bytes();
                let start = buffer.len();
                buffer.resize(start + policy.max_filter_len(keys.len()).unwrap(), 0xaa);
                policy.build_in(&keys, &mut buffer[start..]).unwrap();
                assert_eq!(buffer, unhex(&result_hex));
                {
                    buffer.truncate(start);
                    policy.append(&keys, &mut buffer).unwrap();
                    assert_eq!(buffer, unhex(&result_hex));
                }
                appends += 1;
            }
        }
    }
    assert_eq!((queries, appends), (68, 1));
}
