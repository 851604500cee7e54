//! The errors of reading a stored filter.

use core::fmt;

use super::policy::MAX_LEN;

/// The reason why bytes are not a stored Parquet filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadError {
    /// The header is cut short, is not in Thrift's compact encoding, or lacks one of its parts.
    Header,
    /// The header names an unknown algorithm, hash function or compression.
    Unknown {
        /// The name of the field.
        what: &'static str,
        /// The number found; the known number in Parquet's definition is 1.
        number: i16,
    },
    /// The length of the bit set is not a valid one.
    Length {
        /// The length in bytes.
        given: i64,
    },
    /// The bit set extends beyond the given bytes.
    Truncated {
        /// The length of header and bit set in bytes.
        needed: u64,
        /// The number of bytes given.
        given: u64,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header => {
                f.write_str("filter header must be a complete Thrift struct, got damaged or cut bytes")
            }
            Self::Unknown { what, number } => write!(f, "filter's {what} must be number 1, got {number}"),
            Self::Length { given } => write!(
                f,
                "length of a filter's bit set must be a multiple of 32 between 32 and {}, got {given}",
                MAX_LEN
            ),
            Self::Truncated { needed, given } => {
                write!(f, "filter must be at least {needed} bytes, got {given}")
            }
        }
    }
}

impl core::error::Error for ReadError {}
