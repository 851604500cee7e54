//! Split blocks: eight probes in each block of 32 bytes, without metadata. FORMAT.md: "Split blocks".

pub(crate) mod bits;
pub(crate) mod build;
mod definition;
mod kernel;
#[cfg(feature = "alloc")]
pub(crate) mod large;

use core::fmt;
use core::marker::PhantomData;

use crate::building::room;
use crate::policy::{Facts, FilterSize, ListedFormat};
use crate::simd::{KernelToken, Source};
use crate::{BitsPerKey, Error, Format, HashFunctionId, Policy, Prepared};
pub(crate) use bits::{BLOCK_LEN, Block, BlockHash, SplitBlocks};
use bits::{Xxh64, Xxph3};

use crate::sizing::split_block_rate;
use crate::view::FilterView;

/// The maximum length of a bit set: Parquet's header stores the length as a signed 32-bit number.
pub(crate) const MAX_LEN: u32 = i32::MAX.unsigned_abs() & !31;

/// The number of blocks among which hash values can select.
const MAX_BLOCKS: u64 = 1 << 32;

/// The probe count, one probe in each word of four bytes.
const PROBES: u8 = 8;

/// Split blocks with XXPH3, `SplitBlockBloomFilter.Xxph3`: the fastest filter here.
///
/// All eight probes of a key fall into one 32-byte block, one into each of its 32-bit words, so a single vector
/// comparison answers a query. The price is the false-positive rate, 1.3 % instead of 0.82 % at 10 bits per key, and
/// the fixed number of probes, which is best at about 11.5 bits per key.
///
/// A filter is the bit set alone, with any number of blocks up to 2 GiB. The filters of `BlockedBloomFilter` in
/// `membership-filters` have the same blocks. [`ParquetPolicy`](crate::parquet::ParquetPolicy) has Parquet's hash, and
/// so another name.
///
/// ```
/// use filter_policy::{FilterPolicy, SplitBlockPolicy};
///
/// let policy = SplitBlockPolicy::new(10.into());
/// assert_eq!(policy.name(), "SplitBlockBloomFilter.Xxph3");
///
/// let mut buffer = [0; 64];
/// let filter = policy.create_filter(&[b"hello", b"world"], &mut buffer)?;
/// assert_eq!(filter.len(), 32);
/// assert!(policy.key_may_match(b"hello", &filter));
/// assert!(!policy.key_may_match(b"foo", &filter));
/// # Ok::<(), filter_policy::Error>(())
/// ```
pub type SplitBlockPolicy = Policy<SplitBlock<Xxph3>>;

/// The Bloom filter of Parquet, Impala, Kudu and Arrow as a policy: split blocks with XXH64,
/// `SplitBlockBloomFilter.Xxh64`.
///
/// The bytes are Parquet's bit set. Parquet stores a [`Header`](crate::parquet::Header) before it, and writers of Parquet files
/// choose powers of two; see [`SplitBlockFilterMut`](crate::parquet::SplitBlockFilterMut). Where nothing demands Parquet's
/// hash, [`SplitBlockPolicy`](crate::SplitBlockPolicy) is faster and has the same rate.
///
/// ```
/// use filter_policy::parquet::ParquetPolicy;
/// use filter_policy::FilterPolicy;
///
/// let policy = ParquetPolicy::new(10.into());
/// assert_eq!(policy.name(), "SplitBlockBloomFilter.Xxh64");
///
/// let mut buffer = [0; 64];
/// let filter = policy.create_filter(&[b"hello", b"world"], &mut buffer)?;
/// assert_eq!(filter.len(), 32);
/// assert!(policy.key_may_match(b"hello", &filter));
/// assert!(!policy.key_may_match(b"foo", &filter));
/// # Ok::<(), filter_policy::Error>(())
/// ```
pub type ParquetPolicy = Policy<SplitBlock<Xxh64>>;

/// The format of [`SplitBlockPolicy`] and [`ParquetPolicy`](crate::parquet::ParquetPolicy): whole blocks of 32 bytes,
/// without metadata. `H` is the hash function.
#[derive(Debug, Clone, Copy)]
pub struct SplitBlock<H> {
    bits_per_key: BitsPerKey,
    hash: PhantomData<H>,
}

impl SplitBlockPolicy {
    /// The name under which engines store the filters.
    pub const NAME: &str = Xxph3::NAME;

    /// Makes a policy with this many bits per key.
    pub const fn new(bits_per_key: BitsPerKey) -> Self {
        Self::of(SplitBlock::with_bits(bits_per_key))
    }
}

impl ParquetPolicy {
    /// The name under which engines store the filters.
    pub const NAME: &str = Xxh64::NAME;

    /// Makes a policy with this many bits per key.
    pub const fn new(bits_per_key: BitsPerKey) -> Self {
        Self::of(SplitBlock::with_bits(bits_per_key))
    }
}

