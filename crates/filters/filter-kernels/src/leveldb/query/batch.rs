//! The shared parts of the strategies for querying many keys.

use super::super::probes::{Probes, Remainders};
use core::ops::Range;

use crate::bits::Words;
use crate::hash::groups::{Consumer, Groups};
use crate::lanes::Lanes;

/// The state that all strategies share. By itself it tests the probes of a group one after the other.
pub(crate) struct Batch<'a, S: Lanes, const QUARTERS: usize> {
    pub(crate) words: Words<'a, S, QUARTERS>,
    pub(crate) remainders: Remainders<S>,
    pub(crate) probes: u32,
    /// The answers of the keys that were not taken yet.
    pub(crate) answers: &'a mut [u64],
}

impl<'a, S: Lanes, const QUARTERS: usize> Batch<'a, S, QUARTERS> {
    /// Returns the words for the answers of the next keys, all 0.
    #[inline(always)]
    pub(crate) fn next_answers(&mut self, keys: usize) -> &'a mut [u64] {
        let answers = core::mem::take(&mut self.answers);
        let words = keys.div_ceil(64).min(answers.len());
        let (now, later) = answers.split_at_mut(words);
        self.answers = later;
        now.fill(0);
        now
    }

    /// Tests all probes of these groups, group by group. Returns the number of keys that have all their bits.
    #[inline(always)]
    pub(crate) fn all_probes(
        &self,
        lanes: S,
        groups: &Groups<'_>,
        range: Range<usize>,
        answers: &mut [u64],
    ) -> usize {
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
    pub(crate) fn rest(&self, lanes: S, hashes: S::Vector, probe: u32) -> u32 {
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
pub(crate) fn answer<S: Lanes>(answers: &mut [u64], keys: usize, start: usize, hits: u32) {
    // The lanes beyond the last key repeat that key.
    let hits = hits & first_bits(keys - start, S::LANES);
    if let Some(word) = answers.get_mut(start / 64) {
        *word |= u64::from(hits) << (start % 64);
    }
}

/// Returns a mask of the lowest `count` bits, at most `most`.
#[inline(always)]
pub(crate) fn first_bits(count: usize, most: usize) -> u32 {
    u32::MAX >> (32 - count.min(most))
}
