//! Reads stored filter bytes in place.
//!
//! Any bytes may come from a disk: every one of them has a documented answer, none of them panics.

use core::num::NonZeroU64;

use crate::hasher::KeyHasher;
use crate::params::MAX_PROBES;
use crate::probe::ProbeSequence;

/// Probes reach the first 2^32 bits of a filter and no further, because hash values have 32 bits.
const REACHABLE_BYTES: usize = 1 << 29;

/// The filter to which every reader of LevelDB's format and every policy of this crate says "may match",
/// whatever the key: its last byte is above [`MAX_PROBES`] and reserved. Engines' adapters store it where a
/// filter cannot be made.
///
/// ```
/// use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy, MATCHES_EVERYTHING};
///
/// let policy = BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(10));
/// assert!(policy.key_may_match(b"any key", &MATCHES_EVERYTHING));
/// ```
pub const MATCHES_EVERYTHING: [u8; 2] = [0x00, 0xff];

/// What stored filter bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilterKind {
    /// Fewer than two bytes: a filter of no keys, which never matches.
    TooShort,
    /// The last byte is above 30, reserved for other encodings: always matches.
    Reserved,
    /// A Bloom filter.
    Bloom,
}

/// A filter in stored bytes, read in place.
///
/// The work that depends on the filter alone is done once, in [`FilterView::new`]; keep the view to ask for
/// many keys.
///
/// ```
/// use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterKind, FilterView};
///
/// let policy = BloomFilterPolicy::bloom_filter2(BitsPerKey::whole(10));
/// let mut buffer = [0; 64];
/// let filter = policy.build_in(["hello", "world"], &mut buffer)?;
///
/// let view = FilterView::new(filter);
/// assert_eq!(view.kind(), FilterKind::Bloom);
/// assert_eq!((view.bits(), view.probe_count()), (64, Some(6)));
/// assert!(view.may_match(policy.hasher(), b"hello"));
/// assert!(!view.may_match(policy.hasher(), b"x"));
/// assert_eq!(view.estimated_keys().unwrap().round(), 2.0);
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct FilterView<'a> {
    kind: FilterKind,
    /// Without the last byte; empty unless the kind is Bloom.
    bit_array: &'a [u8],
    sequence: ProbeSequence,
}

impl<'a> FilterView<'a> {
    /// Reads the filter; accepts any bytes.
    #[inline]
    pub fn new(filter: &'a [u8]) -> Self {
        let not_bloom = |kind| Self {
            kind,
            bit_array: &[],
            sequence: ProbeSequence::new(NonZeroU64::MIN, 0),
        };
        let Some((&probes, bit_array)) = filter.split_last() else {
            return not_bloom(FilterKind::TooShort);
        };
        let Some(bits) = NonZeroU64::new((bit_array.len() as u64).saturating_mul(8)) else {
            return not_bloom(FilterKind::TooShort);
        };
        if probes > MAX_PROBES {
            return not_bloom(FilterKind::Reserved);
        }
        Self {
            kind: FilterKind::Bloom,
            bit_array,
            sequence: ProbeSequence::new(bits, probes),
        }
    }

    /// What the bytes are.
    pub const fn kind(&self) -> FilterKind {
        self.kind
    }

    /// The bits, least significant bit of each byte first; empty unless the kind is Bloom.
    pub const fn bit_array(&self) -> &'a [u8] {
        self.bit_array
    }

    /// The number of bits; 0 unless the kind is Bloom.
    pub const fn bits(&self) -> u64 {
        (self.bit_array.len() as u64).saturating_mul(8)
    }

    /// The probe count k, 0 to 30; `None` unless the kind is Bloom.
    pub const fn probe_count(&self) -> Option<u8> {
        match self.kind {
            FilterKind::Bloom => Some(self.sequence.probes()),
            FilterKind::TooShort | FilterKind::Reserved => None,
        }
    }

    /// How many bits are one, of those that probes reach (the first 2^32); 0 unless the kind is Bloom.
    pub fn ones(&self) -> u64 {
        count_ones(self.reachable())
    }

    /// The share of ones among the bits that probes reach, 0 to 1; `None` unless the kind is Bloom. A filter
    /// at its best is half full.
    pub fn fill_ratio(&self) -> Option<f64> {
        match self.kind {
            FilterKind::Bloom => Some(self.ones() as f64 / (self.reachable().len() as f64 * 8.0)),
            FilterKind::TooShort | FilterKind::Reserved => None,
        }
    }

    /// The probability that an absent key matches, if its k positions were independent: `fill_ratio ^ k`; 0
    /// for a filter that is too short, 1 for a reserved one.
    ///
    /// The measured rate of this probe sequence is higher; [`theory`](crate::theory) says why and by how
    /// much.
    pub fn false_positive_rate(&self) -> f64 {
        match (self.kind, self.fill_ratio()) {
            (FilterKind::Bloom, Some(fill)) => libm::pow(fill, f64::from(self.sequence.probes())),
            (FilterKind::TooShort, _) => 0.0,
            _ => 1.0,
        }
    }

    /// How many distinct keys most likely filled the filter, from the number of ones:
    /// `ln(1 - fill) / (k ln(1 - 1/m))`.
    ///
    /// `None` when the bytes do not tell: every bit is one, k is 0, or the kind is not Bloom.
    pub fn estimated_keys(&self) -> Option<f64> {
        let bits = self.reachable().len() as f64 * 8.0;
        estimated_keys(self.fill_ratio()?, bits, self.probe_count()?)
    }

    /// Whether the filter may hold the key: `false` means that it does not, if the filter was built with this
    /// hasher.
    #[inline]
    pub fn may_match<H: KeyHasher + ?Sized>(&self, hasher: &H, key: &[u8]) -> bool {
        match self.kind {
            FilterKind::TooShort => false,
            FilterKind::Reserved => true,
            FilterKind::Bloom => self.may_match_hash(hasher.hash(key)),
        }
    }

    /// Whether the filter may hold a key of this hash value.
    #[inline]
    pub fn may_match_hash(&self, hash: u32) -> bool {
        match self.kind {
            FilterKind::TooShort => false,
            FilterKind::Reserved => true,
            FilterKind::Bloom => self.sequence.positions(hash).all(|position| {
                self.bit_array
                    .get((position / 8) as usize)
                    .is_some_and(|byte| byte & (1 << (position % 8)) != 0)
            }),
        }
    }

    fn reachable(&self) -> &'a [u8] {
        self.bit_array.get(..REACHABLE_BYTES).unwrap_or(self.bit_array)
    }
}

/// How many bits are one.
pub(crate) fn count_ones(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let in_words: u64 = words
        .iter()
        .map(|word| u64::from(u64::from_ne_bytes(*word).count_ones()))
        .sum();
    in_words + rest.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>()
}

/// How many distinct keys most likely filled so many bits to this share: `ln(1 - fill) / (k ln(1 - 1/m))`; `None` where
/// nothing follows.
pub(crate) fn estimated_keys(fill: f64, bits: f64, probes: u8) -> Option<f64> {
    // Of two negative numbers, except that an empty filter has a zero above.
    (probes > 0 && fill < 1.0)
        .then(|| libm::log1p(-fill) / (f64::from(probes) * libm::log1p(-1.0 / bits)) + 0.0)
}
