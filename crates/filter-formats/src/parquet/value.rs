//! Parquet values and their hashes.

use hashzoo::xxh64;

/// A value of one of Parquet's physical types.
///
/// A filter holds the plain encoding of a value, so a number is identified by its bits: `0.0` and `-0.0` are two
/// values, and every bit pattern of a NaN is another value. (The format does not define equality, see parquet-format
/// #407; parquet-java, Arrow C++ and arrow-rs write the bits.) Logical types do not matter: a date
/// and an unsigned 32-bit number are `Int32`, a UUID is `FixedLenByteArray`, and a decimal is what stores it, see
/// [`DecimalBytes`]. Writers make no filters of booleans.
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

    /// Returns the hash values under which an equal value may be stored, twice the same unless it is a zero; `None` for a
    /// NaN, whose bits are unknown.
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

/// The unscaled number of a decimal as bytes: big-endian, in two's complement.
///
/// A decimal that a column stores as `INT32` or `INT64` is that number: [`PhysicalValue::Int32`] or
/// [`PhysicalValue::Int64`]. In a `FIXED_LEN_BYTE_ARRAY` it has the length that the schema says, in a `BYTE_ARRAY` usually
/// the fewest bytes that hold it; the filter knows no other form of it.
///
/// ```
/// use filter_formats::parquet::DecimalBytes;
///
/// // 1.28 with a scale of 2.
/// assert_eq!(DecimalBytes::of_len(128, 5).unwrap().as_ref(), [0, 0, 0, 0, 128]);
/// assert_eq!(DecimalBytes::shortest(128).as_ref(), [0, 128]);
/// assert_eq!(DecimalBytes::shortest(-128).as_ref(), [128]);
/// assert!(DecimalBytes::of_len(128, 1).is_none());
/// let value = DecimalBytes::of_len(-1, 16).unwrap();
/// let _hash = value.fixed().hash();
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecimalBytes {
    /// The number in 32 bytes, more than any decimal of 76 digits has.
    bytes: [u8; 32],
    len: usize,
}

impl DecimalBytes {
    /// Returns the number in as many bytes as the column's type has, from 1 to 32; `None` if it needs more, or the length
    /// is another.
    pub fn of_len(unscaled: i128, len: usize) -> Option<Self> {
        let fits = Self::shortest_len(unscaled)..=32;
        fits.contains(&len).then(|| Self::padded(unscaled, len))
    }

    /// Returns the number in the fewest bytes, at least one, as writers store it in a `BYTE_ARRAY`.
    pub fn shortest(unscaled: i128) -> Self {
        Self::padded(unscaled, Self::shortest_len(unscaled))
    }

    fn padded(unscaled: i128, len: usize) -> Self {
        let mut bytes = [if unscaled < 0 { 0xff } else { 0 }; 32];
        for (byte, given) in bytes.iter_mut().rev().zip(unscaled.to_le_bytes()) {
            *byte = given;
        }
        Self { bytes, len }
    }

    /// Returns the value of a column of the type `FIXED_LEN_BYTE_ARRAY`.
    pub fn fixed(&self) -> PhysicalValue<'_> {
        PhysicalValue::FixedLenByteArray(self.as_ref())
    }

    const fn shortest_len(unscaled: i128) -> usize {
        // One bit is the sign.
        let magnitude = if unscaled < 0 { !unscaled } else { unscaled };
        (128 - magnitude.leading_zeros() as usize) / 8 + 1
    }
}

impl AsRef<[u8]> for DecimalBytes {
    fn as_ref(&self) -> &[u8] {
        self.bytes.get(32 - self.len..).unwrap_or_default()
    }
}
