//! SlateDB in memory.

mod ranges;

use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use filter_policy::policies::AnyPolicy;
use filter_policy::prefix::{FixedPrefix, PrefixPolicy, SeparatedPrefix};
use filter_policy::{BitsPerKey, FilterPolicy};
use filter_policy_slatedb::SlateDbPolicy;
use slatedb::config::{FlushOptions, FlushType, Settings};
use slatedb::db_stats::{
    FILTER_KIND_LABEL, FILTER_KIND_POINT, FILTER_KIND_PREFIX, SST_FILTER_NEGATIVE_COUNT,
    SST_FILTER_POSITIVE_COUNT,
};
use slatedb::object_store::memory::InMemory;
use slatedb::{Db, Filter, FilterPolicy as OfEngine, FilterQuery, RowEntry, ValueDeletable};
use slatedb_common::metrics::{DefaultMetricsRecorder, MetricValue};
use tokio::runtime::Runtime;

use super::{Adapter, Database, Engine};
use crate::policies::{BLOOM, Failing};

pub(super) const ENGINE: Engine = Engine {
    name: "SlateDB",
    adapter: |policy| Box::new(SlateDbPolicy::new(policy)),
    database: || {
        let store = Arc::new(InMemory::new());
        Box::new(move |policy: Option<AnyPolicy>| {
            let policies = policy.into_iter().map(of_engine).collect();
            Ok(Box::new(Opened::new(&store, policies)))
        })
    },
    filters_tables: true,
    compares_names: true,
    deletes: true,
    counts_reads: false,
    keeps_keys: true,
};

fn of_engine(policy: impl FilterPolicy + Send + Sync + 'static) -> Arc<dyn OfEngine> {
    Arc::new(SlateDbPolicy::new(policy))
}

fn point(key: &[u8]) -> FilterQuery {
    FilterQuery::point(Bytes::copy_from_slice(key))
}

fn prefix(start: &[u8]) -> FilterQuery {
    FilterQuery::prefix(Bytes::copy_from_slice(start))
}

fn encoded(filter: &dyn Filter) -> Vec<u8> {
    let mut bytes = Vec::new();
    filter.encode(&mut bytes);
    assert_eq!(filter.size(), bytes.len());
    bytes
}

impl<P: FilterPolicy + Send + Sync + 'static> Adapter for SlateDbPolicy<P> {
    /// Builds from rows of every kind.
    fn create(&self, keys: &[&[u8]]) -> Vec<u8> {
        let mut builder = self.builder();
        let mut build = |keys: &[&[u8]]| {
            for (seq, key) in (0..).zip(keys) {
                let value = match seq % 3 {
                    0 => ValueDeletable::Value(Bytes::from_static(b"value")),
                    1 => ValueDeletable::Merge(Bytes::from_static(b"operand")),
                    _ => ValueDeletable::Tombstone,
                };
                let key = Bytes::copy_from_slice(key);
                builder.add_entry(&RowEntry {
                    key,
                    value,
                    seq,
                    create_ts: None,
                    expire_ts: None,
                });
            }
            builder.build()
        };
        // A builder begins anew after a filter, also with the last key of it.
        build(&[b"a", b"key"]);
        let filter = build(keys);
        let bytes = encoded(&*filter);
        assert!(self.estimate_size(keys.len()) >= bytes.len());
        assert_eq!(encoded(&*filter.clamp_allocated_size()), bytes);
        assert_eq!(encoded(&*self.decode(&bytes)), bytes);
        bytes
    }

    fn may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        let filter = self.decode(filter);
        let answer = filter.might_match(&point(key));
        assert_eq!(filter.clamp_allocated_size().might_match(&point(key)), answer);
        let every = FilterQuery::range(Bound::Unbounded, Bound::Unbounded);
        assert!(!answer || filter.might_match(&every));
        assert!(
            !answer || filter.might_match(&prefix(key)),
            "{key:x?} is found, and no key starts with it"
        );
        answer
    }
}

/// An open database, without compaction. Tables of any size have filters.
struct Opened {
    db: Db,
    recorder: Arc<DefaultMetricsRecorder>,
    runtime: Runtime,
}

impl Opened {
    fn new(store: &Arc<InMemory>, policies: Vec<Arc<dyn OfEngine>>) -> Self {
        let runtime = Runtime::new().unwrap();
        let recorder = Arc::new(DefaultMetricsRecorder::new());
        let settings = Settings {
            min_filter_keys: 1,
            compactor_options: None,
            ..Settings::default()
        };
        let db = Db::builder("database", store.clone())
            .with_settings(settings)
            .with_filter_policies(policies)
            .with_metrics_recorder(recorder.clone());
        let db = runtime.block_on(db.build()).unwrap();
        Self {
            db,
            recorder,
            runtime,
        }
    }

    /// Returns the number of tables that a filter of a kind excluded, and of those that it did not.
    fn filtered(&self, kind: &str) -> [u64; 2] {
        let metrics = self.recorder.snapshot();
        [SST_FILTER_NEGATIVE_COUNT, SST_FILTER_POSITIVE_COUNT].map(|name| {
            let metric = metrics.by_name_and_labels(name, &[(FILTER_KIND_LABEL, kind)]);
            match metric.unwrap().value {
                MetricValue::Counter(value) => value,
                ref other => panic!("{name} is {other:?}"),
            }
        })
    }

