//! LevelDB's own policy answers "may match" to filters of the newer formats, which it reads only under a wrong name, so
//! no key is lost. `FORMAT.md` of `filter-policy` promises this and names the one exception.
//!
//! The tests use the golden data of `filter-policy`: filters written by RocksDB, and `BloomFilter64.Xxph3` filters
//! written by another program.

use std::path::Path;

use bench_leveldb::EnginePolicy;
use filter_formats::BloomFilter64Policy;
use filter_formats::rocksdb::{FastLocalBloomPolicy, LegacyFullFilterPolicy, RibbonPolicy};
use filter_formats::view::{FilterKind, FilterLayout, FilterView};
use filter_policy::{BitsPerKey, FilterPolicy};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

/// Returns key number `i` by a rule of `tests/data/README.md` of `filter-policy`.
fn key(rule: &str, i: u32) -> Vec<u8> {
    match rule {
        "decimal" => i.to_string().into_bytes(),
        "key08" => format!("key{i:08}").into_bytes(),
        "u32le" => i.to_le_bytes().to_vec(),
        "highbit" => {
            let [low, middle, high] =
                [i & 0x3f, i >> 6 & 0x3f, i >> 12].map(|bits| u8::try_from(bits).unwrap());
            vec![0xe4, 0xb8, 0xad, 0x80 | low, 0xc0 | middle, 0x80 | high]
        }
        "highbit6" => {
            let [low, seven] = [i & 0x7f, (7 * i) & 0x7f].map(|bits| u8::try_from(bits).unwrap());
            let [third, ..] = (i >> 7).to_le_bytes();
            let [fourth, ..] = (i >> 15).to_le_bytes();
            vec![0xff, 0x80 | low, third, fourth, 0x9a, 0x80 | seven]
        }
        _ => panic!("no rule is called {rule:?}"),
    }
}

