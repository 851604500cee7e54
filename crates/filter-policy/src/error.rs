//! What can go wrong, in one type.

use core::fmt;

/// Why a filter could not be built or a size could not be computed.
///
/// Reading stored bytes never fails: every malformed filter has a documented answer (see
/// [`FilterView`](crate::FilterView)).
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The bits per key are not a number from 0 to 4,294,967,295.
    BitsPerKeyOutOfRange {
        /// What the caller gave.
        given: f64,
    },
    /// The filter would be larger than this platform can address.
    FilterTooLarge {
        /// How many keys the filter was for.
        keys: u64,
        /// At how many bits per key.
        bits_per_key: f64,
    },
    /// The caller's slice cannot hold the filter.
    BufferTooShort {
        /// Bytes that the filter takes.
        needed: usize,
        /// Bytes that the slice has.
        given: usize,
    },
    /// The caller's slice has too few words for the answers.
    TooFewAnswers {
        /// Words that the answers take.
        needed: usize,
        /// Words that the slice has.
        given: usize,
    },
    /// The allocator refused the memory.
    AllocationFailed {
        /// How many bytes were asked for.
        bytes: usize,
    },
    /// An argument of a sizing function lies outside its domain.
    OutOfDomain {
        /// The argument's meaning.
        what: &'static str,
        /// What the caller gave.
        given: f64,
        /// The values that have a meaning, in words.
        allowed: &'static str,
    },
    /// No bits per key reach the rate in this format.
    RateUnreachable {
        /// The false-positive rate that was asked for.
        given: f64,
        /// The lowest rate that the format reaches for this number of keys.
        lowest: f64,
    },
    /// A key was added to a filter block before any data block was started.
    KeyBeforeBlock,
    /// A data block was started in front of the one before it.
    BlockOffsetWentBack {
        /// The offset that the caller gave.
        given: u64,
        /// The offset of the data block before.
        last: u64,
    },
    /// The filter block would be larger than its own offsets can tell.
    FilterBlockTooLarge {
        /// The bytes that it would take.
        bytes: u64,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::BitsPerKeyOutOfRange { given } => {
                write!(f, "bits per key are {given}, allowed are 0 to {}", u32::MAX)
            }
            Self::FilterTooLarge { keys, bits_per_key } => write!(
                f,
                "a filter for {keys} keys at {bits_per_key} bits per key is too large, allowed are at most {} bytes",
                usize::MAX
            ),
            Self::BufferTooShort { needed, given } => {
                write!(f, "the filter takes {needed} bytes, the buffer has {given}")
            }
            Self::TooFewAnswers { needed, given } => {
                write!(
                    f,
                    "the answers take {needed} words of 64 bits, the slice has {given}"
                )
            }
            Self::AllocationFailed { bytes } => write!(f, "no memory for {bytes} bytes"),
            Self::OutOfDomain { what, given, allowed } => {
                write!(f, "{what} is {given}, allowed is {allowed}")
            }
            Self::RateUnreachable { given, lowest } => write!(
                f,
                "no bits per key reach the false-positive rate {given:e}, the lowest for these keys is {lowest:.3e}"
            ),
            Self::KeyBeforeBlock => write!(
                f,
                "a key was added before a data block was started, allowed is (start_block add_key*)* finish"
            ),
            Self::BlockOffsetWentBack { given, last } => write!(
                f,
                "a data block starts at offset {given}, allowed is {last}, where the one before it starts, or more"
            ),
            Self::FilterBlockTooLarge { bytes } => write!(
                f,
                "the filter block would take {bytes} bytes, allowed are at most {}",
                u32::MAX
            ),
        }
    }
}

impl core::error::Error for Error {}
