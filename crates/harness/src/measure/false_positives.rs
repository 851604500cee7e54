//! False positives: each function inside the real filter policy.
//!
//! A filter is built from one part of the keys and asked for others. Generated sets go on drawing: the keys that come
//! next are absent. Other sets are cut in two by a seeded shuffle; each half is built and the other one asked.

use std::hash::Hasher as _;

use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterView, sizing};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use siphasher::sip::SipHasher24;

use super::Hashed;
use crate::dataset::{Dataset, shuffled};
use crate::keys::KeySet;
use crate::record::{FalsePositiveRow, IDEAL};
use crate::stats::binomial;

/// Bits per key that the policy is given.
pub const BITS_PER_KEY: [u32; 3] = [10, 15, 20];

/// Absent keys that filters over generated sets are asked for.
pub const ABSENT: usize = 1_000_000;

/// Confidence of the interval in a row.
pub const INTERVAL_LEVEL: f64 = 0.95;

/// Which keys of a dataset go into filters and which are asked for.
#[derive(Debug, Clone)]
pub struct Probes<'a> {
    dataset: &'a Dataset,
    plan: Plan,
}

#[derive(Debug, Clone)]
enum Plan {
    /// All keys are built; these are asked for.
    Continued { absent: KeySet },
    /// Indices of two halves of one size.
    TwoFold { halves: [Vec<u32>; 2] },
    /// Too few keys for a filter and an absent key.
    Nothing,
}

impl<'a> Probes<'a> {
    /// Draws the absent keys of a generated dataset, or cuts another one in two.
    ///
    /// Of an odd number of keys the last of the shuffled order takes no part, so that both filters have one size.
    /// Fewer than two keys give no rows.
    pub fn new(dataset: &'a Dataset) -> Self {
        let count = dataset.keys.len();
        let plan = if count < 2 {
            Plan::Nothing
        } else if let Some(recipe) = dataset.recipe {
            Plan::Continued {
                absent: recipe.keys_after(dataset.seed, count, ABSENT),
            }
        } else {
            let mut first = shuffled(count as u32, dataset.seed);
            first.truncate(count / 2 * 2);
            let second = first.split_off(count / 2);
            Plan::TwoFold {
                halves: [first, second],
            }
        };
        Self { dataset, plan }
    }

    /// Rows of one function, one for each of [`BITS_PER_KEY`].
    ///
    /// # Panics
    ///
    /// If `hashed` is not of the keys of the dataset.
    pub fn measure(&self, hashed: &Hashed<'_>) -> Vec<FalsePositiveRow> {
        let function = hashed.function;
        self.rows(function.name, &hashed.values, |key| function.compared(key))
    }

    /// Rows of the function [`IDEAL`], one for each of [`BITS_PER_KEY`]: what this probe scheme costs with a hash that
    /// nothing is wrong with.
    pub fn measure_ideal(&self) -> Vec<FalsePositiveRow> {
        let ideal = Ideal::new(self.dataset.seed);
        let values: Vec<u32> = self.dataset.keys.iter().map(|key| ideal.hash(key)).collect();
        self.rows(IDEAL, &values, |key| ideal.hash(key))
    }

    fn rows(&self, function: &str, values: &[u32], hash: impl Fn(&[u8]) -> u32) -> Vec<FalsePositiveRow> {
        assert_eq!(values.len(), self.dataset.keys.len(), "values of other keys");
        match &self.plan {
            Plan::Nothing => Vec::new(),
            Plan::Continued { absent } => {
                let absent: Vec<u32> = absent.iter().map(hash).collect();
                let raw_bytes = self.dataset.keys.total_bytes() as u64;
                self.rows_of_folds(function, raw_bytes, &[(values, &absent)])
            }
            Plan::TwoFold { halves } => {
                let of =
                    |half: &[u32]| -> Vec<u32> { half.iter().map(|&index| values[index as usize]).collect() };
                let (first, second) = (of(&halves[0]), of(&halves[1]));
                let raw_bytes = halves[0]
                    .iter()
                    .map(|&index| self.dataset.keys.get(index as usize).len() as u64)
                    .sum();
                self.rows_of_folds(function, raw_bytes, &[(&first, &second), (&second, &first)])
            }
        }
    }

    /// Builds the first part of each fold, asks for the second, and adds up.
    fn rows_of_folds(
        &self,
        function: &str,
        raw_bytes: u64,
        folds: &[(&[u32], &[u32])],
    ) -> Vec<FalsePositiveRow> {
        BITS_PER_KEY
            .into_iter()
            .map(|bits_per_key| {
                // The policy's own hash is not asked: the values come from the function under test.
                let policy = BloomFilterPolicy::bloom_filter2(BitsPerKey::whole(bits_per_key));
                let (mut probes, mut false_positives) = (0, 0);
                let mut filter = Vec::new();
                for (built, asked) in folds {
                    filter.clear();
                    policy
                        .append_hashes(built.iter().copied(), &mut filter)
                        .expect("20 bits for each of 2^32 keys fit in memory");
                    let view = FilterView::new(&filter);
                    probes += asked.len() as u64;
                    false_positives +=
                        asked.iter().filter(|&&value| view.may_match_hash(value)).count() as u64;
                }
                let keys = folds[0].0.len() as u64;
                let (ci_low, ci_high) = binomial::share_interval(false_positives, probes, INTERVAL_LEVEL);
                FalsePositiveRow {
                    dataset: self.dataset.name.clone(),
                    function: function.to_owned(),
                    bits_per_key,
                    keys,
                    probes,
                    false_positives,
                    rate: false_positives as f64 / probes as f64,
                    ci_low,
                    ci_high,
                    theory: theory(&filter, keys),
                    raw_bytes,
                    filter_bytes: filter.len() as u64,
                    // A half may be the empty key alone; it has no bytes to save.
                    saved: 1.0 - filter.len() as f64 / raw_bytes.max(1) as f64,
                }
            })
            .collect()
    }
}

/// The textbook rate of a filter with these bytes: `(1 - (1 - 1/m)^(kn))^k` with its own m and k.
fn theory(filter: &[u8], keys: u64) -> f64 {
    let view = FilterView::new(filter);
    let probes = view
        .probe_count()
        .expect("the policy writes a probe count below 31");
    sizing::rate(view.bits(), keys, u32::from(probes)).expect("the policy writes 64 bits at least")
}

/// A hash that nothing is wrong with: SipHash-2-4 under a key drawn from the seed, its 64 bits cut to the low 32.
#[derive(Debug, Clone, Copy)]
pub struct Ideal {
    keyed: SipHasher24,
}

impl Ideal {
    /// The hash whose key is the first 16 bytes of ChaCha8 started from `seed`.
    pub fn new(seed: u64) -> Self {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        let keyed = SipHasher24::new_with_keys(generator.next_u64(), generator.next_u64());
        Self { keyed }
    }

    /// The value of `key`.
    pub fn hash(&self, key: &[u8]) -> u32 {
        let mut hasher = self.keyed;
        hasher.write(key);
        hasher.finish() as u32
    }
}
