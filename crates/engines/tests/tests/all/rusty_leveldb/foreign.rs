//! Databases written with another policy: the behaviour of the engine, and the check that predicts it.

use std::cmp::Ordering as Order;
use std::rc::Rc;

use filter_policy::formats;
use filter_policy_rusty_leveldb::{Error, check, checked_open};
use rusty_leveldb::{BloomPolicy, Cmp, DB, DefaultCmp, Options};

use super::{options, with, with_ours};
use crate::databases::Keys;
use crate::engines::rusty_leveldb::{Opened, written};
use crate::engines::{Database as _, tables};
use crate::policies::{BLOOM, Counted, TEN};

#[test]
fn the_engine_loses_keys_and_the_check_refuses() {
    let keys = Keys::new(false);
    let folder = written(with(options(), BloomPolicy::new(10)), &keys);
    let db = DB::open(folder.path(), with_ours(options(), BLOOM)).unwrap();
    let mut unchecked = Opened {
        db,
        reads: Box::new(|| 0),
    };
    assert_eq!(unchecked.count(), keys.stored.len(), "all keys are there");
    let found = keys.stored.iter().filter(|key| unchecked.has(key)).count();
    assert!(
        found < keys.stored.len() / 20,
        "{found} are found: has the engine been mended?"
    );
    drop(unchecked);

    let before = tables(folder.path());
    let refused = checked_open(folder.path(), options(), BLOOM).err().unwrap();
    assert!(matches!(&refused, Error::ForeignFilters { table, .. } if *table == before[0]));
    let text = refused.to_string();
    let names = "must be \"BloomFilter2\", got \"leveldb.BuiltinBloomFilter2\"";
    assert!(
        text.contains(names) && text.contains("deny stored keys"),
        "{text}"
    );
    assert_eq!(tables(folder.path()), before);
    checked_open(folder.path(), options(), formats::LEVEL_DB.policy(TEN)).unwrap();
}

/// A comparator that orders keys backwards.
struct Backwards;

impl Cmp for Backwards {
    fn cmp(&self, a: &[u8], b: &[u8]) -> Order {
        b.cmp(a)
    }

    fn find_shortest_sep(&self, from: &[u8], _: &[u8]) -> Vec<u8> {
        from.to_vec()
    }

    fn find_short_succ(&self, key: &[u8]) -> Vec<u8> {
        key.to_vec()
    }

    fn id(&self) -> &'static str {
        "Backwards"
    }
}

fn comparators() -> [Rc<Box<dyn Cmp>>; 2] {
    [Rc::new(Box::new(DefaultCmp)), Rc::new(Box::new(Backwards))]
}

/// Names in every relation that the engine's order could distinguish.
const NAMES: [&str; 16] = [
    "A",
    "B",
    "BloomFilter2",
    "BloomFilter2.Prefix.Fixed9",
    "BloomFilter2.Seed00000001",
    "BloomFilter2.Seed00000002",
    "BloomFilter2.Seed10000000",
    "BloomFilter2.Seed20000001",
    "BloomFilter2.Seedffffffff",
    "BloomFilter2.SignedTail",
    "BloomFilter3",
    "XloomFilter2",
    "leveldb.BuiltinBloomFilter2",
    "zzz",
    "zzz.Custom",
    "ü",
];

#[test]
fn the_check_agrees_with_the_engine() {
    let (mut refused, mut ignored) = (0, 0);
    for comparator in comparators() {
        for wrote in NAMES {
            let memory = Options {
                cmp: comparator.clone(),
                ..rusty_leveldb::in_memory()
            };
            let policy = Counted::named(wrote, BLOOM);
            let mut db = DB::open("database", with_ours(memory.clone(), policy)).unwrap();
            db.put(b"key", b"value").unwrap();
            db.put(b"other", b"value").unwrap();
            let (from, to): (&[u8], &[u8]) = match comparator.id() {
                "Backwards" => (b"z", b"a"),
                _ => (b"a", b"z"),
            };
            db.compact_range(from, to).unwrap();
            drop(db);
            for reads in NAMES {
                let policy = Counted::named(reads, BLOOM);
                let verdict = check("database", &memory, &policy);
                // The bits are the same under every name, so no key is lost; only the queries of the filter differ.
                let mut db = DB::open("database", with_ours(memory.clone(), policy.clone())).unwrap();
                assert!(db.get(b"key").is_some() && db.get(b"other").is_some());
                let used = policy.counts()[0] > 0;
                match verdict {
                    Ok(()) => assert_eq!(used, wrote == reads, "{wrote} read by {reads}"),
                    Err(Error::ForeignFilters { found, ours, .. }) => {
                        assert!(used && wrote != reads, "{wrote} read by {reads}");
                        assert_eq!((found.as_str(), ours.as_str()), (wrote, reads));
                        refused += 1;
                    }
                    Err(error) => panic!("{error}"),
                }
                ignored += u32::from(!used);
            }
        }
    }
    assert!(
        refused > 100 && ignored > 100,
        "{refused} refused, {ignored} ignored"
    );
}

#[test]
fn without_filters_and_without_tables_every_policy_is_safe() {
    // A database that does not exist, and one that has only a log.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new");
    check(&path, &options(), &BLOOM).unwrap();
    let mut db = checked_open(&path, options(), BLOOM).unwrap();
    db.put(b"key", b"value").unwrap();
    drop(db);
    let mut db = checked_open(&path, options(), formats::LEVEL_DB.policy(TEN)).unwrap();
    assert_eq!(db.get(b"key").as_deref(), Some(&b"value"[..]));
    drop(db);

    // Creation remains the caller's choice.
    let never = Options {
        create_if_missing: false,
        ..options()
    };
    let missing = folder.path().join("missing");
    assert!(matches!(
        checked_open(missing, never, BLOOM).err().unwrap(),
        Error::Engine(_)
    ));
    let unnamed = Counted::named("", BLOOM);
    let refused = checked_open(folder.path(), options(), unnamed.clone());
    assert!(matches!(refused.err().unwrap(), Error::EmptyName));
    let refused = check(folder.path(), &options(), &unnamed);
    assert!(matches!(refused.unwrap_err(), Error::EmptyName));
}
