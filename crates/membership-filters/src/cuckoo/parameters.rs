//! The size of a cuckoo filter: from a capacity and a false-positive probability, or given.
//!
//! Knows nothing of elements, hashes or stored bytes.

use core::num::NonZeroU64;

use crate::error::BuildError;
use crate::limits::{MAX_FINGERPRINT_BITS, MIN_FINGERPRINT_BITS};
use crate::packed::word_count;

/// Slots of a bucket.
///
/// Source: Fan, Andersen, Kaminsky, Mitzenmacher, "Cuckoo Filter: Practically Better Than Bloom" (CoNEXT 2014),
/// section 5.1: four are best from 0.2 % down to 0.001 %, and fill to 95 %.
pub(crate) const SLOTS_PER_BUCKET: u8 = 4;

/// Buckets beyond those that the load factor asks for. They matter in small filters, where a few elements more than
/// eight meet in two buckets by chance: with six more and fingerprints of 12 bits, none of 10,000,000 simulated filters
/// for 4 to 10,000 elements refused one, and with 8 bits two of 5,000,000 for 15 and 30 did; without, one in a hundred
/// filters for 15 elements.
const SPARE_BUCKETS: u64 = 6;

/// How many buckets a cuckoo filter has, how wide its fingerprints are, and the seed of its choices.
///
/// ```
/// use membership_filters::CuckooParameters;
///
/// let parameters = CuckooParameters::new(1_000_000, 0.001)?;
/// assert_eq!(parameters.fingerprint_bits(), 13);
/// assert_eq!(parameters.buckets(), 263_164);
/// assert_eq!(parameters.capacity(), 1_000_000);
/// assert!(parameters.fpp() <= 0.001);
/// # Ok::<(), membership_filters::BuildError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CuckooParameters {
    buckets: NonZeroU64,
    fingerprint_bits: u8,
    seed: u64,
}

impl CuckooParameters {
    /// The smallest filter that takes `capacity` elements and, when all its slots are taken, finds an absent element
    /// with a probability of at most `fpp`. 0 elements are allowed.
    ///
    /// The fingerprint's width is the smallest *f* with `1 - (1 - 1 / (2^f - 1))^8 <= fpp`: an absent element is compared
    /// with at most eight fingerprints, each one of 2^f - 1 values (the paper's section 5.1, with the value 0 left
    /// out, which marks a free slot). The buckets are the capacity divided by four slots and by the load factor 0.95
    /// (the same section), six more for the sake of small filters, and made even.
    ///
    /// With fingerprints of 8 bits or more, which is at probabilities up to 0.03, different elements up to the capacity
    /// all find room but in about one filter in a million. Narrower fingerprints are shared by more elements, of which
    /// the ninth in the same two buckets is refused: at 4 bits (probabilities from 0.43 on) about one filter in 10,000
    /// for up to 10,000 elements refuses one, as measured, and one in fourteen for 10,000,000, as calculated. Where that
    /// matters take [`with_fingerprint_bits`](Self::with_fingerprint_bits) with 8.
    ///
    /// # Errors
    ///
    /// [`BuildError::FppOutOfRange`], [`BuildError::FppUnreachable`] below 1.87e-9, [`BuildError::TooLarge`].
    pub fn new(capacity: u64, fpp: f64) -> Result<Self, BuildError> {
        if !(fpp > 0.0 && fpp < 1.0) {
            return Err(BuildError::FppOutOfRange { given: fpp });
        }
        let bits = (MIN_FINGERPRINT_BITS..=MAX_FINGERPRINT_BITS)
            .find(|&bits| full_fpp(bits) <= fpp)
            .ok_or(BuildError::FppUnreachable {
                given: fpp,
                lowest: full_fpp(MAX_FINGERPRINT_BITS),
            })?;
        Self::with_fingerprint_bits(capacity, bits)
    }

    /// A filter that takes `capacity` elements, with fingerprints of this width, 4 to 32 bits.
    ///
    /// # Errors
    ///
    /// [`BuildError::FingerprintBits`], [`BuildError::TooLarge`].
    pub fn with_fingerprint_bits(capacity: u64, fingerprint_bits: u8) -> Result<Self, BuildError> {
        // Four slots at a load of 19/20 take 19/5 elements; multiplying first could overflow.
        let needed = capacity / 19 * 5 + (capacity % 19 * 5).div_ceil(19);
        Self::with_buckets(needed + SPARE_BUCKETS, fingerprint_bits)
    }

