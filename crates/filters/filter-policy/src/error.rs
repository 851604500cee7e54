//! The error type of the crate.

use core::fmt;

#[cfg(feature = "alloc")]
use alloc::{boxed::Box, format, string::String};

/// The reason why a filter could not be built, a size could not be computed, a name is no policy, or bytes are no
/// stored Parquet filter.
///
/// Querying stored filters never fails: any bytes have an answer.
///
/// | error | what to do |
/// |---|---|
/// | [`Policy`](Self::Policy) | see the reason; an engine stores `MATCHES_EVERYTHING` |
/// | [`BitsPerKeyNotANumber`](Self::BitsPerKeyNotANumber), [`BitsPerKeyOutOfRange`](Self::BitsPerKeyOutOfRange), [`OutOfDomain`](Self::OutOfDomain) | correct the argument |
/// | [`FilterTooLarge`](Self::FilterTooLarge), [`FilterBlockTooLarge`](Self::FilterBlockTooLarge) | fewer keys a filter, or fewer bits per key |
/// | [`BufferTooShort`](Self::BufferTooShort) | `max_filter_len` bytes are always enough |
/// | [`TooFewAnswers`](Self::TooFewAnswers) | `Answers::words_for` words are enough |
/// | [`AllocationFailed`](Self::AllocationFailed) | an engine stores `MATCHES_EVERYTHING` and goes on |
/// | [`RateUnreachable`](Self::RateUnreachable) | another format, or the rate that it names |
/// | [`KeyBeforeBlock`](Self::KeyBeforeBlock), [`BlockOffsetWentBack`](Self::BlockOffsetWentBack) | call the filter block's builder in file order |
/// | `BitsPerKeyAfterName` | correct the number |
/// | `UnknownPolicy` | read without the filter, or choose a policy of the list that the message has |
/// | [`ParquetHeader`](Self::ParquetHeader), [`UnknownToParquet`](Self::UnknownToParquet) | read the column chunk without its filter |
/// | [`BitsetLength`](Self::BitsetLength), [`Truncated`](Self::Truncated) | give the whole filter, or read without it |
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A policy's own reason why it cannot build a filter.
    #[error("{reason}")]
    Policy {
        /// The reason, as a sentence without a full stop.
        reason: &'static str,
    },
    /// The text is not a number of bits per key.
    #[error("bits per key must be a number such as 10 or 9.6")]
    BitsPerKeyNotANumber,
    /// The text after a policy's name is no number of bits per key.
    #[cfg(feature = "alloc")]
    #[error(
        "bits per key must be a number between 0 and {} after a colon, as in bloom64:10, got {}",
        u32::MAX,
        quoted(given)
    )]
    BitsPerKeyAfterName {
        /// The text.
        given: Box<str>,
    },
    /// No policy has the name.
    #[cfg(feature = "alloc")]
    #[error("policy name must be known, got {}: known are {known}", quoted(name))]
    UnknownPolicy {
        /// The unknown name.
        name: Box<str>,
        /// The names that are known, as a list.
        known: Box<str>,
    },
    /// The bits per key are not a number from 0 to 4,294,967,295.
    #[error("bits per key must be between 0 and {}, got {given}", u32::MAX)]
    BitsPerKeyOutOfRange {
        /// The value given.
        given: f64,
    },
    /// The filter would be larger than its format or this platform allows.
    #[error("filter must have at most {most} keys at {bits_per_key} bits per key, got {keys}")]
    FilterTooLarge {
        /// The number of keys.
        keys: u64,
        /// The highest number of keys at these bits per key.
        most: u64,
        /// The number of bits per key.
        bits_per_key: f64,
    },
    /// The caller's slice cannot hold the filter.
    #[error("buffer must be at least {needed} bytes, got {given}")]
    BufferTooShort {
        /// The length of the filter in bytes.
        needed: usize,
        /// The length of the slice in bytes.
        given: usize,
    },
    /// The caller's slice has too few words for the answers.
    #[error("answers must be at least {needed} words of 64 bits, got {given}")]
    TooFewAnswers {
        /// The number of words that the answers need.
        needed: usize,
        /// The number of words in the slice.
        given: usize,
    },
    /// The allocator refused the memory.
    #[error("cannot allocate {bytes} bytes")]
    AllocationFailed {
        /// The number of bytes requested.
        bytes: usize,
    },
    /// An argument of a sizing function lies outside its domain.
    #[error("{what} must be {allowed}, got {given}")]
    OutOfDomain {
        /// The name of the argument, in words.
        what: &'static str,
        /// The value given.
        given: f64,
        /// The allowed values, in words.
        allowed: &'static str,
    },
    /// No number of bits per key reaches the rate in this format.
    #[error(
        "false-positive rate must be at least {lowest:.3e} for this format and number of keys, got {given:e}"
    )]
    RateUnreachable {
        /// The requested false-positive rate.
        given: f64,
        /// The lowest rate that the format reaches for this number of keys.
        lowest: f64,
    },
    /// A key was added to a filter block before any data block was started.
    #[error("start_block must be called before add_key")]
    KeyBeforeBlock,
    /// A data block was started at a lower offset than the previous data block.
    #[error("data block offset must be at least {last}, the offset of the previous block, got {given}")]
    BlockOffsetWentBack {
        /// The offset that the caller gave.
        given: u64,
        /// The offset of the previous data block.
        last: u64,
    },
    /// The filter block would be too large for its 32-bit offsets.
    #[error("filter block must be at most {} bytes, got {bytes}", u32::MAX)]
    FilterBlockTooLarge {
        /// The length of the filter block in bytes.
        bytes: u64,
    },
    /// The header of a Parquet filter is cut short, is not in Thrift's compact encoding, or lacks one of its parts.
    #[error("filter header must be a complete Thrift struct, got damaged or cut bytes")]
    ParquetHeader,
    /// The header of a Parquet filter names an unknown algorithm, hash function or compression, or none.
    #[error(fmt = unknown_to_parquet)]
    UnknownToParquet {
        /// The name of the field.
        what: &'static str,
        /// The number found; the known number in Parquet's definition is 1. It is 0 if the header names none.
        number: i16,
    },
    /// The length of a Parquet filter's bit set is not a valid one.
    #[error("length of a filter's bit set must be a multiple of 32 between 32 and 2147483616, got {given}")]
    BitsetLength {
        /// The length in bytes.
        given: i64,
    },
    /// The bit set of a Parquet filter extends beyond the given bytes.
    #[error("filter must be at least {needed} bytes, got {given}")]
    Truncated {
        /// The length of header and bit set in bytes.
        needed: u64,
        /// The number of bytes given.
        given: u64,
    },
}

// The error is part of the result of every filter that is built.
const _: () = assert!(size_of::<Error>() <= 48);

fn unknown_to_parquet(what: &&str, number: &i16, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match number {
        0 => write!(f, "filter's header names no {what}"),
        _ => write!(f, "filter's {what} must be number 1, got {number}"),
    }
}

/// Quotes a text from a user or a table, of which a long one is cut.
#[cfg(feature = "alloc")]
pub(crate) fn quoted(text: &str) -> String {
    match text.char_indices().nth(200) {
        Some((end, _)) => format!("{:?}... ({} bytes)", &text[..end], text.len()),
        None => format!("{text:?}"),
    }
}

/// Returns the error for an argument outside of its domain, whose name and domain are in words.
pub(crate) const fn outside(what: &'static str, given: f64, allowed: &'static str) -> Error {
    Error::OutOfDomain { what, given, allowed }
}
