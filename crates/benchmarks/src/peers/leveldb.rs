//! Google's LevelDB: point reads of its databases, and its policy in C++.
//!
//! The policy is called through its virtual functions, in a C++ loop over slices made in advance.

use std::path::Path;
use std::rc::Rc;

use engine_tests::leveldb::{Database as LevelDb, Policy, UniquePtr, slices, version};
use filter_policy::{BitsPerKey, BloomFilterPolicy};
use filter_policy_leveldb::POLICY_LEVELDB;
use terminal::failure::Failure;

use crate::keys::{Batched, KeyLengths, numbers};
use crate::ours::policies::Ours;
use crate::record::Batch;
use crate::suites::point_reads::{Always, BITS_PER_KEY, Database, Engine, GETS, Key, VALUE_BYTES, VALUES};
use crate::suites::policy::{self, Contender, Forms, Maker};
use crate::turns::Run;

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
        let mut random = numbers(VALUES).flat_map(u64::to_le_bytes);
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

/// Measures point reads. The batches are in the order of measurement.
///
/// # Errors
///
/// If the user requested a stop, or the engine fails or finds a wrong number of keys.
pub fn point_reads(run: &Run<'_>) -> Result<Vec<Batch>, Failure> {
    let folder = tempfile::tempdir().map_err(Failure::internal)?;
    let engine = Engine {
        name: "leveldb",
        version: version(),
        caches: ["everything", "nothing"],
        entries: run.extent(50_000, 1_000_000),
        rounds: run.extent(15, 151),
        gets: GETS,
    };
    let open = |policy: &str, cache: &str, stored: &[Key]| {
        filled(policy, &folder.path().join(policy), cache, stored)
    };
    engine.measure(run, open)
}

/// The keys of a filter.
const SIZES: [usize; 8] = [32, 128, 512, 4096, 16_384, 100_000, 1_000_000, 20_000_000];

/// Measures LevelDB's own policy, and those of this project with the same bytes.
///
/// # Errors
///
/// If the user requested a stop, or a contender does other work than LevelDB.
pub fn policy(run: &Run<'_>) -> Result<Vec<Batch>, Failure> {
    let contenders = policies();
    let measure = |plan| policy::measure_equal(run, &contenders, plan);
    policy::each_size(run, &SIZES, &[KeyLengths::Fixed, KeyLengths::Mixed], measure)
}

fn policies() -> Vec<Contender> {
    let engine = LevelDbPolicy(Policy::builtin(policy::BITS_PER_KEY as u16));
    // The functions that C programs pass to LevelDB, which calls them like its own policy.
    let c_library = Policy::c_library(policy::BITS_PER_KEY.cast_signed(), POLICY_LEVELDB);
    let peers: [Contender; 2] = [
        ("leveldb", Box::new(engine)),
        ("c-library", Box::new(LevelDbPolicy(c_library))),
    ];
    let ours = BloomFilterPolicy::with_leveldb_hash(BitsPerKey::whole(policy::BITS_PER_KEY));
    peers.into_iter().chain(Ours::on_all_kernels(ours)).collect()
}

/// A policy that LevelDB calls.
struct LevelDbPolicy(UniquePtr<Policy>);

impl Maker for LevelDbPolicy {
    fn version(&self) -> String {
        version()
    }

    fn builds<'a>(&'a self, size: usize, keys: Batched<'a>) -> Forms<'a> {
        let keys = slices(keys.slices);
        vec![("slices", Box::new(move || self.0.create_filters(&keys, size)))]
    }

    fn queries<'a>(&'a self, stored: &[&[u8]], keys: Batched<'a>) -> Forms<'a> {
        let (filter, keys) = (self.0.create_filter(&slices(stored)), slices(keys.slices));
        let run = move || self.0.count_matches(&keys, &filter);
        vec![("one-by-one", Box::new(run))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suites::policy::tests::check_all_take_part;

    #[test]
    fn every_contender_takes_part() {
        check_all_take_part(&policies(), 2, KeyLengths::Mixed);
    }
}
