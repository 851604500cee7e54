//! Filters that other programs wrote: rebuilt byte for byte, with every recorded answer repeated.

use filter_policy::AnyFormat;
use filter_policy::formats;
use filter_policy::rocksdb::{FastLocalBloomPolicy, LegacyBloomPolicy, RibbonPolicy};
use filter_policy::view::{FilterKind, FilterView};
use filter_policy::{BinaryFusePolicy, BloomFilter64Policy};
use filter_policy::{BitsPerKey, FilterPolicy};
use serde::Deserialize;

use super::support::golden::{key, rows, unhex};
use super::support::recorded::{Row, Stored};

const TEN: BitsPerKey = BitsPerKey::whole(10);

/// Checks a row; returns the kind of the filter.
fn kind_of(row: &Row, policy: &dyn FilterPolicy, format: &'static dyn AnyFormat) -> FilterKind {
    let filter = row.check(policy, 1_000_000);
    let view = FilterView::new(format, &filter);
    assert!(
        row.k.is_none() || view.probe_count() == row.k.map(u32::from),
        "{view:?}"
    );
    view.kind()
}

/// Filters that another program wrote from the format's description.
#[test]
fn bloom64() {
    let rows: Vec<Row> = rows("bloom64/filters.jsonl");
    assert_eq!(rows.len(), 198);
    for row in &rows {
        let policy = BloomFilter64Policy::new(row.bits());
        let kind = kind_of(row, &policy, formats::BLOOM64);
        assert_eq!(kind, FilterKind::Filter(formats::BLOOM64.kind()));
    }
}

#[test]
fn rocksdb() {
    let mut kinds = [[0; 4]; 3];
    for row in rows::<Row>("rocksdb/filters.jsonl") {
        assert_eq!(row.stored.is_none(), row.bits_per_key < 0.5);
        if row.stored.is_none() {
            continue;
        }
        let bits = row.bits();
        let (policy, writer): (&dyn FilterPolicy, usize) =
            match (row.policy.as_str(), row.format_version >= 5) {
                ("bloom", true) => (&FastLocalBloomPolicy::new(bits), 0),
                ("bloom", false) => (&LegacyBloomPolicy::new(bits), 1),
                ("ribbon", _) => (&RibbonPolicy::new(bits), 2),
                other => panic!("no policy is called {other:?}"),
            };
        let kind = match kind_of(&row, policy, formats::FAST_LOCAL_BLOOM) {
            FilterKind::Empty if row.n == 0 => 0,
            FilterKind::Filter(kind) if kind == formats::FAST_LOCAL_BLOOM.kind() => 1,
            FilterKind::Filter(kind) if kind == formats::LEGACY_BLOOM.kind() => 2,
            FilterKind::Filter(kind) if kind == formats::RIBBON.kind() => 3,
            other => panic!("{other:?}"),
        };
        kinds[writer][kind] += 1;
    }
    assert_eq!(kinds, [[6, 73, 0, 0], [9, 0, 76, 0], [6, 24, 0, 71]]);
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
