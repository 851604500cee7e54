//! The funnel of Spark's filters.

use alloc::string::String;
use alloc::vec::Vec;

use crate::funnel::Funnel;
use crate::hash::{Encoding, Function, HashFunction, Hashing};
use crate::key::{Key, Utf16};

/// The funnel of Spark's filters: its hash under a seed. A key is an integer from `i8` to `i64`, which is widened to a `long`;
/// a string, as UTF-8; or bytes. A string and its UTF-8 bytes are the same key. A number and its decimal text are not.
///
/// A filter with another seed answers that it might contain a key that
/// is hashed under this one, and refuses to insert it.
///
/// ```
/// use membership_filters::{Hash128, spark::ItemBytes};
///
/// // Two hashes of 32 bits: the second half is that under the first.
/// let hash = Hash128::of_key(&ItemBytes { seed: 0 }, "hello");
/// assert_eq!(hash.h1 as u32, 0xb21f6e00);
/// ```
///
/// Spark has no other integers:
///
/// ```compile_fail,E0277
/// membership_filters::Hash128::of_key(&membership_filters::spark::ItemBytes { seed: 0 }, &7_u64);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ItemBytes {
    /// The seed; Spark's default is 0.
    pub seed: i32,
}

impl HashFunction for ItemBytes {
    const FUNCTION: Function = Function::Spark { seed: 0 };
}

impl Hashing for ItemBytes {
    type Function = Self;

    #[inline]
    fn encoding(&self) -> Encoding {
        Encoding::BYTES
    }

    #[inline]
    fn function(&self) -> Function {
        Function::Spark { seed: self.seed }
    }

    fn with_seed(self, seed: i32) -> Self {
        Self { seed }
    }
}

macro_rules! keys {
    ($([$($generics:tt)*] $key:ty;)*) => {$(
        impl<$($generics)*> Funnel<$key> for ItemBytes {
            #[inline]
            fn with_bytes<R>(&self, key: &$key, then: impl FnOnce(&[u8]) -> R) -> R {
                key.with_bytes(then)
            }
        }
    )*};
}

keys! {
    [] i8;
    [] i16;
    [] i32;
    [] i64;
    [] [u8];
    [const N: usize] [u8; N];
    [] Vec<u8>;
    [] str;
    [] String;
    [] Utf16<'_>;
}

impl<T: ?Sized> Funnel<&T> for ItemBytes
where
    Self: Funnel<T>,
{
    #[inline]
    fn with_bytes<R>(&self, key: &&T, then: impl FnOnce(&[u8]) -> R) -> R {
        <Self as Funnel<T>>::with_bytes(self, key, then)
    }
}
