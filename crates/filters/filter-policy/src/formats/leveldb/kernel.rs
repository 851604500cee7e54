//! LevelDB's format in lanes: positions, building, and the query of one key.
//!
//! Setting the bits takes most of the time. The positions of a group of keys are therefore computed between the stores
//! of the group before, and stores do not wait for each other: small filters use a map of one byte per bit, others
//! whole words. With AVX2, a check for each bit of a map would take a tenth of the time.
#![allow(
    unsafe_code,
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "lengths were checked before, and the lowest bits are meant"
)]

use core::hint::black_box;
use core::mem::{self, MaybeUninit};

use super::definition::{USUAL_PROBES, all_set, scalar_may_match};
use crate::simd::bits::{
    Aligned, Bits, LaneValues, MAX_PROBES, Words, cleared, in_registers, usual, write_map,
};
use crate::simd::hash::groups::{Consumer, Groups, consume};
use crate::simd::lanes::{Lanes, MAX_LANES, Work};
use crate::simd::modulus::{LaneDivisor, Modulus};
use crate::simd::source::LaneSource;

/// The length in bytes from which bit arrays are prefetched before they are written or read: four times the
/// second-level cache of the machines this was measured on. Below, prefetching costs more than it saves.
pub(super) const PREFETCHED: usize = 4 << 20;
/// The length in bits of arrays that are in the second-level cache. In larger ones many stores wait, and where keys are
/// hashed between them, fewer fit in flight: packed keys took 1.7 times as long in 1.25 MB (Zen 3).
const NEAR_BITS: u32 = 4 << 20;
/// The number of groups between the prefetch and the store.
const PREFETCH_GROUPS: usize = 4;
/// The number of keys that are hashed together.
const PART: usize = 128;
/// The number of bits that [`create_small`] takes.
const SMALL_MAP_BITS: usize = 512;

/// The divisor in all lanes.
#[derive(Clone, Copy)]
pub(super) struct Remainders<S: Lanes> {
    lanes: S,
    bits: S::Vector,
    reciprocal: S::Vector,
    /// The difference between 2^32 and `reciprocal` times `bits`: the remainder of 2^32, or `bits` if that is 0.
    wrap: S::Vector,
}

impl<S: Lanes> Remainders<S> {
    #[inline(always)]
    pub(super) fn new(lanes: S, LaneDivisor { bits, reciprocal }: LaneDivisor) -> Self {
        Self {
            lanes,
            bits: lanes.splat(bits),
            reciprocal: lanes.splat(reciprocal),
            wrap: lanes.splat(reciprocal.wrapping_mul(bits).wrapping_neg()),
        }
    }

    #[inline(always)]
    pub(super) fn of(&self, hashes: S::Vector) -> S::Vector {
        let quotients = self.lanes.mul_high(hashes, self.reciprocal);
        let rests = self.lanes.sub(hashes, self.lanes.mul(quotients, self.bits));
        self.reduced(rests)
    }

    /// Returns the remainders of numbers below twice the number of bits.
    #[inline(always)]
    fn reduced(&self, rests: S::Vector) -> S::Vector {
        self.lanes.min(rests, self.lanes.sub(rests, self.bits))
    }
}

/// The positions of successive probes, for a hash value in each lane.
///
/// Only the first two remainders take a multiplication. Then `hash + stride` moves the position by the stride's
/// remainder, minus that of 2^32 if the sum wraps around. The method requires filters of fewer than 2^31 bits.
pub(super) struct Probes<S: Lanes> {
    remainders: Remainders<S>,
    hashes: S::Vector,
    strides: S::Vector,
    positions: S::Vector,
    steps: S::Vector,
    wrapped_steps: S::Vector,
}

