//! A policy under any name that counts queries and denials.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use filter_policy::{Error, FilterBytes, FilterPolicy};

/// A policy under this name that counts queries and denials.
#[derive(Clone)]
pub(crate) struct CountingPolicy {
    name: String,
    policy: Arc<dyn FilterPolicy + Send + Sync>,
    counts: Arc<[AtomicU64; 2]>,
}

impl CountingPolicy {
    pub(crate) fn new(policy: impl FilterPolicy + Send + Sync + 'static) -> Self {
        Self::named(policy.name().to_owned(), policy)
    }

    pub(crate) fn named(name: impl Into<String>, policy: impl FilterPolicy + Send + Sync + 'static) -> Self {
        Self {
            name: name.into(),
            policy: Arc::new(policy),
            counts: Arc::default(),
        }
    }

    /// Returns the queries and the denials of this policy and its clones.
    pub(crate) fn counts(&self) -> [u64; 2] {
        [0, 1].map(|index| self.counts[index].load(Ordering::Relaxed))
    }
}

impl FilterPolicy for CountingPolicy {
    fn name(&self) -> &str {
        &self.name
    }

    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        self.policy.max_filter_len(keys)
    }

    fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
        self.policy.create_filter(keys, out)
    }

    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        let answer = self.policy.key_may_match(key, filter);
        for (count, more) in self.counts.iter().zip([true, !answer]) {
            count.fetch_add(more.into(), Ordering::Relaxed);
        }
        answer
    }
}
