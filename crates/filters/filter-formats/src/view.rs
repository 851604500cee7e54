//! Describes stored filter bytes.
//!
//! Stored bytes may be anything: all of them have a documented answer, and none cause a panic.

#[cfg(feature = "alloc")]
pub mod places;

use core::fmt;

#[cfg(feature = "alloc")]
use filter_policy::KeyHash;
use filter_policy::{BitsPerKey, Error, Prepared};
#[cfg(feature = "alloc")]
use places::Places;

/// A stored format: how the bytes of its filters are read, their sizes and their rate, whatever the hash function.
/// `policies::listed` returns the policy of a stored name, which has the format.
///
/// The constants are in the files of the formats: all that is known of a format is in one place. The methods on sizes
/// and rates are those of the calculator; [`sizing`](crate::sizing) says which answers what.
///
/// ```
/// use filter_formats::EngineFormat;
/// use filter_policy::BitsPerKey;
///
/// let fifteen = BitsPerKey::whole(15);
/// assert_eq!(EngineFormat::LEVEL_DB.filter_len(45_402, fifteen)?, 85_130);
/// assert_eq!(EngineFormat::LEVEL_DB.probe_count(45_402, fifteen)?, Some(10));
/// assert_eq!(EngineFormat::LEVEL_DB.capacity(85_130, fifteen), 45_402);
/// assert_eq!(EngineFormat::LEVEL_DB.bits_per_key_for_len(45_402, 85_130)?, fifteen);
///
/// // Bits per key and bytes of some formats at a rate of 0.1 %.
/// for (format, bits, bytes) in [
///     (EngineFormat::LEVEL_DB, 14.83, 84_165),
///     (EngineFormat::BLOOM64, 14.38, 81_611),
///     (EngineFormat::FAST_LOCAL_BLOOM, 15.54, 88_261),
///     (EngineFormat::RIBBON, 15.41, 58_437),
///     (EngineFormat::SPLIT_BLOCK, 16.89, 95_872),
/// ] {
///     let bits_per_key = format.bits_per_key_for_rate(45_402, 0.001)?;
///     assert_eq!(bits_per_key.get(), bits);
///     assert_eq!(format.filter_len(45_402, bits_per_key)?, bytes);
/// }
/// # Ok::<(), filter_policy::Error>(())
/// ```
///
/// RocksDB's formats count bits per key from 1 to 100: lower values count as 1, higher values as 100. Values below 0.5
/// are an error here, because RocksDB writes no filters then.
#[derive(Clone, Copy)]
pub struct EngineFormat(pub(crate) &'static dyn Described);

/// The bits per key of layouts that only read.
pub(crate) const TEN: BitsPerKey = BitsPerKey::whole(10);

/// Describes a stored format to people: its name in reports, sizes and rate, and what its bytes contain. The bits per
/// key of the value itself do not matter.
pub(crate) trait Described: Sync {
    /// The name in reports.
    fn name(&self) -> &'static str;

    /// The name of the layout. RocksDB's formats have one layout, whose last bytes identify the format.
    fn layout(&self) -> &'static str {
        self.name()
    }

    /// Returns true if hardly any other bytes are read as a filter.
    fn is_distinct(&self) -> bool {
        false
    }

    /// Reads any bytes.
    fn view<'a>(&self, filter: &'a [u8]) -> FilterView<'a>;

    /// Returns the places of a hash value in a filter of this length that ends in these bytes, at most
    /// [`TAIL_LEN`](places::TAIL_LEN); `None` if they are too many. A hash value of the other width may match.
    #[cfg(feature = "alloc")]
    fn places(&self, len: usize, tail: &[u8], hash: KeyHash) -> Option<Places>;

    /// Answers for a hash value from the filter's last bytes and those of its places. Other bytes may match.
    #[cfg(feature = "alloc")]
    fn may_match(&self, _tail: &[u8], _hash: KeyHash, _bytes: &[u8]) -> bool {
        true
    }

    /// Writes the rule that bytes break if they are no filter; the number is their last byte.
    fn damage(&self, last: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// The width of the hash values.
    fn hash_bits(&self) -> i32 {
        64
    }

    fn filter_len(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<u64, Error>;

    fn probe_count(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<Option<u32>, Error>;

    /// The rate without absent keys whose hash value equals a stored key's.
    fn rate(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<f64, Error>;

    /// The bits that hash values of this many keys can reach: more never lower the rate. `None` if bits per key are
    /// from 1 to 100, as in RocksDB's formats.
    fn reach(&self, _keys: u64) -> Option<u64> {
        None
    }
}

impl PartialEq for EngineFormat {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for EngineFormat {}

impl fmt::Debug for EngineFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl EngineFormat {
    /// Returns the name in reports, such as `FastLocalBloom`. Engines store filters under the names of policies.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// Returns true if the readers of one format read the filters of the other: only RocksDB's formats share a layout.
    pub fn shares_layout(self, other: Self) -> bool {
        self.0.layout() == other.0.layout()
    }

    /// Returns true if only this layout has filters of these bytes, because a trailer fits their length. False proves
    /// nothing.
    pub fn owns(self, filter: &[u8]) -> bool {
        self.0.is_distinct() && matches!(FilterView::new(self, filter).kind(), FilterKind::Filter(_))
    }

    /// Returns a description of the damage of bytes whose kind is [reserved](FilterKind::Reserved).
    ///
    /// ```
    /// let damage = filter_formats::EngineFormat::LEVEL_DB.damage(&[0, 31]).to_string();
    /// assert_eq!(damage, "probe count must be between 1 and 30, got 31");
    /// ```
    pub fn damage(self, filter: &[u8]) -> impl fmt::Display {
        Damage(self, filter.last().copied().unwrap_or_default())
    }
}

/// Displays the damage of bytes that end in this one.
struct Damage(EngineFormat, u8);

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.0.damage(self.1, f)
    }
}

/// The kind of a stored filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterKind {
    /// Too short to hold a key: never matches. The minimum is two bytes in the layouts of LevelDB, `BloomFilter64` and
    /// Basho, six in RocksDB's and one in Parquet's and Pebble's.
    Empty,
    /// A reserved or unknown encoding: always matches.
    Reserved,
    /// A filter of this format.
    Filter(EngineFormat),
}

/// Describes stored filter bytes: kind, size, fill and expected rate. (A
/// [`PreparedFilter`](filter_policy::PreparedFilter) answers queries for keys.)
///
/// ```
/// use filter_formats::EngineFormat;
/// use filter_formats::view::{FilterKind, FilterView};
/// use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy};
///
/// let policy = BloomFilterPolicy::new(BitsPerKey::whole(10));
/// let mut buffer = [0; 64];
/// let filter = policy.create_filter(&[b"hello", b"world"], &mut buffer)?;
///
/// let view = FilterView::new(EngineFormat::LEVEL_DB, &filter);
/// assert_eq!(view.kind(), FilterKind::Filter(EngineFormat::LEVEL_DB));
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
}

