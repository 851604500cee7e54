//! Scans of SlateDB with filters for ranges.

use std::collections::BTreeMap;
use std::collections::HashMap;
use std::ops::Bound::{self, Excluded, Included, Unbounded};
use std::ops::RangeBounds;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use filter_policy::range::RangePolicy;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use slatedb::config::{
    CompactorOptions, FlushOptions, FlushType, PutOptions, ScanOptions, Settings, Ttl, WriteOptions,
};
use slatedb::db_cache::{CachedEntry, CachedKey, DbCache};
use slatedb::instrumented_object_store_stats::REQUEST_COUNT;
use slatedb::object_store::ObjectStore;
use slatedb::object_store::local::LocalFileSystem;
use slatedb::object_store::memory::InMemory;
use slatedb::{Db, Error, IterationOrder};
use slatedb_common::metrics::{DefaultMetricsRecorder, MetricValue};
use tokio::runtime::Runtime;

use super::*;

const TEN: RangePolicy = RangePolicy::new(BitsPerKey::whole(10));

/// A cache of indexes and filters, for good.
#[derive(Default)]
struct WithoutBlocks(Mutex<HashMap<CachedKey, CachedEntry>>);

#[async_trait]
impl DbCache for WithoutBlocks {
    async fn get_block(&self, _: &CachedKey) -> Result<Option<CachedEntry>, Error> {
        Ok(None)
    }

    async fn get_index(&self, key: &CachedKey) -> Result<Option<CachedEntry>, Error> {
        Ok(self.0.lock().unwrap().get(key).cloned())
    }

    async fn get_filter(&self, key: &CachedKey) -> Result<Option<CachedEntry>, Error> {
        self.get_index(key).await
    }

    async fn get_stats(&self, key: &CachedKey) -> Result<Option<CachedEntry>, Error> {
        self.get_index(key).await
    }

    async fn insert(&self, key: CachedKey, value: CachedEntry) {
        self.0.lock().unwrap().insert(key, value);
    }

    async fn remove(&self, key: &CachedKey) {
        self.0.lock().unwrap().remove(key);
    }

    fn entry_count(&self) -> u64 {
        self.0.lock().unwrap().len() as u64
    }
}

/// An open database whose requests are counted.
struct Counted {
    db: Db,
    recorder: Arc<DefaultMetricsRecorder>,
}

impl Counted {
    async fn open(store: &Arc<dyn ObjectStore>, policies: Vec<Arc<dyn OfEngine>>, compacts: bool) -> Self {
        let recorder = Arc::new(DefaultMetricsRecorder::new());
        let compactor = CompactorOptions {
            poll_interval: Duration::from_millis(20),
            ..CompactorOptions::default()
        };
        let hour = Duration::from_secs(3_600);
        let settings = Settings {
            min_filter_keys: 1,
            manifest_poll_interval: if compacts { Duration::from_millis(20) } else { hour },
            l0_max_ssts: 100,
            l0_max_ssts_per_key: 100,
            compactor_options: compacts.then_some(compactor),
            garbage_collector_options: None,
            ..Settings::default()
        };
        let db = Db::builder("database", Arc::clone(store))
            .with_settings(settings)
            .with_filter_policies(policies)
            .with_db_cache(Arc::new(WithoutBlocks::default()), 1)
            .with_metrics_recorder(recorder.clone());
        let db = db.build().await.unwrap();
        Self { db, recorder }
    }

    async fn flush(&self) {
        let flush_type = FlushType::MemTable;
        self.db
            .flush_with_options(FlushOptions { flush_type })
            .await
            .unwrap();
    }

    /// The keys of a scan.
    async fn scan(&self, lower: Bound<&[u8]>, upper: Bound<&[u8]>) -> Vec<Vec<u8>> {
        let mut rows = self
            .db
            .scan((lower.map(<[u8]>::to_vec), upper.map(<[u8]>::to_vec)))
            .await
            .unwrap();
        let mut keys = Vec::new();
        while let Some(row) = rows.next().await.unwrap() {
            keys.push(row.key.to_vec());
        }
        keys
    }

    async fn scan_prefix(&self, start: &[u8]) -> Vec<Vec<u8>> {
        let mut rows = self.db.scan_prefix(start, ..).await.unwrap();
        let mut keys = Vec::new();
        while let Some(row) = rows.next().await.unwrap() {
            keys.push(row.key.to_vec());
        }
        keys
    }

