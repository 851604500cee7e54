//! Point reads of rusty-leveldb, with useless filters, with the engine's own policy and with ours.
//!
//! All databases hold the same entries in tables of the same shape: filters that deny nothing or everything are as
//! large as the others. Turns and batches are as in LevelDB's benchmark.

use std::error::Error;
use std::rc::Rc;

use engine_tests::CountingEnv;
use filter_policy::{BitsPerKey, BloomFilterPolicy};
use filter_policy_rusty_leveldb::RustyLevelDbPolicy;
use rusty_leveldb::{BloomPolicy, DB, FilterPolicy, Options};
use terminal::failure::Failure;

use crate::keys::numbers;
use crate::record::Batch;
use crate::suites::point_reads::{Always, BITS_PER_KEY, Database, Engine, GETS, Key, VALUE_BYTES, VALUES};
use crate::turns::Run;

/// Writes, compacts and reopens the database of a policy.
fn open(policy: &str, cache: &str, stored: &[Key]) -> Result<Option<Database>, Box<dyn Error>> {
    let bits = BitsPerKey::whole(BITS_PER_KEY);
    let leveldb = BloomFilterPolicy::with_leveldb_hash(bits);
    let filter_policy: Box<dyn FilterPolicy> = match policy {
        "engine" => Box::new(BloomPolicy::new(BITS_PER_KEY)),
        "ours-leveldb-hash" => Box::new(RustyLevelDbPolicy::new(leveldb)?),
        "ours-bloomfilter2" => Box::new(RustyLevelDbPolicy::new(BloomFilterPolicy::new(bits))?),
        "always-yes" => Box::new(RustyLevelDbPolicy::new(Always(true))?),
        "always-no" => Box::new(RustyLevelDbPolicy::new(Always(false))?),
        _ => return Ok(None),
    };
    let folder = tempfile::tempdir()?;
    let (env, reads) = CountingEnv::new();
    let options = Options {
        env: Rc::new(Box::new(env)),
        filter_policy: Rc::new(filter_policy),
        // The engine counts blocks of 4 KiB, and needs room for at least one.
        block_cache_capacity_bytes: if cache == "one-block" { 4 << 10 } else { 1 << 30 },
        ..Options::default()
    };
    let mut db = DB::open(folder.path(), options.clone())?;
    // In random order, so that tables overlap before compaction.
    let mut scattered: Vec<_> = numbers(VALUES).zip(stored).collect();
    scattered.sort_unstable();
    for (_, key) in scattered {
        db.put(key, &[b'v'; VALUE_BYTES])?;
    }
    db.compact_range(b"0", b"g")?;
    db.close()?;
    drop(db);
    let mut db = DB::open(folder.path(), options)?;
    // This opens the tables and fills the cache.
    for key in stored {
        db.get(key);
    }
    Ok(Some(Database {
        found: Box::new(move |keys| {
            // Keeps the folder as long as the database.
            let _ = &folder;
            Ok(keys.iter().filter(|key| db.get(*key).is_some()).count())
        }),
        reads: Box::new(move || reads.get()),
    }))
}

/// Measures point reads. The batches are in the order of measurement.
///
/// # Errors
///
/// If the user requested a stop, or the engine fails or finds a wrong number of keys.
pub fn point_reads(run: &Run<'_>) -> Result<Vec<Batch>, Failure> {
    let engine = Engine {
        name: "rusty-leveldb",
        version: crate::version("rusty-leveldb"),
        caches: ["everything", "one-block"],
        entries: run.extent(20_000, 200_000),
        rounds: run.extent(15, 151),
        gets: GETS,
    };
    engine.measure(run, |policy, cache, stored| {
        open(policy, cache, stored).map_err(Failure::internal)
    })
}
