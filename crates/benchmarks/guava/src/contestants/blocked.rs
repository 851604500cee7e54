//! This project's blocked filter, with one key per call and with many.

use bench_kit::version;
use guava_bloom::Hash128;
use membership_filters::{BlockedBloomFilter, BlockedParameters, Xxph3};

use super::ours::count;
use super::{Description, Filter};
use crate::keys::{AT_ONCE, random_words};
use crate::plan::{FPP, Plan};

/// Builds a filter for the same keys and rate as the others, which takes more bits.
fn new(plan: &Plan) -> BlockedBloomFilter<Xxph3> {
    let parameters = BlockedParameters::new(plan.insertions, FPP).expect("a size that there can be");
    let mut filter = BlockedBloomFilter::new(Xxph3, &parameters).expect("a filter that there is memory for");
    if plan.has_random_words {
        // Random words would set more bits than keys ever do.
        let mut hashes = random_words(plan.insertions).map(|h1| Hash128 { h1, h2: 0 });
        loop {
            let part: Vec<Hash128> = hashes.by_ref().take(AT_ONCE).collect();
            if part.is_empty() {
                break;
            }
            filter.insert_hashes(&part);
        }
    }
    filter
}

/// The filter, called for each key or for all keys of a part.
pub(super) struct Blocked<const MANY: bool>(BlockedBloomFilter<Xxph3>);

impl<const MANY: bool> Filter for Blocked<MANY> {
    fn description() -> Description {
        let (filter, keys) = if MANY {
            ("blocked-batch", format!("{AT_ONCE} keys"))
        } else {
            ("blocked", "each key".to_owned())
        };
        Description {
            filter,
            version: version("membership-filters"),
            setup: format!("XXPH3; a call for {keys}; puts do not tell what changed and count as if all did"),
        }
    }

    fn new(plan: &Plan) -> Self {
        Self(new(plan))
    }

    fn size(&self) -> (u64, u32) {
        (self.0.parameters().memory_bytes() * 8, 8)
    }

    fn insert_all(&mut self, keys: &[String]) -> u64 {
        if MANY {
            self.0.insert_many(keys);
        } else {
            keys.iter().for_each(|key| self.0.insert(key.as_str()));
        }
        keys.len() as u64
    }

    fn ask_all(&mut self, keys: &[String]) -> u64 {
        if MANY {
            count(self.0.might_contain_many(keys))
        } else {
            count(keys.iter().map(|key| self.0.might_contain(key.as_str())))
        }
    }
}
