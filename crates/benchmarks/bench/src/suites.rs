//! The suites by the names of the command line, and the programs that measure them.

use std::path::Path;

use bench_kit::suites::instructions::{self, judge};
use bench_kit::suites::{membership, point_reads, policy, rates, redis};
use bench_kit::{Bench, Suite, record::Batch, table};

use xtask::{GUAVA, LEVELDB, Need, REDIS, ROCKSDB, VALGRIND};

use crate::root;

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Name {
    /// Blocks read and time per Get on LevelDB, rusty-leveldb and SlateDB, without filters and with each policy
    PointReads,
    /// Insert and lookup times of Guava's Bloom filter, ours, and those of other crates, at four sizes
    Membership,
    /// Keys per second of queries and inserts in Redis filters and of redis-benchmark, by keys per round trip
    Redis,
    /// Build and query times of LevelDB's and RocksDB's own policies, ours, and those of other crates, by the number of
    /// keys; at equal bits for each key, and at equal false-positive rates
    Policy,
    /// Instructions that each policy takes with the portable kernel, compared with the committed record; no times
    Instructions,
    /// False positives of every policy relative to an ideal filter's, by keys and by bits per key; no times
    Rates,
}

/// A program that measures a suite, or a part of it.
pub(crate) struct Part {
    /// The text shown while the program runs.
    pub(crate) title: &'static str,
    /// Folder below the suite's; empty for the suite's own.
    pub(crate) below: &'static str,
    /// The package and the first argument of its program.
    pub(crate) program: [&'static str; 2],
    /// The needs of the program, checked before minutes are spent.
    pub(crate) needs: &'static [Need],
    suite: &'static Suite,
}

const fn part(
    title: &'static str,
    below: &'static str,
    program: [&'static str; 2],
    needs: &'static [Need],
    suite: &'static Suite,
) -> Part {
    Part {
        title,
        below,
        program,
        needs,
        suite,
    }
}

/// All parts, in the order in which they run.
#[rustfmt::skip]
static PARTS: [(Name, Part); 10] = [
    (Name::PointReads, part("LevelDB and rusty-leveldb", "", ["bench-leveldb", "point-reads"], LEVELDB, &point_reads::SUITE)),
    (Name::PointReads, part("SlateDB", "slatedb", ["bench-slatedb", "point-reads"], &[], &point_reads::SUITE)),
    (Name::Membership, part("Guava and its peers", "", ["bench-guava", "membership"], GUAVA, &membership::SUITE)),
    (Name::Redis, part("Redis", "", ["bench-redis", "redis"], REDIS, &redis::SUITE)),
    (Name::Policy, part("LevelDB's policy and its peers", "", ["bench-leveldb", "policy"], LEVELDB, &policy::SUITE)),
    (Name::Policy, part("RocksDB's policies and their peers", "rocksdb", ["bench-rocksdb", "policy"], ROCKSDB, &policy::SUITE)),
    (Name::Policy, part("Parquet's filters and their peers", "parquet", ["bench-parquet", "policy"], &[], &policy::SUITE)),
    (Name::Policy, part("every filter and its peers at equal rates", "equal-rate", ["bench-rocksdb", "equal-rate"], ROCKSDB, &policy::EQUAL_RATE)),
    (Name::Instructions, part("instructions", "", ["bench-ours", "instructions"], VALGRIND, &instructions::SUITE)),
    (Name::Rates, part("rates", "", ["bench-ours", "rates"], &[], &rates::SUITE)),
];

impl Name {
    /// Returns the parts of the suite.
    pub(crate) fn parts(self) -> impl Iterator<Item = &'static Part> {
        PARTS
            .iter()
            .filter(move |(name, _)| *name == self)
            .map(|(_, part)| part)
    }
}

impl Part {
    /// Writes records and charts from what the program wrote, and returns the summary. Counts of instructions are also compared
    /// with the committed ones, unless `folder` is theirs, which renews them.
    pub(crate) fn write(&self, folder: &Path, bench: Bench, said: &[u8]) -> Result<String, String> {
        let text = self.suite.write(folder, bench, said)?;
        let committed = root().join("reports/reference/instructions");
        let is_committed = std::path::absolute(folder).is_ok_and(|folder| folder == committed);
        if self.program != ["bench-ours", "instructions"] || is_committed {
            return Ok(text);
        }
        let record = table::read(self.suite, &committed.join("instructions.csv"))?;
        let measured: Vec<Batch> = table::parse(self.suite, said)?;
        Ok(text + &judge(&record, &self.suite.rows(&measured)?)?)
    }
}
