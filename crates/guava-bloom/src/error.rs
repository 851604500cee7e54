//! What can go wrong, one type a concern.

use alloc::string::String;
use core::fmt;

use crate::header::{MAX_PROBES, MAX_WORDS, StreamHeader};
use crate::strategy::Strategy;

/// Why a filter cannot have these parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum ParameterError {
    /// The expected insertions are negative or more than a Java `long` holds.
    InsertionsOutOfRange {
        /// What the caller gave.
        given: i128,
    },
    /// The false-positive probability is not a number above 0 and below 1.
    FppOutOfRange {
        /// What the caller gave.
        given: f64,
    },
    /// So few insertions at so high a probability that not even one bit is needed; Guava refuses them as well.
    NoBits {
        /// The expected insertions, 0 counted as 1.
        insertions: u64,
        /// The false-positive probability.
        fpp: f64,
    },
    /// The filter would have more bits than a Java array of `long`s.
    TooManyBits {
        /// The expected insertions.
        insertions: u64,
        /// The false-positive probability.
        fpp: f64,
        /// The bits that the formula gives.
        bits: u64,
    },
    /// The probe count does not fit into the byte that stores it.
    TooManyProbes {
        /// The probe count that the formula gives.
        probes: u64,
        /// The false-positive probability.
        fpp: f64,
    },
    /// A probe count of 0, under which everything would be contained.
    NoProbes,
    /// Words of a filter that has none, or more than a Java array can have.
    WordCount {
        /// What the caller gave.
        given: u64,
    },
    /// The allocator refused the memory.
    OutOfMemory {
        /// How many bytes were asked for.
        bytes: u64,
    },
}

impl fmt::Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::InsertionsOutOfRange { given } => {
                write!(
                    f,
                    "expected insertions are {given}, allowed are 0 to {}",
                    i64::MAX
                )
            }
            Self::FppOutOfRange { given } => write!(
                f,
                "the false-positive probability is {given:?}, allowed are numbers above 0 and below 1"
            ),
            Self::NoBits { insertions, fpp } => write!(
                f,
                "expected insertions {insertions} and false-positive probability {fpp:?} give a filter of 0 bits, allowed is \
                 at least 1"
            ),
            Self::TooManyBits {
                insertions,
                fpp,
                bits,
            } => write!(
                f,
                "expected insertions {insertions} and false-positive probability {fpp:?} give a filter of {bits} bits, \
                 allowed are at most {}",
                u64::from(MAX_WORDS) * 64
            ),
            Self::TooManyProbes { probes, fpp } => write!(
                f,
                "the false-positive probability {fpp:?} gives {probes} probes, allowed are at most {MAX_PROBES}"
            ),
            Self::NoProbes => write!(f, "the probe count is 0, allowed are 1 to {MAX_PROBES}"),
            Self::WordCount { given } => {
                write!(
                    f,
                    "the filter has {given} words of 64 bits, allowed are 1 to {MAX_WORDS}"
                )
            }
            Self::OutOfMemory { bytes } => write!(f, "no memory for a filter of {bytes} bytes"),
        }
    }
}

impl core::error::Error for ParameterError {}

/// Why two filters cannot be combined: the first difference, with both values.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Incompatible {
    /// The probe counts differ.
    Probes {
        /// Of the filter that was to be changed or asked.
        ours: u8,
        /// Of the other.
        theirs: u8,
    },
    /// The numbers of bits differ.
    BitSize {
        /// Of the filter that was to be changed or asked.
        ours: u64,
        /// Of the other.
        theirs: u64,
    },
    /// The strategies differ.
    Strategy {
        /// Of the filter that was to be changed or asked.
        ours: Strategy,
        /// Of the other.
        theirs: Strategy,
    },
    /// The funnels differ.
    Funnel {
        /// Of the filter that was to be changed or asked, in `Debug` form.
        ours: String,
        /// Of the other.
        theirs: String,
    },
}

impl fmt::Display for Incompatible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the filters cannot be combined: ")?;
        match self {
            Self::Probes { ours, theirs } => write!(f, "{ours} probes here, {theirs} in the other"),
            Self::BitSize { ours, theirs } => write!(f, "{ours} bits here, {theirs} in the other"),
            Self::Strategy { ours, theirs } => write!(f, "strategy {ours} here, {theirs} in the other"),
            Self::Funnel { ours, theirs } => write!(f, "funnel {ours} here, {theirs} in the other"),
        }
    }
}

impl core::error::Error for Incompatible {}

/// All bits are ones: the filter cannot tell how many elements it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Saturated {
    /// Bits of the filter.
    pub bit_size: u64,
}

impl fmt::Display for Saturated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "all {} bits of the filter are set: any number of elements could be in it",
            self.bit_size
        )
    }
}

impl core::error::Error for Saturated {}

/// Why bytes are not a filter.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// The stream ended within the header.
    HeaderCut {
        /// The bytes that were there.
        found: usize,
    },
    /// No strategy has this ordinal.
    UnknownStrategy(StreamHeader),
    /// The probe count is 0.
    NoProbes(StreamHeader),
    /// The word count is 0 or negative.
    WordCount(StreamHeader),
    /// The stream ended within the words.
    WordsCut {
        /// What the header says.
        header: StreamHeader,
        /// The bytes behind the header that were there.
        found: u64,
    },
    /// The allocator refused the memory for words that are there.
    OutOfMemory {
        /// What the header says.
        header: StreamHeader,
    },
    /// The reader failed.
    #[cfg(feature = "std")]
    Io(std::io::Error),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HeaderCut { found } => write!(
                f,
                "the filter ends after {found} bytes, within its header of {} bytes",
                StreamHeader::LEN
            ),
            Self::UnknownStrategy(header) => {
                write!(
                    f,
                    "the strategy ordinal is neither 0 nor 1: the header says {header}"
                )
            }
            Self::NoProbes(header) => {
                write!(
                    f,
                    "the probe count is not 1 to {MAX_PROBES}: the header says {header}"
                )
            }
            Self::WordCount(header) => {
                write!(
                    f,
                    "the word count is not 1 to {MAX_WORDS}: the header says {header}"
                )
            }
            Self::WordsCut { header, found } => write!(
                f,
                "the filter ends after {found} of {} bytes behind its header: the header says {header}",
                u64::from(header.words.unsigned_abs()) * 8
            ),
            Self::OutOfMemory { header } => write!(
                f,
                "no memory for a filter of {} bytes: the header says {header}",
                u64::from(header.words.unsigned_abs()) * 8
            ),
            #[cfg(feature = "std")]
            Self::Io(error) => write!(f, "reading the filter failed: {error}"),
        }
    }
}

impl core::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            #[cfg(feature = "std")]
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}
