//! Point reads of LevelDB: blocks read and time per Get of absent and of present keys, without filters, with the
//! engine's own policy and with ours.

use std::fmt::Display;
use std::path::Path;

use bench_kit::databases::{BITS_PER_KEY, Database, Free, Key, Keys, VALUE_BYTES};
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

/// Opens a policy's database in a folder.
fn open(policy: &str, folder: &Path, cache: &str) -> Result<UniquePtr<LevelDb>, String> {
    let bits = BitsPerKey::whole(BITS_PER_KEY);
    let engine_policy = match policy {
        "engine" => Policy::builtin(BITS_PER_KEY.cast_signed()),
        "ours-leveldb-hash" => Policy::ours(BloomFilterPolicy::with_leveldb_hash(bits)),
        "ours-bloomfilter2" => Policy::ours(BloomFilterPolicy::new(bits)),
        "always-no" => Policy::ours(Free),
        _ => UniquePtr::null(),
    };
    // With the first, each block is read from its file only once.
    let cache_bytes = if cache == "everything" {
        isize::MAX as usize
    } else {
        0
    };
    let path = folder.join(policy);
    LevelDb::open(&path.to_string_lossy(), engine_policy, cache_bytes).map_err(words)
}

fn words(error: impl Display) -> String {
    error.to_string()
}

/// Writes and compacts the database of every policy.
fn write_all(folder: &Path, stored: &[Key]) -> Result<(), String> {
    for policy in POLICIES {
        let engine = open(policy, folder, "nothing")?;
        let mut random = Keys::values();
        let mut value = [0; VALUE_BYTES];
        for key in stored {
            // Half of each value is compressible, because LevelDB caches only the blocks of a memory-mapped table that
            // it had to decompress.
            let (new, repeated) = value.split_at_mut(VALUE_BYTES / 2);
            random.fill_bytes(new);
            repeated.copy_from_slice(new);
            engine.put(key, &value).map_err(words)?;
        }
        engine.compact();
    }
    Ok(())
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
    write_all(folder, &keys.stored)?;
    let mut batches = Vec::new();
    for cache in ["everything", "nothing"] {
        let engines = POLICIES.iter().map(|policy| open(policy, folder, cache));
        let engines: Vec<UniquePtr<LevelDb>> = engines.collect::<Result<_, _>>()?;
        for (policy, engine) in POLICIES.into_iter().zip(&engines) {
            // Counting opens all tables and fills the cache.
            let count = engine.count().map_err(words)?;
            assert_eq!(count, entries as u64, "entries of {policy}");
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
                found: Box::new(|keys| {
                    let found = keys.iter().map(|key| engine.has(key).map(usize::from));
                    found.sum::<Result<usize, _>>().map_err(words)
                }),
                reads: Box::new(|| engine.reads()),
            });
        let mut databases: Vec<Database<'_>> = databases.collect();
        batches.extend(keys.measure("leveldb", &version(), &mut databases, (rounds, GETS))?);
    }
    Ok(batches)
}
