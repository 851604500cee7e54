//! Writes, compacts, reopens and reads whole databases on disk. Checks the number of blocks that filters save from being
//! read.

use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::Ordering;

use counting_env::CountingEnv;
use filter_formats::BloomFilter64Policy;
use filter_formats::rocksdb::{FastLocalBloomPolicy, LegacyFullFilterPolicy, RibbonPolicy};
use filter_policy::prefix::{FixedPrefix, PrefixPolicy};
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy};
use filter_policy_rusty_leveldb::{RustyLevelDbPolicy, checked_open};
use rusty_leveldb::{BloomPolicy, CompressorId, DB, Options, compressor};

use super::support::asked::{Counting, counting};
use super::support::filled::{self, COUNT, found, iterated, key, scattered, written};
use super::support::{options, tables, with_policy};

const TEN: BitsPerKey = BitsPerKey::whole(10);

fn snappy() -> Options {
    Options {
        compressor: compressor::SnappyCompressor::ID,
        ..options()
    }
}

/// A policy that denies nothing, to measure reads without filters.
pub(crate) struct Unfiltered;

impl rusty_leveldb::FilterPolicy for Unfiltered {
    fn name(&self) -> &'static str {
        "Unfiltered"
    }

    fn create_filter(&self, _: &[u8], _: &[usize]) -> Vec<u8> {
        vec![0]
    }

    fn key_may_match(&self, _: &[u8], _: &[u8]) -> bool {
        true
    }
}

fn read_absent(db: &mut DB) {
    for number in scattered() {
        assert_eq!(db.get(&key(2 * number + 1)), None);
    }
}

/// Writes a database with the policy, reopens it, and reads present and absent keys.
fn round_trip<P: FilterPolicy + Clone + Send + 'static>(policy: P, options: &Options) {
    let folder = tempfile::tempdir().unwrap();
    let mut db = checked_open(folder.path(), options.clone(), policy.clone()).unwrap();
    filled::write(&mut db);
    // After the compaction: this entry stays in the log and becomes a table when the database is opened.
    db.put(b"late", b"value").unwrap();
    assert_eq!(found(&mut db), COUNT);
    drop(db);
    assert!(!tables(folder.path()).is_empty());

    for _ in 0..2 {
        let (counting, asked) = Counting::new(policy.clone());
        let mut db = checked_open(folder.path(), options.clone(), counting).unwrap();
        assert_eq!(iterated(&mut db), COUNT + 1);
        assert_eq!(found(&mut db), COUNT, "{}", policy.name());
        assert_eq!(db.get(b"late").as_deref(), Some(&b"value"[..]));
        assert!(
            asked.questions.load(Ordering::Relaxed) >= u64::from(COUNT),
            "filters are not used"
        );
        assert_eq!(asked.denials.load(Ordering::Relaxed), 0);
        read_absent(&mut db);
    }
}

#[test]
fn all_policies_find_what_is_there() {
    for options in [options(), snappy()] {
        round_trip(BloomFilterPolicy::new(TEN), &options);
        round_trip(BloomFilterPolicy::signed_tail(TEN), &options);
        round_trip(BloomFilterPolicy::with_seed(7, TEN), &options);
        round_trip(BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(0)), &options);
        round_trip(
            PrefixPolicy::new(BloomFilterPolicy::new(TEN), FixedPrefix::new(7)),
            &options,
        );
        round_trip(BloomFilter64Policy::new(TEN), &options);
        round_trip(FastLocalBloomPolicy::new(TEN), &options);
        round_trip(RibbonPolicy::new(TEN), &options);
        round_trip(LegacyFullFilterPolicy::new(TEN), &options);
    }
}

/// Returns the table reads of Gets of absent keys, with tables open, and of Gets of present keys.
fn reads_of_absent_and_present<P: rusty_leveldb::FilterPolicy + 'static>(
    folder: &Path,
    policy: P,
) -> (u64, u64) {
    let (env, reads) = CountingEnv::new();
    let options = Options {
        env: Rc::new(Box::new(env)),
        ..with_policy(options(), policy)
    };
    let mut db = DB::open(folder, options).unwrap();
    assert_eq!(found(&mut db), COUNT);
    let before = reads.get();
    read_absent(&mut db);
    let absent = reads.get() - before;
    assert_eq!(found(&mut db), COUNT);
    (absent, reads.get() - before - absent)
}

/// Checks that with this policy, absent keys read hardly a block, and present keys one block each.
fn check_reads<P: FilterPolicy + Clone + Send + 'static>(policy: P) {
    let (counting, asked) = counting(policy.clone());
    let folder = written(with_policy(
        options(),
        RustyLevelDbPolicy::new(policy.clone()).unwrap(),
    ));
    let (absent, present) = reads_of_absent_and_present(folder.path(), counting);
    let denials = asked.denials.load(Ordering::Relaxed);
    let count = u64::from(COUNT);
    let name = policy.name();
    assert!(present >= count * 99 / 100, "{name}: {present}");
    assert!(absent < count * 3 / 100, "{name}: {absent}");
    assert!(denials > count * 97 / 100, "{name}: {denials}");
}

#[test]
fn absent_keys_read_hardly_a_block() {
    check_reads(BloomFilterPolicy::new(TEN));
    check_reads(BloomFilter64Policy::new(TEN));
    check_reads(FastLocalBloomPolicy::new(TEN));
    check_reads(RibbonPolicy::new(TEN));

    let folder = written(with_policy(options(), Unfiltered));
    let (absent, present) = reads_of_absent_and_present(folder.path(), Unfiltered);
    for all in [present, absent] {
        assert!(all >= u64::from(COUNT) * 99 / 100, "{all}");
    }
}

#[test]
fn with_leveldbs_hash_the_tables_are_those_of_the_engines_own_policy() {
    for bits in [1, 10, 14, 44] {
        let builtin = BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(bits));
        let ours = written(with_policy(options(), RustyLevelDbPolicy::new(builtin).unwrap()));
        let theirs = written(with_policy(options(), BloomPolicy::new(bits)));
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
