//! The policies that C programs choose from, and their numbers and names there.
//!
//! Knows nothing of pointers.

use core::ffi::{CStr, c_int};

use filter_policy::{BitsPerKey, BloomFilterPolicy, Error, FilterPolicy, LevelDbHash, Murmur2};

/// `FILTER_POLICY_HASH_MURMUR2` of the header: the policy `BloomFilter2`.
pub const HASH_MURMUR2: c_int = 0;
/// `FILTER_POLICY_HASH_LEVELDB` of the header: LevelDB's own policy, `leveldb.BuiltinBloomFilter2`.
pub const HASH_LEVELDB: c_int = 1;

/// A policy that a C program chose.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ChosenPolicy {
    BloomFilter2(BloomFilterPolicy<Murmur2>),
    LevelDbBuiltin(BloomFilterPolicy<LevelDbHash>),
}

impl ChosenPolicy {
    /// `None` if there is no such policy.
    pub(crate) fn new(bits_per_key: c_int, hash: c_int) -> Option<Self> {
        let bits_per_key = u32::try_from(bits_per_key).ok().filter(|&bits| bits > 0)?;
        let bits_per_key = BitsPerKey::whole(bits_per_key);
        match hash {
            HASH_MURMUR2 => Some(Self::BloomFilter2(BloomFilterPolicy::bloom_filter2(bits_per_key))),
            HASH_LEVELDB => Some(Self::LevelDbBuiltin(BloomFilterPolicy::leveldb_builtin(
                bits_per_key,
            ))),
            _ => None,
        }
    }

    /// The policy's name as C strings are.
    pub(crate) const fn c_name(&self) -> &'static CStr {
        match self {
            Self::BloomFilter2(_) => c"BloomFilter2",
            Self::LevelDbBuiltin(_) => c"leveldb.BuiltinBloomFilter2",
        }
    }
}

impl FilterPolicy for ChosenPolicy {
    fn name(&self) -> &str {
        match self {
            Self::BloomFilter2(policy) => policy.name(),
            Self::LevelDbBuiltin(policy) => policy.name(),
        }
    }

    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        match self {
            Self::BloomFilter2(policy) => policy.max_filter_len(keys),
            Self::LevelDbBuiltin(policy) => policy.max_filter_len(keys),
        }
    }

    fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<&'out mut [u8], Error> {
        match self {
            Self::BloomFilter2(policy) => policy.create_filter(keys, out),
            Self::LevelDbBuiltin(policy) => policy.create_filter(keys, out),
        }
    }

    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        match self {
            Self::BloomFilter2(policy) => policy.key_may_match(key, filter),
            Self::LevelDbBuiltin(policy) => policy.key_may_match(key, filter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_for_c_are_the_policies_own() {
        for hash in [HASH_MURMUR2, HASH_LEVELDB] {
            let policy = ChosenPolicy::new(10, hash).unwrap();
            assert_eq!(policy.c_name().to_str(), Ok(policy.name()));
        }
    }

    #[test]
    fn only_positive_bits_and_known_hashes_make_a_policy() {
        for bits in [c_int::MIN, -1, 0] {
            assert!(ChosenPolicy::new(bits, HASH_LEVELDB).is_none(), "{bits}");
        }
        for bits in [1, 10, c_int::MAX] {
            assert!(ChosenPolicy::new(bits, HASH_MURMUR2).is_some(), "{bits}");
        }
        for hash in [c_int::MIN, -1, 2, c_int::MAX] {
            assert!(ChosenPolicy::new(10, hash).is_none(), "{hash}");
        }
    }
}
