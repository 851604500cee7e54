//! What a filter policy is worth to point reads of a real database: blocks read and time per Get, for absent and for
//! present keys, without filters, with the engine's own policy and with ours. The turns of every engine, and LevelDB's
//! databases.
//!
//! Every policy has a database of its own with the same entries, and all of them are open at once. In every round each is
//! asked for the same keys, one policy after the other, the first one another in every round, so that ratios can be
//! formed within a round. Batches are short, a few milliseconds, so that most of them run without another program in
//! between, and many, so that medians are those of the undisturbed. A batch with a wrong answer ends the program.

use std::path::Path;

use bench_kit::suites::point_reads::{Batch, Cache, KeySet, Keys, Policy};
use bench_kit::turns::{timed, turn};
use bench_leveldb::{Engine, EnginePolicy, version};
use filter_policy::{BitsPerKey, BloomFilterPolicy, Error, FilterPolicy};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

pub(crate) const BITS_PER_KEY: u32 = 10;
pub(crate) const VALUE_BYTES: usize = 100;
/// Gets of a batch.
pub(crate) const GETS: usize = 2_000;
pub(crate) const SEED: u64 = 1;

pub(crate) type Key = [u8; 16];

type Count<'a> = dyn FnMut(&[Key]) -> usize + 'a;

/// A policy's database, open.
pub(crate) struct Database<'a> {
    pub(crate) policy: Policy,
    pub(crate) cache: Cache,
    /// Bits of filter for each key.
    pub(crate) bits_per_key: u32,
    /// How many of the keys are there.
    pub(crate) found: Box<Count<'a>>,
    /// Reads of the tables' files so far.
    pub(crate) reads: Box<dyn Fn() -> u64 + 'a>,
}

/// An engine, and the entries of its databases.
#[derive(Clone, Copy)]
pub(crate) struct Entries<'a> {
    pub(crate) engine: &'a str,
    pub(crate) version: &'a str,
    pub(crate) key_set: KeySet,
    pub(crate) count: u64,
}

impl Entries<'_> {
    /// Asks each database in every round for the absent and the present keys that `draw` gives.
    pub(crate) fn measure(
        self,
        databases: &mut [Database<'_>],
        rounds: u64,
        mut draw: impl FnMut() -> [Vec<Key>; 2],
    ) -> Result<Vec<Batch>, String> {
        let mut batches = Vec::new();
        for round in 1..=rounds {
            let [absent, present] = draw();
            for index in turn(round, databases.len()) {
                let database = &mut databases[index];
                let policy = database.policy;
                for (keys, asked, expected) in [(Keys::Absent, &absent, 0), (Keys::Present, &present, GETS)] {
                    if (keys, policy) == (Keys::Present, Policy::AlwaysNo) {
                        continue;
                    }
                    let before = (database.reads)();
                    let (found, ns) = timed(|| (database.found)(asked));
                    if found != expected {
                        return Err(format!("{policy:?}: {found} keys found, not {expected}"));
                    }
                    batches.push(Batch {
                        engine: self.engine.to_owned(),
                        version: self.version.to_owned(),
                        policy,
                        bits_per_key: database.bits_per_key,
                        cache: database.cache,
                        key_set: self.key_set,
                        entries: self.count,
                        key_bytes: size_of::<Key>() as u64,
                        value_bytes: VALUE_BYTES as u64,
                        keys,
                        round,
                        gets: GETS as u64,
                        // Filters and indexes were read before.
                        blocks: (database.reads)() - before,
                        ns,
                    });
                }
            }
        }
        Ok(batches)
    }
}

/// What is compared.
const POLICIES: [Policy; 5] = [
    Policy::None,
    Policy::Engine,
    Policy::OursLeveldbHash,
    Policy::OursBloomfilter2,
    Policy::AlwaysNo,
];

