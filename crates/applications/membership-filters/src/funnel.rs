//! Funnels, which determine the bytes of a key that are hashed, and the function that hashes them: Guava's, and one with a
//! faster hash.
//!
//! Knows nothing of filters.

#![expect(
    clippy::inline_always,
    reason = "without it single calls with Xxph3 take a fifth more instructions"
)]

use alloc::vec::Vec;

use hashzoo::xxh3_64;

use crate::hash::{Encoding, Function, Hash128, Hashing, Murmur3, Xxph3};
use crate::key::{Key, Utf16};
use crate::key_bytes::KeyBytes;

/// The seed of [`Hashed::shard`], the same as of the shard function of the sets in files: no filter uses it.
const SHARD_SEED: u64 = 0x7368_6172_6473;

/// A rule that turns keys of type `T` into bytes to hash: Guava's `Funnel`. Two programs can share a filter only if
/// their funnels give the same bytes for the same key.
///
/// A custom type needs the method that puts its fields together, and the name of its hash in stored filters:
///
/// ```
/// use membership_filters::{BlockedBloomFilter, Encoding, Funnel, Hashing, KeyBytes, Murmur3, Parameters};
///
/// struct Person {
///     id: i32,
///     name: String,
/// }
///
/// #[derive(Debug, Clone, Copy, PartialEq)]
/// struct PersonFunnel;
///
/// impl Hashing for PersonFunnel {
///     type Function = Murmur3;
///
///     fn encoding(&self) -> Encoding {
///         Encoding::custom("example.Person 1")
///     }
/// }
///
/// impl Funnel<Person> for PersonFunnel {
///     fn with_bytes<R>(&self, person: &Person, then: impl FnOnce(&[u8]) -> R) -> R {
///         let mut bytes = KeyBytes::new();
///         bytes.put_i32(person.id);
///         bytes.put_str(&person.name);
///         then(&bytes)
///     }
/// }
///
/// let mut people = BlockedBloomFilter::new(PersonFunnel, &Parameters::new(100, 0.01)?)?;
/// let ada = Person { id: 1, name: "Ada".to_owned() };
/// assert!(people.insert(&ada));
/// assert!(people.contains(&ada));
/// # Ok::<(), membership_filters::Error>(())
/// ```
///
/// A funnel takes only the keys of its type. [`Long`] takes `i64`, as Java has no other integer of 64 bits:
///
/// ```compile_fail
/// use membership_filters::{BlockedBloomFilter, Long, Parameters};
///
/// BlockedBloomFilter::new(Long, &Parameters::new(100, 0.01)?)?.insert(&1_u64);
/// # Ok::<(), membership_filters::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "the funnel `{Self}` does not take keys of the type `{T}`",
    label = "not a key of `{Self}`",
    note = "`Long` takes `i64` and `Integer` takes `i32`, as Java's `long` and `int`: convert other integers first, such as \
            `u64` by `cast_signed()`",
    note = "`Utf8` takes strings, `Bytes` and RedisBloom's `RedisBytes` strings and bytes, Spark's `ItemBytes` text, bytes and \
            the integers `i8` to `i64`, and only `Xxph3` also tuples: make text or bytes of them for the others"
)]
pub trait Funnel<T: ?Sized>: Hashing {
    /// Passes the bytes that make up the key to `then`, as they are hashed.
    fn with_bytes<R>(&self, key: &T, then: impl FnOnce(&[u8]) -> R) -> R;
}

impl Hash128 {
    /// Returns the hash of a key under a funnel.
    ///
    /// ```
    /// use membership_filters::{Hash128, Utf8};
    ///
    /// assert_eq!(Hash128::of_key(&Utf8, "apple"), Hash128::of(b"apple"));
    /// ```
    #[inline]
    #[must_use]
    pub fn of_key<F: Funnel<T>, T: ?Sized>(funnel: &F, key: &T) -> Self {
        funnel.with_bytes(
            key,
            #[inline(always)]
            |bytes| funnel.hash_bytes(bytes),
        )
    }
}

