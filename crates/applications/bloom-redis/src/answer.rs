//! The answer to a query.

/// The answer to a query. No variant will be added, so a `match` needs no wildcard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Answer {
    /// The key was never inserted.
    Absent,
    /// The key may have been inserted: look it up. False positives occur at the filter's rate.
    Maybe,
    /// The filter, or the part of it that decides, is not on the server: it was never created, or was evicted, expired
    /// or flushed. Nothing is known about the key.
    Missing,
}

impl Answer {
    /// Returns false only if the key is certainly absent, and therefore true for [`Answer::Missing`].
    ///
    /// ```
    /// use bloom_redis::Answer;
    ///
    /// assert!(!Answer::Absent.contains());
    /// assert!(Answer::Maybe.contains());
    /// assert!(Answer::Missing.contains());
    /// ```
    #[must_use]
    pub const fn contains(self) -> bool {
        !matches!(self, Self::Absent)
    }
}
