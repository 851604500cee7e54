//! Databases that take turns: each policy has its own database with the same entries, and all are open at once. In
//! every round each database looks up the same keys, in rotating order, so ratios can be formed within a round. Batches
//! take only a few milliseconds, so most run without interruption, and they are many, so medians come from undisturbed
//! batches. A wrong answer is an error.

use std::fmt::Display;

use filter_policy::{Error, FilterBytes, FilterPolicy};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::record::Batch;
use crate::suites::point_reads::SUITE;
use crate::turns::{timed, turn};

/// Filter bits per key.
pub const BITS_PER_KEY: u32 = 10;
/// Bytes of a value.
pub const VALUE_BYTES: usize = 100;
/// The seed of the first random generator; further generators use the numbers after it.
const SEED: u64 = 1;

/// A key of a database.
pub type Key = [u8; 16];

/// Counts how many of the given keys a database has.
pub type Count = dyn FnMut(&[Key]) -> Result<usize, String>;

/// A policy's database, open.
pub struct Database {
    /// Looks keys up and counts those found.
    pub found: Box<Count>,
    /// Returns the number of reads of table files so far.
    pub reads: Box<dyn Fn() -> u64>,
}

/// An engine, and the extent of its measurement.
pub struct Engine {
    /// Name in the records.
    pub name: &'static str,
    /// Version of the engine.
    pub version: String,
    /// The filter policies, each with a database of its own.
    pub policies: &'static [&'static str],
    /// The contents of the block cache, one after the other.
    pub caches: [&'static str; 2],
    /// Entries of a database.
    pub entries: usize,
    /// Rounds with each cache.
    pub rounds: u64,
    /// Gets of a batch.
    pub gets: usize,
}

impl Engine {
    /// Looks up as many absent and present keys in each database and every round. `open` gets the policy, the contents of
    /// the cache and the keys to store, and returns a database that has read its filters and indexes.
    ///
    /// # Errors
    ///
    /// If a database cannot be read, or finds a wrong number of keys.
    pub fn measure(
        &self,
        open: impl Fn(&str, &str, &[Key]) -> Result<Database, String>,
    ) -> Result<Vec<Batch>, String> {
        // The generator does not repeat a number within its period: keys that are not stored come next.
        let mut random = SplitMix64::seed_from_u64(SEED);
        let stored = (0..self.entries).map(|_| hexadecimal(random.next_u64()));
        let stored: Vec<Key> = stored.collect();
        let mut batches = Vec::new();
        for cache in self.caches {
            eprintln!("{}, {cache}: {} entries for each policy", self.name, self.entries);
            let databases = self.policies.iter().map(|policy| open(policy, cache, &stored));
            let mut databases = databases.collect::<Result<Vec<Database>, String>>()?;
            let (mut others, mut choices) = (random.clone(), SplitMix64::seed_from_u64(SEED + 1));
            let case = |policy, task: &str| {
                let parameters: [&dyn Display; 4] = [&self.name, &self.version, &cache, &self.entries];
                SUITE.case(policy, task, &parameters)
            };
            for round in 1..=self.rounds {
                let absent = (0..self.gets).map(|_| hexadecimal(others.next_u64()));
                let absent: Vec<Key> = absent.collect();
                let chosen = |_| stored[choices.next_u64() as usize % stored.len()];
                let present: Vec<Key> = (0..self.gets).map(chosen).collect();
                for index in turn(round, databases.len()) {
                    let (policy, database) = (self.policies[index], &mut databases[index]);
                    for (keys, asked, expected) in
                        [("absent", &absent, 0), ("present", &present, present.len())]
                    {
                        if (keys, policy) == ("present", "always-no") {
                            continue;
                        }
                        let before = (database.reads)();
                        let (found, ns) = timed(|| (database.found)(asked));
                        let found = found?;
                        if found != expected {
                            return Err(format!("{policy}: {found} keys found, not {expected}"));
                        }
                        let (calls, blocks) = (asked.len() as u64, (database.reads)() - before);
                        batches.push(case(policy, keys).batch(round, calls, ns));
                        batches.push(case(policy, &format!("{keys}-blocks")).batch(round, calls, blocks));
                    }
                }
            }
        }
        Ok(batches)
    }
}

/// Returns the generator of the values.
pub fn values() -> SplitMix64 {
    SplitMix64::seed_from_u64(SEED + 2)
}

/// Returns a number as 16 hexadecimal digits, the lowest first.
pub fn hexadecimal(number: u64) -> Key {
    let mut digits = [0; 16];
    for (i, digit) in digits.iter_mut().enumerate() {
        *digit = b"0123456789abcdef"[(number >> (4 * i)) as usize & 15];
    }
    digits
}

/// A policy with filters as large as the others, which gives this answer to every query without reading the filter.
#[derive(Debug, Clone, Copy)]
pub struct Always(pub bool);

impl FilterPolicy for Always {
    fn name(&self) -> &str {
        "Always"
    }

    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        Ok(keys * BITS_PER_KEY as usize / 8 + 1)
    }

    fn create_filter<'out>(&self, _: &[&[u8]], out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
        Ok(out.into())
    }

    fn key_may_match(&self, _: &[u8], _: &[u8]) -> bool {
        self.0
    }
}
