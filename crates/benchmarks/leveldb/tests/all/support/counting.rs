//! A policy that counts its calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use filter_policy::{Error, FilterPolicy};

/// The calls of a [`Counting`] policy and its answers.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    filters: AtomicU64,
    yes: AtomicU64,
    no: AtomicU64,
}

impl Answers {
    /// Returns the number of filters built.
    pub(crate) fn filters(&self) -> u64 {
        self.filters.load(Ordering::Relaxed)
    }

    /// Returns the number of "may match" answers.
    pub(crate) fn yes(&self) -> u64 {
        self.yes.load(Ordering::Relaxed)
    }

    /// Returns the number of denied keys, each of which saved a block read.
    pub(crate) fn no(&self) -> u64 {
        self.no.load(Ordering::Relaxed)
    }

    /// Resets the counts of answers.
    pub(crate) fn forget_questions(&self) {
        self.yes.store(0, Ordering::Relaxed);
        self.no.store(0, Ordering::Relaxed);
    }
}

/// A policy that forwards and counts every call.
#[derive(Debug)]
pub(crate) struct Counting<P> {
    policy: P,
    answers: Arc<Answers>,
}

impl<P> Counting<P> {
    /// Wraps a policy, and returns it with its counts.
    pub(crate) fn new(policy: P) -> (Self, Arc<Answers>) {
        let answers = Arc::new(Answers::default());
        let counting = Self {
            policy,
            answers: Arc::clone(&answers),
        };
        (counting, answers)
    }
}

impl<P: FilterPolicy> FilterPolicy for Counting<P> {
    fn name(&self) -> &str {
        self.policy.name()
    }

    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        self.policy.max_filter_len(keys)
    }

    fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<&'out mut [u8], Error> {
        self.answers.filters.fetch_add(1, Ordering::Relaxed);
        self.policy.create_filter(keys, out)
    }

    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        let answer = self.policy.key_may_match(key, filter);
        let count = if answer {
            &self.answers.yes
        } else {
            &self.answers.no
        };
        count.fetch_add(1, Ordering::Relaxed);
        answer
    }
}
