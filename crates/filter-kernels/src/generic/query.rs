//! Answers queries.

mod batch;
mod levels;

pub(crate) use batch::Words;
use batch::{Batch, answer};
use levels::{ByLevel, TILE};

use super::Lanes;
use super::probes::{Probes, Remainders};
use super::source::{Consumer, Groups, consume};
use crate::hash::Source;
use crate::modulus::LaneDivisor;

/// The minimum number of keys for which survivors are packed together after every probe.
const FEWEST_FOR_LEVELS: usize = 128;
/// The number of keys that are hashed together, a whole number of words of answers.
const SHORT_PART: usize = 128;
/// The length in bytes from which filters are prefetched before they are read: four times the second-level cache of the
/// machines this was measured on. Below, prefetching costs more than it saves.
const PREFETCHED: usize = 4 << 20;

/// Queries one hash value, whose probes are the lanes.
#[inline(always)]
pub(crate) fn may_match<S: Lanes>(
    lanes: S,
    bit_array: &[u8],
    divisor: LaneDivisor,
    probes: u32,
    hash: u32,
) -> bool {
    let remainders = Remainders::new(lanes, divisor);
    let mut first = 0;
    while first < probes {
        let count = (probes - first).min(S::LANES as u32);
        let numbers = lanes.add(lanes.splat(first), lanes.iota());
        let steps = lanes.mul(numbers, lanes.splat(hash.rotate_left(15)));
        let positions = remainders.of(lanes.add(lanes.splat(hash), steps));
        let words = if bit_array.len() <= S::TABLE_BYTES / 4 {
            lanes.table_words(&lanes.table::<1>(bit_array), positions)
        } else if bit_array.len() <= S::TABLE_BYTES / 2 {
            lanes.table_words(&lanes.table::<2>(bit_array), positions)
        } else if bit_array.len() <= S::TABLE_BYTES {
            lanes.table_words(&lanes.table::<4>(bit_array), positions)
        } else {
            Words::new(lanes, bit_array).at(lanes, positions)
        };
        let hits = lanes.hit_bits(lanes.hit(lanes.all_hits(), words, positions));
        let all = !hits << (32 - count) == 0;
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

/// Queries many hash values, one in each lane. `IN_PLACE` is the parameter of [`consume`].
#[inline(always)]
pub(crate) fn may_match_many<S: Lanes, const IN_PLACE: bool>(
    lanes: S,
    bit_array: &[u8],
    divisor: LaneDivisor,
    probes: u32,
    source: Source<'_>,
    answers: &mut [u64],
) {
    let remainders = Remainders::new(lanes, divisor);
    let batch = Batch {
        remainders,
        probes,
        answers,
    };
    let len = bit_array.len();
    if len <= S::TABLE_BYTES / 4 {
        let table = lanes.table::<1>(bit_array);
        consume::<S, SHORT_PART, IN_PLACE>(lanes, source, &mut ByTable { batch, table });
    } else if len <= S::TABLE_BYTES / 2 {
        let table = lanes.table::<2>(bit_array);
        consume::<S, SHORT_PART, IN_PLACE>(lanes, source, &mut ByTable { batch, table });
    } else if len <= S::TABLE_BYTES {
        let table = lanes.table::<4>(bit_array);
        consume::<S, SHORT_PART, IN_PLACE>(lanes, source, &mut ByTable { batch, table });
    } else {
        let words = Words::new(lanes, bit_array);
        if source.len() < FEWEST_FOR_LEVELS {
            consume::<S, SHORT_PART, IN_PLACE>(lanes, source, &mut ByGroup { batch, words });
        } else if len < PREFETCHED {
            consume::<S, TILE, IN_PLACE>(lanes, source, &mut ByLevel::<S, false>::new(batch, words));
        } else {
            consume::<S, TILE, IN_PLACE>(lanes, source, &mut ByLevel::<S, true>::new(batch, words));
        }
    }
}

/// Tests the probes of a group one after the other, with the whole bit array in registers.
struct ByTable<'a, S: Lanes, const QUARTERS: usize> {
    batch: Batch<'a, S>,
    table: [S::Vector; QUARTERS],
}

impl<S: Lanes, const QUARTERS: usize> Consumer<S> for ByTable<'_, S, QUARTERS> {
    #[inline(always)]
    fn take(&mut self, lanes: S, groups: &impl Groups<S>) {
        let keys = groups.len();
        let answers = self.batch.next_answers(keys);
        for group in 0..groups.count() {
            let mut sequence = Probes::new(self.batch.remainders, groups.group(lanes, group));
            let mut hits = lanes.all_hits();
            for _ in 0..self.batch.probes {
                let positions = sequence.positions();
                let words = lanes.table_words(&self.table, positions);
                hits = lanes.hit(hits, words, positions);
                sequence.advance();
            }
            answer::<S>(answers, keys, group * S::LANES, lanes.hit_bits(hits));
        }
    }
}

/// Tests the probes of a group one after the other.
struct ByGroup<'a, S: Lanes> {
    batch: Batch<'a, S>,
    words: Words<'a, S>,
}

impl<S: Lanes> Consumer<S> for ByGroup<'_, S> {
    #[inline(always)]
    fn take(&mut self, lanes: S, groups: &impl Groups<S>) {
        let keys = groups.len();
        let answers = self.batch.next_answers(keys);
        for group in 0..groups.count() {
            let hits = self.batch.rest(lanes, &self.words, groups.group(lanes, group), 0);
            answer::<S>(answers, keys, group * S::LANES, hits);
        }
    }
}
