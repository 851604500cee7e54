//! The definition of queries (`FORMAT.md` of `filter-formats`, "Pebble's binary fuse filter"): a hash value is mixed,
//! and gives three places and a fingerprint.

/// The segments of slots, and the seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// The number that is added to hash values before they are mixed.
    pub seed: u64,
    /// The number of segments that hold the first place of a key; there are two more.
    pub segments: u32,
    /// The binary logarithm of the number of slots in a segment, at most 31.
    pub log2_len: u8,
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

    /// [`places`](Self::places), given the number of [`starts`](Self::starts). With any other number, too, the places
    /// are in ascending order, because each is in the segment after that of the one before.
    #[inline(always)]
    pub(super) const fn places_of(self, starts: u64, mixed: u64) -> [u64; 3] {
        self.places_from(((mixed as u128 * starts as u128) >> 64) as u32, mixed)
    }

    /// Returns the places, given the first. They depend on the lowest 36 bits alone.
    #[inline(always)]
    pub(super) const fn places_from(self, first: u32, mixed: u64) -> [u64; 3] {
        let (first, len, [second, third]) = (first as u64, self.len(), self.offsets(mixed));
        [first, (first + len) ^ second, (first + 2 * len) ^ third]
    }

    /// Returns what moves the second and the third place within their segments.
    #[inline(always)]
    pub(super) const fn offsets(self, mixed: u64) -> [u64; 2] {
        let mask = self.len() - 1;
        [mixed >> 18 & mask, mixed & mask]
    }
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

/// Returns true if the fingerprints of a hash value's places sum to this one. The places are in ascending order.
#[inline(always)]
pub(super) fn is_zero_sum(bytes: &[u8], width: u8, mut sum: u16, places: [u64; 3]) -> bool {
    // On 32 bits a place may be beyond what an address reaches.
    if (places[2] * u64::from(width) / 8) + 2 > bytes.len() as u64 {
        return true;
    }
    for (byte, shift) in places.map(|place| packed(place, width)) {
        // SAFETY: the places ascend, and two bytes from the last one on are within the slice.
        let two = unsafe { bytes.as_ptr().add(byte).cast::<[u8; 2]>().read() };
        sum ^= u16::from_le_bytes(two) >> shift;
    }
    sum & mask(width) == 0
}
