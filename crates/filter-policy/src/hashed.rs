//! What policies that hash keys offer beyond the contract with engines.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use crate::arch::KernelToken;
use crate::batches::for_each_batch;
use crate::error::Error;
use crate::hash_value::{HashValue, Sealed};
use crate::keys::{KeyBatch, Keys};
use crate::layouts::answers::{each, words_for};
use crate::policy::FilterPolicy;
#[cfg(feature = "alloc")]
use crate::policy::append_with;

/// A policy of this crate that hashes each key once, and can be given and asked for hash values as well as keys.
///
/// Every method that builds writes the same bytes for the same keys in the same order:
///
/// | from | into a slice | appended to a `Vec` (feature `alloc`) | as a new `Vec` (feature `alloc`) |
/// |---|---|---|---|
/// | keys of any iterator | [`build_in`](Self::build_in) | `append` | `build` |
/// | a [`KeyBatch`] | [`build_batch_in`](Self::build_batch_in) | `append_batch` | `build_batch` |
/// | hash values of any iterator | [`build_hashes_in`](Self::build_hashes_in) | `append_hashes` | `build_hashes` |
///
/// Batches are fastest: kernels hash 8 or 16 of their keys at a time. An iterator into a slice must be `Clone`, because the
/// number of keys has to be known before the filter is written; an iterator that does not know it is run twice. Where
/// memory can be allocated, its hash values are collected instead.
///
/// All of these return [`Error::BufferTooShort`] when a slice cannot hold the filter, [`Error::FilterTooLarge`] when no
/// slice could, and [`Error::AllocationFailed`] when there is no memory; slice and vector are then unchanged.
///
/// To ask one filter many times, see [`FilterPolicy::prepare`]; many filters for one key, [`hashed_key`](Self::hashed_key).
///
/// The trait is sealed: a policy of another crate implements [`FilterPolicy`], and a hash function
/// [`KeyHasher`](crate::hashers::KeyHasher).
#[cfg_attr(
    feature = "alloc",
    doc = r#"
```
use filter_policy::{BitsPerKey, BloomFilter64Policy, HashedPolicy};

let policy = BloomFilter64Policy::new(BitsPerKey::whole(10));
let ids = [*b"0001", *b"0002", *b"0003"];
let filter = policy.build(ids)?;

let mut buffer = [0; 64];
assert_eq!(policy.build_batch_in(&ids, &mut buffer)?, filter);
assert_eq!(policy.build_hashes(ids.iter().map(|id| policy.hash_key(id)))?, filter);
# Ok::<(), filter_policy::Error>(())
```
"#
)]
pub trait HashedPolicy: FilterPolicy + Sealed {
    /// The type of hash values: `u32` or `u64`.
    type Hash: HashValue;

    /// Returns the hash value of a key.
    fn hash_key(&self, key: &[u8]) -> Self::Hash;

