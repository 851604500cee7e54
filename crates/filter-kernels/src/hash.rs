//! The 32-bit hash functions that kernels compute, and the input of the kernels that use them.

use hashzoo::{leveldb_hash, murmur2, murmur2_signed_tail};

use crate::keys::Keys;

/// The largest bit array, in bits, that is first built as a map of one byte per bit; maps lie on the stack. A store to
/// a byte need not wait for the one before, as a change of a bit would.
pub(crate) const MAP_BITS: usize = 8192;

/// The input of the kernels for 32-bit hash values.
#[derive(Debug, Clone, Copy)]
pub enum Source<'a> {
    /// Keys, and the function that hashes them.
    Keys(Keys<'a>, LaneHash),
    /// Hash values.
    Hashes(&'a [u32]),
}

impl Source<'_> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Keys(keys, _) => keys.len(),
            Self::Hashes(hashes) => hashes.len(),
        }
    }
}

/// A hash function that kernels compute for 8 or 16 keys at once; see [`Kernel`](crate::Kernel).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LaneHash {
    /// [`hashzoo::leveldb_hash`].
    LevelDb {
        /// The seed. Every value is valid.
        seed: u32,
    },
    /// [`hashzoo::murmur2`].
    Murmur2 {
        /// The seed. Every value is valid.
        seed: u32,
    },
    /// [`hashzoo::murmur2_signed_tail`].
    Murmur2SignedTail {
        /// The seed. Every value is valid.
        seed: u32,
    },
}

impl LaneHash {
    /// Returns the hash value of one key.
    #[inline]
    pub const fn hash(self, key: &[u8]) -> u32 {
        match self {
            Self::LevelDb { seed } => leveldb_hash(key, seed),
            Self::Murmur2 { seed } => murmur2(key, seed),
            Self::Murmur2SignedTail { seed } => murmur2_signed_tail(key, seed),
        }
    }
}
