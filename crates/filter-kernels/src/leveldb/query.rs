//! Answers queries.

mod batch;
mod levels;

use batch::{Batch, answer};
pub(crate) use batch::{LookUp, Table, Words};
use levels::{ByLevel, TILE};

use super::probes::Remainders;
use crate::hash::Source;
use crate::hash::groups::{Consumer, Groups, consume};
use crate::lanes::Lanes;
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
        let words = Table::<S, 1>::new(lanes, bit_array);
        consume::<S, SHORT_PART, IN_PLACE>(lanes, source, &mut ByGroup { batch, words });
    } else if len <= S::TABLE_BYTES / 2 {
        let words = Table::<S, 2>::new(lanes, bit_array);
        consume::<S, SHORT_PART, IN_PLACE>(lanes, source, &mut ByGroup { batch, words });
    } else if len <= S::TABLE_BYTES {
        let words = Table::<S, 4>::new(lanes, bit_array);
        consume::<S, SHORT_PART, IN_PLACE>(lanes, source, &mut ByGroup { batch, words });
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

/// Tests the probes of a group one after the other.
struct ByGroup<'a, S: Lanes, W> {
    batch: Batch<'a, S>,
    words: W,
}

impl<S: Lanes, W: LookUp<S>> Consumer<S> for ByGroup<'_, S, W> {
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
