//! Filters that other programs wrote: rebuilt byte for byte, with every recorded answer repeated. `tests/data/PROVENANCE.md`
//! names the programs.

use filter_policy::formats;
use filter_policy::rocksdb::FastLocalBloomPolicy;
use filter_policy::view::{FilterKind, FilterView};
use filter_policy::{AnyFormat, BinaryFusePolicy, BitsPerKey, BloomFilterPolicy, FilterPolicy};
use serde::Deserialize;

use super::support::golden::{key, rows, unhex};
use super::support::recorded::{Row, Stored};

const TEN: BitsPerKey = BitsPerKey::whole(10);

/// The formats of one layout.
const OF_ROCKSDB: [&dyn AnyFormat; 3] = [formats::FAST_LOCAL_BLOOM, formats::LEGACY_BLOOM, formats::RIBBON];

/// Returns the format that the writer of a row was asked for.
fn format_of(row: &Row) -> &'static dyn AnyFormat {
    match (row.policy.as_str(), row.tail.as_str(), row.format_version) {
        ("leveldb.BuiltinBloomFilter2", ..) => formats::LEVEL_DB,
        ("BloomFilter2", "unsigned", _) => formats::MURMUR2,
        ("BloomFilter2", "signed_x86", _) => formats::MURMUR2_SIGNED_TAIL,
        ("", ..) => formats::BLOOM64,
        ("bloom", _, 5..) => formats::FAST_LOCAL_BLOOM,
        ("bloom", ..) => formats::LEGACY_BLOOM,
        ("ribbon", ..) => formats::RIBBON,
        other => panic!("no writer is called {other:?}"),
    }
}

#[test]
fn filters_of_numbered_keys() {
    // Those that RocksDB's policies wrote, by their kinds: empty, FastLocalBloom, legacy, Ribbon.
    let mut of_rocksdb = [[0; 4]; 3];
    for (file, count, first_absent) in [
        ("leveldb/policy.jsonl", 304, 1_000_000),
        ("article/policy.jsonl", 210, 100_000),
        ("bloom64/filters.jsonl", 198, 1_000_000),
        ("rocksdb/filters.jsonl", 266, 1_000_000),
    ] {
        let rows: Vec<Row> = rows(file);
        assert_eq!(rows.len(), count, "{file}");
        for row in &rows {
            let format = format_of(row);
            let place = |kind| OF_ROCKSDB.iter().position(|known| known.kind() == kind);
            let writer = place(format.kind());
            if row.stored.is_none() {
                // RocksDB writes no filter.
                assert!(writer.is_some() && row.bits_per_key < 0.5, "{file}");
                continue;
            }
            let filter = row.check(&format.policy(row.bits()), first_absent);
            let view = FilterView::new(format, &filter);
            assert!(
                row.k.is_none() || view.probe_count() == row.k.map(u32::from),
                "{view:?}"
            );
            match (writer, view.kind()) {
                (None, FilterKind::Filter(kind)) => assert_eq!(kind, format.kind()),
                (Some(writer), FilterKind::Empty) if row.n == 0 => of_rocksdb[writer][0] += 1,
                (Some(writer), FilterKind::Filter(kind)) => {
                    of_rocksdb[writer][1 + place(kind).unwrap()] += 1;
                }
                (_, other) => panic!("{file}: {other:?}"),
            }
        }
    }
    assert_eq!(of_rocksdb, [[6, 73, 0, 0], [9, 0, 76, 0], [6, 24, 0, 71]]);
}

#[derive(Deserialize)]
struct FuseRow {
    keys: String,
    n: u64,
    bits: u8,
    #[serde(flatten)]
    stored: Stored,
}

/// Binary fuse filters that Pebble's code wrote.
#[test]
fn pebble() {
    let rows: Vec<FuseRow> = rows("pebble/binary_fuse.jsonl");
    assert_eq!(rows.len(), 63);
    for row in rows {
        let at = format!("{} keys, {} bits", row.n, row.bits);
        assert_eq!(row.keys, "key%08d of i + 0");
        assert_eq!(row.stored.absent, "key%08d of i + 100000000 + salt, then /absent");
        let keys: Vec<Vec<u8>> = (0..row.n).map(|i| format!("key{i:08}").into_bytes()).collect();
        let absent: Vec<Vec<u8>> = (100_000_000..100_000_200)
            .map(|i| format!("key{i:08}/absent").into_bytes())
            .collect();
        let rate = 0.5_f64.powi(row.bits.into());
        let bits_per_key = formats::BINARY_FUSE.bits_per_key_for_rate(row.n, rate).unwrap();
        let filter = row
            .stored
            .check(&BinaryFusePolicy::new(bits_per_key), &keys, &absent, &at);
        let (packed, _) = filter.split_last_chunk::<14>().unwrap();
        let view = FilterView::new(formats::BINARY_FUSE, &filter);
        assert_eq!(
            (view.kind(), view.bit_array()),
            (FilterKind::Filter(formats::BINARY_FUSE.kind()), packed)
        );
        assert!((view.expected_rate() / rate - 1.0).abs() < 1e-12);
    }
}

#[test]
fn bits_per_key_choose_the_width_of_fingerprints() {
    let keys: Vec<[u8; 4]> = (0..3_000_u32).map(u32::to_le_bytes).collect();
    for (bits, width, len) in [
        (0.0, 4, 2_062),
        (10.95, 4, 2_062),
        (10.96, 8, 4_110),
        (13.6, 8, 4_110),
        (13.7, 10, 5_137),
        (20.0, 12, 6_159),
        (21.9, 16, 8_206),
        (1e9, 16, 8_206),
    ] {
        let policy = BinaryFusePolicy::new(BitsPerKey::fractional(bits).unwrap());
        let filter = policy.build(&keys).unwrap();
        assert_eq!((filter.last(), filter.len()), (Some(&width), len), "{bits}");
    }
}

#[derive(Deserialize)]
struct OddRow {
    filter_hex: String,
    note: String,
    first8: String,
}

#[test]
fn degenerate_filters_of_rocksdb() {
    let rows: Vec<OddRow> = rows("rocksdb/odd_filters.jsonl");
    assert_eq!(rows.len(), 23);
    for OddRow {
        filter_hex,
        note,
        first8,
    } in rows
    {
        let (policy, filter) = (FastLocalBloomPolicy::new(TEN), unhex(&filter_hex));
        for (i, expected) in (0..).zip(first8.chars()) {
            let answer = policy.key_may_match(&key("key08", i), &filter);
            assert_eq!(answer, expected == '1', "{note}: {i}");
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum LevelDbRow {
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
    let rows: Vec<LevelDbRow> = rows("leveldb/odd_filters.jsonl");
    assert_eq!(rows.len(), 69);
    for row in rows {
        match row {
            LevelDbRow::Query {
                filter_hex,
                key_hex,
                may_match,
            } => {
                let policy = BloomFilterPolicy::with_leveldb_hash(BitsPerKey::whole(10));
                let answer = policy.key_may_match(&unhex(&key_hex), &unhex(&filter_hex));
                assert_eq!(answer, may_match, "key {key_hex:?}, filter {filter_hex:?}");
            }
            LevelDbRow::Append {
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
