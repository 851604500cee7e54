//! A key that is hashed once for many filters.

use super::FilterPolicy;
use crate::key_hash::{HashFunctionId, KeyHash};

/// A key, hashed once, for queries to many filters of a policy.
///
/// Log-structured trees query one level after the other until they find the key. Hashing once pays off from the second
/// filter on, and more so for longer keys. A prepared filter takes it as well: see
/// [`PreparedFilter::may_match_hashed`](crate::PreparedFilter::may_match_hashed).
///
/// ```
/// use filter_policy::{BloomFilterPolicy, FilterPolicy, HashedKey};
///
/// let policy = BloomFilterPolicy::new(10.into());
/// let (mut young, mut old) = ([0; 64], [0; 64]);
/// let levels = [policy.build_in(&["a", "b"], &mut young)?, policy.build_in(&["c", "d"], &mut old)?];
///
/// let policy: &dyn FilterPolicy = &policy;
/// let key = HashedKey::new(policy, b"c");
/// assert_eq!(levels.iter().position(|filter| key.may_match(filter)), Some(1));
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug)]
pub struct HashedKey<'a, P: ?Sized = dyn FilterPolicy + 'a> {
    policy: &'a P,
    key: &'a [u8],
    hash: KeyHash,
}

impl<P: ?Sized> Clone for HashedKey<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: ?Sized> Copy for HashedKey<'_, P> {}

impl<'a, P: FilterPolicy + ?Sized> HashedKey<'a, P> {
    /// Hashes a key under a policy of any type, pointers and trait objects included. A policy without hash values keeps
    /// the key alone.
    #[inline]
    pub fn new(policy: &'a P, key: &'a [u8]) -> Self {
        Self {
            policy,
            key,
            hash: policy.key_hash(key).unwrap_or(KeyHash::NONE),
        }
    }

    /// Returns the key.
    #[inline]
    pub(crate) const fn key(&self) -> &'a [u8] {
        self.key
    }

    /// Returns the hash value; `None` if the policy has none.
    #[inline]
    pub(crate) fn hash(&self) -> Option<KeyHash> {
        (self.hash.function() != HashFunctionId::NONE).then_some(self.hash)
    }

    #[inline]
    pub(super) const fn hash_or_none(&self) -> KeyHash {
        self.hash
    }

    /// Returns true if the filter may contain the key, as [`FilterPolicy::key_may_match`] does.
    #[inline]
    pub fn may_match(&self, filter: &[u8]) -> bool {
        match self.hash() {
            Some(hash) => self.policy.hashed_may_match(self.key, hash, filter),
            None => self.whole_may_match(filter),
        }
    }

    #[inline(never)]
    fn whole_may_match(&self, filter: &[u8]) -> bool {
        self.policy.key_may_match(self.key, filter)
    }
}
