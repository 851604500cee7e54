//! Split blocks: eight probes in each block of 32 bytes, without metadata. FORMAT.md: "Split blocks".

use core::fmt;

#[cfg(feature = "alloc")]
use filter_kernels::StoredBits as _;
use filter_kernels::split_block::{self, BLOCK_LEN, Block, BlockHash, SplitBlocks};
use filter_kernels::{KernelToken, Source};
#[cfg(feature = "alloc")]
use filter_policy::KeyHash;
use filter_policy::building::room;
use filter_policy::{BitsPerKey, Error, HashFunctionId, Layout, Policy, Prepared};

use crate::sizing::split_block_rate;
#[cfg(feature = "alloc")]
use crate::view::places::Places;
use crate::view::{Described, EngineFormat, FilterView, TEN};

/// The maximum length of a bit set: Parquet's header stores the length as a signed 32-bit number.
pub(super) const MAX_LEN: u32 = i32::MAX.unsigned_abs() & !31;

/// The number of blocks among which hash values can select.
const MAX_BLOCKS: u64 = 1 << 32;

/// The probe count, one probe in each word of four bytes.
const PROBES: u8 = 8;

/// The Bloom filter of Parquet, with Parquet's hash (`SplitBlockBloomFilter.Xxh64`) or a faster one
/// (`SplitBlockBloomFilter.Xxph3`), made by [`SplitBlock::new`] and [`SplitBlock::with_xxph3`].
///
/// All eight probes of a key fall into one 32-byte block, one into each of its 32-bit words, so a single vector
/// comparison answers a query: the fastest filter here. The price is the false-positive rate, 1.3 % instead of 0.82 %
/// at 10 bits per key, and the fixed number of probes, which is best at about 11.5 bits per key.
///
/// A filter is the bit set alone, with any number of blocks up to 2 GiB. Parquet stores a [`Header`](super::Header)
/// before it, and writers of Parquet files choose powers of two; see
/// [`SplitBlockFilterMut`](super::SplitBlockFilterMut).
///
/// ```
/// use filter_formats::parquet::SplitBlock;
/// use filter_policy::FilterPolicy;
///
/// let policy = SplitBlock::new(10.into());
/// assert_eq!(policy.name(), "SplitBlockBloomFilter.Xxh64");
/// assert_eq!(SplitBlock::with_xxph3(10.into()).name(), "SplitBlockBloomFilter.Xxph3");
///
/// let mut buffer = [0; 64];
/// let filter = policy.create_filter(&[b"hello", b"world"], &mut buffer)?;
/// assert_eq!(filter.len(), 32);
/// assert!(policy.key_may_match(b"hello", &filter));
/// assert!(!policy.key_may_match(b"foo", &filter));
/// # Ok::<(), filter_policy::Error>(())
/// ```
pub type SplitBlockBloomPolicy = Policy<SplitBlock>;

/// The layout of [`SplitBlockBloomPolicy`], with its constructors. Whole blocks of 32 bytes, without metadata.
#[derive(Debug, Clone, Copy)]
pub struct SplitBlock {
    bits_per_key: BitsPerKey,
    hash: BlockHash,
    /// Derived from `hash`, and stored because keys are hashed one by one.
    function: HashFunctionId,
}

impl SplitBlock {
    /// The name under which engines store the filters with Parquet's hash.
    pub const NAME: &str = "SplitBlockBloomFilter.Xxh64";

    /// The name under which engines store the filters of [`with_xxph3`](Self::with_xxph3).
    pub const NAME_XXPH3: &str = "SplitBlockBloomFilter.Xxph3";

    /// Makes a policy with this many bits per key, and Parquet's hash, XXH64.
    pub const fn new(bits_per_key: BitsPerKey) -> Policy<Self> {
        Policy::of(Self::layout(bits_per_key, BlockHash::Xxh64))
    }

    /// Makes a policy that hashes keys with XXPH3, as `BloomFilter64` does: the choice of an engine that wants the
    /// fastest filter. The filters of `BlockedBloomFilter` in `membership-filters` have the same blocks.
    pub const fn with_xxph3(bits_per_key: BitsPerKey) -> Policy<Self> {
        Policy::of(Self::layout(bits_per_key, BlockHash::Xxph3))
    }

    const fn layout(bits_per_key: BitsPerKey, hash: BlockHash) -> Self {
        Self {
            bits_per_key,
            hash,
            function: function_of(hash),
        }
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

impl Layout for SplitBlock {
    type Hash = u64;
    type Filter<'f> = SplitBlocks<'f>;

    fn name(&self) -> &str {
        match self.hash {
            BlockHash::Xxh64 => Self::NAME,
            BlockHash::Xxph3 => Self::NAME_XXPH3,
        }
    }

    fn bits_per_key(&self) -> Option<BitsPerKey> {
        Some(self.bits_per_key)
    }

    #[inline]
    fn hash_function(&self) -> HashFunctionId {
        self.function
    }

    #[inline(always)]
    fn hash(&self, key: &[u8]) -> u64 {
        self.hash.hash(key)
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
        split_block::insert(kernel, filter.as_chunks_mut().0, self.hash, source);
        Ok(filter.len())
    }

    #[inline(always)]
    fn read<'f>(&self, filter: &'f [u8]) -> Option<SplitBlocks<'f>> {
        let (blocks, hash) = (blocks_of(filter)?, self.hash);
        Some(SplitBlocks { blocks, hash })
    }

