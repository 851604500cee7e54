//! What can go wrong, one type a concern.

use core::fmt;

use guava_bloom::ParameterError;

use crate::limits::{
    MAX_COUNTER_BITS, MAX_FINGERPRINT_BITS, MAX_GROWTH, MIN_COUNTER_BITS, MIN_FINGERPRINT_BITS,
};

/// Why a filter cannot be made as asked.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum BuildError {
    /// The parameters of a Bloom filter are wrong, or there is no memory for it.
    Bloom(ParameterError),
    /// The false-positive probability is not a number above 0 and below 1.
    FppOutOfRange {
        /// What the caller gave.
        given: f64,
    },
    /// Not even the widest fingerprint, or the largest first link, reaches the false-positive probability.
    FppUnreachable {
        /// What the caller gave.
        given: f64,
        /// The lowest that can be reached.
        lowest: f64,
    },
    /// No fingerprint has this many bits.
    FingerprintBits {
        /// What the caller gave.
        given: u8,
    },
    /// No counter has this many bits.
    CounterBits {
        /// What the caller gave.
        given: u8,
    },
    /// The factor between the capacities of neighbouring links is wrong.
    Growth {
        /// What the caller gave.
        given: u32,
    },
    /// A growing filter that starts this small cannot keep the false-positive probability.
    CapacityTooSmall {
        /// What the caller gave.
        given: u64,
        /// The smallest capacity that keeps it.
        least: u64,
        /// The false-positive probability.
        fpp: f64,
    },
    /// The factor between the false-positive probabilities of neighbouring links is wrong.
    Tightening {
        /// What the caller gave.
        given: f64,
    },
    /// The filter is larger than this platform can address.
    TooLarge {
        /// The bytes that it would take.
        bytes: u128,
    },
    /// The allocator refused the memory.
    AllocationFailed {
        /// How many bytes were asked for.
        bytes: u64,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Bloom(ref error) => error.fmt(f),
            Self::FppOutOfRange { given } => write!(
                f,
                "the false-positive probability is {given}, allowed are numbers above 0 and below 1"
            ),
            Self::FppUnreachable { given, lowest } => write!(
                f,
                "the false-positive probability is {given:e}, the lowest that can be reached is {lowest:e}"
            ),
            Self::FingerprintBits { given } => write!(
                f,
                "fingerprints have {given} bits, allowed are {MIN_FINGERPRINT_BITS} to {MAX_FINGERPRINT_BITS}"
            ),
            Self::CounterBits { given } => write!(
                f,
                "counters have {given} bits, allowed are {MIN_COUNTER_BITS} to {MAX_COUNTER_BITS}"
            ),
            Self::Growth { given } => write!(
                f,
                "capacities grow by the factor {given}, allowed are 1 to {MAX_GROWTH}"
            ),
            Self::CapacityTooSmall { given, least, fpp } => write!(
                f,
                "the capacity is {given}, allowed is at least {least} at a false-positive probability of {fpp}"
            ),
            Self::Tightening { given } => write!(
                f,
                "false-positive probabilities shrink by the factor {given}, allowed are numbers from 0.1 to below 1"
            ),
            Self::TooLarge { bytes } => write!(
                f,
                "the filter would take {bytes} bytes, allowed are at most {}",
                isize::MAX
            ),
            Self::AllocationFailed { bytes } => write!(f, "no memory for {bytes} bytes"),
        }
    }
}

impl core::error::Error for BuildError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Bloom(error) => error.source(),
            _ => None,
        }
    }
}

impl From<ParameterError> for BuildError {
    fn from(error: ParameterError) -> Self {
        Self::Bloom(error)
    }
}

/// Why an element was not inserted. The filter is as before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum InsertError {
    /// No room was found. The filter needs removals, or to be built anew with more capacity.
    Full {
        /// Elements in the filter, copies counted.
        items: u64,
        /// Slots of the filter.
        slots: u64,
    },
    /// All slots that the element could take hold its fingerprint: of copies of it, for which more capacity does not
    /// help, or, where fingerprints are of few bits, of others that look the same.
    TooManyCopies {
        /// How many copies of a fingerprint fit.
        copies: u8,
    },
}

