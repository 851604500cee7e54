//! Databases that one policy writes and another reads.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bench_leveldb::{Engine, EnginePolicy};
use filter_formats::BloomFilter64Policy;
use filter_formats::rocksdb::{FastLocalBloomPolicy, LegacyFullFilterPolicy, RibbonPolicy};
use filter_policy::{BitsPerKey, BloomFilterPolicy, Error, FilterPolicy};
use filter_policy_leveldb::{
    POLICY_BLOOM_FILTER2, POLICY_BLOOM64, POLICY_FAST_LOCAL_BLOOM, POLICY_LEVELDB, POLICY_RIBBON,
};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::support::Keys;
use super::support::counting::{Answers, Counting};

const TEN: BitsPerKey = BitsPerKey::whole(10);
/// A cache of no bytes, so that every block is read from its file.
const NO_CACHE: usize = 0;

/// Writes a database with a policy into a temporary folder.
fn written_by(policy: Option<EnginePolicy>, keys: &Keys) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    keys.write(&Engine::open(folder.path(), policy, NO_CACHE));
    folder
}

fn counted<P: FilterPolicy + Send + Sync + 'static>(policy: P) -> (EnginePolicy, Arc<Answers>) {
    let (counting, answers) = Counting::new(policy);
    (EnginePolicy::ours(counting), answers)
}

/// Returns the sorted paths of a database's tables.
fn table_paths(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ldb"))
        .collect();
    paths.sort();
    paths
}

fn tables(folder: &Path) -> Vec<Vec<u8>> {
    table_paths(folder)
        .iter()
        .map(|path| fs::read(path).unwrap())
        .collect()
}

/// Returns the end of a table's filter block, which directly precedes the metaindex; the offset of the latter is the
/// first number of the footer (LevelDB, doc/table_format.md).
fn end_of_filter_block(table: &[u8]) -> usize {
    let footer = &table[table.len() - 48..];
    let mut offset = 0;
    for (i, byte) in footer.iter().enumerate() {
        offset |= usize::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 == 0 {
            break;
        }
    }
    // The trailer of the block has five bytes.
    offset - 5
}

/// The limit of reads per absent key at 10 bits per key: about 1 false positive in 100, with some margin.
const FEW: f64 = 0.02;
/// Without filters nearly every absent key costs a block.
const NEARLY_ALL: f64 = 0.95;

#[test]
fn a_database_of_leveldbs_policy_opens_with_ours() {
    let keys = Keys::new();
    let folder = written_by(Some(EnginePolicy::builtin(10)), &keys);

    let without = keys.check(&Engine::open(folder.path(), None, NO_CACHE));
    assert!(
        without > NEARLY_ALL,
        "{without} reads per absent key without filters"
    );
    let with_theirs = keys.check(&Engine::open(
        folder.path(),
        Some(EnginePolicy::builtin(10)),
        NO_CACHE,
    ));
    assert!(with_theirs < FEW, "{with_theirs} reads per absent key");

    let (policy, answers) = counted(BloomFilterPolicy::leveldb_builtin(TEN));
    let with_ours = keys.check(&Engine::open(folder.path(), Some(policy), NO_CACHE));
    assert_eq!(with_ours, with_theirs, "the answers differ");
    assert!(answers.yes() >= keys.stored.len() as u64);
    assert!(answers.no() > keys.absent.len() as u64 * 95 / 100);
    assert_eq!(answers.filters(), 0);

    let c_library = EnginePolicy::c_library(10, POLICY_LEVELDB);
    let with_c_library = keys.check(&Engine::open(folder.path(), Some(c_library), NO_CACHE));
    assert_eq!(with_c_library, with_theirs, "the answers differ");
}

#[test]
fn a_database_of_ours_opens_with_leveldbs_policy() {
    let keys = Keys::new();
    let (policy, answers) = counted(BloomFilterPolicy::leveldb_builtin(TEN));
    let of_hook = written_by(Some(policy), &keys);
    assert!(answers.filters() > 100, "{} filters", answers.filters());
    let of_c_library = written_by(Some(EnginePolicy::c_library(10, POLICY_LEVELDB)), &keys);
    let theirs = tables(written_by(Some(EnginePolicy::builtin(10)), &keys).path());
    assert!(!theirs.is_empty());

    for folder in [of_hook, of_c_library] {
        assert!(
            tables(folder.path()) == theirs,
            "the tables are not LevelDB's own byte for byte"
        );
        let engine = Engine::open(folder.path(), Some(EnginePolicy::builtin(10)), NO_CACHE);
        let reads = keys.check(&engine);
        assert!(reads < FEW, "{reads} reads per absent key");
    }
}

