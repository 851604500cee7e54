//! The suites by the names of the command line, and the programs that measure them.

use bench_kit::Suite;
use bench_kit::suites::{membership, point_reads, policy, rates, redis};
use xtask::{GUAVA, LEVELDB, Need, REDIS, ROCKSDB};

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Name {
    /// Blocks read and time per Get on LevelDB, rusty-leveldb and SlateDB, without filters and with each policy
    PointReads,
    /// Insert and lookup times of Guava's Bloom filter, ours, and those of other crates, at four sizes
    Membership,
    /// Keys per second of queries and inserts in Redis filters and of redis-benchmark, by keys per round trip
    Redis,
    /// Build and query times of LevelDB's and arrow-rs's own filters and of ours with the same bytes, by the number of keys; and
    /// those of all policies, RocksDB's and other crates' at equal false-positive rates
    Policy,
    /// False positives of every policy relative to an ideal filter's, by keys and by bits per key; no times
    Rates,
}

/// A program that measures a suite, or a part of it.
pub(crate) struct Part {
    /// Folder below the suite's; empty for the suite's own.
    pub(crate) below: &'static str,
    /// The package and the first argument of its program.
    pub(crate) program: [&'static str; 2],
    /// The needs of the program, checked before minutes are spent.
    pub(crate) needs: &'static [Need],
    pub(crate) suite: &'static Suite,
}

impl Name {
    /// Returns the parts of the suite, in the order in which they run.
    #[rustfmt::skip]
    pub(crate) fn parts(self) -> &'static [Part] {
        match self {
            Self::PointReads => &[
                Part { below: "", program: ["bench-leveldb", "point-reads"], needs: LEVELDB, suite: &point_reads::SUITE },
                Part { below: "slatedb", program: ["bench-slatedb", "point-reads"], needs: &[], suite: &point_reads::SUITE },
            ],
            Self::Membership => &[Part { below: "", program: ["bench-guava", "membership"], needs: GUAVA, suite: &membership::SUITE }],
            Self::Redis => &[Part { below: "", program: ["bench-redis", "redis"], needs: REDIS, suite: &redis::SUITE }],
            Self::Policy => &[
                Part { below: "", program: ["bench-leveldb", "policy"], needs: LEVELDB, suite: &policy::SUITE },
                Part { below: "parquet", program: ["bench-parquet", "policy"], needs: &[], suite: &policy::SUITE },
                Part { below: "equal-rate", program: ["bench-rocksdb", "equal-rate"], needs: ROCKSDB, suite: &policy::EQUAL_RATE },
            ],
            Self::Rates => &[Part { below: "", program: ["bench-ours", "rates"], needs: &[], suite: &rates::SUITE }],
        }
    }
}
