//! Writes, compacts, reopens and reads whole databases on disk. Checks the number of blocks that filters save from
//! being read.

use std::rc::Rc;

use engine_tests::CountingEnv;
use filter_policy::formats;
use filter_policy::policies;
use filter_policy::prefix::{FixedPrefix, PrefixPolicy};
use filter_policy::rocksdb::{FastLocalBloomPolicy, RibbonPolicy};
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy};
use filter_policy_rusty_leveldb::checked_open;
use rusty_leveldb::env::Env;
use rusty_leveldb::{BloomPolicy, CompressorId, DB, Options, compressor};

use super::support::counting::CountingPolicy;
use super::support::filled::{self, COUNT, found, iterated, key, scattered, written};
use super::support::{options, tables, with_engines, with_policy};

const TEN: BitsPerKey = BitsPerKey::whole(10);

fn snappy() -> Options {
    Options {
        compressor: compressor::SnappyCompressor::ID,
        ..options()
    }
}

fn read_absent(db: &mut DB) {
    for number in scattered() {
        assert_eq!(db.get(&key(2 * number + 1)), None);
    }
}

/// Writes a database with the policy, reopens it, and reads present and absent keys.
fn round_trip(policy: impl FilterPolicy + Send + Sync + 'static, options: &Options) {
    let policy = CountingPolicy::new(policy);
    let folder = tempfile::tempdir().unwrap();
    let mut db = checked_open(folder.path(), options.clone(), policy.clone()).unwrap();
    filled::write(&mut db);
    // After the compaction: this entry stays in the log and becomes a table when the database is opened.
    db.put(b"late", b"value").unwrap();
    assert_eq!(found(&mut db), COUNT);
    drop(db);
    assert!(!tables(folder.path()).is_empty());

    for _ in 0..2 {
        let [queries_before, denied_before] = policy.counts();
        let mut db = checked_open(folder.path(), options.clone(), policy.clone()).unwrap();
        assert_eq!(iterated(&mut db), COUNT + 1);
        assert_eq!(found(&mut db), COUNT, "{}", policy.name());
        assert_eq!(db.get(b"late").as_deref(), Some(&b"value"[..]));
        let [queries, denials] = policy.counts();
        assert!(
            queries - queries_before >= u64::from(COUNT),
            "filters are not used"
        );
        assert_eq!(denials, denied_before);
        read_absent(&mut db);
    }
}

#[test]
fn all_policies_find_what_is_there() {
    for options in [options(), snappy()] {
        for listed in formats::ALL {
            round_trip(listed.policy(TEN), &options);
        }
        let bloom = BloomFilterPolicy::new(TEN);
        round_trip(BloomFilterPolicy::with_seed(7, TEN), &options);
        round_trip(PrefixPolicy::new(bloom, FixedPrefix::new(7)), &options);
    }
}

/// Returns the table reads of Gets of absent keys, with tables open, and of Gets of present keys, in a database that is
/// written and read with these options.
fn reads_of_absent_and_present(options: Options) -> [u64; 2] {
    let folder = written(options.clone());
    let (env, reads) = CountingEnv::new();
    let env: Rc<Box<dyn Env>> = Rc::new(Box::new(env));
    let mut db = DB::open(folder.path(), Options { env, ..options }).unwrap();
    assert_eq!(found(&mut db), COUNT);
    let before = reads.get();
    read_absent(&mut db);
    let absent = reads.get() - before;
    assert_eq!(found(&mut db), COUNT);
    [absent, reads.get() - before - absent]
}

#[test]
fn absent_keys_read_hardly_a_block() {
    let few = u64::from(COUNT) * 3 / 100;
    let most = u64::from(COUNT) * 97 / 100;
    for name in [
        "BloomFilter2",
        "BloomFilter64.Xxph3",
        FastLocalBloomPolicy::NAME,
        RibbonPolicy::NAME,
    ] {
        let policy = CountingPolicy::new(policies::by_name(name, TEN).unwrap());
        let [absent, present] = reads_of_absent_and_present(with_policy(options(), policy.clone()));
        assert!(present > most && absent < few, "{name}: {absent}, {present}");
        assert!(policy.counts()[1] > most, "{name}: {:?}", policy.counts());
    }
    // Filters so long that the adapter stores none, so that every key may match.
    let unfiltered = BloomFilterPolicy::new(BitsPerKey::whole(2_000));
    let reads = reads_of_absent_and_present(with_policy(options(), unfiltered));
    assert!(reads.iter().all(|&reads| reads > most), "{reads:?}");
}

#[test]
fn with_leveldbs_hash_the_tables_are_those_of_the_engines_own_policy() {
    for bits in [1, 10, 14, 44] {
        let builtin = BloomFilterPolicy::with_leveldb_hash(BitsPerKey::whole(bits));
        let ours = written(with_policy(options(), builtin));
        let theirs = written(with_engines(options(), BloomPolicy::new(bits)));
        let [ours, theirs] = [ours.path(), theirs.path()].map(|folder| {
            let read = |path: std::path::PathBuf| {
                (path.file_name().unwrap().to_owned(), std::fs::read(path).unwrap())
            };
            tables(folder).into_iter().map(read).collect::<Vec<_>>()
        });
        assert!(ours.len() > 2);
        assert!(ours == theirs, "tables differ at {bits} bits per key");
    }
}
