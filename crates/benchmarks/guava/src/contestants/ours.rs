//! This project's filter, one key at a time and many at a time.

use bench_kit::suites::membership::{self, Contents};
use bench_kit::version;
use guava_bloom::{BloomFilter, Parameters, Utf8};

use super::{Description, Filter};
use crate::keys::{AT_ONCE, random_words};
use crate::plan::{FPP, Plan};

/// The parameters of all filters.
pub(super) fn parameters(plan: &Plan) -> Parameters {
    Parameters::new(plan.insertions, FPP).expect("a size that Guava can make")
}

fn new(plan: &Plan) -> BloomFilter<Utf8> {
    let parameters = parameters(plan);
    match plan.contents {
        Contents::Keys => BloomFilter::new(Utf8, &parameters),
        Contents::RandomWords => BloomFilter::new(Utf8, &parameters).and_then(|empty| {
            // In memory as the crate allocates it.
            let mut words = empty.into_words();
            let random = random_words(words.len() as u64);
            words
                .iter_mut()
                .zip(random)
                .for_each(|(word, random)| *word = random);
            BloomFilter::from_parts(Utf8, parameters.strategy(), parameters.probe_count(), words)
        }),
    }
    .expect("a filter that there is memory for")
}

fn size(filter: &BloomFilter<Utf8>) -> (u64, u32) {
    (filter.bits(), filter.probe_count().into())
}

fn description(filter: membership::Filter, setup: &str) -> Description {
    Description {
        filter,
        version: version("guava-bloom"),
        setup: setup.to_owned(),
    }
}

/// One call for each key.
pub(super) struct Single(BloomFilter<Utf8>);

impl Filter for Single {
    fn description() -> Description {
        description(membership::Filter::Ours, "a call for each key")
    }

    fn new(plan: &Plan) -> Self {
        Self(new(plan))
    }

    fn size(&self) -> (u64, u32) {
        size(&self.0)
    }

    fn insert_all(&mut self, keys: &[String]) -> u64 {
        keys.iter()
            .map(|key| u64::from(self.0.insert(key.as_str())))
            .sum()
    }

    fn ask_all(&mut self, keys: &[String]) -> u64 {
        let ask = |key: &String| u64::from(self.0.might_contain(key.as_str()));
        keys.iter().map(ask).sum()
    }
}

/// One call for all keys that are there.
pub(super) struct Batch(BloomFilter<Utf8>);

impl Filter for Batch {
    fn description() -> Description {
        description(
            membership::Filter::OursBatch,
            &format!("a call for {AT_ONCE} keys"),
        )
    }

    fn new(plan: &Plan) -> Self {
        Self(new(plan))
    }

    fn size(&self) -> (u64, u32) {
        size(&self.0)
    }

    fn insert_all(&mut self, keys: &[String]) -> u64 {
        count(&self.0.insert_many(keys))
    }

    fn ask_all(&mut self, keys: &[String]) -> u64 {
        count(&self.0.might_contain_many(keys))
    }
}

pub(super) fn count(answers: &[bool]) -> u64 {
    answers.iter().map(|answer| u64::from(*answer)).sum()
}
