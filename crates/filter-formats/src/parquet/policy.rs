//! Split-block Bloom filters as a policy.

use filter_kernels::split_block::{self, BLOCK_LEN, Block, BlockHash, SplitBlocks};
use filter_kernels::{Kernel, KernelToken, Keys, WideSource};
use filter_policy::answers::each;
use filter_policy::building::for_each_batch;
use filter_policy::prepared::Plan;
use filter_policy::{
    Answers, BitsPerKey, Error, FilterPolicy, HashFunction, HashedPolicy, KeyHash, NewFilter,
};

use crate::contents::{Contents, Stored, plan};
use crate::sizing::split_block_rate;
#[cfg(feature = "alloc")]
use crate::view::places::Places;
use crate::view::{FilterView, Format};

impl Format {
    /// The filter of [`SplitBlockBloomPolicy`]: whole blocks of 32 bytes, at least one and at most 2 GiB, without the header
    /// that Parquet stores before them. The rate is the
    /// exact one of ideal blocks, some fuller than others, plus equal halves of hash values. See
    /// [`parquet`](crate::parquet) for the sizes that writers of Parquet files choose.
    pub const SPLIT_BLOCK: Self = Self {
        name: "SplitBlock",
        layout: "SplitBlock",
        is_distinct: false,
        view: |filter| contents(filter, BlockHash::Xxh64).view(),
        #[cfg(feature = "alloc")]
        places: |len, _, hash| {
            let contents = match (len / BLOCK_LEN, len % BLOCK_LEN) {
                (0, 0) => Contents::Empty,
                (blocks, 0) if blocks as u64 <= MAX_BLOCKS => Contents::Filter(blocks),
                _ => Contents::Reserved,
            };
            Some(contents.places(of_either(hash), |blocks, hash| {
                Places::unit(split_block::block_of(hash, blocks), BLOCK_LEN)
            }))
        },
        #[cfg(feature = "alloc")]
        may_match: |_, hash, bytes| match (bytes.as_chunks::<BLOCK_LEN>().0, of_either(hash)) {
            // The only block is that of every hash value, which is given, so the function does not matter.
            ([block, ..], Some(hash)) => {
                let one = split_blocks(block, BlockHash::Xxh64);
                split_block::may_match(KernelToken::best(), one, hash)
            }
            _ => true,
        },
        damage: |_, f| f.write_str("length must be a multiple of 32 bytes"),
        hash_bits: 64,
        filter_len: |keys, bits_per_key| bitset_bytes(bits_per_key, keys),
        probe_count: |_, _| Ok(Some(PROBES.into())),
        rate: |keys, bits_per_key| {
            let blocks = bitset_bytes(bits_per_key, keys)? / BLOCK_LEN as u64;
            Ok(split_block_rate(blocks, keys))
        },
        // Bits per key are rounded up.
        reach: Some(|keys| (u64::from(MAX_LEN) * 8).saturating_sub(keys)),
    };
}

named! {
    WITH_XXH64: SplitBlockBloomPolicy::NAME, ["split-block", "parquet"], SPLIT_BLOCK, 0, SplitBlockBloomPolicy::new;
    WITH_XXPH3: SplitBlockBloomPolicy::NAME_XXPH3, ["split-block-xxph3"], SPLIT_BLOCK, 0, SplitBlockBloomPolicy::with_xxph3;
}

/// The maximum length of a bit set: Parquet's header stores the length as a signed 32-bit number.
pub(super) const MAX_LEN: u32 = i32::MAX.unsigned_abs() & !31;

/// Hash values can select among so many blocks.
const MAX_BLOCKS: u64 = 1 << 32;

/// The probe count, one probe in each word of four bytes.
const PROBES: u8 = 8;

/// The Bloom filter of Parquet, with Parquet's hash (`SplitBlockBloomFilter.Xxh64`) or a faster one
/// (`SplitBlockBloomFilter.Xxph3`).
///
/// All eight probes of a key fall into one 32-byte block, one into each of its 32-bit words, so a single vector
/// comparison answers a query: the fastest filter here. The price is the false-positive rate, 1.3 % instead of 0.82 %
/// at 10 bits per key, and the fixed number of probes, which is best at about 11.5 bits per key.
///
/// A filter is the bit set alone, with any number of blocks up to 2 GiB. Parquet stores a [`Header`](super::Header)
/// before it, and writers of Parquet files choose powers of two; see [`SplitBlockFilterMut`](super::SplitBlockFilterMut).
///
/// ```
/// use filter_formats::parquet::SplitBlockBloomPolicy;
/// use filter_policy::{FilterPolicy, HashedPolicy};
///
/// let policy = SplitBlockBloomPolicy::new(10.into());
/// assert_eq!(policy.name(), "SplitBlockBloomFilter.Xxh64");
/// assert_eq!(SplitBlockBloomPolicy::with_xxph3(10.into()).name(), "SplitBlockBloomFilter.Xxph3");
///
/// let mut buffer = [0; 64];
/// let filter = policy.build_in(["hello", "world"], &mut buffer)?;
/// assert_eq!(filter.len(), 32);
/// assert!(policy.key_may_match(b"hello", &filter));
/// assert!(!policy.key_may_match(b"foo", &filter));
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct SplitBlockBloomPolicy {
    bits_per_key: BitsPerKey,
    hash: BlockHash,
    /// That of `hash`.
    function: HashFunction,
    /// `None` selects the best available kernel.
    kernel: Option<Kernel>,
}

impl SplitBlockBloomPolicy {
    /// The name under which engines store the filters with Parquet's hash.
    pub const NAME: &str = "SplitBlockBloomFilter.Xxh64";

