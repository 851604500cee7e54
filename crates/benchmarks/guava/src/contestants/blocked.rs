//! This project's filter for Rust programs only, one key at a time and many at a time.

use bench_kit::suites::membership::{self, Contents};
use bench_kit::version;
use guava_bloom::Hash128;
use membership_filters::{BlockedBloomFilter, BlockedParameters, Xxph3};

use super::ours::count;
use super::{Description, Filter};
use crate::keys::{AT_ONCE, random_words};
use crate::plan::{FPP, Plan};

/// As many keys as the others, at the same rate; that takes more bits.
fn new(plan: &Plan) -> BlockedBloomFilter<Xxph3> {
    let parameters = BlockedParameters::new(plan.insertions, FPP).expect("a size that there can be");
    let mut filter = BlockedBloomFilter::new(Xxph3, &parameters).expect("a filter that there is memory for");
    if plan.contents == Contents::RandomWords {
        // Random words would be fuller than it ever is.
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

fn size(filter: &BlockedBloomFilter<Xxph3>) -> (u64, u32) {
    (filter.parameters().memory_bytes() * 8, 8)
}

fn description(filter: membership::Filter, calls: &str) -> Description {
    Description {
        filter,
        version: version("membership-filters"),
        setup: format!("XXPH3; {calls}; puts do not tell what changed and count as if all did"),
    }
}

/// One call for each key.
pub(super) struct Single(BlockedBloomFilter<Xxph3>);

impl Filter for Single {
    fn description() -> Description {
        description(membership::Filter::Blocked, "a call for each key")
    }

    fn new(plan: &Plan) -> Self {
        Self(new(plan))
    }

    fn size(&self) -> (u64, u32) {
        size(&self.0)
    }

    fn insert_all(&mut self, keys: &[String]) -> u64 {
        keys.iter().for_each(|key| self.0.insert(key.as_str()));
        keys.len() as u64
    }

    fn ask_all(&mut self, keys: &[String]) -> u64 {
        let ask = |key: &String| u64::from(self.0.might_contain(key.as_str()));
        keys.iter().map(ask).sum()
    }
}

/// One call for all keys that are there.
pub(super) struct Batch(BlockedBloomFilter<Xxph3>);

impl Filter for Batch {
    fn description() -> Description {
        let calls = format!("a call for {AT_ONCE} keys");
        description(membership::Filter::BlockedBatch, &calls)
    }

    fn new(plan: &Plan) -> Self {
        Self(new(plan))
    }

    fn size(&self) -> (u64, u32) {
        size(&self.0)
    }

    fn insert_all(&mut self, keys: &[String]) -> u64 {
        self.0.insert_many(keys);
        keys.len() as u64
    }

    fn ask_all(&mut self, keys: &[String]) -> u64 {
        count(&self.0.might_contain_many(keys))
    }
}
