//! Builds filters: keys are added to slots, peeled, and their fingerprints stored.
#![allow(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "lengths were checked before, and the lowest bits are meant"
)]

use core::hint::select_unpredictable;

use super::definition::{PREFETCHED, Shape, USUAL_WIDTH, fingerprint, mask, packed};
use crate::simd::bits::usual;
use crate::simd::choose::KernelToken;
use crate::simd::compile::by_kernel;
use crate::simd::hash::tile;
use crate::simd::hash::xxph3::Xxph3;
use crate::simd::lanes::Target;
use crate::simd::source::{Source, TILE};
use crate::simd::tiles::each_tile;

/// The number of keys between the prefetch of a slot and the key whose fingerprint it gives.
const AHEAD: usize = 16;

/// A slot while a filter is built: the sum of its keys, and their number.
///
/// The lowest 48 bits sum the keys' mixed hash values, the next two the indices (0 to 2) of this slot among the places
/// of each key, and the rest counts keys. If there is one key, its places and fingerprint follow from the slot.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Slot(u64);

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

    /// Returns the other places of the only key of this slot: that of the next index, and that of the one after it.
    #[inline(always)]
    const fn others(self, shape: Shape, at: u32) -> [u32; 2] {
        let index = self.index() as usize;
        let (at, [second, third]) = (at as u64, [index + 1, index + 2]);
        let segment = at ^ self.offset(shape, index);
        [
            (segment.wrapping_add(shape.between(index, second)) ^ self.offset(shape, second)) as u32,
            (segment.wrapping_add(shape.between(index, third)) ^ self.offset(shape, third)) as u32,
        ]
    }

    /// Returns what moves the only key of this slot within the segment of an index.
    #[inline(always)]
    const fn offset(self, shape: Shape, index: usize) -> u64 {
        /// The number of bits that the slot is shifted to the right. The count is 1, so the highest bit is 0, and the
        /// first place is not moved.
        const DOWN: [u32; 6] = [63, 18, 0, 63, 18, 0];
        self.0 >> DOWN[index] & (shape.len() - 1)
    }
}

impl Shape {
    /// Returns the number of slots between the segments of two indices.
    #[inline(always)]
    const fn between(self, index: usize, other: usize) -> u64 {
        MODULO_3[other]
            .wrapping_sub(MODULO_3[index])
            .wrapping_mul(self.len())
    }
}

/// Indices, modulo 3.
const MODULO_3: [u64; 6] = [0, 1, 2, 0, 1, 2];

/// The outcome of [`add`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Added {
    /// All keys are in their slots.
    All,
    /// Successive keys have equal hash values, and not all keys were added.
    Repeats,
    /// A slot has more keys than xorfilter can count.
    TooMany,
}

/// Adds keys to slots that are empty (the default), as many as the shape has.
///
/// # Panics
///
/// If there are fewer slots than the shape has.
pub(crate) fn add(kernel: KernelToken, shape: Shape, slots: &mut [Slot], source: Source<'_, u64>) -> Added {
    by_kernel!(
        |lanes, shape: Shape, slots: &mut [Slot], source: Source<'_, u64>| -> Added {
            let mut counted = 0;
            each_tile!(
                source.len(),
                size_of_val(slots) >= PREFETCHED,
                |start, hashes| {
                    tile::hash::<Xxph3<true>, _>(lanes, source, start, hashes);
                    for hash in &mut *hashes {
                        *hash = shape.mix(*hash);
                    }
                },
                |mixed| for &mixed in mixed {
                    for place in shape.places_by_halves(mixed) {
                        lanes.prefetch::<true, _>(slots, place as usize);
                    }
                },
                |_, tile| {
                    let mixed = tile.used();
                    // The places of all keys first, since lanes compute them.
                    let mut places = [[0; TILE]; 3];
                    for (i, &mixed) in mixed.iter().enumerate() {
                        [places[0][i], places[1][i], places[2][i]] = shape.places_by_halves(mixed);
                    }
                    let pairs = mixed.iter().zip(mixed.iter().skip(1));
                    if pairs.fold(false, |equal, (a, b)| equal | (a == b)) {
                        return Added::Repeats;
                    }
                    for (i, &mixed) in mixed.iter().enumerate() {
                        for (index, places) in (0..).zip(&places) {
                            let slot = &mut slots[places[i] as usize];
                            slot.add(mixed, index);
                            counted |= slot.0;
                        }
                    }
                }
            );
            // Counts grow by one, so this bit of a count was set if it ever reached the number.
            if counted >> (Slot::COUNT_AT + Slot::LOG2_TOO_MANY) == 0 {
                Added::All
            } else {
                Added::TooMany
            }
        },
        kernel
    )
}

