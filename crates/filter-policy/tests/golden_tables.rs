//! The filters inside tables that LevelDB wrote, rebuilt from the keys of their data blocks.
//!
//! Each filter covers the keys of the data blocks that start in one range of 2048 bytes; ranges without such
//! a block have an empty filter.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterKind, FilterPolicy, FilterView, KeyHasher};
use serde::Deserialize;

mod support;

use support::{build, key, rows, unhex};

/// A run of keys in a table: where its block starts in the file, and how many entries it has.
#[derive(Deserialize)]
#[serde(from = "BlockForms")]
struct Block {
    offset: usize,
    count: usize,
    /// The block's first and last key in hexadecimal, where the data has them.
    ends: Option<[String; 2]>,
}

/// The two files write blocks differently.
#[derive(Deserialize)]
#[serde(untagged)]
enum BlockForms {
    Short(
        usize,
        #[expect(dead_code, reason = "the stored size stands between the other two")] usize,
        usize,
    ),
    Long {
        offset: usize,
        count: usize,
        first: String,
        last: String,
    },
}

impl From<BlockForms> for Block {
    fn from(form: BlockForms) -> Self {
        match form {
            BlockForms::Short(offset, _, count) => Self {
                offset,
                count,
                ends: None,
            },
            BlockForms::Long {
                offset,
                count,
                first,
                last,
            } => Self {
                offset,
                count,
                ends: Some([first, last]),
            },
        }
    }
}

#[derive(Deserialize)]
struct Table {
    file: String,
    filter_name: Option<String>,
    entries: usize,
    #[serde(default)]
    offsets: Vec<usize>,
    #[serde(default)]
    array_offset: usize,
    data_blocks: Vec<Block>,
    #[serde(default)]
    filter_block_hex: String,
}

/// Rebuilds every filter of a table from its keys; returns how many were not empty.
fn check<H: KeyHasher>(policy: &BloomFilterPolicy<H>, table: &Table, keys: &[Vec<u8>]) -> usize {
    let file = &table.file;
    assert_eq!(keys.len(), table.entries, "{file}");
    let block = unhex(&table.filter_block_hex);
    let ends = table.offsets.iter().skip(1).copied().chain([table.array_offset]);

    let mut blocks = table.data_blocks.iter().peekable();
    let mut rest = keys;
    let mut filters = 0;
    for (index, (&start, end)) in table.offsets.iter().zip(ends).enumerate() {
        let filter = &block[start..end];
        let mut covered = Vec::new();
        while let Some(data) = blocks.next_if(|data| data.offset / 2048 == index) {
            let (own, others) = rest.split_at(data.count);
            if let Some([first, last]) = &data.ends {
                assert_eq!(own.first(), Some(&unhex(first)), "{file}");
                assert_eq!(own.last(), Some(&unhex(last)), "{file}");
            }
            covered.extend_from_slice(own);
            rest = others;
        }
        if covered.is_empty() {
            assert!(filter.is_empty(), "{file}, filter {index}");
            assert_eq!(FilterView::new(filter).kind(), FilterKind::TooShort);
            continue;
        }
        assert_eq!(filter, build(policy, &covered), "{file}, filter {index}");
        assert_eq!(
            FilterView::new(filter).probe_count(),
            Some(policy.bits_per_key().probe_count())
        );
        for key in &covered {
            assert!(
                policy.key_may_match(key, filter),
                "{file}, filter {index}: {key:x?} is denied"
            );
        }
        filters += 1;
    }
    assert!(
        rest.is_empty() && blocks.next().is_none(),
        "{file}: keys without a filter"
    );
    filters
}

#[test]
fn tables_of_bloom_filter2_on_x86() {
    let mut filters = Vec::new();
    for table in rows::<Table>("article/ldb_filters.jsonl") {
        let rule = if table.file.contains("highbit") {
            "highbit"
        } else {
            "key08"
        };
        let mut keys: Vec<Vec<u8>> = (0..1000).map(|i| key(rule, i)).collect();
        keys.sort();
        // Stored under the plain name, written with signed tail bytes.
        assert_eq!(table.filter_name.as_deref(), Some("filter.BloomFilter2"));
        let policy = BloomFilterPolicy::bloom_filter2_signed_tail(BitsPerKey::whole(10));
        filters.push(check(&policy, &table, &keys));
    }
    assert_eq!(filters, [4, 5]);
}

/// The keys of a table of LevelDB's in the order of its entries, as `tests/data/README.md` describes them.
fn leveldb_keys(file: &str) -> Vec<Vec<u8>> {
    let key08 = |i| key("key08", i);
    let highbit = |i: u32| {
        let [low, high] = [i & 0x7f, i >> 7].map(|bits| u8::try_from(bits).unwrap());
        vec![0xe4, 0xb8, 0xad, 0x80 | low, 0xc0 | high]
    };
    match file {
        "tablebuilder_empty_bpk10.ldb" => Vec::new(),
        "tablebuilder_one_bpk10.ldb" => vec![b"only".to_vec()],
        "tablebuilder_highbit_bpk10_bs1024.ldb" => {
            let mut keys: Vec<_> = (0..600).map(highbit).collect();
            keys.sort();
            keys
        }
        "db_bpk10_nosnappy_bs4096_bigvalues.ldb" => (0..500).map(key08).collect(),
        // Every tenth key has a deletion beside its insertion, two entries of one user key.
        "db_bpk10_tombstones_bs4096.ldb" => (0..1000)
            .flat_map(|i| vec![key08(i); if i % 10 == 0 { 2 } else { 1 }])
            .collect(),
        _ => (0..2000).map(key08).collect(),
    }
}

#[test]
fn tables_of_leveldb() {
    let (mut tables, mut filters) = (0, 0);
    for table in rows::<Table>("leveldb/ldb_filters.jsonl") {
        let Some(name) = &table.filter_name else {
            assert_eq!(table.file, "db_nofilter_bs4096.ldb");
            continue;
        };
        let bits_per_key = if table.file.contains("bpk14") { 14 } else { 10 };
        let policy = BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(bits_per_key));
        assert_eq!(name.strip_prefix("filter."), Some(policy.name()));
        filters += check(&policy, &table, &leveldb_keys(&table.file));
        tables += 1;
    }
    assert_eq!(tables, 12);
    assert!(filters > 200, "only {filters} filters");
}
