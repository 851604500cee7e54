//! Describes stored filter bytes.
//!
//! Stored bytes may be anything: all of them have a documented answer, and none cause a panic.

use core::fmt;

use crate::{AnyFormat, Prepared};

/// The kind of a stored filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterKind {
    /// Too short to hold a key: never matches. The minimum is two bytes in the formats of LevelDB, `BloomFilter64` and
    /// Basho, six in RocksDB's and one in Parquet's and Pebble's.
    Empty,
    /// A reserved or unknown encoding: always matches.
    Reserved,
    /// A filter of the format of this name.
    Filter(&'static str),
}

/// Describes stored filter bytes: kind, size, fill and expected rate. (A
/// [`PreparedFilter`](crate::PreparedFilter) answers queries for keys.)
///
/// ```
/// use filter_policy::view::{FilterKind, FilterView};
/// use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy, formats};
///
/// let policy = BloomFilterPolicy::new(BitsPerKey::whole(10));
/// let mut buffer = [0; 64];
/// let filter = policy.create_filter(&[b"hello", b"world"], &mut buffer)?;
///
/// let view = FilterView::new(formats::LEVEL_DB, &filter);
/// assert_eq!(view.kind(), FilterKind::Filter("LevelDb"));
/// assert_eq!((view.bits(), view.probe_count()), (64, Some(6)));
/// assert_eq!(view.estimated_len(), Some(2));
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct FilterView<'a> {
    kind: FilterKind,
    /// The bits without metadata; empty if there are none.
    bits: &'a [u8],
    /// The bits that probes reach.
    reachable: &'a [u8],
    /// The length in bytes of a line, which holds all probes of a key.
    line_len: usize,
    /// The length in bytes of the parts of a line, each of which holds as many of the probes.
    part_len: usize,
    /// The probe count of a Bloom filter.
    probes: Option<u32>,
    /// The rate of a filter that is not a Bloom filter.
    rate: f64,
    /// Computes the rate of a Bloom filter whose probes are not independent from bits, keys and probe count.
    rate_of: Option<fn(u64, u64, u8) -> f64>,
    /// Computes the share of ones of such a filter from the same numbers.
    fill_of: Option<fn(u64, u64, u8) -> f64>,
}

impl<'a> FilterView<'a> {
    pub(crate) const EMPTY: Self = Self::of_kind(FilterKind::Empty, &[], 0.0);

    pub(crate) const RESERVED: Self = Self::of_kind(FilterKind::Reserved, &[], 1.0);

    /// Reads the filter; accepts any bytes. A filter of RocksDB may be of any of its formats.
    pub fn new(format: &dyn AnyFormat, filter: &'a [u8]) -> Self {
        format.view(filter)
    }

    /// Describes a filter that a format has read, or bytes that are none, which may have one answer for all keys.
    pub(crate) fn of<F>(read: Option<F>, other: Prepared, of_filter: impl FnOnce(F) -> Self) -> Self {
        match (read, other.same()) {
            (Some(filter), _) => of_filter(filter),
            (None, Some(false)) => Self::EMPTY,
            _ => Self::RESERVED,
        }
    }

    /// Describes a Bloom filter, in which all probes of a key are in a line of this many bytes.
    pub(crate) const fn bloom(format: &'static str, bits: &'a [u8], line_len: usize, probes: u8) -> Self {
        Self {
            line_len,
            part_len: line_len,
            probes: Some(probes as u32),
            ..Self::solved(format, bits, 0.0)
        }
    }

    /// Returns this view with probes that reach only the first 2^32 bits.
    pub(crate) fn within_32_bits(self) -> Self {
        let reachable = self.bits.get(..1 << 29).unwrap_or(self.bits);
        let line_len = reachable.len();
        Self {
            reachable,
            line_len,
            part_len: line_len,
            ..self
        }
    }

    /// Returns this view with equally many probes in each part of a line; the parts have this many bytes.
    pub(crate) const fn in_parts_of(self, part_len: usize) -> Self {
        Self { part_len, ..self }
    }

    /// Returns this view with the format's own computation of the rate.
    pub(crate) fn with_rate_of(self, rate_of: fn(u64, u64, u8) -> f64) -> Self {
        Self {
            rate_of: Some(rate_of),
            ..self
        }
    }

    /// Returns this view with the format's own computation of the share of ones.
    pub(crate) fn with_fill_of(self, fill_of: fn(u64, u64, u8) -> f64) -> Self {
        Self {
            fill_of: Some(fill_of),
            ..self
        }
    }

    /// Describes a filter that is no Bloom filter.
    pub(crate) const fn solved(format: &'static str, bits: &'a [u8], rate: f64) -> Self {
        Self::of_kind(FilterKind::Filter(format), bits, rate)
    }

    const fn of_kind(kind: FilterKind, bits: &'a [u8], rate: f64) -> Self {
        Self {
            kind,
            bits,
            reachable: bits,
            line_len: bits.len(),
            part_len: bits.len(),
            probes: None,
            rate,
            rate_of: None,
            fill_of: None,
        }
    }

    /// Returns the kind of the filter.
    pub const fn kind(&self) -> FilterKind {
        self.kind
    }

