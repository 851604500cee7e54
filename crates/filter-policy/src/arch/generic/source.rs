//! Hash values in groups of one for each lane.
//!
//! Packed keys of 16 bytes can be hashed where their values are used, which is nearly free if registers are available.
//! Other keys are hashed in parts, by code that is compiled once.

use super::super::source::Source;
use super::{Lanes, MAX_LANES, STEP, hash};
use crate::hashers::LaneHash;
use crate::keys::Keys;

/// Hash values in groups.
pub(super) trait Groups<S: Lanes> {
    fn len(&self) -> usize;

    /// Returns the hash values of the group with this index, in order. If the last group is not full, its last value is
    /// repeated.
    fn group(&self, lanes: S, index: usize) -> S::Vector;

    /// Returns the number of groups.
    #[inline(always)]
    fn count(&self) -> usize {
        self.len().div_ceil(S::LANES)
    }
}

/// Keys of 16 bytes.
struct Packed<'a> {
    keys: &'a [[u8; STEP]],
    function: LaneHash,
}

impl<S: Lanes> Groups<S> for Packed<'_> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.keys.len()
    }

    #[inline(always)]
    fn group(&self, lanes: S, index: usize) -> S::Vector {
        let start = index * S::LANES;
        let filled;
        let keys = match self.keys.get(start..start + S::LANES) {
            Some(keys) => keys,
            None => {
                filled = filled_up(&self.keys[start..]);
                &filled
            }
        };
        hash::packed(lanes, self.function, keys)
    }
}

struct Hashed<'a>(&'a [u32]);

impl<S: Lanes> Groups<S> for Hashed<'_> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    fn group(&self, lanes: S, index: usize) -> S::Vector {
        let start = index * S::LANES;
        match self.0.get(start..start + S::LANES) {
            Some(hashes) => lanes.load(hashes),
            None => lanes.load(&filled_up(&self.0[start..])),
        }
    }
}

pub(super) trait Consumer<S: Lanes> {
    /// Takes the next hash values. All parts except the last have `PART` of them, or there is only one part.
    fn take(&mut self, lanes: S, groups: &impl Groups<S>);
}

/// Passes all hash values to a consumer: given values at once, others in parts of `PART`. If `IN_PLACE`, packed keys of
/// 16 bytes are also passed at once, to be hashed where their values are used.
#[inline(always)]
pub(super) fn consume<S: Lanes, const PART: usize, const IN_PLACE: bool>(
    lanes: S,
    source: Source<'_>,
    consumer: &mut impl Consumer<S>,
) {
    match source {
        Source::Hashes(hashes) => consumer.take(lanes, &Hashed(hashes)),
        Source::Packed(keys, function) if IN_PLACE && keys.key_len() == STEP => {
            let (keys, _) = keys.bytes().as_chunks();
            consumer.take(lanes, &Packed { keys, function });
        }
        Source::Packed(keys, function) => {
            in_parts::<S, PART>(lanes, Keys::Packed(keys), function, consumer);
        }
        Source::Slices(keys, function) => {
            in_parts::<S, PART>(lanes, Keys::Slices(keys), function, consumer);
        }
    }
}

/// Hashes keys in parts.
#[inline(always)]
fn in_parts<S: Lanes, const PART: usize>(
    lanes: S,
    keys: Keys<'_>,
    function: LaneHash,
    consumer: &mut impl Consumer<S>,
) {
    let mut hashes = [0; PART];
    let len = keys.len();
    for start in (0..len).step_by(PART) {
        let part = &mut hashes[..PART.min(len - start)];
        lanes.hash(keys, function, start, part);
        consumer.take(lanes, &Hashed(part));
    }
}

/// Hashes the keys from `start` on.
#[inline(always)]
pub(in super::super) fn hash<S: Lanes>(
    lanes: S,
    keys: Keys<'_>,
    function: LaneHash,
    start: usize,
    hashes: &mut [u32],
) {
    for (i, hashes) in hashes.chunks_mut(S::LANES).enumerate() {
        let start = start + i * S::LANES;
        let vector = match keys {
            Keys::Slices(keys) => {
                let filled;
                let keys = match keys.get(start..start + S::LANES) {
                    Some(keys) => keys,
                    None => {
                        filled = filled_up(&keys[start..]);
                        &filled[..S::LANES]
                    }
                };
                hash::slices(lanes, function, keys)
            }
            Keys::Packed(keys) if keys.key_len() == STEP => {
                let (keys, _) = keys.bytes().as_chunks();
                Packed { keys, function }.group(lanes, start / S::LANES)
            }
            Keys::Packed(keys) => {
                let mut filled: [&[u8]; MAX_LANES] = [&[]; MAX_LANES];
                let keys = keys.bytes()[start * keys.key_len()..].chunks_exact(keys.key_len());
                let mut last: &[u8] = &[];
                let mut keys = keys;
                for slot in &mut filled[..S::LANES] {
                    last = keys.next().unwrap_or(last);
                    *slot = last;
                }
                hash::slices(lanes, function, &filled[..S::LANES])
            }
        };
        if hashes.len() == S::LANES {
            lanes.store(vector, hashes);
        } else {
            let mut row = [0; MAX_LANES];
            lanes.store(vector, &mut row);
            hashes.copy_from_slice(&row[..hashes.len()]);
        }
    }
}

/// Returns the first values, with the last of them repeated.
#[inline(always)]
fn filled_up<T: Copy>(values: &[T]) -> [T; MAX_LANES] {
    let last = values.len() - 1;
    core::array::from_fn(|i| values[i.min(last)])
}
