//! The size of a cuckoo filter: computed from a capacity and a false-positive probability, or given.
//!
//! Independent of keys, hashes and stored bytes.

use crate::error::Error;
use crate::packed::word_count;

/// The narrowest fingerprint. With fewer bits nearly every absent key is found.
const MIN_FINGERPRINT_BITS: u8 = 4;

/// The widest fingerprint.
const MAX_FINGERPRINT_BITS: u8 = 32;

/// The number of slots in a bucket.
///
/// Source: Fan, Andersen, Kaminsky, Mitzenmacher, "Cuckoo Filter: Practically Better Than Bloom" (CoNEXT 2014),
/// section 5.1: four are best from 0.2 % down to 0.001 %, and fill to 95 %.
pub(crate) const SLOTS_PER_BUCKET: u8 = 4;

/// The number of buckets beyond those that the load factor requires. Spare buckets matter in small filters, where by
/// chance more than eight keys can share two buckets. In simulations with six spare buckets and fingerprints of 12
/// bits, none of 10,000,000 filters for 4 to 10,000 keys refused one; with 8 bits, two of 5,000,000 for 15 and 30
/// keys did; without spare buckets, one in a hundred filters for 15 keys did.
const SPARE_BUCKETS: u64 = 6;

/// The parameters of a cuckoo filter: number of buckets, width of fingerprints, and the seed of its choices.
///
/// ```
/// use membership_filters::CuckooParameters;
///
/// let parameters = CuckooParameters::new(1_000_000, 0.001)?;
/// assert_eq!(parameters.fingerprint_bits(), 13);
/// assert_eq!(parameters.slots(), 4 * 263_164);
/// assert_eq!(parameters.capacity(), 1_000_000);
/// assert!(parameters.rate() <= 0.001);
/// # Ok::<(), membership_filters::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CuckooParameters {
    buckets: u64,
    fingerprint_bits: u8,
    pub(crate) seed: u64,
}

impl CuckooParameters {
    /// Returns the smallest filter that takes `capacity` keys and whose false-positive rate is at most
    /// `rate` even if all its slots are taken. 0 keys are allowed.
    ///
    /// The fingerprint's width is the smallest *f* with `1 - (1 - 1 / (2^f - 1))^8 <= rate`: an absent
    /// key is compared with at most eight fingerprints, each one of 2^f - 1 values (the paper's section 5.1,
    /// without the value 0, which marks a free slot). The number of buckets is the capacity divided by four slots and
    /// by the load factor 0.95 (same section), plus six for small filters, made even.
    ///
    /// With fingerprints of 8 bits or more, used for probabilities up to 0.03, different keys up to the capacity
    /// all find room except in about one filter in a million. Narrower fingerprints are shared by more keys, and
    /// the ninth in the same two buckets is refused: at 4 bits (probabilities from 0.43 on) about one filter in 10,000
    /// for up to 10,000 keys refuses one, as measured, and one in fourteen for 10,000,000, as calculated. If that
    /// matters, use [`with_fingerprint_bits`](Self::with_fingerprint_bits) with 8.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::Error::InvalidArgument) when the rate is not from 1.87e-9 to below 1, [`TooLarge`](crate::Error::TooLarge).
    pub fn new(capacity: u64, rate: f64) -> Result<Self, Error> {
        Error::check_rate(rate)?;
        let bits = (MIN_FINGERPRINT_BITS..=MAX_FINGERPRINT_BITS)
            .find(|&bits| full_rate(bits) <= rate)
            .ok_or_else(|| {
                let range = format_args!("at least {:e}", full_rate(MAX_FINGERPRINT_BITS));
                Error::argument("the false-positive rate", range, format_args!("{rate:e}"))
            })?;
        Self::with_fingerprint_bits(capacity, bits)
    }

