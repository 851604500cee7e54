//! The methods of policies that hash keys, beyond the contract with engines.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use filter_kernels::Keys;

#[cfg(feature = "alloc")]
use crate::building::{append_with, collect};
use crate::building::{for_each_batch, room, without_repeats, written};
use crate::error::Error;
use crate::filter_bytes::FilterBytes;
use crate::key_hash::{HashFunction, HashValue};
use crate::keys::KeyBatch;
use crate::policy::FilterPolicy;

/// The methods that the project's own policies add to [`FilterPolicy`]: they hash each key once, and accept hash values
/// as well as keys.
///
/// Every method that builds writes the same bytes for the same keys in the same order:
///
/// | from | into a slice | appended to a `Vec` (feature `alloc`) |
/// |---|---|---|
/// | keys of any iterator | [`build_in`](Self::build_in) | `build`, as a new `Vec` |
/// | a [`KeyBatch`] | [`build_batch_in`](Self::build_batch_in) | `append_batch` |
/// | hash values of any iterator | [`build_raw_hashes_in`](Self::build_raw_hashes_in) | `append_raw_hashes` |
///
/// Batches are fastest: kernels hash 8 or 16 of their keys at a time. Methods that write into a slice need a `Clone`
/// iterator, because the number of keys must be known before the filter is written; an iterator without an exact size
/// hint is run twice. Methods that allocate collect the hash values instead. For keys that come one by one, there is
/// `FilterBuilder`: no method adds keys to a finished filter.
///
/// All of these return [`Error::BufferTooShort`] when the slice cannot hold the filter, [`Error::FilterTooLarge`] when
/// no slice could, and [`Error::AllocationFailed`] when there is no memory; the slice or vector is then unchanged.
///
/// Hash values without their function are called raw: they must be those of [`hash_key`](Self::hash_key) of this policy,
/// and a filter of others denies the keys. [`FilterPolicy::create_from_hashes`] checks the function.
///
/// To query one filter for many keys, see [`FilterPolicy::prepare`]; to query many filters for one key, see
/// [`HashedKey`](crate::HashedKey).
///
/// A policy implements [`hash_function`](Self::hash_function), [`hash_key`](Self::hash_key) and [`fill`](Self::fill); the
/// rest follows, and [`hashed_methods`](crate::hashed_methods) writes the methods of [`FilterPolicy`] that use it.
/// Another hash function in LevelDB's layout needs only a [`KeyHasher`](crate::hashers::KeyHasher).
#[cfg_attr(
    feature = "alloc",
    doc = r#"
```
use filter_policy::{BloomFilterPolicy, HashedPolicy};

let policy = BloomFilterPolicy::new(10.into());
let ids = [*b"0001", *b"0002", *b"0003"];
let filter = policy.build(ids)?;

let mut buffer = [0; 64];
assert_eq!(policy.build_batch_in(&ids, &mut buffer)?, filter);
let mut appended = Vec::new();
policy.append_raw_hashes(ids.iter().map(|id| policy.hash_key(id)), &mut appended)?;
assert_eq!(appended, filter);
# Ok::<(), filter_policy::Error>(())
```
"#
)]
pub trait HashedPolicy: FilterPolicy {
    /// The type of hash values: `u32` or `u64`.
    type Hash: HashValue;

    /// Set if a hash value equal to the previous one is dropped and not counted, as in RocksDB
    /// (`XXPH3FilterBitsBuilder::AddKey`): equal keys are adjacent in sorted input.
    const DROPS_REPEATS: bool = false;

    /// Returns the identity of the hash function, which the policy has made once: see [`HashFunction::new`].
    fn hash_function(&self) -> HashFunction;

    /// Returns the hash value of a key.
    fn hash_key(&self, key: &[u8]) -> Self::Hash;

