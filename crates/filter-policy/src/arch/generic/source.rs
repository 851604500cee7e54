//! Hash values in groups of as many as there are lanes.

use super::super::Source;
use super::{Lanes, MOST_LANES, STEP, hash};
use crate::hasher::LaneHash;

impl Source<'_> {
    /// How many groups there are; the last one may be filled up.
    #[inline(always)]
    pub(super) fn groups<S: Lanes>(&self) -> usize {
        self.len().div_ceil(S::LANES)
    }

    /// The hash values of the group with this index, in the order of the keys. Where the last one has too few, its last
    /// key is repeated.
    #[inline(always)]
    pub(super) fn group<S: Lanes>(&self, lanes: S, index: usize) -> S::Vector {
        let start = index * S::LANES;
        match *self {
            Source::Hashes(hashes) => match hashes.get(start..start + S::LANES) {
                Some(group) => lanes.load(group),
                None => {
                    let rest = hashes.get(start..).unwrap_or_default();
                    lanes.load(&filled_up(rest.iter().copied()))
                }
            },
            Source::Slices(keys, function) => match keys.get(start..start + S::LANES) {
                Some(group) => hash::slices(lanes, function, group),
                None => {
                    let rest = keys.get(start..).unwrap_or_default();
                    of_array(lanes, function, &filled_up(rest.iter().copied()))
                }
            },
            Source::Packed(keys, function) => {
                let len = keys.key_len();
                let bytes = keys.bytes().get(start * len..).unwrap_or_default();
                match bytes.get(..S::LANES * len) {
                    Some(group) if len == STEP => hash::packed(lanes, function, group.as_chunks().0),
                    _ => of_array(lanes, function, &filled_up(bytes.chunks_exact(len))),
                }
            }
        }
    }
}

#[inline(always)]
fn of_array<S: Lanes>(lanes: S, function: LaneHash, keys: &[&[u8]; MOST_LANES]) -> S::Vector {
    hash::slices(lanes, function, keys.get(..S::LANES).unwrap_or_default())
}

/// The first values, the last of them repeated.
#[inline(always)]
fn filled_up<T: Copy + Default>(values: impl Iterator<Item = T>) -> [T; MOST_LANES] {
    let mut filled = [T::default(); MOST_LANES];
    let mut values = values;
    let mut last = T::default();
    for slot in &mut filled {
        last = values.next().unwrap_or(last);
        *slot = last;
    }
    filled
}
