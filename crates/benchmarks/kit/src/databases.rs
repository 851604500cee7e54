//! Databases that take turns: each policy has its own database with the same entries, and all are open at once. In
//! every round each database looks up the same keys, in rotating order, so ratios can be formed within a round. Batches
//! take only a few milliseconds, so most run without interruption, and they are many, so medians come from undisturbed
//! batches. A wrong answer is an error.

use std::fmt::Display;

use filter_policy::{Error, FilterPolicy};

use crate::record::Batch;
use crate::suites::point_reads::SUITE;
use crate::turns::{timed, turn};

/// Filter bits per key.
pub const BITS_PER_KEY: u32 = 10;
/// Bytes of a value.
pub const VALUE_BYTES: usize = 100;
/// The seed of the first random generator; further generators use the numbers after it.
pub const SEED: u64 = 1;

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

/// An engine, and the entries of its databases.
#[derive(Debug, Clone, Copy)]
pub struct Entries<'a> {
    /// The engine's name.
    pub engine: &'a str,
    /// The engine's version.
    pub version: &'a str,
    /// The number of entries of each database.
    pub count: u64,
}

impl Entries<'_> {
    /// Looks up the absent and the present keys that `draw` returns, in each database and every round.
    ///
    /// # Errors
    ///
    /// If a database cannot be read, or finds a wrong number of keys.
    pub fn measure(
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
                        &self.engine,
                        &self.version,
                        &database.bits_per_key,
                        &database.cache,
                        &"random",
                        &self.count,
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

    fn create_filter<'out>(&self, _: &[&[u8]], out: &'out mut [u8]) -> Result<&'out mut [u8], Error> {
        Ok(out)
    }

    fn key_may_match(&self, _: &[u8], _: &[u8]) -> bool {
        false
    }
}