    /// Writes the filter of these values, which are usually as many as the filter was made for, over whatever the bytes
    /// hold. Returns the number of values; [`for_each_batch`](crate::building::for_each_batch) does.
    fn fill(&self, filter: NewFilter<'_>, hashes: impl Iterator<Item = Self::Hash>) -> usize;

    /// Writes the filter of these keys over whatever the bytes hold, and returns the number of keys whose value was
    /// dropped; `None` if keys must be hashed one by one.
    fn fill_with_keys(&self, filter: NewFilter<'_>, keys: Keys<'_>) -> Option<usize> {
        let _ = (filter, keys);
        None
    }

    /// Writes the filter of keys with these hash values to the start of `out` and returns the part written.
    ///
    /// If the iterator's size hint is wrong, the filter has another size but still holds every value.
    ///
    /// # Errors
    ///
    /// [`Error::BufferTooShort`], [`Error::FilterTooLarge`].
    fn build_raw_hashes_in<'out, I>(&self, hashes: I, out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error>
    where
        I: IntoIterator<Item = Self::Hash, IntoIter: Clone>,
    {
        let hashes = hashes.into_iter();
        let mut count = announced(&hashes).unwrap_or_else(|| hashes.clone().count());
        let mut len = self.max_filter_len(count)?;
        // Without repeats, one pass over the values is enough. If dropped repeats make the filter smaller, or a filter
        // of all values does not fit, the kept values are counted first.
        if Self::DROPS_REPEATS {
            let kept = if len <= out.len() {
                write(self, count, len, hashes.clone(), out)?
            } else {
                for_each_batch(without_repeats(hashes.clone()), |_| ())
            };
            let kept_len = self.max_filter_len(kept)?;
            if kept_len == len {
                return written(out, len);
            }
            (count, len) = (kept, kept_len);
        }
        write(self, count, len, hashes, out)?;
        written(out, len)
    }

    /// [`build_raw_hashes_in`](Self::build_raw_hashes_in) for values in memory, which are not copied.
    ///
    /// # Errors
    ///
    /// [`Error::BufferTooShort`], [`Error::FilterTooLarge`], [`Error::AllocationFailed`].
    fn build_raw_slice_in<'out>(
        &self,
        hashes: &[Self::Hash],
        out: &'out mut [u8],
    ) -> Result<FilterBytes<'out>, Error> {
        self.build_raw_hashes_in(hashes.iter().copied(), out)
    }

    /// Writes the filter of these keys to the start of `out` and returns the part written; the fastest method.
    ///
    /// # Errors
    ///
    /// [`Error::BufferTooShort`], [`Error::FilterTooLarge`].
    fn build_batch_in<'out, 'k>(
        &self,
        keys: impl Into<KeyBatch<'k>>,
        out: &'out mut [u8],
    ) -> Result<FilterBytes<'out>, Error> {
        let batch = keys.into();
        let len = self.max_filter_len(batch.len())?;
        let fill = |keys: Keys<'_>, bytes: &mut [u8]| {
            self.fill_with_keys(
                NewFilter {
                    keys: keys.len(),
                    bytes,
                },
                keys,
            )
        };
        let filled = batch
            .for_kernels()
            .zip(out.get_mut(..len))
            .and_then(|(keys, bytes)| Some((keys, fill(keys, bytes)?)));
        match filled {
            Some((_, 0)) => written(out, len),
            Some((keys, dropped)) => {
                let filter = room(out, self.max_filter_len(batch.len() - dropped)?)?;
                if filter.len() != len {
                    fill(keys, filter);
                }
                Ok(filter.into())
            }
            None => match batch.for_kernels() {
                // The usual keys, without a look at their form for each.
                Some(Keys::Slices(keys)) => self.build_in(keys, out),
                _ => self.build_in(batch.iter(), out),
            },
        }
    }

    /// Writes the filter of these keys to the start of `out` and returns the part written; see
    /// [`build_raw_hashes_in`](Self::build_raw_hashes_in).
    ///
    /// # Errors
    ///
    /// [`Error::BufferTooShort`], [`Error::FilterTooLarge`].
    fn build_in<'out, I>(&self, keys: I, out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error>
    where
        I: IntoIterator<Item: AsRef<[u8]>, IntoIter: Clone>,
    {
        self.build_raw_hashes_in(keys.into_iter().map(|key| self.hash_key(key.as_ref())), out)
    }

    /// Appends the filter of keys with these hash values to `out`.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`], [`Error::AllocationFailed`].
    #[cfg(feature = "alloc")]
    fn append_raw_hashes(
        &self,
        hashes: impl IntoIterator<Item = Self::Hash>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let hashes = hashes.into_iter();
        let announced = announced(&hashes).filter(|_| !Self::DROPS_REPEATS);
        if let Some(count) = announced {
            let len = self.max_filter_len(count)?;
            return append_with(out, len, |room| {
                write(self, count, len, hashes, room).map(|_| len)
            });
        }
        let hashes = if Self::DROPS_REPEATS {
            collect(without_repeats(hashes))?
        } else {
            collect(hashes)?
        };
        let len = self.max_filter_len(hashes.len())?;
        append_with(out, len, |room| {
            write(self, hashes.len(), len, hashes.iter().copied(), room).map(|_| len)
        })
    }

    /// Appends the filter of these keys to `out`; the fastest method.
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
    /// An engine that goes on without a filter stores one that matches every key. No bytes are the filter of no keys, so
    /// `unwrap_or_default` would deny every key:
    ///
    /// ```
    /// use filter_policy::{BloomFilterPolicy, HashedPolicy, MATCHES_EVERYTHING};
    ///
    /// let built = BloomFilterPolicy::new(10.into()).build(["apple", "banana"]);
    /// let stored = built.unwrap_or(MATCHES_EVERYTHING.to_vec());
    /// assert_eq!(stored.len(), 9);
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`], [`Error::AllocationFailed`].
    #[cfg(feature = "alloc")]
    fn build(&self, keys: impl IntoIterator<Item: AsRef<[u8]>>) -> Result<Vec<u8>, Error> {
        let mut filter = Vec::new();
        let hashes = keys.into_iter().map(|key| self.hash_key(key.as_ref()));
        self.append_raw_hashes(hashes, &mut filter).map(|()| filter)
    }
}

/// Implements `create_filter`, `key_hash` and `create_from_hashes` inside an implementation of [`FilterPolicy`] for a
/// [`HashedPolicy`], from which they follow.
#[macro_export]
macro_rules! hashed_methods {
    () => {
        fn create_filter<'out>(
            &self,
            keys: &[&[u8]],
            out: &'out mut [u8],
        ) -> Result<$crate::FilterBytes<'out>, $crate::Error> {
            $crate::HashedPolicy::build_batch_in(self, keys, out)
        }

        #[inline]
        fn key_hash(&self, key: &[u8]) -> Option<$crate::KeyHash> {
            let function = $crate::HashedPolicy::hash_function(self);
            Some($crate::KeyHash::new(
                function,
                $crate::HashedPolicy::hash_key(self, key),
            ))
        }

        fn create_from_hashes<'out>(
            &self,
            hashes: $crate::KeyHashes<'_>,
            out: &'out mut [u8],
        ) -> Result<$crate::FilterBytes<'out>, $crate::Error> {
            let hashes = hashes.of($crate::HashedPolicy::hash_function(self))?;
            $crate::HashedPolicy::build_raw_slice_in(self, hashes, out)
        }
    };
}

pub(crate) use hashed_methods;

/// Returns the number of values if the iterator's size hint is exact.
fn announced(values: &impl Iterator) -> Option<usize> {
    // Not `len`, which panics if the bounds of the hint differ.
    let (lower, upper) = values.size_hint();
    (upper == Some(lower)).then_some(lower)
}

/// Writes a filter of this length, sized for `count` values, and returns the number of values inserted.
fn write<P: HashedPolicy + ?Sized>(
    policy: &P,
    count: usize,
    len: usize,
    hashes: impl Iterator<Item = P::Hash>,
    out: &mut [u8],
) -> Result<usize, Error> {
    let filter = NewFilter {
        keys: count,
        bytes: room(out, len)?,
    };
    Ok(if P::DROPS_REPEATS {
        policy.fill(filter, without_repeats(hashes))
    } else {
        policy.fill(filter, hashes)
    })
}

/// The bytes of a filter that is being built, which [`HashedPolicy::fill`] writes as a whole.
///
/// Only the building methods of [`HashedPolicy`] make one, of the length that
/// [`max_filter_len`](FilterPolicy::max_filter_len) gives for its number of keys: no finished filter is ever written to.
///
/// ```compile_fail,E0451
/// let mut finished = [0; 9];
/// let _ = filter_policy::NewFilter { keys: 1, bytes: &mut finished };
/// ```
#[derive(Debug)]
pub struct NewFilter<'a> {
    keys: usize,
    bytes: &'a mut [u8],
}

impl<'a> NewFilter<'a> {
    /// Returns the number of keys that the filter is made for.
    pub const fn keys(&self) -> usize {
        self.keys
    }

    /// Returns the bytes.
    pub const fn into_bytes(self) -> &'a mut [u8] {
        self.bytes
    }

    /// Writes the last bytes, and returns those before them.
    pub fn ending_in<const N: usize>(self, tail: [u8; N]) -> &'a mut [u8] {
        match self.bytes.split_last_chunk_mut() {
            Some((bytes, last)) => {
                *last = tail;
                bytes
            }
            None => &mut [],
        }
    }
}
