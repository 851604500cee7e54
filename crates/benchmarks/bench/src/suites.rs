//! The suites by the names of the command line, and the programs that measure them.

use std::path::{Path, PathBuf};

use bench_kit::suites::instructions::{self, Instructions, judge, renewed};
use bench_kit::suites::{membership, memory, point_reads, policy, rates, redis, which};
use bench_kit::{AnySuite, Bench, Folder};
use hash_comparison::measure::environment;
use hash_comparison::record::table;

use crate::needs::Need;
use crate::root;

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Name {
    /// Blocks read and time of a Get on LevelDB and rusty-leveldb, without filters and with each policy
    PointReads,
    /// Time of a put and of a look-up of Guava's Bloom filter, ours, and those of other crates, at four sizes
    Membership,
    /// Memory of filters and of sets for each key, and the rates that the filters reach; no times
    Memory,
    /// Keys a second that filters in Redis are asked for and get, beside redis-benchmark, by keys a round trip
    Redis,
    /// Time of building filters and of asking them, of LevelDB's and RocksDB's own policies, ours, and those of other
    /// crates, by the number of keys
    Policy,
    /// Instructions that each policy takes by its portable kernel, against the committed record; no times
    Instructions,
    /// False positives of every policy against an ideal filter's, by keys and by bits per key; no times
    Rates,
}

impl Name {
    pub(crate) const fn parts(self) -> &'static [Part] {
        match self {
            Self::PointReads => &[POINT_READS],
            Self::Membership => &[MEMBERSHIP],
            Self::Memory => &[MEMORY],
            Self::Redis => &[REDIS],
            Self::Policy => &[POLICY, ROCKSDB, WHICH],
            Self::Instructions => &[INSTRUCTIONS],
            Self::Rates => &[RATES],
        }
    }
}

/// A program, and what is made of its batches.
pub(crate) struct Part {
    /// The text that people see while it runs.
    pub(crate) title: &'static str,
    /// Folder below the suite's; empty for the suite's own.
    pub(crate) below: &'static str,
    pub(crate) package: &'static str,
    /// First argument of the package's program.
    pub(crate) program: &'static str,
    /// Checks that what it needs is there, before minutes are spent.
    pub(crate) needs: &'static [Need],
    pub(crate) suite: &'static dyn AnySuite,
    /// Makes records and charts from the program's file, and gives the summary.
    pub(crate) write: fn(&dyn AnySuite, &Folder, &Bench, &Path) -> Result<String, String>,
}

impl Part {
    const fn of(
        title: &'static str,
        package: &'static str,
        program: &'static str,
        suite: &'static dyn AnySuite,
    ) -> Self {
        Self {
            title,
            below: "",
            package,
            program,
            needs: &[],
            suite,
            write: |suite, folder, bench, csv| suite.write(folder, bench, csv),
        }
    }
}

const LEVELDB_HEADER: Need = Need::Header("leveldb/c.h", "libleveldb-dev");
const ROCKSDB_HEADER: Need = Need::Header("rocksdb/c.h", "librocksdb-dev");

const POINT_READS: Part = Part {
    needs: &[LEVELDB_HEADER],
    ..Part::of(
        "LevelDB and rusty-leveldb",
        "bench-leveldb",
        "point-reads",
        &point_reads::SUITE,
    )
};
const MEMBERSHIP: Part = Part {
    needs: &[
        Need::Program("java", "default-jre-headless"),
        Need::Program("javac", "default-jdk-headless"),
        Need::File("/usr/share/java/guava.jar", "libguava-java"),
    ],
    ..Part::of(
        "Guava and its peers",
        "bench-guava",
        "membership",
        &membership::SUITE,
    )
};
const MEMORY: Part = Part::of("filters and sets", "bench-memory", "memory", &memory::SUITE);
const REDIS: Part = Part {
    needs: &[
        Need::Program("redis-server", "redis-server"),
        Need::Program("redis-benchmark", "redis-tools"),
    ],
    ..Part::of("Redis", "bench-redis", "redis", &redis::SUITE)
};
const POLICY: Part = Part {
    needs: &[LEVELDB_HEADER],
    ..Part::of(
        "LevelDB's policy and its peers",
        "bench-leveldb",
        "policy",
        &policy::LEVELDB,
    )
};
const ROCKSDB: Part = Part {
    below: "rocksdb",
    needs: &[ROCKSDB_HEADER],
    ..Part::of(
        "RocksDB's policies and their peers",
        "bench-rocksdb",
        "policy",
        &policy::ROCKSDB,
    )
};
const WHICH: Part = Part {
    below: "which",
    ..Part::of("every policy", "bench-ours", "which", &which::SUITE)
};
const RATES: Part = Part::of("rates", "bench-ours", "rates", &rates::SUITE);
const INSTRUCTIONS: Part = Part {
    needs: &[Need::Program("valgrind", "valgrind")],
    write: write_instructions,
    ..Part::of("instructions", "bench-ours", "instructions", &instructions::SUITE)
};

/// The folder of the committed counts.
fn committed() -> PathBuf {
    root().join("reports/reference/instructions")
}

/// The committed counts; none where there is no record.
fn recorded() -> Result<Vec<Instructions>, String> {
    let path = committed().join("instructions.csv");
    if path.exists() {
        table::read(&path).map_err(|error| error.to_string())
    } else {
        Ok(Vec::new())
    }
}

/// Writes counts, and compares them with the committed ones; those are renewed where they are what is written.
fn write_instructions(
    suite: &dyn AnySuite,
    folder: &Folder,
    bench: &Bench,
    csv: &Path,
) -> Result<String, String> {
    let measured: Vec<Instructions> = table::read(csv).map_err(|error| error.to_string())?;
    let environment = environment::collect();
    if folder.path() != committed() {
        return Ok(suite.write(folder, bench, csv)? + &judge(&recorded()?, &measured, &environment)?);
    }
    let rows = renewed(recorded()?, &measured, &environment);
    folder.write(bench, None::<&[Instructions]>, &rows, |_| Vec::new())?;
    Ok((instructions::SUITE.summary)(&measured))
}
