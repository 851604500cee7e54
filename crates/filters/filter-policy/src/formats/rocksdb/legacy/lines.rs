//! The lines and probes of RocksDB's Bloom filter of format version 4 or earlier.

use core::num::NonZeroU32;

use hashzoo::{LEVELDB_BLOOM_SEED, rocksdb_hash};

use super::rate::rate;
use crate::answers::each;
use crate::key_hash::HashFunctionId;
use crate::policy::{Prepared, Restore};
use crate::simd::{KernelToken, MAX_PROBES, Source, StoredBits};

/// The length of a line in bytes. RocksDB writes lines as long as the cache line of the machine it was compiled for
/// (`port/port_posix.h`): 64 bytes on x86, 128 on 64-bit ARM and PowerPC, 256 on IBM Z. Readers, RocksDB's among them,
/// infer the length from the filter.
pub(super) const LINE_LEN: u32 = 64;

#[inline]
pub(super) const fn hash(key: &[u8]) -> u32 {
    rocksdb_hash(key, LEVELDB_BLOOM_SEED)
}

/// The lines of bits in a filter; each key uses one line.
#[derive(Debug, Clone, Copy)]
pub(in crate::formats) struct Lines {
    pub(super) count: NonZeroU32,
    /// Log2 of the number of bits in a line, at least 3.
    pub(super) log2_bits: u32,
}

impl Lines {
    /// The shortest line, alone.
    pub(super) const ONE_BYTE: Self = Self {
        count: NonZeroU32::MIN,
        log2_bits: 3,
    };

    /// Returns this many lines that fill this many bytes and have a power-of-two length, whichever machine wrote them.
    pub(in crate::formats) fn filling(bytes: u64, count: u32) -> Option<Self> {
        let count = NonZeroU32::new(count)?;
        let line_len = bytes / u64::from(count.get());
        let log2_len = line_len.checked_ilog2()?;
        // The lines, each of a power-of-two length, must add up to the whole filter.
        (u64::from(count.get()) << log2_len == bytes).then_some(Self {
            count,
            log2_bits: log2_len + 3,
        })
    }

    /// Returns the numbers of a prepared filter.
    pub(super) const fn words(self, probes: u8) -> [u64; 3] {
        [self.count.get() as u64, self.log2_bits as u64, probes as u64]
    }

    /// Returns the lines and the probe count of these [`words`](Self::words).
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the words are numbers of these types"
    )]
    pub(super) fn of_words([count, log2_bits, probes]: [u64; 3]) -> (Self, u8) {
        // Never zero, since the words are those of lines.
        let count = NonZeroU32::new(count as u32).unwrap_or(NonZeroU32::MIN);
        let log2_bits = log2_bits as u32;
        (Self { count, log2_bits }, probes as u8)
    }

    /// Returns the length of a line in bytes.
    pub(in crate::formats) const fn line_len(self) -> usize {
        1 << (self.log2_bits - 3)
    }

    /// Returns the bit positions of a hash value in the whole filter.
    #[inline]
    pub(in crate::formats) fn positions(self, hash: u32, probes: u8) -> impl Iterator<Item = u64> {
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

/// The lines of a stored filter.
#[derive(Debug, Clone, Copy)]
pub struct LegacyLines<'f> {
    pub(in crate::formats) bits: &'f [u8],
    pub(in crate::formats) lines: Lines,
    pub(in crate::formats) probes: u8,
}

impl LegacyLines<'_> {
    /// Returns what computes the rate of filters with such lines and this probe count from bits, keys and probe count:
    /// those that RocksDB writes where cache lines have 64 bytes.
    pub(in crate::formats) fn rate_of(self) -> Option<fn(u64, u64, u8) -> f64> {
        let is_known = self.lines.line_len() == LINE_LEN as usize && self.probes <= MAX_PROBES;
        is_known.then_some(|bits, keys, probes| {
            let lines = u32::try_from(bits / (8 * u64::from(LINE_LEN))).unwrap_or(u32::MAX);
            rate(lines, keys, probes)
        })
    }

    /// Prepares the lines for many queries.
    pub(in crate::formats) fn prepared(self) -> Prepared {
        let (function, numbers) = (HashFunctionId::ROCKSDB_LEGACY, self.lines.words(self.probes));
        Prepared::restoring::<Self>(KernelToken::SCALAR, function, Some(look_up), self.bits, numbers)
    }
}

/// Answers for a key from a prepared filter.
#[inline(always)]
fn look_up(numbers: &[u64; 3], bits: &[u8], key: &[u8]) -> bool {
    let hash = hash(key);
    LegacyLines::restored(KernelToken::SCALAR, bits, *numbers).may_match(KernelToken::SCALAR, hash)
}

impl Restore for LegacyLines<'_> {
    type Hash = u32;
    type Filter<'f> = LegacyLines<'f>;

    #[inline(always)]
    fn restored(_: KernelToken, bits: &[u8], numbers: [u64; 3]) -> LegacyLines<'_> {
        let (lines, probes) = Lines::of_words(numbers);
        LegacyLines { bits, lines, probes }
    }
}

impl StoredBits for LegacyLines<'_> {
    type Hash = u32;

    #[inline(always)]
    fn may_match(self, _: KernelToken, hash: u32) -> bool {
        may_match(self.bits, self.lines, self.probes, hash)
    }

    fn may_match_many(self, kernel: KernelToken, source: Source<'_, u32>, answers: &mut [u64]) {
        let numbers = self.lines.words(self.probes);
        match source {
            Source::Keys(keys) => each(keys.iter(), answers, |key| look_up(&numbers, self.bits, key)),
            Source::Hashes(hashes) => each(hashes.iter(), answers, |&hash| self.may_match(kernel, hash)),
        }
    }
}

pub(super) fn insert(bits: &mut [u8], lines: Lines, probes: u8, hashes: &[u32]) {
    for &hash in hashes {
        for position in lines.positions(hash, probes) {
            // Always present: the lines exactly cover the bits.
            if let Some(byte) = usize::try_from(position / 8).ok().and_then(|at| bits.get_mut(at)) {
                *byte |= 1 << (position % 8);
            }
        }
    }
}

/// Returns true if all bits of a hash value are set; missing bits count as set.
#[inline]
fn may_match(bits: &[u8], lines: Lines, probes: u8, hash: u32) -> bool {
    lines.positions(hash, probes).all(|position| {
        usize::try_from(position / 8)
            .ok()
            .and_then(|at| bits.get(at))
            .is_none_or(|byte| byte & (1 << (position % 8)) != 0)
    })
}

#[cfg(test)]
mod tests {
    extern crate alloc;

    use alloc::vec::Vec;

    use super::*;

    /// RocksDB writes longer lines on other machines than x86.
    #[test]
    fn positions_in_lines_of_every_length() {
        for (line_len, expected) in [
            (64, [78, 24, 482, 428, 374, 320]),
            (128, [590, 536, 482, 428, 374, 320]),
            (256, [1614, 536, 1506, 428, 1398, 320]),
        ] {
            let lines = Lines::filling(3 * line_len, 3).unwrap();
            assert_eq!(lines.line_len() as u64, line_len);
            let positions: Vec<u64> = lines.positions(hash(b"hello"), 6).collect();
            assert_eq!(positions, expected, "{line_len}");
            assert!(Lines::filling(3 * line_len + 1, 3).is_none());
        }
    }
}
