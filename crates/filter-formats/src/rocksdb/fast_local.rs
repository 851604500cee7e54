//! FastLocalBloom, RocksDB's Bloom filter of format version 5 and later: all probes of a key in one line of 64 bytes.

use filter_kernels::fast_local::{self, LINE_LEN};
use filter_kernels::{Kernel, KernelToken, Keys, WideSource};
use filter_policy::building::for_each_batch;
use filter_policy::{BitsPerKey, Error, FilterPolicy, HashFunction, HashedPolicy, NewFilter};
use hashzoo::xxph3_64;

use super::bits_per_key::RocksDbBits;
use super::kinds::{
    Kind, NEW_BLOOM_MARKER, TAIL_LEN, addressable, contents, contents_of_another_kind,
    fast_local as stored_lines,
};

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
/// use filter_formats::rocksdb::FastLocalBloomPolicy;
/// use filter_policy::{FilterPolicy, HashedPolicy};
///
/// let policy = FastLocalBloomPolicy::new(10.into());
/// let mut buffer = [0; 100];
/// let filter = policy.build_in(["hello", "world"], &mut buffer)?;
/// assert_eq!(filter.len(), 64 + 5);
/// assert!(policy.key_may_match(b"hello", &filter));
/// assert!(!policy.key_may_match(b"foo", &filter));
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct FastLocalBloomPolicy {
    pub(super) bits_per_key: BitsPerKey,
    /// Derived from `bits_per_key`, and stored because computing it would slow down small filters.
    millibits: u32,
    probes: u8,
    /// `None` selects the best available kernel.
    kernel: Option<Kernel>,
}

impl FastLocalBloomPolicy {
    /// The name under which engines store the filters.
    pub const NAME: &str = "rocksdb.internal.FastLocalBloomFilter";

    /// Makes a policy with this many bits per key.
    pub const fn new(bits_per_key: BitsPerKey) -> Self {
        let bits = RocksDbBits::new(bits_per_key);
        Self {
            bits_per_key,
            millibits: bits.millibits(),
            probes: bits.probe_count(),
            kernel: None,
        }
    }

    configured!();

    #[inline(never)]
    fn may_match_without_lines(&self, key: &[u8], filter: &[u8]) -> bool {
        contents_of_another_kind(filter)
            .plan(KernelToken::Scalar)
            .may_match(filter, key)
    }
}

impl HashedPolicy for FastLocalBloomPolicy {
    type Hash = u64;

    const DROPS_REPEATS: bool = true;

    #[inline]
    fn hash_key(&self, key: &[u8]) -> u64 {
        xxph3_64(key, 0)
    }

    #[inline]
    fn hash_function(&self) -> HashFunction {
        HashFunction::XXPH3
    }

    fn fill(&self, filter: NewFilter<'_>, hashes: impl Iterator<Item = u64>) -> usize {
        let bits = filter.ending_in(tail_of(self.probes));
        bits.fill(0);
        let lines = bits.as_chunks_mut().0;
        for_each_batch(hashes, |hashes| {
            fast_local::insert(self.token(), lines, self.probes, WideSource::Hashes(hashes));
        })
    }

    fn fill_with_keys(&self, filter: NewFilter<'_>, keys: Keys<'_>) -> Option<usize> {
        let lines = filter.ending_in(tail_of(self.probes)).as_chunks_mut().0;
        Some(fast_local::create(self.token(), lines, self.probes, keys))
    }
}

impl FilterPolicy for FastLocalBloomPolicy {
    fn name(&self) -> &str {
        Self::NAME
    }

    /// Returns the exact length of a filter of this many keys if no key equals the one before it.
    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        let bytes = lines_of(self.millibits, keys as u64) * LINE_LEN as u64;
        addressable(bytes, keys, self.bits_per_key)
    }

    fn bits_per_key(&self) -> Option<BitsPerKey> {
        Some(self.bits_per_key)
    }

    #[inline]
    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        let other = |key: &[u8], filter: &[u8]| self.may_match_without_lines(key, filter);
        fast_local::stored_may_match(stored_lines, other, key, filter, self.kernel)
    }

    answers!(|policy, filter| contents(filter), policy.token(), Kind::FastLocalBloom { lines, probes } => fast_local(lines, probes), but key_may_match);
}
