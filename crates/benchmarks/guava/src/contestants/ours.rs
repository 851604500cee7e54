//! This project's filter, with one key per call and with many.

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
    let made = BloomFilter::new(Utf8, &parameters).and_then(|empty| {
        if !plan.has_random_words {
            return Ok(empty);
        }
        // Reuses the memory that the crate allocated.
        let mut words = empty.into_words();
        let random = random_words(words.len() as u64);
        words
            .iter_mut()
            .zip(random)
            .for_each(|(word, random)| *word = random);
        BloomFilter::from_parts(Utf8, parameters.strategy(), parameters.probe_count(), words)
    });
    made.expect("a filter that there is memory for")
}

/// The filter, called for each key or for all keys of a part.
pub(super) struct Ours<const MANY: bool>(BloomFilter<Utf8>);

impl<const MANY: bool> Filter for Ours<MANY> {
    fn description() -> Description {
        let (filter, keys) = if MANY {
            ("ours-batch", format!("{AT_ONCE} keys"))
        } else {
            ("ours", "each key".to_owned())
        };
        Description {
            filter,
            version: version("guava-bloom"),
            setup: format!("a call for {keys}"),
        }
    }

    fn new(plan: &Plan) -> Self {
        Self(new(plan))
    }

    fn size(&self) -> (u64, u32) {
        (self.0.bits(), self.0.probe_count().into())
    }

    fn insert_all(&mut self, keys: &[String]) -> u64 {
        if MANY {
            count(self.0.insert_many(keys))
        } else {
            count(keys.iter().map(|key| self.0.insert(key.as_str())))
        }
    }

    fn ask_all(&mut self, keys: &[String]) -> u64 {
        if MANY {
            count(self.0.might_contain_many(keys))
        } else {
            count(keys.iter().map(|key| self.0.might_contain(key.as_str())))
        }
    }
}

pub(super) fn count(answers: impl IntoIterator<Item = bool>) -> u64 {
    answers.into_iter().map(u64::from).sum()
}
