//! Point reads of LevelDB: blocks read and time per Get of absent and of present keys, without filters, with the
//! engine's own policy and with ours.

use std::path::Path;
use std::rc::Rc;

use bench_kit::databases::{Always, BITS_PER_KEY, Database, Engine, Key, VALUE_BYTES, VALUES};
use bench_kit::random;
use bench_kit::record::Batch;
use engine_tests::leveldb::{Database as LevelDb, Policy, UniquePtr, version};
use filter_policy::{BitsPerKey, BloomFilterPolicy};
use terminal::failure::Failure;

/// Gets of a batch.
pub(crate) const GETS: usize = 2_000;

/// Opens a policy's database at a path.
fn open(policy: &str, path: &Path, cache: &str) -> Result<Option<UniquePtr<LevelDb>>, Failure> {
    let bits = BitsPerKey::whole(BITS_PER_KEY);
    let engine_policy = match policy {
        "none" => UniquePtr::null(),
        "engine" => Policy::builtin(BITS_PER_KEY as u16),
        "ours-leveldb-hash" => Policy::ours(BloomFilterPolicy::with_leveldb_hash(bits)),
        "ours-bloomfilter2" => Policy::ours(BloomFilterPolicy::new(bits)),
        "always-no" => Policy::ours(Always(false)),
        _ => return Ok(None),
    };
    // With the first, each block is read from its file only once.
    let cache_bytes = if cache == "everything" {
        isize::MAX as usize
    } else {
        0
    };
    let opened = LevelDb::open(&path.to_string_lossy(), engine_policy, cache_bytes);
    opened.map(Some).map_err(Failure::internal)
}

/// Writes the database of a policy, unless it is there, compacts it, and opens it with all tables and a full cache.
fn filled(policy: &str, path: &Path, cache: &str, stored: &[Key]) -> Result<Option<Database>, Failure> {
    if !path.exists()
        && let Some(engine) = open(policy, path, "nothing")?
    {
        let mut random = random(VALUES).flat_map(u64::to_le_bytes);
        for key in stored {
            // Half of each value is compressible, because LevelDB caches only the blocks of a memory-mapped table that
            // it had to decompress.
            let half: Vec<u8> = random.by_ref().take(VALUE_BYTES / 2).collect();
            engine.put(key, &half.repeat(2)).map_err(Failure::internal)?;
        }
        engine.compact();
    }
    let Some(engine) = open(policy, path, cache)?.map(Rc::new) else {
        return Ok(None);
    };
    // Counting opens all tables and fills the cache.
    let entries = engine.count().map_err(Failure::internal)?;
    assert_eq!(entries, stored.len() as u64, "entries of {policy}");
    let counted = engine.clone();
    Ok(Some(Database {
        found: Box::new(move |keys| {
            let found = keys.iter().map(|key| engine.has(key).map(usize::from));
            let found = found.sum::<Result<usize, _>>();
            found.map_err(Failure::internal)
        }),
        reads: Box::new(move || counted.reads()),
    }))
}

/// Measures everything. The batches are in the order of measurement.
pub(crate) fn measure(is_quick: bool) -> Result<Vec<Batch>, Failure> {
    let folder = tempfile::tempdir().map_err(Failure::internal)?;
    let engine = Engine {
        name: "leveldb",
        version: version(),
        caches: ["everything", "nothing"],
        entries: if is_quick { 50_000 } else { 1_000_000 },
        rounds: if is_quick { 15 } else { 151 },
        gets: GETS,
    };
    engine.measure(|policy, cache, stored| filled(policy, &folder.path().join(policy), cache, stored))
}
