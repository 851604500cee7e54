//! What is measured: the policies, the filters for applications, and hash functions in LevelDB's scheme.

use bench_kit::suites::rates::{IDEAL, KeyForm, LEVELDB, Rate, Scheme};
use filter_policy::{KeyHasher as _, LevelDbHash, Murmur2};
use guava_bloom::Strategy;
use hash_comparison::functions;
use hash_comparison::measure::false_positives::Ideal;
use hash_comparison::progress::Progress;

use super::RatesError;
use super::SEED;
use super::applications::{Counting, Cuckoo, Growing, Guava};
use super::filters::{Bloom64, IdealScheme, LegacyFull, LevelDbScheme, RocksDb};
use super::run::{Task, measure};

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
    pub(super) fn measure(&self, task: &Task<'_>, progress: &dyn Progress) -> Result<Vec<Rate>, RatesError> {
        match self.scheme {
            Scheme::Leveldb => self.in_leveldb_scheme(task, progress),
            Scheme::Ideal => {
                let ideal = Ideal::drawn(SEED, 0);
                measure(self, &IdealScheme(|key: &[u8]| ideal.wide(key)), task, progress)
            }
            Scheme::Bloom64 => measure(self, &Bloom64, task, progress),
            Scheme::FastLocalBloom => measure(self, &RocksDb::FastLocalBloom, task, progress),
            Scheme::LegacyFull => measure(self, &LegacyFull, task, progress),
            Scheme::Ribbon => measure(self, &RocksDb::Ribbon, task, progress),
            Scheme::GuavaMitz64 => measure(self, &Guava(Strategy::Murmur128Mitz64), task, progress),
            Scheme::GuavaMitz32 => measure(self, &Guava(Strategy::Murmur128Mitz32), task, progress),
            Scheme::Counting => measure(self, &Counting, task, progress),
            Scheme::Cuckoo => measure(self, &Cuckoo, task, progress),
            Scheme::Growing => measure(self, &Growing, task, progress),
        }
    }

    fn in_leveldb_scheme(&self, task: &Task<'_>, progress: &dyn Progress) -> Result<Vec<Rate>, RatesError> {
        match self.name {
            IDEAL => {
                let ideal = Ideal::drawn(SEED, 0);
                measure(self, &LevelDbScheme(|key: &[u8]| ideal.hash(key)), task, progress)
            }
            LEVELDB => {
                let hash = |key: &[u8]| LevelDbHash.hash(key);
                measure(self, &LevelDbScheme(hash), task, progress)
            }
            BLOOM_FILTER2 => {
                let murmur2 = Murmur2::new();
                measure(
                    self,
                    &LevelDbScheme(|key: &[u8]| murmur2.hash(key)),
                    task,
                    progress,
                )
            }
            name => {
                let function = functions::find(name).map_err(|error| RatesError::Function {
                    reason: error.to_string(),
                })?;
                functions::gate([function]).map_err(|error| RatesError::Function {
                    reason: error.to_string(),
                })?;
                let hash = |key: &[u8]| function.compared(key);
                measure(self, &LevelDbScheme(hash), task, progress)
            }
        }
    }
}
