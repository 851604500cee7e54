//! Hash values in groups of one for each lane.
//!
//! Packed keys of 16 bytes can be hashed where their values are used, which is nearly free if registers are available.
//! Other keys are hashed in parts, by code that is compiled once.

use super::lanes32;
use super::tile::later;
use crate::simd::keys::{Keys, PackedKeys};
use crate::simd::lanes::{Lanes, MAX_LANES, STEP, Work};
use crate::simd::source::{LaneHash, LaneSource, TILE};

/// Hash values in groups.
pub(crate) enum Groups<'a> {
    /// The hash values of keys of 16 bytes.
    Packed(&'a [[u8; STEP]], LaneHash),
    Given(&'a [u32]),
}

impl<'a> Groups<'a> {
    #[inline(always)]
    fn packed(keys: PackedKeys<'a>, function: LaneHash) -> Self {
        Self::Packed(keys.bytes().as_chunks().0, function)
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Packed(keys, _) => keys.len(),
            Self::Given(hashes) => hashes.len(),
        }
    }

    /// Returns the number of groups.
    #[inline(always)]
    pub(crate) fn count<S: Lanes>(&self) -> usize {
        self.len().div_ceil(S::LANES)
    }

    /// Returns the hash values of the group with this index, in order. If the last group is not full, its last value is
    /// repeated.
    #[inline(always)]
    pub(crate) fn group<S: Lanes>(&self, lanes: S, index: usize) -> S::Vector {
        let start = index * S::LANES;
        match self {
            Self::Packed(keys, function) => match keys.get(start..start + S::LANES) {
                Some(keys) => lanes32::packed(lanes, *function, keys),
                None => lanes32::packed(lanes, *function, &filled_up(&keys[start..])),
            },
            Self::Given(hashes) => match hashes.get(start..start + S::LANES) {
                Some(hashes) => lanes.load(hashes),
                None => lanes.load(&filled_up(&hashes[start..])),
            },
        }
    }
}

pub(crate) trait Consumer<S: Lanes> {
    /// Takes the next hash values. All parts except the last have `PART` of them, or there is only one part.
    fn take(&mut self, lanes: S, groups: &Groups<'_>);
}

/// Passes all hash values to a consumer: given values at once, others in parts of `PART`. If `in_place`, packed keys of
/// 16 bytes are also passed at once, to be hashed where their values are used.
#[inline(always)]
pub(crate) fn consume<S: Lanes, const PART: usize>(
    lanes: S,
    source: LaneSource<'_>,
    in_place: bool,
    consumer: &mut impl Consumer<S>,
) {
    let mut buffer;
    let room: &mut [u32] = match source {
        LaneSource::Keys(Keys::Packed(keys), function) if in_place && keys.key_len() == STEP => {
            return consumer.take(lanes, &Groups::packed(keys, function));
        }
        LaneSource::Keys(..) => {
            buffer = [0; PART];
            &mut buffer
        }
        LaneSource::Hashes(_) => &mut [],
    };
    let (len, mut start) = (source.len(), 0);
    while start < len {
        let part = match source {
            LaneSource::Keys(keys, function) => {
                let part = &mut room[..PART.min(len - start)];
                lanes.call(HashKeys(keys, function, start, part));
                &*part
            }
            LaneSource::Hashes(hashes) => hashes,
        };
        consumer.take(lanes, &Groups::Given(part));
        start += part.len();
    }
}

/// Hashes the keys from `start` on.
struct HashKeys<'k, 'h>(Keys<'k>, LaneHash, usize, &'h mut [u32]);

impl Work for HashKeys<'_, '_> {
    type Out = ();

    #[inline(always)]
    fn portable(self) {
        unreachable!("portable code has no groups")
    }

    #[inline(always)]
    fn narrow<S: Lanes>(self, lanes: S) {
        let Self(keys, function, start, hashes) = self;
        let mut ahead = None;
        for (i, hashes) in hashes.chunks_mut(S::LANES).enumerate() {
            let start = start + i * S::LANES;
            if let (0, Keys::Slices(keys)) = (i * S::LANES % TILE, keys) {
                ahead = Some(later(lanes, keys, start));
            }
            if let Some(later) = &mut ahead {
                later.prefetch(lanes, S::LANES);
            }
            let mut filled: [&[u8]; MAX_LANES];
            let vector = match keys {
                Keys::Packed(keys) if keys.key_len() == STEP => {
                    Groups::packed(keys, function).group(lanes, start / S::LANES)
                }
                _ => {
                    let keys = match keys {
                        Keys::Slices(keys) => match keys.get(start..start + S::LANES) {
                            Some(keys) => keys,
                            None => {
                                filled = filled_up(&keys[start..]);
                                &filled[..S::LANES]
                            }
                        },
                        Keys::Packed(keys) => {
                            filled = [&[]; MAX_LANES];
                            let mut keys =
                                keys.bytes()[start * keys.key_len()..].chunks_exact(keys.key_len());
                            let mut last: &[u8] = &[];
                            for slot in &mut filled[..S::LANES] {
                                last = keys.next().unwrap_or(last);
                                *slot = last;
                            }
                            &filled[..S::LANES]
                        }
                    };
                    lanes32::slices(lanes, function, keys)
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
}

/// Returns the first values, with the last of them repeated. Only the last group of a batch needs it.
#[cold]
#[inline(never)]
fn filled_up<T: Copy>(values: &[T]) -> [T; MAX_LANES] {
    let last = values.len() - 1;
    core::array::from_fn(|i| values[i.min(last)])
}
