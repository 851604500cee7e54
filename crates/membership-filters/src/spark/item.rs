//! The keys of Spark's filters, and their hashes.

use alloc::string::String;
use alloc::vec::Vec;

use hashzoo::spark_murmur3;

use crate::funnel::Utf16;
use crate::sink::Sink as _;

/// The two hashes of a key, which determine its positions under one seed: computed once, and looked up in many filters
/// with that seed. A filter with another seed answers "might contain", and refuses to insert it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HashPair {
    pub(super) h1: i32,
    pub(super) h2: i32,
    pub(super) seed: i32,
}

impl HashPair {
    /// Returns the hashes of these bytes.
    ///
    /// ```
    /// use membership_filters::spark::HashPair;
    ///
    /// assert_eq!(HashPair::of(b"hello", 0).h1(), 0xb21f6e00_u32 as i32);
    /// ```
    #[inline]
    #[must_use]
    pub const fn of(bytes: &[u8], seed: i32) -> Self {
        let h1 = spark_murmur3(bytes, seed.cast_unsigned());
        let h2 = spark_murmur3(bytes, h1);
        Self {
            h1: h1.cast_signed(),
            h2: h2.cast_signed(),
            seed,
        }
    }

    /// Takes the hashes of a key that [`of`](Self::of) computed under this seed earlier, for example before they were
    /// written to a file. Nothing checks this: a filter denies keys whose hashes are others.
    #[inline]
    #[must_use]
    pub const fn assume(h1: i32, h2: i32, seed: i32) -> Self {
        Self { h1, h2, seed }
    }

    /// Returns the hash under the seed.
    #[inline]
    #[must_use]
    pub const fn h1(self) -> i32 {
        self.h1
    }

    /// Returns the hash under `h1`.
    #[inline]
    #[must_use]
    pub const fn h2(self) -> i32 {
        self.h2
    }
}

/// A key of Spark's filters: an integer, which is widened to a `long`; a string, as UTF-8; or bytes.
///
/// A string and its UTF-8 bytes are the same key. A number and its decimal text are not.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no key of Spark's filters",
    note = "integers are `i8` to `i64`, as in Java: convert other integers first, such as `u64` by `cast_signed()`"
)]
pub trait Item {
    /// Passes the bytes to `then`, as they are hashed.
    fn with_bytes<R>(&self, then: impl FnOnce(&[u8]) -> R) -> R;
}

impl<T: Item + ?Sized> Item for &T {
    #[inline]
    fn with_bytes<R>(&self, then: impl FnOnce(&[u8]) -> R) -> R {
        (**self).with_bytes(then)
    }
}

macro_rules! integers {
    ($($integer:ty)*) => {$(
        impl Item for $integer {
            #[inline]
            fn with_bytes<R>(&self, then: impl FnOnce(&[u8]) -> R) -> R {
                then(&i64::from(*self).to_le_bytes())
            }
        }
    )*};
}

integers!(i8 i16 i32 i64);

macro_rules! bytes {
    ($($bytes:ty)*) => {$(
        impl Item for $bytes {
            #[inline]
            fn with_bytes<R>(&self, then: impl FnOnce(&[u8]) -> R) -> R {
                let bytes: &[u8] = self.as_ref();
                then(bytes)
            }
        }
    )*};
}

bytes!([u8] Vec<u8> str String);

impl<const N: usize> Item for [u8; N] {
    #[inline]
    fn with_bytes<R>(&self, then: impl FnOnce(&[u8]) -> R) -> R {
        then(self)
    }
}

/// A Java string with unpaired surrogates, which Java encodes as `?`.
impl Item for Utf16<'_> {
    fn with_bytes<R>(&self, then: impl FnOnce(&[u8]) -> R) -> R {
        let mut bytes = Vec::new();
        bytes.put_utf16_as_utf8(self.0);
        then(&bytes)
    }
}
