//! Pebble's stored layout of binary fuse filters, identified by the last 14 bytes.

use filter_kernels::fuse::{Fingerprints, Shape, packed_len};

use super::Contents;

/// The length of the trailer: seed, number of segments, binary logarithm of a segment's length, width.
pub(crate) const TRAILER_LEN: usize = 14;

#[cfg(feature = "alloc")]
pub(crate) fn trailer(shape: Shape, width: u8) -> [u8; TRAILER_LEN] {
    let [a, b, c, d, e, f, g, h] = shape.seed.to_le_bytes();
    let [i, j, k, l] = shape.segments.to_le_bytes();
    [a, b, c, d, e, f, g, h, i, j, k, l, shape.log2_len, width]
}

/// Identifies stored bytes.
#[inline]
pub(crate) fn contents(filter: &[u8]) -> Contents<'_> {
    if filter.is_empty() {
        return Contents::Empty;
    }
    fingerprints(filter).map_or(Contents::Reserved, Contents::BinaryFuse)
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
pub(crate) fn described(trailer: &[u8; TRAILER_LEN], packed: u64) -> Option<(Shape, u8)> {
    let &[a, b, c, d, e, f, g, h, i, j, k, l, log2_len, width] = trailer;
    let shape = Shape {
        seed: u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        segments: u32::from_le_bytes([i, j, k, l]),
        log2_len,
    };
    (packed_len(shape, width)? == packed).then_some((shape, width))
}
