//! The series: policies, filters for applications, and hash functions in LevelDB's scheme.

use bench_kit::suites::rates::{IDEAL, LEVELDB};

/// A line of the charts: a policy, a filter, or a function in LevelDB's scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Series {
    /// Name in the records: of the policy, or of the function for `hash_comparison::functions::find`.
    pub(crate) name: &'static str,
    pub(crate) scheme: &'static str,
    pub(crate) is_in_a_row: bool,
}

pub(super) const BLOOM_FILTER2: &str = "BloomFilter2";

const fn random(name: &'static str, scheme: &'static str) -> Series {
    Series {
        name,
        scheme,
        is_in_a_row: false,
    }
}

/// Every series, in the order of the records.
///
/// Three have no series: `BloomFilter2.SignedTail`, which equals `BloomFilter2` on ASCII keys; prefix policies, to
/// which prefixes are keys; and the designs in Redis, which use Guava's positions.
pub(crate) const SERIES: [Series; 20] = [
    random(IDEAL, "ideal"),
    random(IDEAL, "leveldb"),
    random(LEVELDB, "leveldb"),
    Series {
        name: LEVELDB,
        scheme: "leveldb",
        is_in_a_row: true,
    },
    random(BLOOM_FILTER2, "leveldb"),
    random("XXH3", "leveldb"),
    random("DJB2Hash", "leveldb"),
    random("SDBMHash", "leveldb"),
    random("FNVHash", "leveldb"),
    random("PJW", "leveldb"),
    random("BPHash", "leveldb"),
    random("BloomFilter64.Xxph3", "bloom64"),
    random("FastLocalBloom", "fast-local-bloom"),
    random("legacy full filter", "legacy-full"),
    random("Ribbon", "ribbon"),
    random("Guava, MITZ_64", "guava-mitz64"),
    random("Guava, MITZ_32", "guava-mitz32"),
    random("counting", "counting"),
    random("cuckoo", "cuckoo"),
    random("growing", "growing"),
];

impl Series {
    /// Returns the number of keys of the largest filter. Counting filters have Guava's positions and so its rates, and
    /// the last links of growing filters are all alike; both take long to build.
    pub(super) fn largest(&self) -> u64 {
        match self.scheme {
            "counting" | "growing" => 4_000_000,
            _ => u64::MAX,
        }
    }
}
