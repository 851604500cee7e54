//! Hash values of keys: of one type where the policy is known, of either type behind a pointer.

use core::fmt::Debug;

/// The hash value of a key, as [`FilterPolicy::key_hash`](crate::FilterPolicy::key_hash) returns it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyHash {
    /// Of a policy with 32-bit hash values.
    Bits32(u32),
    /// Of a policy with 64-bit hash values.
    Bits64(u64),
}

/// The hash values of many keys, all of one width.
#[derive(Debug, Clone, Copy)]
pub enum KeyHashes<'a> {
    /// Of a policy with 32-bit hash values.
    Bits32(&'a [u32]),
    /// Of a policy with 64-bit hash values.
    Bits64(&'a [u64]),
}

impl KeyHashes<'_> {
    /// Returns the number of hash values.
    pub const fn len(&self) -> usize {
        match self {
            Self::Bits32(hashes) => hashes.len(),
            Self::Bits64(hashes) => hashes.len(),
        }
    }

    /// Returns whether there are no hash values.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

mod sealed {
    pub trait Sealed {}
}

/// The type of a policy's hash values: `u32` or `u64`.
pub trait HashValue: Copy + Default + PartialEq + Debug + Into<KeyHash> + sealed::Sealed {
    /// Returns the value; `None` if it has the other width.
    fn of(hash: KeyHash) -> Option<Self>;

    /// Returns the values; `None` if they have the other width.
    fn slice(hashes: KeyHashes<'_>) -> Option<&[Self]>;

    /// Returns the values with their width.
    fn hashes(values: &[Self]) -> KeyHashes<'_>;
}

macro_rules! hash_value {
    ($value:ty, $variant:ident) => {
        impl sealed::Sealed for $value {}

        impl From<$value> for KeyHash {
            #[inline]
            fn from(hash: $value) -> Self {
                Self::$variant(hash)
            }
        }

        impl HashValue for $value {
            #[inline]
            fn of(hash: KeyHash) -> Option<Self> {
                match hash {
                    KeyHash::$variant(hash) => Some(hash),
                    _ => None,
                }
            }

            #[inline]
            fn slice(hashes: KeyHashes<'_>) -> Option<&[Self]> {
                match hashes {
                    KeyHashes::$variant(hashes) => Some(hashes),
                    _ => None,
                }
            }

            #[inline]
            fn hashes(values: &[Self]) -> KeyHashes<'_> {
                KeyHashes::$variant(values)
            }
        }
    };
}

hash_value!(u32, Bits32);
hash_value!(u64, Bits64);