impl<S: Lanes> Probes<S> {
    /// Starts at the probe with this number.
    #[inline(always)]
    pub(super) fn new(remainders: Remainders<S>, hashes: S::Vector, probe: u32) -> Self {
        let lanes = remainders.lanes;
        let strides = lanes.rotate_15(hashes);
        let hashes = nth(lanes, hashes, strides, probe);
        let steps = remainders.of(strides);
        // The lesser of the two is the one that did not wrap around.
        let wrapped = lanes.sub(steps, remainders.wrap);
        Self {
            remainders,
            hashes,
            strides,
            positions: remainders.of(hashes),
            steps,
            wrapped_steps: lanes.min(wrapped, lanes.add(wrapped, remainders.bits)),
        }
    }

    #[inline(always)]
    pub(super) fn positions(&self) -> S::Vector {
        self.positions
    }

    #[inline(always)]
    pub(super) fn advance(&mut self) {
        let lanes = self.remainders.lanes;
        self.hashes = lanes.add(self.hashes, self.strides);
        let steps = lanes.if_less(self.hashes, self.strides, self.wrapped_steps, self.steps);
        self.positions = self.remainders.reduced(lanes.add(self.positions, steps));
    }
}

/// Returns the positions of a single probe.
#[inline(always)]
pub(super) fn positions_of<S: Lanes>(remainders: Remainders<S>, hashes: S::Vector, probe: u32) -> S::Vector {
    let lanes = remainders.lanes;
    remainders.of(nth(lanes, hashes, lanes.rotate_15(hashes), probe))
}

#[inline(always)]
fn nth<S: Lanes>(lanes: S, hashes: S::Vector, strides: S::Vector, probe: u32) -> S::Vector {
    if probe == 0 {
        return hashes;
    }
    lanes.add(hashes, lanes.mul(strides, lanes.splat(probe)))
}

/// Returns true if [`create_small`] can build the filter.
#[inline(always)]
pub(super) fn is_small(bit_array: &[u8], probes: u8) -> bool {
    bit_array.len() * 8 <= SMALL_MAP_BITS && probes == USUAL_PROBES
}

/// [`create_by_map`] for small filters only: a separate function starts sooner and keeps more in registers.
#[inline(always)]
pub(super) fn create_small<S: Lanes>(
    lanes: S,
    bit_array: &mut [u8],
    divisor: LaneDivisor,
    source: LaneSource<'_>,
) {
    let mut map = Aligned([0; SMALL_MAP_BITS]);
    let mut rows = Aligned([[0; MAX_LANES]; USUAL_PROBES as usize]);
    let bits = Bits::in_map(&mut map.0, divisor.bits as usize);
    fill::<_, _, 1, _>(lanes, divisor, USUAL_PROBES, source, bits, &mut rows.0);
    write_map(lanes, &map.0, bit_array);
}

/// Builds a filter of at most [`MAP_BITS`](crate::simd::bits::MAP_BITS) over whatever `bit_array` holds. Panics if there are
/// more.
#[inline(always)]
pub(super) fn create_by_map<S: Lanes>(
    lanes: S,
    bit_array: &mut [u8],
    divisor: LaneDivisor,
    probes: u8,
    source: LaneSource<'_>,
) {
    let mut room = Aligned(MaybeUninit::uninit());
    let map = cleared(&mut room, bit_array.len() * 8);
    usual!(probes == USUAL_PROBES, |MOST| {
        let mut rows = Aligned([[0; MAX_LANES]; MOST]);
        let bits = Bits::in_map(map, divisor.bits as usize);
        fill::<_, _, 1, _>(lanes, divisor, probes, source, bits, &mut rows.0);
    });
    write_map(lanes, map, bit_array);
}

