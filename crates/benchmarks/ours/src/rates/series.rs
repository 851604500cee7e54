//! What is measured: the policies, the filters for applications, and hash functions in LevelDB's scheme.

use bench_kit::suites::rates::{IDEAL, KeyForm, LEVELDB, Rate, Scheme};
use filter_policy::hashers::{KeyHasher as _, LevelDbHash, Murmur2};
use hash_comparison::functions;
use hash_comparison::measure::false_positives::Ideal;

use super::run::Task;
use super::{SEED, kinds};

/// A line of the charts: a policy, a filter, or a function in LevelDB's scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Series {
    /// Name in the records: that of the policy, or of the function as [`functions::find`] knows it.
    pub(crate) name: &'static str,
    /// How it places its bits.
    pub(crate) scheme: Scheme,
    /// Which keys it is given.
    pub(crate) key_form: KeyForm,
}

/// The policy of MurmurHash2.
const BLOOM_FILTER2: &str = "BloomFilter2";

const fn random(name: &'static str, scheme: Scheme) -> Series {
    Series {
        name,
        scheme,
        key_form: KeyForm::RandomDecimals,
    }
}

/// Every series, in the order of the records.
///
/// `BloomFilter2.SignedTail` has the filters of `BloomFilter2` where keys are ASCII, and prefixes are keys to the policy
/// inside: neither has a series of its own. The designs in Redis take Guava's positions.
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
    /// Keys of the largest filter that is measured. Counting filters have the positions and so the rates of Guava's, and
    /// the last links of growing ones are all alike; both take long to build.
    pub(super) fn largest(&self) -> u64 {
        match self.scheme {
            Scheme::Counting | Scheme::Growing => 4_000_000,
            _ => u64::MAX,
        }
    }

    /// Measures the filters of one size.
    pub(super) fn measure(&self, task: &Task<'_>) -> Result<Vec<Rate>, String> {
        let ideal = Ideal::drawn(SEED, 0);
        let murmur2 = Murmur2::new();
        match (self.scheme, self.name) {
            (Scheme::Leveldb, IDEAL) => task.measure(self, &kinds::leveldb(|key| ideal.hash(key))),
            (Scheme::Leveldb, LEVELDB) => task.measure(self, &kinds::leveldb(|key| LevelDbHash.hash(key))),
            (Scheme::Leveldb, BLOOM_FILTER2) => task.measure(self, &kinds::leveldb(|key| murmur2.hash(key))),
            (Scheme::Leveldb, name) => {
                let function = functions::find(name).map_err(|error| error.to_string())?;
                functions::gate([function]).map_err(|error| error.to_string())?;
                task.measure(self, &kinds::leveldb(|key| function.compared(key)))
            }
            (Scheme::Ideal, _) => task.measure(self, &kinds::ideal_scheme(|key| ideal.wide(key))),
            (Scheme::Bloom64, _) => task.measure(self, &kinds::bloom64()),
            (Scheme::FastLocalBloom, _) => task.measure(self, &kinds::fast_local_bloom()),
            (Scheme::LegacyFull, _) => task.measure(self, &kinds::legacy_full()),
            (Scheme::Ribbon, _) => task.measure(self, &kinds::ribbon()),
            (Scheme::GuavaMitz64, _) => task.measure(self, &kinds::guava_mitz64()),
            (Scheme::GuavaMitz32, _) => task.measure(self, &kinds::guava_mitz32()),
            (Scheme::Counting, _) => task.measure(self, &kinds::counting()),
            (Scheme::Cuckoo, _) => task.measure(self, &kinds::cuckoo()),
            (Scheme::Growing, _) => task.measure(self, &kinds::growing()),
        }
    }
}
