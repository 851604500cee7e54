//! Builds filters: keys are added to slots, peeled, and their fingerprints stored.

use super::definition::{Shape, fingerprint, mask, packed};
use crate::bits::usual;
use crate::choose::KernelToken;
use crate::compile::by_kernel;
use crate::lanes::Target;

/// The number of bytes from which fingerprints and slots are prefetched before use.
pub(super) const PREFETCHED: usize = 1 << 20;

/// The usual number of bits in a fingerprint, which the compiler then knows: no shifts are needed.
pub(super) const USUAL_WIDTH: u8 = 8;

/// The number of hash values between the prefetch of a slot and its use.
const AHEAD: usize = 16;

/// A slot while a filter is built: the sum of its keys, and their number.
///
/// The lowest 48 bits sum the keys' mixed hash values, the next two the indices (0 to 2) of this slot among the places
/// of each key, and the rest counts keys. If there is one key, its places and fingerprint follow from the slot.
#[derive(Debug, Clone, Copy, Default)]
pub struct Slot(u64);

impl Slot {
    const INDEX_AT: u32 = 48;
    const COUNT_AT: u32 = 50;

    /// The binary logarithm of the number of keys that is too many for xorfilter, which counts in six bits.
    const LOG2_TOO_MANY: u32 = 6;

    #[inline(always)]
    const fn changed(self, mixed: u64, index: u64) -> u64 {
        self.0 ^ (mixed & ((1 << Self::INDEX_AT) - 1)) ^ index << Self::INDEX_AT
    }

    #[inline(always)]
    const fn add(&mut self, mixed: u64, index: u64) {
        self.0 = self.changed(mixed, index).wrapping_add(1 << Self::COUNT_AT);
    }

    #[inline(always)]
    const fn remove(&mut self, mixed: u64, index: u64) {
        self.0 = self.changed(mixed, index).wrapping_sub(1 << Self::COUNT_AT);
    }

    #[inline(always)]
    const fn count(self) -> u64 {
        self.0 >> Self::COUNT_AT
    }

    /// Returns true if the keys cancel out, as those with equal hash values do.
    #[inline(always)]
    const fn is_of_pairs(self) -> bool {
        self.count() > 1 && self.0 & ((1 << Self::COUNT_AT) - 1) == 0
    }

    /// Returns the index of this slot among the places of its only key.
    #[inline(always)]
    const fn index(self) -> u64 {
        self.0 >> Self::INDEX_AT & 3
    }

    /// Returns all places of the only key of this slot.
    #[inline(always)]
    const fn places(self, shape: Shape, at: u64) -> [u64; 3] {
        let [second, third] = shape.offsets(self.0);
        let index = self.index();
        // No branch, which would be mispredicted for two of three keys: the masks have all bits or none.
        let is_second = (index & 1).wrapping_neg();
        let is_third = (index >> 1).wrapping_neg();
        let in_segment = at ^ second & is_second ^ third & is_third;
        shape.places_from(in_segment.wrapping_sub(index * shape.len()) as u32, self.0)
    }
}

/// Adds keys with these hash values to slots that are empty (the default), as many as the shape has. Returns false if a
/// slot has more keys than xorfilter can count; the caller then empties the slots and tries another seed.
///
/// # Panics
///
/// If there are fewer slots than the shape has.
pub fn add(kernel: KernelToken, shape: Shape, slots: &mut [Slot], hashes: &[u64]) -> bool {
    by_kernel!(
        |lanes, shape: Shape, slots: &mut [Slot], hashes: &[u64]| -> bool {
            let ahead = if size_of_val(slots) < PREFETCHED {
                hashes.len()
            } else {
                AHEAD
            };
            let mut later = hashes.iter().skip(ahead);
            let mut counted = 0;
            for &hash in hashes {
                if let Some(&hash) = later.next() {
                    for place in shape.places(shape.mix(hash)) {
                        lanes.prefetch::<true, _>(slots, place as usize);
                    }
                }
                let mixed = shape.mix(hash);
                for (index, place) in (0..).zip(shape.places(mixed)) {
                    let slot = &mut slots[place as usize];
                    slot.add(mixed, index);
                    counted |= slot.0;
                }
            }
            // Counts grow by one, so this bit of a count was set if it ever reached the number.
            counted >> (Slot::COUNT_AT + Slot::LOG2_TOO_MANY) == 0
        },
        kernel
    )
}

/// Returns the number of slots with keys.
pub fn used(slots: &[Slot]) -> usize {
    slots.iter().filter(|slot| slot.count() != 0).count()
}

/// Peels the keys that were added to the slots, writes the slots that settle them to `order`, in that order, and returns
/// their number: that of all keys if the shape and its seed are of use. `order` is longer than the slots with keys.
///
/// # Panics
///
/// If there are fewer slots than the shape has, or `order` is shorter.
pub fn peel(shape: Shape, slots: &mut [Slot], order: &mut [u32]) -> usize {
    // The slots that wait are at the end of `order`, the next one first. A slot waits once, so the two parts never meet.
    let end = order.len();
    let mut waiting = end;
    for (at, slot) in slots.iter().enumerate() {
        if slot.count() == 1 {
            waiting -= 1;
            order[waiting] = at as u32;
        }
    }
    let mut peeled = 0;
    while waiting < end {
        let at = order[waiting];
        waiting += 1;
        let slot = slots[at as usize];
        if slot.count() != 1 {
            continue;
        }
        order[peeled] = at;
        peeled += 1;
        let [first, second, third] = slot.places(shape, at.into());
        let places = [first, second, third, first, second];
        let index = slot.index() as usize % 3;
        for (next, of_next) in [(index + 1, NEXT[index]), (index + 2, NEXT[index + 1])] {
            let place = places[next];
            let other = &mut slots[place as usize];
            // Written even if it need not wait, and then overwritten.
            order[waiting - 1] = place as u32;
            waiting -= usize::from(other.count() == 2);
            other.remove(slot.0, of_next);
        }
    }
    peeled
}

/// The index after each, modulo 3.
const NEXT: [u64; 4] = [1, 2, 0, 1];

/// Returns true if slots that were not all peeled show that some of their hash values are equal. False is no proof that
/// all differ.
pub fn have_repeats(slots: &[Slot]) -> bool {
    slots.iter().any(|slot| slot.is_of_pairs())
}

/// Writes the fingerprints of the keys that were peeled in this order over zeros; there is at least a byte after them.
///
/// # Panics
///
/// If there are fewer slots or bytes than the shape has.
pub fn store(shape: Shape, width: u8, slots: &[Slot], order: &[u32], bytes: &mut [u8]) {
    usual!(width == USUAL_WIDTH, |_MOST| store_of(
        shape, width, slots, order, bytes
    ));
}

#[inline(always)]
fn store_of(shape: Shape, width: u8, slots: &[Slot], order: &[u32], bytes: &mut [u8]) {
    for &at in order.iter().rev() {
        let slot = slots[at as usize];
        let mut sum = fingerprint(slot.0);
        // The slot's own fingerprint is still zero.
        for place in slot.places(shape, at.into()) {
            let (byte, shift) = packed(place, width);
            sum ^= u16::from_le_bytes([bytes[byte], bytes[byte + 1]]) >> shift;
        }
        let (byte, shift) = packed(at.into(), width);
        let [low, high] = ((sum & mask(width)) << shift).to_le_bytes();
        bytes[byte] ^= low;
        bytes[byte + 1] ^= high;
    }
}
