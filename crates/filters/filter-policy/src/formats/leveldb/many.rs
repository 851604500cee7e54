//! Queries of many keys in lanes: all probes of a group after one another, or probe by probe with many keys.
#![allow(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "lengths were checked before, and the lowest bits are meant"
)]

use core::mem;
use core::ops::Range;

use super::kernel::{PREFETCHED, Probes, Remainders, positions_of};
use crate::simd::bits::{Words, in_registers};
use crate::simd::hash::groups::{Consumer, Groups, consume};
use crate::simd::lanes::{Lanes, MAX_LANES};
use crate::simd::modulus::LaneDivisor;
use crate::simd::source::LaneSource;

/// The minimum number of keys for which survivors are packed together after every probe.
const FEWEST_FOR_LEVELS: usize = 128;
/// The number of keys that are hashed together, a whole number of words of answers.
const SHORT_PART: usize = 128;
/// The number of keys that go from probe to probe together, a whole number of words of answers.
const TILE: usize = 1024;

/// The keys of a tile and of one vector.
const ROOM: usize = TILE + MAX_LANES;

/// Queries many hash values, one in each lane.
#[inline(always)]
pub(super) fn may_match_many<S: Lanes>(
    lanes: S,
    bit_array: &[u8],
    divisor: LaneDivisor,
    probes: u32,
    source: LaneSource<'_>,
    answers: &mut [u64],
) {
    in_registers!(
        lanes: S, bit_array,
        |words| {
            let mut batch = Batch { words, remainders: Remainders::new(lanes, divisor), probes, answers };
            consume::<S, SHORT_PART>(lanes, source, S::IN_PLACE, &mut batch);
        },
        else {
            let words = Words::<_, 0>::new(lanes, bit_array);
            let mut batch = Batch { words, remainders: Remainders::new(lanes, divisor), probes, answers };
            if source.len() < FEWEST_FOR_LEVELS {
                consume::<S, SHORT_PART>(lanes, source, S::IN_PLACE, &mut batch);
            } else if bit_array.len() < PREFETCHED {
                consume::<S, TILE>(lanes, source, S::IN_PLACE, &mut ByLevel::<S, false>::new(batch));
            } else {
                consume::<S, TILE>(lanes, source, S::IN_PLACE, &mut ByLevel::<S, true>::new(batch));
            }
        }
    );
}

/// The state that all strategies share. By itself it tests the probes of a group one after the other.
struct Batch<'a, S: Lanes, const QUARTERS: usize> {
    words: Words<'a, S, QUARTERS>,
    remainders: Remainders<S>,
    probes: u32,
    /// The answers of the keys that were not taken yet.
    answers: &'a mut [u64],
}

impl<'a, S: Lanes, const QUARTERS: usize> Batch<'a, S, QUARTERS> {
    /// Returns the words for the answers of the next keys, all 0.
    #[inline(always)]
    fn next_answers(&mut self, keys: usize) -> &'a mut [u64] {
        let answers = mem::take(&mut self.answers);
        let words = keys.div_ceil(64).min(answers.len());
        let (now, later) = answers.split_at_mut(words);
        self.answers = later;
        now.fill(0);
        now
    }

    /// Tests all probes of these groups, group by group. Returns the number of keys that have all their bits.
    #[inline(always)]
    fn all_probes(&self, lanes: S, groups: &Groups<'_>, range: Range<usize>, answers: &mut [u64]) -> usize {
        let mut found = 0;
        for group in range {
            let hits = self.rest(lanes, groups.group(lanes, group), 0);
            found += hits.count_ones() as usize;
            answer::<S>(answers, groups.len(), group * S::LANES, hits);
        }
        found
    }

    /// Returns the lanes that have all bits from this probe on.
    #[inline(always)]
    fn rest(&self, lanes: S, hashes: S::Vector, probe: u32) -> u32 {
        let mut sequence = Probes::new(self.remainders, hashes, probe);
        let mut hits = lanes.all_hits();
        for _ in probe..self.probes {
            let positions = sequence.positions();
            hits = lanes.hit(hits, self.words.at(lanes, positions), positions);
            sequence.advance();
        }
        lanes.hit_bits(hits)
    }
}

impl<S: Lanes, const QUARTERS: usize> Consumer<S> for Batch<'_, S, QUARTERS> {
    #[inline(always)]
    fn take(&mut self, lanes: S, groups: &Groups<'_>) {
        let answers = self.next_answers(groups.len());
        self.all_probes(lanes, groups, 0..groups.count::<S>(), answers);
    }
}

/// Writes the answers of the group that starts with key number `start` out of `keys`.
#[inline(always)]
fn answer<S: Lanes>(answers: &mut [u64], keys: usize, start: usize, hits: u32) {
    // The lanes beyond the last key repeat that key.
    let hits = hits & first_bits(keys - start, S::LANES);
    if let Some(word) = answers.get_mut(start / 64) {
        *word |= u64::from(hits) << (start % 64);
    }
}

/// Returns a mask of the lowest `count` bits, at most `most`.
#[inline(always)]
fn first_bits(count: usize, most: usize) -> u32 {
    u32::MAX >> (32 - count.min(most))
}

/// Tests one probe of a whole tile at a time. After each probe, the keys that have the bit are packed together, so that
/// absent keys cost two look-ups on average and no unpredictable branch. If nearly all keys stay, the remaining probes
/// are tested group by group, which saves the packing.
struct ByLevel<'a, S: Lanes, const PREFETCH: bool> {
    batch: Batch<'a, S, 0>,
    /// The hash values of the keys in progress. Vectors are stored whole, so there is room for one vector beyond the last key.
    hashes: [u32; ROOM],
    /// The indices of these keys, counted from the start of the tile.
    indices: [u32; ROOM],
    /// The positions of their next probe.
    positions: [u32; ROOM],
    /// Set if nearly all keys of the previous tile were found: the next tile is then queried group by group from the
    /// first probe on.
    dense: bool,
}

