//! The size of a filter, from the number of insertions and the false-positive probability.
//!
//! Knows nothing of keys or servers.

use guava_bloom::{ErrorKind, Hash128, Modulus, Parameters, Positions, ProbeCountRule, Strategy};

/// Bits of the largest string that Redis holds: offsets go from 0 to 2^32 - 1.
pub(crate) const REDIS_BITS: u64 = 1 << 32;

/// Most bits of a design, and why.
type Limit = (u64, &'static str);

/// The published fixed design.
const FIXED: Limit = (
    i32::MAX as u64,
    "the published program keeps its length in a Java int; split it over several keys",
);
/// One string.
const STRING: Limit = (
    REDIS_BITS,
    "offsets of Redis have 32 bits; split it over several keys",
);
/// Several strings.
const SPLIT: Limit = (
    64 * i32::MAX as u64,
    "Guava's filters, with which it is exchanged, have 2^31 - 1 words",
);

/// How many bits a filter has and how many of them an element sets.
///
/// The formulas are those of Guava before 33.4.0, which both published programs copy: m = -n ln p / (ln 2)^2, cut to a
/// whole number; k = m/n ln 2, rounded, 1 at least. The designs differ in whether m is rounded up to whole words of 64
/// bits, and the number of bits is the modulus of all positions.
///
/// ```
/// use bloom_redis::Schema;
///
/// let schema = Schema::fixed(3_000, 0.03)?;
/// assert_eq!((schema.bits(), schema.probes()), (21_895, 5));
/// let schema = Schema::words(3_000, 0.03)?;
/// assert_eq!((schema.bits(), schema.probes()), (21_952, 5));
/// # Ok::<(), bloom_redis::SchemaError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Schema {
    insertions: u64,
    fpp: f64,
    bits: Modulus,
    probes: u8,
}

impl Schema {
    /// The published fixed design: the number of bits is not rounded.
    ///
    /// # Errors
    ///
    /// [`SchemaError`] when the arguments are out of range, or the bitmap would have no bit, or 2^31 and more (the
    /// published program would silently cut it to 2^31 - 1, and miss its probability): use a [`Split`](crate::Split).
    pub fn fixed(insertions: u64, fpp: f64) -> Result<Self, SchemaError> {
        let parameters = parameters(insertions, fpp, FIXED)?;
        Self::new(insertions, fpp, &parameters, parameters.optimal_bits(), FIXED)
    }

    /// Whole words of 64 bits, as in Guava and in the published growing design.
    ///
    /// # Errors
    ///
    /// [`SchemaError`] when the arguments are out of range, or the bitmap would have more than 2^32 bits, which no string of
    /// Redis has: use a [`Split`](crate::Split).
    pub fn words(insertions: u64, fpp: f64) -> Result<Self, SchemaError> {
        let parameters = parameters(insertions, fpp, STRING)?;
        Self::new(insertions, fpp, &parameters, parameters.bits(), STRING)
    }

    /// Whole words, not necessarily in one string.
    pub(crate) fn split(insertions: u64, fpp: f64) -> Result<Self, SchemaError> {
        let parameters = parameters(insertions, fpp, SPLIT)?;
        Self::new(insertions, fpp, &parameters, parameters.bits(), SPLIT)
    }

    fn new(
        insertions: u64,
        fpp: f64,
        parameters: &Parameters,
        bits: u64,
        limit: Limit,
    ) -> Result<Self, SchemaError> {
        if bits > limit.0 {
            return Err(too_many_bits(bits, limit));
        }
        Ok(Self {
            insertions,
            fpp,
            bits: Modulus::new(bits).ok_or(SchemaError::NoInsertions)?,
            probes: parameters.probe_count(),
        })
    }

    /// Insertions that the filter is meant for.
    pub const fn insertions(&self) -> u64 {
        self.insertions
    }

    /// The false-positive probability after that many insertions.
    pub const fn fpp(&self) -> f64 {
        self.fpp
    }

    /// Bits of the bitmap, which is the modulus of all positions.
    pub fn bits(&self) -> u64 {
        self.bits.get()
    }

    /// Bits that an element sets, k.
    pub const fn probes(&self) -> u8 {
        self.probes
    }

    /// Where the bits of an element lie.
    pub(crate) fn positions(&self, hash: Hash128) -> Positions {
        Strategy::Murmur128Mitz64.positions(hash, self.probes, self.bits)
    }
}

fn parameters(insertions: u64, fpp: f64, limit: Limit) -> Result<Parameters, SchemaError> {
    if insertions == 0 {
        return Err(SchemaError::NoInsertions);
    }
    Parameters::with_rule(insertions, fpp, ProbeCountRule::FromBitsPerInsertion).map_err(|error| match error
        .kind()
    {
        // Above Guava's limit, and so above all of ours.
        ErrorKind::TooLarge => too_many_bits(u64::MAX, limit),
        _ => SchemaError::Parameters(error.to_string()),
    })
}

const fn too_many_bits(needed: u64, (limit, reason): Limit) -> SchemaError {
    SchemaError::TooManyBits {
        needed,
        limit,
        reason,
    }
}

/// Why there is no filter of a size.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// A filter for no insertion.
    #[error("insertions: 0, at least 1 is needed")]
    NoInsertions,
    /// The formula gives more bits than the design has.
    #[error("the filter takes {needed} bits, this design has {limit} at most: {reason}")]
    TooManyBits {
        /// Bits that the filter would take.
        needed: u64,
        /// Most bits of the design.
        limit: u64,
        /// Why it has no more, and what does.
        reason: &'static str,
    },
    /// The parts of a split filter.
    #[error("parts of {given} bits: a multiple of 64 from {least} to {REDIS_BITS} is allowed")]
    PartBits {
        /// Bits that the caller gave.
        given: u64,
        /// Least bits of a part of this filter.
        least: u64,
    },
    /// The slots that a split filter is spread over.
    #[error("{given} slots: 1 to 1024 are allowed")]
    Slots {
        /// What the caller gave.
        given: u16,
    },
    /// Guava's rules refuse the arguments.
    #[error("{0}")]
    Parameters(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_that_a_design_does_not_have_is_refused_by_its_own_limit() {
        // Just above the limit, far above that of Guava, and above all numbers.
        for (design, limit, insertions) in [
            (
                Schema::fixed as fn(u64, f64) -> Result<Schema, SchemaError>,
                2_147_483_647,
                224_100_000,
            ),
            (Schema::words, 4_294_967_296, 448_100_000),
            (Schema::split, 137_438_953_408, 14_340_000_000),
        ] {
            for insertions in [insertions, 1 << 40, i64::MAX as u64] {
                let error = design(insertions, 0.01).unwrap_err();
                let SchemaError::TooManyBits {
                    needed, limit: said, ..
                } = &error
                else {
                    panic!("{error}")
                };
                assert!(*said == limit && *needed > limit, "{error}");
                let text = format!("the filter takes {needed} bits, this design has {limit} at most: ");
                assert!(error.to_string().starts_with(&text), "{error}");
            }
            assert!(design(insertions * 998 / 1_000, 0.01).is_ok());
        }
    }
}
