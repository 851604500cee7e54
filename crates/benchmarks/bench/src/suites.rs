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

/// A program, and the processing of its batches.
pub(crate) struct Part {
    /// The text shown while the program runs.
    pub(crate) title: &'static str,
    /// Folder below the suite's; empty for the suite's own.
    pub(crate) below: &'static str,
    pub(crate) package: &'static str,
    /// First argument of the package's program.
    pub(crate) program: &'static str,
    /// The needs of the program, checked before minutes are spent.
    pub(crate) needs: &'static [Need],
    pub(crate) suite: &'static Suite,
    /// Writes records and charts from what the program wrote, and returns the summary.
    pub(crate) write: fn(&Suite, &Path, Bench, &[u8]) -> Result<String, String>,
}

impl Part {
    const fn of(
        title: &'static str,
        (package, program): (&'static str, &'static str),
        needs: &'static [Need],
        suite: &'static Suite,
    ) -> Self {
        Self {
            title,
            below: "",
            package,
            program,
            needs,
            suite,
            write: |suite, folder, bench, said| suite.write(folder, bench, said),
        }
    }

    const fn below(self, below: &'static str) -> Self {
        Self { below, ..self }
    }
}

impl Name {
    /// Returns the suite's programs, in the order in which they run.
    #[rustfmt::skip]
    pub(crate) const fn parts(self) -> &'static [Part] {
        match self {
            Self::PointReads => const { &[
                Part::of("LevelDB and rusty-leveldb", ("bench-leveldb", "point-reads"), LEVELDB, &point_reads::SUITE),
                Part::of("SlateDB", ("bench-slatedb", "point-reads"), &[], &point_reads::SUITE).below("slatedb"),
            ] },
            Self::Membership => const { &[
                Part::of("Guava and its peers", ("bench-guava", "membership"), GUAVA, &membership::SUITE),
            ] },
            Self::Redis => const { &[Part::of("Redis", ("bench-redis", "redis"), REDIS, &redis::SUITE)] },
            Self::Policy => const { &[
                Part::of("LevelDB's policy and its peers", ("bench-leveldb", "policy"), LEVELDB, &policy::SUITE),
                Part::of("RocksDB's policies and their peers", ("bench-rocksdb", "policy"), ROCKSDB, &policy::SUITE)
                    .below("rocksdb"),
                Part::of("Parquet's filters and their peers", ("bench-parquet", "policy"), &[], &policy::SUITE)
                    .below("parquet"),
                Part::of("every filter and its peers at equal rates", ("bench-rocksdb", "equal-rate"), ROCKSDB, &policy::EQUAL_RATE)
                    .below("equal-rate"),
            ] },
            Self::Instructions => const { &[Part {
                write: write_instructions,
                ..Part::of("instructions", ("bench-ours", "instructions"), VALGRIND, &instructions::SUITE)
            }] },
            Self::Rates => const { &[Part::of("rates", ("bench-ours", "rates"), &[], &rates::SUITE)] },
        }
    }
}

/// Writes counts and compares them with the committed ones, or renews those if `folder` is theirs.
fn write_instructions(suite: &Suite, folder: &Path, bench: Bench, said: &[u8]) -> Result<String, String> {
    let text = suite.write(folder, bench, said)?;
    let committed = root().join("reports/reference/instructions");
    if std::path::absolute(folder).is_ok_and(|folder| folder == committed) {
        return Ok(text);
    }
    let record = table::read(suite, &committed.join("instructions.csv"))?;
    let measured: Vec<Batch> = table::parse(suite, said)?;
    Ok(text + &judge(&record, &suite.rows(&measured)?)?)
}
