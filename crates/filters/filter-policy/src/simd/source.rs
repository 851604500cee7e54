//! The input of the kernels: keys and the function that hashes them, or hash values.

use hashzoo::{leveldb_hash, murmur2, murmur2_signed_tail, xxph3_64};

use crate::simd::keys::Keys;

/// The input of the kernels for 32-bit hash values.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LaneSource<'a> {
    /// Keys, and the function that hashes them.
    Keys(Keys<'a>, LaneHash),
    /// Hash values.
    Hashes(&'a [u32]),
}

impl LaneSource<'_> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Keys(keys, _) => keys.len(),
            Self::Hashes(hashes) => hashes.len(),
        }
    }
}

/// A hash function that kernels compute for 8 or 16 keys at once; see [`Kernel`](crate::kernels::Kernel).
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

/// The number of keys that are hashed and prefetched together: one for each bit in a word of answers.
pub(crate) const TILE: usize = 64;

/// Keys or their hash values, from which a filter is built or for which it is queried.
#[derive(Debug, Clone, Copy)]
pub enum Source<'a, H> {
    /// Keys, which the format's own function hashes.
    Keys(Keys<'a>),
    /// Hash values of that function.
    Hashes(&'a [H]),
}

impl<H> Source<'_, H> {
    /// Returns the number of keys.
    #[inline(always)]
    pub const fn len(&self) -> usize {
        match self {
            Self::Keys(keys) => keys.len(),
            Self::Hashes(hashes) => hashes.len(),
        }
    }

    /// Returns true if there are no keys.
    #[inline(always)]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Source<'_, u64> {
    /// Visits all hash values, computed one by one with XXPH3.
    #[inline(always)]
    pub(crate) fn for_each(self, mut visit: impl FnMut(u64)) {
        match self {
            Self::Keys(Keys::Slices(keys)) => keys.iter().for_each(|key| visit(xxph3_64(key, 0))),
            Self::Keys(Keys::Packed(keys)) => keys.iter().for_each(|key| visit(xxph3_64(key, 0))),
            Self::Hashes(hashes) => hashes.iter().copied().for_each(visit),
        }
    }

    /// Writes the answers for all hash values, one bit each.
    #[inline(always)]
    pub(crate) fn answer_each(self, answers: &mut [u64], may_match: impl Fn(u64) -> bool) {
        let mut answer = answering(answers);
        self.for_each(|hash| answer(may_match(hash)));
    }

    /// Computes the hash values from `start` on one by one. Panics if there are too few.
    #[inline(always)]
    pub(crate) fn hash_by(self, function: impl Fn(&[u8]) -> u64, start: usize, hashes: &mut [u64]) {
        let end = start + hashes.len();
        match self {
            Self::Keys(Keys::Slices(keys)) => {
                for (hash, key) in hashes.iter_mut().zip(&keys[start..end]) {
                    *hash = function(key);
                }
            }
            Self::Keys(Keys::Packed(keys)) => {
                let len = keys.key_len();
                let keys = keys.bytes()[start * len..end * len].chunks_exact(len);
                for (hash, key) in hashes.iter_mut().zip(keys) {
                    *hash = function(key);
                }
            }
            Self::Hashes(values) => hashes.copy_from_slice(&values[start..end]),
        }
    }
}

/// Returns the function that writes the answers for successive keys, one bit each, over whatever `answers` holds.
#[inline(always)]
pub(crate) fn answering(answers: &mut [u64]) -> impl FnMut(bool) {
    answers.fill(0);
    let mut index = 0_usize;
    move |may_match| {
        if let Some(word) = answers.get_mut(index / 64) {
            *word |= u64::from(may_match) << (index % 64);
        }
        index += 1;
    }
}
