//! Batches of elements: the same answers as single calls, and faster if the filter is larger than the caches. In the nearest
//! caches absent elements take less time, others as much as by single calls.
//!
//! One by one, the processor waits for the memory of an element's bit before it knows whether to look at the next bit.
//! Here the memory of many elements' bits is asked for before the first of them is looked at, so that these accesses
//! overlap. Elements that are known to be absent drop out between the rounds, without a branch that the processor would
//! have to guess.

use alloc::vec;
use alloc::vec::Vec;

#[cfg(target_has_atomic = "64")]
use crate::atomic_bits::AtomicU64;
use crate::bits::{Bits, Word};
use crate::hash::Hash128;
use crate::strategy::{Mitz32, Mitz64, Steps, Strategy};
use crate::unrolled;

/// How many elements are looked up together. Measured: 128 wait less than 64, and their state still fits into the first
/// cache.
const LANES: usize = 128;

/// How many probes of an element a round makes at most.
const GROUP: usize = 8;

/// How many positions are fetched ahead when elements are inserted, which are as many cache lines: about as the first cache
/// has. More than the largest probe count.
const AHEAD: usize = 512;

const NO_HASH: Hash128 = Hash128 { h1: 0, h2: 0 };

/// An element that is still in.
#[derive(Clone, Copy)]
struct Lane<S> {
    steps: S,
    /// Which of the elements it is.
    element: usize,
}

/// Bits that can be set: those of one thread, or those that threads share.
pub(crate) trait SetBits {
    fn position(&self, dividend: u64) -> u64;
    fn prefetch(&self, position: u64);
    fn set(&mut self, position: u64) -> bool;
}

macro_rules! set_bits {
    ($bits:ty) => {
        impl SetBits for $bits {
            #[inline]
            fn position(&self, dividend: u64) -> u64 {
                Bits::position(self, dividend)
            }

            #[inline]
            fn prefetch(&self, position: u64) {
                Bits::prefetch(self, position);
            }

            #[inline]
            fn set(&mut self, position: u64) -> bool {
                (**self).set(position)
            }
        }
    };
}

set_bits!(&mut Bits);
#[cfg(target_has_atomic = "64")]
set_bits!(&Bits<AtomicU64>);

/// Inserts elements in turn; of each, whether it changed bits.
pub(crate) fn insert<T>(
    bits: impl SetBits,
    strategy: Strategy,
    probe_count: u8,
    items: &[T],
    hash: impl Fn(&T) -> Hash128,
) -> Vec<bool> {
    match strategy {
        Strategy::Murmur128Mitz32 => insert_by::<Mitz32, T>(bits, probe_count, items, hash),
        Strategy::Murmur128Mitz64 => insert_by::<Mitz64, T>(bits, probe_count, items, hash),
    }
}

fn insert_by<S: Steps, T>(
    mut bits: impl SetBits,
    probe_count: u8,
    items: &[T],
    hash: impl Fn(&T) -> Hash128,
) -> Vec<bool> {
    let probes = usize::from(probe_count);
    let mut positions = [0; AHEAD];
    let mut changed = Vec::with_capacity(items.len());
    for items in items.chunks(AHEAD / probes) {
        for (positions, item) in positions.chunks_exact_mut(probes).zip(items) {
            let mut steps = S::new(hash(item));
            for position in positions {
                *position = bits.position(steps.step());
                bits.prefetch(*position);
            }
        }
        for (positions, _) in positions.chunks_exact(probes).zip(items) {
            changed.push(positions.iter().fold(false, |any, &at| any | bits.set(at)));
        }
    }
    changed
}

/// Asks for elements; of each, whether it might be contained.
pub(crate) fn contains<W: Word, T>(
    bits: &Bits<W>,
    strategy: Strategy,
    probe_count: u8,
    items: &[T],
    hash: impl Fn(&T) -> Hash128,
) -> Vec<bool> {
    match strategy {
        Strategy::Murmur128Mitz32 => contains_by::<Mitz32, W, T>(bits, probe_count, items, hash),
        Strategy::Murmur128Mitz64 => contains_by::<Mitz64, W, T>(bits, probe_count, items, hash),
    }
}

fn contains_by<S: Steps, W: Word, T>(
    bits: &Bits<W>,
    probe_count: u8,
    items: &[T],
    hash: impl Fn(&T) -> Hash128,
) -> Vec<bool> {
    let mut answers = vec![false; items.len()];
    let mut lanes = [Lane {
        steps: S::new(NO_HASH),
        element: 0,
    }; LANES];
    let mut positions = [[0; GROUP]; LANES];
    for (items, answers) in items.chunks(LANES).zip(answers.chunks_mut(LANES)) {
        if bits.are_near() {
            let steps = items.iter().map(|item| S::new(hash(item)));
            contains_near(bits, probe_count, steps, &mut lanes, answers);
            continue;
        }
        for (element, (lane, item)) in lanes.iter_mut().zip(items).enumerate() {
            let steps = S::new(hash(item));
            *lane = Lane { steps, element };
        }
        let left = keep_contained(bits, probe_count, &mut lanes, items.len(), &mut positions);
        for lane in lanes.iter().take(left) {
            if let Some(answer) = answers.get_mut(lane.element) {
                *answer = true;
            }
        }
    }
    answers
}

/// Answers without fetching ahead: three quarters of the absent elements drop out after two probes, the others are asked
/// as single ones are.
fn contains_near<S: Steps, W: Word>(
    bits: &Bits<W>,
    probe_count: u8,
    steps: impl Iterator<Item = S>,
    lanes: &mut [Lane<S>; LANES],
    answers: &mut [bool],
) {
    let test = |dividend| bits.test(bits.position(dividend));
    let first = probe_count.min(2);
    let mut kept = 0;
    for (element, mut steps) in steps.enumerate() {
        let contained = (0..first).fold(true, |all, _| all & test(steps.step()));
        if let Some(place) = lanes.get_mut(kept) {
            *place = Lane { steps, element };
        }
        kept += usize::from(contained);
    }
    for lane in lanes.iter().take(kept) {
        if let Some(answer) = answers.get_mut(lane.element) {
            *answer = unrolled::every(lane.steps, probe_count - first, test);
        }
    }
}

/// Moves the lanes whose elements might be contained to the front; how many they are. `left` lanes are in use.
/// `positions` is room for those of a round.
fn keep_contained<S: Steps, W: Word>(
    bits: &Bits<W>,
    probe_count: u8,
    lanes: &mut [Lane<S>; LANES],
    mut left: usize,
    positions: &mut [[u64; GROUP]; LANES],
) -> usize {
    let mut probes = usize::from(probe_count);
    // Half of the absent elements drop out at each probe of a filter that is as full as it should be: the first
    // rounds are short, and whoever is left then is most likely contained.
    let mut rounds = [1, 2].into_iter().chain(core::iter::repeat(GROUP));
    while probes > 0 && left > 0 {
        let group = rounds.next().unwrap_or(GROUP).min(probes);
        probes -= group;
        for (lane, positions) in lanes.iter_mut().zip(&mut *positions).take(left) {
            for position in positions.iter_mut().take(group) {
                *position = bits.position(lane.steps.step());
                bits.prefetch(*position);
            }
        }
        let mut kept = 0;
        for (at, positions) in positions.iter().enumerate().take(left) {
            let mut tests = positions.iter().take(group).map(|&position| bits.test(position));
            let contained = if group <= 2 {
                // As likely as not: a branch would be guessed wrong too often.
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
