//! The effect of filter policies on the point reads of storage engines.
//!
//! Databases take turns: each policy has its own database with the same entries, and all are open at once. In
//! every round each database looks up the same keys, in rotating order, so ratios can be formed within a round. Batches
//! take only a few milliseconds, so most run without interruption, and they are many, so medians come from undisturbed
//! batches. A wrong answer is an error.
//!
//! Block caches hold everything or nothing. Blocks per Get are the same everywhere except for their last digits, because
//! LevelDB compacts in the background. SlateDB's store is in memory, so that a block costs only its decoding.

use std::fmt::Display;

use filter_policy::{Error, FilterBytes, FilterPolicy};
use terminal::failure::Failure;

use crate::keys::{hexadecimal, numbers};
use crate::record::Batch;
use crate::suite::{Baseline, Suite, Tables};
use crate::turns::{Run, timed, turn};

/// The suite.
#[rustfmt::skip]
pub const SUITE: Suite = Suite {
    rows: "point_reads",
    contenders: || vec![
        ("none", "no filter"),
        // Filters as large as others, to which everything may match. They stand for "no filters" in an engine whose
        // tables would have another shape without filters.
        ("always-yes", "filters that say yes"),
        ("engine", "the engine's own"),
        ("ours-leveldb-hash", "ours, LevelDB's hash"),
        ("ours-bloomfilter2", "ours, BloomFilter2"),
        ("ours-fast-local", "ours, FastLocalBloom"),
        ("ours-split-blocks", "ours, split blocks"),
        // Denies every key without reading a filter: the lower bound for absent keys.
        ("always-no", "free and perfect"),
    ],
    tasks: &[
        ("absent", "absent keys, ns/Get", "ns"),
        ("present", "present keys, ns/Get", "ns"),
        ("absent-blocks", "blocks/Get", "blocks"),
        ("present-blocks", "blocks/Get", "blocks"),
    ],
    // `cache`: the contents of the block cache. With `nothing`, each block is read from the file, which is in the page
    // cache; `one-block` is for engines that need at least one.
    parameters: &["engine", "version", "cache", "entries"],
    properties: &[],
    baseline: Baseline::Contender(&["none", "always-yes"]),
    summary: Tables {
        title: "(over no filter)",
        heading: |row| {
            let [engine, version, cache] = ["engine", "version", "cache"].map(|column| row.case.get(column));
            format!("{engine} {version}, cached: {cache}")
        },
        ..Tables::PLAIN
    },
};

/// Filter bits per key.
pub const BITS_PER_KEY: u32 = 10;
/// Bytes of a value.
pub const VALUE_BYTES: usize = 100;
/// The seeds of the keys, the choices of present keys, and the values.
const KEYS: u64 = 1;
const CHOICES: u64 = 2;
/// See [`numbers`].
pub const VALUES: u64 = 3;

/// Gets of a batch where they take about a microsecond.
pub const GETS: usize = 2_000;

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
    /// If the user requested a stop, or a database cannot be read or finds a wrong number of keys.
    pub fn measure(
        &self,
        run: &Run<'_>,
        open: impl Fn(&str, &str, &[Key]) -> Result<Option<Database>, Failure>,
    ) -> Result<Vec<Batch>, Failure> {
        // The generator does not repeat a number within its period: keys that are not stored come next.
        let mut keys = numbers(KEYS).map(hexadecimal);
        let stored: Vec<Key> = keys.by_ref().take(self.entries).collect();
        let mut batches = Vec::new();
        for cache in self.caches {
            let note = format!("{}, {cache}: {} entries for each policy", self.name, self.entries);
            run.progress.note(&note);
            let mut databases = Vec::new();
            for (policy, _) in (SUITE.contenders)() {
                let opened = open(policy, cache, &stored)?;
                databases.extend(opened.map(|database| (policy, database)));
            }
            let mut others = keys.clone();
            let mut choices = numbers(CHOICES).map(|number| stored[number as usize % stored.len()]);
            let case = |policy, task: &str| {
                let parameters: [&dyn Display; 4] = [&self.name, &self.version, &cache, &self.entries];
                SUITE.case(policy, task, &parameters)
            };
            for round in 1..=self.rounds {
                run.go_on()?;
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