    /// The name under which engines store the filters of [`with_xxph3`](Self::with_xxph3).
    pub const NAME_XXPH3: &str = "SplitBlockBloomFilter.Xxph3";

    /// Makes a policy with this many bits per key, and Parquet's hash, XXH64.
    pub const fn new(bits_per_key: BitsPerKey) -> Self {
        Self::with_hash(bits_per_key, BlockHash::Xxh64)
    }

    /// Makes a policy that hashes keys with XXPH3, as `BloomFilter64` does: the choice of an engine that wants the fastest
    /// filter. The filters of `BlockedBloomFilter` in `membership-filters` have the same blocks.
    pub const fn with_xxph3(bits_per_key: BitsPerKey) -> Self {
        Self::with_hash(bits_per_key, BlockHash::Xxph3)
    }

    const fn with_hash(bits_per_key: BitsPerKey, hash: BlockHash) -> Self {
        Self {
            bits_per_key,
            hash,
            function: function_of(hash),
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

    #[inline]
    fn hash_function(&self) -> HashFunction {
        self.function
    }

    fn fill(&self, filter: NewFilter<'_>, hashes: impl Iterator<Item = u64>) -> usize {
        let bytes = filter.into_bytes();
        bytes.fill(0);
        let blocks = bytes.as_chunks_mut().0;
        for_each_batch(hashes, |hashes| {
            split_block::insert(self.token(), blocks, self.hash, WideSource::Hashes(hashes));
        })
    }

    fn fill_with_keys(&self, filter: NewFilter<'_>, keys: Keys<'_>) -> Option<usize> {
        let bytes = filter.into_bytes();
        bytes.fill(0);
        split_block::insert(
            self.token(),
            bytes.as_chunks_mut().0,
            self.hash,
            WideSource::Keys(keys),
        );
        Some(0)
    }
}

/// Returns the identity of a hash function.
#[inline]
const fn function_of(hash: BlockHash) -> HashFunction {
    match hash {
        BlockHash::Xxh64 => HashFunction::XXH64,
        BlockHash::Xxph3 => HashFunction::XXPH3,
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

    fn bits_per_key(&self) -> Option<BitsPerKey> {
        Some(self.bits_per_key)
    }

    fn hashed_may_match_each(
        &self,
        key: &[u8],
        hash: KeyHash,
        filters: &[&[u8]],
        answers: &mut Answers<'_>,
    ) -> Result<(), Error> {
        let words = answers.start(filters.len())?;
        match hash.of(self.hash_function()) {
            Some(hash) => may_match_each(self.token(), filters, hash, words),
            None => each(filters.iter(), words, |filter| self.key_may_match(key, filter)),
        }
        Ok(())
    }

    answers!(|policy, filter| contents(filter, policy.hash), policy.token(), blocks => split_block(blocks));
}

/// Returns a hash value of either function: the layout does not tell them apart.
#[cfg(feature = "alloc")]
fn of_either(hash: KeyHash) -> Option<u64> {
    hash.of(HashFunction::XXH64).or(hash.of(HashFunction::XXPH3))
}

/// Returns the length of a bit set for this many keys: whole blocks, at least one.
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

/// Identifies stored bytes.
#[inline]
const fn contents(filter: &[u8], hash: BlockHash) -> Contents<SplitBlocks<'_>> {
    match filter.as_chunks() {
        ([], []) => Contents::Empty,
        (blocks, []) if blocks.len() as u64 <= MAX_BLOCKS => Contents::Filter(SplitBlocks { blocks, hash }),
        _ => Contents::Reserved,
    }
}

kernel_reader!(XXH64, SPLIT_BLOCK, split_block, |bits, plan| split_blocks(
    bits,
    BlockHash::Xxh64
));
kernel_reader!(XXPH3, SPLIT_BLOCK, split_block, |bits, plan| split_blocks(
    bits,
    BlockHash::Xxph3
));

#[inline(always)]
const fn split_blocks(bits: &[u8], hash: BlockHash) -> SplitBlocks<'_> {
    let blocks = bits.as_chunks().0;
    SplitBlocks { blocks, hash }
}

impl<'a> Stored<'a> for SplitBlocks<'a> {
    fn plan(self, kernel: KernelToken) -> Plan {
        let reader = match self.hash {
            BlockHash::Xxh64 => &XXH64,
            BlockHash::Xxph3 => &XXPH3,
        };
        let asker = split_block::asker(kernel, self.hash);
        plan(
            kernel,
            function_of(self.hash),
            reader,
            asker,
            self.blocks.as_flattened(),
            [0; 3],
        )
    }

    fn view(self) -> FilterView<'a> {
        let bits = self.blocks.as_flattened();
        FilterView::bloom(Format::SPLIT_BLOCK, bits, BLOCK_LEN, PROBES).in_parts_of(4)
    }
}

/// Queries all filters, which may be any bytes, for one hash value; `answers` has a word for every 64 filters.
fn may_match_each(kernel: KernelToken, filters: &[&[u8]], hash: u64, answers: &mut [u64]) {
    for (word, filters) in answers.iter_mut().zip(filters.chunks(64)) {
        // A filter without blocks may match.
        let mut found: [&[Block]; 64] = [&[]; 64];
        let mut empty = 0;
        for (i, (found, filter)) in found.iter_mut().zip(filters).enumerate() {
            // The hash value is given, so the function does not matter.
            match contents(filter, BlockHash::Xxh64) {
                Contents::Filter(filter) => *found = filter.blocks,
                contents => empty |= u64::from(matches!(contents, Contents::Empty)) << i,
            }
        }
        let found = found.get(..filters.len()).unwrap_or_default();
        *word = split_block::may_match_each(kernel, found, hash) & !empty;
    }
}
