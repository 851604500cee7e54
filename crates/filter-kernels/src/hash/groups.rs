//! Hash values in groups of one for each lane.
//!
//! Packed keys of 16 bytes can be hashed where their values are used, which is nearly free if registers are available.
//! Other keys are hashed in parts, by code that is compiled once.

use super::lanes32;
use super::tile::later;
use crate::keys::Keys;
use crate::lanes::{Lanes, MAX_LANES, STEP, Work};
use crate::source::{LaneHash, Source, TILE};

/// Hash values in groups.
pub(crate) trait Groups<S: Lanes> {
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
        lanes32::packed(lanes, self.function, keys)
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

pub(crate) trait Consumer<S: Lanes> {
    /// Takes the next hash values. All parts except the last have `PART` of them, or there is only one part.
    fn take(&mut self, lanes: S, groups: &impl Groups<S>);
}

/// Passes all hash values to a consumer: given values at once, others in parts of `PART`. If `in_place`, packed keys of
/// 16 bytes are also passed at once, to be hashed where their values are used.
#[inline(always)]
pub(crate) fn consume<S: Lanes, const PART: usize>(
    lanes: S,
    source: Source<'_>,
    in_place: bool,
    consumer: &mut impl Consumer<S>,
) {
    let mut buffer;
    let room: &mut [u32] = match source {
        Source::Keys(Keys::Packed(keys), function) if in_place && keys.key_len() == STEP => {
            let (keys, _) = keys.bytes().as_chunks();
            return consumer.take(lanes, &Packed { keys, function });
        }
        Source::Keys(..) => {
            buffer = [0; PART];
            &mut buffer
        }
        Source::Hashes(_) => &mut [],
    };
    let (len, mut start) = (source.len(), 0);
    while start < len {
        let part = match source {
            Source::Keys(keys, function) => {
                let part = &mut room[..PART.min(len - start)];
                lanes.call(HashKeys {
                    keys,
                    function,
                    start,
                    hashes: part,
                });
                &*part
            }
            Source::Hashes(hashes) => hashes,
        };
        consumer.take(lanes, &Hashed(part));
        start += part.len();
    }
}

/// Hashes the keys from `start` on.
struct HashKeys<'k, 'h> {
    keys: Keys<'k>,
    function: LaneHash,
    start: usize,
    hashes: &'h mut [u32],
}

impl Work for HashKeys<'_, '_> {
    type Out = ();

    fn portable(self) {
        for (hash, key) in self.hashes.iter_mut().zip(self.keys.iter().skip(self.start)) {
            *hash = self.function.hash(key);
        }
    }

    #[inline(always)]
    fn narrow<S: Lanes>(self, lanes: S) {
        hash(lanes, self.keys, self.function, self.start, self.hashes);
    }
}

#[inline(always)]
fn hash<S: Lanes>(lanes: S, keys: Keys<'_>, function: LaneHash, start: usize, hashes: &mut [u32]) {
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
                let (keys, _) = keys.bytes().as_chunks();
                Packed { keys, function }.group(lanes, start / S::LANES)
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
                        let mut keys = keys.bytes()[start * keys.key_len()..].chunks_exact(keys.key_len());
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

/// Returns the first values, with the last of them repeated. Only the last group of a batch needs it.
#[cold]
#[inline(never)]
fn filled_up<T: Copy>(values: &[T]) -> [T; MAX_LANES] {
    let last = values.len() - 1;
    core::array::from_fn(|i| values[i.min(last)])
}
