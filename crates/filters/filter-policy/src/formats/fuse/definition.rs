//! The definition of queries (`FORMAT.md`, "Pebble's binary fuse filter"): a hash value is mixed,
//! and gives three places and a fingerprint.
#![allow(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "lengths were checked before, and the lowest bits are meant"
)]

/// The number of bytes from which fingerprints and slots are prefetched before use.
pub(super) const PREFETCHED: usize = 1 << 20;

/// The usual number of bits in a fingerprint, which the compiler then knows: no shifts are needed.
pub(super) const USUAL_WIDTH: u8 = 8;

/// The length of the trailer: seed, number of segments, binary logarithm of a segment's length, width.
pub(super) const TRAILER_LEN: usize = 14;

/// The segments of slots, and the seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The number that is added to hash values before they are mixed.
    pub(crate) seed: u64,
    /// The number of segments that hold the first place of a key; there are two more.
    pub(crate) segments: u32,
    /// The binary logarithm of the number of slots in a segment, at most 31.
    pub(crate) log2_len: u8,
}

/// Returns the trailer of a filter.
#[cfg(feature = "alloc")]
pub(super) fn trailer(shape: Shape, width: u8) -> [u8; TRAILER_LEN] {
    let [a, b, c, d, e, f, g, h] = shape.seed.to_le_bytes();
    let [i, j, k, l] = shape.segments.to_le_bytes();
    [a, b, c, d, e, f, g, h, i, j, k, l, shape.log2_len, width]
}

/// Returns the shape and the width that a trailer states.
#[inline(always)]
pub(super) const fn stated(trailer: &[u8; TRAILER_LEN]) -> (Shape, u8) {
    let &[a, b, c, d, e, f, g, h, i, j, k, l, log2_len, width] = trailer;
    let shape = Shape {
        seed: u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        segments: u32::from_le_bytes([i, j, k, l]),
        log2_len,
    };
    (shape, width)
}

impl Shape {
    /// Returns the number of slots in a segment.
    #[inline(always)]
    pub(super) const fn len(self) -> u64 {
        1 << (self.log2_len & 31)
    }

    /// Mixes a hash value with the seed, by MurmurHash3's last steps.
    #[inline(always)]
    pub(super) const fn mix(self, hash: u64) -> u64 {
        let mut mixed = hash.wrapping_add(self.seed);
        mixed = (mixed ^ mixed >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
        mixed = (mixed ^ mixed >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        mixed ^ mixed >> 33
    }

    /// Returns the number of slots that can be a key's first place.
    #[inline(always)]
    pub(super) const fn starts(self) -> u64 {
        self.segments as u64 * self.len()
    }

    /// Returns the places of a mixed hash value, below the number of slots.
    #[inline(always)]
    pub(super) const fn places(self, mixed: u64) -> [u64; 3] {
        self.places_of(self.starts(), mixed)
    }

    /// [`places`](Self::places), given the number of [`starts`](Self::starts), of which the lowest 32 bits count. With any
    /// other number, too, the places are in ascending order, because each is in the segment after that of the one before.
    #[inline(always)]
    pub(super) const fn places_of(self, starts: u64, mixed: u64) -> [u64; 3] {
        let starts = starts as u32 as u128;
        // `len`, in fewer instructions for a single key.
        let len = 1_u32.wrapping_shl(self.log2_len as u32) as u64;
        places_from(((mixed as u128 * starts) >> 64) as u64, len, mixed)
    }
}

/// Returns the places, given the first and the length of a segment. In segments of at most 2^18 slots, the longest that
/// are built, the second and third depend on the lowest 36 bits alone.
#[inline(always)]
pub(super) const fn places_from(first: u64, len: u64, mixed: u64) -> [u64; 3] {
    let mask = len - 1;
    let (second, third) = (mixed >> 18 & mask, mixed & mask);
    [first, (first + len) ^ second, (first + 2 * len) ^ third]
}

/// Returns the fingerprint of a mixed hash value; filters store its lowest bits.
#[inline(always)]
pub(super) const fn fingerprint(mixed: u64) -> u16 {
    (mixed ^ mixed >> 32) as u16
}

/// Returns the first byte of a fingerprint, and the position of its lowest bit there. All widths in use end in the next
/// byte or before.
#[inline(always)]
pub(super) const fn packed(place: u64, width: u8) -> (usize, u32) {
    let bit = place * width as u64;
    ((bit / 8) as usize, (bit % 8) as u32)
}

#[inline(always)]
pub(super) const fn mask(width: u8) -> u16 {
    u16::MAX >> ((16 - width) & 15)
}
