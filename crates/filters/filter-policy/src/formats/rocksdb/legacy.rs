//! The full Bloom filter of RocksDB's format version 4 and earlier: all probes of a key in one line, which is as long
//! as the cache line of the machine that wrote the filter; after the lines the probe count, and their number in four
//! bytes. FORMAT.md: "Legacy Bloom".

pub(super) mod lines;
mod rate;

use crate::building::{Repeats, each_batch, without_counting_repeats};
use crate::policy::{Facts, FilterSize, ListedFormat, Restore as _};
use crate::simd::{KernelToken, Source};
use crate::{BitsPerKey, Error, Format, HashFunctionId, Policy, Prepared};

use super::bits_per_key::RocksDbBits;
use super::kinds::{self, TAIL_LEN, addressable};
use crate::formats::leveldb::probes;
use lines::{LINE_LEN, LegacyLines, Lines};

/// The maximum number of bits; RocksDB caps here so that the number of lines fits into 32 bits.
///
/// Source: RocksDB, `table/block_based/filter_policy.cc` (`LegacyBloomBitsBuilder::CalculateSpace`).
const MAX_BITS: u64 = 0xffff_0000;

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
/// [kind](crate::view::FilterKind) of RocksDB's filters, and lines of any length. It writes lines of 64 bytes, which
/// RocksDB reads on every machine.
///
/// [`FastLocalBloomPolicy`]: super::FastLocalBloomPolicy
///
/// ```
/// use filter_policy::rocksdb::LegacyBloomPolicy;
/// use filter_policy::FilterPolicy;
///
/// let policy = LegacyBloomPolicy::new(10.into());
/// let mut buffer = [0; 100];
/// let filter = policy.create_filter(&[b"hello", b"world"], &mut buffer)?;
/// assert_eq!(filter.len(), 64 + 5);
/// assert!(policy.key_may_match(b"hello", &filter));
/// assert!(!policy.key_may_match(b"foo", &filter));
/// # Ok::<(), filter_policy::Error>(())
/// ```
pub type LegacyBloomPolicy = Policy<LegacyBloom>;

/// The format of [`LegacyBloomPolicy`]: an odd number of lines, then the probe count and
/// the number of lines in five bytes.
#[derive(Debug, Clone, Copy)]
pub struct LegacyBloom {
    bits_per_key: BitsPerKey,
}

impl LegacyBloomPolicy {
    /// The name under which engines store the filters.
    pub const NAME: &str = "rocksdb.internal.LegacyBloomFilter";

    /// Makes a policy with this many bits per key.
    pub const fn new(bits_per_key: BitsPerKey) -> Self {
        Self::of(LegacyBloom { bits_per_key })
    }
}

/// Returns the probe count: LevelDB's rule for the same bits per key, at most 30.
pub(super) fn probe_count(bits_per_key: RocksDbBits) -> u8 {
    probes(BitsPerKey::whole(bits_per_key.rounded()))
}

/// Returns the number of lines for this many keys: odd, so that the remainder uses all bits of a value; 0 for no keys.
#[inline]
pub(super) fn lines_for(bits_per_key: RocksDbBits, keys: u64) -> u32 {
    if keys == 0 {
        return 0;
    }
    let bits = keys
        .saturating_mul(u64::from(bits_per_key.rounded()))
        .min(MAX_BITS);
    // At most 2^23.
    u32::try_from(bits.div_ceil(u64::from(LINE_LEN) * 8)).unwrap_or(u32::MAX) | 1
}

impl Format for LegacyBloom {
    type Hash = u32;
    type Filter<'f> = LegacyLines<'f>;

    fn name(&self) -> &str {
        LegacyBloomPolicy::NAME
    }

    fn bits_per_key(&self) -> Option<BitsPerKey> {
        Some(self.bits_per_key)
    }

    #[inline]
    fn hash_function(&self) -> HashFunctionId {
        HashFunctionId::ROCKSDB_LEGACY
    }

    #[inline(always)]
    fn hash(&self, key: &[u8]) -> u32 {
        lines::hash(key)
    }

    #[inline]
    fn max_len(&self, keys: usize) -> Result<usize, Error> {
        let count = lines_for(RocksDbBits::new(self.bits_per_key), keys as u64);
        let bytes = u64::from(count) * u64::from(LINE_LEN);
        addressable(bytes, keys, self.bits_per_key)
    }

    #[inline(always)]
    fn build(&self, _: KernelToken, source: Source<'_, u32>, out: &mut [u8]) -> Result<usize, Error> {
        let bits_per_key = RocksDbBits::new(self.bits_per_key);
        let probes = probe_count(bits_per_key);
        without_counting_repeats(
            source,
            lines::hash,
            out,
            |keys| self.max_len(keys),
            |filter, keys| {
                let count = lines_for(bits_per_key, keys as u64);
                let [a, b, c, d] = count.to_le_bytes();
                let mut repeats = Repeats::default();
                if let Some((bits, tail)) = filter.split_last_chunk_mut() {
                    *tail = [probes, a, b, c, d];
                    bits.fill(0);
                    let lines = Lines::filling(bits.len() as u64, count).unwrap_or(Lines::ONE_BYTE);
                    each_batch(source, lines::hash, |hashes| {
                        repeats.count(hashes);
                        lines::insert(bits, lines, probes, hashes);
                    });
                }
                repeats.repeats
            },
        )
    }

    #[inline(always)]
    fn read<'f>(&self, filter: &'f [u8]) -> Option<LegacyLines<'f>> {
        kinds::legacy(filter)
    }

    fn prepare(&self, _: KernelToken, lines: LegacyLines<'_>) -> Prepared {
        lines.prepared()
    }

    #[inline(always)]
    fn restore(kernel: KernelToken, bits: &[u8], numbers: [u64; 3]) -> LegacyLines<'_> {
        LegacyLines::restored(kernel, bits, numbers)
    }

    fn other(filter: &[u8]) -> Prepared {
        kinds::prepare(filter)
    }
}

impl ListedFormat for LegacyBloom {
    fn facts(&self) -> Facts {
        kinds::facts(kinds::LEGACY_BLOOM, &["rocksdb-legacy"])
    }

    fn with_bits_per_key(self, bits_per_key: BitsPerKey) -> Self {
        Self { bits_per_key }
    }

    fn size(&self, keys: u64) -> Result<FilterSize, Error> {
        let bits = RocksDbBits::given(self.bits_per_key)?;
        Ok(FilterSize {
            bytes: u64::from(lines_for(bits, keys)) * u64::from(LINE_LEN) + TAIL_LEN as u64,
            probes: Some(probe_count(bits).into()),
        })
    }

    /// The rate from the arithmetic of the probes ([`theory`](crate::theory)): within 3 % of measured rates, and 6 %
    /// from some hundred thousand keys on.
    fn rate(&self, keys: u64) -> Result<f64, Error> {
        let bits = RocksDbBits::given(self.bits_per_key)?;
        Ok(rate::rate(lines_for(bits, keys), keys, probe_count(bits)))
    }

    fn rate_floor(&self, keys: u64) -> Result<f64, Error> {
        let bits = RocksDbBits::given(self.bits_per_key)?;
        Ok(rate::floor(lines_for(bits, keys), keys, probe_count(bits)))
    }

    kinds::shared!();
}
