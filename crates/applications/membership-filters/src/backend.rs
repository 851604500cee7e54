//! The traits that a kind of filter implements. [`Filter`](crate::Filter) builds on them the methods that all kinds share, and
//! [`kinds`](crate::kinds) what tools call.
//!
//! A kind is a type that sets and tests the places of a key's hash, and an alias of `Filter` with this type:
//! [`BlockedBloomFilter`](crate::BlockedBloomFilter) is `Filter<Blocked, F>`. It implements [`Backend`], one of [`Exclusive`] and
//! [`Concurrent`], and what else it can do.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::batch::in_batches;
use crate::contents::{Reader, Writer};
use crate::error::{Error, Violation};
use crate::hash::{Hash128, HashId};
use crate::stats::{Load, Stats};

pub use crate::{
    blocked::Blocked, bloom::Bloom, counting::Counting, cuckoo::Cuckoo, redisbloom::Chain, rotating::Rotating,
};

/// The places of keys in memory, found by the hashes of the keys; how many there are; and their stored form.
pub trait Backend: Sized {
    /// The name of the filter's alias, which `Debug` shows.
    const NAME: &'static str;

    /// The first eight bytes of the [envelope](crate::envelope).
    const MAGIC: [u8; 8];

    /// The hash of the keys, if the kind has one of its own: with this seed or any other, if that is in the contents.
    const HASH: Option<HashId> = None;

    /// Is true if the contents of the envelope are the stream of another program, which hashes keys by [`HASH`](Self::HASH), or by
    /// [`Murmur3`](crate::Murmur3) if that is `None`.
    const IS_STREAM: bool = false;

    /// Adds the keys of a compatible backend, or says why two cannot be merged.
    const MERGE: Result<fn(&mut Self, &Self), &'static str>;

    /// Makes the commands that load a filter into Redis, if there are any.
    const COMMANDS: Option<ToCommands<Self>> = None;

    /// [`Remove::remove`], if keys can be removed.
    const REMOVE: Option<fn(&mut Self, Self::Hash) -> bool> = None;

    /// Removes the oldest keys, if keys age.
    const ROTATE: Option<fn(&mut Self)> = None;

    /// The part of a hash that places are made of: all of it, or `h1` alone, a `u64`.
    type Hash: Copy + Default + From<Hash128>;

    /// The funnel of the kind; or, if a filter is made and read with a funnel that the caller chooses, an `Option` of the one
    /// that is taken where none is given.
    type Funnel;

    /// The size of a filter.
    type Parameters: Clone + Send + Sync + 'static;

    /// Returns the parameters for this many keys at this rate: of the smallest filter, unless another program has a formula
    /// of its own. [`rate`](Self::rate) is that of a single key as well, which tests count.
    fn sized(capacity: u64, rate: f64) -> Result<Self::Parameters, Error>;

    /// Returns the parameters for this many keys in this many bits, if the kind has a rule for that.
    fn sized_by_bits(_capacity: u64, _bits: u64) -> Result<Option<Self::Parameters>, Error> {
        Ok(None)
    }

    /// Returns the size of a filter with these parameters.
    ///
    /// # Errors
    ///
    /// [`TooLarge`](crate::Error::TooLarge).
    fn size(parameters: &Self::Parameters) -> Result<StoredSize, Error>;

    /// Returns the false-positive rate of such a filter with this many different keys.
    fn rate(parameters: &Self::Parameters, keys: u64) -> f64;

    /// Returns a backend without keys.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`](crate::Error::OutOfMemory), [`TooLarge`](crate::Error::TooLarge) and
    /// [`InvalidArgument`](crate::Error::InvalidArgument).
    fn new(parameters: &Self::Parameters) -> Result<Self, Error>;

    /// Returns whether the key might be there.
    fn contains(&self, hash: Self::Hash) -> bool;

    /// Appends for each key whether it might be there.
    fn contains_batch(&self, hashes: &[Self::Hash], answers: &mut Vec<bool>) {
        answers.extend(hashes.iter().map(|&hash| self.contains(hash)));
    }

    /// Returns the number of bits.
    fn bits(&self) -> u64;

    /// Returns the state.
    fn stats(&self) -> Stats;

    /// Estimates how full the filter is, in microseconds whatever its size; `None` for kinds that grow, or refuse keys when
    /// they are full.
    fn load(&self) -> Option<Load> {
        None
    }

    /// Returns the highest false-positive rate with this many different keys, in microseconds. The probes of a key are taken
    /// to be independent.
    fn rate_at(&self, _keys: u64) -> f64 {
        0.0
    }

    /// Returns the number of set bits, of counters that are not 0, or of slots that are taken.
    fn ones(&self) -> u64 {
        self.stats().taken
    }

    /// Returns the number of different keys, or an estimate of it.
    fn estimated_len(&self) -> Option<u64> {
        self.stats().len
    }

