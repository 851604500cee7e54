//! A database in memory that counts queries of filters.

use std::ops::Sub;
use std::sync::Arc;

use slatedb::config::{FlushOptions, FlushType, Settings};
use slatedb::db_stats::{FILTER_KIND_LABEL, SST_FILTER_NEGATIVE_COUNT, SST_FILTER_POSITIVE_COUNT};
pub(crate) use slatedb::db_stats::{FILTER_KIND_POINT, FILTER_KIND_PREFIX};
use slatedb::object_store::memory::InMemory;
use slatedb::{Db, FilterPolicy};
use slatedb_common::metrics::{DefaultMetricsRecorder, MetricValue};

/// Returns settings with filters in tables of any size, and without compaction.
pub(crate) fn settings() -> Settings {
    Settings {
        min_filter_keys: 1,
        compactor_options: None,
        ..Settings::default()
    }
}

/// The object store, which outlives a closed database.
pub(crate) struct Store(Arc<InMemory>);

impl Store {
    pub(crate) fn new() -> Self {
        Self(Arc::new(InMemory::new()))
    }

    pub(crate) async fn open(&self, settings: Settings, policies: Vec<Arc<dyn FilterPolicy>>) -> Opened {
        let recorder = Arc::new(DefaultMetricsRecorder::new());
        let db = Db::builder("database", self.0.clone())
            .with_settings(settings)
            .with_filter_policies(policies)
            .with_metrics_recorder(recorder.clone())
            .with_db_cache_disabled()
            .build()
            .await
            .unwrap();
        Opened { db, recorder }
    }
}

/// An open database. Every value equals its key.
pub(crate) struct Opened {
    db: Db,
    recorder: Arc<DefaultMetricsRecorder>,
}

impl Opened {
    pub(crate) async fn put(&self, key: &str) {
        self.db.put(key, key).await.unwrap();
    }

    pub(crate) async fn flush(&self) {
        let flush_type = FlushType::MemTable;
        self.db
            .flush_with_options(FlushOptions { flush_type })
            .await
            .unwrap();
    }

    /// Returns true if the key exists, and checks its value.
    pub(crate) async fn has(&self, key: &str) -> bool {
        let value = self.db.get(key).await.unwrap();
        if let Some(value) = &value {
            assert_eq!(value, key);
        }
        value.is_some()
    }

    pub(crate) async fn scan(&self, start: &str) -> Vec<String> {
        let mut rows = self.db.scan_prefix(start, ..).await.unwrap();
        let mut keys = Vec::new();
        while let Some(row) = rows.next().await.unwrap() {
            keys.push(String::from_utf8(row.key.to_vec()).unwrap());
        }
        keys
    }

    pub(crate) fn counters(&self, kind: &str) -> Counters {
        let filters = |name| self.metric(name, &[(FILTER_KIND_LABEL, kind)]);
        Counters {
            negatives: filters(SST_FILTER_NEGATIVE_COUNT),
            positives: filters(SST_FILTER_POSITIVE_COUNT),
        }
    }

    fn metric(&self, name: &str, labels: &[(&str, &str)]) -> u64 {
        match self
            .recorder
            .snapshot()
            .by_name_and_labels(name, labels)
            .unwrap()
            .value
        {
            MetricValue::Counter(value) => value,
            MetricValue::Gauge(value) => u64::try_from(value).unwrap(),
            ref other => panic!("{name} is {other:?}"),
        }
    }

    pub(crate) async fn close(self) {
        self.db.close().await.unwrap();
    }
}

/// Counts since the database was opened.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counters {
    /// The number of tables that a filter excluded.
    pub(crate) negatives: u64,
    /// The number of tables whose filters all answered "may match".
    pub(crate) positives: u64,
}

impl Sub for Counters {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            negatives: self.negatives - earlier.negatives,
            positives: self.positives - earlier.positives,
        }
    }
}
