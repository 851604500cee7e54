//! What a filter policy is worth to point reads of a real LevelDB database: blocks read and time per Get, for absent and
//! for present keys, without filters, with LevelDB's own policy and with ours.
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

const BITS_PER_KEY: u32 = 10;
const VALUE_BYTES: usize = 100;
/// Gets of a batch.
const GETS: usize = 2_000;
const SEED: u64 = 1;

/// Random numbers as 16 hexadecimal digits.
type Key = [u8; 16];

/// What is compared.
const POLICIES: [Policy; 5] = [
    Policy::None,
    Policy::Engine,
    Policy::OursLeveldbHash,
    Policy::OursBloomfilter2,
    Policy::AlwaysNo,
];

/// Bits of filter for each key.
fn bits_per_key(policy: Policy) -> u32 {
    if matches!(policy, Policy::None | Policy::AlwaysNo) {
        0
    } else {
        BITS_PER_KEY
    }
}

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
    let mut batches = Vec::new();
    for cache in [Cache::Everything, Cache::Nothing] {
        let engines = POLICIES.map(|policy| (policy, open(policy, folder, cache)));
        for (policy, engine) in &engines {
            // Opens all tables, and fills the cache.
            assert_eq!(engine.count(), entries, "entries of {policy:?}");
        }
        // The generator gives every number once before it gives one again, so that these are not stored.
        let mut absent = random.clone();
        let mut choices = SplitMix64::seed_from_u64(SEED + 1);
        for round in 1..=rounds {
            let chosen = |_| stored[choices.next_u64() as usize % stored.len()];
            let present: Vec<Key> = (0..GETS).map(chosen).collect();
            let absent: Vec<Key> = (0..GETS).map(|_| key(absent.next_u64())).collect();
            let both = [(Keys::Absent, &absent), (Keys::Present, &present)];
            for ((policy, engine), (keys, asked)) in
                turn(round, engines.len()).flat_map(|index| both.map(|asked| (&engines[index], asked)))
            {
                if (keys, *policy) == (Keys::Present, Policy::AlwaysNo) {
                    continue;
                }
                let before = engine.reads();
                let (found, ns) = timed(|| asked.iter().filter(|key| engine.has(*key)).count());
                let expected = if keys == Keys::Present { GETS } else { 0 };
                assert_eq!(found, expected, "keys found by {policy:?}");
                batches.push(Batch {
                    engine: "leveldb".to_owned(),
                    version: version(),
                    policy: *policy,
                    bits_per_key: bits_per_key(*policy),
                    cache,
                    key_set: KeySet::Random,
                    entries,
                    key_bytes: size_of::<Key>() as u64,
                    value_bytes: VALUE_BYTES as u64,
                    keys,
                    round,
                    gets: GETS as u64,
                    // Filters and indexes were read before.
                    blocks: engine.reads() - before,
                    ns,
                });
            }
        }
    }
    Ok(batches)
}
