//! RocksDB's stored layout, identified by the last five bytes.

use filter_kernels::MAX_PROBES;
use filter_kernels::fast_local::{LINE_LEN, Line};
use filter_kernels::ribbon::Solution;
use filter_policy::{BitsPerKey, Error, MATCHES_EVERYTHING};

use super::Contents;
use super::legacy::Lines;

/// The length of the tail that identifies every filter.
///
/// Source: RocksDB, `table/block_based/filter_policy.cc` (`kMetadataLen`).
pub(crate) const TAIL_LEN: usize = 5;

/// The first byte of the tail of RocksDB's "new" Bloom filters.
pub(crate) const NEW_BLOOM_MARKER: u8 = 0xff;

/// The first byte of the tail of Ribbon filters.
pub(crate) const RIBBON_MARKER: u8 = 0xfe;

/// The minimum length of a filter that holds a key, tail included.
const MIN_LEN: usize = TAIL_LEN + 1;

/// Returns the lines and probe count of a Bloom filter of format version 5 or later; `None` for other bytes. The upper
/// three bits of the probe count's byte are 0 for 64-byte lines; 0 and 31 probes are reserved; a filter needs at least
/// one whole line.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "below the most there can be")]
pub(crate) fn fast_local(filter: &[u8]) -> Option<(&[Line], u8)> {
    /// The tail of a filter with one probe; more probes add to the count in place.
    const TAIL: u64 = u64::from_le_bytes([NEW_BLOOM_MARKER, 0, 1, 0, 0, 0, 0, 0]);
    const SHORTEST: u64 = (LINE_LEN + TAIL_LEN) as u64;
    // RocksDB counts the bytes in 32 bits and writes no longer filter. One comparison checks both limits.
    if (filter.len() as u64).wrapping_sub(SHORTEST) > u64::from(u32::MAX) - SHORTEST {
        return None;
    }
    let (bits, _) = filter.split_last_chunk::<TAIL_LEN>()?;
    // The five bytes of the tail; the shift drops the three bytes before it, which belong to a line.
    let tail = u64::from_le_bytes(*filter.last_chunk()?) >> 24;
    // After the rotation, a difference in any other byte lies above the count.
    let further = tail.wrapping_sub(TAIL).rotate_right(16);
    if further >= u64::from(MAX_PROBES) {
        return None;
    }
    Some((bits.as_chunks().0, further as u8 + 1))
}

/// Identifies stored bytes.
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
        // RocksDB writes no two-byte filter; adapters that could not build a filter write these two bytes.
        return if filter == MATCHES_EVERYTHING {
            Contents::Reserved
        } else {
            Contents::Empty
        };
    };
    if filter.len() < MIN_LEN {
        return Contents::Empty;
    }
    // RocksDB counts the bytes in 32 bits and writes no longer filter.
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

/// Returns the length of a filter with this many bytes of bits.
pub(crate) fn addressable(bytes: u64, keys: usize, bits_per_key: BitsPerKey) -> Result<usize, Error> {
    // Always fits on 64-bit platforms.
    usize::try_from(bytes + TAIL_LEN as u64).map_err(|_| Error::FilterTooLarge {
        keys: keys as u64,
        bits_per_key: bits_per_key.get(),
    })
}

fn legacy(bits: &[u8], probes: u8, lines: u32) -> Option<Contents<'_>> {
    let lines = Lines::filling(bits.len() as u64, lines)?;
    Some(Contents::LegacyBloom { bits, lines, probes })
}
