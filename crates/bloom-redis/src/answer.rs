//! What a query says.

/// The answer to a query. There will never be a fourth one, so that a `match` needs no wildcard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Answer {
    /// The element was never inserted.
    Absent,
    /// The element was inserted, or the filter errs, as it does at its false-positive rate.
    MightContain,
    /// The filter, or a part of it that decides, is not on the server: never created, evicted, expired or flushed.
    /// Nothing is known of the element.
    Missing,
}

impl Answer {
    /// Returns whether the element may be there: false only where it certainly is not, so true for [`Answer::Missing`].
    ///
    /// ```
    /// use bloom_redis::Answer;
    ///
    /// assert!(!Answer::Absent.might_contain());
    /// assert!(Answer::MightContain.might_contain());
    /// assert!(Answer::Missing.might_contain());
    /// ```
    #[must_use]
    pub const fn might_contain(self) -> bool {
        !matches!(self, Self::Absent)
    }

    /// What is known when bits of the element are missing besides: a zero that was read settles it.
    pub(crate) const fn or_missing(self) -> Self {
        match self {
            Self::Absent => Self::Absent,
            Self::MightContain | Self::Missing => Self::Missing,
        }
    }
}
