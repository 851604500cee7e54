//! The probes of the Bloom filter of format versions 4 and before.

use core::num::NonZeroU32;

use hashzoo::{LEVELDB_BLOOM_SEED, rocksdb_hash};

/// The hash value of a key.
#[inline]
pub(crate) const fn hash(key: &[u8]) -> u32 {
    rocksdb_hash(key, LEVELDB_BLOOM_SEED)
}

/// Lines of bits of which each key uses one: what the probes need to know of a filter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lines {
    pub(crate) count: NonZeroU32,
    /// Log2 of the bits of a line, at least 3.
    pub(crate) log2_bits: u32,
}

impl Lines {
    /// Bytes of a line.
    pub(crate) const fn line_len(self) -> usize {
        1 << (self.log2_bits - 3)
    }

    /// The bit positions of a hash value in the whole filter.
    #[inline]
    fn positions(self, hash: u32, probes: u8) -> impl Iterator<Item = u64> {
        let line = u64::from(hash % self.count) << self.log2_bits;
        let mask = (1 << self.log2_bits) - 1;
        let stride = hash.rotate_right(17);
        (0..probes).scan(hash, move |walk, _| {
            let position = line | u64::from(*walk) & mask;
            *walk = walk.wrapping_add(stride);
            Some(position)
        })
    }
}

/// Sets the bits of these hash values.
pub(crate) fn insert(bits: &mut [u8], lines: Lines, probes: u8, hashes: &[u32]) {
    for &hash in hashes {
        for position in lines.positions(hash, probes) {
            // Never absent: the lines are as many as the bits have.
            if let Some(byte) = usize::try_from(position / 8).ok().and_then(|at| bits.get_mut(at)) {
                *byte |= 1 << (position % 8);
            }
        }
    }
}

/// Whether all bits of a hash value are set; bits that are not there count as set.
#[inline]
pub(crate) fn may_match(bits: &[u8], lines: Lines, probes: u8, hash: u32) -> bool {
    lines.positions(hash, probes).all(|position| {
        usize::try_from(position / 8)
            .ok()
            .and_then(|at| bits.get(at))
            .is_none_or(|byte| byte & (1 << (position % 8)) != 0)
    })
}