impl<H> SplitBlock<H> {
    const fn with_bits(bits_per_key: BitsPerKey) -> Self {
        let hash = PhantomData;
        Self { bits_per_key, hash }
    }
}

/// Returns the blocks of a stored filter; `None` for other bytes.
#[inline]
const fn blocks_of(filter: &[u8]) -> Option<&[Block]> {
    // A single comparison: what is left over becomes the highest bits, and none the largest number.
    let blocks = (filter.len() as u64).rotate_right(BLOCK_LEN.ilog2());
    if blocks.wrapping_sub(1) < MAX_BLOCKS {
        Some(filter.as_chunks().0)
    } else {
        None
    }
}

impl<H: BlockHash> Format for SplitBlock<H> {
    type Hash = u64;
    type Filter<'f> = SplitBlocks<'f, H>;

    fn name(&self) -> &str {
        H::NAME
    }

    fn bits_per_key(&self) -> Option<BitsPerKey> {
        Some(self.bits_per_key)
    }

    #[inline]
    fn hash_function(&self) -> HashFunctionId {
        H::FUNCTION
    }

    #[inline(always)]
    fn hash(&self, key: &[u8]) -> u64 {
        H::hash(key)
    }

    #[inline]
    fn max_len(&self, keys: usize) -> Result<usize, Error> {
        let bytes = bitset_bytes(self.bits_per_key, keys as u64)?;
        // Below 2^31.
        Ok(usize::try_from(bytes).unwrap_or(usize::MAX))
    }

    #[inline(always)]
    fn build(&self, kernel: KernelToken, source: Source<'_, u64>, out: &mut [u8]) -> Result<usize, Error> {
        let filter = room(out, self.max_len(source.len())?)?;
        filter.fill(0);
        build::insert::<H>(kernel, filter.as_chunks_mut().0, source);
        Ok(filter.len())
    }

    #[inline(always)]
    fn read<'f>(&self, filter: &'f [u8]) -> Option<SplitBlocks<'f, H>> {
        blocks_of(filter).map(SplitBlocks::new)
    }

    fn other(filter: &[u8]) -> Prepared {
        Prepared::same_for_all(!filter.is_empty())
    }

    fn prepare(&self, kernel: KernelToken, filter: SplitBlocks<'_, H>) -> Prepared {
        let (lookup, blocks) = (Some(H::lookup(kernel)), filter.blocks.as_flattened());
        Prepared::new::<Self>(kernel, H::FUNCTION, lookup, blocks, [0; 3])
    }

    #[inline(always)]
    fn restore(_: KernelToken, bits: &[u8], _: [u64; 3]) -> SplitBlocks<'_, H> {
        SplitBlocks::new(bits.as_chunks().0)
    }
}

impl<H: BlockHash + Send + Sync + 'static> ListedFormat for SplitBlock<H> {
    fn facts(&self) -> Facts {
        Facts::new("SplitBlock", H::SHORT_NAMES)
    }

    fn with_bits_per_key(self, bits_per_key: BitsPerKey) -> Self {
        Self { bits_per_key, ..self }
    }

    fn size(&self, keys: u64) -> Result<FilterSize, Error> {
        Ok(FilterSize {
            bytes: bitset_bytes(self.bits_per_key, keys)?,
            probes: Some(PROBES.into()),
        })
    }

    /// The exact rate of ideal blocks, some fuller than others, plus equal halves of hash values. See
    /// [`parquet`](crate::parquet) for the sizes that writers of Parquet files choose.
    fn rate(&self, keys: u64) -> Result<f64, Error> {
        let blocks = bitset_bytes(self.bits_per_key, keys)? / BLOCK_LEN as u64;
        Ok(split_block_rate(blocks, keys))
    }

    /// Rounds bits per key up.
    fn reach(keys: u64) -> Option<u64> {
        Some((u64::from(MAX_LEN) * 8).saturating_sub(keys))
    }

    fn view<'a>(&self, filter: &'a [u8]) -> FilterView<'a> {
        FilterView::of(blocks_of(filter), Self::other(filter), |blocks| {
            FilterView::bloom(self.facts().kind, blocks.as_flattened(), BLOCK_LEN, PROBES).in_parts_of(4)
        })
    }

    fn write_damage(_: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("length must be a multiple of 32 bytes")
    }
}

/// Returns the length of a bit set for this many keys: whole blocks, at least one.
#[inline]
fn bitset_bytes(bits_per_key: BitsPerKey, keys: u64) -> Result<u64, Error> {
    u64::try_from(bits_per_key.times(keys))
        .ok()
        .and_then(|bits| {
            bits.div_ceil(8 * BLOCK_LEN as u64)
                .max(1)
                .checked_mul(BLOCK_LEN as u64)
        })
        .filter(|&bytes| bytes <= MAX_LEN.into())
        .ok_or_else(|| bits_per_key.too_large(keys, bits_per_key.most_keys(8 * u64::from(MAX_LEN))))
}
