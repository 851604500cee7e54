//! SurrealKV in memory.

use std::sync::Arc;

use filter_policy::policies::AnyPolicy;
use filter_policy::prefix::{FixedPrefix, PrefixPolicy};
use filter_policy::{FilterPolicy, formats};
use filter_policy_surrealkv::SurrealKvPolicy;
use surrealkv::{
    CompactRangeOptions, FileSystem, FilterPolicy as OfEngine, LSMIterator as _, Tree, TreeBuilder,
};
use tokio::runtime::Runtime;

use super::{Adapter, Database, Engine};
use crate::policies::{BLOOM, Failing, TEN};

pub(super) const ENGINE: Engine = Engine {
    name: "SurrealKV",
    adapter: |policy| Box::new(SurrealKvPolicy::new(policy).unwrap()),
    database: || {
        let files = FileSystem::memory();
        Box::new(move |policy: Option<AnyPolicy>| {
            let runtime = Runtime::new().unwrap();
            let policy = policy.map(|policy| Arc::new(SurrealKvPolicy::new(policy).unwrap()) as _);
            let tree = TreeBuilder::new()
                .with_path("/database".into())
                .with_file_system(files.clone())
                // Several partitions of each filter.
                .with_index_partition_size(512)
                .with_filter_policy(policy);
            let tree = runtime.block_on(tree.build_async()).unwrap();
            Ok(Box::new(Opened {
                tree,
                is_merged: false,
                runtime,
            }))
        })
    },
    filters_tables: true,
    compares_names: true,
    deletes: true,
    counts_reads: false,
    keeps_keys: false,
};

impl<P: FilterPolicy + Send + Sync> Adapter for SurrealKvPolicy<P> {
    /// Builds from keys, and from hash values of several versions of each.
    fn create(&self, keys: &[&[u8]]) -> Vec<u8> {
        let versions: Vec<u64> = keys.iter().flat_map(|key| [self.key_hash(key); 3]).collect();
        let keys: Vec<Vec<u8>> = keys.iter().map(|key| key.to_vec()).collect();
        let filter = self.create_filter(&keys);
        assert_eq!(self.create_filter_from_hashes(&versions), filter);
        filter
    }

    fn may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        self.may_contain(filter, key)
    }
}

struct Opened {
    tree: Tree,
    is_merged: bool,
    runtime: Runtime,
}

impl Opened {
    fn write(&self, change: impl FnOnce(&mut surrealkv::Transaction)) {
        let mut transaction = self.tree.begin().unwrap();
        change(&mut transaction);
        self.runtime.block_on(transaction.commit()).unwrap();
    }

    /// Writes what is in memory to a table, and merges tables down to a level.
    fn compact(&self, level: u8) {
        let options = CompactRangeOptions {
            target_level: Some(level),
            ..CompactRangeOptions::default()
        };
        self.tree.compact_range(None, None, &options).unwrap();
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.runtime.block_on(self.tree.close()).unwrap();
    }
}

impl Database for Opened {
    fn put(&mut self, key: &[u8], value: &[u8]) {
        self.write(|transaction| transaction.set(key, value).unwrap());
    }

    fn delete(&mut self, key: &[u8]) {
        self.write(|transaction| transaction.delete(key).unwrap());
    }

    fn flush(&mut self) {
        self.compact(0);
    }

    fn merge(&mut self) -> bool {
        self.compact(1);
        !std::mem::replace(&mut self.is_merged, true)
    }

    fn has(&mut self, key: &[u8]) -> bool {
        self.tree.begin().unwrap().get(key).unwrap().is_some()
    }

    fn count(&mut self) -> usize {
        let transaction = self.tree.begin().unwrap();
        let mut keys = transaction.range(&[][..], &[0xff; 301][..]).unwrap();
        let mut is_valid = keys.seek_first().unwrap();
        let mut count = 0;
        while is_valid {
            count += 1;
            is_valid = keys.next().unwrap();
        }
        count
    }

    fn reads(&self) -> u64 {
        0
    }
}

#[test]
fn a_partition_is_as_large_as_it_may_be() {
    let keys: Vec<Vec<u8>> = (0..200_000)
        .map(|i| format!("user:{i:07}").into_bytes())
        .collect();
    for format in formats::ALL {
        let (name, policy) = (format.name(), SurrealKvPolicy::new(format.policy(TEN)).unwrap());
        for bytes in [0, 1, 64, 1_000, 4_096, 16_384, 100_000] {
            let count = policy.filter_keys_per_partition(bytes);
            let len = policy.create_filter(&keys[..count]).len();
            assert!(
                count == 1 || count > 0 && len <= bytes,
                "{name}: {len} bytes in {bytes}"
            );
            // Formats have sizes of whole blocks, segments, and fingerprints of four or eight bits.
            let percent = if name == formats::BINARY_FUSE.name() {
                45
            } else {
                92
            };
            let is_full = bytes < 4_096 || len * 100 >= bytes * percent;
            assert!(is_full, "{name}: {len} bytes in {bytes}");
        }
        let count = policy.filter_keys_per_partition(16_384);
        assert!(
            name != formats::MURMUR2.name() || count == 13_106,
            "{count}, and the README says 13,106"
        );
        assert!(
            name != formats::RIBBON.name() || count > 18_000,
            "{count}, and the README says 18,000"
        );
    }
    // Filters that never grow: the search for the largest still ends.
    let policy = SurrealKvPolicy::new(Failing::named("Failing")).unwrap();
    assert!(policy.filter_keys_per_partition(16_384) <= 16_384 * 8);
}

#[test]
fn policies_without_hash_values_and_the_engines_names_are_refused() {
    let error = SurrealKvPolicy::new(PrefixPolicy::new(BLOOM, FixedPrefix::new(2))).unwrap_err();
    assert!(error.to_string().contains("key_hash"), "{error}");
    assert_eq!(surrealkv::RibbonFilter::new(10).name(), "surrealkv.RibbonFilter");
    for name in ["leveldb.BloomFilter", "surrealkv.RibbonFilter"] {
        let error = SurrealKvPolicy::new(Failing::named(name)).err().unwrap();
        assert!(error.to_string().contains("of this name"), "{error}");
    }
}
