//! The shared parts of the strategies for querying many keys.

use super::super::probes::{Probes, Remainders};
use crate::bits::Words;
use crate::lanes::Lanes;

/// The state that all strategies share.
pub(crate) struct Batch<'a, S: Lanes> {
    pub(crate) remainders: Remainders<S>,
    pub(crate) probes: u32,
    /// The answers of the keys that were not taken yet.
    pub(crate) answers: &'a mut [u64],
}

impl<'a, S: Lanes> Batch<'a, S> {
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

    /// Returns the lanes that have all bits from this probe on.
    #[inline(always)]
    pub(crate) fn rest<const QUARTERS: usize>(
        &self,
        lanes: S,
        words: &Words<'_, S, QUARTERS>,
        hashes: S::Vector,
        probe: u32,
    ) -> u32 {
        let mut sequence = Probes::starting_at(self.remainders, hashes, probe);
        let mut hits = lanes.all_hits();
        for _ in probe..self.probes {
            let positions = sequence.positions();
            hits = lanes.hit(hits, words.at(lanes, positions), positions);
            sequence.advance();
        }
        lanes.hit_bits(hits)
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
