//! Binary fuse filters, as Pebble stores them: packed fingerprints, then 14 bytes that describe them.

#[cfg(feature = "alloc")]
mod policy;
mod sizes;

use filter_kernels::KernelToken;
use filter_kernels::fuse::{self, Fingerprints, Shape, packed_len};
use filter_policy::HashFunction;
#[cfg(feature = "alloc")]
use filter_policy::KeyHash;
use filter_policy::prepared::Plan;

use crate::contents::{Contents, Stored, plan};
#[cfg(feature = "alloc")]
use crate::view::places::Places;
use crate::view::{FilterView, Format};
#[cfg(feature = "alloc")]
pub use policy::BinaryFusePolicy;
#[cfg(feature = "alloc")]
pub(crate) use policy::NAMED;

impl Format {
    /// The filter of `BinaryFusePolicy`: whole segments of packed fingerprints, then 14 bytes that describe them; 0 bytes without keys. The fingerprint
    /// is the widest whose filter has no more than the bits per key, at least 4 bits and at most 16. The rate is the one that
    /// the width gives.
    pub const BINARY_FUSE: Self = Self {
        name: "BinaryFuse",
        layout: "BinaryFuse",
        is_distinct: true,
        view: |filter| contents(filter).view(),
        #[cfg(feature = "alloc")]
        places: |len, tail, hash| {
            let packed = len.saturating_sub(TRAILER_LEN) as u64;
            let contents = match tail.last_chunk().and_then(|trailer| described(trailer, packed)) {
                _ if len == 0 => Contents::Empty,
                Some(form) => Contents::Filter(form),
                None => Contents::Reserved,
            };
            let hash = hash.of(HashFunction::XXH3);
            Some(contents.places(hash, |(shape, width), hash| {
                let (starts, _) = fuse::positions(shape, width, hash);
                let of = |start: u64| start / 8..(start + u64::from(width)).div_ceil(8);
                Places::Bytes(starts.map(of).to_vec())
            }))
        },
        #[cfg(feature = "alloc")]
        may_match: |tail, hash, bytes| sum_is_zero(tail, hash, bytes).unwrap_or(true),
        damage: |_, f| f.write_str("last 14 bytes must be of a binary fuse filter of this length"),
        hash_bits: 64,
        filter_len: |keys, bits_per_key| sizes::Width::Widest(bits_per_key).filter_len(keys),
        probe_count: |_, _| Ok(None),
        rate: |keys, bits_per_key| {
            let width = sizes::Width::Widest(bits_per_key);
            let len = width.filter_len(keys)?;
            Ok(if len == 0 {
                0.0
            } else {
                rate_of_width(width.of(keys))
            })
        },
        reach: Some(|keys| sizes::filter_len(keys, 16) * 8),
    };
}

/// The length of the trailer: seed, number of segments, binary logarithm of a segment's length, width.
const TRAILER_LEN: usize = 14;

#[cfg(feature = "alloc")]
fn trailer(shape: Shape, width: u8) -> [u8; TRAILER_LEN] {
    let [a, b, c, d, e, f, g, h] = shape.seed.to_le_bytes();
    let [i, j, k, l] = shape.segments.to_le_bytes();
    [a, b, c, d, e, f, g, h, i, j, k, l, shape.log2_len, width]
}

/// Identifies stored bytes.
#[inline]
fn contents(filter: &[u8]) -> Contents<Fingerprints<'_>> {
    if filter.is_empty() {
        return Contents::Empty;
    }
    fingerprints(filter).map_or(Contents::Reserved, Contents::Filter)
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

kernel_reader!(READER, BINARY_FUSE, fuse, |bits, plan| {
    Fingerprints::of_numbers(bits, [plan.words[0], plan.words[1]])
});

impl<'a> Stored<'a> for Fingerprints<'a> {
    fn plan(self, kernel: KernelToken) -> Plan {
        let asker = fuse::asker(kernel, self.width());
        plan(
            kernel,
            HashFunction::XXH3,
            &READER,
            asker,
            self.bytes(),
            self.numbers(),
        )
    }

    fn view(self) -> FilterView<'a> {
        let packed = self.bytes().split_last_chunk::<TRAILER_LEN>();
        let packed = packed.map_or(&[][..], |(packed, _)| packed);
        FilterView::solved(Format::BINARY_FUSE, packed, rate_of_width(self.width()))
    }
}
