//! What stored bytes are in the layout of `BloomFilter64.Xxph3`: the last one tells.

use super::Contents;
use crate::params::MAX_PROBES;

/// Added to k in the last byte of a filter. What lies above 30 there, LevelDB's reader takes for another encoding and
/// answers "may match".
pub(crate) const MARKER: u8 = 0x80;

/// What stored bytes are.
#[inline]
pub(crate) const fn contents(filter: &[u8]) -> Contents<'_> {
    match filter {
        [] | [_] => Contents::Empty,
        [bit_array @ .., last] => match last.checked_sub(MARKER) {
            Some(probes @ 1..=MAX_PROBES) => Contents::Bloom64 { bit_array, probes },
            _ => Contents::Reserved,
        },
    }
}
