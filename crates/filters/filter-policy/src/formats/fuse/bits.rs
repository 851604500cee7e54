//! Binary fuse filters with three places a key (Graf and Lemire, "Binary fuse filters: fast and smaller than xor
//! filters", 2022), as Pebble stores them: packed fingerprints, whose sum over a key's places is the key's own.
//!
//! The places of a key are in three adjacent segments of slots. A filter is built by peeling: a slot with a single key
//! settles that key, which leaves other slots with a single key. The order in which keys are peeled, and with it every
//! byte, is that of the Go package xorfilter. Keys are hashed with XXH3.
#![allow(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "lengths were checked before, and the lowest bits are meant"
)]

pub(crate) use super::definition::Shape;
#[cfg(feature = "alloc")]
pub(crate) use super::peeling::{Added, Slot, add, have_repeats, peel, store};

use core::ops::RangeInclusive;

use hashzoo::xxh3_64;

use super::definition::{PREFETCHED, USUAL_WIDTH, fingerprint, packed, places_from, stated};
use super::kernel::is_zero_sum;
use crate::key_hash::XXPH3_INLINE;
use crate::simd::bits::usual;
use crate::simd::choose::KernelToken;
use crate::simd::compile::{Lookup, by_kernel, lookup};
use crate::simd::hash::tile;
use crate::simd::hash::xxph3::Xxph3;
use crate::simd::lanes::Target;
use crate::simd::source::{Source, TILE};
use crate::simd::stored_bits::StoredBits;
use crate::simd::tiles::each_tile;

/// Stored fingerprints, read in place.
#[derive(Debug, Clone, Copy)]
pub struct Fingerprints<'a> {
    bytes: &'a [u8],
    shape: Shape,
    width: u8,
}

impl<'a> Fingerprints<'a> {
    /// Reads the fingerprints in the first `packed` of these bytes, of which there is at least one more; `None` unless
    /// this is their [`packed_len`].
    #[inline]
    pub(crate) fn new(bytes: &'a [u8], packed: u64, shape: Shape, width: u8) -> Option<Self> {
        let is_packed = packed_len(shape, width)? == packed && bytes.len() as u64 > packed;
        is_packed.then_some(Self { bytes, shape, width })
    }

    /// Returns the number of bits in a fingerprint.
    pub(crate) const fn width(&self) -> u8 {
        self.width
    }

    /// Returns the bytes that [`new`](Self::new) was given.
    pub(crate) const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the numbers for a [`lookup`]; from the first two, [`of_numbers`](Self::of_numbers) makes the
    /// fingerprints again.
    pub(crate) const fn numbers(&self) -> [u64; 3] {
        let Shape {
            seed,
            segments,
            log2_len,
        } = self.shape;
        [
            seed,
            segments as u64 | (log2_len as u64) << 32 | (self.width as u64) << 40,
            self.shape.starts(),
        ]
    }

    /// Returns the fingerprints in these bytes, given the first two [`numbers`](Self::numbers). Others give other
    /// answers, or panic.
    #[inline(always)]
    pub(crate) const fn of_numbers(bytes: &'a [u8], [seed, numbers]: [u64; 2]) -> Self {
        let shape = Shape {
            seed,
            segments: numbers as u32,
            log2_len: (numbers >> 32) as u8,
        };
        let width = (numbers >> 40) as u8 % 32;
        Self { bytes, shape, width }
    }
}

/// Returns the number of bytes that the fingerprints of all slots take, with the zeros after them that let Pebble read
/// whole words; `None` for shapes of no or more than 2^32 slots, and for other widths than 4, 8, 10, 12 and 16.
#[inline(always)]
pub(crate) const fn packed_len(shape: Shape, width: u8) -> Option<u64> {
    const UNKNOWN: u8 = u8::MAX;
    // Numbers, of which the compiler makes a table. It would jump to code of each width.
    let zeros = match width {
        4 | USUAL_WIDTH | 16 => 0,
        10 => 3,
        12 => 1,
        _ => UNKNOWN,
    };
    if shape.log2_len > 31 || shape.segments == 0 || shape.slots() > 1 << 32 || zeros == UNKNOWN {
        return None;
    }
    Some((shape.slots() * width as u64).div_ceil(8) + zeros as u64)
}

impl StoredBits for Fingerprints<'_> {
    type Hash = u64;

    /// Set, since a query of a key takes fewer steps with the instructions of a kernel, although none has code of its own.
    const HAS_KERNELS: bool = true;

    const HASHED_INLINE: RangeInclusive<usize> = XXPH3_INLINE;

    /// Returns true for the usual width, a byte, of which [`new`](Self::new) takes fewer comparisons.
    #[inline(always)]
    fn may_be_usual(filter: &[u8]) -> bool {
        filter.split_last_chunk().is_some_and(|(packed, trailer)| {
            let (shape, width) = stated(trailer);
            let packed = packed.len() as u64;
            let is_usual = width == USUAL_WIDTH && shape.log2_len <= 31 && shape.segments > 0;
            is_usual && packed <= 1 << 32 && packed == shape.slots()
        })
    }

    /// Runs portable code: reaching a kernel takes more steps than its instructions save.
    #[inline(always)]
    fn may_match(self, _: KernelToken, hash: u64) -> bool {
        of_any_width(self, hash)
    }

    fn may_match_many(self, kernel: KernelToken, source: Source<'_, u64>, answers: &mut [u64]) {
        let fingerprints = self;
        by_kernel!(
            |lanes, fingerprints: Fingerprints<'_>, source: Source<'_, u64>, answers: &mut [u64]| -> () {
                let width = fingerprints.width;
                usual!(width == USUAL_WIDTH, |_MOST| many_of_width(
                    lanes,
                    fingerprints,
                    width,
                    source,
                    answers
                ));
            },
            kernel
        );
    }

    #[inline(always)]
    fn matches<T: Target>(self, _: T, hash: u64) -> bool {
        of_any_width(self, hash)
    }
}

