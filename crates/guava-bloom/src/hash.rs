//! The 128-bit hash of an element, which determines its positions.
//!
//! Knows nothing of funnels, filters or bits.

use hashzoo::murmur3_x64_128;

/// MurmurHash3's 128 bits (`MurmurHash3_x64_128`, seed 0) of an element's bytes.
///
/// This is Guava's `Hashing.murmur3_128()`: its 16 bytes are `h1` and `h2`, each little-endian, and its `asLong` is
/// `h1`. To query several filters, hash the element once and keep this value.
///
/// ```
/// use guava_bloom::Hash128;
///
/// let hash = Hash128::of(b"76930242");
/// assert_eq!(hash, Hash128 { h1: 0xd4d02685bc36f02c, h2: 0xdedd80528dcaf2a9 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hash128 {
    /// The first 64 bits.
    pub h1: u64,
    /// The second 64 bits.
    pub h2: u64,
}

impl Hash128 {
    /// Returns the hash of these bytes.
    #[inline]
    pub const fn of(bytes: &[u8]) -> Self {
        let (h1, h2) = murmur3_x64_128(bytes, 0);
        Self { h1, h2 }
    }
}

impl From<(u64, u64)> for Hash128 {
    #[inline]
    fn from((h1, h2): (u64, u64)) -> Self {
        Self { h1, h2 }
    }
}
