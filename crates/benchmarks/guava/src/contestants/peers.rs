//! Filters of other crates, with Guava's size and probe count.

use bench_kit::version;
use bloomfilter::Bloom;
use fastbloom::{BloomFilter, DefaultHasher};
use foldhash::fast::FixedState;

use super::{Description, Filter, ours};
use crate::keys::random_words;
use crate::plan::Plan;

/// fastbloom with default settings, except for a fixed seed.
pub(super) struct FastbloomDefault(BloomFilter<DefaultHasher>);

/// fastbloom with the hasher that its documentation recommends for speed, and a fixed seed.
pub(super) struct FastbloomFoldhash(BloomFilter<FixedState>);

macro_rules! fastbloom {
    ($filter:ident, $name:literal, $setup:expr, $builder:ident => $hasher:expr) => {
        impl Filter for $filter {
            fn description() -> Description {
                Description {
                    filter: $name,
                    version: version("fastbloom"),
                    setup: $setup,
                }
            }

            fn new(plan: &Plan) -> Self {
                let parameters = ours::parameters(plan);
                let $builder = if plan.has_random_words {
                    BloomFilter::from_vec(random_words(parameters.word_count() as u64).collect())
                } else {
                    BloomFilter::with_num_bits(parameters.bits() as usize)
                };
                Self($hasher.hashes(parameters.probe_count().into()))
            }

            fn size(&self) -> (u64, u32) {
                (self.0.num_bits() as u64, self.0.num_hashes())
            }

            fn insert_all(&mut self, keys: &[String]) -> u64 {
                // `insert` returns true if the key may have been present before.
                let put = |key: &String| u64::from(!self.0.insert(key.as_str()));
                keys.iter().map(put).sum()
            }

            fn ask_all(&mut self, keys: &[String]) -> u64 {
                let ask = |key: &String| u64::from(self.0.contains(key.as_str()));
                keys.iter().map(ask).sum()
            }
        }
    };
}

fastbloom!(FastbloomDefault, "fastbloom-default", "SipHash-1-3; seed 1".to_owned(), builder => builder.seed(&1));
fastbloom!(
    FastbloomFoldhash,
    "fastbloom-foldhash",
    format!("foldhash {} fast::FixedState; seed 1", version("foldhash")),
    builder => builder.hasher(FixedState::with_seed(1))
);

/// bloomfilter, which has only SipHash-1-3 and computes the probe count itself.
pub(super) struct Bloomfilter(Bloom<str>);

impl Filter for Bloomfilter {
    fn description() -> Description {
        Description {
            filter: "bloomfilter",
            version: version("bloomfilter"),
            setup: "SipHash-1-3; seed bytes 0 to 31; probe count its own; put by check_and_set".to_owned(),
        }
    }

    fn new(plan: &Plan) -> Self {
        let bytes = ours::parameters(plan).bits() / 8;
        // The halves differ: each is the key of a hash, and with equal hashes every probe is a multiple of the same
        // value.
        let seed = std::array::from_fn(|i| i as u8);
        let made = Bloom::new_with_seed(bytes as usize, plan.insertions as usize, &seed);
        let empty = made.unwrap_or_else(|error| panic!("bloomfilter: {error}"));
        if !plan.has_random_words {
            return Self(empty);
        }
        let bits = empty.len();
        let mut stored = empty.into_bytes();
        // The bits are at the end of the stored form.
        let header = stored.len() - (bits / 8) as usize;
        for (bytes, word) in stored[header..].chunks_exact_mut(8).zip(random_words(bits / 64)) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        Self(Bloom::from_bytes(stored).unwrap_or_else(|error| panic!("bloomfilter: {error}")))
    }

    fn size(&self) -> (u64, u32) {
        (self.0.len(), self.0.number_of_hash_functions())
    }

    fn insert_all(&mut self, keys: &[String]) -> u64 {
        // `check_and_set` returns true if the key may have been present before.
        let put = |key: &String| u64::from(!self.0.check_and_set(key));
        keys.iter().map(put).sum()
    }

    fn ask_all(&mut self, keys: &[String]) -> u64 {
        let ask = |key: &String| u64::from(self.0.check(key));
        keys.iter().map(ask).sum()
    }
}