    /// Writes the filter of keys with these hash values to the start of `out` and returns the part written.
    ///
    /// An iterator that announces a wrong number of values makes a filter of another size that still holds every value.
    ///
    /// # Errors
    ///
    /// [`Error::BufferTooShort`], [`Error::FilterTooLarge`].
    fn build_hashes_in<'out, I>(&self, hashes: I, out: &'out mut [u8]) -> Result<&'out mut [u8], Error>
    where
        I: IntoIterator<Item = Self::Hash, IntoIter: Clone>;

    /// Writes the filter of these keys to the start of `out` and returns the part written: the fastest way.
    ///
    /// # Errors
    ///
    /// [`Error::BufferTooShort`], [`Error::FilterTooLarge`].
    fn build_batch_in<'out, 'k>(
        &self,
        keys: impl Into<KeyBatch<'k>>,
        out: &'out mut [u8],
    ) -> Result<&'out mut [u8], Error>;

    /// Writes the filter of these keys to the start of `out` and returns the part written; see
    /// [`build_hashes_in`](Self::build_hashes_in).
    ///
    /// # Errors
    ///
    /// [`Error::BufferTooShort`], [`Error::FilterTooLarge`].
    fn build_in<'out, I>(&self, keys: I, out: &'out mut [u8]) -> Result<&'out mut [u8], Error>
    where
        I: IntoIterator<Item: AsRef<[u8]>, IntoIter: Clone>,
    {
        self.build_hashes_in(keys.into_iter().map(|key| self.hash_key(key.as_ref())), out)
    }

    /// Appends the filter of keys with these hash values to `out`.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`], [`Error::AllocationFailed`].
    #[cfg(feature = "alloc")]
    fn append_hashes(
        &self,
        hashes: impl IntoIterator<Item = Self::Hash>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error>;

    /// Appends the filter of these keys to `out`.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`], [`Error::AllocationFailed`].
    #[cfg(feature = "alloc")]
    fn append(&self, keys: impl IntoIterator<Item: AsRef<[u8]>>, out: &mut Vec<u8>) -> Result<(), Error> {
        self.append_hashes(keys.into_iter().map(|key| self.hash_key(key.as_ref())), out)
    }

    /// Appends the filter of these keys to `out`: the fastest way.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`], [`Error::AllocationFailed`].
    #[cfg(feature = "alloc")]
    fn append_batch<'k>(&self, keys: impl Into<KeyBatch<'k>>, out: &mut Vec<u8>) -> Result<(), Error> {
        let keys = keys.into();
        append_with(out, self.max_filter_len(keys.len())?, |room| {
            self.build_batch_in(keys, room).map(|filter| filter.len())
        })
    }

    /// Returns the filter of these keys.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`], [`Error::AllocationFailed`].
    #[cfg(feature = "alloc")]
    fn build(&self, keys: impl IntoIterator<Item: AsRef<[u8]>>) -> Result<Vec<u8>, Error> {
        let mut filter = Vec::new();
        self.append(keys, &mut filter).map(|()| filter)
    }

    /// Returns the filter of these keys: the fastest way.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`], [`Error::AllocationFailed`].
    #[cfg(feature = "alloc")]
    fn build_batch<'k>(&self, keys: impl Into<KeyBatch<'k>>) -> Result<Vec<u8>, Error> {
        let mut filter = Vec::new();
        self.append_batch(keys, &mut filter).map(|()| filter)
    }

    /// Returns the filter of keys with these hash values.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`], [`Error::AllocationFailed`].
    #[cfg(feature = "alloc")]
    fn build_hashes(&self, hashes: impl IntoIterator<Item = Self::Hash>) -> Result<Vec<u8>, Error> {
        let mut filter = Vec::new();
        self.append_hashes(hashes, &mut filter).map(|()| filter)
    }

    /// Hashes a key that many filters will be asked for.
    #[inline]
    fn hashed_key<'a>(&'a self, key: &'a [u8]) -> HashedKey<'a, Self>
    where
        Self: Sized,
    {
        HashedKey {
            policy: self,
            kernel: self.kernel_token(),
            key,
            hash: self.hash_key(key),
        }
    }

    #[doc(hidden)]
    fn kernel_token(&self) -> KernelToken;

    #[doc(hidden)]
    fn hashed_may_match(&self, kernel: KernelToken, key: &[u8], hash: Self::Hash, filter: &[u8]) -> bool;

    #[doc(hidden)]
    fn hashed_may_match_each(
        &self,
        kernel: KernelToken,
        key: &[u8],
        hash: Self::Hash,
        filters: &[&[u8]],
        answers: &mut [u64],
    ) {
        each(filters.iter(), answers, |filter| {
            self.hashed_may_match(kernel, key, hash, filter)
        });
    }
}

/// A key, hashed once, for queries to many filters of a policy.
///
/// Reads of a log-structured tree query one level after the other until they find the key. Hashing once pays from the
/// second filter on, and more for longer keys. [`HashedPolicy::hashed_key`] makes it.
///
/// ```
/// use filter_policy::{BitsPerKey, BloomFilterPolicy, HashedPolicy};
///
/// let policy = BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(10));
/// let (mut young, mut old) = ([0; 64], [0; 64]);
/// let levels = [&*policy.build_in(["a", "b"], &mut young)?, policy.build_in(["c", "d"], &mut old)?];
///
/// let key = policy.hashed_key(b"c");
/// assert_eq!(levels.iter().position(|filter| key.may_match(filter)), Some(1));
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct HashedKey<'a, P: HashedPolicy> {
    policy: &'a P,
    kernel: KernelToken,
    key: &'a [u8],
    hash: P::Hash,
}

