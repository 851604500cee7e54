//! Writes, flushes, reopens and reads whole databases in memory. Counts the tables that filters save from
//! being read; the benchmark counts blocks.

use std::sync::Arc;

use filter_policy::leveldb::Murmur2;
use filter_policy::prefix::{PrefixPolicy, SeparatedPrefix};
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy as _};
use filter_policy_slatedb::SlateDbPolicy;
use slatedb::FilterPolicy;
use slatedb::config::Settings;

use super::support::{Counters, FILTER_KIND_POINT, FILTER_KIND_PREFIX, Opened, Store, settings};

const TEN: BitsPerKey = BitsPerKey::whole(10);
const KEYS: BloomFilterPolicy<Murmur2> = BloomFilterPolicy::new(TEN);

fn over_keys() -> Arc<dyn FilterPolicy> {
    Arc::new(SlateDbPolicy::new(KEYS))
}

fn over_tables() -> Arc<dyn FilterPolicy> {
    Arc::new(SlateDbPolicy::new(PrefixPolicy::new(
        KEYS,
        SeparatedPrefix::new(b'/', 1),
    )))
}

/// Returns key `i`. Each table of the engine gets every fourth key, so that all tables span the same range.
fn key(i: u32) -> String {
    format!("table{}/{i:05}", i % 4)
}

const COUNT: u32 = 4_000;

/// Writes four tables: number `t` holds the keys of `table{t}/`, between one of the very first and one of the very last
/// keys, so that no table can be skipped by its range.
async fn write(db: &Opened) {
    for table in 0..4 {
        db.put(&format!("a/{table}")).await;
        for i in (table..COUNT).step_by(4) {
            db.put(&key(i)).await;
        }
        db.put(&format!("z/{table}")).await;
        db.flush().await;
    }
}

async fn read_all(db: &Opened) {
    for i in 0..COUNT {
        assert!(db.has(&key(i)).await, "{} is lost", key(i));
    }
    for table in 0..4 {
        assert!(db.has(&format!("a/{table}")).await && db.has(&format!("z/{table}")).await);
    }
    assert_eq!(db.scan("").await.len(), COUNT as usize + 8);
}

fn absent(i: u32) -> String {
    format!("table{}/{i:05}x", i % 4)
}

/// Looks up a thousand absent keys. Returns what that counted.
async fn query_absent(db: &Opened) -> Counters {
    let before = db.counters(FILTER_KIND_POINT);
    for i in 0..1_000 {
        assert!(!db.has(&absent(i)).await);
    }
    db.counters(FILTER_KIND_POINT) - before
}

/// Returns the keys that start with these bytes, and what the scan counted.
async fn scan(db: &Opened, start: &str) -> (Vec<String>, Counters) {
    let before = db.counters(FILTER_KIND_PREFIX);
    let found = db.scan(start).await;
    (found, db.counters(FILTER_KIND_PREFIX) - before)
}

#[tokio::test(flavor = "multi_thread")]
async fn points_are_found_and_absent_ones_read_no_block() {
    let store = Store::new();
    let db = store.open(settings(), vec![over_keys()]).await;
    write(&db).await;
    read_all(&db).await;
    db.close().await;

    let db = store.open(settings(), vec![over_keys()]).await;
    read_all(&db).await;
    let with = query_absent(&db).await;
    db.close().await;
    // Each read queries four tables; about one in a hundred answers "may match" and costs a block.
    assert_eq!(with.negatives + with.positives, 4_000);
    assert!((1..120).contains(&with.positives), "{with:?}");

    let db = store.open(settings(), Vec::new()).await;
    let without = query_absent(&db).await;
    assert_eq!(Settings::default().min_filter_keys, 1_000, "the README says 1000");
    db.close().await;
    assert_eq!((without.negatives, without.positives), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn scans_over_a_prefix_read_the_tables_that_hold_it() {
    let store = Store::new();
    let policies = || vec![over_keys(), over_tables()];
    let db = store.open(settings(), policies()).await;
    write(&db).await;
    db.close().await;

    // The order of policies does not matter, because filters are found by name.
    let reversed = policies().into_iter().rev().collect();
    let db = store.open(settings(), reversed).await;
    read_all(&db).await;
    for table in 0..4 {
        let (found, counted) = scan(&db, &format!("table{table}/")).await;
        let expected: Vec<String> = (table..COUNT).step_by(4).map(key).collect();
        assert_eq!(found, expected);
        assert_eq!((counted.negatives, counted.positives), (3, 1));
    }
    // A scan over more than the extractor's prefix queries that prefix.
    let (found, counted) = scan(&db, "table2/000").await;
    assert_eq!((found.len(), counted.negatives), (25, 3));
    // Absent prefixes read no block.
    for i in 0..10 {
        let (found, counted) = scan(&db, &format!("sheet{i}/")).await;
        assert!(found.is_empty());
        assert_eq!((counted.negatives, counted.positives), (4, 0));
    }
    // For a shorter prefix the filter has no answer, and all tables are read.
    let (found, counted) = scan(&db, "table").await;
    assert_eq!((found.len(), counted.negatives), (COUNT as usize, 0));
    db.close().await;

    // Without a policy over prefixes, the engine does not even fetch the filters for a scan.
    let db = store.open(settings(), vec![over_keys()]).await;
    let (found, counted) = scan(&db, "table1/").await;
    assert_eq!((found.len(), counted.negatives, counted.positives), (1_000, 0, 0));
    db.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_name_is_another_filter_and_loses_nothing() {
    let store = Store::new();
    let db = store.open(settings(), vec![over_keys(), over_tables()]).await;
    write(&db).await;
    db.close().await;

    let prefixes = PrefixPolicy::new(KEYS, SeparatedPrefix::new(b'/', 2));
    let others: [Arc<dyn FilterPolicy>; 2] = [
        Arc::new(SlateDbPolicy::new(BloomFilterPolicy::with_signed_tail(TEN))),
        Arc::new(SlateDbPolicy::new(prefixes)),
    ];
    for other in others {
        let name = other.name().to_owned();
        let db = store.open(settings(), vec![other]).await;
        read_all(&db).await;
        assert_eq!(db.scan("table3/").await.len(), 1_000, "{name}");
        for kind in [FILTER_KIND_POINT, FILTER_KIND_PREFIX] {
            let counted = db.counters(kind);
            assert_eq!(
                (counted.negatives, counted.positives),
                (0, 0),
                "{name} read a filter of another"
            );
        }
        db.close().await;
    }
    // Other bits per key are the same encoding.
    let fewer = BloomFilterPolicy::new(BitsPerKey::whole(4));
    assert_eq!(fewer.name(), KEYS.name());
    let db = store
        .open(settings(), vec![Arc::new(SlateDbPolicy::new(fewer))])
        .await;
    read_all(&db).await;
    assert!(!db.has(&absent(1)).await);
    assert!(db.counters(FILTER_KIND_POINT).negatives > 0);
    db.close().await;
}
