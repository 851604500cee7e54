//! Builds a filter from keys that come one by one.

use alloc::vec::Vec;

use crate::building::{FlatKeys, append_with, reserve};
use crate::error::Error;
use crate::key_hash::{HashFunctionId, KeyHashes, WRONG_HASHES};
use crate::policy::FilterPolicy;

/// Builds a filter from keys that come one by one, for a policy of any type: a pointer to one as well.
///
/// A policy with hash values takes four or eight bytes of memory for each key, another one the keys themselves. A batch
/// of keys is faster: see [`FilterPolicy::append_filter`].
///
/// ```
/// use filter_policy::{BloomFilterPolicy, FilterBuilder, FilterPolicy};
///
/// let policy: Box<dyn FilterPolicy> = Box::new(BloomFilterPolicy::new(10.into()));
/// let mut builder = FilterBuilder::new(&policy);
/// for key in ["apple", "banana", "cherry"] {
///     builder.insert(key.as_bytes())?;
/// }
/// let filter = builder.finish()?;
/// assert!(policy.key_may_match(b"banana", &filter));
/// assert!(!policy.key_may_match(b"plum", &filter));
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug)]
pub struct FilterBuilder<P> {
    policy: P,
    keys: usize,
    collected: Collected,
}

#[derive(Debug)]
enum Collected {
    Nothing,
    Hashes32(HashFunctionId, Vec<u32>),
    Hashes64(HashFunctionId, Vec<u64>),
    Keys(FlatKeys),
}

impl<P: FilterPolicy> FilterBuilder<P> {
    /// Starts a filter without keys.
    pub const fn new(policy: P) -> Self {
        Self {
            policy,
            keys: 0,
            collected: Collected::Nothing,
        }
    }

    /// Returns the policy.
    pub const fn policy(&self) -> &P {
        &self.policy
    }

    /// Returns true if no key was inserted.
    pub const fn is_empty(&self) -> bool {
        self.keys == 0
    }

    /// Inserts a key.
    ///
    /// # Errors
    ///
    /// [`Error::AllocationFailed`], after which the builder is unchanged; [`Error::Policy`] when the policy has a hash
    /// value for some keys only.
    pub fn insert(&mut self, key: &[u8]) -> Result<(), Error> {
        let hash = self.policy.key_hash(key);
        if let Collected::Nothing = self.collected {
            self.collected = match hash {
                Some(hash) if hash.function().bits() == 32 => {
                    Collected::Hashes32(hash.function(), Vec::new())
                }
                Some(hash) => Collected::Hashes64(hash.function(), Vec::new()),
                None => Collected::Keys(FlatKeys::default()),
            };
        }
        match (&mut self.collected, hash) {
            (Collected::Hashes32(function, hashes), Some(hash)) if hash.function() == *function => {
                reserve(hashes, 1)?;
                hashes.push(hash.low());
            }
            (Collected::Hashes64(function, hashes), Some(hash)) if hash.function() == *function => {
                reserve(hashes, 1)?;
                hashes.push(hash.value());
            }
            (Collected::Keys(keys), None) => keys.push(key)?,
            _ => return Err(WRONG_HASHES),
        }
        self.keys += 1;
        Ok(())
    }

    /// Returns the filter of the inserted keys, or an error of [`FilterPolicy::append_filter`].
    pub fn finish(self) -> Result<Vec<u8>, Error> {
        let mut filter = Vec::new();
        self.append_to(&mut filter).map(|()| filter)
    }

    /// Appends the filter of the inserted keys to `out`, which an error leaves unchanged.
    pub(crate) fn append_to(self, out: &mut Vec<u8>) -> Result<(), Error> {
        let hashes = match &self.collected {
            Collected::Nothing => return self.policy.append_filter(&[], out),
            Collected::Keys(keys) => return self.policy.append_filter(&keys.slices()?, out),
            Collected::Hashes32(function, hashes) => KeyHashes::new(*function, hashes),
            Collected::Hashes64(function, hashes) => KeyHashes::new(*function, hashes),
        };
        append_with(out, self.policy.max_filter_len(self.keys)?, |room| {
            self.policy
                .create_from_hashes(hashes, room)
                .map(|filter| filter.len())
        })
    }
}
