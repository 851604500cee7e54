//! The types of the keys' hash values.

/// Seals traits: only types of this crate can implement them.
pub trait Sealed {}

/// A hash value of a key: `u32` or `u64`.
pub trait HashValue: Copy + Default + PartialEq + core::fmt::Debug + Sealed {
    #[doc(hidden)]
    fn narrow(self) -> Option<u32>;
    #[doc(hidden)]
    fn wide(self) -> Option<u64>;
    #[doc(hidden)]
    fn narrow_slice(values: &[Self]) -> Option<&[u32]>;
    #[doc(hidden)]
    fn wide_slice(values: &[Self]) -> Option<&[u64]>;
}

macro_rules! hash_value {
    ($value:ty, $narrow:expr, $wide:expr) => {
        impl Sealed for $value {}

        impl HashValue for $value {
            #[inline]
            fn narrow(self) -> Option<u32> {
                $narrow(self)
            }

            #[inline]
            fn wide(self) -> Option<u64> {
                $wide(self)
            }

            #[inline]
            fn narrow_slice(values: &[Self]) -> Option<&[u32]> {
                $narrow(values)
            }

            #[inline]
            fn wide_slice(values: &[Self]) -> Option<&[u64]> {
                $wide(values)
            }
        }
    };
}

hash_value!(u32, Some, |_| None);
hash_value!(u64, |_| None, Some);
