//! Point reads of rusty-leveldb without a useful filter, with the engine's own policy and with ours.
//!
//! All databases hold the same entries in tables of the same shape: the filters that deny nothing, or everything, are
//! as large as the others. Turns and batches are those of LevelDB's.

use std::cell::Cell;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use bench_kit::suites::point_reads::{Batch, Cache, KeySet, Keys, Policy};
use bench_kit::turns::{timed, turn};
use filter_policy::{BitsPerKey, BloomFilterPolicy};
use filter_policy_rusty_leveldb::RustyLevelDbPolicy;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rusty_leveldb::env::{Env, FileLock, Logger, RandomAccess};
use rusty_leveldb::{BloomPolicy, DB, FilterPolicy, Options, PosixDiskEnv, Result as LevelDbResult};

const BITS_PER_KEY: u32 = 10;
const VALUE_BYTES: usize = 100;
/// Gets of a batch.
const GETS: usize = 2_000;
const SEED: u64 = 1;

type Key = [u8; 16];

/// The entries' keys, and as many that no database has.
struct Data {
    present: Vec<Key>,
    absent: Vec<Key>,
}

impl Data {
    fn new(entries: u64, key_set: KeySet) -> Self {
        let mut random = SplitMix64::seed_from_u64(SEED);
        // The generator gives every number once before it gives one again.
        let mut keys = |first: u64| -> Vec<Key> {
            (0..entries)
                .map(|i| match key_set {
                    KeySet::Random => digits(random.next_u64(), 16),
                    // Neighbours differ in their last digits.
                    KeySet::Decimal => digits(2 * i + first, 10),
                })
                .collect()
        };
        Self {
            present: keys(0),
            absent: keys(1),
        }
    }
}

fn digits(mut number: u64, base: u64) -> Key {
    let mut key = [b'0'; 16];
    for digit in key.iter_mut().rev() {
        *digit = b"0123456789abcdef"[(number % base) as usize];
        number /= base;
    }
    key
}

/// Filters as large as the others, which give the same answer to everything.
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

/// A policy's database.
struct Contender {
    policy: Policy,
    cache: Cache,
    db: DB,
    reads: Rc<Cell<u64>>,
    _folder: tempfile::TempDir,
}

impl Contender {
    fn new(policy: Policy, cache: Cache, data: &Data) -> Result<Self, Box<dyn std::error::Error>> {
        let bits = BitsPerKey::whole(BITS_PER_KEY);
        let filter_policy: Box<dyn FilterPolicy> = match policy {
            Policy::None | Policy::AlwaysYes => Box::new(Always::says(true)),
            Policy::Engine => Box::new(BloomPolicy::new(BITS_PER_KEY)),
            Policy::OursLeveldbHash => {
                Box::new(RustyLevelDbPolicy::new(BloomFilterPolicy::leveldb_builtin(bits))?)
            }
            Policy::OursBloomfilter2 => {
                Box::new(RustyLevelDbPolicy::new(BloomFilterPolicy::bloom_filter2(bits))?)
            }
            Policy::AlwaysNo => Box::new(Always::says(false)),
        };
        let folder = tempfile::tempdir()?;
        let (env, reads) = CountingEnv::new();
        let options = Options {
            env: Rc::new(Box::new(env)),
            filter_policy: Rc::new(filter_policy),
            // The engine counts blocks of 4 KiB, and wants room for at least one.
            block_cache_capacity_bytes: if cache == Cache::OneBlock {
                4 << 10
            } else {
                1 << 30
            },
            ..Options::default()
        };
        let mut db = DB::open(folder.path(), options.clone())?;
        let mut random = SplitMix64::seed_from_u64(SEED + 2);
        let mut scattered: Vec<&Key> = data.present.iter().collect();
        // So that tables overlap before they are compacted.
        scattered.sort_by_cached_key(|_| random.next_u64());
        for key in scattered {
            db.put(key, &[b'v'; VALUE_BYTES])?;
        }
        db.compact_range(b"0", b"g")?;
        db.close()?;
        drop(db);
        let mut db = DB::open(folder.path(), options)?;
        // Opens the tables, and fills the cache that holds everything.
        for key in &data.present {
            db.get(key);
        }
        Ok(Self {
            policy,
            cache,
            db,
            reads,
            _folder: folder,
        })
    }

    /// Asks for all keys of a batch: blocks read, and nanoseconds.
    fn ask(&mut self, batch: &[Key], expected: usize) -> Result<(u64, u64), String> {
        let before = self.reads.get();
        let (found, ns) = timed(|| batch.iter().filter(|key| self.db.get(*key).is_some()).count());
        if found != expected {
            return Err(format!(
                "{:?}: {found} of {} keys found, not {expected}",
                self.policy,
                batch.len()
            ));
        }
        Ok((self.reads.get() - before, ns))
    }
}