/// Returns the function that queries a prepared filter with fingerprints of this width, given their
/// [`numbers`](Fingerprints::numbers). No kernel has code of its own, but the compiler takes its instructions.
pub(crate) fn lookup(kernel: KernelToken, width: u8) -> Lookup {
    macro_rules! of_width {
        ($width:literal) => {
            lookup!(
                kernel,
                |_lanes, numbers, bits, key| { look_up_hash::<$width>(numbers, bits, xxh3_64(key, 0)) }
                // Out of line: other lengths need more registers, which every query would have to save.
                apart (!(9..=16).contains(&key.len())) {
                    true => {
                        // An arm each, so that a key is compared with few lengths.
                        match key.len() {
                            17..=64 => look_up_hash::<$width>(numbers, bits, xxh3_64(key, 0)),
                            4..=8 => look_up_hash::<$width>(numbers, bits, xxh3_64(key, 0)),
                            // Hashed by calls, for which these would save still more.
                            _ => by_width(numbers, bits, key),
                        }
                    }
                }
            )
        };
    }
    match width {
        4 => of_width!(4),
        8 => of_width!(8),
        10 => of_width!(10),
        12 => of_width!(12),
        16 => of_width!(16),
        _ => by_width,
    }
}

#[inline(always)]
fn look_up_hash<const WIDTH: u8>(numbers: &[u64; 3], bits: &[u8], hash: u64) -> bool {
    // The number of starts is not computed for each key.
    let Fingerprints { shape, .. } = Fingerprints::of_numbers(bits, [numbers[0], numbers[1]]);
    let mixed = shape.mix(hash);
    is_zero_sum(
        bits,
        WIDTH,
        fingerprint(mixed),
        shape.places_of(numbers[2], mixed),
    )
}

#[inline(never)]
fn by_width(numbers: &[u64; 3], bits: &[u8], key: &[u8]) -> bool {
    let fingerprints = Fingerprints::of_numbers(bits, [numbers[0], numbers[1]]);
    of_any_width(fingerprints, xxh3_64(key, 0))
}

/// Returns true if the fingerprints of a hash value's places sum to its own.
#[inline(always)]
fn holds(Fingerprints { bytes, shape, .. }: Fingerprints<'_>, width: u8, hash: u64) -> bool {
    let mixed = shape.mix(hash);
    is_zero_sum(bytes, width, fingerprint(mixed), shape.places(mixed))
}

#[inline(always)]
fn of_any_width(fingerprints: Fingerprints<'_>, hash: u64) -> bool {
    let width = fingerprints.width;
    usual!(width == USUAL_WIDTH, |_MOST| holds(fingerprints, width, hash))
}

impl Shape {
    /// Returns the number of slots.
    #[inline(always)]
    pub(crate) const fn slots(self) -> u64 {
        (self.segments as u64 + 2) * self.len()
    }

    /// Returns the same as [`places`](Self::places) from two 32-bit products, which lanes have. A single value takes
    /// longer. There are fewer than 2^32 starts.
    #[inline(always)]
    pub(super) const fn places_by_halves(self, mixed: u64) -> [u64; 3] {
        let starts = self.starts() as u32 as u64;
        let (low, high) = (mixed as u32 as u64 * starts, (mixed >> 32) * starts);
        places_from(high.wrapping_add(low >> 32) >> 32, self.len(), mixed)
    }
}

#[inline(always)]
fn many_of_width<L: Target>(
    lanes: L,
    Fingerprints { bytes, shape, .. }: Fingerprints<'_>,
    width: u8,
    source: Source<'_, u64>,
    answers: &mut [u64],
) {
    each_tile!(
        source.len(),
        bytes.len() >= PREFETCHED,
        |start, hashes| {
            tile::hash::<Xxph3<true>, _>(lanes, source, start, hashes);
            for hash in &mut *hashes {
                *hash = shape.mix(*hash);
            }
        },
        |mixed| for &mixed in mixed {
            for place in shape.places_by_halves(mixed) {
                lanes.prefetch::<false, _>(bytes, packed(place, width).0);
            }
        },
        |number, tile| {
            // The places of all keys first, since lanes compute them.
            let mut places = [[0; TILE]; 3];
            for (i, &mixed) in tile.hashes.iter().enumerate() {
                [places[0][i], places[1][i], places[2][i]] = shape.places_by_halves(mixed);
            }
            let mut found = 0;
            for (i, &mixed) in tile.used().iter().enumerate() {
                let places = [places[0][i], places[1][i], places[2][i]];
                found |= u64::from(is_zero_sum(bytes, width, fingerprint(mixed), places)) << i;
            }
            answers[number] = found;
        }
    );
}
