//! Point reads of SlateDB: blocks read from the object store and time per Get of absent and of present keys, without
//! filters, with the engine's own policy and with ours.
//!
//! The store is in memory, so a block costs only its decoding. Over a network everything except the filter takes a
//! thousand times as long.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use filter_policy::parquet::ParquetPolicy;
use filter_policy::rocksdb::FastLocalBloomPolicy;
use filter_policy::{BitsPerKey, BloomFilterPolicy};
use filter_policy_slatedb::SlateDbPolicy;
use slatedb::config::{FlushOptions, FlushType, Settings};
use slatedb::db_cache::{CachedEntry, CachedKey, DbCache};
use slatedb::object_store::memory::InMemory;
use slatedb::{Db, DbBuilder, Error, FilterPolicy};
use terminal::failure::Failure;
use tokio::runtime::Runtime;

use crate::record::Batch;
use crate::suites::point_reads::{Always, BITS_PER_KEY, Database, Engine, Key, VALUE_BYTES};
use crate::turns::Run;

pub mod requests;

/// Tables of a database, each of which spans the whole range of keys.
const TABLES: usize = 4;

/// Returns the filters of a policy with which the engine is measured.
fn slatedbs(policy: &str) -> Option<Vec<Arc<dyn FilterPolicy>>> {
    let bits = BitsPerKey::whole(BITS_PER_KEY);
    Some(vec![match policy {
        "none" => return Some(Vec::new()),
        "engine" => Arc::new(slatedb::BloomFilterPolicy::new(BITS_PER_KEY)),
        "ours-bloomfilter2" => Arc::new(SlateDbPolicy::new(BloomFilterPolicy::new(bits))),
        "ours-fast-local" => Arc::new(SlateDbPolicy::new(FastLocalBloomPolicy::new(bits))),
        "ours-split-blocks" => Arc::new(SlateDbPolicy::new(ParquetPolicy::new(bits))),
        "always-no" => Arc::new(SlateDbPolicy::new(Always(false))),
        _ => return None,
    }])
}

/// A cache that keeps indexes and filters, and optionally blocks, forever, and counts the blocks read from the store.
struct Kept {
    blocks: bool,
    entries: Mutex<HashMap<CachedKey, CachedEntry>>,
    reads: AtomicU64,
}

impl Kept {
    fn new(blocks: bool) -> Self {
        Self {
            blocks,
            entries: Mutex::default(),
            reads: AtomicU64::new(0),
        }
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<CachedKey, CachedEntry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl DbCache for Kept {
    async fn get_block(&self, key: &CachedKey) -> Result<Option<CachedEntry>, Error> {
        let kept = self.get_index(key).await?.filter(|_| self.blocks);
        self.reads.fetch_add(u64::from(kept.is_none()), Ordering::Relaxed);
        Ok(kept)
    }

    async fn get_index(&self, key: &CachedKey) -> Result<Option<CachedEntry>, Error> {
        Ok(self.entries().get(key).cloned())
    }

    async fn get_filter(&self, key: &CachedKey) -> Result<Option<CachedEntry>, Error> {
        self.get_index(key).await
    }

    async fn get_stats(&self, key: &CachedKey) -> Result<Option<CachedEntry>, Error> {
        self.get_index(key).await
    }

    async fn insert(&self, key: CachedKey, value: CachedEntry) {
        self.entries().insert(key, value);
    }

    async fn remove(&self, key: &CachedKey) {
        self.entries().remove(key);
    }

    fn entry_count(&self) -> u64 {
        self.entries().len() as u64
    }
}

/// Writes the tables of a database, and returns what opens it again.
async fn written(
    policies: Vec<Arc<dyn FilterPolicy>>,
    tables: impl Iterator<Item = impl Iterator<Item = &[u8]>>,
) -> Result<DbBuilder<&'static str>, Error> {
    let store = Arc::new(InMemory::new());
    // Nothing reads or writes in the background.
    let settings = Settings {
        min_filter_keys: 1,
        manifest_poll_interval: Duration::from_secs(3_600),
        l0_max_ssts: 100,
        l0_max_ssts_per_key: 100,
        compactor_options: None,
        garbage_collector_options: None,
        ..Settings::default()
    };
    let builder = || {
        let builder = Db::builder("database", store.clone()).with_settings(settings.clone());
        builder.with_filter_policies(policies.clone())
    };
    let db = builder().build().await?;
    for table in tables {
        for key in table {
            db.put(key, [b'v'; VALUE_BYTES]).await?;
        }
        let flush_type = FlushType::MemTable;
        db.flush_with_options(FlushOptions { flush_type }).await?;
    }
    db.close().await?;
    Ok(builder())
}

/// Writes and reopens the database of a policy.
async fn open(
    policies: Vec<Arc<dyn FilterPolicy>>,
    cache: &str,
    stored: &[Key],
) -> Result<(Db, Arc<Kept>), Error> {
    let of_table = |table| stored.iter().skip(table).step_by(TABLES).map(|key| &key[..]);
    let builder = written(policies, (0..TABLES).map(of_table)).await?;
    let kept = Arc::new(Kept::new(cache == "everything"));
    let db = builder.with_db_cache(kept.clone(), 1).build().await?;
    // This opens the tables and fills the cache.
    for key in stored {
        db.get(key).await?;
    }
    Ok((db, kept))
}

/// Measures point reads. The batches are in the order of measurement.
///
/// # Errors
///
/// If the user requested a stop, or the engine fails or finds a wrong number of keys.
pub fn point_reads(run: &Run<'_>) -> Result<Vec<Batch>, Failure> {
    let runtime = Runtime::new().map_err(Failure::internal)?;
    let engine = Engine {
        name: "slatedb",
        version: crate::version("slatedb"),
        caches: ["everything", "nothing"],
        entries: run.extent(1_000, 200_000),
        rounds: run.extent(2, 101),
        gets: 500,
    };
    engine.measure(run, |policy, cache, stored| {
        let Some(policies) = slatedbs(policy) else {
            return Ok(None);
        };
        let opened = runtime.block_on(open(policies, cache, stored));
        let (db, kept) = opened.map_err(Failure::internal)?;
        let handle = runtime.handle().clone();
        Ok(Some(Database {
            found: Box::new(move |keys| {
                handle.block_on(async {
                    let mut found = 0;
                    for key in keys {
                        found += usize::from(db.get(key).await.map_err(Failure::internal)?.is_some());
                    }
                    Ok(found)
                })
            }),
            reads: Box::new(move || kept.reads.load(Ordering::Relaxed)),
        }))
    })
}

#[cfg(test)]
mod tests {
    use terminal::progress::Silent;

    use super::*;
    use crate::record::Row;
    use crate::suites::point_reads::SUITE;

    #[test]
    fn every_database_finds_its_keys_and_filters_save_blocks() {
        let run = Run {
            is_quick: true,
            progress: &Silent,
        };
        let rows = SUITE.rows(&point_reads(&run).unwrap()).unwrap();
        let mut of_absent = rows.iter().filter(|row| row.case.task == "absent-blocks");
        assert_eq!(of_absent.clone().count(), 2 * 6);
        let is_right = |row: &Row| match (&*row.case.contender, row.case.get("cache")) {
            ("none", "nothing") => row.value > 3.9,
            _ => row.value < 0.1,
        };
        assert_eq!(of_absent.find(|row| !is_right(row)), None);
    }
}
