//! Databases that take turns: each policy has its own database with the same entries, and all are open at once. In
//! every round each database looks up the same keys, in rotating order, so ratios can be formed within a round. Batches
//! take only a few milliseconds, so most run without interruption, and they are many, so medians come from undisturbed
//! batches. A wrong answer is an error.

use std::fmt::Display;

use filter_policy::{Error, FilterBytes, FilterPolicy};
use terminal::failure::Failure;

use crate::random;
use crate::record::Batch;
use crate::suites::point_reads::SUITE;
use crate::turns::{timed, turn};

/// Filter bits per key.
pub const BITS_PER_KEY: u32 = 10;
/// Bytes of a value.
pub const VALUE_BYTES: usize = 100;
/// The seeds of the keys, the choices of present keys, and the values.
const KEYS: u64 = 1;
const CHOICES: u64 = 2;
/// See [`random`].
pub const VALUES: u64 = 3;

/// A key of a database.
pub type Key = [u8; 16];

/// Counts how many of the given keys a database has.
pub type Count = dyn FnMut(&[Key]) -> Result<usize, Failure>;

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
    /// the cache and the keys to store, and returns a database that has read its filters and indexes, or `None` if the
    /// engine is not measured with this policy.
    ///
    /// # Errors
    ///
    /// If a database cannot be read, or finds a wrong number of keys.
    pub fn measure(
        &self,
        open: impl Fn(&str, &str, &[Key]) -> Result<Option<Database>, Failure>,
    ) -> Result<Vec<Batch>, Failure> {
        // The generator does not repeat a number within its period: keys that are not stored come next.
        let mut numbers = random(KEYS).map(hexadecimal);
        let stored: Vec<Key> = numbers.by_ref().take(self.entries).collect();
        let mut batches = Vec::new();
        for cache in self.caches {
            eprintln!("{}, {cache}: {} entries for each policy", self.name, self.entries);
            let mut databases = Vec::new();
            for (policy, _) in (SUITE.contenders)() {
                let opened = open(policy, cache, &stored)?;
                databases.extend(opened.map(|database| (policy, database)));
            }
            let mut others = numbers.clone();
            let mut choices = random(CHOICES).map(|number| stored[number as usize % stored.len()]);
            let case = |policy, task: &str| {
                let parameters: [&dyn Display; 4] = [&self.name, &self.version, &cache, &self.entries];
                SUITE.case(policy, task, &parameters)
            };
            for round in 1..=self.rounds {
                let absent: Vec<Key> = others.by_ref().take(self.gets).collect();
                let present: Vec<Key> = choices.by_ref().take(self.gets).collect();
                for index in turn(round, databases.len()) {
                    let (policy, database) = &mut databases[index];
                    for (task, keys, expected) in
                        [("absent", &absent, 0), ("present", &present, present.len())]
                    {
                        if (task, *policy) == ("present", "always-no") {
                            continue;
                        }
                        let before = (database.reads)();
                        let (found, ns) = timed(|| (database.found)(keys));
                        let found = found?;
                        if found != expected {
                            let wrong = format!("{policy}: {expected} keys must be found, got {found}");
                            return Err(Failure::Internal(wrong));
                        }
                        let (calls, blocks) = (keys.len() as u64, (database.reads)() - before);
                        batches.push(case(policy, task).batch(round, calls, ns));
                        batches.push(case(policy, &format!("{task}-blocks")).batch(round, calls, blocks));
                    }
                }
            }
        }
        Ok(batches)
    }
}

/// Returns a number as 16 hexadecimal digits, the lowest first.
pub fn hexadecimal(number: u64) -> Key {
    std::array::from_fn(|i| b"0123456789abcdef"[(number >> (4 * i)) as usize & 15])
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
