//! What the kernels for 32-bit hash values are given.

use crate::hashers::LaneHash;
use crate::keys::Keys;

/// Largest bit array that is built as a map of one byte per bit first, in bits, as maps lie on the stack. A store to a
/// byte needs not wait for the one before, as a change of a bit would.
pub(crate) const MAP_BITS: usize = 8192;

/// Where hash values come from.
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
