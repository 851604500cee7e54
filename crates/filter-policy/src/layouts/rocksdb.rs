//! What stored bytes are in RocksDB's layout: the last five tell.

use core::num::NonZeroU32;

use super::legacy_lines::Lines;
use super::ribbon::Solution;
use super::{Contents, MATCHES_EVERYTHING};
use crate::arch::KernelToken;
use crate::arch::wide::lines::{self, LINE_LEN, Line};
use crate::error::Error;
use crate::hash_value::HashValue;
use crate::params::{BitsPerKey, MAX_PROBES};

/// Bytes behind the bits of every filter, which tell what they are.
///
/// Source: RocksDB, `table/block_based/filter_policy.cc` (`kMetadataLen`).
pub(crate) const TAIL_LEN: usize = 5;

/// The first byte of the tail of what RocksDB calls new Bloom filters.
pub(crate) const NEW_BLOOM_MARKER: u8 = 0xff;

/// The first byte of the tail of Ribbon filters.
pub(crate) const RIBBON_MARKER: u8 = 0xfe;

/// The fewest bytes, tail included, that a filter can have and hold a key.
const MIN_LEN: usize = TAIL_LEN + 1;

/// The lines and the probe count of a filter of the usual kind. Lines of 64 bytes have the upper three bits 0; 0 and 31
/// probes are reserved; a filter that has not a whole line answers nothing.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "below the most there can be")]
pub(crate) fn fast_local(filter: &[u8]) -> Option<(&[Line], u8)> {
    /// One probe: what further ones are added to, in their place.
    const TAIL: u64 = u64::from_le_bytes([NEW_BLOOM_MARKER, 0, 1, 0, 0, 0, 0, 0]);
    const SHORTEST: u64 = (LINE_LEN + TAIL_LEN) as u64;
    // RocksDB counts the bytes in 32 bits and writes no filter that has more. Too short and too long in one comparison.
    if (filter.len() as u64).wrapping_sub(SHORTEST) > u64::from(u32::MAX) - SHORTEST {
        return None;
    }
    let (bits, _) = filter.split_last_chunk::<TAIL_LEN>()?;
    // All five bytes together, and three before them, which a line has.
    let tail = u64::from_le_bytes(*filter.last_chunk()?) >> 24;
    // Whatever differs elsewhere is above the count by then.
    let further = tail.wrapping_sub(TAIL).rotate_right(16);
    if further >= u64::from(MAX_PROBES) {
        return None;
    }
    Some((bits.as_chunks().0, further as u8 + 1))
}

/// What the bytes are.
#[inline]
pub(crate) fn contents(filter: &[u8]) -> Contents<'_> {
    match fast_local(filter) {
        Some((lines, probes)) => Contents::FastLocalBloom { lines, probes },
        None => contents_of_another_kind(filter),
    }
}

#[inline(never)]
pub(crate) fn contents_of_another_kind(filter: &[u8]) -> Contents<'_> {
    let Some((bits, tail)) = filter.split_last_chunk::<TAIL_LEN>() else {
        // RocksDB writes no two bytes; who could not make a filter writes these.
        return if filter == MATCHES_EVERYTHING {
            Contents::Reserved
        } else {
            Contents::Empty
        };
    };
    if filter.len() < MIN_LEN {
        return Contents::Empty;
    }
    // RocksDB counts the bytes in 32 bits and writes no filter that has more.
    if u32::try_from(filter.len()).is_err() {
        return Contents::Reserved;
    }
    let contents = match *tail {
        [probes @ 1..=0x7f, a, b, c, d] => legacy(bits, probes, u32::from_le_bytes([a, b, c, d])),
        [RIBBON_MARKER, seed, a, b, c] => {
            Solution::new(bits, seed, u32::from_le_bytes([a, b, c, 0])).map(Contents::Ribbon)
        }
        _ => None,
    };
    contents.unwrap_or(Contents::Reserved)
}

/// Whether a filter, of any kind, may hold the key with this hash value. Another kind may hash keys in another way.
#[inline]
pub(crate) fn may_match_hash<H: HashValue>(kernel: KernelToken, key: &[u8], hash: H, filter: &[u8]) -> bool {
    if let (Some((lines, probes)), Some(hash)) = (fast_local(filter), hash.wide()) {
        return lines::may_match(kernel, lines, probes, hash);
    }
    match (contents(filter), hash.narrow().is_some()) {
        (contents @ Contents::LegacyBloom { .. }, true) | (contents @ Contents::Ribbon(_), false) => {
            contents.may_match_hash(kernel, hash)
        }
        (contents, _) => contents.may_match(kernel, key),
    }
}

/// The length of a filter with so many bytes of bits.
pub(crate) fn addressable(bytes: u64, keys: usize, bits_per_key: BitsPerKey) -> Result<usize, Error> {
    // Always fits where addresses have 64 bits.
    usize::try_from(bytes + TAIL_LEN as u64).map_err(|_| Error::FilterTooLarge {
        keys: keys as u64,
        bits_per_key: bits_per_key.get(),
    })
}

/// The lines must fill the filter, and their length be a power of two: whichever machine wrote it.
fn legacy(bits: &[u8], probes: u8, lines: u32) -> Option<Contents<'_>> {
    let count = NonZeroU32::new(lines)?;
    let line_len = bits.len() as u64 / u64::from(lines);
    let log2_len = line_len.checked_ilog2()?;
    // So many lines, each as long as the power of two, are all of the filter.
    (u64::from(lines) << log2_len == bits.len() as u64).then_some(Contents::LegacyBloom {
        bits,
        lines: Lines {
            count,
            log2_bits: log2_len + 3,
        },
        probes,
    })
}