/// Peels the keys that were added to the slots, writes the slots that settle them to `order`, in that order, and returns
/// their number: that of all keys if the shape and its seed are of use. `order` is longer than the slots by two.
///
/// # Panics
///
/// If there are fewer slots than the shape has, or `order` is shorter.
pub(crate) fn peel(shape: Shape, slots: &mut [Slot], order: &mut [u32]) -> usize {
    // The slots that wait are at the end of `order`, the next one first, before an entry that is read in vain. A slot
    // waits once, so the two parts never meet. Slots are put there even if they need not wait, and then overwritten.
    let end = order.len() - 1;
    order[end] = 0;
    let mut waiting = end;
    for (at, slot) in slots.iter().enumerate() {
        order[waiting - 1] = at as u32;
        waiting -= usize::from(slot.count() == 1);
    }
    // The next slot is selected in registers, without waiting to read back what was just written to `order`. Whether a
    // slot must wait is no branch, which would often be mispredicted.
    let mut at = order[waiting];
    let mut slot = slots[at as usize];
    let mut peeled = 0;
    while waiting < end {
        waiting += 1;
        let mut next = order[waiting];
        if slot.count() == 1 {
            order[peeled] = at;
            peeled += 1;
            let (others, index) = (slot.others(shape, at), slot.index() as usize);
            let left = [(others[0], index + 1), (others[1], index + 2)].map(|(other, index)| {
                let left = &mut slots[other as usize];
                left.remove(slot.0, MODULO_3[index]);
                *left
            });
            slot = slots[next as usize];
            for (other, left) in others.into_iter().zip(left) {
                let waits = left.count() == 1;
                order[waiting - 1] = other;
                waiting -= usize::from(waits);
                next = select_unpredictable(waits, other, next);
                slot = select_unpredictable(waits, left, slot);
            }
        } else {
            slot = slots[next as usize];
        }
        at = next;
    }
    peeled
}

/// Returns true if slots that were not all peeled show that some of their hash values are equal. False is no proof that
/// all differ.
pub(crate) fn have_repeats(slots: &[Slot]) -> bool {
    slots.iter().any(|slot| slot.is_of_pairs())
}

/// Writes the fingerprints of the keys that were peeled in this order over zeros; there is at least a byte after them.
///
/// # Panics
///
/// If there are fewer slots or bytes than the shape has.
pub(crate) fn store(
    kernel: KernelToken,
    shape: Shape,
    width: u8,
    slots: &[Slot],
    order: &[u32],
    bytes: &mut [u8],
) {
    by_kernel!(
        |lanes, shape: Shape, width: u8, slots: &[Slot], order: &[u32], bytes: &mut [u8]| -> () {
            usual!(width == USUAL_WIDTH, |_MOST| store_of(
                lanes, shape, width, slots, order, bytes
            ));
        },
        kernel
    );
}

#[inline(always)]
fn store_of<L: Target>(lanes: L, shape: Shape, width: u8, slots: &[Slot], order: &[u32], bytes: &mut [u8]) {
    let ahead = if size_of_val(slots) < PREFETCHED {
        order.len()
    } else {
        AHEAD
    };
    let mut later = order.iter().rev().skip(ahead);
    for &at in order.iter().rev() {
        if let Some(&later) = later.next() {
            lanes.prefetch::<false, _>(slots, later as usize);
        }
        let slot = slots[at as usize];
        let mut sum = fingerprint(slot.0);
        for place in slot.others(shape, at) {
            let (byte, shift) = packed(place.into(), width);
            sum ^= u16::from_le_bytes([bytes[byte], bytes[byte + 1]]) >> shift;
        }
        let (byte, shift) = packed(at.into(), width);
        let [low, high] = ((sum & mask(width)) << shift).to_le_bytes();
        bytes[byte] ^= low;
        bytes[byte + 1] ^= high;
    }
}