impl<P: HashedPolicy> HashedKey<'_, P> {
    /// Returns the hash value.
    pub const fn hash(&self) -> P::Hash {
        self.hash
    }

    /// Returns whether the filter may hold the key, as [`FilterPolicy::key_may_match`] does.
    #[inline]
    pub fn may_match(&self, filter: &[u8]) -> bool {
        self.policy
            .hashed_may_match(self.kernel, self.key, self.hash, filter)
    }

    /// Asks many filters: bit `i % 64` of `answers[i / 64]` becomes the answer of filter `i`.
    ///
    /// It writes a word for every 64 filters, sets the bits beyond the last filter to 0, and leaves further words unchanged.
    /// [`SplitBlockBloomPolicy`](crate::parquet::SplitBlockBloomPolicy) fetches the blocks of 64 filters ahead; other
    /// policies ask one filter after the other.
    ///
    /// # Errors
    ///
    /// [`Error::TooFewAnswers`] when `answers` has fewer words than the filters need; it is then unchanged.
    pub fn may_match_each(&self, filters: &[&[u8]], answers: &mut [u64]) -> Result<(), Error> {
        let answers = words_for(filters.len(), answers)?;
        self.policy
            .hashed_may_match_each(self.kernel, self.key, self.hash, filters, answers);
        Ok(())
    }
}

/// A filter whose size follows from the number of its keys, so that it is started and then filled.
pub trait Layout: FilterPolicy {
    type Hash: HashValue;

    /// Whether a hash value that equals the one before it is dropped and not counted, as by RocksDB
    /// (`XXPH3FilterBitsBuilder::AddKey`): equal keys follow each other where keys are sorted.
    const DROPS_REPEATS: bool = false;

    fn kernel(&self) -> KernelToken;

    fn hash_key(&self, key: &[u8]) -> Self::Hash;

    /// Makes a slice, of the length for so many keys, an empty filter.
    fn start(&self, keys: usize, filter: &mut [u8]);

    /// Adds values to a filter that was started, as often as there are any.
    fn insert(&self, filter: &mut [u8], hashes: &[Self::Hash]);

    /// Writes the filter of these keys over a slice of any length and gives the number of keys whose value was dropped;
    /// `None` where keys have to be hashed one by one.
    fn create(&self, keys: Keys<'_>, filter: &mut [u8]) -> Option<usize> {
        let _ = (keys, filter);
        None
    }

    /// Whether a filter, of any bytes, may hold the key with this hash value.
    fn may_match(&self, kernel: KernelToken, key: &[u8], hash: Self::Hash, filter: &[u8]) -> bool;

    /// The same of many filters, for which there are words enough.
    fn may_match_each(
        &self,
        kernel: KernelToken,
        key: &[u8],
        hash: Self::Hash,
        filters: &[&[u8]],
        answers: &mut [u64],
    ) {
        each(filters.iter(), answers, |filter| {
            Layout::may_match(self, kernel, key, hash, filter)
        });
    }
}

impl<L: Layout> Sealed for L {}

impl<L: Layout> HashedPolicy for L {
    type Hash = L::Hash;

    #[inline]
    fn hash_key(&self, key: &[u8]) -> L::Hash {
        Layout::hash_key(self, key)
    }