    /// Returns the bytes that answers come from; empty if every key gets one answer. The least significant bit of a
    /// byte comes first.
    pub const fn bit_array(&self) -> &'a [u8] {
        self.bits
    }

    /// Returns the number of bits that answers come from; 0 if every key gets one answer.
    pub const fn bits(&self) -> u64 {
        (self.bits.len() as u64).saturating_mul(8)
    }

    /// Returns the probe count k, 0 to 127; `None` unless the filter is a Bloom filter.
    pub const fn probe_count(&self) -> Option<u32> {
        self.probes
    }

    /// Returns the number of bits that are one; `None` unless the filter is a Bloom filter. (In others, such as Ribbon
    /// filters, the ones do not show how many keys it has.) In LevelDB's format only the first 2^32 bits count:
    /// probes reach no further.
    pub fn ones(&self) -> Option<u64> {
        self.probes.map(|_| count_ones(self.reachable))
    }

    /// Returns the share of ones among the bits, 0 to 1; `None` unless the filter is a Bloom filter. A filter is at its
    /// best half full.
    pub(crate) fn fill(&self) -> Option<f64> {
        Some(self.ones()? as f64 / (8.0 * self.reachable.len() as f64))
    }

    /// Returns the probability that an absent key matches, 0 to 1.
    ///
    /// In the formats of LevelDB, Basho and RocksDB's legacy filters it is that of
    /// [`expected_rate`](crate::AnyFormat#method.expected_rate) for the keys that the fill suggests, because their probes
    /// are not independent ([`theory`](crate::theory)); it takes some milliseconds. In other Bloom filters it is
    /// `fill ^ k`, averaged over the lines if the format has lines, and for split blocks the product of the shares of
    /// ones in a block's words, averaged over the blocks. For a filter that is no Bloom filter, such as a Ribbon
    /// filter, it is two to the power of minus the bits that it compares; 0 for an empty filter and 1 for a reserved
    /// one.
    pub fn expected_rate(&self) -> f64 {
        let Some(probes) = self.probes else {
            return self.rate;
        };
        let known = self
            .rate_of
            .zip(self.estimated_len())
            .zip(u8::try_from(probes).ok());
        if let Some(((rate_of, keys), probes)) = known {
            return rate_of(self.bits(), keys, probes);
        }
        // At least one, because a filter without lines is empty or reserved.
        let lines = self.reachable.chunks_exact(self.line_len);
        let count = lines.len() as f64;
        let of_part = f64::from(probes) * self.part_len as f64 / self.line_len as f64;
        let of_line = |line| -> f64 { self.fills(line).map(|fill| libm::pow(fill, of_part)).product() };
        lines.map(of_line).sum::<f64>() / count
    }

    /// Returns an estimate of the number of distinct keys in the filter, from the share of ones:
    /// `ln(1 - fill) / ln(1 - p)`, where a key sets a given bit with the probability `p`. That is `1 - (1 - 1/m)^k` in
    /// a filter of m bits; in one of several lines it is that of a line divided by their number, and in one of split
    /// blocks `1 / (32 blocks)`.
    ///
    /// In LevelDB's format, whose third probes have few values, it is the number of keys that lead to this share of ones.
    ///
    /// `None` when no estimate is possible: all bits are ones, k is 0, or the filter is not a Bloom filter.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a filter of fewer than 2^64 bits holds fewer keys"
    )]
    pub fn estimated_len(&self) -> Option<u64> {
        let probes = f64::from(self.probes.filter(|&probes| probes > 0)?);
        let fill = self.fill().filter(|&fill| fill < 1.0)?;
        let of_part = probes * self.part_len as f64 / self.line_len as f64;
        let in_line = -libm::expm1(of_part * libm::log1p(-1.0 / (8.0 * self.part_len as f64)));
        let lines = self.reachable.len() as f64 / self.line_len as f64;
        let keys_of = |fill: f64| libm::log1p(-fill) / libm::log1p(-in_line / lines);
        let mut keys = keys_of(fill);
        if let Some((fill_of, probes)) = self.fill_of.zip(u8::try_from(probes as u64).ok()) {
            // Other positions take as many keys more or fewer to have as many ones.
            for _ in 0..8 {
                let whole = libm::round(keys);
                let seen = keys_of(fill_of(self.bits(), whole as u64, probes));
                if seen > 0.0 && seen.is_finite() {
                    keys = whole * keys_of(fill) / seen;
                }
            }
        }
        Some(libm::round(keys) as u64)
    }

    /// Returns the shares of ones in the parts of lines.
    fn fills(&self, lines: &'a [u8]) -> impl Iterator<Item = f64> {
        let parts = lines.chunks_exact(self.part_len);
        parts.map(|part| count_ones(part) as f64 / (8.0 * part.len() as f64))
    }
}

impl fmt::Debug for FilterView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FilterView")
            .field("kind", &self.kind)
            .field("bits", &self.bits())
            .field("probe_count", &self.probes)
            .finish_non_exhaustive()
    }
}

pub(crate) fn count_ones(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let in_words: u64 = words
        .iter()
        .map(|word| u64::from(u64::from_ne_bytes(*word).count_ones()))
        .sum();
    in_words + rest.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>()
}
