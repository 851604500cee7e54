//! The size of a filter, from the capacity and the false-positive probability.
//!
//! Knows nothing of keys or servers.

use membership_filters::guava::{Parameters, ProbeCountRule, Strategy};
use membership_filters::{Hash128, Modulus};

use crate::error::{Details, Error};

/// The number of bits of the longest Redis string: offsets go from 0 to 2^32 - 1.
pub(crate) const REDIS_BITS: u64 = 1 << 32;

/// The number of bytes of the mark after a fixed filter's bits.
pub(crate) const MARK: usize = 24;

/// The number of bits of the longest Redis string with a mark after them.
pub(crate) const MARKED_BITS: u64 = REDIS_BITS - 8 * MARK as u64;

/// The largest number of bits of the published fixed design, whose program keeps it in a Java `int`.
const FIXED_BITS: u64 = i32::MAX as u64;

/// The size of a filter and the number of bits that a key sets.
///
/// The formulas are those of Guava before 33.4.0, which both published programs copy: m = -n ln p / (ln 2)^2, truncated
/// to an integer; k = m/n ln 2, rounded, at least 1. The designs differ in whether m is rounded up to whole words of 64
/// bits. The number of bits is the modulus of all positions.
///
/// ```
/// use bloom_redis::Schema;
///
/// let schema = Schema::fixed(3_000, 0.03)?;
/// assert_eq!((schema.bits(), schema.probe_count()), (21_895, 5));
/// let schema = Schema::whole_words(3_000, 0.03)?;
/// assert_eq!((schema.bits(), schema.probe_count()), (21_952, 5));
/// # Ok::<(), bloom_redis::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Schema {
    parameters: Parameters,
    /// The parameters have as many bits, or more: theirs are rounded up to whole words.
    bits: Modulus,
}

impl Schema {
    /// Returns the size of the published fixed design: the number of bits is not rounded, so such a filter cannot be
    /// uploaded or downloaded.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](Error::InvalidArgument) if an argument is out of range or the bitmap would have no bits;
    /// or if it would have 2^31 bits or more (the published program would silently cut
    /// it to 2^31 - 1 and miss its rate).
    pub fn fixed(capacity: u64, rate: f64) -> Result<Self, Error> {
        let parameters = parameters(capacity, rate)?;
        let bits = Modulus::new(parameters.optimal_bits()).unwrap_or(parameters.modulus());
        let schema = Self { parameters, bits };
        schema.check(FIXED_BITS)?;
        Ok(schema)
    }

    /// Returns the size in whole words of 64 bits, as in Guava and in the published growing design. Such filters can be
    /// uploaded and downloaded.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](Error::InvalidArgument) if an argument is out of range or the bitmap would have no bits;
    /// or if it would have more than (2^31 - 1) * 64 bits, Guava's limit.
    pub fn whole_words(capacity: u64, rate: f64) -> Result<Self, Error> {
        parameters(capacity, rate).map(Self::from_guava)
    }

    /// Returns the size of each bitmap of a [`GrowingFilter`](crate::GrowingFilter) whose false-positive rate stays
    /// below a total up to so many bitmaps, for `capacity` keys in each.
    ///
    /// A bitmap is closed when half of its bits are set, at a rate of 2^-k for k probes, and the rates add up. So k is
    /// the smallest number with `bitmaps` * 2^-k of at most `total_rate`.
    ///
    /// ```
    /// use bloom_redis::Schema;
    ///
    /// // 10 million keys at 0.1 %, in bitmaps of a million.
    /// let schema = Schema::growing(1_000_000, 10, 0.001)?;
    /// assert_eq!((schema.probe_count(), schema.bits()), (14, 20_197_760));
    /// # Ok::<(), bloom_redis::Error>(())
    /// ```
    ///
    /// Fails as [`whole_words`](Self::whole_words).
    pub fn growing(capacity: u64, bitmaps: u64, total_rate: f64) -> Result<Self, Error> {
        parameters(capacity, total_rate)?;
        if bitmaps == 0 {
            return Err(Error::argument("the number of bitmaps", "at least 1", 0));
        }
        let probes = libm::ceil(libm::log2(bitmaps as f64 / total_rate));
        Self::whole_words(capacity, libm::exp2(-probes))
    }

    const fn from_guava(parameters: Parameters) -> Self {
        let bits = parameters.modulus();
        Self { parameters, bits }
    }

    /// Checks that the number of bits is within the limit of a design.
    pub(crate) fn check(&self, limit: u64) -> Result<(), Error> {
        if self.bits() <= limit {
            return Ok(());
        }
        let range = format_args!("at most {limit} in this design");
        Err(Error::argument("the number of bits", range, self.bits()))
    }

    /// Returns the number of keys planned for.
    pub const fn capacity(&self) -> u64 {
        self.parameters.capacity()
    }

