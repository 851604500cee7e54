//! Answers queries.

mod batch;
mod levels;

use batch::Batch;
use levels::{ByLevel, TILE};

use super::probes::Remainders;
use crate::bits::{Words, in_registers};
use crate::hash::groups::consume;
use crate::lanes::Lanes;
use crate::modulus::LaneDivisor;
use crate::source::LaneSource;

/// The minimum number of keys for which survivors are packed together after every probe.
const FEWEST_FOR_LEVELS: usize = 128;
/// The number of keys that are hashed together, a whole number of words of answers.
const SHORT_PART: usize = 128;
/// The length in bytes from which filters are prefetched before they are read: four times the second-level cache of the
/// machines this was measured on. Below, prefetching costs more than it saves.
const PREFETCHED: usize = 4 << 20;

/// [`may_match`] for at most eight probes.
#[inline(always)]
pub(super) fn may_match_8<S: Lanes>(
    lanes: S,
    bit_array: &[u8],
    divisor: LaneDivisor,
    probes: u32,
    hash: u32,
) -> bool {
    let hash = lanes.splat(hash);
    let hashes = lanes.add(hash, lanes.mul(lanes.iota(), lanes.rotate_15(hash)));
    let positions = Remainders::new(lanes, divisor).of(hashes);
    // SAFETY: the positions are remainders by the number of bits.
    unsafe { lanes.all_set(bit_array, positions, probes) }
}

/// Queries one hash value, whose probes are the lanes. The numbers are those of the bit array's divisor.
#[inline(always)]
pub(crate) fn may_match<S: Lanes>(
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

/// Queries many hash values, one in each lane.
#[inline(always)]
pub(crate) fn may_match_many<S: Lanes>(
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
