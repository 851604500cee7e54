//! Describes stored filter bytes.
//!
//! Stored bytes may be anything: all of them have a documented answer, and none cause a panic.

use filter_kernels::fast_local::LINE_LEN;
use filter_kernels::split_block::{BLOCK_LEN, BlockHash};
use filter_policy::leveldb;

pub use crate::contents::FilterKind;
use crate::contents::{Contents, bloom64, fuse, rocksdb, split_block};
use crate::fuse::sizes::rate_of_width;
use crate::rocksdb::rate_of_ribbon;

/// The bytes that probes can reach in LevelDB's layout: the first 2^32 bits, because hash values have 32 bits.
const REACHABLE_BYTES: usize = 1 << 29;

/// The probe count of split blocks, one probe in each word.
const PROBES_OF_BLOCKS: u8 = 8;

/// The layout of a filter's bytes, independent of the hash function. `policies::layout_of` returns it for a policy's
/// name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilterLayout {
    /// LevelDB's: a bit array, then the probe count k.
    LevelDb,
    /// The layout of `BloomFilter64.Xxph3`: a bit array, then 128 and k.
    Bloom64,
    /// RocksDB's: the last five bytes identify the kind.
    RocksDb,
    /// Parquet's: blocks of 32 bytes, without the header that Parquet stores before them.
    SplitBlock,
    /// Pebble's binary fuse filters: packed fingerprints, then 14 bytes that describe them.
    BinaryFuse,
}

/// Describes stored filter bytes: kind, size, fill and expected rate. (A [`PreparedFilter`](filter_policy::PreparedFilter)
/// answers queries for keys.)
///
/// ```
/// use filter_formats::view::{FilterKind, FilterLayout, FilterView};
/// use filter_policy::{BitsPerKey, BloomFilterPolicy, HashedPolicy};
///
/// let policy = BloomFilterPolicy::new(BitsPerKey::whole(10));
/// let mut buffer = [0; 64];
/// let filter = policy.build_in(["hello", "world"], &mut buffer)?;
///
/// let view = FilterView::new(FilterLayout::LevelDb, filter);
/// assert_eq!(view.kind(), FilterKind::LevelDb);
/// assert_eq!((view.bits(), view.probe_count()), (64, Some(6)));
/// assert_eq!(view.estimated_len(), Some(2));
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct FilterView<'a> {
    kind: FilterKind,
    /// The bits without metadata; empty if there are none.
    bits: &'a [u8],
    /// The length in bytes of a line, which holds all probes of a key.
    line_len: usize,
    /// The probe count of a Bloom filter.
    probes: Option<u8>,
    /// The rate of a filter that is not a Bloom filter.
    rate: f64,
}