    fn other(filter: &[u8]) -> Prepared {
        Prepared::same_for_all(!filter.is_empty())
    }

    fn prepare(&self, kernel: KernelToken, SplitBlocks { blocks, hash }: SplitBlocks<'_>) -> Prepared {
        let lookup = Some(split_block::lookup(kernel, hash));
        let numbers = [u64::from(hash == BlockHash::Xxph3), 0, 0];
        Prepared::new::<Self>(kernel, function_of(hash), lookup, blocks.as_flattened(), numbers)
    }

    #[inline(always)]
    fn restore(_: KernelToken, bits: &[u8], [is_xxph3, ..]: [u64; 3]) -> SplitBlocks<'_> {
        let blocks = bits.as_chunks().0;
        let hash = if is_xxph3 == 0 {
            BlockHash::Xxh64
        } else {
            BlockHash::Xxph3
        };
        SplitBlocks { blocks, hash }
    }
}

/// Returns the identity of a hash function.
#[inline]
const fn function_of(hash: BlockHash) -> HashFunctionId {
    match hash {
        BlockHash::Xxh64 => HashFunctionId::XXH64,
        BlockHash::Xxph3 => HashFunctionId::XXPH3,
    }
}

/// Returns a hash value of either function: the layout does not distinguish them.
#[cfg(feature = "alloc")]
fn of_either(hash: KeyHash) -> Option<u64> {
    hash.of(HashFunctionId::XXH64).or(hash.of(HashFunctionId::XXPH3))
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

impl EngineFormat {
    /// The filter of [`SplitBlock`]: whole blocks of 32 bytes, at least one and at most 2 GiB, without the header
    /// that Parquet stores before them. The rate is the
    /// exact one of ideal blocks, some fuller than others, plus equal halves of hash values. See
    /// [`parquet`](crate::parquet) for the sizes that writers of Parquet files choose.
    pub const SPLIT_BLOCK: Self = Self(&SplitBlock::layout(TEN, BlockHash::Xxh64));
}

impl Described for SplitBlock {
    fn name(&self) -> &'static str {
        "SplitBlock"
    }

    fn view<'a>(&self, filter: &'a [u8]) -> FilterView<'a> {
        FilterView::of(blocks_of(filter), Self::other(filter), |blocks| {
            FilterView::bloom(
                EngineFormat::SPLIT_BLOCK,
                blocks.as_flattened(),
                BLOCK_LEN,
                PROBES,
            )
            .in_parts_of(4)
        })
    }

    #[cfg(feature = "alloc")]
    fn places(&self, len: usize, _: &[u8], hash: KeyHash) -> Option<Places> {
        let blocks = len / BLOCK_LEN;
        let is_filter = blocks > 0 && len.is_multiple_of(BLOCK_LEN) && blocks as u64 <= MAX_BLOCKS;
        let read = is_filter.then_some(blocks);
        Some(Places::of(read, len > 0, of_either(hash), |blocks, hash| {
            Places::unit(split_block::block_of(hash, blocks), BLOCK_LEN)
        }))
    }

    #[cfg(feature = "alloc")]
    fn may_match(&self, _: &[u8], hash: KeyHash, bytes: &[u8]) -> bool {
        match (bytes.as_chunks().0, of_either(hash)) {
            // The only block is that of every hash value, which is given, so the function does not matter.
            ([block, ..], Some(hash)) => {
                let (blocks, function) = (core::slice::from_ref(block), BlockHash::Xxh64);
                let one = SplitBlocks {
                    blocks,
                    hash: function,
                };
                one.may_match(KernelToken::best(), hash)
            }
            _ => true,
        }
    }

    fn damage(&self, _: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("length must be a multiple of 32 bytes")
    }

    fn filter_len(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<u64, Error> {
        bitset_bytes(bits_per_key, keys)
    }

    fn probe_count(&self, _: u64, _: BitsPerKey) -> Result<Option<u32>, Error> {
        Ok(Some(PROBES.into()))
    }

    fn rate(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<f64, Error> {
        let blocks = bitset_bytes(bits_per_key, keys)? / BLOCK_LEN as u64;
        Ok(split_block_rate(blocks, keys))
    }

    /// Rounds bits per key up.
    fn reach(&self, keys: u64) -> Option<u64> {
        Some((u64::from(MAX_LEN) * 8).saturating_sub(keys))
    }
}
