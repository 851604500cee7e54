//! RedisBloom's Bloom filter, which grows: the chain behind `BF.RESERVE`, `BF.ADD` and `BF.EXISTS`, byte for byte.

use alloc::vec;
use alloc::vec::Vec;
use core::mem;

use crate::batch;
use crate::error::{Error, ErrorKind};

mod chunks;
mod link;
mod parameters;

use link::{Link, Probes};

pub use link::RedisBloomHash;
pub use parameters::{RedisBloomLink, RedisBloomParameters};

/// The filter of Redis 8 and of the module RedisBloom: a chain of Bloom filters for any number of keys, which a server loads.
///
/// The filter starts with one link, and opens another, larger and of half its rate, when the last one has as many keys as it
/// is for. A key is contained if any link contains it. *No false negatives*: an inserted key is contained. A chain that does
/// not scale has one link and refuses further keys instead.
///
/// Equal calls in equal order give the chain of a server, bit for bit. [`chunks`](Self::chunks) are what `BF.SCANDUMP` returns
/// and `BF.LOADCHUNK` takes; loading them takes a thousandth of the time of inserting the keys there.
///
/// A query may read every link, so many small links make it slow. Start with the capacity that you expect.
///
/// ```
/// use membership_filters::{RedisBloomFilter, RedisBloomParameters};
///
/// // BF.RESERVE seen 0.01 1000
/// let mut seen = RedisBloomFilter::new(&RedisBloomParameters::new(1_000, 0.01))?;
/// for id in 0..5_000 {
///     seen.insert(format!("user-{id}").as_bytes())?; // BF.ADD
/// }
/// assert!(seen.contains(b"user-7")); // BF.EXISTS
/// assert_eq!(seen.stats().links, 3); // BF.INFO
///
/// // BF.LOADCHUNK seen ITERATOR BYTES
/// let chunks: Vec<(i64, Vec<u8>)> = seen.chunks().collect();
/// assert_eq!((chunks.len(), chunks[0].0), (4, 1));
/// // What BF.SCANDUMP returned.
/// let read = RedisBloomFilter::from_chunks(chunks.iter().map(|(iterator, bytes)| (*iterator, &bytes[..])))?;
/// assert_eq!(read, seen);
/// # Ok::<(), membership_filters::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RedisBloomFilter {
    /// The factor between the capacities of links, if the chain scales; no more than a number in the header if not.
    expansion: u32,
    is_scaling: bool,
    /// The full links, oldest first.
    full: Vec<Link>,
    /// The link that takes new keys.
    last: Link,
}

/// The state of a filter, as `BF.INFO` returns it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RedisBloomStats {
    /// The number of keys that all links are for.
    pub capacity: u64,
    /// The bytes that the filter takes on a server of 64 bits.
    pub size: u64,
    /// The number of links.
    pub links: u64,
    /// The number of insertions that changed bits.
    pub len: u64,
    /// The factor between the capacities of links; `None` if the chain does not scale.
    pub expansion: Option<u32>,
}

impl RedisBloomFilter {
    /// Creates an empty filter of one link.
    ///
    /// # Errors
    ///
    /// The errors of [`RedisBloomParameters::first_link`], and [`ErrorKind::OutOfMemory`].
    pub fn new(parameters: &RedisBloomParameters) -> Result<Self, Error> {
        Ok(Self {
            expansion: parameters.expansion,
            is_scaling: parameters.is_scaling,
            full: Vec::new(),
            last: Link::new(parameters.first_link()?)?,
        })
    }

    /// Inserts a key, and opens a new link before if the last one is full. Returns true if the key was certainly absent; if it
    /// looked present in any link, nothing changes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Full`] if the chain does not scale, and the errors of a new link; the filter is then unchanged.
    pub fn insert(&mut self, key: &[u8]) -> Result<bool, Error> {
        self.insert_hashed(RedisBloomHash::of(key))
    }

    /// Returns whether the key might be in the filter; false is certain.
    #[must_use]
    pub fn contains(&self, key: &[u8]) -> bool {
        self.contains_hashed(RedisBloomHash::of(key))
    }

    /// Inserts a key that is hashed already, like [`insert`](Self::insert).
    ///
    /// # Errors
    ///
    /// The errors of [`insert`](Self::insert).
    pub fn insert_hashed(&mut self, hash: RedisBloomHash) -> Result<bool, Error> {
        if self.full.iter().rev().any(|link| link.contains(hash)) {
            return Ok(false);
        }
        if self.last.len == self.last.shape.capacity {
            if self.last.contains(hash) {
                return Ok(false);
            }
            // If it cannot be opened, nothing has changed.
            let next = self.next_link()?;
            Error::reserve(&mut self.full, 1)?;
            self.full.push(mem::replace(&mut self.last, next));
        }
        Ok(self.last.insert(hash))
    }

