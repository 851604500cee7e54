//! Funnels, which determine the bytes of a key that are hashed, and the function that hashes them: Guava's, and one with a
//! faster hash.
//!
//! Knows nothing of filters.

use alloc::vec::Vec;

use hashzoo::xxh3_64;

use crate::hash::{Encoding, Hash128, HashFunction, Hashing, Murmur3, Xxph3};
use crate::key::{Key, Utf16};
use crate::sink::Sink;

/// The seed of [`Hashed::shard`], the same as of the shard function of the sets in files: no filter uses it.
const SHARD_SEED: u64 = 0x7368_6172_6473;

/// A rule that turns keys of type `T` into bytes to hash: Guava's `Funnel`. Two programs can share a filter only if
/// their funnels give the same bytes for the same key.
///
/// A custom type needs the method that puts its fields into the sink, and the name of its hash in stored filters:
///
/// ```
/// use membership_filters::{BlockedBloomFilter, Encoding, Funnel, Hashing, Murmur3, Parameters, Sink};
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
///     fn funnel<S: Sink>(&self, person: &Person, into: &mut S) {
///         into.put_i32(person.id);
///         into.put_str(&person.name);
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
    note = "`Utf8` takes strings, `Bytes` and RedisBloom's `RedisBytes` strings and bytes, and only `Xxph3` also tuples: make text or bytes \
            of them for the others"
)]
pub trait Funnel<T: ?Sized>: Hashing {
    /// Puts the bytes that make up the key into the sink.
    fn funnel<S: Sink>(&self, from: &T, into: &mut S);

    /// Passes the bytes to `then` if they are in one slice, which is hashed faster. They must be the same as those of
    /// [`funnel`](Self::funnel).
    #[inline]
    fn in_one_slice<H: TakeSlice>(&self, from: &T, then: H) -> Option<H::Output> {
        let _ = (from, then);
        None
    }
}

/// Takes the bytes of a key that are in one slice: see [`Funnel::in_one_slice`]. This is a trait and not a closure, because
/// compilers inline its method sooner.
pub trait TakeSlice {
    /// The result.
    type Output;

    /// Takes the bytes.
    fn take(self, bytes: &[u8]) -> Self::Output;
}

/// Hashes the bytes.
struct HashSlice<'a, F>(&'a F);

impl<F: Hashing> TakeSlice for HashSlice<'_, F> {
    type Output = Hash128;

    #[expect(
        clippy::inline_always,
        reason = "without it single calls with Xxph3 take a fifth more instructions"
    )]
    #[inline(always)]
    fn take(self, bytes: &[u8]) -> Hash128 {
        self.0.hash_bytes(bytes)
    }
}

/// Puts the bytes into a sink.
pub(crate) struct Put<'a, S>(pub(crate) &'a mut S);

impl<S: Sink> TakeSlice for Put<'_, S> {
    type Output = ();

    #[inline]
    fn take(self, bytes: &[u8]) {
        self.0.put_bytes(bytes);
    }
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
        match funnel.in_one_slice(key, HashSlice(funnel)) {
            Some(hash) => hash,
            None => Self::of_pieces(funnel, key),
        }
    }

    /// Apart, so that the hash of a slice is inlined.
    #[inline(never)]
    fn of_pieces<F: Funnel<T>, T: ?Sized>(funnel: &F, key: &T) -> Self {
        let mut sink = <F::Function as HashFunction>::Sink::default();
        funnel.funnel(key, &mut sink);
        F::Function::finish(sink)
    }
}

/// The hash of a key, which carries the funnel that made it: computed once, and looked up in many filters of that funnel.
///
/// A filter of a funnel of another type does not take it. One whose funnel has the same type and is not equal answers "might
/// contain" and refuses to insert it.
///
/// ```
/// use membership_filters::BloomFilter;
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
    pub fn under(&self, funnel: &F) -> Option<Hash128>
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

/// Makes a funnel take keys whose bytes are in one slice, which `$pass` passes on.
macro_rules! sliced {
    ($(#[$attribute:meta])* $funnel:ty, [$($generics:tt)*] $key:ty, |$from:ident, $then:ident| $pass:expr) => {
        $(#[$attribute])*
        impl<$($generics)*> crate::funnel::Funnel<$key> for $funnel {
            #[inline]
            fn funnel<S: crate::sink::Sink>(&self, $from: &$key, into: &mut S) {
                let _put = self.in_one_slice($from, crate::funnel::Put(into));
            }

            #[inline(always)]
            fn in_one_slice<H: crate::funnel::TakeSlice>(&self, $from: &$key, $then: H) -> Option<H::Output> {
                Some($pass)
            }
        }
    };
}
pub(crate) use sliced;

sliced!(#[diagnostic::do_not_recommend] Utf8, [T: AsRef<str> + ?Sized] T, |from, then| then.take(from.as_ref().as_bytes()));
sliced!(#[diagnostic::do_not_recommend] Bytes, [T: AsRef<[u8]> + ?Sized] T, |from, then| then.take(from.as_ref()));
sliced!(Integer, [] i32, |from, then| then.take(&from.to_le_bytes()));
sliced!(Long, [] i64, |from, then| then.take(&from.to_le_bytes()));
// Filters that use no `h2` compute none if this is inlined.
sliced!(Xxph3, [K: Key + ?Sized] K, |from, then| from.with_bytes(#[inline(always)] |bytes: &[u8]| then.take(bytes)));

impl Funnel<Utf16<'_>> for Utf8 {
    fn funnel<S: Sink>(&self, from: &Utf16<'_>, into: &mut S) {
        into.put_utf16_as_utf8(from.0);
    }
}

impl<T: AsRef<str> + ?Sized> Funnel<T> for Utf16Units {
    #[inline]
    fn funnel<S: Sink>(&self, from: &T, into: &mut S) {
        into.put_utf16_units(from.as_ref().encode_utf16());
    }
}

impl Funnel<Utf16<'_>> for Utf16Units {
    #[inline]
    fn funnel<S: Sink>(&self, from: &Utf16<'_>, into: &mut S) {
        into.put_utf16_units(from.0.iter().copied());
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
}

macro_rules! sequences {
    ($([$($size:tt)*] $sequence:ty;)*) => {$(
        impl<T, F: Funnel<T>, $($size)*> Funnel<$sequence> for Sequence<F> {
            fn funnel<S: Sink>(&self, from: &$sequence, into: &mut S) {
                from.iter().for_each(|element| self.0.funnel(element, into));
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