/// Writes a database with a policy through the hook and reopens it: only this policy may use the filters. Returns the
/// folder.
fn round_trip<P: FilterPolicy + Clone + Send + Sync + 'static>(policy: P, keys: &Keys) -> tempfile::TempDir {
    let (writing, answers) = counted(policy.clone());
    let folder = written_by(Some(writing), keys);
    assert!(answers.filters() > 100, "{} filters", answers.filters());

    let (reading, answers) = counted(policy.clone());
    let engine = Engine::open(folder.path(), Some(reading), NO_CACHE);
    let reads = keys.check(&engine);
    assert!(reads < FEW, "{}: {reads} reads per absent key", policy.name());
    assert!(answers.yes() >= keys.stored.len() as u64);
    assert!(answers.no() > keys.absent.len() as u64 * 95 / 100);
    drop(engine);

    // LevelDB compares names, so its own policy never sees these filters.
    let builtin = EnginePolicy::builtin(10);
    let reads = keys.check(&Engine::open(folder.path(), Some(builtin), NO_CACHE));
    assert!(reads > NEARLY_ALL, "{}: {reads} reads", policy.name());
    folder
}

#[test]
fn databases_of_our_own_policies() {
    let keys = Keys::new();
    let folders = [
        (
            round_trip(BloomFilterPolicy::new(TEN), &keys),
            POLICY_BLOOM_FILTER2,
        ),
        (round_trip(BloomFilter64Policy::new(TEN), &keys), POLICY_BLOOM64),
        (
            round_trip(FastLocalBloomPolicy::new(TEN), &keys),
            POLICY_FAST_LOCAL_BLOOM,
        ),
        (round_trip(RibbonPolicy::new(TEN), &keys), POLICY_RIBBON),
    ];
    for (of_hook, number) in folders {
        let c_library = || Some(EnginePolicy::c_library(10, number));
        let folder = written_by(c_library(), &keys);
        assert!(
            tables(folder.path()) == tables(of_hook.path()),
            "policy {number}: tables differ"
        );
        let reads = keys.check(&Engine::open(folder.path(), c_library(), NO_CACHE));
        // The bits per key are not part of the formats.
        let wider = EnginePolicy::c_library(20, number);
        let engine = Engine::open(folder.path(), Some(wider), NO_CACHE);
        assert_eq!(keys.check(&engine), reads, "policy {number}");
        // Everything is written once more, so that all tables are built anew.
        keys.write(&engine);
        let fewer = keys.check(&engine);
        assert!(
            fewer < reads.max(0.001),
            "policy {number}: {fewer} reads at 20 bits, {reads} at 10"
        );
    }
    round_trip(LegacyFullFilterPolicy::new(TEN), &keys);
}

#[test]
fn filters_of_another_name_are_ignored_until_they_are_written_anew() {
    let keys = Keys::new();
    let folder = written_by(Some(EnginePolicy::c_library(10, POLICY_BLOOM_FILTER2)), &keys);

    for policy in [None, Some(EnginePolicy::builtin(10))] {
        let reads = keys.check(&Engine::open(folder.path(), policy, NO_CACHE));
        assert!(reads > NEARLY_ALL, "{reads} reads per absent key");
    }
    let (policy, answers) = counted(BloomFilterPolicy::leveldb_builtin(TEN));
    let engine = Engine::open(folder.path(), Some(policy), NO_CACHE);
    keys.check(&engine);
    assert_eq!(
        (answers.yes(), answers.no()),
        (0, 0),
        "asked about a foreign filter"
    );

    // Everything is written once more, so that all tables are built anew.
    keys.write(&engine);
    let reads = keys.check(&engine);
    assert!(reads < FEW, "{reads} reads per absent key");
    assert!(answers.no() > keys.absent.len() as u64 * 95 / 100);
}