impl fmt::Display for InsertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full { items, slots } => {
                write!(
                    f,
                    "no room for another element: {items} of {slots} slots are taken"
                )
            }
            Self::TooManyCopies { copies } => write!(
                f,
                "no room for another copy: the element's fingerprint is there {copies} times, allowed are {copies}"
            ),
        }
    }
}

impl core::error::Error for InsertError {}

/// Why bytes are not a filter.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// The bytes do not start like a filter of this kind.
    Magic {
        /// How such a filter starts.
        expected: [u8; 8],
        /// How these bytes start.
        found: [u8; 8],
    },
    /// The bytes are of another version of the format.
    Version {
        /// The version that this crate reads.
        supported: u8,
        /// The version that the bytes state.
        found: u8,
    },
    /// A field has a value that none of our filters has.
    Field {
        /// The field, as `FORMAT.md` names it.
        name: &'static str,
        /// Its value.
        found: u64,
        /// The values that are allowed, in words.
        allowed: &'static str,
    },
    /// A field of the type double has a value that none of our filters has.
    Real {
        /// The field, as `FORMAT.md` names it.
        name: &'static str,
        /// Its value.
        found: f64,
        /// The values that are allowed, in words.
        allowed: &'static str,
    },
    /// A field says something else than the contents.
    Contradiction {
        /// The field, as `FORMAT.md` names it.
        name: &'static str,
        /// What it states.
        stated: u64,
        /// The least value that the contents allow.
        least: u64,
        /// The largest value that the contents allow.
        most: u64,
    },
    /// The bytes were changed since they were written.
    Checksum {
        /// The checksum that they state.
        stated: u64,
        /// The checksum that they have.
        computed: u64,
    },
    /// The filter goes on behind the last byte.
    Truncated {
        /// How many bytes it has at least.
        needed: u128,
        /// How many there are.
        found: u64,
    },
    /// Bytes follow behind the filter.
    Trailing {
        /// How many bytes the filter has.
        filter: u64,
        /// How many were given.
        found: u64,
    },
    /// The filter is larger than this platform can address.
    TooLarge {
        /// The bytes that it would take.
        bytes: u128,
    },
    /// The allocator refused the memory for bytes that are there.
    AllocationFailed {
        /// How many bytes were asked for.
        bytes: u64,
    },
    /// The reader failed.
    #[cfg(feature = "std")]
    Io(std::io::Error),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic { expected, found } => write!(
                f,
                "the bytes start with \"{}\", a filter of this kind with \"{}\"",
                found.escape_ascii(),
                expected.escape_ascii()
            ),
            Self::Version { supported, found } => {
                write!(f, "the bytes are of version {found}, supported is {supported}")
            }
            Self::Field { name, found, allowed } => write!(f, "{name} is {found}, allowed is {allowed}"),
            Self::Real { name, found, allowed } => write!(f, "{name} is {found}, allowed is {allowed}"),
            Self::Contradiction {
                name,
                stated,
                least,
                most,
            } if least == most => write!(f, "{name} is {stated}, the contents say {least}"),
            Self::Contradiction {
                name,
                stated,
                least,
                most,
            } => write!(f, "{name} is {stated}, the contents allow {least} to {most}"),
            Self::Checksum { stated, computed } => write!(
                f,
                "the bytes are damaged: their checksum is {computed:016x}, they state {stated:016x}"
            ),
            Self::Truncated { needed, found } => {
                write!(f, "the filter has at least {needed} bytes, {found} are there")
            }
            Self::Trailing { filter, found } => {
                write!(f, "the filter has {filter} bytes, {found} were given")
            }
            Self::TooLarge { bytes } => write!(
                f,
                "the filter would take {bytes} bytes, allowed are at most {}",
                isize::MAX
            ),
            Self::AllocationFailed { bytes } => write!(f, "no memory for {bytes} bytes"),
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
