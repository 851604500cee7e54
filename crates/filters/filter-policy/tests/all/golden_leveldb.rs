//! Filters that LevelDB wrote, with its own policy and with the article's.

use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy};
use serde::Deserialize;

use super::support::golden::{rows, unhex};
use super::support::recorded::Row;

#[test]
fn leveldb() {
    let rows: Vec<Row> = rows("leveldb/policy.jsonl");
    assert_eq!(rows.len(), 304);
    for row in &rows {
        let policy = BloomFilterPolicy::with_leveldb_hash(row.bits());
        assert_eq!(policy.name(), row.policy);
        assert_eq!(row.check(&policy, 1_000_000).last(), row.k.as_ref());
    }
}

/// The `BloomFilter2` policy inside LevelDB.
#[test]
fn bloom_filter2() {
    let rows: Vec<Row> = rows("article/policy.jsonl");
    assert_eq!(rows.len(), 210);
    for row in &rows {
        assert_eq!(row.policy, "BloomFilter2");
        let policy: &dyn FilterPolicy = match row.tail.as_str() {
            "unsigned" => &BloomFilterPolicy::new(row.bits()),
            "signed_x86" => &BloomFilterPolicy::with_signed_tail(row.bits()),
            other => panic!("no tail is called {other:?}"),
        };
        assert_eq!(row.check(policy, 100_000).last(), row.k.as_ref());
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
    let rows: Vec<OddRow> = rows("leveldb/odd_filters.jsonl");
    assert_eq!(rows.len(), 69);
    for row in rows {
        match row {
            OddRow::Query {
                filter_hex,
                key_hex,
                may_match,
            } => {
                let policy = BloomFilterPolicy::with_leveldb_hash(BitsPerKey::whole(10));
                let answer = policy.key_may_match(&unhex(&key_hex), &unhex(&filter_hex));
                assert_eq!(answer, may_match, "key {key_hex:?}, filter {filter_hex:?}");
            }
            OddRow::Append {
                append_to,
                keys,
                bits_per_key,
                result_hex,
            } => {
                let policy = BloomFilterPolicy::with_leveldb_hash(BitsPerKey::whole(bits_per_key));
                let (keys, mut buffer) = (
                    keys.iter().map(String::as_bytes).collect::<Vec<_>>(),
                    append_to.into_bytes(),
                );
                policy.append_filter(&keys, &mut buffer).unwrap();
                assert_eq!(buffer, unhex(&result_hex));
            }
        }
    }
}
