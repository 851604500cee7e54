//! Batches of keys: the same answers as single calls, but faster if the filter is larger than the caches. In the
//! nearest caches, absent keys take less time than by single calls, and others as much.
//!
//! In a single call, the processor waits for the memory of one bit before it knows whether to test the next. Here the
//! bits of many keys are prefetched before the first is tested, so that the accesses overlap. Keys found to be
//! absent drop out between the rounds, without a branch to predict.

use alloc::vec::Vec;
use core::array;
use core::ops::Deref;

use filter_policy::building::parts::BitsInParts;

use crate::bits::{Bits, Word};
use crate::hash::Hash128;
use crate::modulus::Modulus;
use crate::steps::Steps;
use crate::unrolled;

/// The number of keys looked up together. Measured: 128 wait less than 64, and their state still fits into the L1
/// cache.
const LANES: usize = 128;

/// The largest number of probes per key in a round.
const GROUP: usize = 8;

/// The number of positions, and so of cache lines, that inserts fetch ahead: about the lines of the L1 cache. Keys
/// with more probes are inserted one by one.
const AHEAD: usize = 512;

/// The number of keys hashed at a time: enough to wait for memory rarely, few enough for the stack.
const TOGETHER: usize = 512;

/// Collects hashes in a buffer on the stack, and passes them on in order, as long as `then` returns true.
pub(crate) fn in_batches<H: Copy + Default>(
    hashes: impl Iterator<Item = H>,
    mut then: impl FnMut(&[H]) -> bool,
) {
    let (mut hashes, mut batch) = (hashes, [H::default(); TOGETHER]);
    loop {
        let mut count = 0;
        for (place, hash) in batch.iter_mut().zip(&mut hashes) {
            *place = hash;
            count += 1;
        }
        if !then(batch.get(..count).unwrap_or_default()) || count < TOGETHER {
            return;
        }
    }
}

/// A key that has not dropped out.
#[derive(Clone, Copy, Default)]
struct Lane<const RULE: u8> {
    steps: Steps<RULE>,
    /// The index of the key in the batch.
    key: usize,
}

/// Inserts keys in order by the given steps, with what sets a bit and tells whether that changed it. Returns the number of keys
/// that changed bits.
pub(crate) fn insert<const RULE: u8, W: Word, B: Deref<Target = Bits<W>>>(
    mut bits: B,
    mut set: impl FnMut(&mut B, u64) -> bool,
    probe_count: u32,
    hashes: &[Hash128],
) -> u64 {
    let (mut changed, modulus) = (0, bits.modulus());
    let probes = usize::try_from(probe_count).unwrap_or(usize::MAX);
    if probes > AHEAD {
        for &hash in hashes {
            let mut steps = Steps::<RULE>::start(hash);
            let any = (0..probe_count).fold(false, |any, _| any | set(&mut bits, steps.step(modulus)));
            changed += u64::from(any);
        }
        return changed;
    }
    let mut positions = [0; AHEAD];
    for hashes in hashes.chunks(AHEAD / probes) {
        for (positions, &hash) in positions.chunks_exact_mut(probes).zip(hashes) {
            let mut steps = Steps::<RULE>::start(hash);
            for position in positions {
                *position = steps.step(modulus);
                bits.prefetch(*position);
            }
        }
        for (positions, _) in positions.chunks_exact(probes).zip(hashes) {
            changed += u64::from(positions.iter().fold(false, |any, &at| any | set(&mut bits, at)));
        }
    }
    changed
}

/// Inserts keys by the given steps into a filter that is filled a part at a time.
pub(crate) fn insert_in_parts<const RULE: u8>(
    building: &mut BitsInParts<'_, u64>,
    modulus: Modulus,
    probe_count: u32,
    hashes: &[Hash128],
) {
    for &hash in hashes {
        let mut steps = Steps::<RULE>::start(hash);
        for _ in 0..probe_count {
            building.set(steps.step(modulus));
        }
    }
}