#[test]
fn damaged_filter_blocks_are_answered_as_leveldb_does() {
    let keys = Keys::new();
    let mut random = SplitMix64::seed_from_u64(8);
    let mut denied = 0;
    for round in 0..6 {
        let folder = written_by(Some(EnginePolicy::builtin(10)), &keys);
        for path in table_paths(folder.path()) {
            let mut table = fs::read(&path).unwrap();
            let end = end_of_filter_block(&table);
            // First only the array of offsets at the end, then more and more of the filters before it.
            let reach = [64, 500, 2_000, 8_000, 20_000, 5][round];
            for _ in 0..40 {
                let back = 1 + usize::try_from(random.next_u64()).unwrap() % reach;
                table[end - back] = random.next_u64().to_le_bytes()[0];
            }
            fs::write(&path, table).unwrap();
        }
        let all = || keys.stored.iter().chain(&keys.absent);
        let answers = |policy| -> Vec<Result<bool, String>> {
            let engine = Engine::open(folder.path(), Some(policy), NO_CACHE);
            all().map(|key| engine.try_has(key)).collect()
        };
        let theirs = answers(EnginePolicy::builtin(10));
        denied += theirs[..keys.stored.len()]
            .iter()
            .filter(|answer| **answer == Ok(false))
            .count();
        assert!(
            theirs == answers(EnginePolicy::c_library(10, POLICY_LEVELDB)),
            "round {round}"
        );
        let ours = EnginePolicy::ours(BloomFilterPolicy::leveldb_builtin(TEN));
        assert!(theirs == answers(ours), "round {round}");
    }
    assert!(denied > 0, "no damage has reached a filter");
}

/// A policy that fails to build filters.
struct Failing;

impl FilterPolicy for Failing {
    fn name(&self) -> &str {
        "Failing"
    }

    fn max_filter_len(&self, _: usize) -> Result<usize, Error> {
        Ok(1)
    }

    fn create_filter<'out>(&self, _: &[&[u8]], out: &'out mut [u8]) -> Result<&'out mut [u8], Error> {
        Err(Error::BufferTooShort {
            needed: 2,
            given: out.len(),
        })
    }

    fn key_may_match(&self, _: &[u8], filter: &[u8]) -> bool {
        unreachable!("the policy has built no filter, and is asked about {filter:x?}")
    }
}

#[test]
fn filters_that_cannot_be_made_cost_reads_and_no_keys() {
    let keys = Keys::new();
    let folder = written_by(Some(EnginePolicy::ours(Failing)), &keys);
    let reads = keys.check(&Engine::open(
        folder.path(),
        Some(EnginePolicy::ours(Failing)),
        NO_CACHE,
    ));
    assert!(reads > NEARLY_ALL, "{reads} reads per absent key");

    // 0 bits per key give C programs a null state.
    let folder = written_by(Some(EnginePolicy::c_library(0, POLICY_LEVELDB)), &keys);
    let without = EnginePolicy::c_library(0, POLICY_LEVELDB);
    let reads = keys.check(&Engine::open(folder.path(), Some(without), NO_CACHE));
    assert!(reads > NEARLY_ALL, "{reads} reads per absent key");
}

#[test]
fn readers_in_threads_while_others_write_and_compact() {
    let keys = Keys::new();
    let folder = tempfile::tempdir().unwrap();
    let (policy, answers) = counted(BloomFilterPolicy::new(TEN));
    let engine = Engine::open(folder.path(), Some(policy), 1 << 20);
    keys.write(&engine);
    answers.forget_questions();
    std::thread::scope(|scope| {
        for start in 0..4 {
            let (engine, keys) = (&engine, &keys);
            scope.spawn(move || {
                for key in keys.stored[start..].iter().step_by(2) {
                    assert!(engine.has(key), "{key:x?} is lost");
                }
                for key in keys.absent[start..].iter().step_by(2) {
                    assert!(!engine.has(key));
                }
            });
        }
        scope.spawn(|| {
            for round in 0..3 {
                for key in keys.stored.iter().skip(round).step_by(7) {
                    engine.put(key, b"again");
                }
                engine.compact();
            }
        });
    });
    assert!(answers.no() > 0);
    let reads = keys.check(&engine);
    assert!(reads < FEW, "{reads} reads per absent key");
}
