//! The traits that a kind of filter implements. [`Filter`](crate::Filter) builds on them the methods that all kinds share.
//!
//! A kind is a type that sets and tests the places of a key's hash, and an alias of `Filter` with this type:
//! [`BlockedBloomFilter`](crate::BlockedBloomFilter) is `Filter<Blocked, F>`. It implements [`Backend`], one of [`Exclusive`] and
//! [`Concurrent`], and what else it can do.

use alloc::vec::Vec;

use crate::envelope::{Reader, Writer};
use crate::error::{Error, Outcome};
use crate::hash::Hash128;
use crate::stats::Stats;

#[cfg(target_has_atomic = "64")]
pub use crate::blocked::AtomicBlocks;
pub use crate::blocked::{Blocked, Blocks};
pub use crate::bloom::Bloom;
pub use crate::counting::Counting;
pub use crate::cuckoo::Cuckoo;
pub use crate::redisbloom::Chain;
pub use crate::rotating::Rotating;

/// The places of keys in memory, found by the hashes of the keys.
pub trait Backend: Sized {
    /// The name of the filter's alias, which `Debug` shows.
    const NAME: &'static str;

    /// The part of a hash that places are made of: all of it, or `h1` alone, a `u64`.
    type Hash: Copy + Default + From<Hash128>;

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
}

/// A backend that is stored in the envelope.
pub trait Enveloped: Backend {
    /// The first eight bytes of the envelope.
    const MAGIC: [u8; 8];

    /// Returns the number of bytes between header and checksum.
    fn contents_len(&self) -> u64;

    /// Writes these bytes.
    ///
    /// # Errors
    ///
    /// The errors of the writer.
    fn write<E>(&self, writer: &mut Writer<'_, E>) -> Result<(), E>;

    /// Reads these bytes.
    ///
    /// # Errors
    ///
    /// [`Error`] names the value that no filter has.
    fn read(reader: &mut Reader<'_>) -> Result<Self, Error>;
}

/// A backend whose format does not say how keys are hashed: the funnel of its filter is chosen.
#[diagnostic::on_unimplemented(
    message = "filters of `{Self}` have a hash of their own",
    note = "`spark::BloomFilter` and `redisbloom::BloomFilter` are made and read without a funnel"
)]
pub trait AnyFunnel: Enveloped {
    /// The size of a filter.
    type Parameters;

    /// Returns the parameters for this many keys at this rate.
    ///
    /// # Errors
    ///
    /// The errors of the `new` of the parameters.
    fn sized(capacity: u64, rate: f64) -> Result<Self::Parameters, Error>;

    /// Returns a backend without keys.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`](crate::Error::OutOfMemory), and [`TooLarge`](crate::Error::TooLarge) for a counting filter.
    fn new(parameters: &Self::Parameters) -> Result<Self, Error>;
}

/// A backend whose filters have the fast hash, [`Xxph3`](crate::Xxph3), unless another funnel is given.
pub trait Fast: AnyFunnel {}

/// A backend that one thread at a time changes.
pub trait Exclusive: Backend {
    /// The result of inserting a key: true if the key was certainly absent, or an error.
    type New: Inserted<bool>;

    /// The result of inserting many keys.
    type Done: Inserted<()> + Outcome;

    /// Inserts a key.
    fn insert(&mut self, hash: Self::Hash) -> Self::New;

    /// Inserts keys in order, until one is refused.
    fn insert_batch(&mut self, hashes: &[Self::Hash]) -> Self::Done;

    /// Removes all keys and keeps the memory.
    fn clear(&mut self);
}

/// A backend that threads change through a shared reference.
pub trait Concurrent: Compatible {
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

/// A backend of which two can have equal parameters.
#[diagnostic::on_unimplemented(
    message = "filters of `{Self}` cannot be compared or be generations",
    note = "`BlockedBloomFilter`, `RotatingFilter`, `guava::BloomFilter`, `spark::BloomFilter` and those for many threads can"
)]
pub trait Compatible: Backend {
    /// Checks that the backends differ in their keys alone.
    ///
    /// # Errors
    ///
    /// [`Incompatible`](crate::Error::Incompatible) names the first difference and both values.
    fn check_compatible(&self, other: &Self) -> Result<(), Error>;
}

/// A backend that takes the keys of another one.
#[diagnostic::on_unimplemented(
    message = "two filters of `{Self}` cannot become one",
    note = "`BlockedBloomFilter`, `RotatingFilter`, `guava::BloomFilter`, `spark::BloomFilter` and those for many threads can be merged"
)]
pub trait Merge: Compatible + Exclusive {
    /// Adds the keys of a compatible backend.
    fn merge(&mut self, other: &Self);
}

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

/// A backend that tests several places of a key.
pub trait Probed: Backend {
    /// Returns the number of these places.
    fn probe_count(&self) -> u32;

    /// Returns the number of set bits, or of counters that are not 0.
    fn ones(&self) -> u64 {
        self.stats().taken
    }

    /// Estimates the number of different keys.
    fn estimated_len(&self) -> Option<u64> {
        self.stats().len
    }
}

/// The value that an insertion returns. Insertions that cannot fail return it without a `Result`.
pub trait Inserted<T> {
    /// Returns the result.
    ///
    /// # Errors
    ///
    /// The error of the insertion.
    fn result(self) -> Result<T, Error>;
}

impl<T> Inserted<T> for T {
    #[inline]
    fn result(self) -> Result<T, Error> {
        Ok(self)
    }
}

impl<T> Inserted<T> for Result<T, Error> {
    #[inline]
    fn result(self) -> Self {
        self
    }
}
