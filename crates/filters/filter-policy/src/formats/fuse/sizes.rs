//! The sizes of binary fuse filters.

use super::bits::{Shape, packed_len};
use super::definition::TRAILER_LEN;
use crate::{BitsPerKey, Error};

/// The maximum number of keys: slots are counted in 32 bits.
pub(super) const MAX_KEYS: u64 = 1 << 31;

/// The widths of fingerprints that Pebble reads, in bits.
pub(super) const WIDTHS: [u8; 5] = [4, 8, 10, 12, 16];

/// The numbers of keys that are so few or so many that all attempts have the same segments.
#[cfg(feature = "alloc")]
const FEW: u64 = 4;
#[cfg(feature = "alloc")]
const MANY: u64 = 1_000_000;

/// Returns the segments for this many keys at the first attempt; the seed is 0.
///
/// Source: xorfilter, `binaryfusefilter.go` (`initializeParameters`), at commit d0b48ae. Its logarithms are rounded
/// correctly here or there at the most, which changes no size: the numbers of keys at which the length doubles are
/// further from the limits, the nearest by 10^-10.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 2 and 18, and below 2^32"
)]
pub(super) fn shape(keys: u64) -> Shape {
    let count = keys.min(MAX_KEYS) as f64;
    let log2_len = if keys == 0 {
        2
    } else {
        libm::floor(libm::log(count) / libm::log(3.33) + 2.25).min(18.0) as u8
    };
    let slots = if keys > 1 {
        let factor = 0.875 + 0.25 * libm::log(1_000_000.0) / libm::log(count);
        libm::round(count * factor.max(1.125)) as u64
    } else {
        0
    };
    let segments = slots.div_ceil(1 << log2_len).max(3) - 2;
    Shape {
        seed: 0,
        segments: segments as u32,
        log2_len,
    }
}

/// Returns the segments at an attempt, counted from 1: at every fourth they are half as long.
#[cfg(feature = "alloc")]
pub(super) fn shape_at(attempt: u32, keys: u64) -> Shape {
    let shape = shape(keys);
    if attempt % 4 == 2 && keys > FEW && keys < MANY {
        Shape {
            segments: 2 * shape.segments + 2,
            log2_len: shape.log2_len - 1,
            ..shape
        }
    } else {
        shape
    }
}

/// Returns the length of a filter whose fingerprints have one of the [`WIDTHS`].
pub(super) fn filter_len(keys: u64, width: u8) -> u64 {
    len_of(shape(keys), width)
}

fn len_of(shape: Shape, width: u8) -> u64 {
    packed_len(shape, width)
        .unwrap_or(u64::MAX)
        .saturating_add(TRAILER_LEN as u64)
}

/// The choice of the width of a filter's fingerprints.
#[derive(Debug, Clone, Copy)]
pub(super) enum Width {
    /// One width for all filters, of the [`WIDTHS`].
    Fixed(u8),
    /// The widest whose filter has no more than these bits per key, and the narrowest if none has.
    Widest(BitsPerKey),
}

impl Width {
    /// Returns the width for this many keys.
    pub(super) fn of(self, keys: u64) -> u8 {
        let [narrowest, ..] = WIDTHS;
        match self {
            Self::Fixed(width) => width,
            Self::Widest(bits_per_key) => {
                let fits = |width: &u8| u128::from(filter_len(keys, *width)) * 8 <= bits_per_key.times(keys);
                WIDTHS.into_iter().rfind(fits).unwrap_or(narrowest)
            }
        }
    }

    pub(super) fn too_large(self, keys: u64) -> Error {
        match self {
            Self::Fixed(width) => BitsPerKey::whole(width.into()),
            Self::Widest(bits_per_key) => bits_per_key,
        }
        .too_large(keys, MAX_KEYS)
    }

    /// Returns the length of the filter of this many keys, all with different hash values.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`].
    pub(super) fn filter_len(self, keys: u64) -> Result<u64, Error> {
        match keys {
            0 => Ok(0),
            1..=MAX_KEYS => Ok(filter_len(keys, self.of(keys))),
            _ => Err(self.too_large(keys)),
        }
    }

    /// Returns a length that no filter of at most this many keys exceeds: fewer keys can take more bytes, because
    /// segments are whole and because they may leave room for a wider fingerprint.
    pub(super) fn max_filter_len(self, keys: u64) -> Result<u64, Error> {
        let exact = self.filter_len(keys)?;
        let shape = shape(keys);
        let segments = shape.segments + 1;
        let longest = |width| len_of(Shape { segments, ..shape }, width);
        let [narrowest, .., widest] = WIDTHS;
        Ok(exact.max(match self {
            Self::Fixed(width) => longest(width),
            Self::Widest(bits_per_key) => {
                let allowed = u64::try_from(bits_per_key.times(keys) / 8).unwrap_or(u64::MAX);
                longest(narrowest).max(allowed.min(longest(widest)))
            }
        }))
    }
}

#[cfg(not(emulated))]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_of_segments_doubles_at_known_numbers_of_keys() {
        // The powers of 3.33, less 2.25 in the exponent, computed with 50 digits and rounded up.
        let doubled = [
            3,
            9,
            28,
            92,
            304,
            1_010,
            3_362,
            11_193,
            37_273,
            124_118,
            413_310,
            1_376_322,
            4_583_150,
            15_261_887,
            50_822_082,
            169_237_530,
        ];
        for (keys, log2_len) in doubled.into_iter().zip(3..) {
            assert_eq!(shape(keys - 1).log2_len, log2_len - 1, "{keys}");
            assert_eq!(shape(keys).log2_len, log2_len.min(18), "{keys}");
        }
    }

    #[test]
    fn every_length_is_below_the_maximum() {
        let bits = [0, 4, 8, 9, 10, 11, 12, 14, 18, 20, 100].map(BitsPerKey::whole);
        for width in bits
            .map(Width::Widest)
            .into_iter()
            .chain(WIDTHS.map(Width::Fixed))
        {
            let mut longest = 0;
            for keys in (0..5_000).chain((5_000..6_000_000).step_by(997)) {
                longest = longest.max(width.filter_len(keys).unwrap());
                let stated = width.max_filter_len(keys).unwrap();
                assert!(longest <= stated, "{keys} keys, {width:?}: {longest}, {stated}");
            }
        }
        assert!(Width::Fixed(8).filter_len(MAX_KEYS + 1).is_err());
        assert!(shape(MAX_KEYS).slots() <= 1 << 32);
    }

    #[test]
    fn all_attempts_have_as_many_slots() {
        for keys in (1..5_000).chain([11_504, 999_999, 1_000_000]) {
            for attempt in 1..8 {
                let halved = shape_at(attempt, keys);
                assert_eq!(halved.slots(), shape(keys).slots(), "{keys}");
                let is_halved = halved.log2_len < shape(keys).log2_len;
                assert_eq!(
                    is_halved,
                    attempt % 4 == 2 && (5..1_000_000).contains(&keys),
                    "{keys}"
                );
            }
        }
    }
}
