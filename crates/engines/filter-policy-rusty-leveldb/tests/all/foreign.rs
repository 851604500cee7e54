//! Databases written with another policy: the behaviour of the engine, and the check that predicts it.

use std::cmp::Ordering as Order;
use std::rc::Rc;

use filter_policy::leveldb::Murmur2;
use filter_policy::{BitsPerKey, BloomFilterPolicy};
use filter_policy_rusty_leveldb::{Error, check, checked_open};
use rusty_leveldb::{BloomPolicy, Cmp, DB, DefaultCmp, Options};

use super::support::counting::CountingPolicy;
use super::support::filled::{COUNT, found, iterated, written};
use super::support::{options, tables, with_engines, with_policy};

const BLOOM: BloomFilterPolicy<Murmur2> = BloomFilterPolicy::new(BitsPerKey::whole(10));

#[test]
fn the_engine_loses_keys_and_the_check_refuses() {
    let folder = written(with_engines(options(), BloomPolicy::new(10)));

    // The engine without the check.
    let mut db = DB::open(folder.path(), with_policy(options(), BLOOM)).unwrap();
    assert_eq!(iterated(&mut db), COUNT, "all keys are there");
    let hardly_any = found(&mut db);
    assert!(
        hardly_any < COUNT / 20,
        "{hardly_any} are found: has the engine been mended?"
    );
    drop(db);

    let before: Vec<_> = tables(folder.path());
    let refused = checked_open(folder.path(), options(), BLOOM).err().unwrap();
    assert!(matches!(&refused, Error::ForeignFilters { table, .. } if *table == before[0]));
    let text = refused.to_string();
    let names = "must be \"BloomFilter2\", got \"leveldb.BuiltinBloomFilter2\"";
    assert!(
        text.contains(names) && text.contains("deny stored keys"),
        "{text}"
    );
    assert_eq!(tables(folder.path()), before);

    // The policy that wrote the database finds every key.
    let builtin = BloomFilterPolicy::with_leveldb_hash(BitsPerKey::whole(10));
    assert_eq!(
        found(&mut checked_open(folder.path(), options(), builtin).unwrap()),
        COUNT
    );
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
            let policy = CountingPolicy::named(wrote, BLOOM);
            let mut db = DB::open("database", with_policy(memory.clone(), policy)).unwrap();
            db.put(b"key", b"value").unwrap();
            db.put(b"other", b"value").unwrap();
            let (from, to): (&[u8], &[u8]) = match comparator.id() {
                "Backwards" => (b"z", b"a"),
                _ => (b"a", b"z"),
            };
            db.compact_range(from, to).unwrap();
            drop(db);
            for reads in NAMES {
                let policy = CountingPolicy::named(reads, BLOOM);
                let verdict = check("database", &memory, &policy);
                // The bits are the same under every name, so no key is lost; only the queries of the filter differ.
                let mut db = DB::open("database", with_policy(memory.clone(), policy.clone())).unwrap();
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
    let builtin = BloomFilterPolicy::with_leveldb_hash(BitsPerKey::whole(10));
    let mut db = checked_open(&path, options(), builtin).unwrap();
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
    let unnamed = CountingPolicy::named("", BLOOM);
    let refused = checked_open(folder.path(), options(), unnamed.clone());
    assert!(matches!(refused.err().unwrap(), Error::EmptyName));
    let refused = check(folder.path(), &options(), &unnamed);
    assert!(matches!(refused.unwrap_err(), Error::EmptyName));
}