/// The hash of a key, which carries the funnel that made it: computed once, and looked up in many filters of that funnel.
///
/// A filter of a funnel of another type does not take it. One whose funnel has the same type and is not equal answers "might
/// contain" and refuses to insert it.
///
/// ```
/// use membership_filters::BlockedBloomFilter;
///
/// let mut red = BlockedBloomFilter::with_capacity(100, 0.01)?;
/// let yellow = BlockedBloomFilter::with_capacity(1000, 0.01)?;
/// red.insert("apple");
/// let apple = red.hash("apple");
/// assert!(red.contains_hashed(&apple) && !yellow.contains_hashed(&apple));
/// # Ok::<(), membership_filters::Error>(())
/// ```
///
/// ```compile_fail
/// use membership_filters::{BlockedBloomFilter, Parameters, Utf8, Xxph3};
///
/// let parameters = Parameters::new(100, 0.01)?;
/// let (fast, slow) = (BlockedBloomFilter::new(Xxph3, &parameters)?, BlockedBloomFilter::new(Utf8, &parameters)?);
/// let _ = fast.contains_hashed(&slow.hash("apple"));
/// # Ok::<(), membership_filters::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hashed<F> {
    hash: Hash128,
    funnel: F,
}

impl<F> Hashed<F> {
    /// Returns the hash of a key.
    #[inline]
    #[must_use]
    pub fn new<T: ?Sized>(funnel: F, key: &T) -> Self
    where
        F: Funnel<T>,
    {
        let hash = Hash128::of_key(&funnel, key);
        Self { hash, funnel }
    }

    /// Takes a hash that was computed with this funnel earlier, for example before it was written to a file. Nothing checks
    /// this: a filter denies keys whose hash is another.
    #[inline]
    #[must_use]
    pub const fn assume(funnel: F, hash: Hash128) -> Self {
        Self { hash, funnel }
    }

    /// Returns the hash without its funnel.
    #[inline]
    #[must_use]
    pub const fn hash(&self) -> Hash128 {
        self.hash
    }

    /// Returns the number of the shard that holds the key, below `shards` unless that is 0, for keys that are divided among several filters. It
    /// hashes the hash with a seed of its own, so that the keys of a shard are spread over its filter as all keys are: bits of
    /// the hash itself also choose places in the filter. The numbers are the same everywhere and in every version; with another
    /// number of shards, or another funnel, a key has another shard.
    ///
    /// If many threads insert and remove, take sixteen shards, each behind an `RwLock` and with a little more room than a
    /// sixteenth.
    ///
    /// ```
    /// use membership_filters::{CountingBloomFilter, Hashed, Xxph3};
    ///
    /// let shard = || CountingBloomFilter::with_capacity(1_000, 0.01);
    /// let mut shards = (0..16).map(|_| shard()).collect::<Result<Vec<_>, _>>()?;
    /// let token = Hashed::new(Xxph3, "token");
    /// shards[token.shard(16)].insert_hashed(&token)?;
    /// assert!(shards[token.shard(16)].contains_hashed(&token));
    /// # Ok::<(), membership_filters::Error>(())
    /// ```
    ///
    #[expect(clippy::cast_possible_truncation, reason = "below the number of shards")]
    #[must_use]
    pub fn shard(&self, shards: usize) -> usize {
        let Hash128 { h1, h2 } = self.hash;
        let mixed = xxh3_64(&(u128::from(h2) << 64 | u128::from(h1)).to_le_bytes(), SHARD_SEED);
        ((u128::from(mixed) * shards as u128) >> 64) as usize
    }

    /// Returns the hash if it was made with this funnel.
    #[inline]
    #[must_use]
    pub(crate) fn under(&self, funnel: &F) -> Option<Hash128>
    where
        F: PartialEq,
    {
        (self.funnel == *funnel).then_some(self.hash)
    }
}

macro_rules! hashing {
    ($funnel:ty, $function:ty, $encoding:ident) => {
        impl Hashing for $funnel {
            type Function = $function;

            #[inline]
            fn encoding(&self) -> Encoding {
                Encoding::$encoding
            }
        }
    };
}
pub(crate) use hashing;

