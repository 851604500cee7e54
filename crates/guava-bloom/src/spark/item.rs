//! The elements of Spark's filters, and their hashes.

use alloc::string::String;
use alloc::vec::Vec;

use hashzoo::spark_murmur3;

use crate::funnel::Utf16;

/// The two hashes of an element, which determine its positions under one seed.
///
/// To ask several filters with the same seed, hash the element once and keep this value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HashPair {
    /// The hash under the seed.
    pub h1: i32,
    /// The hash under `h1`.
    pub h2: i32,
}

impl HashPair {
    /// Returns the hashes of these bytes.
    ///
    /// ```
    /// use guava_bloom::spark::HashPair;
    ///
    /// assert_eq!(HashPair::of(b"hello", 0).h1, 0xb21f6e00_u32 as i32);
    /// ```
    #[inline]
    pub const fn of(bytes: &[u8], seed: i32) -> Self {
        let h1 = spark_murmur3(bytes, seed.cast_unsigned());
        let h2 = spark_murmur3(bytes, h1);
        Self {
            h1: h1.cast_signed(),
            h2: h2.cast_signed(),
        }
    }
}

/// An element of Spark's filters: an integer, which is widened to a `long`; a string, as UTF-8; or bytes.
///
/// A string and its UTF-8 bytes are the same element. A number and its decimal text are not.
pub trait Item {
    /// Returns the element's hashes under this seed.
    fn hash(&self, seed: i32) -> HashPair;
}

impl<T: Item + ?Sized> Item for &T {
    #[inline]
    fn hash(&self, seed: i32) -> HashPair {
        (**self).hash(seed)
    }
}

macro_rules! integers {
    ($($integer:ty)*) => {$(
        impl Item for $integer {
            #[inline]
            fn hash(&self, seed: i32) -> HashPair {
                HashPair::of(&i64::from(*self).to_le_bytes(), seed)
            }
        }
    )*};
}

integers!(i8 i16 i32 i64);

macro_rules! bytes {
    ($($bytes:ty)*) => {$(
        impl Item for $bytes {
            #[inline]
            fn hash(&self, seed: i32) -> HashPair {
                HashPair::of(self.as_ref(), seed)
            }
        }
    )*};
}

bytes!([u8] Vec<u8>);

impl<const N: usize> Item for [u8; N] {
    #[inline]
    fn hash(&self, seed: i32) -> HashPair {
        HashPair::of(self, seed)
    }
}

impl Item for str {
    #[inline]
    fn hash(&self, seed: i32) -> HashPair {
        HashPair::of(self.as_bytes(), seed)
    }
}

impl Item for String {
    #[inline]
    fn hash(&self, seed: i32) -> HashPair {
        HashPair::of(self.as_bytes(), seed)
    }
}

/// A Java string with unpaired surrogates, which Java encodes as `?`.
impl Item for Utf16<'_> {
    fn hash(&self, seed: i32) -> HashPair {
        let text: String = char::decode_utf16(self.0.iter().copied())
            .map(|character| character.unwrap_or('?'))
            .collect();
        text.hash(seed)
    }
}
