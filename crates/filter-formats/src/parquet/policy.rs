//! Split-block Bloom filters as a policy.

use filter_kernels::split_block::BlockHash;
use filter_kernels::{Kernel, KernelToken, Keys, WideSource, split_block};
use filter_policy::answers::each;
use filter_policy::{BitsPerKey, Error, FilterPolicy, HashedPolicy, KeyHash};

use crate::contents::Contents;
use crate::contents::split_block::{bitset_bytes, contents, may_match_each};

/// The Bloom filter of Parquet, with Parquet's hash (`SplitBlockBloomFilter.Xxh64`) or a faster one
/// (`SplitBlockBloomFilter.Xxph3`).
///
/// All eight probes of a key fall into one 32-byte block, one into each of its 32-bit words, so a single vector
/// comparison answers a query: the fastest filter here. The price is the false-positive rate, 1.3 % instead of 0.82 %
/// at 10 bits per key, and the fixed number of probes, which is best at about 11.5 bits per key.
///
/// A filter is the bit set alone, with any number of blocks up to 2 GiB. Parquet stores a [`Header`](super::Header)
/// before it, and writers of Parquet files choose powers of two; see [`arrow_rs_bytes`](super::arrow_rs_bytes) and
/// [`SplitBlockFilterMut`](super::SplitBlockFilterMut).
///
/// ```
/// use filter_formats::parquet::SplitBlockBloomPolicy;
/// use filter_policy::{FilterPolicy, HashedPolicy};
///
/// let policy = SplitBlockBloomPolicy::new(10.into());
/// assert_eq!(policy.name(), "SplitBlockBloomFilter.Xxh64");
/// assert_eq!(SplitBlockBloomPolicy::xxph3(10.into()).name(), "SplitBlockBloomFilter.Xxph3");
///
/// let mut buffer = [0; 64];
/// let filter = policy.build_in(["hello", "world"], &mut buffer)?;
/// assert_eq!(filter.len(), 32);
/// assert!(policy.key_may_match(b"hello", filter));
/// assert!(!policy.key_may_match(b"foo", filter));
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct SplitBlockBloomPolicy {
    bits_per_key: BitsPerKey,
    hash: BlockHash,
    /// `None` selects the best available kernel.
    kernel: Option<Kernel>,
}

impl SplitBlockBloomPolicy {
    /// The name under which engines store the filters with Parquet's hash.
    pub const NAME: &str = "SplitBlockBloomFilter.Xxh64";

    /// The name under which engines store the filters of [`xxph3`](Self::xxph3).
    pub const NAME_XXPH3: &str = "SplitBlockBloomFilter.Xxph3";

    /// Makes a policy with this many bits per key, and Parquet's hash, XXH64.
    pub const fn new(bits_per_key: BitsPerKey) -> Self {
        Self::with_hash(bits_per_key, BlockHash::Xxh64)
    }

    /// Makes a policy that hashes keys with XXPH3, as `BloomFilter64` does: the choice of an engine that wants the fastest
    /// filter. The filters of `BlockedBloomFilter` in `membership-filters` have the same blocks.
    pub const fn xxph3(bits_per_key: BitsPerKey) -> Self {
        Self::with_hash(bits_per_key, BlockHash::Xxph3)
    }

    const fn with_hash(bits_per_key: BitsPerKey, hash: BlockHash) -> Self {
        Self {
            bits_per_key,
            hash,
            kernel: None,
        }
    }

    configured!();
}

impl HashedPolicy for SplitBlockBloomPolicy {
    type Hash = u64;

    #[inline]
    fn hash_key(&self, key: &[u8]) -> u64 {
        self.hash.hash(key)
    }

    fn start(&self, _: usize, filter: &mut [u8]) {
        filter.fill(0);
    }

    fn insert(&self, filter: &mut [u8], hashes: &[u64]) {
        let blocks = filter.as_chunks_mut().0;
        split_block::insert(self.token(), blocks, self.hash, WideSource::Hashes(hashes));
    }

    fn create(&self, keys: Keys<'_>, filter: &mut [u8]) -> Option<usize> {
        filter.fill(0);
        let blocks = filter.as_chunks_mut().0;
        split_block::insert(self.token(), blocks, self.hash, WideSource::Keys(keys));
        Some(0)
    }
}

impl FilterPolicy for SplitBlockBloomPolicy {
    fn name(&self) -> &str {
        match self.hash {
            BlockHash::Xxh64 => Self::NAME,
            BlockHash::Xxph3 => Self::NAME_XXPH3,
        }
    }

    /// Returns the exact length of a filter of this many keys.
    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        let bytes = bitset_bytes(self.bits_per_key, keys as u64)?;
        // Below 2^31.
        Ok(usize::try_from(bytes).unwrap_or(usize::MAX))
    }

    fn hashed_may_match_each(&self, key: &[u8], hash: KeyHash, filters: &[&[u8]], answers: &mut [u64]) {
        match hash {
            KeyHash::Bits64(hash) => may_match_each(self.token(), filters, hash, answers),
            KeyHash::Bits32(_) => each(filters.iter(), answers, |filter| self.key_may_match(key, filter)),
        }
    }

    answers!(|policy, filter| contents(filter, policy.hash), policy.token(), Contents::SplitBlock(blocks) => split_block(blocks));
}