    fn next_link(&self) -> Result<Link, Error> {
        let RedisBloomLink { capacity, rate, .. } = self.last.shape;
        if !self.is_scaling {
            let (thing, range) = ("the keys of a chain that does not scale", "at most its capacity");
            let got = format_args!("one more than {capacity}");
            return Err(Error::new(ErrorKind::Full, thing, range, got));
        }
        // A number that is too large is refused.
        let capacity = capacity.saturating_mul(self.expansion.into());
        Link::new(RedisBloomLink::new(capacity, rate * 0.5)?)
    }

    /// Returns whether a key that is hashed already might be in the filter.
    #[must_use]
    pub fn contains_hashed(&self, hash: RedisBloomHash) -> bool {
        // Most keys are in the newest links, which are the largest.
        self.last.contains(hash) || self.full.iter().rev().any(|link| link.contains(hash))
    }

    /// Inserts the keys in order, and returns for each what [`insert`](Self::insert) would return. In filters that are larger
    /// than the processor's caches this takes a fraction of the time of single calls.
    ///
    /// # Errors
    ///
    /// The errors of [`insert`](Self::insert); the keys before are then inserted.
    pub fn insert_many<K: AsRef<[u8]>>(&mut self, keys: &[K]) -> Result<Vec<bool>, Error> {
        self.insert_many_hashed(&hashes(keys))
    }

    /// Returns whether each key might be in the filter, in the order of the keys. In filters that are larger than the
    /// processor's caches this takes a fraction of the time of single calls.
    #[must_use]
    pub fn contains_many<K: AsRef<[u8]>>(&self, keys: &[K]) -> Vec<bool> {
        self.contains_many_hashed(&hashes(keys))
    }

    /// Inserts keys that are hashed already, like [`insert_many`](Self::insert_many).
    ///
    /// # Errors
    ///
    /// The errors of [`insert_many`](Self::insert_many).
    pub fn insert_many_hashed(&mut self, hashes: &[RedisBloomHash]) -> Result<Vec<bool>, Error> {
        let Link { bits, shape, len } = &mut self.last;
        let modulus = bits.modulus();
        if self.full.is_empty() && !bits.are_near() && hashes.len() as u64 <= shape.capacity - *len {
            let start = |&hash: &_| (hash, modulus);
            let new = batch::insert::<Probes, _, _>(bits, shape.probe_count, hashes, start);
            *len += new.iter().map(|&is_new| u64::from(is_new)).sum::<u64>();
            return Ok(new);
        }
        hashes.iter().map(|&hash| self.insert_hashed(hash)).collect()
    }

    /// Returns for each key that is hashed already whether it might be in the filter, like
    /// [`contains_many`](Self::contains_many).
    #[must_use]
    pub fn contains_many_hashed(&self, hashes: &[RedisBloomHash]) -> Vec<bool> {
        let mut answers = vec![false; hashes.len()];
        for Link { shape, bits, .. } in self.links() {
            let start = |&hash: &_| (hash, bits.modulus());
            let found = batch::contains::<Probes, _, _, _>(bits, shape.probe_count, hashes, start);
            for (answer, found) in answers.iter_mut().zip(found) {
                *answer |= found;
            }
        }
        answers
    }

    /// Returns the probability that an absent key seems to be in the filter now: `1 - product of (1 - (ones / bits)^k)` over
    /// all links. Reads the whole filter.
    pub fn expected_rate(&self) -> f64 {
        let none = self.links().map(|link| libm::log1p(-link.rate()));
        // An empty filter's sum is a negative zero.
        -libm::expm1(none.sum()) + 0.0
    }

    /// Returns the state of the filter.
    pub fn stats(&self) -> RedisBloomStats {
        let sum = |of: fn(&Link) -> u64| self.links().map(of).fold(0, u64::saturating_add);
        RedisBloomStats {
            capacity: sum(|link| link.shape.capacity),
            // The server counts 32 bytes for the chain, and 64 for each link.
            size: sum(|link| 64 + link.shape.bits / 8) + 32,
            links: sum(|_| 1),
            len: sum(|link| link.len),
            expansion: self.is_scaling.then_some(self.expansion),
        }
    }

    fn links(&self) -> impl Iterator<Item = &Link> {
        self.full.iter().chain([&self.last])
    }
}

fn hashes<K: AsRef<[u8]>>(keys: &[K]) -> Vec<RedisBloomHash> {
    keys.iter().map(|key| RedisBloomHash::of(key.as_ref())).collect()
}
