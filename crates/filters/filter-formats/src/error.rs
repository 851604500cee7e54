//! The error type of names and of stored Parquet filters.

#[cfg(feature = "alloc")]
use alloc::{format, string::String};

#[cfg(feature = "alloc")]
use filter_policy::BitsPerKey;

/// The reason why a name is no policy, or bytes are no stored Parquet filter.
///
/// Policies, sizes and rates have the errors of `filter-policy`, of which `?` makes an [`Error::Policy`]. Querying stored
/// filters never fails.
///
/// | error | returned by | what to do |
/// |---|---|---|
/// | [`Policy`](Self::Policy) | `?` | see [`filter_policy::Error`] |
/// | `BitsPerKey` | `policies::parse` | correct the number |
/// | `UnknownPolicy` | `policies::parse`, `by_name`, `reader` | read without the filter, or choose one of the list |
/// | `NameTaken` | `Registry::register` | choose another name: two encodings under one name deny stored keys |
/// | [`Header`](Self::Header), [`Unknown`](Self::Unknown) | `Header::read`, `SplitBlockFilter::read` | read the column chunk without its filter |
/// | [`BitsetLength`](Self::BitsetLength), [`Truncated`](Self::Truncated) | these, and `new` | give the whole filter, or read without it |
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of `filter-policy`, whose message this one has.
    #[error(transparent)]
    Policy(#[from] filter_policy::Error),
    /// No policy has the name.
    #[cfg(feature = "alloc")]
    #[error("policy name must be known, got {}: known are {known}", quoted(name))]
    UnknownPolicy {
        /// The unknown name.
        name: String,
        /// The names that are known, as a list.
        known: String,
    },
    /// The text after a policy's name is no number of bits per key.
    #[cfg(feature = "alloc")]
    #[error(
        "bits per key must be a number between 0 and {} after a colon, as in bloom64:10, got {}",
        BitsPerKey::MAX,
        quoted(given)
    )]
    BitsPerKey {
        /// The text.
        given: String,
    },
    /// A policy cannot be registered under a name that is known already.
    #[cfg(feature = "alloc")]
    #[error(
        "policy name must be new, got {}, which is that of another policy",
        quoted(name)
    )]
    NameTaken {
        /// The name.
        name: String,
    },
    /// The header of a Parquet filter is cut short, is not in Thrift's compact encoding, or lacks one of its parts.
    #[error("filter header must be a complete Thrift struct, got damaged or cut bytes")]
    Header,
    /// The header of a Parquet filter names an unknown algorithm, hash function or compression.
    #[error("filter's {what} must be number 1, got {number}")]
    Unknown {
        /// The name of the field.
        what: &'static str,
        /// The number found; the known number in Parquet's definition is 1.
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

/// Quotes a text from a user or a table, of which a long one is cut.
#[cfg(feature = "alloc")]
fn quoted(text: &str) -> String {
    match text.char_indices().nth(200) {
        Some((end, _)) => format!("{:?}... ({} bytes)", &text[..end], text.len()),
        None => format!("{text:?}"),
    }
}

/// Returns the error for an argument outside of its domain, whose name and domain are in words.
pub(crate) const fn outside(what: &'static str, given: f64, allowed: &'static str) -> filter_policy::Error {
    filter_policy::Error::OutOfDomain { what, given, allowed }
}
