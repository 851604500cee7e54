//! Point reads of rusty-leveldb with useless filters, with the engine's own policy and with ours.
//!
//! All databases hold the same entries in tables of the same shape: filters that deny nothing or everything are as
//! large as the others. Turns and batches are as in LevelDB's benchmark.

use std::error::Error;
use std::rc::Rc;

use bench_kit::databases::{Always, BITS_PER_KEY, Database, Engine, Key, VALUE_BYTES, VALUES};
use bench_kit::random;
use bench_kit::record::Batch;
use engine_tests::CountingEnv;
use filter_policy::{BitsPerKey, BloomFilterPolicy};
use filter_policy_rusty_leveldb::RustyLevelDbPolicy;
use rusty_leveldb::{BloomPolicy, DB, FilterPolicy, Options};
use terminal::failure::Failure;

use crate::point_reads::GETS;

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
    let mut scattered: Vec<_> = random(VALUES).zip(stored).collect();
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

/// Measures everything. The batches are in the order of measurement.
pub(crate) fn measure(is_quick: bool) -> Result<Vec<Batch>, Failure> {
    let engine = Engine {
        name: "rusty-leveldb",
        version: bench_kit::version("rusty-leveldb"),
        caches: ["everything", "one-block"],
        entries: if is_quick { 20_000 } else { 200_000 },
        rounds: if is_quick { 15 } else { 151 },
        gets: GETS,
    };
    engine.measure(|policy, cache, stored| open(policy, cache, stored).map_err(Failure::internal))
}
