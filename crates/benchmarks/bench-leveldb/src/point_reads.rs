//! Point reads of LevelDB: blocks read and time per Get of absent and of present keys, without filters, with the
//! engine's own policy and with ours.

use std::path::Path;
use std::rc::Rc;

use bench_kit::databases::{Always, BITS_PER_KEY, Database, Engine, Key, VALUE_BYTES, values};
use bench_kit::record::Batch;
use bench_leveldb::{Database as LevelDb, Policy, UniquePtr, version};
use filter_policy::{BitsPerKey, BloomFilterPolicy};
use rand_xoshiro::rand_core::Rng;

/// Gets of a batch.
pub(crate) const GETS: usize = 2_000;

const POLICIES: [&str; 5] = [
    "none",
    "engine",
    "ours-leveldb-hash",
    "ours-bloomfilter2",
    "always-no",
];

type Opened<T> = Result<T, Box<dyn std::error::Error>>;

/// Opens a policy's database at a path.
fn open(policy: &str, path: &Path, cache: &str) -> Opened<UniquePtr<LevelDb>> {
    let bits = BitsPerKey::whole(BITS_PER_KEY);
    let engine_policy = match policy {
        "engine" => Policy::builtin(BITS_PER_KEY.cast_signed()),
        "ours-leveldb-hash" => Policy::ours(BloomFilterPolicy::with_leveldb_hash(bits)),
        "ours-bloomfilter2" => Policy::ours(BloomFilterPolicy::new(bits)),
        "always-no" => Policy::ours(Always(false)),
        _ => UniquePtr::null(),
    };
    // With the first, each block is read from its file only once.
    let cache_bytes = if cache == "everything" {
        isize::MAX as usize
    } else {
        0
    };
    Ok(LevelDb::open(
        &path.to_string_lossy(),
        engine_policy,
        cache_bytes,
    )?)
}

/// Writes the database of a policy, unless it is there, compacts it, and opens it with all tables and a full cache.
fn filled(policy: &str, path: &Path, cache: &str, stored: &[Key]) -> Opened<Database> {
    if !path.exists() {
        let engine = open(policy, path, "nothing")?;
        let mut random = values();
        let mut value = [0; VALUE_BYTES];
        for key in stored {
            // Half of each value is compressible, because LevelDB caches only the blocks of a memory-mapped table that
            // it had to decompress.
            let (new, repeated) = value.split_at_mut(VALUE_BYTES / 2);
            random.fill_bytes(new);
            repeated.copy_from_slice(new);
            engine.put(key, &value)?;
        }
        engine.compact();
    }
    let engine = Rc::new(open(policy, path, cache)?);
    // Counting opens all tables and fills the cache.
    assert_eq!(engine.count()?, stored.len() as u64, "entries of {policy}");
    let counted = engine.clone();
    Ok(Database {
        found: Box::new(move |keys| {
            let found = keys.iter().map(|key| engine.has(key).map(usize::from));
            let found = found.sum::<Result<usize, _>>();
            found.map_err(|error| error.to_string())
        }),
        reads: Box::new(move || counted.reads()),
    })
}

/// Measures everything. The batches are in the order of measurement.
pub(crate) fn measure(is_quick: bool) -> Result<Vec<Batch>, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("temporary folder: {error}"))?;
    let engine = Engine {
        name: "leveldb",
        version: version(),
        policies: &POLICIES,
        caches: ["everything", "nothing"],
        entries: if is_quick { 50_000 } else { 1_000_000 },
        rounds: if is_quick { 15 } else { 151 },
        gets: GETS,
    };
    engine.measure(|policy, cache, stored| {
        let database = filled(policy, &folder.path().join(policy), cache, stored);
        database.map_err(|error| error.to_string())
    })
}