    /// The requests that read, so far.
    fn requests(&self) -> u64 {
        let metrics = self.recorder.snapshot();
        let reads = ("op".to_owned(), "get".to_owned());
        let counts = metrics.by_name(REQUEST_COUNT).into_iter();
        let counts = counts.filter(|metric| metric.labels.contains(&reads));
        counts
            .map(|metric| match metric.value {
                MetricValue::Counter(count) => count,
                ref other => panic!("{other:?}"),
            })
            .sum()
    }
}

fn row(id: u64, random: &mut SplitMix64) -> Vec<u8> {
    format!("user:{id}:{:020x}", u128::from(random.next_u64()) * 16).into_bytes()
}

/// Eight tables of some 2,000 rows of 100,000 users.
fn tables(random: &mut SplitMix64) -> Vec<Vec<Vec<u8>>> {
    let mut table = || {
        let mut rows = Vec::new();
        while rows.len() < 2_000 {
            let id = 1 + random.next_u64() % 100_000;
            rows.extend((0..1 + random.next_u64() % 50).map(|_| row(id, random)));
        }
        rows
    };
    (0..8).map(|_| table()).collect()
}

#[test]
fn absent_users_cost_one_request_in_a_hundred() {
    Runtime::new().unwrap().block_on(async {
        let mut random = SplitMix64::seed_from_u64(1);
        let tables = tables(&mut random);
        let is_absent = |id: &u64| {
            let start = format!("user:{id}:").into_bytes();
            !tables.iter().flatten().any(|key| key.starts_with(&start))
        };
        let absent: Vec<u64> = (1..100_000).step_by(89).filter(is_absent).take(1_000).collect();
        assert_eq!(absent.len(), 1_000);
        let mut counts = Vec::new();
        for policies in [
            vec![],
            vec![of_engine(TEN)],
            vec![of_engine(BLOOM), of_engine(TEN)],
        ] {
            let store: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
            let db = Counted::open(&store, policies, false).await;
            for table in &tables {
                for key in table {
                    db.db.put(key, b"value").await.unwrap();
                }
                db.flush().await;
            }
            // Filters and indexes are read once.
            assert_eq!(
                db.scan(Unbounded, Unbounded).await.len(),
                tables.iter().flatten().count()
            );
            for _ in 0..2 {
                db.scan(Included(b"user:0"), Excluded(b"user:00")).await;
            }
            let mut of_task = [0; 3];
            for id in &absent {
                let (start, end) = (format!("user:{id}:"), format!("user:{id};"));
                let before = db.requests();
                let found = db
                    .scan(Included(start.as_bytes()), Excluded(end.as_bytes()))
                    .await;
                let scanned = db.requests();
                let with_prefix = db.scan_prefix(start.as_bytes()).await;
                let of_prefix = db.requests();
                let got = db.db.get(row(*id, &mut random)).await.unwrap();
                assert!(found.is_empty() && with_prefix.is_empty() && got.is_none());
                for (sum, more) in
                    of_task
                        .iter_mut()
                        .zip([scanned - before, of_prefix - scanned, db.requests() - of_prefix])
                {
                    *sum += more;
                }
            }
            counts.push(of_task);
            db.db.close().await.unwrap();
        }
        let [without, ranges, both] = counts[..] else {
            panic!("{counts:?}")
        };
        for task in 0..3 {
            assert!(without[task] > 5_000, "{counts:?}");
            assert!(100 * ranges[task] <= without[task], "{counts:?}");
            assert!(100 * both[task] <= without[task], "{counts:?}");
        }
    });
}

