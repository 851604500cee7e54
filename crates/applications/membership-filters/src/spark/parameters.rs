//! Spark's sizing of filters, rounding for rounding.

use core::f64::consts::LN_2;

use super::Version;
use crate::bloom::Variety as _;
use crate::error::Error;
use crate::guava::parameters;
use crate::java_math;
use crate::modulus::Modulus;

/// The largest probe count, that of a Java `int`.
pub(crate) const MAX_PROBE_COUNT: u32 = i32::MAX as u32;

/// The number of keys to which Spark cuts the filters of data frames unless it is configured otherwise:
/// `spark.sql.optimizer.runtime.bloomFilter.maxNumItems`.
pub const MAX_DATA_FRAME_ITEMS: u64 = 4_000_000;

/// The number of bits to which Spark cuts the filters of data frames unless it is configured otherwise:
/// `spark.sql.optimizer.runtime.bloomFilter.maxNumBits`.
pub const MAX_DATA_FRAME_BITS: u64 = 67_108_864;

/// The shape of a filter: version, bits and probe count, as Spark derives them.
///
/// ```
/// use membership_filters::spark::{Parameters, Version};
///
/// let parameters = Parameters::new(20_000_000, 0.01)?;
/// assert_eq!((parameters.bits(), parameters.probe_count()), (191_701_184, 7));
///
/// // The same wish of a data frame: keys and bits are cut one by one, and k does not fit 20 million keys.
/// let parameters = Parameters::of_data_frame(20_000_000, 0.01)?;
/// assert_eq!((parameters.bits(), parameters.probe_count()), (67_108_864, 12));
///
/// // Before Spark 4.1.
/// let parameters = Parameters::new(1000, 0.03)?.version(Version::V1);
/// assert_eq!(parameters.bits(), 7_296 + 64);
/// # Ok::<(), membership_filters::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters {
    pub(crate) version: Version,
    modulus: Modulus,
    probe_count: u32,
}

impl Parameters {
    /// Derives the shape for this many keys at this false-positive rate: `BloomFilter.create(capacity, rate)`. The
    /// version is the default, [`Version::V2`] with the seed 0.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::Error::InvalidArgument) if the number of keys is 0 or above `i64::MAX`, the rate is not above 0 and
    /// below 1, or the filter would have no bits or too many probes; [`TooLarge`](crate::Error::TooLarge) if it would have more than
    /// (2^31 - 1) * 64 bits.
    pub fn new(capacity: u64, rate: f64) -> Result<Self, Error> {
        Self::with_bits(capacity, optimal_bits(capacity, rate)?)
    }

    /// Derives the shape for this many keys in this many bits, which are rounded up to a multiple of 64:
    /// `BloomFilter.create(capacity, bits)`.
    /// Fails as [`Parameters::new`].
    pub fn with_bits(capacity: u64, bits: u64) -> Result<Self, Error> {
        check_capacity(capacity)?;
        if bits == 0 {
            return Err(Error::argument("the number of bits", "at least 1", 0));
        }
        let modulus = parameters::whole_words(bits, format_args!("for {capacity} keys"))?;
        // From the requested bits, before they are rounded up.
        let probes = java_math::round(bits as f64 / capacity as f64 * LN_2).max(1);
        let probe_count = u32::try_from(probes)
            .ok()
            .filter(|&probes| probes <= MAX_PROBE_COUNT)
            .ok_or_else(|| {
                let got = format_args!("{probes} for {capacity} keys in {bits} bits");
                Error::argument("the probe count", "at most 2147483647", got)
            })?;
        Ok(Self {
            version: Version::default(),
            modulus,
            probe_count,
        })
    }

    /// Derives the shape of `df.stat.bloomFilter(column, capacity, rate)`, which is cut to [`MAX_DATA_FRAME_ITEMS`] and to
    /// [`MAX_DATA_FRAME_BITS`], one by one.
    /// Fails as [`Parameters::new`].
    pub fn of_data_frame(capacity: u64, rate: f64) -> Result<Self, Error> {
        let bits = optimal_bits(capacity, rate)?.min(MAX_DATA_FRAME_BITS);
        Self::with_bits(capacity.min(MAX_DATA_FRAME_ITEMS), bits)
    }

    /// Sets the version.
    #[must_use]
    pub const fn version(self, version: Version) -> Self {
        Self { version, ..self }
    }

    /// Returns the number of bits of the filter, a multiple of 64.
    pub const fn bits(&self) -> u64 {
        self.modulus.get()
    }

    /// Returns the number of 64-bit words of the filter, 1 to 2^31 - 1.
    pub(crate) const fn word_count(&self) -> usize {
        (self.modulus.get() / 64) as usize
    }

    /// Returns the probe count k.
    pub const fn probe_count(&self) -> u32 {
        self.probe_count
    }

    /// Returns the rate of a filter with this many different keys. At the capacity it is above the requested rate in small
    /// filters, because the probes of a key are not independent.
    pub fn rate_at(&self, len: u64) -> f64 {
        self.version
            .rule()
            .rate(self.bits(), len as f64, self.probe_count)
    }
}

fn check_capacity(capacity: u64) -> Result<(), Error> {
    if (1..=i64::MAX.unsigned_abs()).contains(&capacity) {
        return Ok(());
    }
    let (thing, range) = ("the capacity", "between 1 and 9223372036854775807");
    Err(Error::argument(thing, range, capacity))
}

/// Returns Spark's `optimalNumOfBits`.
fn optimal_bits(capacity: u64, rate: f64) -> Result<u64, Error> {
    check_capacity(capacity)?;
    Error::check_rate(rate)?;
    Ok(parameters::optimal_bits(capacity, rate))
}
