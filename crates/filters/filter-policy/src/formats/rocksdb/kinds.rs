//! RocksDB's filters share their last five bytes, which identify the kind of filter. The filters of every kind are read
//! here; what writes a kind is above.

use super::fast_local::bits::{CacheLines, LINE_LEN};
use super::legacy::lines::{LegacyLines, Lines};
use super::ribbon::bits::Solution;
use super::ribbon::sizes::rate_of;
use crate::policy::Facts;
use crate::simd::{KernelToken, MAX_PROBES};
use crate::view::FilterView;
use crate::{BitsPerKey, Error, MATCHES_EVERYTHING, Prepared};

/// The names of the kinds in reports.
pub(super) const FAST_LOCAL_BLOOM: &str = "FastLocalBloom";
pub(super) const LEGACY_BLOOM: &str = "LegacyBloom";
pub(super) const RIBBON: &str = "Ribbon";

/// Prepares bytes of any kind: each policy reads the filters of all.
pub(super) fn prepare(filter: &[u8]) -> Prepared {
    let kernel = KernelToken::best();
    if let Some(lines) = fast_local(filter) {
        lines.prepared(kernel)
    } else if let Some(solution) = ribbon(filter) {
        solution.prepared(kernel)
    } else if let Some(lines) = legacy(filter) {
        lines.prepared()
    } else {
        Prepared::same_for_all(is_reserved(filter))
    }
}

/// The functions of [`ListedFormat`](crate::policy::ListedFormat) that RocksDB's formats share.
macro_rules! shared {
    () => {
        /// Bits per key are from 1 to 100.
        fn reach(_: u64) -> Option<u64> {
            None
        }

        fn view<'a>(&self, filter: &'a [u8]) -> crate::view::FilterView<'a> {
            kinds::view(filter)
        }

        fn write_damage(last: u8, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            write!(f, "tail must be of a known kind, got last byte {last:#04x}")
        }
    };
}

pub(super) use shared;

/// Returns the facts of a kind.
pub(super) const fn facts(kind: &'static str, short_names: &'static [&'static str]) -> Facts {
    Facts {
        layout: "RocksDb",
        ..Facts::new(kind, short_names)
    }
}

/// Describes bytes of any kind.
pub(super) fn view(filter: &[u8]) -> FilterView<'_> {
    if let Some(CacheLines(lines, probes)) = fast_local(filter) {
        FilterView::bloom(FAST_LOCAL_BLOOM, lines.as_flattened(), LINE_LEN, probes)
    } else if let Some(solution) = ribbon(filter) {
        FilterView::solved(RIBBON, solution.bytes(), rate_of(solution.shape()))
    } else if let Some(stored) = legacy(filter) {
        let LegacyLines { bits, lines, probes } = stored;
        let view = FilterView::bloom(LEGACY_BLOOM, bits, lines.line_len(), probes);
        match stored.rate_of() {
            Some(rate_of) => view.with_rate_of(rate_of),
            None => view,
        }
    } else if is_reserved(filter) {
        FilterView::RESERVED
    } else {
        FilterView::EMPTY
    }
}

/// Returns true if bytes without a filter match every key. RocksDB writes no two-byte filter; adapters that could not
/// build a filter write these two bytes.
fn is_reserved(filter: &[u8]) -> bool {
    filter.len() >= MIN_LEN || filter == MATCHES_EVERYTHING
}

/// The length of the tail that identifies every filter.
///
/// Source: RocksDB, `table/block_based/filter_policy.cc` (`kMetadataLen`).
pub(super) const TAIL_LEN: usize = 5;

/// The first byte of the tail of RocksDB's "new" Bloom filters.
pub(super) const NEW_BLOOM_MARKER: u8 = 0xff;

/// The first byte of the tail of Ribbon filters.
pub(super) const RIBBON_MARKER: u8 = 0xfe;

/// The minimum length of a filter that holds a key, tail included.
const MIN_LEN: usize = TAIL_LEN + 1;

/// Returns the lines and probe count of a Bloom filter of format version 5 or later; `None` for other bytes. The upper
/// three bits of the probe count's byte are 0 for 64-byte lines; 0 and 31 probes are reserved; a filter needs at least
/// one whole line.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "below the most there can be")]
pub(super) fn fast_local(filter: &[u8]) -> Option<CacheLines<'_>> {
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
    Some(CacheLines(bits.as_chunks().0, further as u8 + 1))
}

/// Returns the bits and the tail of a filter of another kind; `None` for lengths that RocksDB does not write: it counts
/// the bytes in 32 bits.
#[inline]
fn tailed(filter: &[u8]) -> Option<(&[u8], &[u8; TAIL_LEN])> {
    let (bits, tail) = filter.split_last_chunk()?;
    (!bits.is_empty() && u32::try_from(filter.len()).is_ok()).then_some((bits, tail))
}

/// Returns the solution of a Ribbon filter; `None` for other bytes.
#[inline]
pub(super) fn ribbon(filter: &[u8]) -> Option<Solution<'_>> {
    match tailed(filter)? {
        (bits, &[RIBBON_MARKER, seed, a, b, c]) => {
            Solution::new(bits, seed, u32::from_le_bytes([a, b, c, 0]))
        }
        _ => None,
    }
}

/// Returns the lines of a Bloom filter of format version 4 or earlier; `None` for other bytes.
#[inline]
pub(super) fn legacy(filter: &[u8]) -> Option<LegacyLines<'_>> {
    match tailed(filter)? {
        (bits, &[probes @ 1..=0x7f, a, b, c, d]) => {
            let lines = Lines::filling(bits.len() as u64, u32::from_le_bytes([a, b, c, d]))?;
            Some(LegacyLines { bits, lines, probes })
        }
        _ => None,
    }
}

/// Returns the length of a filter with this many bytes of bits.
#[inline]
pub(super) fn addressable(bytes: u64, keys: usize, bits_per_key: BitsPerKey) -> Result<usize, Error> {
    // Always fits on 64-bit platforms.
    usize::try_from(bytes + TAIL_LEN as u64).map_err(|_| {
        let most = bits_per_key.most_keys(u64::from(u32::MAX) * 8);
        bits_per_key.too_large(keys as u64, most)
    })
}