/// Opens a policy's database below a folder.
fn open(policy: Policy, folder: &Path, cache: Cache) -> Engine {
    let bits = BitsPerKey::whole(BITS_PER_KEY);
    let engine_policy = match policy {
        Policy::None | Policy::AlwaysYes => None,
        Policy::Engine => Some(EnginePolicy::builtin(BITS_PER_KEY)),
        Policy::OursLeveldbHash => Some(EnginePolicy::ours(BloomFilterPolicy::leveldb_builtin(bits))),
        Policy::OursBloomfilter2 => Some(EnginePolicy::ours(BloomFilterPolicy::bloom_filter2(bits))),
        Policy::AlwaysNo => Some(EnginePolicy::ours(Free)),
    };
    let cache_bytes = match cache {
        // After the first time no block is read from the file.
        Cache::Everything => isize::MAX as usize,
        Cache::Nothing | Cache::OneBlock => 0,
    };
    Engine::open(&folder.join(format!("{policy:?}")), engine_policy, cache_bytes)
}

/// Has filters of one byte and never looks at them.
struct Free;

impl FilterPolicy for Free {
    fn name(&self) -> &str {
        "Free"
    }

    fn max_filter_len(&self, _: usize) -> Result<usize, Error> {
        Ok(1)
    }

    fn create_filter<'out>(&self, _: &[&[u8]], out: &'out mut [u8]) -> Result<&'out mut [u8], Error> {
        Ok(out)
    }

    fn key_may_match(&self, _: &[u8], _: &[u8]) -> bool {
        false
    }
}

/// A number as 16 hexadecimal digits.
fn key(number: u64) -> Key {
    let mut digits = [0; 16];
    for (i, digit) in digits.iter_mut().enumerate() {
        *digit = b"0123456789abcdef"[(number >> (4 * i)) as usize & 15];
    }
    digits
}

/// Writes and compacts the database of every policy.
fn write_all(folder: &Path, stored: &[Key]) {
    for policy in POLICIES {
        let engine = open(policy, folder, Cache::Nothing);
        let mut random = SplitMix64::seed_from_u64(SEED + 2);
        let mut value = [0; VALUE_BYTES];
        for key in stored {
            // Half of it is new: LevelDB caches the blocks that it had to decompress, and no others of a table
            // that is mapped into memory.
            let (new, repeated) = value.split_at_mut(VALUE_BYTES / 2);
            random.fill_bytes(new);
            repeated.copy_from_slice(new);
            engine.put(key, &value);
        }
        engine.compact();
    }
}

/// Measures everything, in the order in which it was measured.
pub(crate) fn measure(is_quick: bool) -> Result<Vec<Batch>, String> {
    let (entries, rounds) = if is_quick { (50_000, 15) } else { (1_000_000, 151) };
    let folder = tempfile::tempdir().map_err(|error| format!("temporary folder: {error}"))?;
    let folder = folder.path();
    let mut random = SplitMix64::seed_from_u64(SEED);
    let stored: Vec<Key> = (0..entries).map(|_| key(random.next_u64())).collect();
    eprintln!(
        "writing {entries} entries for each policy below {}",
        folder.display()
    );
    write_all(folder, &stored);
    eprintln!("measuring");
    let version = version();
    let of = Entries {
        engine: "leveldb",
        version: &version,
        key_set: KeySet::Random,
        count: entries,
    };
    let mut batches = Vec::new();
    for cache in [Cache::Everything, Cache::Nothing] {
        let engines = POLICIES.map(|policy| open(policy, folder, cache));
        for (policy, engine) in POLICIES.into_iter().zip(&engines) {
            // Opens all tables, and fills the cache.
            assert_eq!(engine.count(), entries, "entries of {policy:?}");
        }
        let databases = POLICIES
            .into_iter()
            .zip(&engines)
            .map(|(policy, engine)| Database {
                policy,
                cache,
                bits_per_key: match policy {
                    Policy::None | Policy::AlwaysNo => 0,
                    _ => BITS_PER_KEY,
                },
                found: Box::new(|keys| keys.iter().filter(|key| engine.has(*key)).count()),
                reads: Box::new(|| engine.reads()),
            });
        let mut databases: Vec<Database<'_>> = databases.collect();
        // The generator gives every number once before it gives one again, so that these are not stored.
        let mut absent = random.clone();
        let mut choices = SplitMix64::seed_from_u64(SEED + 1);
        batches.extend(of.measure(&mut databases, rounds, || {
            let chosen = |_| stored[choices.next_u64() as usize % stored.len()];
            let present = (0..GETS).map(chosen).collect();
            [(0..GETS).map(|_| key(absent.next_u64())).collect(), present]
        })?);
    }
    Ok(batches)
}
