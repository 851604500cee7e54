//! The header of a stream, and the limits that it sets.
//!
//! Knows nothing of filters.

use core::fmt;

use crate::strategy::Strategy;

/// The largest probe count: the stream holds it in one byte.
pub const MAX_PROBES: u8 = u8::MAX;

/// The largest number of 64-bit words: a Java array has no more elements.
pub const MAX_WORDS: u32 = i32::MAX as u32;

/// Bytes of a word in the stream.
pub(crate) const WORD: usize = 8;

/// The six bytes in front of the words, as they are: possibly values that no filter has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamHeader {
    /// The strategy's ordinal.
    pub ordinal: i8,
    /// The probe count.
    pub probes: u8,
    /// How many words follow.
    pub words: i32,
}

impl StreamHeader {
    /// Bytes of a header.
    pub const LEN: usize = 6;

    /// The header of a filter, which has at most `MAX_WORDS` words.
    pub(crate) fn of(strategy: Strategy, probes: u8, words: usize) -> Self {
        Self {
            ordinal: strategy.ordinal().cast_signed(),
            probes,
            words: i32::try_from(words).unwrap_or(i32::MAX),
        }
    }

    /// The header of these bytes.
    pub const fn from_bytes(bytes: [u8; Self::LEN]) -> Self {
        let [ordinal, probes, a, b, c, d] = bytes;
        Self {
            ordinal: ordinal.cast_signed(),
            probes,
            words: i32::from_be_bytes([a, b, c, d]),
        }
    }

    /// The bytes of this header.
    pub const fn to_bytes(self) -> [u8; Self::LEN] {
        let [a, b, c, d] = self.words.to_be_bytes();
        [self.ordinal.cast_unsigned(), self.probes, a, b, c, d]
    }

    /// Bytes of a stream with this header: 6 and 8 for each word.
    pub const fn stream_len(self) -> u64 {
        Self::LEN as u64 + self.words.unsigned_abs() as u64 * WORD as u64
    }
}

impl fmt::Display for StreamHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "strategy ordinal {}, {} probes, {} words",
            self.ordinal, self.probes, self.words
        )
    }
}
