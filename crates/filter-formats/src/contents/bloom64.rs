//! The stored layout of `BloomFilter64.Xxph3`, identified by the last byte.

use filter_kernels::MAX_PROBES;

use super::Contents;

/// Added to k in the last byte of a filter. LevelDB's reader takes any value above 30 for another encoding and answers
/// "may match".
pub(crate) const MARKER: u8 = 0x80;

/// Identifies stored bytes.
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
