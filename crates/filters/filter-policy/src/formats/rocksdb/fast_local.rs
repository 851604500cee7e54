//! FastLocalBloom, RocksDB's Bloom filter of format version 5 and later: all probes of a key in one line of 64 bytes;
//! after the lines `ff 00`, the probe count and `00 00`. FORMAT.md: "FastLocalBloom".

pub(crate) mod bits;
mod definition;
mod kernel;

use crate::building::without_counting_repeats;
use crate::policy::{Facts, FilterSize, ListedFormat, Restore as _};
use crate::simd::{KernelToken, Source};
use crate::{BitsPerKey, Error, Format, HashFunctionId, Policy, Prepared};
pub(crate) use bits::{CacheLines, LINE_LEN};
use hashzoo::xxph3_64;

use super::bits_per_key::RocksDbBits;
use super::kinds::{self, NEW_BLOOM_MARKER, TAIL_LEN, addressable};
use crate::sizing::line_rate;

/// The maximum size of the lines, however many keys there are.
const MAX_BYTES: u64 = 0xffff_ffc0;

/// Returns the number of lines for this many keys, at most 2^26 - 1.
pub(super) fn lines_for(bits_per_key: RocksDbBits, keys: u64) -> u64 {
    lines_of(bits_per_key.millibits(), keys)
}

#[inline]
const fn lines_of(millibits: u32, keys: u64) -> u64 {
    // A saturated product is far beyond the maximum.
    let bytes = keys.saturating_mul(millibits as u64).div_ceil(8000);
    let bytes = if bytes < MAX_BYTES { bytes } else { MAX_BYTES };
    bytes.div_ceil(LINE_LEN as u64)
}

const fn tail_of(probes: u8) -> [u8; TAIL_LEN] {
    [NEW_BLOOM_MARKER, 0, probes, 0, 0]
}

/// RocksDB's cache-local Bloom filter of format version 5 and later.
///
/// All probes of a key fall into one line of 64 bytes, so that a query waits for memory once. The price is a slightly
/// higher false-positive rate than with unrestricted probes: 0.97 % instead of 0.82 % at 10 bits per key. The filter is
/// a whole number of lines plus five bytes, so for few keys it is larger than LevelDB's. Its size is at most 4 GiB;
/// keys beyond that raise the rate.
///
/// RocksDB counts thousandths of bits per key from 1 to 100: lower values count as 1, higher values as 100. (Configured
/// with less than 0.5, RocksDB itself writes no filters.) A key equal to the previous one is not counted.
///
/// Stored by engines as `rocksdb.internal.FastLocalBloomFilter`; in RocksDB's own tables under the name that all of
/// its filters share, [`NAME_IN_TABLES`](super::NAME_IN_TABLES). The policy reads every
/// [kind](crate::view::FilterKind) of RocksDB's filters.
///
/// ```
/// use filter_policy::rocksdb::FastLocalBloomPolicy;
/// use filter_policy::FilterPolicy;
///
/// let policy = FastLocalBloomPolicy::new(10.into());
/// let mut buffer = [0; 100];
/// let filter = policy.create_filter(&[b"hello", b"world"], &mut buffer)?;
/// assert_eq!(filter.len(), 64 + 5);
/// assert!(policy.key_may_match(b"hello", &filter));
/// assert!(!policy.key_may_match(b"foo", &filter));
/// # Ok::<(), filter_policy::Error>(())
/// ```
pub type FastLocalBloomPolicy = Policy<FastLocalBloom>;

/// The format of [`FastLocalBloomPolicy`]: whole lines of 64 bytes, then five bytes that
/// distinguish RocksDB's formats.
#[derive(Debug, Clone, Copy)]
pub struct FastLocalBloom {
    pub(super) bits_per_key: BitsPerKey,
    /// Derived from `bits_per_key`, and stored because computing it would slow down small filters.
    millibits: u32,
    probes: u8,
}

impl FastLocalBloomPolicy {
    /// The name under which engines store the filters.
    pub const NAME: &str = "rocksdb.internal.FastLocalBloomFilter";

    /// Makes a policy with this many bits per key.
    pub const fn new(bits_per_key: BitsPerKey) -> Self {
        Self::of(FastLocalBloom::with_bits(bits_per_key))
    }
}

impl FastLocalBloom {
    pub(super) const fn with_bits(bits_per_key: BitsPerKey) -> Self {
        let bits = RocksDbBits::new(bits_per_key);
        Self {
            bits_per_key,
            millibits: bits.millibits(),
            probes: bits.probe_count(),
        }
    }
}

impl Format for FastLocalBloom {
    type Hash = u64;
    type Filter<'f> = CacheLines<'f>;

    fn name(&self) -> &str {
        FastLocalBloomPolicy::NAME
    }

    fn bits_per_key(&self) -> Option<BitsPerKey> {
        Some(self.bits_per_key)
    }

    #[inline]
    fn hash_function(&self) -> HashFunctionId {
        HashFunctionId::XXPH3
    }

    #[inline(always)]
    fn hash(&self, key: &[u8]) -> u64 {
        xxph3_64(key, 0)
    }

    #[inline]
    fn max_len(&self, keys: usize) -> Result<usize, Error> {
        let bytes = lines_of(self.millibits, keys as u64) * LINE_LEN as u64;
        addressable(bytes, keys, self.bits_per_key)
    }

    #[inline(always)]
    fn build(&self, kernel: KernelToken, source: Source<'_, u64>, out: &mut [u8]) -> Result<usize, Error> {
        let hash = |key: &[u8]| self.hash(key);
        without_counting_repeats(
            source,
            hash,
            out,
            |keys| self.max_len(keys),
            |filter, _| {
                let Some((bits, tail)) = filter.split_last_chunk_mut() else {
                    return 0;
                };
                *tail = tail_of(self.probes);
                bits::create(kernel, bits.as_chunks_mut().0, self.probes, source)
            },
        )
    }

    #[inline(always)]
    fn read<'f>(&self, filter: &'f [u8]) -> Option<CacheLines<'f>> {
        kinds::fast_local(filter)
    }

    fn prepare(&self, kernel: KernelToken, lines: CacheLines<'_>) -> Prepared {
        lines.prepared(kernel)
    }

    #[inline(always)]
    fn restore(kernel: KernelToken, bits: &[u8], numbers: [u64; 3]) -> CacheLines<'_> {
        CacheLines::restored(kernel, bits, numbers)
    }

    fn other(filter: &[u8]) -> Prepared {
        kinds::prepare(filter)
    }
}

impl ListedFormat for FastLocalBloom {
    fn facts(&self) -> Facts {
        kinds::facts(kinds::FAST_LOCAL_BLOOM, &["rocksdb", "fast-local-bloom"])
    }

    fn with_bits_per_key(self, bits_per_key: BitsPerKey) -> Self {
        Self::with_bits(bits_per_key)
    }

    fn size(&self, keys: u64) -> Result<FilterSize, Error> {
        let bits = RocksDbBits::given(self.bits_per_key)?;
        Ok(FilterSize {
            bytes: lines_for(bits, keys) * LINE_LEN as u64 + TAIL_LEN as u64,
            probes: Some(bits.probe_count().into()),
        })
    }

    /// The exact rate of ideal lines, some fuller than others, plus equal halves of hash values, which are what remains
    /// at 50 bits per key and more.
    fn rate(&self, keys: u64) -> Result<f64, Error> {
        let bits = RocksDbBits::given(self.bits_per_key)?;
        Ok(line_rate(lines_for(bits, keys), keys, bits.probe_count()))
    }

    kinds::shared!();
}
