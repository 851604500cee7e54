//! The suites by the names of the command line, with the parts of each and who takes part.

use terminal::failure::Failure;

use crate::ours::{filters, series};
#[cfg(feature = "rocksdb")]
use crate::peers::rocksdb;
use crate::peers::{crates, guava, parquet, redis, slatedb};
#[cfg(feature = "leveldb")]
use crate::peers::{leveldb, rusty_leveldb};
use crate::record::Batch;
use crate::suite::Suite;
use crate::suites::rates::Effort;
use crate::suites::{self, equal_rate, membership, point_reads, policy, ranges, rates};
use crate::turns::Run;

/// A suite's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Name {
    /// Blocks read and time per Get on LevelDB, rusty-leveldb and SlateDB, without filters and with each policy
    PointReads,
    /// Insert and lookup times of Guava's Bloom filter, ours, and those of other crates, at four sizes
    Membership,
    /// Keys per second of queries and inserts in Redis filters and of redis-benchmark, by keys per round trip
    Redis,
    /// Build and query times of LevelDB's and arrow-rs's own filters and of ours with the same bytes, by the number of keys, and of
    /// ours beside sbbf-rs and xorf; and those of all policies, RocksDB's and other crates' at equal false-positive rates
    Policy,
    /// False positives of every policy relative to an ideal filter's, by keys and by bits per key; no times
    Rates,
    /// Filters that answer ranges, beside Bloom filters and grafite: false positives (the part main), times, and the requests
    /// of SlateDB's scans that they save
    Ranges,
}

/// A part of a suite, which has records of its own.
pub struct Part {
    /// Folder below the suite's; empty for the suite's own.
    pub below: &'static str,
    /// The names in its records.
    pub suite: &'static Suite,
    /// The function that measures it, or the name of the software that was missing when this program was built.
    pub measure: Result<Measure, &'static str>,
}

/// Measures a part.
pub type Measure = fn(&Run<'_>) -> Result<Vec<Batch>, Failure>;

#[cfg(feature = "leveldb")]
const LEVELDB: [Result<Measure, &str>; 2] = [
    Ok(|run| Ok([leveldb::point_reads(run)?, rusty_leveldb::point_reads(run)?].concat())),
    Ok(leveldb::policy),
];
#[cfg(not(feature = "leveldb"))]
const LEVELDB: [Result<Measure, &str>; 2] = [Err("LevelDB"); 2];
#[cfg(feature = "rocksdb")]
const ROCKSDB: Result<Measure, &str> = Ok(rocksdb::equal_rate);
#[cfg(not(feature = "rocksdb"))]
const ROCKSDB: Result<Measure, &str> = Err("RocksDB");

impl Name {
    /// Returns the parts of the suite, in the order in which they run.
    #[rustfmt::skip]
    pub fn parts(self) -> &'static [Part] {
        match self {
            Self::PointReads => &[
                Part { below: "", suite: &point_reads::SUITE, measure: LEVELDB[0] },
                Part { below: "slatedb", suite: &point_reads::SUITE, measure: Ok(slatedb::point_reads) },
            ],
            Self::Membership => &[
                Part { below: "", suite: &membership::SUITE, measure: Ok(|run| {
                    let contenders = [guava::membership()?].into_iter().chain(filters::all());
                    membership::measure(run, contenders.collect())
                }) },
            ],
            Self::Redis => &[Part { below: "", suite: &suites::redis::SUITE, measure: Ok(redis::measure) }],
            Self::Policy => &[
                Part { below: "", suite: &policy::SUITE, measure: LEVELDB[1] },
                Part { below: "parquet", suite: &policy::SUITE, measure: Ok(parquet::policy) },
                Part { below: "split-blocks", suite: &policy::SUITE, measure: Ok(crates::split_blocks) },
                Part { below: "binary-fuse", suite: &policy::SUITE, measure: Ok(crates::binary_fuse) },
                Part { below: "equal-rate", suite: &equal_rate::SUITE, measure: ROCKSDB },
            ],
            Self::Rates => &[
                Part { below: "", suite: &rates::SUITE, measure: Ok(|run| {
                    rates::measure(run, &series::all(), run.extent(&Effort::QUICK, &Effort::FULL))
                }) },
            ],
            Self::Ranges => &[
                Part { below: "", suite: &ranges::RATES, measure: Ok(ranges::rates) },
                Part { below: "times", suite: &ranges::TIMES, measure: Ok(ranges::times) },
                Part { below: "requests", suite: &ranges::REQUESTS, measure: Ok(slatedb::requests::measure) },
            ],
        }
    }
}