/// Adds keys to the bits already set.
#[inline(always)]
pub(super) fn insert<S: Lanes>(
    lanes: S,
    bit_array: &mut [u8],
    divisor: LaneDivisor,
    probes: u8,
    source: LaneSource<'_>,
) {
    let prefetched = bit_array.len() >= PREFETCHED;
    let bits = Bits::new(bit_array);
    if prefetched {
        let mut rows = Aligned([[0; MAX_LANES]; PREFETCH_GROUPS * 2 * MAX_PROBES as usize]);
        fill::<_, _, PREFETCH_GROUPS, _>(lanes, divisor, probes, source, bits, &mut rows.0).finish();
    } else {
        usual!(probes == USUAL_PROBES, |MOST| {
            let mut rows = Aligned([[0; MAX_LANES]; 2 * MOST]);
            fill::<_, _, 1, _>(lanes, divisor, probes, source, bits, &mut rows.0).finish();
        });
    }
}

/// Sets the bits of all keys. There are [`Bits::ROWS`] rows for each probe of `GROUPS` groups.
#[inline(always)]
fn fill<'a, S: Lanes, const MAP: bool, const GROUPS: usize, const ROWS: usize>(
    lanes: S,
    divisor: LaneDivisor,
    probes: u8,
    source: LaneSource<'_>,
    bits: Bits<'a, MAP>,
    rows: &mut [LaneValues; ROWS],
) -> Bits<'a, MAP> {
    let mut filling = BitSetter::<_, MAP, GROUPS, ROWS> {
        remainders: Remainders::new(lanes, divisor),
        probes: usize::from(probes),
        bits,
        rows,
        groups: 0,
    };
    consume::<S, PART>(lanes, source, divisor.bits <= NEAR_BITS, &mut filling);
    for group in filling.groups.saturating_sub(GROUPS)..filling.groups {
        for row in rows_of::<MAP, ROWS>(filling.rows, group % GROUPS, filling.probes) {
            // SAFETY: `take` prepared the rows of the last groups, from remainders by the bits of the filter.
            unsafe { filling.bits.set::<S>(row, S::LANES) };
        }
    }
    filling.bits
}

/// Sets the bits of a group when the positions of the group `GROUPS` later are computed, and prefetches them if
/// `GROUPS` is more than one.
struct BitSetter<'r, 'b, S: Lanes, const MAP: bool, const GROUPS: usize, const ROWS: usize> {
    remainders: Remainders<S>,
    probes: usize,
    bits: Bits<'b, MAP>,
    /// The prepared rows, whose bits are not set yet.
    rows: &'r mut [LaneValues; ROWS],
    groups: usize,
}

impl<S: Lanes, const MAP: bool, const GROUPS: usize, const ROWS: usize> Consumer<S>
    for BitSetter<'_, '_, S, MAP, GROUPS, ROWS>
{
    #[inline(always)]
    fn take(&mut self, lanes: S, groups: &Groups<'_>) {
        let count = groups.count::<S>();
        if count == 0 {
            return;
        }
        // A local variable, so that a store to the bits does not make the optimiser read it again.
        let mut bits = mem::take(&mut self.bits);
        // The next group is hashed before the positions of this one are stored, so that neither waits.
        let mut next = groups.group(lanes, 0);
        for index in 0..count {
            let mut sequence = Probes::new(self.remainders, next, 0);
            if index + 1 < count {
                next = groups.group(lanes, index + 1);
            }
            let group = self.groups + index;
            for row in rows_of::<MAP, ROWS>(self.rows, group % GROUPS, self.probes) {
                // SAFETY: the row was prepared `GROUPS` groups ago if there was such a group, from remainders by the
                // bits of the filter.
                unsafe { bits.exchange(lanes, row, sequence.positions(), group >= GROUPS, GROUPS > 1) };
                sequence.advance();
            }
        }
        self.bits = bits;
        self.groups += count;
    }
}

/// Returns the rows of a group, by probe.
#[inline(always)]
fn rows_of<const MAP: bool, const ROWS: usize>(
    rows: &mut [LaneValues; ROWS],
    group: usize,
    probes: usize,
) -> impl Iterator<Item = &mut [LaneValues]> {
    let each = probes * Bits::<MAP>::ROWS;
    black_box(rows)[group * each..(group + 1) * each].chunks_exact_mut(Bits::<MAP>::ROWS)
}