/// Measures everything, in the order in which it was measured.
pub(crate) fn measure(is_quick: bool, key_set: KeySet) -> Result<Vec<Batch>, String> {
    let (entries, rounds) = if is_quick { (20_000, 15) } else { (200_000, 151) };
    let data = Data::new(entries, key_set);
    eprintln!("rusty-leveldb: writing {entries} entries for each policy");
    let mut contenders = Vec::new();
    for cache in [Cache::Everything, Cache::OneBlock] {
        for &policy in Policy::ALL.iter().filter(|policy| **policy != Policy::None) {
            let contender = Contender::new(policy, cache, &data).map_err(|error| error.to_string())?;
            contenders.push(contender);
        }
    }
    eprintln!("measuring");
    let mut choices = SplitMix64::seed_from_u64(SEED + 1);
    let mut batches = Vec::new();
    for round in 1..=rounds {
        let mut some = |keys: &[Key]| -> Vec<Key> {
            let chosen = |_| keys[choices.next_u64() as usize % keys.len()];
            (0..GETS).map(chosen).collect()
        };
        let (absent, present) = (some(&data.absent), some(&data.present));
        for index in turn(round, contenders.len()) {
            let contender = &mut contenders[index];
            for (keys, asked, expected) in [(Keys::Absent, &absent, 0), (Keys::Present, &present, GETS)] {
                if (keys, contender.policy) == (Keys::Present, Policy::AlwaysNo) {
                    continue;
                }
                let (blocks, ns) = contender.ask(asked, expected)?;
                batches.push(Batch {
                    engine: "rusty-leveldb".to_owned(),
                    version: bench_kit::version("rusty-leveldb"),
                    policy: contender.policy,
                    bits_per_key: BITS_PER_KEY,
                    cache: contender.cache,
                    key_set,
                    entries,
                    key_bytes: size_of::<Key>() as u64,
                    value_bytes: VALUE_BYTES as u64,
                    keys,
                    round,
                    gets: GETS as u64,
                    blocks,
                    ns,
                });
            }
        }
    }
    Ok(batches)
}

/// The disk, with a counter of reads from tables.
struct CountingEnv {
    disk: PosixDiskEnv,
    reads: Rc<Cell<u64>>,
}

impl CountingEnv {
    fn new() -> (Self, Rc<Cell<u64>>) {
        let reads = Rc::new(Cell::new(0));
        let env = Self {
            disk: PosixDiskEnv::new(),
            reads: reads.clone(),
        };
        (env, reads)
    }
}

struct CountedFile {
    file: Box<dyn RandomAccess>,
    reads: Rc<Cell<u64>>,
}

impl RandomAccess for CountedFile {
    fn read_at(&self, offset: usize, buffer: &mut [u8]) -> LevelDbResult<usize> {
        self.reads.set(self.reads.get() + 1);
        self.file.read_at(offset, buffer)
    }
}

impl Env for CountingEnv {
    fn open_sequential_file(&self, path: &Path) -> LevelDbResult<Box<dyn Read>> {
        self.disk.open_sequential_file(path)
    }

    fn open_random_access_file(&self, path: &Path) -> LevelDbResult<Box<dyn RandomAccess>> {
        Ok(Box::new(CountedFile {
            file: self.disk.open_random_access_file(path)?,
            reads: self.reads.clone(),
        }))
    }

    fn open_writable_file(&self, path: &Path) -> LevelDbResult<Box<dyn Write>> {
        self.disk.open_writable_file(path)
    }

    fn open_appendable_file(&self, path: &Path) -> LevelDbResult<Box<dyn Write>> {
        self.disk.open_appendable_file(path)
    }

    fn exists(&self, path: &Path) -> LevelDbResult<bool> {
        self.disk.exists(path)
    }

    fn children(&self, path: &Path) -> LevelDbResult<Vec<PathBuf>> {
        self.disk.children(path)
    }

    fn size_of(&self, path: &Path) -> LevelDbResult<usize> {
        self.disk.size_of(path)
    }

    fn delete(&self, path: &Path) -> LevelDbResult<()> {
        self.disk.delete(path)
    }

    fn mkdir(&self, path: &Path) -> LevelDbResult<()> {
        self.disk.mkdir(path)
    }

    fn rmdir(&self, path: &Path) -> LevelDbResult<()> {
        self.disk.rmdir(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> LevelDbResult<()> {
        self.disk.rename(from, to)
    }

    fn lock(&self, path: &Path) -> LevelDbResult<FileLock> {
        self.disk.lock(path)
    }

    fn unlock(&self, lock: FileLock) -> LevelDbResult<()> {
        self.disk.unlock(lock)
    }

    fn new_logger(&self, path: &Path) -> LevelDbResult<Logger> {
        self.disk.new_logger(path)
    }

    fn micros(&self) -> u64 {
        self.disk.micros()
    }

    fn sleep_for(&self, micros: u32) {
        self.disk.sleep_for(micros);
    }
}
