//! Parquet values and their hashes.

use hashzoo::xxh64;

/// A value of one of Parquet's physical types.
///
/// A filter holds the plain encoding of a value, so a number is identified by its bits: `0.0` and `-0.0` are two
/// values, and every bit pattern of a NaN is another value. (The format does not define equality, see parquet-format
/// #407; parquet-java, Arrow C++ and arrow-rs write the bits.) Logical types do not matter: a four-byte decimal, a date
/// and an unsigned 32-bit number are `Int32`, a UUID is `FixedLenByteArray`. Writers make no filters of booleans.
///
/// ```
/// use filter_formats::parquet::{PhysicalValue, SplitBlockBloomPolicy};
/// use filter_policy::{BitsPerKey, HashedPolicy};
///
/// // A policy's key is the plain encoding.
/// let policy = SplitBlockBloomPolicy::new(BitsPerKey::whole(10));
/// assert_eq!(PhysicalValue::ByteArray(b"key").hash(), policy.hash_key(b"key"));
/// assert_eq!(PhysicalValue::Double(0.5).hash(), policy.hash_key(&0.5_f64.to_le_bytes()));
/// assert_ne!(PhysicalValue::Int32(7).hash(), PhysicalValue::Int64(7).hash());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum PhysicalValue<'a> {
    /// INT32.
    Int32(i32),
    /// INT64.
    Int64(i64),
    /// FLOAT.
    Float(f32),
    /// DOUBLE.
    Double(f64),
    /// BYTE_ARRAY, without the length that is stored before it in pages.
    ByteArray(&'a [u8]),
    /// FIXED_LEN_BYTE_ARRAY, and the twelve bytes of the old INT96.
    FixedLenByteArray(&'a [u8]),
}

impl PhysicalValue<'_> {
    /// Returns the hash value that a filter holds: XXH64 of the plain encoding, with seed 0.
    #[inline]
    pub const fn hash(self) -> u64 {
        match self {
            Self::Int32(value) => xxh64(&value.to_le_bytes(), 0),
            Self::Int64(value) => xxh64(&value.to_le_bytes(), 0),
            Self::Float(value) => xxh64(&value.to_le_bytes(), 0),
            Self::Double(value) => xxh64(&value.to_le_bytes(), 0),
            Self::ByteArray(value) | Self::FixedLenByteArray(value) => xxh64(value, 0),
        }
    }

    /// Returns the hash values under which an equal value may be stored: two for a zero, unknown for a NaN.
    pub(super) fn equals(self) -> Equals {
        match self {
            Self::Float(value) if value.is_nan() => Equals::Unknown,
            Self::Double(value) if value.is_nan() => Equals::Unknown,
            // The pattern matches both signs.
            Self::Float(0.0) => Equals::Both(Self::Float(0.0).hash(), Self::Float(-0.0).hash()),
            Self::Double(0.0) => Equals::Both(Self::Double(0.0).hash(), Self::Double(-0.0).hash()),
            _ => Equals::One(self.hash()),
        }
    }
}

/// The hash values under which an equal value may be stored.
pub(super) enum Equals {
    One(u64),
    Both(u64, u64),
    Unknown,
}
