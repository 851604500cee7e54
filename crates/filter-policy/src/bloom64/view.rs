//! Reads stored filter bytes in place.

use super::probes::MARKER;
use crate::arch::wide::{WideSource, spread};
use crate::arch::{Chosen, Kernel};
use crate::error::Error;
use crate::keys::KeyBatch;
use crate::params::MAX_PROBES;
use crate::prepared::{fill, words_for};
use crate::view::{FilterKind, count_ones, estimated_keys};

/// A filter of [`BloomFilter64Policy`](crate::BloomFilter64Policy) in stored bytes, read in place; any bytes have an answer.
///
/// The work that depends on the filter alone is done once, in [`BloomFilter64View::new`]; keep the view to ask for many
/// keys.
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
    kernel: Chosen,
}

impl<'a> BloomFilter64View<'a> {
    /// Reads the filter; accepts any bytes.
    #[inline]
    pub fn new(filter: &'a [u8]) -> Self {
        Self::by(Chosen::best(), filter)
    }

    /// The same, for the instructions of the caller's choice. Where the processor does not have them, it is asked by
    /// [`Kernel::Scalar`].
    #[inline]
    pub fn on_kernel(filter: &'a [u8], kernel: Kernel) -> Self {
        Self::by(Chosen::of(kernel), filter)
    }

    #[inline]
    pub(super) const fn by(kernel: Chosen, filter: &'a [u8]) -> Self {
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
            kernel,
        }
    }

    /// The instructions that are used, but for filters of 2^28 bytes and more: those are asked by [`Kernel::Scalar`].
    pub const fn kernel(&self) -> Kernel {
        self.kernel.kernel()
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
            FilterKind::Bloom => spread::key_may_match(self.kernel, self.bit_array, self.probes, key),
        }
    }

    /// Whether the filter may hold a key of this hash value.
    #[inline]
    pub fn may_match_hash(&self, hash: u64) -> bool {
        match self.kind {
            FilterKind::TooShort => false,
            FilterKind::Reserved => true,
            FilterKind::Bloom => spread::may_match(self.kernel, self.bit_array, self.probes, hash),
        }
    }
    /// Asks for many keys: bit `i % 64` of word `i / 64` is the answer for key `i`.
    ///
    /// Writes a word for every 64 keys, the bits beyond the last key 0, and leaves further words as they are. Takes no
    /// memory but the stack's. The bytes of filters that do not lie in the cache are asked for ahead.
    ///
    /// It pays with AVX-512 for some tens of keys and more, most for keys of 9 to 32 bytes, which are hashed eight at a time where eight in a row are 9 to
    /// 16 bytes long, or 17 to 32; with other kernels only where filters are larger than the cache.
    ///
    /// ```
    /// use filter_policy::{BitsPerKey, BloomFilter64Policy, BloomFilter64View};
    ///
    /// let policy = BloomFilter64Policy::new(BitsPerKey::whole(10));
    /// let mut buffer = [0; 64];
    /// let filter = policy.build_in(["hello", "world"], &mut buffer)?;
    ///
    /// let mut answers = [0];
    /// BloomFilter64View::new(filter).may_match_many(&[&b"x"[..], b"world", b"foo"], &mut answers)?;
    /// assert_eq!(answers, [0b010]);
    /// # Ok::<(), filter_policy::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::TooFewAnswers`] when `answers` has fewer words than the keys need; it is then unchanged.
    pub fn may_match_many<'k>(
        &self,
        keys: impl Into<KeyBatch<'k>>,
        answers: &mut [u64],
    ) -> Result<(), Error> {
        let keys = keys.into();
        self.ask(WideSource::Keys(keys), keys.len(), answers)
    }

    /// Asks for keys of these hash values; otherwise as [`may_match_many`](Self::may_match_many).
    ///
    /// # Errors
    ///
    /// As there.
    pub fn may_match_hashes(&self, hashes: &[u64], answers: &mut [u64]) -> Result<(), Error> {
        self.ask(WideSource::Hashes(hashes), hashes.len(), answers)
    }

    fn ask(&self, source: WideSource<'_>, keys: usize, answers: &mut [u64]) -> Result<(), Error> {
        let answers = words_for(keys, answers)?;
        match self.kind {
            FilterKind::TooShort => fill(false, keys, answers),
            FilterKind::Reserved => fill(true, keys, answers),
            FilterKind::Bloom => {
                spread::may_match_many(self.kernel, self.bit_array, self.probes, source, answers);
            }
        }
        Ok(())
    }
}

/// A key that many filters of [`BloomFilter64Policy`](crate::BloomFilter64Policy) are asked for: hashed once.
///
/// That is what a read of a log-structured tree does, level by level, until the key is found. It pays from the second
/// filter on.
///
/// ```
/// use filter_policy::{BitsPerKey, BloomFilter64Policy};
///
/// let policy = BloomFilter64Policy::new(BitsPerKey::whole(10));
/// let (mut young, mut old) = ([0; 64], [0; 64]);
/// let levels = [&*policy.build_in(["a", "b"], &mut young)?, policy.build_in(["c", "d"], &mut old)?];
///
/// let key = policy.hashed(b"c");
/// assert_eq!(levels.iter().position(|filter| key.may_be_in(filter)), Some(1));
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct HashedKey64 {
    hash: u64,
    kernel: Chosen,
}

impl HashedKey64 {
    #[inline]
    pub(super) const fn new(kernel: Chosen, hash: u64) -> Self {
        Self { hash, kernel }
    }

    /// The hash value.
    pub const fn hash(&self) -> u64 {
        self.hash
    }

    /// Whether the filter may hold the key; as [`BloomFilter64View::may_match`].
    #[inline]
    pub fn may_be_in(&self, filter: &[u8]) -> bool {
        BloomFilter64View::by(self.kernel, filter).may_match_hash(self.hash)
    }
}
