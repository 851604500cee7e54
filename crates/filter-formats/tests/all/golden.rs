//! Filters that other programs wrote: rebuilt byte for byte, with every recorded answer repeated.

use filter_formats::Format;
use filter_formats::rocksdb::{FastLocalBloom, LegacyBloom, Ribbon};
use filter_formats::view::{FilterKind, FilterView};
use filter_formats::{BinaryFuse, Bloom64};
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::support::golden::{key, rows, unhex};
use super::support::random::slices;
use super::support::ways::filter_of;

const TEN: BitsPerKey = BitsPerKey::whole(10);

/// The filter of a row.
#[derive(Deserialize)]
struct Stored {
    len: usize,
    filter_hex: Option<String>,
    sha256: Option<String>,
    /// The answers for absent keys, or the rule for these keys.
    absent: String,
    answers: Option<String>,
}

impl Stored {
    /// Checks that the policy builds this filter, finds the keys in it, and gives the recorded answers for absent keys.
    fn check(&self, policy: &dyn FilterPolicy, keys: &[Vec<u8>], absent: &[Vec<u8>], at: &str) -> Vec<u8> {
        let filter = filter_of(policy, keys);
        assert_eq!(filter.len(), self.len, "{at}");
        assert!(
            self.filter_hex.is_some() || self.sha256.is_some(),
            "{at}: nothing to compare with"
        );
        if let Some(digits) = &self.filter_hex {
            assert_eq!(filter, unhex(digits), "{at}");
        }
        if let Some(digest) = &self.sha256 {
            assert_eq!(Sha256::digest(&filter)[..], unhex(digest), "{at}");
        }
        for key in keys {
            assert!(policy.key_may_match(key, &filter), "{at}: {key:x?} is denied");
        }
        let answers = absent
            .iter()
            .map(|key| char::from(b'0' + u8::from(policy.key_may_match(key, &filter))));
        let recorded = self.answers.as_ref().unwrap_or(&self.absent);
        assert_eq!(&answers.collect::<String>(), recorded, "{at}");
        filter
    }
}

#[derive(Deserialize)]
struct Row {
    #[serde(default)]
    policy: String,
    tail: Option<String>,
    bits_per_key: f64,
    #[serde(default)]
    format_version: u32,
    keys: String,
    n: u32,
    k: Option<u8>,
    /// `None` if the engine writes no filter.
    #[serde(flatten)]
    stored: Option<Stored>,
}

impl Row {
    fn bits(&self) -> BitsPerKey {
        BitsPerKey::fractional(self.bits_per_key).unwrap()
    }

    /// Checks a policy with the keys of the row; absent keys are numbered from `first_absent`. Returns the kind of the filter.
    fn check(&self, policy: &dyn FilterPolicy, layout: Format, first_absent: u32) -> FilterKind {
        let at = format!(
            "{} {:?} version {}, {} keys {}, {} bits",
            policy.name(),
            self.tail,
            self.format_version,
            self.n,
            self.keys,
            self.bits_per_key
        );
        let stored = self.stored.as_ref().unwrap_or_else(|| panic!("{at}: no filter"));
        let keys = |first: u32| (first..).map(|i| key(&self.keys, i));
        let absent: Vec<Vec<u8>> = keys(first_absent).take(stored.absent.len()).collect();
        let keys: Vec<Vec<u8>> = keys(0).take(self.n as usize).collect();
        let filter = stored.check(policy, &keys, &absent, &at);
        let view = FilterView::new(layout, &filter);
        assert!(
            self.k.is_none() || view.probe_count() == self.k.map(u32::from),
            "{at}: {view:?}"
        );
        view.kind()
    }
}

#[test]
fn leveldb() {
    let rows: Vec<Row> = rows("leveldb/policy.jsonl");
    assert_eq!(rows.len(), 304);
    for row in &rows {
        let policy = BloomFilterPolicy::with_leveldb_hash(row.bits());
        assert_eq!(policy.name(), row.policy);
        let kind = row.check(&policy, Format::LEVEL_DB, 1_000_000);
        assert_eq!(kind, FilterKind::Filter(Format::LEVEL_DB));
    }
}