/// Every scan finds what a sorted map has.
async fn scans_agree(db: &Counted, rows: &BTreeMap<Vec<u8>, ()>, random: &mut SplitMix64, at: &str) {
    let keys: Vec<&Vec<u8>> = rows.keys().collect();
    for _ in 0..40 {
        let mut bound = || {
            let mut key = keys[random.next_u64() as usize % keys.len()].clone();
            match random.next_u64() % 4 {
                0 => key.truncate(random.next_u64() as usize % (key.len() + 1)),
                1 => key.push(0),
                _ => {}
            }
            match random.next_u64() % 3 {
                0 => Included(key),
                1 => Excluded(key),
                _ => Unbounded,
            }
        };
        let (lower, upper) = (bound(), bound());
        let (lower, upper) = (
            lower.as_ref().map(Vec::as_slice),
            upper.as_ref().map(Vec::as_slice),
        );
        let is_inside = |key: &&Vec<u8>| RangeBounds::<[u8]>::contains(&(lower, upper), key.as_slice());
        let expected: Vec<_> = rows.keys().filter(is_inside).cloned().collect();
        if expected.is_empty() {
            // The engine refuses bounds that cross.
            continue;
        }
        assert!(
            db.scan(lower, upper).await == expected,
            "{at}: {lower:?} {upper:?}"
        );
    }
    for key in keys.iter().step_by(40) {
        let start = &key[..random.next_u64() as usize % (key.len() + 1)];
        let expected: Vec<_> = rows
            .keys()
            .filter(|key| key.starts_with(start))
            .cloned()
            .collect();
        assert!(db.scan_prefix(start).await == expected, "{at}: prefix {start:x?}");
        assert!(
            db.db.get(key.as_slice()).await.unwrap().is_some(),
            "{at}: {key:x?}"
        );
    }
}

/// Scans around one row, in both orders and below any prefix, of tables with short keys and with rows that expire.
#[test]
fn a_row_is_found_between_its_neighbours() {
    let prefixes = PrefixPolicy::new(BLOOM, SeparatedPrefix::new(b':', 2));
    for policies in [vec![of_engine(TEN)], vec![of_engine(prefixes), of_engine(TEN)]] {
        let store: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
        Runtime::new().unwrap().block_on(async {
            let mut random = SplitMix64::seed_from_u64(3);
            let db = Counted::open(&store, policies, false).await;
            let mut rows = BTreeMap::new();
            for ttl in [Ttl::NoExpiry, Ttl::ExpireAfterMillis(1 << 40)] {
                for number in 0..60 {
                    let key = match number % 4 {
                        0 => random.next_u64().to_be_bytes()[..1 + number % 3].to_vec(),
                        _ => row(1 + random.next_u64() % 60, &mut random),
                    };
                    let (put, write) = (PutOptions { ttl: ttl.clone() }, WriteOptions::default());
                    db.db
                        .put_with_options(&key, b"value", &put, &write)
                        .await
                        .unwrap();
                    rows.insert(key, ());
                }
                db.flush().await;
            }
            let keys: Vec<&[u8]> = rows.keys().map(Vec::as_slice).collect();
            for three in keys.windows(3) {
                let [below, key, above] = *three else {
                    unreachable!()
                };
                for (lower, upper) in [
                    (Included(key), Included(key)),
                    (Included(key), Excluded(above)),
                    (Excluded(below), Included(key)),
                    (Excluded(below), Excluded(above)),
                ] {
                    assert_eq!(db.scan(lower, upper).await, [key], "{lower:x?} {upper:x?}");
                    let range = (lower.map(<[u8]>::to_vec), upper.map(<[u8]>::to_vec));
                    let options = ScanOptions::default().with_order(IterationOrder::Descending);
                    let mut rows = db.db.scan_with_options(range, &options).await.unwrap();
                    assert_eq!(rows.next().await.unwrap().unwrap().key, key);
                    assert!(rows.next().await.unwrap().is_none());
                }
                let (start, end) = key.split_at(random.next_u64() as usize % key.len());
                let mut rows = db
                    .db
                    .scan_prefix(start, end.to_vec()..=end.to_vec())
                    .await
                    .unwrap();
                assert_eq!(
                    rows.next().await.unwrap().unwrap().key,
                    key,
                    "{start:x?} {end:x?}"
                );
            }
            db.db.close().await.unwrap();
        });
    }
}

