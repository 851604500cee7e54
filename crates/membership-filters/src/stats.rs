//! The state of a filter, for all kinds.

/// The state of a filter.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Stats {
    /// The number of keys: in a counting filter the insertions minus the removals, in a cuckoo filter with all copies, and
    /// in a blocked filter an estimate, or `None` if all bits are set.
    pub len: Option<u64>,
    /// The number of bits, counters or slots.
    pub places: u64,
    /// The number of them that are set, not 0 or taken.
    pub taken: u64,
    /// The size of the places in bytes.
    pub memory_bytes: u64,
    /// The probability that an absent key seems to be in the filter now; in a cuckoo filter, if no key was inserted
    /// more than once.
    pub expected_rate: f64,
}

impl Stats {
    /// Returns the share of places that are taken, 0 to 1.
    #[must_use]
    pub fn fill(&self) -> f64 {
        self.taken as f64 / self.places as f64
    }
}