/// The `BloomFilter2` policy inside LevelDB.
#[test]
fn bloom_filter2() {
    let rows: Vec<Row> = rows("article/policy.jsonl");
    assert_eq!(rows.len(), 210);
    for row in &rows {
        assert_eq!(row.policy, "BloomFilter2");
        let policy: &dyn FilterPolicy = match row.tail.as_deref() {
            Some("unsigned") => &BloomFilterPolicy::new(row.bits()),
            Some("signed_x86") => &BloomFilterPolicy::with_signed_tail(row.bits()),
            other => panic!("no tail is called {other:?}"),
        };
        row.check(policy, Format::LEVEL_DB, 100_000);
    }
}

/// Filters that another program wrote from the format's description.
#[test]
fn bloom64() {
    let rows: Vec<Row> = rows("bloom64/filters.jsonl");
    assert_eq!(rows.len(), 198);
    for row in &rows {
        let policy = Bloom64::new(row.bits());
        let kind = row.check(&policy, Format::BLOOM64, 1_000_000);
        assert_eq!(kind, FilterKind::Filter(Format::BLOOM64));
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
                ("bloom", true) => (&FastLocalBloom::new(bits), 0),
                ("bloom", false) => (&LegacyBloom::new(bits), 1),
                ("ribbon", _) => (&Ribbon::new(bits), 2),
                other => panic!("no policy is called {other:?}"),
            };
        let kind = match row.check(policy, Format::FAST_LOCAL_BLOOM, 1_000_000) {
            FilterKind::Empty if row.n == 0 => 0,
            FilterKind::Filter(format) if format == Format::FAST_LOCAL_BLOOM => 1,
            FilterKind::Filter(format) if format == Format::LEGACY_BLOOM => 2,
            FilterKind::Filter(format) if format == Format::RIBBON => 3,
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
        let bits_per_key = Format::BINARY_FUSE.bits_per_key_for_rate(row.n, rate).unwrap();
        let filter = row
            .stored
            .check(&BinaryFuse::new(bits_per_key), &keys, &absent, &at);
        let (packed, _) = filter.split_last_chunk::<14>().unwrap();
        let view = FilterView::new(Format::BINARY_FUSE, &filter);
        assert_eq!(
            (view.kind(), view.bit_array()),
            (FilterKind::Filter(Format::BINARY_FUSE), packed)
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
        let policy = BinaryFuse::new(BitsPerKey::fractional(bits).unwrap());
        let filter = policy.build(&keys).unwrap();
        assert_eq!((filter.last(), filter.len()), (Some(&width), len), "{bits}");
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OddRow {
    LevelDb {
        filter_hex: String,
        key_hex: String,
        may_match: bool,
    },
    RocksDb {
        filter_hex: String,
        note: String,
        first8: String,
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
    let rows: Vec<OddRow> = ["leveldb", "rocksdb"]
        .iter()
        .flat_map(|engine| rows(&format!("{engine}/odd_filters.jsonl")))
        .collect();
    assert_eq!(rows.len(), 69 + 23);
    for row in rows {
        match row {
            OddRow::LevelDb {
                filter_hex,
                key_hex,
                may_match,
            } => {
                let answer = BloomFilterPolicy::with_leveldb_hash(TEN)
                    .key_may_match(&unhex(&key_hex), &unhex(&filter_hex));
                assert_eq!(answer, may_match, "key {key_hex:?}, filter {filter_hex:?}");
            }
            OddRow::RocksDb {
                filter_hex,
                note,
                first8,
            } => {
                let (policy, filter) = (FastLocalBloom::new(TEN), unhex(&filter_hex));
                for (i, expected) in (0..).zip(first8.chars()) {
                    let answer = policy.key_may_match(&key("key08", i), &filter);
                    assert_eq!(answer, expected == '1', "{note}: {i}");
                }
            }
            OddRow::Append {
                append_to,
                keys,
                bits_per_key,
                result_hex,
            } => {
                let policy = BloomFilterPolicy::with_leveldb_hash(BitsPerKey::whole(bits_per_key));
                let mut buffer = append_to.into_bytes();
                policy.append_filter(&slices(&keys), &mut buffer).unwrap();
                assert_eq!(buffer, unhex(&result_hex));
            }
        }
    }
}
