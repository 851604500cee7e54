//! The shared parts of the strategies for querying many keys.

use super::super::probes::{Probes, Remainders};
use crate::lanes::Lanes;

/// Splits bytes into whole words and a word with the bytes after them.
#[inline(always)]
fn words(bytes: &[u8]) -> (&[[u8; 4]], u32) {
    let (words, rest) = bytes.as_chunks();
    let beyond = match bytes.last_chunk() {
        // Two steps, because a shift by all 32 bits would overflow.
        Some(last) => u32::from_le_bytes(*last) >> 8 >> (24 - 8 * rest.len()),
        None => rest
            .iter()
            .rev()
            .fold(0, |word, &byte| word << 8 | u32::from(byte)),
    };
    (words, beyond)
}

/// The words of a bit array, for look-ups of positions.
pub(crate) struct Words<'a, S: Lanes> {
    bytes: &'a [u8],
    words: &'a [[u8; 4]],
    /// The bytes after the last whole word.
    beyond: S::Vector,
}

impl<'a, S: Lanes> Words<'a, S> {
    #[inline(always)]
    pub(crate) fn new(lanes: S, bytes: &'a [u8]) -> Self {
        let (words, beyond) = words(bytes);
        Self {
            bytes,
            words,
            beyond: lanes.splat(beyond),
        }
    }

    /// Prefetches the first `count` positions.
    #[inline(always)]
    pub(crate) fn prefetch(&self, lanes: S, positions: &[u32], count: usize) {
        for &position in positions.iter().take(count) {
            lanes.prefetch::<false, _>(self.bytes, (position / 8) as usize);
        }
    }
}

/// A bit array that gives the words with the bits of some positions.
pub(crate) trait LookUp<S: Lanes> {
    fn at(&self, lanes: S, positions: S::Vector) -> S::Vector;
}

impl<S: Lanes> LookUp<S> for Words<'_, S> {
    #[inline(always)]
    fn at(&self, lanes: S, positions: S::Vector) -> S::Vector {
        lanes.words_at(self.words, self.beyond, positions)
    }
}

/// A bit array in registers.
pub(crate) struct Table<S: Lanes, const QUARTERS: usize>([S::Vector; QUARTERS]);

impl<S: Lanes, const QUARTERS: usize> Table<S, QUARTERS> {
    /// Loads an array of at most `QUARTERS` quarters of the largest table.
    #[inline(always)]
    pub(crate) fn new(lanes: S, bytes: &[u8]) -> Self {
        Self(lanes.table(bytes))
    }
}

impl<S: Lanes, const QUARTERS: usize> LookUp<S> for Table<S, QUARTERS> {
    #[inline(always)]
    fn at(&self, lanes: S, positions: S::Vector) -> S::Vector {
        lanes.table_words(&self.0, positions)
    }
}

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
    pub(crate) fn rest(&self, lanes: S, words: &impl LookUp<S>, hashes: S::Vector, probe: u32) -> u32 {
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