impl<S: Lanes, const PREFETCH: bool> Consumer<S> for ByLevel<'_, S, PREFETCH> {
    #[inline(always)]
    fn take(&mut self, lanes: S, groups: &Groups<'_>) {
        let keys = groups.len();
        let answers = self.batch.next_answers(keys);
        let count = groups.count::<S>();
        let mut first = 0;
        while first < count {
            let end = count.min(first + TILE / S::LANES);
            if self.dense {
                let left = self.batch.all_probes(lanes, groups, first..end, answers);
                self.dense = nearly_all(left, (end - first) * S::LANES);
                first = end;
                continue;
            }
            let mut left = self.first_level(lanes, groups, first..end);
            let mut before = (end - first) * S::LANES;
            self.dense = !PREFETCH && nearly_all(left, before);
            let mut probe = if PREFETCH { 0 } else { 1 };
            while probe < self.batch.probes {
                if !PREFETCH && nearly_all(left, before) {
                    left = self.remaining(lanes, left, probe);
                    break;
                }
                before = left;
                left = self.next_level(lanes, left, probe);
                probe += 1;
            }
            for &index in self.indices.iter().take(left) {
                let index = first * S::LANES + index as usize;
                if let Some(word) = answers.get_mut(index / 64) {
                    *word |= 1 << (index % 64);
                }
            }
            first = end;
        }
    }
}

/// Returns true if packing the rest together would cost more than it saves.
#[inline(always)]
fn nearly_all(left: usize, of: usize) -> bool {
    left > of - of / 8
}

impl<'a, S: Lanes, const PREFETCH: bool> ByLevel<'a, S, PREFETCH> {
    #[inline(always)]
    fn new(batch: Batch<'a, S, 0>) -> Self {
        Self {
            batch,
            hashes: [0; ROOM],
            indices: [0; ROOM],
            positions: [0; ROOM],
            dense: false,
        }
    }

    /// Fills the tile with the keys of these groups that have their first bit set; with all keys if that bit is only
    /// prefetched. Returns the number of keys.
    #[inline(always)]
    fn first_level(&mut self, lanes: S, groups: &Groups<'_>, range: Range<usize>) -> usize {
        let mut left = 0;
        let mut indices = lanes.iota();
        for group in range {
            let hashes = groups.group(lanes, group);
            let positions = self.batch.remainders.of(hashes);
            let mut hits = first_bits(groups.len() - group * S::LANES, S::LANES);
            if PREFETCH {
                let row = from(&mut self.positions, left);
                lanes.store(positions, row);
                self.batch.words.prefetch(lanes, row, S::LANES);
            } else if self.batch.probes > 0 {
                let words = self.batch.words.at(lanes, positions);
                hits &= lanes.hit_bits(lanes.hit(lanes.all_hits(), words, positions));
            }
            lanes.store(lanes.compress(hashes, hits), from(&mut self.hashes, left));
            lanes.store(lanes.compress(indices, hits), from(&mut self.indices, left));
            indices = lanes.add(indices, lanes.splat(S::LANES as u32));
            left += hits.count_ones() as usize;
        }
        left
    }

    /// Keeps the keys that have the bit of this probe; with `PREFETCH`, prefetches the bits of the next probe.
    #[inline(always)]
    fn next_level(&mut self, lanes: S, count: usize, probe: u32) -> usize {
        let remainders = self.batch.remainders;
        let mut left = 0;
        for start in (0..count).step_by(S::LANES) {
            let hashes = lanes.load(from(&mut self.hashes, start));
            let indices = lanes.load(from(&mut self.indices, start));
            let positions = if PREFETCH {
                lanes.load(from(&mut self.positions, start))
            } else {
                positions_of(remainders, hashes, probe)
            };
            let found = lanes.hit(lanes.all_hits(), self.batch.words.at(lanes, positions), positions);
            let hits = lanes.hit_bits(found) & first_bits(count - start, S::LANES);
            let hashes = lanes.compress(hashes, hits);
            lanes.store(hashes, from(&mut self.hashes, left));
            lanes.store(lanes.compress(indices, hits), from(&mut self.indices, left));
            let found = hits.count_ones() as usize;
            if PREFETCH && probe + 1 < self.batch.probes {
                let row = from(&mut self.positions, left);
                lanes.store(positions_of(remainders, hashes, probe + 1), row);
                self.batch.words.prefetch(lanes, row, found);
            }
            left += found;
        }
        left
    }

    /// Keeps the keys that have the bits of this probe and of all after it.
    #[inline(always)]
    fn remaining(&mut self, lanes: S, count: usize, probe: u32) -> usize {
        let mut left = 0;
        for start in (0..count).step_by(S::LANES) {
            let hashes = lanes.load(from(&mut self.hashes, start));
            let indices = lanes.load(from(&mut self.indices, start));
            let hits = self.batch.rest(lanes, hashes, probe);
            let hits = hits & first_bits(count - start, S::LANES);
            lanes.store(lanes.compress(indices, hits), from(&mut self.indices, left));
            left += hits.count_ones() as usize;
        }
        left
    }
}

/// Returns the values from that of a given key on.
#[inline(always)]
fn from(values: &mut [u32], start: usize) -> &mut [u32] {
    values.get_mut(start..).unwrap_or_default()
}