    /// Returns the false-positive rate after [`capacity`](Self::capacity) keys.
    pub const fn rate(&self) -> f64 {
        self.parameters.rate()
    }

    /// Returns the number of bits of the bitmap, which is the modulus of all positions.
    pub const fn bits(&self) -> u64 {
        self.bits.get()
    }

    /// Returns the number of bits that a key sets, k.
    pub const fn probe_count(&self) -> u32 {
        self.parameters.probe_count()
    }

    pub(crate) fn positions(&self, hash: Hash128) -> Vec<u64> {
        Strategy::Murmur128Mitz64.positions(hash, self.probe_count(), self.bits)
    }
}

fn parameters(capacity: u64, rate: f64) -> Result<Parameters, Error> {
    if capacity == 0 {
        return Err(Error::argument("the capacity", "at least 1", 0));
    }
    let rule = ProbeCountRule::FromBitsPerKey;
    Ok(Parameters::with_rule(capacity, rate, rule)?)
}

/// Converts Guava's parameters, so that a filter made with them can be uploaded.
impl TryFrom<&Parameters> for Schema {
    type Error = Error;

    /// # Errors
    ///
    /// [`Error::Mismatch`] for Guava's older strategy.
    fn try_from(parameters: &Parameters) -> Result<Self, Error> {
        membership_filters::Error::check_equal(
            "strategies",
            &Strategy::Murmur128Mitz64,
            &parameters.chosen_strategy(),
        )?;
        Ok(Self::from_guava(*parameters))
    }
}

/// Converts a schema to Guava's parameters, for a filter in memory that can be uploaded.
impl TryFrom<&Schema> for Parameters {
    type Error = Error;

    /// # Errors
    ///
    /// [`Error::Mismatch`] if the number of bits is not a multiple of 64, as with [`Schema::fixed`].
    fn try_from(schema: &Schema) -> Result<Self, Error> {
        if schema.bits == schema.parameters.modulus() {
            return Ok(schema.parameters);
        }
        let (thing, range) = ("the number of bits", "a multiple of 64");
        Err(Error::Mismatch(Details::new(thing, range, schema.bits())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FixedFilter, GrowingFilter};

    #[test]
    fn a_size_that_a_design_does_not_have_is_refused_by_its_own_limit() {
        type Design = fn(u64) -> Result<(), Error>;
        // Just above the limit, far above that of Guava, and above all numbers.
        for (design, limit, capacity) in [
            (
                (|n| Schema::fixed(n, 0.01).map(drop)) as Design,
                2_147_483_647_u64,
                224_100_000,
            ),
            (
                |n| FixedFilter::new("f", Schema::whole_words(n, 0.01)?).map(drop),
                4_294_967_104,
                448_100_000,
            ),
            (
                |n| GrowingFilter::new("g", Schema::whole_words(n, 0.01)?).map(drop),
                4_294_967_296,
                448_100_000,
            ),
            (
                |n| Schema::whole_words(n, 0.01).map(drop),
                137_438_953_408,
                14_340_000_000,
            ),
        ] {
            let error = design(capacity).unwrap_err();
            assert!(matches!(error, Error::InvalidArgument(_)));
            let text = format!("the number of bits must be at most {limit}");
            assert!(error.to_string().starts_with(&text), "{error}");
            for capacity in [1 << 40, i64::MAX as u64] {
                assert!(matches!(design(capacity).unwrap_err(), Error::InvalidArgument(_)));
            }
            design(capacity * 998 / 1_000).unwrap();
        }
    }

    #[test]
    fn schemas_and_parameters_convert_into_each_other() {
        for (capacity, rate) in [(1, 0.01), (3_000, 0.03), (1_000_000, 0.001)] {
            let schema = Schema::whole_words(capacity, rate).unwrap();
            let parameters = Parameters::try_from(&schema).unwrap();
            let sizes = |of: &Parameters| (of.bits(), of.probe_count());
            assert_eq!(sizes(&parameters), (schema.bits(), schema.probe_count()));
            assert_eq!(Schema::try_from(&parameters).unwrap(), schema);
            let newer = Parameters::new(capacity, rate).unwrap();
            let again = Parameters::try_from(&Schema::try_from(&newer).unwrap());
            assert_eq!(sizes(&again.unwrap()), sizes(&newer));
            let older = parameters.strategy(Strategy::Murmur128Mitz32);
            assert!(matches!(
                Schema::try_from(&older).unwrap_err(),
                Error::Mismatch(_)
            ));
        }
        let unrounded = Schema::fixed(3_000, 0.03).unwrap();
        let error = Parameters::try_from(&unrounded).unwrap_err();
        assert!(matches!(error, Error::Mismatch(_)));
    }
}
