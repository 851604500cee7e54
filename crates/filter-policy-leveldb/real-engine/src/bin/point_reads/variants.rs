//! The policies that are compared, and the databases that they write.

use std::path::Path;

use filter_policy::{BitsPerKey, BloomFilterPolicy, Error, FilterPolicy};
use filter_policy_leveldb_real_engine::{Engine, EnginePolicy};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

const BITS_PER_KEY: u32 = 10;
pub(crate) const VALUE_BYTES: usize = 100;
const SEED: u64 = 1;

/// Random numbers as 16 hexadecimal digits.
pub(crate) type Key = [u8; 16];

/// A policy, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variant {
    /// No filters: what the others are compared with.
    NoFilter,
    /// LevelDB's own policy in C++.
    LevelDb,
    /// The same filters by our policy.
    Ours,
    /// Our `BloomFilter2`.
    OursMurmur2,
    /// Says "no" at once, whatever the key: for absent keys what the best of filters could do.
    Free,
}

impl Variant {
    pub(crate) const ALL: [Self; 5] = [
        Self::NoFilter,
        Self::LevelDb,
        Self::Ours,
        Self::OursMurmur2,
        Self::Free,
    ];

    /// Its name in the records.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::NoFilter => "none",
            Self::LevelDb => "engine",
            Self::Ours => "ours-leveldb-hash",
            Self::OursMurmur2 => "ours-bloomfilter2",
            Self::Free => "always-no",
        }
    }

    /// Bits of filter for each key.
    pub(crate) const fn bits_per_key(self) -> u32 {
        match self {
            Self::NoFilter | Self::Free => 0,
            Self::LevelDb | Self::Ours | Self::OursMurmur2 => BITS_PER_KEY,
        }
    }

    /// Whether it finds keys that are there.
    pub(crate) const fn finds_stored_keys(self) -> bool {
        !matches!(self, Self::Free)
    }

    fn policy(self) -> Option<EnginePolicy> {
        let bits_per_key = BitsPerKey::whole(BITS_PER_KEY);
        match self {
            Self::NoFilter => None,
            Self::LevelDb => Some(EnginePolicy::builtin(BITS_PER_KEY)),
            Self::Ours => Some(EnginePolicy::ours(BloomFilterPolicy::leveldb_builtin(
                bits_per_key,
            ))),
            Self::OursMurmur2 => Some(EnginePolicy::ours(BloomFilterPolicy::bloom_filter2(bits_per_key))),
            Self::Free => Some(EnginePolicy::ours(Free)),
        }
    }

    /// Opens its database below a folder.
    pub(crate) fn open(self, folder: &Path, cache_bytes: usize) -> Engine {
        Engine::open(&folder.join(format!("{self:?}")), self.policy(), cache_bytes)
    }
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

/// The keys of all databases, and keys that no database has.
pub(crate) struct Data {
    pub(crate) stored: Vec<Key>,
    random: SplitMix64,
}

impl Data {
    pub(crate) fn new(entries: usize) -> Self {
        let mut random = SplitMix64::seed_from_u64(SEED);
        let stored = (0..entries).map(|_| key(random.next_u64())).collect();
        Self { stored, random }
    }

    /// The batches of the rounds, each of absent and of stored keys in random order.
    pub(crate) fn batches(&self, gets: usize) -> impl Iterator<Item = (Vec<Key>, Vec<Key>)> + '_ {
        // The generator gives every number once before it gives one again, so that these are not stored.
        let mut absent = self.random.clone();
        let mut choices = SplitMix64::seed_from_u64(SEED + 1);
        std::iter::repeat_with(move || {
            let stored = (0..gets)
                .map(|_| self.stored[choices.next_u64() as usize % self.stored.len()])
                .collect();
            ((0..gets).map(|_| key(absent.next_u64())).collect(), stored)
        })
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
pub(crate) fn write_all(folder: &Path, data: &Data) {
    for variant in Variant::ALL {
        let engine = variant.open(folder, 0);
        let mut random = SplitMix64::seed_from_u64(SEED + 2);
        let mut value = [0; VALUE_BYTES];
        for key in &data.stored {
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
