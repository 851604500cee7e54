//! Reads stored filter bytes in place.

use super::{BloomFilter64Policy, MARKER, may_match};
use crate::params::MAX_PROBES;
use crate::view::{FilterKind, count_ones, estimated_keys};

/// A filter of [`BloomFilter64Policy`] in stored bytes, read in place; any bytes have an answer.
///
/// ```
/// use filter_policy::{BitsPerKey, BloomFilter64Policy, BloomFilter64View, FilterKind};
///
/// let policy = BloomFilter64Policy::new(BitsPerKey::whole(10));
/// let mut buffer = [0; 64];
/// let filter = policy.build_in((0..32_u8).map(|key| [key]), &mut buffer)?;
///
/// let view = BloomFilter64View::new(filter);
/// assert_eq!(view.kind(), FilterKind::Bloom);
/// assert_eq!((view.bits(), view.probe_count()), (320, Some(7)));
/// assert!(view.may_match(&[31]));
/// assert!(!view.may_match(b"absent"));
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct BloomFilter64View<'a> {
    kind: FilterKind,
    /// Without the last byte; empty unless the kind is Bloom.
    bit_array: &'a [u8],
    probes: u8,
}

impl<'a> BloomFilter64View<'a> {
    /// Reads the filter; accepts any bytes.
    #[inline]
    pub const fn new(filter: &'a [u8]) -> Self {
        let (kind, bit_array, probes): (_, &[u8], _) = match filter.split_last() {
            None | Some((_, [])) => (FilterKind::TooShort, &[], 0),
            Some((&last, bit_array)) => match last.checked_sub(MARKER) {
                Some(probes @ 1..=MAX_PROBES) => (FilterKind::Bloom, bit_array, probes),
                _ => (FilterKind::Reserved, &[], 0),
            },
        };
        Self {
            kind,
            bit_array,
            probes,
        }
    }

    /// What the bytes are. Reserved is every last byte that does not tell a probe count here.
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

    /// The probe count k, 1 to 30; `None` unless the kind is Bloom.
    pub const fn probe_count(&self) -> Option<u8> {
        match self.kind {
            FilterKind::Bloom => Some(self.probes),
            FilterKind::TooShort | FilterKind::Reserved => None,
        }
    }

    /// How many bits are one; 0 unless the kind is Bloom.
    pub fn ones(&self) -> u64 {
        count_ones(self.bit_array)
    }

    /// The share of ones, 0 to 1; `None` unless the kind is Bloom.
    pub fn fill_ratio(&self) -> Option<f64> {
        self.probe_count()
            .map(|_| self.ones() as f64 / self.bits() as f64)
    }

    /// The probability that an absent key matches: `fill_ratio ^ k`; 0 for a filter that is too short, 1 for a reserved
    /// one.
    pub fn false_positive_rate(&self) -> f64 {
        match (self.kind, self.fill_ratio()) {
            (FilterKind::Bloom, Some(fill)) => libm::pow(fill, f64::from(self.probes)),
            (FilterKind::TooShort, _) => 0.0,
            _ => 1.0,
        }
    }

    /// How many distinct keys most likely filled the filter, from the number of ones; `None` when every bit is one, or
    /// the kind is not Bloom.
    pub fn estimated_keys(&self) -> Option<f64> {
        estimated_keys(self.fill_ratio()?, self.bits() as f64, self.probe_count()?)
    }

    /// Whether the filter may hold the key: `false` means that it does not.
    #[inline]
    pub fn may_match(&self, key: &[u8]) -> bool {
        match self.kind {
            FilterKind::TooShort => false,
            FilterKind::Reserved => true,
            FilterKind::Bloom => may_match(self.bit_array, self.probes, BloomFilter64Policy::hash(key)),
        }
    }

    /// Whether the filter may hold a key of this hash value.
    #[inline]
    pub fn may_match_hash(&self, hash: u64) -> bool {
        match self.kind {
            FilterKind::TooShort => false,
            FilterKind::Reserved => true,
            FilterKind::Bloom => may_match(self.bit_array, self.probes, hash),
        }
    }
}