    /// Returns the number of keys that start with these bytes, and of tables that filters excluded and did not.
    fn scan(&self, start: &str) -> (usize, [u64; 2]) {
        let before = self.filtered(FILTER_KIND_PREFIX);
        let found = self.runtime.block_on(async {
            let mut rows = self.db.scan_prefix(start, ..).await.unwrap();
            let mut count = 0;
            while let Some(row) = rows.next().await.unwrap() {
                assert!(row.key.starts_with(start.as_bytes()));
                count += 1;
            }
            count
        });
        let after = self.filtered(FILTER_KIND_PREFIX);
        (found, [0, 1].map(|index| after[index] - before[index]))
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.runtime.block_on(self.db.close()).unwrap();
    }
}

impl Database for Opened {
    fn put(&mut self, key: &[u8], value: &[u8]) {
        self.runtime.block_on(self.db.put(key, value)).unwrap();
    }

    fn delete(&mut self, key: &[u8]) {
        self.runtime.block_on(self.db.delete(key)).unwrap();
    }

    fn flush(&mut self) {
        let flush_type = FlushType::MemTable;
        let flushed = self.db.flush_with_options(FlushOptions { flush_type });
        self.runtime.block_on(flushed).unwrap();
    }

    fn has(&mut self, key: &[u8]) -> bool {
        self.runtime.block_on(self.db.get(key)).unwrap().is_some()
    }

    fn count(&mut self) -> usize {
        self.scan("").0
    }

    /// Each table that filters do not exclude costs a block.
    fn reads(&self) -> u64 {
        self.filtered(FILTER_KIND_POINT)[1]
    }
}

/// Four tables hold the keys of `table0/` to `table3/`, between one of the very first and one of the very last keys, so
/// that no table can be skipped by its range.
#[test]
fn scans_over_a_prefix_read_the_tables_that_hold_it() {
    assert_eq!(Settings::default().min_filter_keys, 1_000, "the README says 1000");
    let over_prefixes = || of_engine(PrefixPolicy::new(BLOOM, SeparatedPrefix::new(b'/', 1)));
    let store = Arc::new(InMemory::new());
    let mut db = Opened::new(&store, vec![of_engine(BLOOM), over_prefixes()]);
    for table in 0..4 {
        let keys = (0..200).map(|i| format!("table{table}/{i:05}"));
        for key in keys.chain([format!("a/{table}"), format!("z/{table}")]) {
            db.put(key.as_bytes(), b"value");
        }
        db.flush();
    }
    drop(db);

    // The order of policies does not matter, because filters are found by name.
    let db = Opened::new(&store, vec![over_prefixes(), of_engine(BLOOM)]);
    for table in 0..4 {
        assert_eq!(db.scan(&format!("table{table}/")), (200, [3, 1]));
    }
    // A scan over more than the extractor's prefix queries that prefix.
    assert_eq!(db.scan("table2/000"), (100, [3, 1]));
    for i in 0..10 {
        assert_eq!(db.scan(&format!("sheet{i}/")), (0, [4, 0]));
    }
    // For a shorter prefix the filter has no answer, and all tables are read.
    assert_eq!(db.scan("table"), (800, [0, 4]));
    drop(db);
    // Without a policy over prefixes, the engine does not even fetch the filters for a scan.
    let db = Opened::new(&store, vec![of_engine(BLOOM)]);
    assert_eq!(db.scan("table1/"), (200, [0, 0]));
}

#[test]
fn names_and_abilities_are_the_policys() {
    let points = SlateDbPolicy::new(BLOOM);
    assert_eq!(points.name(), "BloomFilter2");
    assert!(!points.supports_prefix_queries() && !points.supports_range_queries());
    assert_eq!(points.policy().bits_per_key(), Some(BitsPerKey::whole(10)));
    let prefixes = SlateDbPolicy::new(PrefixPolicy::new(BLOOM, FixedPrefix::new(2)));
    assert_eq!(prefixes.name(), "BloomFilter2.Prefix.Fixed2");
    assert!(prefixes.supports_prefix_queries() && !prefixes.supports_range_queries());
    for filter in [&[0x55; 9][..], &[0, 6], &[0xff; 20]] {
        let answer = prefixes.decode(filter).might_match(&prefix(b"abc"));
        assert_eq!(answer, BLOOM.key_may_match(b"ab", filter));
    }
    // A filter that could not be built denies no prefix either.
    let failing = SlateDbPolicy::new(Failing::named("Failing"));
    assert!(failing.decode(&[0x00, 0xff]).might_match(&prefix(b"k")));
    assert_eq!(failing.estimate_size(1), 2);
}

#[test]
fn the_engines_names_are_refused() {
    for (name, is_engines) in [("_bf", true), ("_bf:wh=0", true), ("_bf2", false)] {
        let refused = std::panic::catch_unwind(|| SlateDbPolicy::new(Failing::named(name))).is_err();
        assert_eq!(refused, is_engines, "{name}");
    }
}