    /// Returns a filter that takes `capacity` keys, with fingerprints of this width, 4 to 32 bits.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::Error::InvalidArgument) for another width, [`TooLarge`](crate::Error::TooLarge).
    pub fn with_fingerprint_bits(capacity: u64, fingerprint_bits: u8) -> Result<Self, Error> {
        // Four slots at a load of 19/20 take 19/5 keys; multiplying first could overflow.
        let needed = capacity / 19 * 5 + (capacity % 19 * 5).div_ceil(19);
        Self::with_buckets(needed + SPARE_BUCKETS, fingerprint_bits)
    }

    /// Returns a filter of at least this many buckets of four slots: an odd number, or 0, becomes the next even one.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::Error::InvalidArgument) for another width, [`TooLarge`](crate::Error::TooLarge).
    pub fn with_buckets(buckets: u64, fingerprint_bits: u8) -> Result<Self, Error> {
        if !(MIN_FINGERPRINT_BITS..=MAX_FINGERPRINT_BITS).contains(&fingerprint_bits) {
            let (thing, range) = ("the fingerprint bits", "between 4 and 32");
            return Err(Error::argument(thing, range, fingerprint_bits));
        }
        let parameters = Self {
            // An odd number that cannot be made even is refused below, for its size.
            buckets: buckets.saturating_add(buckets % 2).max(2),
            fingerprint_bits,
            seed: 0,
        };
        let slots = u128::from(parameters.buckets) * u128::from(SLOTS_PER_BUCKET);
        word_count(slots, fingerprint_bits.into())?;
        Ok(parameters)
    }

    /// Sets the seed for the choice of fingerprints to displace. The seed is stored with the
    /// filter, and is 0 without this call. Hashes of keys do not depend on it.
    #[must_use]
    pub const fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Returns the number of buckets of four slots: an even number, at least 2.
    pub(crate) const fn buckets(&self) -> u64 {
        self.buckets
    }

    /// Returns the number of slots, each for one fingerprint.
    pub const fn slots(&self) -> u64 {
        self.buckets * SLOTS_PER_BUCKET as u64
    }

    /// Returns the capacity: the largest number of keys for which [`new`](Self::new) returns a filter of this size.
    /// The filter takes more, but each further key is more likely to be refused.
    pub const fn capacity(&self) -> u64 {
        let buckets = self.buckets.saturating_sub(SPARE_BUCKETS);
        // 19/5 keys per bucket; multiplying first could overflow.
        buckets / 5 * 19 + buckets % 5 * 19 / 5
    }

    /// Returns the number of bits of a fingerprint, 4 to 32.
    pub const fn fingerprint_bits(&self) -> u8 {
        self.fingerprint_bits
    }

    /// Returns the false-positive rate if every slot is taken.
    pub fn rate(&self) -> f64 {
        full_rate(self.fingerprint_bits)
    }

    /// Returns the false-positive rate of a filter with this many keys, at most the number of slots.
    ///
    /// ```
    /// use membership_filters::CuckooParameters;
    ///
    /// let parameters = CuckooParameters::new(1_000_000, 0.001)?;
    /// assert!(parameters.rate_at(1_000_000) < parameters.rate());
    /// assert_eq!(parameters.rate_at(0), 0.0);
    /// # Ok::<(), membership_filters::Error>(())
    /// ```
    pub fn rate_at(&self, len: u64) -> f64 {
        let load = len.min(self.slots()) as f64 / self.slots() as f64;
        rate_at(self.fingerprint_bits, load)
    }

    /// Returns the size of the slots in memory, in bytes.
    pub fn memory_bytes(&self) -> u64 {
        (self.slots() * u64::from(self.fingerprint_bits)).div_ceil(64) * 8
    }
}

fn full_rate(fingerprint_bits: u8) -> f64 {
    rate_at(fingerprint_bits, 1.0)
}

/// Returns the probability that an absent key finds its fingerprint in its two buckets when this share of slots is
/// taken.
fn rate_at(fingerprint_bits: u8, load: f64) -> f64 {
    let values = ((1_u64 << fingerprint_bits) - 1) as f64;
    let compared = 2.0 * f64::from(SLOTS_PER_BUCKET) * load;
    -libm::expm1(compared * libm::log1p(-1.0 / values))
}