impl<'a> FilterView<'a> {
    /// Reads the filter; accepts any bytes.
    pub fn new(layout: FilterLayout, filter: &'a [u8]) -> Self {
        let bloom = |kind, bits: &'a [u8], line_len, probes| Self {
            kind,
            bits,
            line_len,
            probes: Some(probes),
            rate: 0.0,
        };
        let contents = match layout {
            FilterLayout::LevelDb => match leveldb::stored(filter) {
                leveldb::Stored::Bloom { bit_array, probes } => {
                    let reachable = bit_array.len().min(REACHABLE_BYTES);
                    return bloom(FilterKind::LevelDb, bit_array, reachable, probes);
                }
                leveldb::Stored::Empty => Contents::Empty,
                leveldb::Stored::Reserved => Contents::Reserved,
            },
            FilterLayout::Bloom64 => bloom64::contents(filter),
            FilterLayout::RocksDb => rocksdb::contents(filter),
            FilterLayout::SplitBlock => split_block::contents(filter, BlockHash::Xxh64),
            FilterLayout::BinaryFuse => fuse::contents(filter),
        };
        let kind = contents.kind();
        let (bits, rate): (&[u8], _) = match contents {
            Contents::Bloom64 { bit_array, probes } => {
                return bloom(kind, bit_array, bit_array.len(), probes);
            }
            Contents::LegacyBloom { bits, lines, probes } => {
                return bloom(kind, bits, lines.line_len(), probes);
            }
            Contents::FastLocalBloom { lines, probes } => {
                return bloom(kind, lines.as_flattened(), LINE_LEN, probes);
            }
            Contents::SplitBlock(filter) => {
                return bloom(kind, filter.blocks.as_flattened(), BLOCK_LEN, PROBES_OF_BLOCKS);
            }
            Contents::Ribbon(solution) => (solution.bytes(), rate_of_ribbon(solution.shape())),
            Contents::BinaryFuse(fingerprints) => {
                let packed = fingerprints.bytes().split_last_chunk::<{ fuse::TRAILER_LEN }>();
                let rate = rate_of_width(fingerprints.width());
                (packed.map_or(&[], |(packed, _)| packed), rate)
            }
            Contents::Empty => (&[], 0.0),
            Contents::Reserved => (&[], 1.0),
        };
        Self {
            kind,
            bits,
            line_len: bits.len(),
            probes: None,
            rate,
        }
    }

    /// Returns the kind of the filter.
    pub const fn kind(&self) -> FilterKind {
        self.kind
    }

    /// Returns the bytes that answers come from; empty if every key gets one answer. The least significant bit of a byte
    /// comes first.
    pub const fn bit_array(&self) -> &'a [u8] {
        self.bits
    }

    /// Returns the number of bits that answers come from; 0 if every key gets one answer.
    pub const fn bits(&self) -> u64 {
        (self.bits.len() as u64).saturating_mul(8)
    }

    /// Returns the probe count k, 0 to 127; `None` unless the filter is a Bloom filter.
    pub const fn probe_count(&self) -> Option<u8> {
        self.probes
    }

    /// Returns the number of bits that are one; `None` unless the filter is a Bloom filter. (In a Ribbon
    /// or binary fuse filter, the ones do not tell how many keys it holds.) In LevelDB's layout only the first 2^32 bits count: probes reach no
    /// further.
    pub fn ones(&self) -> Option<u64> {
        self.lines().map(|lines| lines.map(count_ones).sum())
    }

    /// Returns the share of ones among the bits, 0 to 1; `None` unless the filter is a Bloom filter. A filter is at its
    /// best half full.
    pub fn fill(&self) -> Option<f64> {
        let bits = self.lines()?.len() as f64 * self.line_bits();
        Some(self.ones()? as f64 / bits)
    }

    /// Returns the probability that an absent key matches, 0 to 1, if probes were independent: for a Bloom filter
    /// `fill ^ k`, averaged over the lines if the layout has lines; for split blocks the product of the shares of ones
    /// in a block's words, averaged over the blocks; for a Ribbon filter two to the power of minus its columns, and for a
    /// binary fuse filter of minus the width of its fingerprints; 0 for an empty filter and 1 for a reserved one.
    ///
    /// The measured rate of LevelDB's probe sequence and of legacy filters is higher; [`theory`](crate::theory)
    /// explains why and by how much.
    pub fn false_positive_rate(&self) -> f64 {
        let Some((lines, probes)) = self.lines().zip(self.probes) else {
            return self.rate;
        };
        let count = lines.len() as f64;
        let of_line = |line: &[u8]| match self.kind {
            FilterKind::SplitBlock => fills(line).product(),
            _ => libm::pow(count_ones(line) as f64 / self.line_bits(), f64::from(probes)),
        };
        lines.map(of_line).sum::<f64>() / count
    }

    /// Returns an estimate of the number of distinct keys in the filter, from the number of ones:
    /// `ln(1 - fill) / (k ln(1 - 1/m))`, summed over the lines if the layout has lines. (In split blocks each word is a
    /// filter of 32 bits with k = 1; the estimates of a block's words are averaged.)
    ///
    /// `None` when no estimate is possible: all bits (of a line) are ones, k is 0, or the filter is not a Bloom filter.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a filter of fewer than 2^64 bits holds fewer keys"
    )]
    pub fn estimated_len(&self) -> Option<u64> {
        let probes = f64::from(self.probes.filter(|&probes| probes > 0)?);
        // The quotient of two negative numbers, except that an empty line has a zero numerator.
        let keys = |fill: f64, of_one_key: f64| (fill < 1.0).then(|| libm::log1p(-fill) / of_one_key);
        let keys: Option<f64> = if self.kind == FilterKind::SplitBlock {
            let of_one_key = probes * libm::log1p(-1.0 / 32.0);
            fills(self.bits).map(|fill| keys(fill, of_one_key)).sum()
        } else {
            let of_one_key = probes * libm::log1p(-1.0 / self.line_bits());
            let fill = |line: &[u8]| count_ones(line) as f64 / self.line_bits();
            self.lines()?.map(|line| keys(fill(line), of_one_key)).sum()
        };
        keys.map(|keys| libm::round(keys) as u64)
    }

    /// Returns the lines of a Bloom filter: at least one, because a filter without lines is empty or reserved.
    fn lines(&self) -> Option<core::slice::ChunksExact<'a, u8>> {
        let reachable = self
            .bits
            .get(..REACHABLE_BYTES)
            .filter(|_| self.kind == FilterKind::LevelDb);
        self.probes
            .map(|_| reachable.unwrap_or(self.bits).chunks_exact(self.line_len))
    }

    fn line_bits(&self) -> f64 {
        self.line_len as f64 * 8.0
    }
}

impl core::fmt::Debug for FilterView<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("FilterView")
            .field("kind", &self.kind)
            .field("bits", &self.bits())
            .field("probe_count", &self.probes)
            .finish_non_exhaustive()
    }
}

/// Returns the shares of ones in words of 32 bits.
fn fills(bytes: &[u8]) -> impl Iterator<Item = f64> {
    let words = bytes.as_chunks().0.iter();
    words.map(|word| f64::from(u32::from_ne_bytes(*word).count_ones()) / 32.0)
}

pub(crate) fn count_ones(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let in_words: u64 = words
        .iter()
        .map(|word| u64::from(u64::from_ne_bytes(*word).count_ones()))
        .sum();
    in_words + rest.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>()
}