#[test]
fn every_row_is_found_before_and_after_flush_compaction_and_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let on_disk = LocalFileSystem::new_with_prefix(folder.path()).unwrap();
    let stores: [Arc<dyn ObjectStore>; 2] = [Arc::new(InMemory::new()), Arc::new(on_disk)];
    for store in stores {
        Runtime::new().unwrap().block_on(async {
            let mut random = SplitMix64::seed_from_u64(2);
            let mut rows = BTreeMap::new();
            // Written without filters for ranges.
            let db = Counted::open(&store, vec![of_engine(BLOOM)], false).await;
            for _ in 0..300 {
                let key = row(1 + random.next_u64() % 40, &mut random);
                db.db.put(&key, b"old").await.unwrap();
                rows.insert(key, ());
            }
            db.flush().await;
            db.db.close().await.unwrap();
            let ranges = |bits| of_engine(RangePolicy::new(BitsPerKey::whole(bits)));
            for (bits, compacts) in [(10, false), (4, false), (16, true)] {
                let db = Counted::open(&store, vec![of_engine(BLOOM), ranges(bits)], compacts).await;
                scans_agree(&db, &rows, &mut random, "opened").await;
                for _ in 0..2 {
                    for _ in 0..300 {
                        let key = row(1 + random.next_u64() % 40, &mut random);
                        db.db.put(&key, b"new").await.unwrap();
                        rows.insert(key, ());
                    }
                    for key in rows.keys().step_by(29).cloned().collect::<Vec<_>>() {
                        db.db.delete(&key).await.unwrap();
                        rows.remove(&key);
                    }
                    scans_agree(&db, &rows, &mut random, "in memory").await;
                    db.flush().await;
                    scans_agree(&db, &rows, &mut random, "flushed").await;
                }
                let compacted = async {
                    while compacts && db.db.manifest().compacted().is_empty() {
                        tokio::time::sleep(Duration::from_millis(20)).await;
                    }
                };
                let in_time = tokio::time::timeout(Duration::from_secs(120), compacted).await;
                assert!(in_time.is_ok(), "nothing was compacted");
                scans_agree(&db, &rows, &mut random, "after all").await;
                db.db.close().await.unwrap();
            }
            let db = Counted::open(&store, vec![ranges(12)], false).await;
            scans_agree(&db, &rows, &mut random, "compacted and reopened").await;
            // The filter was written again, with the table.
            let before = db.requests();
            assert!(db.scan(Included(b"a"), Included(b"b")).await.is_empty());
            assert_eq!(db.requests(), before);
            db.db.close().await.unwrap();
        });
    }
}

#[test]
fn ranges_are_asked_as_they_are() {
    let policy = SlateDbPolicy::new(TEN);
    assert_eq!(policy.name(), "RangeFilter.SplitTrie1");
    // A scan of a prefix then comes as a range.
    assert!(policy.supports_range_queries() && !policy.supports_prefix_queries());
    let keys: [&[u8]; 3] = [b"apple", b"banana", b"cherry"];
    let bytes = policy.create(&keys);
    assert_eq!(bytes, TEN.build(keys).unwrap());
    assert_eq!(
        policy.create(&[b"banana", b"apple"]),
        [0x00, 0xff],
        "not in order"
    );
    let filter = policy.decode(&bytes);
    let range = |lower: Bound<&[u8]>, upper: Bound<&[u8]>| {
        filter.might_match(&FilterQuery::range(
            lower.map(Bytes::copy_from_slice),
            upper.map(Bytes::copy_from_slice),
        ))
    };
    assert!(range(Included(b"banana"), Excluded(b"bananb")) && range(Unbounded, Included(b"apple")));
    assert!(range(Excluded(b"apple"), Excluded(b"cherry")) && range(Excluded(b"banana"), Unbounded));
    assert!(!range(Included(b"d"), Unbounded) && !range(Unbounded, Excluded(b"aa")));
    assert!(!range(Included(b"bb"), Excluded(b"c")) && !range(Excluded(b"chf"), Unbounded));
    // Of short keys, an excluded bound has other bits than an included one.
    let short = policy.decode(&policy.create(&[b"a", b"b", b"c"]));
    let range = |lower: Bound<&'static [u8]>, upper: Bound<&'static [u8]>| {
        let [lower, upper] = [lower, upper].map(|bound| bound.map(Bytes::from_static));
        short.might_match(&FilterQuery::range(lower, upper))
    };
    assert!(range(Included(b"aa"), Included(b"b")) && !range(Included(b"aa"), Excluded(b"b")));
    // Another policy of the table can make the engine ask for prefixes.
    assert!(filter.might_match(&prefix(b"ban")) && !filter.might_match(&prefix(b"bb")));
    assert!(filter.might_match(&point(b"cherry")) && !filter.might_match(&point(b"zebra")));
    // A policy without an answer, and a filter that could not be built, deny no range.
    let every = FilterQuery::range(Unbounded, Unbounded);
    assert!(SlateDbPolicy::new(BLOOM).decode(&[0; 9]).might_match(&every));
    let failing = SlateDbPolicy::new(Failing::named("Failing"));
    assert!(failing.decode(&[0x00, 0xff]).might_match(&every));
}