macro_rules! funnels {
    ($($(#[$doc:meta])* $funnel:ident in $encoding:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct $funnel;

        hashing!($funnel, Murmur3, $encoding);
    )*};
}

funnels! {
    /// The funnel for strings as UTF-8: Guava's `Funnels.stringFunnel(StandardCharsets.UTF_8)`.
    Utf8 in BYTES;
    /// The funnel for strings as UTF-16 code units, two bytes each: Guava's `Funnels.unencodedCharsFunnel()`.
    Utf16Units in UTF16_UNITS;
    /// The funnel for bytes: Guava's `Funnels.byteArrayFunnel()`.
    Bytes in BYTES;
    /// The funnel for Java's `int`: Guava's `Funnels.integerFunnel()`.
    Integer in INT32;
    /// The funnel for Java's `long`: Guava's `Funnels.longFunnel()`.
    Long in INT64;
}
hashing!(Xxph3, Xxph3, BYTES);

#[diagnostic::do_not_recommend]
impl<T: AsRef<str> + ?Sized> Funnel<T> for Utf8 {
    #[inline(always)]
    fn with_bytes<R>(&self, key: &T, then: impl FnOnce(&[u8]) -> R) -> R {
        then(key.as_ref().as_bytes())
    }
}

impl Funnel<Utf16<'_>> for Utf8 {
    #[inline]
    fn with_bytes<R>(&self, key: &Utf16<'_>, then: impl FnOnce(&[u8]) -> R) -> R {
        key.with_bytes(then)
    }
}

#[diagnostic::do_not_recommend]
impl<T: AsRef<[u8]> + ?Sized> Funnel<T> for Bytes {
    #[inline(always)]
    fn with_bytes<R>(&self, key: &T, then: impl FnOnce(&[u8]) -> R) -> R {
        then(key.as_ref())
    }
}

impl Funnel<i32> for Integer {
    #[inline(always)]
    fn with_bytes<R>(&self, key: &i32, then: impl FnOnce(&[u8]) -> R) -> R {
        then(&key.to_le_bytes())
    }
}

impl Funnel<i64> for Long {
    #[inline(always)]
    fn with_bytes<R>(&self, key: &i64, then: impl FnOnce(&[u8]) -> R) -> R {
        then(&key.to_le_bytes())
    }
}

impl<K: Key + ?Sized> Funnel<K> for Xxph3 {
    #[inline(always)]
    fn with_bytes<R>(&self, key: &K, then: impl FnOnce(&[u8]) -> R) -> R {
        key.with_bytes(then)
    }
}

impl<T: AsRef<str> + ?Sized> Funnel<T> for Utf16Units {
    #[inline]
    fn with_bytes<R>(&self, key: &T, then: impl FnOnce(&[u8]) -> R) -> R {
        let mut bytes = KeyBytes::new();
        bytes.put_utf16_units(key.as_ref().encode_utf16());
        then(&bytes)
    }
}

impl Funnel<Utf16<'_>> for Utf16Units {
    #[inline]
    fn with_bytes<R>(&self, key: &Utf16<'_>, then: impl FnOnce(&[u8]) -> R) -> R {
        let mut bytes = KeyBytes::new();
        bytes.put_utf16_units(key.0.iter().copied());
        then(&bytes)
    }
}

/// The funnel for sequences, with another funnel for the elements: Guava's `Funnels.sequentialFunnel(elementFunnel)`.
///
/// Nothing separates the elements: under [`Utf8`], `["ab", "c"]` and `["a", "bc"]` are the same. The order counts, so a
/// sequence is a slice, an array or a vector; sort the elements of a set into one.
///
/// ```
/// use membership_filters::{Hash128, Sequence, Utf8};
///
/// assert_eq!(Hash128::of_key(&Sequence(Utf8), &["ab", "c"]), Hash128::of(b"abc"));
/// ```
///
/// ```compile_fail
/// use membership_filters::{Hash128, Integer, Sequence};
/// use std::collections::HashSet;
///
/// let _ = Hash128::of_key(&Sequence(Integer), &HashSet::from([1, 2, 3]));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sequence<F>(pub F);

impl<F: Hashing> Hashing for Sequence<F> {
    type Function = F::Function;

    fn encoding(&self) -> Encoding {
        self.0.encoding().sequence()
    }

    #[inline]
    fn function(&self) -> Function {
        self.0.function()
    }
}

macro_rules! sequences {
    ($([$($size:tt)*] $sequence:ty;)*) => {$(
        impl<T, F: Funnel<T>, $($size)*> Funnel<$sequence> for Sequence<F> {
            fn with_bytes<R>(&self, key: &$sequence, then: impl FnOnce(&[u8]) -> R) -> R {
                let mut bytes = KeyBytes::new();
                for element in key.iter() {
                    self.0.with_bytes(element, |part| bytes.put_bytes(part));
                }
                then(&bytes)
            }
        }
    )*};
}

sequences! {
    [] [T];
    [] &[T];
    [] Vec<T>;
    [const N: usize] [T; N];
}
