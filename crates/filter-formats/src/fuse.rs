//! Binary fuse filters, as Pebble stores them: packed fingerprints, then 14 bytes that describe them.

#[cfg(feature = "alloc")]
mod policy;
mod sizes;

use core::fmt;

#[cfg(feature = "alloc")]
use filter_kernels::fuse;
use filter_kernels::fuse::{Fingerprints, Shape, packed_len};
use filter_policy::{BitsPerKey, Error, Prepared};
#[cfg(feature = "alloc")]
use filter_policy::{HashFunction, KeyHash};

#[cfg(feature = "alloc")]
use crate::view::places::Places;
use crate::view::{Described, FilterView, Format};
#[cfg(feature = "alloc")]
pub use policy::{BinaryFuse, BinaryFusePolicy};

impl Format {
    /// The filter of `BinaryFuse`: whole segments of packed fingerprints, then 14 bytes that describe them; 0 bytes without keys. The fingerprint
    /// is the widest whose filter has no more than the bits per key, at least 4 bits and at most 16. The rate is the one that
    /// the width gives.
    pub const BINARY_FUSE: Self = Self(&Fuse);
}

struct Fuse;

impl Described for Fuse {
    fn name(&self) -> &'static str {
        "BinaryFuse"
    }

    fn is_distinct(&self) -> bool {
        true
    }

    fn view<'a>(&self, filter: &'a [u8]) -> FilterView<'a> {
        let other = Prepared::same_for_all(!filter.is_empty());
        FilterView::of(fingerprints(filter), other, |fingerprints| {
            let packed = fingerprints.bytes().split_last_chunk::<TRAILER_LEN>();
            let packed = packed.map_or(&[][..], |(packed, _)| packed);
            FilterView::solved(Format::BINARY_FUSE, packed, rate_of_width(fingerprints.width()))
        })
    }

    #[cfg(feature = "alloc")]
    fn places(&self, len: usize, tail: &[u8], hash: KeyHash) -> Option<Places> {
        let packed = len.saturating_sub(TRAILER_LEN) as u64;
        let read = tail.last_chunk().and_then(|trailer| described(trailer, packed));
        Some(Places::of(
            read,
            len > 0,
            hash.of(HashFunction::XXH3),
            |(shape, width), hash| {
                let (starts, _) = fuse::positions(shape, width, hash);
                let of = |start: u64| start / 8..(start + u64::from(width)).div_ceil(8);
                Places::Bytes(starts.map(of).to_vec())
            },
        ))
    }

    #[cfg(feature = "alloc")]
    fn may_match(&self, tail: &[u8], hash: KeyHash, bytes: &[u8]) -> bool {
        sum_is_zero(tail, hash, bytes).unwrap_or(true)
    }

    fn damage(&self, _: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("last 14 bytes must be of a binary fuse filter of this length")
    }

    fn filter_len(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<u64, Error> {
        sizes::Width::Widest(bits_per_key).filter_len(keys)
    }

    fn probe_count(&self, _: u64, _: BitsPerKey) -> Result<Option<u32>, Error> {
        Ok(None)
    }

    fn rate(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<f64, Error> {
        let width = sizes::Width::Widest(bits_per_key);
        let len = width.filter_len(keys)?;
        Ok(if len == 0 {
            0.0
        } else {
            rate_of_width(width.of(keys))
        })
    }

    fn reach(&self, keys: u64) -> Option<u64> {
        Some(sizes::filter_len(keys, 16) * 8)
    }
}

/// The length of the trailer: seed, number of segments, binary logarithm of a segment's length, width.
const TRAILER_LEN: usize = 14;

#[cfg(feature = "alloc")]
fn trailer(shape: Shape, width: u8) -> [u8; TRAILER_LEN] {
    let [a, b, c, d, e, f, g, h] = shape.seed.to_le_bytes();
    let [i, j, k, l] = shape.segments.to_le_bytes();
    [a, b, c, d, e, f, g, h, i, j, k, l, shape.log2_len, width]
}

/// Returns the fingerprints of a filter that a writer may have made: the trailer determines the length.
#[inline]
fn fingerprints(filter: &[u8]) -> Option<Fingerprints<'_>> {
    let (packed, trailer) = filter.split_last_chunk()?;
    let (shape, width) = described(trailer, packed.len() as u64)?;
    Fingerprints::new(filter, shape, width)
}

/// Returns what a trailer after this many bytes says, if a writer may have made it.
#[inline]
fn described(trailer: &[u8; TRAILER_LEN], packed: u64) -> Option<(Shape, u8)> {
    let (shape, width) = stated(trailer);
    (packed_len(shape, width)? == packed).then_some((shape, width))
}

#[inline]
const fn stated(trailer: &[u8; TRAILER_LEN]) -> (Shape, u8) {
    let &[a, b, c, d, e, f, g, h, i, j, k, l, log2_len, width] = trailer;
    let shape = Shape {
        seed: u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        segments: u32::from_le_bytes([i, j, k, l]),
        log2_len,
    };
    (shape, width)
}

/// Answers from the bytes of three fingerprints; `None` for others.
#[cfg(feature = "alloc")]
#[expect(
    clippy::cast_possible_truncation,
    reason = "a length of at most 3 bytes, and the lowest 16 bits, which are meant"
)]
fn sum_is_zero(tail: &[u8], hash: KeyHash, mut bytes: &[u8]) -> Option<bool> {
    let (shape, width) = stated(tail.last_chunk()?);
    let (starts, mut sum) = fuse::positions(shape, width, hash.of(HashFunction::XXH3)?);
    for start in starts {
        let len = (start % 8 + u64::from(width)).div_ceil(8) as usize;
        let (packed, others) = bytes.split_at_checked(len)?;
        let join = |number, &byte: &u8| number << 8 | u32::from(byte);
        sum ^= (packed.iter().rev().fold(0_u32, join) >> (start % 8)) as u16;
        bytes = others;
    }
    Some(sum & (u16::MAX >> (16 - u16::from(width))) == 0)
}

/// Returns the false-positive rate of fingerprints of this width.
fn rate_of_width(width: u8) -> f64 {
    libm::exp2(-f64::from(width))
}
