//! Policies that count their queries.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use filter_policy::{Error, FilterBytes, FilterPolicy};
use filter_policy_rusty_leveldb::RustyLevelDbPolicy;

/// The counts of a counting policy.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    pub(crate) questions: AtomicU64,
    pub(crate) denials: AtomicU64,
}

/// A policy that counts queries and denials.
#[derive(Debug, Clone)]
pub(crate) struct Counting<P> {
    policy: P,
    asked: Arc<Asked>,
}

impl<P: FilterPolicy> Counting<P> {
    pub(crate) fn new(policy: P) -> (Self, Arc<Asked>) {
        let asked = Arc::new(Asked::default());
        let counting = Self {
            policy,
            asked: asked.clone(),
        };
        (counting, asked)
    }
}

impl<P: FilterPolicy> FilterPolicy for Counting<P> {
    fn name(&self) -> &str {
        self.policy.name()
    }

    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        self.policy.max_filter_len(keys)
    }

    fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
        self.policy.create_filter(keys, out)
    }

    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        let answer = self.policy.key_may_match(key, filter);
        self.asked.questions.fetch_add(1, Ordering::Relaxed);
        self.asked
            .denials
            .fetch_add(u64::from(!answer), Ordering::Relaxed);
        answer
    }
}

/// Returns the adapter over a counting policy.
pub(crate) fn counting<P: FilterPolicy>(policy: P) -> (RustyLevelDbPolicy<Counting<P>>, Arc<Asked>) {
    let (counting, asked) = Counting::new(policy);
    (RustyLevelDbPolicy::new(counting).unwrap(), asked)
}
