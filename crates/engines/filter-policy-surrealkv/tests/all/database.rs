//! Writes, compacts, reopens and reads whole databases. Counts the queries that filters deny, each of which saves a
//! block from being read.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use filter_policy::BitsPerKey;
use filter_policy::formats;
use filter_policy::policies;
use filter_policy_surrealkv::SurrealKvPolicy;
use surrealkv::inspect::{dump_manifest, dump_sst};
use surrealkv::{CompactRangeOptions, FilterPolicy, Tree, TreeBuilder};
use tempfile::TempDir;

const TEN: BitsPerKey = BitsPerKey::whole(10);
const COUNT: u32 = 40_000;
/// Fewer than make the engine compact on its own.
const TABLES: u32 = 3;

/// Counts the engine's queries and the answers "no".
struct Counted {
    policy: Arc<dyn FilterPolicy>,
    queried: AtomicU64,
    denied: AtomicU64,
}

impl Counted {
    fn new(policy: impl FilterPolicy + 'static) -> Arc<Self> {
        Arc::new(Self {
            policy: Arc::new(policy),
            queried: AtomicU64::new(0),
            denied: AtomicU64::new(0),
        })
    }

    /// Returns the queries and the denials since the last call.
    fn take(&self) -> (u64, u64) {
        let take = |counter: &AtomicU64| counter.swap(0, Ordering::Relaxed);
        (take(&self.queried), take(&self.denied))
    }
}

impl FilterPolicy for Counted {
    fn name(&self) -> &str {
        self.policy.name()
    }

    fn may_contain(&self, filter: &[u8], key: &[u8]) -> bool {
        let may = self.policy.may_contain(filter, key);
        self.queried.fetch_add(1, Ordering::Relaxed);
        self.denied.fetch_add(u64::from(!may), Ordering::Relaxed);
        may
    }

    fn create_filter(&self, keys: &[Vec<u8>]) -> Vec<u8> {
        self.policy.create_filter(keys)
    }

    fn key_hash(&self, key: &[u8]) -> u64 {
        self.policy.key_hash(key)
    }

    fn create_filter_from_hashes(&self, hashes: &[u64]) -> Vec<u8> {
        self.policy.create_filter_from_hashes(hashes)
    }

    fn filter_keys_per_partition(&self, partition_bytes: usize) -> usize {
        self.policy.filter_keys_per_partition(partition_bytes)
    }
}

fn open(path: &Path, policy: Option<Arc<Counted>>) -> Tree {
    TreeBuilder::new()
        .with_path(path.to_owned())
        .with_max_memtable_size(16 << 20)
        .with_filter_policy(policy.map(|policy| policy as Arc<dyn FilterPolicy>))
        .build()
        .unwrap()
}

fn key(i: u32) -> String {
    format!("user:{i:07}")
}

/// Writes the memory table to a table file, and merges tables down to `level`.
fn write_down(tree: &Tree, level: u8) {
    let options = CompactRangeOptions {
        target_level: Some(level),
        ..CompactRangeOptions::default()
    };
    tree.compact_range(None, None, &options).unwrap();
}

/// Writes tables that span the same range of keys, each with two versions of some keys.
async fn write(tree: &Tree) {
    for table in 0..TABLES {
        for version in 0..2 {
            let mut transaction = tree.begin().unwrap();
            for i in (table..COUNT).step_by(TABLES as usize * (1 + 9 * version)) {
                transaction.set(key(i).as_bytes(), key(i).as_bytes()).unwrap();
            }
            transaction.commit().await.unwrap();
        }
        write_down(tree, 0);
    }
}

/// Returns how many of these keys the database has.
fn found(tree: &Tree, keys: impl Iterator<Item = String>) -> usize {
    let transaction = tree.begin().unwrap();
    keys.filter(|key| {
        let value = transaction.get(key.as_bytes()).unwrap();
        assert!(value.as_ref().is_none_or(|value| value[..] == *key.as_bytes()));
        value.is_some()
    })
    .count()
}

fn absent() -> impl Iterator<Item = String> {
    (0..2_000).map(|i| format!("user:{:07}x", i * 20))
}

/// Returns the number of tables and the bytes of their filters.
fn filters(folder: &Path) -> (usize, u64) {
    let manifest = dump_manifest(folder).unwrap();
    let tables = manifest.levels.iter().flat_map(|level| &level.tables);
    tables.fold((0, 0), |(count, bytes), table| {
        let path = folder.join("sstables").join(format!("{:020}.sst", table.id));
        (
            count + 1,
            bytes + dump_sst(&path, false, false).unwrap().filter_size,
        )
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn absent_keys_read_no_block_before_and_after_compaction() {
    for listed in formats::ALL {
        let name = listed.name();
        let folder = TempDir::new().unwrap();
        let policy = Counted::new(SurrealKvPolicy::new(listed.policy(TEN)).unwrap());
        let tree = open(folder.path(), Some(policy.clone()));
        write(&tree).await;
        tree.close().await.unwrap();

        for is_compacted in [false, true] {
            let tree = open(folder.path(), Some(policy.clone()));
            if is_compacted {
                write_down(&tree, 1);
            }
            assert_eq!(found(&tree, (0..COUNT).map(key)), COUNT as usize, "{name}");
            policy.take();
            assert_eq!(found(&tree, absent()), 0, "{name}");
            let (all, denied) = policy.take();
            tree.close().await.unwrap();
            let (tables, bytes) = filters(folder.path());
            assert_eq!(tables == 1, is_compacted, "{name}: {tables} tables");
            // Ten bits for a key, and as much as 2,000 keys more would take: a tenth of the keys are stored in two
            // versions.
            let per_key = bytes as f64 * 8.0 / f64::from(COUNT);
            assert!(
                !is_compacted || (5.0..10.5).contains(&per_key),
                "{name}: {per_key}"
            );
            assert!(all > 1_990 * tables as u64, "{name}: {all}, {tables} tables");
            // A format of whole fingerprints has room for four bits of them in a small partition, not for eight.
            assert!(denied * 100 > all * 91, "{name}: {denied} of {all}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_name_is_another_filter_and_loses_nothing() {
    let folder = TempDir::new().unwrap();
    let [one, other] = ["BloomFilter2", "BloomFilter64.Xxph3"]
        .map(|name| Counted::new(SurrealKvPolicy::new(policies::by_name(name, TEN).unwrap()).unwrap()));
    let tree = open(folder.path(), Some(one.clone()));
    write(&tree).await;
    tree.close().await.unwrap();
    for policy in [Some(other.clone()), None] {
        let tree = open(folder.path(), policy);
        assert_eq!(found(&tree, (0..COUNT).map(key)), COUNT as usize);
        assert_eq!(found(&tree, absent()), 0);
        tree.close().await.unwrap();
        assert_eq!(other.take(), (0, 0), "it read a filter of another");
    }
}
