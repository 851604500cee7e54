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
                        .expect("a filter takes less room than the values it is built from");
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::dataset::{Recipe, sha256};
    use crate::functions;
    use crate::record::DatasetKind;

    fn dataset(count: usize, recipe: Option<Recipe>) -> Dataset {
        let keys = Recipe::DistinctBelow1e9.keys(1, count);
        Dataset {
            name: "ids".to_owned(),
            kind: DatasetKind::Generated,
            source: String::new(),
            sha256: sha256(&keys),
            keys,
            duplicates_dropped: 0,
            seed: 1,
            recipe,
        }
    }

    #[test]
    fn generated_sets_are_asked_for_a_million_keys_that_they_do_not_have() {
        let dataset = dataset(1000, Some(Recipe::DistinctBelow1e9));
        let probes = Probes::new(&dataset);
        let Plan::Continued { absent } = &probes.plan else {
            panic!("a recipe can go on");
        };
        assert_eq!(absent.len(), 1_000_000);
        let present: HashSet<&[u8]> = dataset.keys.iter().collect();
        assert!(absent.iter().all(|key| !present.contains(key)));
    }

    #[test]
    fn halves_share_no_key_and_leave_at_most_one_out() {
        for count in [2, 3, 10, 1001] {
            let dataset = dataset(count, None);
            let probes = Probes::new(&dataset);
            let Plan::TwoFold { halves } = &probes.plan else {
                panic!("no recipe, so two halves");
            };
            assert_eq!(halves[0].len(), count / 2);
            assert_eq!(halves[1].len(), count / 2);
            let all: HashSet<u32> = halves.iter().flatten().copied().collect();
            assert_eq!(all.len(), count / 2 * 2);
            assert!(all.iter().all(|&index| (index as usize) < count));
        }
    }

    /// Counted again with the policy's public reading of keys, MurmurHash2 being the policy's own hash.
    #[test]
    fn counts_are_those_of_the_policy_itself() {
        let dataset = dataset(2000, None);
        let function = functions::find("MurMurHash2").unwrap();
        let probes = Probes::new(&dataset);
        let rows = probes.measure(&Hashed::new(&dataset.keys, function));
        let Plan::TwoFold { halves } = &probes.plan else {
            panic!("no recipe, so two halves");
        };
        let keys = |half: usize| halves[half].iter().map(|&index| dataset.keys.get(index as usize));
        for (row, bits_per_key) in rows.iter().zip(BITS_PER_KEY) {
            let policy = BloomFilterPolicy::bloom_filter2(BitsPerKey::whole(bits_per_key));
            let mut false_positives = 0;
            for (built, asked) in [(0, 1), (1, 0)] {
                let filter = policy.build(keys(built)).unwrap();
                let view = FilterView::new(&filter);
                assert_eq!(filter.len() as u64, row.filter_bytes);
                false_positives += keys(asked)
                    .filter(|key| view.may_match(policy.hasher(), key))
                    .count() as u64;
            }
            assert_eq!(row.false_positives, false_positives);
            assert_eq!(row.bits_per_key, bits_per_key);
        }
    }

    #[test]
    fn the_textbook_rate_is_that_of_the_real_filter() {
        let dataset = dataset(40_000, None);
        let rows = Probes::new(&dataset).measure_ideal();
        // 20,000 keys at 10, 15 and 20 bits: (1 - (1 - 1/m)^(kn))^k with k = 6, 10, 13.
        for (row, expected) in rows.iter().zip([0.008_436_302, 0.000_744_001, 0.000_067_925]) {
            assert!((row.theory / expected - 1.0).abs() < 1e-5, "{row:?}");
        }
    }

    #[test]
    fn the_ideal_hash_is_siphash_2_4_and_the_seed_its_key() {
        let [one, same, other] = [1, 1, 2].map(Ideal::new);
        assert_eq!(one.hash(b"key"), same.hash(b"key"));
        assert_ne!(one.hash(b"key"), other.hash(b"key"));
        // Written down from this implementation: recorded rows could not be repeated if it changed.
        assert_eq!(one.hash(b"key"), 870_744_909);
    }
}