    /// A filter of at least this many buckets of four slots: an odd number, or 0, becomes the next even one.
    ///
    /// # Errors
    ///
    /// [`BuildError::FingerprintBits`], [`BuildError::TooLarge`].
    pub fn with_buckets(buckets: u64, fingerprint_bits: u8) -> Result<Self, BuildError> {
        if !(MIN_FINGERPRINT_BITS..=MAX_FINGERPRINT_BITS).contains(&fingerprint_bits) {
            return Err(BuildError::FingerprintBits {
                given: fingerprint_bits,
            });
        }
        let even = NonZeroU64::new(buckets.saturating_add(buckets % 2)).unwrap_or(TWO);
        let parameters = Self {
            // An odd number that cannot be made even is refused below, for its size.
            buckets: even,
            fingerprint_bits,
            seed: 0,
        };
        parameters.words()?;
        Ok(parameters)
    }

    /// Chooses the fingerprints that give way to others by this seed; it is stored with the filter. Without this call it
    /// is 0. Hashes of elements do not depend on it.
    #[must_use]
    pub const fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Buckets of four slots: an even number, at least 2.
    pub const fn buckets(&self) -> u64 {
        self.buckets.get()
    }

    /// Slots, each for one fingerprint.
    pub const fn slots(&self) -> u64 {
        self.buckets.get() * SLOTS_PER_BUCKET as u64
    }

    /// How many elements the filter is for: those that a filter of this size is made for by [`new`](Self::new). It takes
    /// more, but each one beyond is more likely to be refused.
    pub const fn capacity(&self) -> u64 {
        let buckets = self.buckets.get().saturating_sub(SPARE_BUCKETS);
        // 19/5 of them; multiplying first could overflow.
        buckets / 5 * 19 + buckets % 5 * 19 / 5
    }

    /// Bits of a fingerprint, 4 to 32.
    pub const fn fingerprint_bits(&self) -> u8 {
        self.fingerprint_bits
    }

    /// The seed of [`with_seed`](Self::with_seed).
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// The probability that an absent element is found when every slot is taken.
    pub fn fpp(&self) -> f64 {
        full_fpp(self.fingerprint_bits)
    }

    /// The same when the filter holds so many elements, at most as many as it has slots.
    ///
    /// ```
    /// use membership_filters::CuckooParameters;
    ///
    /// let parameters = CuckooParameters::new(1_000_000, 0.001)?;
    /// assert!(parameters.fpp_of(1_000_000) < parameters.fpp());
    /// assert_eq!(parameters.fpp_of(0), 0.0);
    /// # Ok::<(), membership_filters::BuildError>(())
    /// ```
    pub fn fpp_of(&self, items: u64) -> f64 {
        fpp_at(
            self.fingerprint_bits,
            items.min(self.slots()) as f64 / self.slots() as f64,
        )
    }

    /// Bytes of the slots in memory.
    pub fn memory_bytes(&self) -> u64 {
        (self.slots() * u64::from(self.fingerprint_bits)).div_ceil(64) * 8
    }

    /// Words of the slots.
    pub(crate) fn words(&self) -> Result<usize, BuildError> {
        let too_large = |bytes| BuildError::TooLarge { bytes };
        let slots = self
            .buckets
            .get()
            .checked_mul(SLOTS_PER_BUCKET.into())
            .ok_or_else(|| {
                too_large(u128::from(self.buckets.get()) * u128::from(self.fingerprint_bits) / 2)
            })?;
        word_count(slots, self.fingerprint_bits.into()).map_err(too_large)
    }
}

const TWO: NonZeroU64 = NonZeroU64::new(2).unwrap();

fn full_fpp(fingerprint_bits: u8) -> f64 {
    fpp_at(fingerprint_bits, 1.0)
}

/// The probability that an absent element meets its fingerprint in its two buckets when this share of the slots is
/// taken.
pub(crate) fn fpp_at(fingerprint_bits: u8, load: f64) -> f64 {
    let values = ((1_u64 << fingerprint_bits) - 1) as f64;
    let compared = 2.0 * f64::from(SLOTS_PER_BUCKET) * load;
    -libm::expm1(compared * libm::log1p(-1.0 / values))
}
