//! Google's LevelDB, called from C++.

use std::path::Path;

use engine_tests::leveldb::{self, Policy, UniquePtr, slices};
use filter_policy::policies::AnyPolicy;
use filter_policy::{BitsPerKey, formats};
use filter_policy_leveldb::POLICY_LEVELDB;
use tempfile::TempDir;

use super::{Adapter, Database, Engine, table_bytes};
use crate::databases::Keys;

pub(super) const ENGINE: Engine = Engine {
    name: "LevelDB",
    adapter: |policy| Box::new(Policy::ours(policy)),
    database: || {
        let folder = TempDir::new().unwrap();
        Box::new(move |policy: Option<AnyPolicy>| {
            let policy = policy.map_or_else(UniquePtr::null, Policy::ours);
            Ok(Box::new(open(folder.path(), policy)))
        })
    },
    filters_tables: false,
    compares_names: true,
    deletes: true,
    counts_reads: true,
    keeps_keys: true,
};

/// Opens a database without a cache, so that every block is read from its file.
fn open(folder: &Path, policy: UniquePtr<Policy>) -> UniquePtr<leveldb::Database> {
    leveldb::Database::open(folder.to_str().unwrap(), policy, 0).unwrap()
}

impl Adapter for UniquePtr<Policy> {
    fn create(&self, keys: &[&[u8]]) -> Vec<u8> {
        self.create_filter(&slices(keys))
    }

    fn may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        self.count_matches(&slices(&[key]), filter) == 1
    }
}

impl Database for UniquePtr<leveldb::Database> {
    fn put(&mut self, key: &[u8], value: &[u8]) {
        leveldb::Database::put(self, key, value).unwrap();
    }

    fn delete(&mut self, key: &[u8]) {
        self.remove(key).unwrap();
    }

    fn flush(&mut self) {
        self.compact();
    }

    fn has(&mut self, key: &[u8]) -> bool {
        leveldb::Database::has(self, key).unwrap()
    }

    fn count(&mut self) -> usize {
        leveldb::Database::count(self).unwrap() as usize
    }

    fn reads(&self) -> u64 {
        leveldb::Database::reads(self)
    }
}

/// From Rust and from C, byte for byte, so that either policy reads the other's filters.
#[test]
fn tables_are_those_of_leveldbs_own_policy() {
    let keys = Keys::new(true);
    for bits in [1_u16, 10, 44] {
        let tables = [
            Policy::builtin(bits),
            Policy::ours(formats::LEVEL_DB.policy(BitsPerKey::whole(bits.into()))),
            Policy::c_library(bits.into(), POLICY_LEVELDB),
        ]
        .map(|policy| {
            let folder = TempDir::new().unwrap();
            keys.write(&mut open(folder.path(), policy));
            table_bytes(folder.path())
        });
        assert!(!tables[0].is_empty());
        assert!(
            tables.iter().all(|ours| *ours == tables[0]),
            "{bits} bits per key"
        );
    }
}