impl<'a> FilterView<'a> {
    pub(crate) const EMPTY: Self = Self::of_kind(FilterKind::Empty, &[], 0.0);

    pub(crate) const RESERVED: Self = Self::of_kind(FilterKind::Reserved, &[], 1.0);

    /// Reads the filter; accepts any bytes. A filter of RocksDB may be of any of its formats.
    pub fn new(format: EngineFormat, filter: &'a [u8]) -> Self {
        format.0.view(filter)
    }

    /// Describes a filter that a layout has read, or bytes that are none, which may have one answer for all keys.
    pub(crate) fn of<F>(read: Option<F>, other: Prepared, of_filter: impl FnOnce(F) -> Self) -> Self {
        match (read, other.same()) {
            (Some(filter), _) => of_filter(filter),
            (None, Some(false)) => Self::EMPTY,
            _ => Self::RESERVED,
        }
    }

    /// Describes a Bloom filter, in which all probes of a key are in a line of this many bytes.
    pub(crate) const fn bloom(format: EngineFormat, bits: &'a [u8], line_len: usize, probes: u8) -> Self {
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

    /// Describes a filter that is no Bloom filter.
    pub(crate) const fn solved(format: EngineFormat, bits: &'a [u8], rate: f64) -> Self {
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
    /// filters, the ones do not show how many keys it has.) In LevelDB's layout only the first 2^32 bits count:
    /// probes reach no further.
    pub fn ones(&self) -> Option<u64> {
        self.probes.map(|_| count_ones(self.reachable))
    }

    /// Returns the share of ones among the bits, 0 to 1; `None` unless the filter is a Bloom filter. A filter is at its
    /// best half full.
    pub fn fill(&self) -> Option<f64> {
        Some(self.ones()? as f64 / (8.0 * self.reachable.len() as f64))
    }

    /// Returns the probability that an absent key matches, 0 to 1, if probes were independent: for a Bloom filter
    /// `fill ^ k`, averaged over the lines if the layout has lines; for split blocks the product of the shares of ones
    /// in a block's words, averaged over the blocks; for a filter that is no Bloom filter, such as a Ribbon filter, two
    /// to the power of minus the bits that it compares; 0 for an empty filter and 1 for a reserved one.
    ///
    /// The measured rate of LevelDB's probe sequence and of legacy filters is higher; [`theory`](crate::theory)
    /// explains why and by how much.
    pub fn expected_rate(&self) -> f64 {
        let Some(probes) = self.probes else {
            return self.rate;
        };
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
        Some(libm::round(libm::log1p(-fill) / libm::log1p(-in_line / lines)) as u64)
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
