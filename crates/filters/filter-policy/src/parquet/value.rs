//! Parquet values and their hashes.

use hashzoo::xxh64;

/// A value of one of Parquet's physical types, which must be the column's: `Int64(7)` is never in the filter of a
/// column of the type INT32, which does not state its type.
///
/// A filter holds the plain encoding of a value, so a number is identified by its bits: `0.0` and `-0.0` are two
/// values, and every bit pattern of a NaN is another value. (The format does not define equality, see parquet-format
/// #407; parquet-java, Arrow C++ and arrow-rs write the bits.) The filter knows no logical types, so a value must be given as
/// its column stores it: a date is the `Int32` of days since 1970, a timestamp the `Int64` of the column's unit, and a
/// number without a sign has the bits of one with a sign. A UUID is a `FixedLenByteArray`, and so is a FLOAT16 in two
/// bytes, the lowest first, of which both zeros must be looked up. Writers make no filters of booleans.
///
/// A decimal is its unscaled number in what stores it: `Int32`, `Int64`, or bytes, big-endian and in two's complement.
/// In a `FixedLenByteArray` these are as many as the schema says, in a `ByteArray` usually the fewest that hold the
/// number. Since the format does not demand the fewest, look up the longer forms, too.
///
/// ```
/// use filter_policy::parquet::{PhysicalValue, ParquetPolicy};
/// use filter_policy::{BitsPerKey, Format};
///
/// // A policy's key is the plain encoding.
/// let policy = ParquetPolicy::new(BitsPerKey::whole(10));
/// let policy = policy.format();
/// assert_eq!(PhysicalValue::ByteArray(b"key").hash(), policy.hash(b"key"));
/// assert_eq!(PhysicalValue::Double(0.5).hash(), policy.hash(&0.5_f64.to_le_bytes()));
/// assert_ne!(PhysicalValue::Int32(7).hash(), PhysicalValue::Int64(7).hash());
///
/// // 1.28 with a scale of 2, in five bytes.
/// let decimal = 128_i128.to_be_bytes();
/// assert_eq!(decimal[16 - 5..], [0, 0, 0, 0, 128]);
/// let _hash = PhysicalValue::FixedLenByteArray(&decimal[16 - 5..]).hash();
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

    /// Returns the hash values under which an equal value may be stored, twice the same unless it is a zero; `None` for
    /// a NaN, whose bits are unknown.
    pub(super) fn equals(self) -> Option<[u64; 2]> {
        match self {
            Self::Float(value) if value.is_nan() => None,
            Self::Double(value) if value.is_nan() => None,
            // The pattern matches both signs.
            Self::Float(0.0) => Some([0.0, -0.0].map(|zero| Self::Float(zero).hash())),
            Self::Double(0.0) => Some([0.0, -0.0].map(|zero| Self::Double(zero).hash())),
            _ => Some([self.hash(); 2]),
        }
    }
}
