//! Queries many keys together, probe by probe.

use core::ops::Range;

use super::super::probes::positions_of;
use super::batch::{Batch, first_bits};
use crate::hash::groups::{Consumer, Groups};
use crate::lanes::{Lanes, MAX_LANES};

/// The number of keys that go from probe to probe together, a whole number of words of answers.
pub(crate) const TILE: usize = 1024;

/// The keys of a tile and of one vector.
const ROOM: usize = TILE + MAX_LANES;

/// Tests one probe of a whole tile at a time. After each probe, the keys that have the bit are packed together, so that
/// absent keys cost two look-ups on average and no unpredictable branch. If nearly all keys stay, the remaining probes
/// are tested group by group, which saves the packing.
pub(crate) struct ByLevel<'a, S: Lanes, const PREFETCH: bool> {
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
    pub(crate) fn new(batch: Batch<'a, S, 0>) -> Self {
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
