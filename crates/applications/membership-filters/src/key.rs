//! Keys of the fast hash, and their bytes.
#![expect(
    clippy::inline_always,
    reason = "the hash of a key's bytes must be inlined: otherwise single calls take a sixth more instructions"
)]

use alloc::string::String;
use alloc::vec::Vec;

use hashzoo::xxph3_64;

use crate::key_bytes::KeyBytes;

/// A key of [`BlockedBloomFilter`](crate::BlockedBloomFilter): text, bytes, an integer, or a tuple of these. Its bytes are the same on every
/// platform:
///
/// - text is its UTF-8, and bytes are as they are;
/// - an integer is eight bytes, little-endian, whatever its width: `7_u32` and `7_i64` are one key. A `u8` is no key, so that
///   `insert_many(text.as_bytes())`, which would insert each byte, does not compile;
/// - a tuple is eight bytes for each part, one after the other: of an integer those above, of everything else its XXPH3 with the
///   seed 0, little-endian. So `("ab", "c")` and `("a", "bc")` are two keys.
///
/// Keys of different types may have the same bytes, and are then one key: text and its UTF-8, for example. Different bytes are
/// different keys: `7` and `"7"`, `"7"` and `"007"`, and a text in two cases or two Unicode normal forms. Bring keys into one form
/// before you insert and query them.
///
/// ```
/// use membership_filters::{Hash128, Xxph3};
///
/// let hash = |bytes: &[u8]| Hash128::of_key(&Xxph3, bytes);
/// assert_eq!(Hash128::of_key(&Xxph3, "key"), hash(b"key"));
/// assert_eq!(Hash128::of_key(&Xxph3, &-1_i32), hash(&[0xff; 8]));
/// assert_eq!(Hash128::of_key(&Xxph3, &(1_u16, 2_u64)), hash(b"\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0"));
/// # Ok::<(), membership_filters::Error>(())
/// ```
///
/// ```compile_fail,E0277
/// membership_filters::Hash128::of_key(&membership_filters::Xxph3, &7_u8);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no key of the fast hash",
    note = "keys are text, bytes, integers of at most 64 bits except `u8`, and tuples of these: for a type of your own pass one of them, such as \
            `(&user.name, user.id)`, or implement `Funnel`"
)]
pub trait Key {
    /// Passes the bytes to `then`, as they are hashed.
    fn with_bytes<R>(&self, then: impl FnOnce(&[u8]) -> R) -> R;

    /// Returns the eight bytes that stand for the key in a tuple. A type that wraps an integer passes on those of the integer, to
    /// be the same key in a tuple, too.
    #[inline]
    fn part(&self) -> [u8; 8] {
        self.with_bytes(|bytes| xxph3_64(bytes, 0)).to_le_bytes()
    }
}

impl<K: Key + ?Sized> Key for &K {
    #[inline(always)]
    fn with_bytes<R>(&self, then: impl FnOnce(&[u8]) -> R) -> R {
        (**self).with_bytes(then)
    }

    #[inline]
    fn part(&self) -> [u8; 8] {
        (**self).part()
    }
}

macro_rules! integers {
    ($($integer:ty)*) => {$(
        impl Key for $integer {
            #[inline(always)]
            fn with_bytes<R>(&self, then: impl FnOnce(&[u8]) -> R) -> R {
                then(&self.part())
            }

            #[inline]
            fn part(&self) -> [u8; 8] {
                // Negative numbers are extended by their sign.
                (*self as i64).to_le_bytes()
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 isize u16 u32 u64 usize);

macro_rules! bytes {
    ($($bytes:ty)*) => {$(
        impl Key for $bytes {
            #[inline(always)]
            fn with_bytes<R>(&self, then: impl FnOnce(&[u8]) -> R) -> R {
                let bytes: &[u8] = self.as_ref();
                then(bytes)
            }
        }
    )*};
}

bytes!([u8] Vec<u8> str String);

impl<const N: usize> Key for [u8; N] {
    #[inline(always)]
    fn with_bytes<R>(&self, then: impl FnOnce(&[u8]) -> R) -> R {
        then(self)
    }
}

/// A Java string as its UTF-16 code units, for strings with unpaired surrogates, which a Rust string cannot hold.
///
/// The funnels [`Utf8`](crate::Utf8) and [`Utf16Units`](crate::Utf16Units) accept it as well as Rust's strings.
///
/// ```
/// use membership_filters::{Hash128, Utf8, Utf16, Utf16Units};
///
/// let lone_surrogate = Utf16(&[0x61, 0xd800]);
/// assert_eq!(Hash128::of_key(&Utf8, &lone_surrogate), Hash128::of(b"a?"));
/// assert_eq!(Hash128::of_key(&Utf16Units, &lone_surrogate), Hash128::of(b"\x61\0\0\xd8"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Utf16<'a>(pub &'a [u16]);

/// Unpaired surrogates are `?`, as Java encodes them.
impl Key for Utf16<'_> {
    fn with_bytes<R>(&self, then: impl FnOnce(&[u8]) -> R) -> R {
        let mut bytes = KeyBytes::new();
        bytes.put_utf16_as_utf8(self.0);
        then(&bytes)
    }
}

macro_rules! tuples {
    ($(($($part:ident)*))*) => {$(
        #[expect(non_snake_case, reason = "a part is named after its type")]
        impl<$($part: Key),*> Key for ($($part,)*) {
            #[inline(always)]
            fn with_bytes<R>(&self, then: impl FnOnce(&[u8]) -> R) -> R {
                let ($($part,)*) = self;
                then([$($part.part()),*].as_flattened())
            }
        }
    )*};
}

tuples!((A B) (A B C) (A B C D) (A B C D E) (A B C D E G));
