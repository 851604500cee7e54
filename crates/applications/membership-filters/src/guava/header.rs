//! The header of a stream, and the limits that it imposes.
//!
//! Knows nothing of filters.

use core::fmt;

use crate::bits::{MAX_WORD_COUNT, WORD};
use crate::error::{Error, Violation};
use crate::guava::strategy::Strategy;

/// The largest probe count, which the stream stores in one byte.
pub(crate) const MAX_PROBE_COUNT: u8 = u8::MAX;

/// The header of Guava's stream: the six bytes before the words. Its values need not be valid.
///
/// ```
/// use membership_filters::Utf8;
/// use membership_filters::guava::{BloomFilter, StreamHeader};
///
/// let filter = BloomFilter::with_capacity(Utf8, 1, 0.01)?;
/// let (header, words) = filter.into_parts();
/// assert_eq!(header, StreamHeader { ordinal: 1, probe_count: 7, word_count: 1 });
/// assert_eq!(words, [0]);
/// # Ok::<(), membership_filters::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamHeader {
    /// The strategy's ordinal.
    pub ordinal: i8,
    /// The probe count.
    pub probe_count: u8,
    /// The number of words that follow.
    pub word_count: i32,
}

impl StreamHeader {
    /// The length of a header in bytes.
    pub(crate) const LEN: usize = 6;

    /// Returns the header of a filter of these words, which were filled under this strategy with this probe count.
    #[must_use]
    pub fn new<W>(strategy: Strategy, probe_count: u32, words: &[W]) -> Self {
        Self {
            ordinal: strategy.ordinal().cast_signed(),
            probe_count: u8::try_from(probe_count).unwrap_or(MAX_PROBE_COUNT),
            word_count: i32::try_from(words.len()).unwrap_or(i32::MAX),
        }
    }

    /// Decodes a header without checking its values.
    pub(crate) const fn from_bytes(bytes: [u8; Self::LEN]) -> Self {
        let [ordinal, probe_count, a, b, c, d] = bytes;
        Self {
            ordinal: ordinal.cast_signed(),
            probe_count,
            word_count: i32::from_be_bytes([a, b, c, d]),
        }
    }

    /// Returns the bytes of this header.
    pub(crate) const fn to_bytes(self) -> [u8; Self::LEN] {
        let [a, b, c, d] = self.word_count.to_be_bytes();
        [self.ordinal.cast_unsigned(), self.probe_count, a, b, c, d]
    }

    /// Returns the length in bytes of a stream with this header: 6, plus 8 per word.
    pub(crate) const fn stream_len(self) -> u64 {
        Self::LEN as u64 + self.word_count.unsigned_abs() as u64 * WORD as u64
    }

    /// Returns the strategy and the number of words, if a filter can have these values.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidField`] names the first field with a value that no filter has.
    pub(crate) fn validate(self) -> Result<(Strategy, u32), Error> {
        let invalid = |field, range, got: i64| {
            let got = format_args!("{got} (header: {self})");
            Err(Error::InvalidField(Violation::new(field, range, got)))
        };
        let Some(strategy) = Strategy::from_ordinal(self.ordinal.cast_unsigned()) else {
            return invalid("the strategy ordinal", "0 or 1", self.ordinal.into());
        };
        if self.probe_count == 0 {
            return invalid("the probe count", "between 1 and 255", 0);
        }
        match u32::try_from(self.word_count) {
            Ok(words @ 1..=MAX_WORD_COUNT) => Ok((strategy, words)),
            _ => invalid(
                "the word count",
                "between 1 and 2147483647",
                self.word_count.into(),
            ),
        }
    }
}

impl fmt::Display for StreamHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ordinal, probes, words) = (self.ordinal, self.probe_count, self.word_count);
        write!(
            f,
            "strategy ordinal {ordinal}, probe count {probes}, word count {words}"
        )
    }
}
