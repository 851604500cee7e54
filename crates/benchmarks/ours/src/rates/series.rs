//! The series: policies, filters for applications, and hash functions in LevelDB's scheme.

use bench_kit::suites::rates::{IDEAL, KeyForm, LEVELDB, Scheme};

/// A line of the charts: a policy, a filter, or a function in LevelDB's scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Series {
    /// Name in the records: of the policy, or of the function for `hash_comparison::functions::find`.
    pub(crate) name: &'static str,
    pub(crate) scheme: Scheme,
    pub(crate) key_form: KeyForm,
}

pub(super) const BLOOM_FILTER2: &str = "BloomFilter2";

const fn random(name: &'static str, scheme: Scheme) -> Series {
    Series {
        name,
        scheme,
        key_form: KeyForm::RandomDecimals,
    }
}

/// Every series, in the order of the records.
///
/// Three have no series: `BloomFilter2.SignedTail`, which equals `BloomFilter2` on ASCII keys; prefix policies, to
/// which prefixes are keys; and the designs in Redis, which use Guava's positions.
pub(crate) const SERIES: [Series; 20] = [
    random(IDEAL, Scheme::Ideal),
    random(IDEAL, Scheme::Leveldb),
    random(LEVELDB, Scheme::Leveldb),
    Series {
        name: LEVELDB,
        scheme: Scheme::Leveldb,
        key_form: KeyForm::NumbersInARow,
    },
    random(BLOOM_FILTER2, Scheme::Leveldb),
    random("XXH3", Scheme::Leveldb),
    random("DJB2Hash", Scheme::Leveldb),
    random("SDBMHash", Scheme::Leveldb),
    random("FNVHash", Scheme::Leveldb),
    random("PJW", Scheme::Leveldb),
    random("BPHash", Scheme::Leveldb),
    random("BloomFilter64.Xxph3", Scheme::Bloom64),
    random("FastLocalBloom", Scheme::FastLocalBloom),
    random("legacy full filter", Scheme::LegacyFull),
    random("Ribbon", Scheme::Ribbon),
    random("Guava, MITZ_64", Scheme::GuavaMitz64),
    random("Guava, MITZ_32", Scheme::GuavaMitz32),
    random("counting", Scheme::Counting),
    random("cuckoo", Scheme::Cuckoo),
    random("growing", Scheme::Growing),
];

impl Series {
    /// Returns the number of keys of the largest filter. Counting filters have Guava's positions and so its rates, and
    /// the last links of growing filters are all alike; both take long to build.
    pub(super) fn largest(&self) -> u64 {
        match self.scheme {
            Scheme::Counting | Scheme::Growing => 4_000_000,
            _ => u64::MAX,
        }
    }
}