/// [`may_match`] for at most eight probes.
#[inline(always)]
fn may_match_8<S: Lanes>(lanes: S, bit_array: &[u8], divisor: LaneDivisor, probes: u32, hash: u32) -> bool {
    let hash = lanes.splat(hash);
    let hashes = lanes.add(hash, lanes.mul(lanes.iota(), lanes.rotate_15(hash)));
    let positions = Remainders::new(lanes, divisor).of(hashes);
    // SAFETY: the positions are remainders by the number of bits.
    unsafe { lanes.all_set(bit_array, positions, probes) }
}

/// Queries one hash value, whose probes are the lanes. The numbers are those of the bit array's divisor.
#[inline(always)]
pub(super) fn may_match<S: Lanes>(
    lanes: S,
    bit_array: &[u8],
    bits: u64,
    reciprocal: u64,
    probes: u32,
    hash: u32,
) -> bool {
    let divisor = LaneDivisor::of_lanes([bits, reciprocal]);
    if probes <= 8 {
        return may_match_8(lanes, bit_array, divisor, probes, hash);
    }
    let remainders = Remainders::new(lanes, divisor);
    let mut first = 0;
    while first < probes {
        let count = (probes - first).min(S::LANES as u32);
        let numbers = lanes.add(lanes.splat(first), lanes.iota());
        let steps = lanes.mul(numbers, lanes.splat(hash.rotate_left(15)));
        let positions = remainders.of(lanes.add(lanes.splat(hash), steps));
        let words = in_registers!(
            lanes: S, bit_array, |table| table.at(lanes, positions),
            else Words::<_, 0>::new(lanes, bit_array).at(lanes, positions)
        );
        let hits = lanes.hit_bits(lanes.hit(lanes.all_hits(), words, positions));
        let all = hits.trailing_ones() >= count;
        // Avoids a branch on the answer, which cannot be predicted.
        first += count;
        if first >= probes {
            return all;
        }
        if !all {
            return false;
        }
    }
    true
}

/// Queries a usual filter for a hash value.
pub(super) struct QueryUsual<'a>(pub(super) &'a [u8], pub(super) u8, pub(super) u32);

impl Work for QueryUsual<'_> {
    type Out = bool;

    #[inline(always)]
    fn portable(self) -> bool {
        let Self(bit_array, _, hash) = self;
        all_set(
            bit_array,
            Modulus::of_bytes(bit_array.len()),
            USUAL_PROBES.into(),
            hash,
        )
    }

    #[inline(always)]
    fn narrow<S: Lanes>(self, lanes: S) -> bool {
        let Self(bit_array, probes, hash) = self;
        match LaneDivisor::of_bytes(bit_array.len()) {
            Some(divisor) => may_match_8(lanes, bit_array, divisor, probes.into(), hash),
            None => true,
        }
    }
}

/// Queries a filter for a hash value with the numbers of a divisor, which may be those of another bit array.
pub(super) struct QueryAny<'a>(
    pub(super) &'a [u8],
    pub(super) [u64; 2],
    pub(super) u32,
    pub(super) u32,
);

impl Work for QueryAny<'_> {
    type Out = bool;

    #[inline(always)]
    fn portable(self) -> bool {
        let Self(bit_array, parts, probes, hash) = self;
        scalar_may_match(bit_array, Modulus::of_parts(parts), probes, hash)
    }

    #[inline(always)]
    fn narrow<S: Lanes>(self, lanes: S) -> bool {
        let Self(bit_array, [bits, rest], probes, hash) = self;
        match LaneDivisor::of_parts([bits, rest], bit_array.len()) {
            Some(_) => may_match(lanes, bit_array, bits, rest, probes, hash),
            None => scalar_may_match(bit_array, Modulus::of_bytes(bit_array.len()), probes, hash),
        }
    }
}