    fn build_hashes_in<'out, I>(&self, hashes: I, out: &'out mut [u8]) -> Result<&'out mut [u8], Error>
    where
        I: IntoIterator<Item = L::Hash, IntoIter: Clone>,
    {
        let hashes = hashes.into_iter();
        let mut count = announced(&hashes).unwrap_or_else(|| hashes.clone().count());
        let mut len = self.max_filter_len(count)?;
        // Values are taken once where none equals the one before it. Where the filter becomes smaller than the number of
        // values tells, or that does not fit, they are counted first.
        if L::DROPS_REPEATS {
            let kept = if len <= out.len() {
                write(self, count, len, hashes.clone(), out)?
            } else {
                without_repeats(hashes.clone()).count()
            };
            let kept_len = self.max_filter_len(kept)?;
            if kept_len == len {
                return room(out, len);
            }
            (count, len) = (kept, kept_len);
        }
        write(self, count, len, hashes, out)?;
        room(out, len)
    }

    fn build_batch_in<'out, 'k>(
        &self,
        keys: impl Into<KeyBatch<'k>>,
        out: &'out mut [u8],
    ) -> Result<&'out mut [u8], Error> {
        let batch = keys.into();
        let len = self.max_filter_len(batch.len())?;
        let created = batch
            .for_kernels()
            .zip(out.get_mut(..len))
            .and_then(|(keys, filter)| Some((keys, self.create(keys, filter)?)));
        match created {
            Some((_, 0)) => room(out, len),
            Some((keys, dropped)) => {
                let filter = room(out, self.max_filter_len(batch.len() - dropped)?)?;
                if filter.len() != len {
                    self.create(keys, filter);
                }
                Ok(filter)
            }
            None => self.build_in(batch.iter(), out),
        }
    }

    #[cfg(feature = "alloc")]
    fn append_hashes(
        &self,
        hashes: impl IntoIterator<Item = L::Hash>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let hashes = hashes.into_iter();
        let announced = announced(&hashes).filter(|_| !L::DROPS_REPEATS);
        if let Some(count) = announced {
            let len = self.max_filter_len(count)?;
            return append_with(out, len, |room| {
                write(self, count, len, hashes, room).map(|_| len)
            });
        }
        let hashes = if L::DROPS_REPEATS {
            collect(without_repeats(hashes))?
        } else {
            collect(hashes)?
        };
        let len = self.max_filter_len(hashes.len())?;
        append_with(out, len, |room| {
            self.start(hashes.len(), room);
            self.insert(room, &hashes);
            Ok(len)
        })
    }

    #[inline]
    fn kernel_token(&self) -> KernelToken {
        self.kernel()
    }

    #[inline]
    fn hashed_may_match(&self, kernel: KernelToken, key: &[u8], hash: L::Hash, filter: &[u8]) -> bool {
        Layout::may_match(self, kernel, key, hash, filter)
    }

    fn hashed_may_match_each(
        &self,
        kernel: KernelToken,
        key: &[u8],
        hash: L::Hash,
        filters: &[&[u8]],
        answers: &mut [u64],
    ) {
        Layout::may_match_each(self, kernel, key, hash, filters, answers);
    }
}

/// How many values the iterator says that it has, if it says so.
fn announced(values: &impl Iterator) -> Option<usize> {
    // Not `len`, which panics where the two halves of the hint differ.
    let (lower, upper) = values.size_hint();
    (upper == Some(lower)).then_some(lower)
}

/// The part of a slice that a filter takes.
pub(crate) fn room(out: &mut [u8], needed: usize) -> Result<&mut [u8], Error> {
    let given = out.len();
    out.get_mut(..needed)
        .ok_or(Error::BufferTooShort { needed, given })
}

/// Writes a filter of this length, sized for so many values, and returns how many there were.
fn write<L: Layout>(
    layout: &L,
    count: usize,
    len: usize,
    hashes: impl Iterator<Item = L::Hash>,
    out: &mut [u8],
) -> Result<usize, Error> {
    let filter = room(out, len)?;
    layout.start(count, filter);
    let insert = |batch: &[L::Hash]| layout.insert(filter, batch);
    Ok(if L::DROPS_REPEATS {
        for_each_batch(without_repeats(hashes), insert)
    } else {
        for_each_batch(hashes, insert)
    })
}

/// Values but for those that equal the one before them.
pub(crate) fn without_repeats<H: HashValue>(hashes: impl Iterator<Item = H>) -> impl Iterator<Item = H> {
    let mut last = None;
    hashes.filter(move |&hash| last.replace(hash) != Some(hash))
}

#[cfg(feature = "alloc")]
pub(crate) fn collect<H: HashValue>(hashes: impl Iterator<Item = H>) -> Result<Vec<H>, Error> {
    let mut collected = Vec::new();
    for hash in hashes {
        if collected.len() == collected.capacity() {
            // Grows by doubling; the iterator's hint is not believed, it may ask for all of the memory.
            collected.try_reserve(1).map_err(|_| Error::AllocationFailed {
                bytes: collected.len().saturating_add(1).saturating_mul(size_of::<H>()),
            })?;
        }
        collected.push(hash);
    }
    Ok(collected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_follows_at_once_is_a_repeat() {
        // Zero is a value as any other.
        assert!(without_repeats([0_u32, 0, 1, 0, 0, 2].into_iter()).eq([0, 1, 0, 2]));
    }
}
