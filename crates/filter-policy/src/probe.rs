//! The probe sequence: which bits of a filter belong to a hash value.
//!
//! Knows nothing of keys, of where the bits lie, or of what is done with them.

use core::num::{NonZeroU32, NonZeroU64};

/// The probe sequence of LevelDB's Bloom filter for one size of filter and one probe count.
///
/// The first position is `hash % bits`; for each further one the hash grows by itself, rotated right by 17
/// bits, in wrapping 32-bit arithmetic. One hash computation serves all probes (double hashing; Kirsch and
/// Mitzenmacher, "Less Hashing, Same Performance", 2006), at a price in false positives that
/// [`theory`](crate::theory) states.
///
/// ```
/// use core::num::NonZeroU64;
/// use filter_policy::ProbeSequence;
///
/// let sequence = ProbeSequence::new(NonZeroU64::new(64).unwrap(), 3);
/// let hash = 0xdead_beef_u32;
/// let stride = hash.rotate_right(17);
/// let second = hash.wrapping_add(stride);
/// let third = second.wrapping_add(stride);
/// assert!(sequence.positions(hash).eq([hash % 64, second % 64, third % 64]));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ProbeSequence {
    /// `None` for 2^32 bits and more: no hash value reaches further, so the remainder is the hash itself.
    modulus: Option<NonZeroU32>,
    probes: u8,
}

impl ProbeSequence {
    /// The sequence in a filter of `bits` bits with `probes` positions per hash value.
    ///
    /// Of filters with more than 2^32 bits only the first 2^32 are used, as in LevelDB.
    pub fn new(bits: NonZeroU64, probes: u8) -> Self {
        Self {
            modulus: NonZeroU32::try_from(bits).ok(),
            probes,
        }
    }

    /// How many positions each hash value has.
    pub const fn probes(&self) -> u8 {
        self.probes
    }

    /// The bit positions of a hash value, each below the number of bits; the same one may come more than
    /// once.
    #[inline]
    pub const fn positions(&self, hash: u32) -> Positions {
        Positions {
            hash,
            stride: hash.rotate_right(17),
            modulus: self.modulus,
            left: self.probes,
        }
    }
}

/// The bit positions of one hash value, from [`ProbeSequence::positions`].
#[derive(Debug, Clone)]
pub struct Positions {
    hash: u32,
    stride: u32,
    modulus: Option<NonZeroU32>,
    left: u8,
}

impl Iterator for Positions {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        self.left = self.left.checked_sub(1)?;
        let position = match self.modulus {
            Some(bits) => self.hash % bits,
            None => self.hash,
        };
        self.hash = self.hash.wrapping_add(self.stride);
        Some(position)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (usize::from(self.left), Some(usize::from(self.left)))
    }
}

impl ExactSizeIterator for Positions {}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition in 64-bit arithmetic, as LevelDB's source has it.
    fn definition(hash: u32, bits: u64, probes: u8) -> impl Iterator<Item = u64> {
        let stride = u64::from(hash >> 17) | u64::from(hash << 15);
        (0..u64::from(probes)).map(move |i| ((u64::from(hash) + i * stride) & 0xffff_ffff) % bits)
    }

    #[test]
    fn positions_follow_the_definition_for_all_sizes() {
        let sizes = [
            8,
            16,
            64,
            72,
            800_000,
            0x7fff_fff8,
            0xffff_fff8,
            0x1_0000_0000,
            0x1_0000_0008,
            u64::MAX - 7,
        ];
        for bits in sizes {
            let size = NonZeroU64::new(bits).unwrap();
            for hash in [0, 1, 5381, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xdead_beef] {
                for probes in [0, 1, 6, 30] {
                    let positions = ProbeSequence::new(size, probes).positions(hash);
                    assert_eq!(positions.len(), usize::from(probes));
                    assert!(
                        positions.map(u64::from).eq(definition(hash, bits, probes)),
                        "hash {hash:#x}, {bits} bits, {probes} probes"
                    );
                }
            }
        }
    }
}
