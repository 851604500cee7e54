//! Point reads of rusty-leveldb with useless filters, with the engine's own policy and with ours.
//!
//! All databases hold the same entries in tables of the same shape: filters that deny nothing or everything are as
//! large as the others. Turns and batches are as in LevelDB's benchmark.

use std::rc::Rc;

use bench_kit::databases::{BITS_PER_KEY, Database, Key, Keys, VALUE_BYTES};
use bench_kit::record::Batch;
use counting_env::CountingEnv;
use filter_policy::{BitsPerKey, BloomFilterPolicy};
use filter_policy_rusty_leveldb::RustyLevelDbPolicy;
use rand_xoshiro::rand_core::Rng;
use rusty_leveldb::{BloomPolicy, DB, FilterPolicy, Options};

use crate::point_reads::GETS;

const POLICIES: [&str; 5] = [
    "always-yes",
    "engine",
    "ours-leveldb-hash",
    "ours-bloomfilter2",
    "always-no",
];

/// A policy with filters as large as the others, which gives the same answer to every query.
struct Always {
    answer: bool,
    built: BloomPolicy,
}

impl Always {
    fn says(answer: bool) -> Self {
        Self {
            answer,
            built: BloomPolicy::new(BITS_PER_KEY),
        }
    }
}

impl FilterPolicy for Always {
    fn name(&self) -> &'static str {
        "Always"
    }

    fn create_filter(&self, keys: &[u8], offsets: &[usize]) -> Vec<u8> {
        self.built.create_filter(keys, offsets)
    }

    fn key_may_match(&self, _: &[u8], _: &[u8]) -> bool {
        self.answer
    }
}

/// Writes, compacts and reopens the database of a policy.
fn open(
    policy: &'static str,
    cache: &'static str,
    stored: &[Key],
) -> Result<Database<'static>, Box<dyn std::error::Error>> {
    let bits = BitsPerKey::whole(BITS_PER_KEY);
    let filter_policy: Box<dyn FilterPolicy> = match policy {
        "engine" => Box::new(BloomPolicy::new(BITS_PER_KEY)),
        "ours-leveldb-hash" => Box::new(RustyLevelDbPolicy::new(BloomFilterPolicy::with_leveldb_hash(
            bits,
        ))?),
        "ours-bloomfilter2" => Box::new(RustyLevelDbPolicy::new(BloomFilterPolicy::new(bits))?),
        other => Box::new(Always::says(other == "always-yes")),
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
    let mut random = Keys::values();
    let mut scattered: Vec<&Key> = stored.iter().collect();
    // In random order, so that tables overlap before compaction.
    scattered.sort_by_cached_key(|_| random.next_u64());
    for key in scattered {
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
    Ok(Database {
        policy,
        cache,
        bits_per_key: BITS_PER_KEY,
        found: Box::new(move |keys| {
            // Keeps the folder as long as the database.
            let _ = &folder;
            Ok(keys.iter().filter(|key| db.get(*key).is_some()).count())
        }),
        reads: Box::new(move || reads.get()),
    })
}

/// Measures everything. The batches are in the order of measurement.
pub(crate) fn measure(is_quick: bool) -> Result<Vec<Batch>, String> {
    let (entries, rounds) = if is_quick { (20_000, 15) } else { (200_000, 151) };
    let keys = Keys::new(entries);
    eprintln!("rusty-leveldb: writing {entries} entries for each policy");
    let mut databases = Vec::new();
    for cache in ["everything", "one-block"] {
        for policy in POLICIES {
            databases.push(open(policy, cache, &keys.stored).map_err(|error| error.to_string())?);
        }
    }
    let version = bench_kit::version("rusty-leveldb");
    keys.measure("rusty-leveldb", &version, &mut databases, (rounds, GETS))
}
