//! The full Bloom filter of RocksDB's format version 4 and earlier: all probes of a key in one line, which is as long
//! as the cache line of the machine that wrote the filter.

use filter_kernels::{Kernel, KernelToken};
use filter_policy::building::for_each_batch;
use filter_policy::{BitsPerKey, Error, FilterPolicy, HashFunction, HashedPolicy, NewFilter};

use super::bits_per_key::RocksDbBits;
use super::kinds::{Kind, addressable, contents_expecting_others};
use super::lines::{self, Lines};
use crate::leveldb::probes;

/// The maximum number of bits; RocksDB caps here so that the number of lines fits into 32 bits.
///
/// Source: RocksDB, `table/block_based/filter_policy.cc` (`LegacyBloomBitsBuilder::CalculateSpace`).
const MAX_BITS: u64 = 0xffff_0000;

/// The length of a line in a legacy full filter. RocksDB uses the cache line of the machine it was compiled for
/// (`port/port_posix.h`), so the same keys give different filters on ARM and x86; readers infer the length from the
/// filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum CacheLine {
    /// 64 bytes: x86 and most others.
    #[default]
    Bytes64,
    /// 128 bytes: 64-bit ARM and PowerPC.
    Bytes128,
    /// 256 bytes: IBM Z.
    Bytes256,
}

impl CacheLine {
    /// Returns the length in bytes.
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Bytes64 => 64,
            Self::Bytes128 => 128,
            Self::Bytes256 => 256,
        }
    }
}

/// RocksDB's full Bloom filter of format version 4 and earlier.
///
/// Use it to read old tables, and to write tables for an old RocksDB: [`FastLocalBloomPolicy`] is better in rate and
/// speed. The 32-bit hash causes more false positives the more keys there are. A filter is at most half a GiB.
///
/// RocksDB rounds bits per key to a whole number from 1 to 100 here: lower values count as 1, higher values as 100. A
/// key equal to the previous one is not counted.
///
/// Stored by engines as `rocksdb.internal.LegacyBloomFilter`; in RocksDB's own tables under the name that all of its
/// filters share, [`NAME_IN_TABLES`](super::NAME_IN_TABLES). The policy reads every
/// [kind](crate::view::FilterKind) of RocksDB's filters, and lines of any length.
///
/// [`FastLocalBloomPolicy`]: super::FastLocalBloomPolicy
///
/// ```
/// use filter_formats::rocksdb::{CacheLine, LegacyFullFilterPolicy};
/// use filter_policy::{FilterPolicy, HashedPolicy};
///
/// let policy = LegacyFullFilterPolicy::new(10.into());
/// let mut buffer = [0; 200];
/// let filter = policy.build_in(["hello", "world"], &mut buffer)?;
/// assert_eq!(filter.len(), 64 + 5);
/// assert!(policy.key_may_match(b"hello", &filter));
///
/// // The filter that RocksDB writes on 64-bit ARM.
/// let on_arm = policy.line(CacheLine::Bytes128).build_in(["hello", "world"], &mut buffer)?;
/// assert_eq!(on_arm.len(), 128 + 5);
/// assert!(policy.key_may_match(b"hello", &on_arm));
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct LegacyFullFilterPolicy {
    bits_per_key: BitsPerKey,
    line: CacheLine,
}

impl LegacyFullFilterPolicy {
    /// The name under which engines store the filters.
    pub const NAME: &str = "rocksdb.internal.LegacyBloomFilter";

    /// Makes a policy with this many bits per key and lines of 64 bytes.
    pub const fn new(bits_per_key: BitsPerKey) -> Self {
        Self {
            bits_per_key,
            line: CacheLine::Bytes64,
        }
    }

    /// Returns this policy with another line length, to write filters as other machines would.
    #[must_use]
    pub const fn line(self, line: CacheLine) -> Self {
        Self { line, ..self }
    }

    /// Returns this policy: there are no kernels for legacy filters. For code that pins any policy.
    pub const fn on_kernel(self, _: Kernel) -> Self {
        self
    }
}

/// Returns the probe count: LevelDB's rule for the same bits per key, at most 30.
pub(super) fn probe_count(bits_per_key: RocksDbBits) -> u8 {
    probes(BitsPerKey::whole(bits_per_key.rounded()))
}

/// Returns the number of lines for this many keys: odd, so that the remainder uses all bits of a value; 0 for no keys.
pub(super) fn lines_for(bits_per_key: RocksDbBits, keys: u64, line: CacheLine) -> u32 {
    if keys == 0 {
        return 0;
    }
    let bits = keys
        .saturating_mul(u64::from(bits_per_key.rounded()))
        .min(MAX_BITS);
    // At most 2^23.
    u32::try_from(bits.div_ceil(u64::from(line.bytes()) * 8)).unwrap_or(u32::MAX) | 1
}

impl HashedPolicy for LegacyFullFilterPolicy {
    type Hash = u32;

    const DROPS_REPEATS: bool = true;

    #[inline]
    fn hash_key(&self, key: &[u8]) -> u32 {
        lines::hash(key)
    }

    #[inline]
    fn hash_function(&self) -> HashFunction {
        HashFunction::ROCKSDB_LEGACY
    }

    fn fill(&self, filter: NewFilter<'_>, hashes: impl Iterator<Item = u32>) -> usize {
        let bits_per_key = RocksDbBits::new(self.bits_per_key);
        let probes = probe_count(bits_per_key);
        let count = lines_for(bits_per_key, filter.keys() as u64, self.line);
        let [a, b, c, d] = count.to_le_bytes();
        let bits = filter.ending_in([probes, a, b, c, d]);
        let log2_bits = self.line.bytes().ilog2() + 3;
        let lines = Lines::filling(bits.len() as u64, count).filter(|lines| lines.log2_bits == log2_bits);
        // No lines, or a length that is not this policy's: every key may match, and what is set in one byte is set already.
        bits.fill(if lines.is_some() { 0 } else { 0xff });
        let lines = lines.unwrap_or(Lines::ONE_BYTE);
        for_each_batch(hashes, |hashes| lines::insert(bits, lines, probes, hashes))
    }
}

impl FilterPolicy for LegacyFullFilterPolicy {
    fn name(&self) -> &str {
        Self::NAME
    }

    /// Returns the exact length of a filter of this many keys if no key equals the one before it.
    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        let count = lines_for(RocksDbBits::new(self.bits_per_key), keys as u64, self.line);
        let bytes = u64::from(count) * u64::from(self.line.bytes());
        addressable(bytes, keys, self.bits_per_key)
    }

    fn bits_per_key(&self) -> Option<BitsPerKey> {
        Some(self.bits_per_key)
    }

    answers!(|_policy, filter| contents_expecting_others(filter), KernelToken::Scalar, Kind::LegacyBloom { bits, lines, probes } => lines(bits, lines, probes));
}
