//! The input of the kernels for 32-bit hash values.

use crate::hashers::LaneHash;
use crate::keys::Keys;

/// The largest bit array, in bits, that is first built as a map of one byte per bit; maps lie on the stack. A store to
/// a byte need not wait for the one before, as a change of a bit would.
pub(crate) const MAP_BITS: usize = 8192;

#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    Keys(Keys<'a>, LaneHash),
    Hashes(&'a [u32]),
}

impl Source<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Keys(keys, _) => keys.len(),
            Self::Hashes(hashes) => hashes.len(),
        }
    }
}
