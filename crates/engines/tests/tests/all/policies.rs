//! Policies that count, or that fail.

use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use filter_policy::leveldb::Murmur2;
use filter_policy::{BitsPerKey, BloomFilterPolicy, Error, FilterBytes, FilterPolicy, KeyHash, KeyHashes};

pub(crate) const TEN: BitsPerKey = BitsPerKey::whole(10);
pub(crate) const BLOOM: BloomFilterPolicy<Murmur2> = BloomFilterPolicy::new(TEN);

/// A policy under this name that counts queries and denials.
#[derive(Clone)]
pub(crate) struct Counted {
    name: String,
    policy: Arc<dyn FilterPolicy + Send + Sync>,
    counts: Arc<[AtomicU64; 2]>,
}

impl Counted {
    pub(crate) fn new(policy: impl FilterPolicy + Send + Sync + 'static) -> Self {
        Self::named(policy.name().to_owned(), policy)
    }

    pub(crate) fn named(name: impl Into<String>, policy: impl FilterPolicy + Send + Sync + 'static) -> Self {
        Self {
            name: name.into(),
            policy: Arc::new(policy),
            counts: Arc::default(),
        }
    }

    /// Returns the queries and the denials of this policy and its clones.
    pub(crate) fn counts(&self) -> [u64; 2] {
        [0, 1].map(|index| self.counts[index].load(Ordering::Relaxed))
    }
}

impl FilterPolicy for Counted {
    fn name(&self) -> &str {
        &self.name
    }

    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        self.policy.max_filter_len(keys)
    }

    fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
        self.policy.create_filter(keys, out)
    }

    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        let answer = self.policy.key_may_match(key, filter);
        for (count, more) in self.counts.iter().zip([true, !answer]) {
            count.fetch_add(more.into(), Ordering::Relaxed);
        }
        answer
    }

    fn key_hash(&self, key: &[u8]) -> Option<KeyHash> {
        self.policy.key_hash(key)
    }

    fn create_from_hashes<'out>(
        &self,
        hashes: KeyHashes<'_>,
        out: &'out mut [u8],
    ) -> Result<FilterBytes<'out>, Error> {
        self.policy.create_from_hashes(hashes, out)
    }
}

/// A policy that builds no filter and denies every key, so that its answers must not be used.
pub(crate) struct Failing {
    pub(crate) name: &'static str,
    /// Makes the hash values of keys, except that of the empty key, from those of [`BLOOM`].
    pub(crate) hash: fn(KeyHash) -> Option<KeyHash>,
    pub(crate) len: Result<usize, Error>,
    /// True if it builds empty filters, and no error.
    pub(crate) builds_empty: bool,
}

impl Failing {
    pub(crate) fn named(name: &'static str) -> Self {
        Self {
            name,
            hash: Some,
            len: Ok(1),
            builds_empty: false,
        }
    }
}

impl FilterPolicy for Failing {
    fn name(&self) -> &str {
        self.name
    }

    fn max_filter_len(&self, _: usize) -> Result<usize, Error> {
        self.len.clone()
    }

    fn create_filter<'out>(&self, _: &[&[u8]], out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
        let empty = self.builds_empty.then(|| (&mut out[..0]).into());
        empty.ok_or(Error::BufferTooShort { needed: 1, given: 0 })
    }

    fn key_may_match(&self, _: &[u8], _: &[u8]) -> bool {
        false
    }

    fn key_hash(&self, key: &[u8]) -> Option<KeyHash> {
        let hash = BLOOM.key_hash(key);
        hash.and_then(if key.is_empty() { Some } else { self.hash })
    }

    fn create_from_hashes<'out>(
        &self,
        _: KeyHashes<'_>,
        out: &'out mut [u8],
    ) -> Result<FilterBytes<'out>, Error> {
        self.create_filter(&[], out)
    }

    fn answers_prefixes(&self) -> bool {
        true
    }

    fn prefix_may_match(&self, _: &[u8], _: &[u8]) -> bool {
        false
    }

    fn answers_ranges(&self) -> bool {
        true
    }

    fn range_may_match(&self, _: Bound<&[u8]>, _: Bound<&[u8]>, _: &[u8]) -> bool {
        false
    }
}
