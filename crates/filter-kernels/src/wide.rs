//! The input of the kernels for 64-bit hash values, and the constants of the functions.

use hashzoo::xxph3_64;

use crate::keys::Keys;

/// The number of keys that are hashed and prefetched together: one for each bit in a word of answers.
pub(crate) const TILE: usize = 64;

/// The first eight words of XXH3's secret, which seed 0 leaves unchanged, and its primes.
///
/// Source: RocksDB, `util/xxph3.h`.
#[cfg(target_arch = "x86_64")]
pub(crate) const SECRET: [u64; 8] = [
    0xbe4b_a423_396c_feb8,
    0x1cad_21f7_2c81_017c,
    0xdb97_9083_e96d_d4de,
    0x1f67_b3b7_a4a4_4072,
    0x78e5_c0cc_4ee6_79cb,
    0x2172_ffcc_7dd0_5a82,
    0x8e24_43f7_7446_08b8,
    0x4c26_3a81_e690_35e0,
];
#[cfg(target_arch = "x86_64")]
pub(crate) const PRIME64_1: u64 = 0x9e37_79b1_85eb_ca87;
#[cfg(target_arch = "x86_64")]
pub(crate) const PRIME64_3: u64 = 0x1656_67b1_9e37_79f9;

/// The input of the kernels for 64-bit hash values.
#[derive(Debug, Clone, Copy)]
pub enum WideSource<'a> {
    /// Keys, which the layout's own function hashes.
    Keys(Keys<'a>),
    /// Hash values.
    Hashes(&'a [u64]),
}

impl WideSource<'_> {
    #[inline(always)]
    pub(crate) const fn len(&self) -> usize {
        match self {
            Self::Keys(keys) => keys.len(),
            Self::Hashes(hashes) => hashes.len(),
        }
    }

    /// Visits all hash values, computed one by one with XXPH3.
    #[inline(always)]
    pub(crate) fn for_each(self, mut visit: impl FnMut(u64)) {
        match self {
            Self::Keys(Keys::Slices(keys)) => keys.iter().for_each(|key| visit(xxph3_64(key, 0))),
            Self::Keys(Keys::Packed(keys)) => keys.iter().for_each(|key| visit(xxph3_64(key, 0))),
            Self::Hashes(hashes) => hashes.iter().copied().for_each(visit),
        }
    }

    /// Computes the hash values from `start` on, one by one with XXPH3. Panics if there are too few.
    #[inline(always)]
    pub(crate) fn hash(self, start: usize, hashes: &mut [u64]) {
        self.hash_by(|key| xxph3_64(key, 0), start, hashes);
    }

    /// Computes the hash values from `start` on with any function.
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

/// Returns true if all keys have 16 bytes. A separate function without target features: where gather instructions are
/// available, the compiler uses them for the lengths, which takes as long as hashing the keys.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
pub(crate) fn have_16_bytes(keys: &[&[u8]]) -> bool {
    keys.iter().fold(0, |bits, key| bits | (key.len() ^ 16)) == 0
}
