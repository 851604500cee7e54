//! A policy that counts what it is asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use filter_policy::{Error, FilterPolicy};

/// What a [`Counting`] policy was asked, and what it answered.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    filters: AtomicU64,
    yes: AtomicU64,
    no: AtomicU64,
}

impl Answers {
    /// Filters that were built.
    pub(crate) fn filters(&self) -> u64 {
        self.filters.load(Ordering::Relaxed)
    }

    /// Questions that were answered "may match".
    pub(crate) fn yes(&self) -> u64 {
        self.yes.load(Ordering::Relaxed)
    }

    /// Questions that were answered "no": each one saved a block.
    pub(crate) fn no(&self) -> u64 {
        self.no.load(Ordering::Relaxed)
    }

    /// Sets the questions back to none.
    pub(crate) fn forget_questions(&self) {
        self.yes.store(0, Ordering::Relaxed);
        self.no.store(0, Ordering::Relaxed);
    }
}

/// A policy that passes everything on, and counts.
#[derive(Debug)]
pub(crate) struct Counting<P> {
    policy: P,
    answers: Arc<Answers>,
}

impl<P> Counting<P> {
    /// The policy, and the counts that it will keep.
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
