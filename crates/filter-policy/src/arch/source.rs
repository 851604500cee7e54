//! The input of the kernels for 32-bit hash values.

use crate::hashers::LaneHash;
use crate::keys::{Keys, PackedKeys};

/// The largest bit array, in bits, that is first built as a map of one byte per bit; maps lie on the stack. A store to
/// a byte need not wait for the one before, as a change of a bit would.
pub(crate) const MAP_BITS: usize = 8192;

#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    Slices(&'a [&'a [u8]], LaneHash),
    Packed(PackedKeys<'a>, LaneHash),
    Hashes(&'a [u32]),
}

impl<'a> Source<'a> {
    pub(crate) const fn keys(keys: Keys<'a>, hash: LaneHash) -> Self {
        match keys {
            Keys::Slices(keys) => Self::Slices(keys, hash),
            Keys::Packed(keys) => Self::Packed(keys, hash),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Slices(keys, _) => keys.len(),
            Self::Packed(keys, _) => keys.len(),
            Self::Hashes(hashes) => hashes.len(),
        }
    }
}
