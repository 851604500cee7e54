//! Recognizes stored filters in the layouts that determine the hash of keys, and answers queries from them.
//!
//! Stored bytes may be anything: all of them have a documented answer, and none cause a panic.

pub(crate) mod answers;
pub(crate) mod bloom64;
pub(crate) mod legacy_lines;
pub(crate) mod ribbon;
pub(crate) mod rocksdb;
pub(crate) mod split_blocks;

use filter_kernels::{
    KernelToken, Keys, WideSource,
    fast_local::{self, Line},
    split_block::{self, Block},
};
use hashzoo::xxph3_64;

use crate::hash_value::HashValue;
use crate::params::MAX_PROBES;
use answers::{each, fill};
use legacy_lines::Lines;
use ribbon::Solution;

/// A filter that matches every key, for every reader of LevelDB's format and every policy of this crate: its last byte
/// is above 30 and reserved. Engine adapters store it when a filter cannot be built.
///
/// ```
/// use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy, MATCHES_EVERYTHING};
///
/// let policy = BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(10));
/// assert!(policy.key_may_match(b"any key", &MATCHES_EVERYTHING));
/// ```
pub const MATCHES_EVERYTHING: [u8; 2] = [0x00, 0xff];

/// The kind of a stored filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilterKind {
    /// Too short to hold a key: never matches. The minimum is two bytes in the layouts of LevelDB and `BloomFilter64`,
    /// six in RocksDB's and one in Parquet's.
    Empty,
    /// A reserved or unknown encoding: always matches.
    Reserved,
    /// A Bloom filter in LevelDB's layout.
    LevelDbBloom,
    /// A Bloom filter of the policy `BloomFilter64.Xxph3`.
    Bloom64,
    /// A Bloom filter of RocksDB's format version 4 or earlier.
    LegacyBloom,
    /// A Bloom filter of RocksDB's format version 5 or later.
    FastLocalBloom,
    /// A Ribbon filter of RocksDB.
    Ribbon,
    /// A split-block Bloom filter, as in Parquet.
    SplitBlockBloom,
}

/// The contents of stored bytes: a filter, or one answer for all keys.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Contents<'a> {
    /// Too short to hold a key: never matches.
    Empty,
    /// An unknown encoding: always matches.
    Reserved,
    Bloom64 {
        bit_array: &'a [u8],
        probes: u8,
    },
    LegacyBloom {
        bits: &'a [u8],
        lines: Lines,
        probes: u8,
    },
    FastLocalBloom {
        lines: &'a [Line],
        probes: u8,
    },
    Ribbon(Solution<'a>),
    SplitBlocks(&'a [Block]),
}

impl<'a> Contents<'a> {
    /// Returns the bit array and probe count of a filter in LevelDB's layout, which does not record the hash function.
    #[inline]
    pub(crate) const fn of_leveldb(filter: &'a [u8]) -> Result<(&'a [u8], u8), Self> {
        match filter {
            [] | [_] => Err(Self::Empty),
            [.., probes] if *probes > MAX_PROBES => Err(Self::Reserved),
            [bit_array @ .., probes] => Ok((bit_array, *probes)),
        }
    }

    pub(crate) const fn kind(&self) -> FilterKind {
        match self {
            Self::Empty => FilterKind::Empty,
            Self::Reserved => FilterKind::Reserved,
            Self::Bloom64 { .. } => FilterKind::Bloom64,
            Self::LegacyBloom { .. } => FilterKind::LegacyBloom,
            Self::FastLocalBloom { .. } => FilterKind::FastLocalBloom,
            Self::Ribbon(_) => FilterKind::Ribbon,
            Self::SplitBlocks(_) => FilterKind::SplitBlockBloom,
        }
    }

    #[inline(always)]
    pub(crate) fn may_match(&self, kernel: KernelToken, key: &[u8]) -> bool {
        match *self {
            Self::Bloom64 { bit_array, probes } => {
                filter_kernels::bloom64::key_may_match(kernel, bit_array, probes, key)
            }
            Self::FastLocalBloom { lines, probes } => fast_local::key_may_match(kernel, lines, probes, key),
            Self::SplitBlocks(blocks) => split_block::key_may_match(kernel, blocks, key),
            _ => self.may_match_portably(key),
        }
    }

    /// For the kinds that have only portable code.
    #[inline(never)]
    pub(crate) fn may_match_portably(&self, key: &[u8]) -> bool {
        match self {
            Self::LegacyBloom { .. } => self.may_match_hash(KernelToken::Scalar, legacy_lines::hash(key)),
            _ => self.may_match_hash(KernelToken::Scalar, xxph3_64(key, 0)),
        }
    }

    /// In a filter, a hash value of the wrong width always matches.
    #[inline(always)]
    pub(crate) fn may_match_hash(&self, kernel: KernelToken, hash: impl HashValue) -> bool {
        match *self {
            Self::Empty => false,
            Self::Reserved => true,
            Self::Bloom64 { bit_array, probes } => hash
                .wide()
                .is_none_or(|hash| filter_kernels::bloom64::may_match(kernel, bit_array, probes, hash)),
            Self::LegacyBloom { bits, lines, probes } => hash
                .narrow()
                .is_none_or(|hash| legacy_lines::may_match(bits, lines, probes, hash)),
            Self::FastLocalBloom { lines, probes } => hash
                .wide()
                .is_none_or(|hash| fast_local::may_match(kernel, lines, probes, hash)),
            Self::Ribbon(ref solution) => hash.wide().is_none_or(|hash| solution.may_match(hash)),
            Self::SplitBlocks(blocks) => hash
                .wide()
                .is_none_or(|hash| split_block::may_match(kernel, blocks, hash)),
        }
    }

    pub(crate) fn may_match_many(&self, kernel: KernelToken, keys: Keys<'_>, answers: &mut [u64]) {
        if !self.ask_together(kernel, WideSource::Keys(keys), keys.len(), answers) {
            each(keys.iter(), answers, |key| self.may_match_portably(key));
        }
    }

    pub(crate) fn may_match_hashes<H: HashValue>(
        &self,
        kernel: KernelToken,
        hashes: &[H],
        answers: &mut [u64],
    ) {
        let together = H::wide_slice(hashes)
            .is_some_and(|wide| self.ask_together(kernel, WideSource::Hashes(wide), hashes.len(), answers));
        if !together {
            each(hashes.iter(), answers, |&hash| self.may_match_hash(kernel, hash));
        }
    }

    /// Answers many keys at once if the kind supports it; otherwise returns false.
    fn ask_together(
        &self,
        kernel: KernelToken,
        source: WideSource<'_>,
        keys: usize,
        answers: &mut [u64],
    ) -> bool {
        match *self {
            Self::Empty => fill(false, keys, answers),
            Self::Reserved => fill(true, keys, answers),
            Self::Bloom64 { bit_array, probes } => {
                filter_kernels::bloom64::may_match_many(kernel, bit_array, probes, source, answers);
            }
            Self::FastLocalBloom { lines, probes } => {
                fast_local::may_match_many(kernel, lines, probes, source, answers);
            }
            Self::SplitBlocks(blocks) => split_block::may_match_many(kernel, blocks, source, answers),
            Self::LegacyBloom { .. } | Self::Ribbon(_) => return false,
        }
        true
    }
}