    /// Returns the seed of the hash, if it is in the contents.
    fn seed(&self) -> Option<i32> {
        None
    }

    /// Checks that the backends differ in their keys alone.
    ///
    /// # Errors
    ///
    /// [`Incompatible`](crate::Error::Incompatible) names the first difference and both values, or says why the kind is not
    /// merged.
    fn check_compatible(&self, _other: &Self) -> Result<(), Error> {
        let reason = Self::MERGE.err().unwrap_or_default();
        let (what, allowed) = ("filters that are merged", "of a kind that can be merged");
        Err(Error::Incompatible(Violation::new(what, allowed, reason)))
    }

    /// Returns the number of bytes between the header and the checksum of the envelope.
    fn contents_len(&self) -> u64;

    /// Writes these bytes.
    fn write<E>(&self, writer: &mut Writer<'_, E>) -> Result<(), E>;

    /// Reads these bytes.
    ///
    /// # Errors
    ///
    /// [`Error`] names the value that no filter has.
    fn read(reader: &mut Reader<'_>) -> Result<Self, Error>;
}

/// Makes commands for Redis, each as its arguments, for a filter under a key.
pub(crate) type ToCommands<B> = for<'a> fn(&'a B, &[u8]) -> Box<dyn Iterator<Item = Vec<Vec<u8>>> + 'a>;

/// The size of a filter that is not made yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredSize {
    /// The number of bytes of the stored form between header and checksum.
    pub contents_len: u64,
    /// The bytes of the bits, counters or slots.
    pub memory_bytes: u64,
    /// The probe count k, if there are probes.
    pub probe_count: Option<u32>,
}

/// A backend that one thread at a time changes.
pub trait Exclusive: Backend {
    /// The result of inserting a key: true if the key was certainly absent, or an error. It is a `bool` if there are no errors.
    type New;

    /// The result of inserting many keys.
    type Done;

    /// Inserts a key.
    fn insert(&mut self, hash: Self::Hash) -> Self::New;

    /// Inserts keys in order, until one is refused.
    fn insert_batch(&mut self, hashes: &[Self::Hash]) -> Result<(), Error> {
        let mut hashes = hashes.iter();
        hashes.try_for_each(|&hash| Self::new_result(self.insert(hash)).map(drop))
    }

    /// Inserts any number of keys in order, until one is refused. By default in batches.
    fn insert_all(&mut self, hashes: impl Iterator<Item = Self::Hash>) -> Result<(), Error> {
        let mut result = Ok(());
        in_batches(hashes, |hashes| {
            result = self.insert_batch(hashes);
            result.is_ok()
        });
        result
    }

    /// Returns the result of inserting a key.
    fn new_result(new: Self::New) -> Result<bool, Error>;

    /// Converts the result of inserting keys.
    fn done(result: Result<(), Error>) -> Self::Done;

    /// Removes all keys and keeps the memory.
    fn clear(&mut self);
}

/// A backend that threads change through a shared reference.
pub trait Concurrent: Backend {
    /// The backend that has the same places and is changed by one thread at a time.
    type Alone: Exclusive;

    /// Inserts a key. True means that a bit was zero.
    fn insert(&self, hash: Self::Hash) -> bool;

    /// Inserts keys.
    fn insert_batch(&self, hashes: &[Self::Hash]);

    /// Adds the keys of a compatible backend.
    fn merge(&self, other: &Self);

    /// Copies the places as they are now.
    fn copy(&self) -> Self::Alone;

    /// Converts the places.
    fn into_alone(self) -> Self::Alone;

    /// Converts the places.
    fn from_alone(alone: Self::Alone) -> Self;
}

/// A backend that takes the keys of another one, by [`Backend::MERGE`].
#[diagnostic::on_unimplemented(
    message = "two filters of `{Self}` cannot become one",
    note = "`BlockedBloomFilter`, `RotatingFilter`, `guava::BloomFilter`, `spark::BloomFilter` and those for many threads can be merged"
)]
pub trait Merge: Exclusive {}

/// A backend from which keys can be removed.
#[diagnostic::on_unimplemented(
    message = "no key can be removed from a filter of `{Self}`",
    note = "keys can be removed from a `CuckooFilter` and a `CountingBloomFilter`"
)]
pub trait Remove: Exclusive {
    /// Removes one copy of a key. Returns whether it looked present.
    fn remove(&mut self, hash: Self::Hash) -> bool;
}

/// A backend that counts its keys.
#[diagnostic::on_unimplemented(
    message = "a filter of `{Self}` does not count its keys",
    note = "a `CuckooFilter`, a `CountingBloomFilter` and a `redisbloom::BloomFilter` do; `stats` estimates for others"
)]
pub trait Counted: Backend {
    /// Returns the number of keys.
    fn count(&self) -> u64;
}
