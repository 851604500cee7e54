//! Databases that one policy writes and another reads.

use std::fs;
use std::path::{Path, PathBuf};

use engine_tests::leveldb::{Database, Policy, UniquePtr};
use filter_policy::BloomFilter64Policy;
use filter_policy::rocksdb::{FastLocalBloomPolicy, RibbonPolicy};
use filter_policy::{BitsPerKey, BloomFilterPolicy};
use filter_policy_leveldb::{
    POLICY_BLOOM_FILTER2, POLICY_BLOOM64, POLICY_FAST_LOCAL_BLOOM, POLICY_LEVELDB, POLICY_RIBBON,
};

use crate::support::Keys;

const TEN: BitsPerKey = BitsPerKey::whole(10);
/// A cache of no bytes, so that every block is read from its file.
const NO_CACHE: usize = 0;

/// Writes a database with a policy into a temporary folder.
fn written_by(policy: UniquePtr<Policy>, keys: &Keys) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    keys.write(&open(folder.path(), policy));
    folder
}

fn open(folder: &Path, policy: UniquePtr<Policy>) -> UniquePtr<Database> {
    Database::open(folder.to_str().unwrap(), policy, NO_CACHE).unwrap()
}

/// Returns the bytes of a database's tables, in the order of their names.
fn tables(folder: &Path) -> Vec<Vec<u8>> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ldb"))
        .collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// The limit of reads per absent key at 10 bits per key: about 1 false positive in 100, with some margin.
const FEW: f64 = 0.02;
/// Without filters nearly every absent key costs a block.
const NEARLY_ALL: f64 = 0.95;

/// Returns our policies in LevelDB's format, through the hook and through the C interface.
fn ours() -> [UniquePtr<Policy>; 2] {
    [
        Policy::ours(BloomFilterPolicy::with_leveldb_hash(TEN)),
        Policy::c_library(10, POLICY_LEVELDB),
    ]
}

/// Opens a database, checks its keys, and returns the reads per absent key.
fn reads(folder: &Path, policy: UniquePtr<Policy>, keys: &Keys) -> f64 {
    keys.check(&open(folder, policy))
}

#[test]
fn a_database_of_leveldbs_policy_opens_with_ours() {
    let keys = Keys::new();
    let folder = written_by(Policy::builtin(10), &keys);
    let without = reads(folder.path(), UniquePtr::null(), &keys);
    assert!(
        without > NEARLY_ALL,
        "{without} reads per absent key without filters"
    );
    let with_theirs = reads(folder.path(), Policy::builtin(10), &keys);
    assert!(with_theirs < FEW, "{with_theirs} reads per absent key");
    for policy in ours() {
        let with_ours = reads(folder.path(), policy, &keys);
        assert_eq!(with_ours, with_theirs, "the answers differ");
    }
}

/// Only the policy that wrote the filters uses them, until the tables are written anew.
#[test]
fn databases_of_our_own_policies() {
    let keys = Keys::new();
    let policies: [(UniquePtr<Policy>, i32); 4] = [
        (Policy::ours(BloomFilterPolicy::new(TEN)), POLICY_BLOOM_FILTER2),
        (Policy::ours(BloomFilter64Policy::new(TEN)), POLICY_BLOOM64),
        (
            Policy::ours(FastLocalBloomPolicy::new(TEN)),
            POLICY_FAST_LOCAL_BLOOM,
        ),
        (Policy::ours(RibbonPolicy::new(TEN)), POLICY_RIBBON),
    ];
    for (of_hook, number) in policies {
        let by_hook = written_by(of_hook, &keys);
        let c_library = || Policy::c_library(10, number);
        let folder = written_by(c_library(), &keys);
        assert!(
            tables(folder.path()) == tables(by_hook.path()),
            "policy {number}: tables differ"
        );
        let few = reads(folder.path(), c_library(), &keys);
        assert!(few < FEW, "policy {number}: {few} reads per absent key");
        // The bits per key are not part of the formats.
        let wider = Policy::c_library(20, number);
        assert_eq!(reads(folder.path(), wider, &keys), few, "policy {number}");

        // LevelDB compares names, so policies of another name never see these filters.
        let others = ours().into_iter().chain([Policy::builtin(10)]);
        for other in others.chain([UniquePtr::null()]) {
            let all = reads(folder.path(), other, &keys);
            assert!(all > NEARLY_ALL, "policy {number}: {all} reads per absent key");
        }
        let engine = open(folder.path(), Policy::builtin(10));
        keys.write(&engine);
        let anew = keys.check(&engine);
        assert!(anew < FEW, "policy {number}: {anew} reads per absent key");
    }
}

/// 0 bits per key give C programs a null state.
#[test]
fn filters_that_cannot_be_made_cost_reads_and_no_keys() {
    let keys = Keys::new();
    let policy = || Policy::c_library(0, POLICY_LEVELDB);
    let folder = written_by(policy(), &keys);
    let all = reads(folder.path(), policy(), &keys);
    assert!(all > NEARLY_ALL, "{all} reads per absent key");
}