/// Reads a JSON Lines file of golden data.
fn rows<T: DeserializeOwned>(file: &str) -> Vec<T> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../filter-formats/tests/data");
    let text = std::fs::read_to_string(folder.join(file)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Decodes hexadecimal digits.
fn unhex(digits: &str) -> Vec<u8> {
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    assert!(rest.is_empty(), "odd number of hexadecimal digits");
    let byte = |pair: &[u8; 2]| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
    pairs.iter().map(byte).collect()
}

/// Returns LevelDB's policy, with different bits per key from most filters.
fn leveldb() -> EnginePolicy {
    EnginePolicy::builtin(10)
}

/// A golden filter. Long filters have only length and SHA-256, and are built again.
#[derive(Deserialize)]
struct Row {
    #[serde(default)]
    policy: String,
    bits_per_key: f64,
    format_version: Option<u32>,
    keys: String,
    n: u32,
    filter_hex: Option<String>,
    #[serde(default)]
    sha256: String,
    #[serde(default)]
    no_filter: bool,
}

impl Row {
    fn at(&self) -> String {
        let Self {
            policy,
            bits_per_key,
            keys,
            n,
            ..
        } = self;
        format!(
            "{policy} {:?}, {n} keys {keys}, {bits_per_key} bits",
            self.format_version
        )
    }

    /// Returns the filter's bytes and its keys.
    fn filter(&self, policy: &dyn FilterPolicy) -> (Vec<u8>, Vec<Vec<u8>>) {
        let keys: Vec<Vec<u8>> = (0..self.n).map(|i| key(&self.keys, i)).collect();
        let filter = self.filter_hex.as_ref().map_or_else(
            || {
                let slices: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
                let mut filter = Vec::new();
                policy.append_filter(&slices, &mut filter).unwrap();
                filter
            },
            |digits| unhex(digits),
        );
        assert_eq!(Sha256::digest(&filter)[..], unhex(&self.sha256), "{}", self.at());
        (filter, keys)
    }

    /// Returns absent keys by the same rule.
    fn absent(&self) -> impl Iterator<Item = Vec<u8>> {
        (1_000_000..1_000_200).map(|i| key(&self.keys, i))
    }
}

/// Checks that LevelDB's policy answers "may match" for stored, absent and odd keys.
fn check_open(
    filter: &[u8],
    stored: impl Iterator<Item = Vec<u8>>,
    absent: impl Iterator<Item = Vec<u8>>,
    at: &str,
) {
    let policy = leveldb();
    let odd = [Vec::new(), vec![0], vec![0xff; 300]];
    for key in stored.chain(absent).chain(odd) {
        assert!(policy.key_may_match(&key, filter), "{at}: {key:x?} is denied");
    }
}

#[test]
fn bloom64_filters_are_let_pass() {
    let rows: Vec<Row> = rows("bloom64/filters.jsonl");
    assert_eq!(rows.len(), 198);
    for row in rows {
        let policy = BloomFilter64Policy::new(BitsPerKey::fractional(row.bits_per_key).unwrap());
        let (filter, keys) = row.filter(&policy);
        check_open(&filter, keys.into_iter(), row.absent(), &row.at());
    }
}

#[test]
fn rocksdbs_filters_are_let_pass() {
    let (mut checked, mut without_bytes, mut none) = (0, 0, 0);
    for row in rows::<Row>("rocksdb/filters.jsonl") {
        assert_eq!(row.no_filter, row.bits_per_key < 0.5, "{}", row.at());
        if row.no_filter {
            none += 1;
            continue;
        }
        let bits_per_key = BitsPerKey::fractional(row.bits_per_key).unwrap();
        let policy: Box<dyn FilterPolicy> = match (row.policy.as_str(), row.format_version) {
            ("ribbon", _) => Box::new(RibbonPolicy::new(bits_per_key)),
            (_, Some(5..)) => Box::new(FastLocalBloomPolicy::new(bits_per_key)),
            _ => Box::new(LegacyFullFilterPolicy::new(bits_per_key)),
        };
        let (filter, keys) = row.filter(&*policy);
        if filter.is_empty() {
            // A Ribbon filter of no keys, which every reader denies.
            assert!(keys.is_empty() && !leveldb().key_may_match(b"key", &filter));
            without_bytes += 1;
            continue;
        }
        check_open(&filter, keys.into_iter(), row.absent(), &row.at());
        checked += 1;
    }
    assert_eq!((checked, without_bytes, none), (259, 6, 1));
}

#[test]
fn filters_in_rocksdbs_tables_are_let_pass() {
    #[derive(Deserialize)]
    struct Part {
        filter_hex: String,
    }
    #[derive(Deserialize)]
    struct Table {
        file: String,
        entries: u32,
        filter_hex: Option<String>,
        #[serde(default)]
        partitions: Vec<Part>,
    }
    let tables: Vec<Table> = rows("rocksdb/sst_filters.jsonl");
    assert_eq!(tables.len(), 17);
    let mut checked = 0;
    for table in tables {
        let rule = if table.file.contains("highbit") {
            "highbit6"
        } else {
            "key08"
        };
        let filters = table
            .filter_hex
            .into_iter()
            .chain(table.partitions.into_iter().map(|part| part.filter_hex));
        for digits in filters {
            // All keys of the table, although a filter of a partition holds only some.
            let stored = (0..table.entries).map(|i| key(rule, i));
            let absent = (1_000_000..1_000_200).map(|i| key(rule, i));
            check_open(&unhex(&digits), stored, absent, &table.file);
            checked += 1;
        }
    }
    assert_eq!(checked, 35);
}

/// Builds a Ribbon filter with `blocks` blocks and one column of zeros, which about half of all keys match.
fn ribbon(blocks: u32) -> Vec<u8> {
    let mut filter = vec![0; blocks as usize * 16];
    let [a, b, c, _] = blocks.to_le_bytes();
    filter.extend([0xfe, 0, a, b, c]);
    assert_eq!(
        FilterView::new(FilterLayout::RocksDb, &filter).kind(),
        FilterKind::Ribbon
    );
    filter
}

/// If the number of blocks extends into the last byte, LevelDB's policy reads that byte as the probe count.
#[test]
fn large_ribbon_filters_are_protected_by_their_name_alone() {
    let policy = leveldb();
    let stored = |filter: &[u8]| -> Vec<Vec<u8>> {
        let policy = RibbonPolicy::new(BitsPerKey::whole(10));
        let keys = (0..100).map(|i| key("key08", i));
        let stored: Vec<Vec<u8>> = keys.filter(|key| policy.key_may_match(key, filter)).collect();
        assert!((20..80).contains(&stored.len()), "{} keys", stored.len());
        stored
    };
    for blocks in [2, 65_535, 31 << 16] {
        let filter = ribbon(blocks);
        check_open(
            &filter,
            stored(&filter).into_iter(),
            [].into_iter(),
            &format!("{blocks} blocks"),
        );
    }
    for blocks in [65_536, (31 << 16) - 1] {
        let filter = ribbon(blocks);
        for key in stored(&filter) {
            assert!(!policy.key_may_match(&key, &filter), "{blocks} blocks: {key:x?}");
        }
    }
}