/// Queries keys by the given steps, and appends whether each might be contained.
pub(crate) fn contains<const RULE: u8, W: Word>(
    bits: &Bits<W>,
    probe_count: u32,
    hashes: &[Hash128],
    answers: &mut Vec<bool>,
) {
    let first = answers.len();
    answers.resize(first + hashes.len(), false);
    let answers = answers.get_mut(first..).unwrap_or_default();
    let batches = hashes.chunks(LANES).zip(answers.chunks_mut(LANES));
    if bits.are_near() {
        let mut lanes = [Lane::<RULE>::default(); LANES];
        batches.for_each(|(hashes, answers)| contains_near(bits, probe_count, hashes, &mut lanes, answers));
        return;
    }
    let mut positions = [[0; GROUP]; LANES];
    for (hashes, answers) in batches {
        let mut lanes = array::from_fn(|key| {
            let hash = hashes.get(key).copied().unwrap_or_default();
            let steps = Steps::<RULE>::start(hash);
            Lane { steps, key }
        });
        let left = keep_contained(bits, probe_count, &mut lanes, hashes.len(), &mut positions);
        for lane in lanes.iter().take(left) {
            if let Some(answer) = answers.get_mut(lane.key) {
                *answer = true;
            }
        }
    }
}

/// Answers without fetching ahead: three quarters of the absent keys drop out after two probes, and the rest are
/// tested as in single calls.
fn contains_near<const RULE: u8, W: Word>(
    bits: &Bits<W>,
    probe_count: u32,
    hashes: &[Hash128],
    lanes: &mut [Lane<RULE>; LANES],
    answers: &mut [bool],
) {
    let test = |position| bits.test(position);
    let first = probe_count.min(2);
    let mut kept = 0;
    for (key, &hash) in hashes.iter().enumerate() {
        let mut steps = Steps::start(hash);
        let contained = (0..first).fold(true, |all, _| all & test(steps.step(bits.modulus())));
        if let Some(place) = lanes.get_mut(kept) {
            *place = Lane { steps, key };
        }
        kept += usize::from(contained);
    }
    for lane in lanes.iter().take(kept) {
        if let Some(answer) = answers.get_mut(lane.key) {
            *answer = unrolled::every(lane.steps, probe_count - first, bits.modulus(), test);
        }
    }
}

/// Moves the lanes whose keys might be contained to the front, and returns their number. `left` lanes are in use.
/// `positions` is scratch space for one round.
fn keep_contained<const RULE: u8, W: Word>(
    bits: &Bits<W>,
    probe_count: u32,
    lanes: &mut [Lane<RULE>; LANES],
    mut left: usize,
    positions: &mut [[u64; GROUP]; LANES],
) -> usize {
    let mut probes = usize::try_from(probe_count).unwrap_or(usize::MAX);
    // In a full filter half of the absent keys drop out at each probe. So the first rounds are short, and keys
    // left after them are most likely contained.
    let mut rounds = [1, 2].into_iter().chain(core::iter::repeat(GROUP));
    while probes > 0 && left > 0 {
        let group = rounds.next().unwrap_or(GROUP).min(probes);
        probes -= group;
        for (lane, positions) in lanes.iter_mut().zip(&mut *positions).take(left) {
            for position in positions.iter_mut().take(group) {
                *position = lane.steps.step(bits.modulus());
                bits.prefetch(*position);
            }
        }
        let mut kept = 0;
        for (at, positions) in positions.iter().enumerate().take(left) {
            let mut tests = positions.iter().take(group).map(|&position| bits.test(position));
            let contained = if group <= 2 {
                // Both outcomes are likely, so a branch would be mispredicted too often.
                tests.fold(true, |all, test| all & test)
            } else {
                tests.all(|test| test)
            };
            let lane = lanes.get(at).copied();
            if let (Some(place), Some(lane)) = (lanes.get_mut(kept), lane) {
                *place = lane;
            }
            kept += usize::from(contained);
        }
        left = kept;
    }
    left
}
