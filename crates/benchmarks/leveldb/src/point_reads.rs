//! Point reads of LevelDB: blocks read and time per Get of absent and of present keys, without filters, with the
//! engine's own policy and with ours.

use std::path::Path;

use bench_kit::databases::{BITS_PER_KEY, Database, Free, Key, Keys, VALUE_BYTES};
use bench_kit::record::Batch;
use bench_leveldb::{Engine, EnginePolicy, version};
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

/// Opens a policy's database in a folder.
fn open(policy: &'static str, folder: &Path, cache: &'static str) -> Engine {
    let bits = BitsPerKey::whole(BITS_PER_KEY);
    let engine_policy = match policy {
        "engine" => Some(EnginePolicy::builtin(BITS_PER_KEY)),
        "ours-leveldb-hash" => Some(EnginePolicy::ours(BloomFilterPolicy::leveldb_builtin(bits))),
        "ours-bloomfilter2" => Some(EnginePolicy::ours(BloomFilterPolicy::new(bits))),
        "always-no" => Some(EnginePolicy::ours(Free)),
        _ => None,
    };
    // With the first, each block is read from its file only once.
    let cache_bytes = if cache == "everything" {
        isize::MAX as usize
    } else {
        0
    };
    Engine::open(&folder.join(policy), engine_policy, cache_bytes)
}

/// Writes and compacts the database of every policy.
fn write_all(folder: &Path, stored: &[Key]) {
    for policy in POLICIES {
        let engine = open(policy, folder, "nothing");
        let mut random = Keys::values();
        let mut value = [0; VALUE_BYTES];
        for key in stored {
            // Half of each value is compressible, because LevelDB caches only the blocks of a memory-mapped table that
            // it had to decompress.
            let (new, repeated) = value.split_at_mut(VALUE_BYTES / 2);
            random.fill_bytes(new);
            repeated.copy_from_slice(new);
            engine.put(key, &value);
        }
        engine.compact();
    }
}

/// Measures everything. The batches are in the order of measurement.
pub(crate) fn measure(is_quick: bool) -> Result<Vec<Batch>, String> {
    let (entries, rounds) = if is_quick { (50_000, 15) } else { (1_000_000, 151) };
    let folder = tempfile::tempdir().map_err(|error| format!("temporary folder: {error}"))?;
    let folder = folder.path();
    let keys = Keys::new(entries);
    eprintln!(
        "writing {entries} entries for each policy below {}",
        folder.display()
    );
    write_all(folder, &keys.stored);
    let mut batches = Vec::new();
    for cache in ["everything", "nothing"] {
        let engines = POLICIES.map(|policy| open(policy, folder, cache));
        for (policy, engine) in POLICIES.into_iter().zip(&engines) {
            // Counting opens all tables and fills the cache.
            assert_eq!(engine.count(), entries as u64, "entries of {policy}");
        }
        let databases = POLICIES
            .into_iter()
            .zip(&engines)
            .map(|(policy, engine)| Database {
                policy,
                cache,
                bits_per_key: match policy {
                    "none" | "always-no" => 0,
                    _ => BITS_PER_KEY,
                },
                found: Box::new(|keys| Ok(keys.iter().filter(|key| engine.has(*key)).count())),
                reads: Box::new(|| engine.reads()),
            });
        let mut databases: Vec<Database<'_>> = databases.collect();
        batches.extend(keys.measure("leveldb", &version(), &mut databases, (rounds, GETS))?);
    }
    Ok(batches)
}
