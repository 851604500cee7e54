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
pub type Count<'a> = dyn FnMut(&[Key]) -> Result<usize, String> + 'a;

/// A policy's database, open.
pub struct Database<'a> {
    /// The filter policy.
    pub policy: &'static str,
    /// The contents of the block cache.
    pub cache: &'static str,
    /// Filter bits per key.
    pub bits_per_key: u32,
    /// Looks keys up and counts those found.
    pub found: Box<Count<'a>>,
    /// Returns the number of reads of table files so far.
    pub reads: Box<dyn Fn() -> u64 + 'a>,
}

/// The keys of an engine's databases.
pub struct Keys {
    /// The keys that are stored.
    pub stored: Vec<Key>,
    /// The generator of the stored keys, which does not repeat a number within its period: keys that are not stored
    /// come next.
    random: SplitMix64,
}

impl Keys {
    /// Draws the keys of databases with this number of entries.
    pub fn new(entries: usize) -> Self {
        let mut random = SplitMix64::seed_from_u64(SEED);
        Self {
            stored: (0..entries).map(|_| hexadecimal(random.next_u64())).collect(),
            random,
        }
    }

    /// Returns the generator of the values.
    pub fn values() -> SplitMix64 {
        SplitMix64::seed_from_u64(SEED + 2)
    }

    /// Looks up as many absent and present keys in each database and every round.
    ///
    /// # Errors
    ///
    /// If a database cannot be read, or finds a wrong number of keys.
    pub fn measure(
        &self,
        engine: &str,
        version: &str,
        databases: &mut [Database<'_>],
        (rounds, gets): (u64, usize),
    ) -> Result<Vec<Batch>, String> {
        eprintln!("measuring");
        let mut batches = Vec::new();
        let (mut others, mut choices) = (self.random.clone(), SplitMix64::seed_from_u64(SEED + 1));
        for round in 1..=rounds {
            let absent: Vec<Key> = (0..gets).map(|_| hexadecimal(others.next_u64())).collect();
            let chosen = |_| self.stored[choices.next_u64() as usize % self.stored.len()];
            let present: Vec<Key> = (0..gets).map(chosen).collect();
            for index in turn(round, databases.len()) {
                let database = &mut databases[index];
                let policy = database.policy;
                for (keys, asked, expected) in [("absent", &absent, 0), ("present", &present, present.len())]
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
                    // Filters and indexes were read earlier.
                    let (calls, blocks) = (asked.len() as u64, (database.reads)() - before);
                    let parameters: [&dyn Display; 8] = [
                        &engine,
                        &version,
                        &database.bits_per_key,
                        &database.cache,
                        &"random",
                        &self.stored.len(),
                        &size_of::<Key>(),
                        &VALUE_BYTES,
                    ];
                    let case = |task| SUITE.case(policy, task, &parameters);
                    batches.push(case(keys).batch(round, calls, ns));
                    batches.push(case(&format!("{keys}-blocks")).batch(round, calls, blocks));
                }
            }
        }
        Ok(batches)
    }
}

/// Returns a number as 16 hexadecimal digits, the lowest first.
pub fn hexadecimal(number: u64) -> Key {
    let mut digits = [0; 16];
    for (i, digit) in digits.iter_mut().enumerate() {
        *digit = b"0123456789abcdef"[(number >> (4 * i)) as usize & 15];
    }
    digits
}

/// A policy with filters of one byte, which denies every key without reading the filter.
#[derive(Debug, Clone, Copy)]
pub struct Free;

impl FilterPolicy for Free {
    fn name(&self) -> &str {
        "Free"
    }

    fn max_filter_len(&self, _: usize) -> Result<usize, Error> {
        Ok(1)
    }

    fn create_filter<'out>(&self, _: &[&[u8]], out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
        Ok(out.into())
    }

    fn key_may_match(&self, _: &[u8], _: &[u8]) -> bool {
        false
    }
}
