//! RocksDB's layout: the last five bytes identify the kind of filter.

use core::fmt;

#[cfg(feature = "alloc")]
use filter_kernels::StoredBits as _;
#[cfg(feature = "alloc")]
use filter_kernels::fast_local;
use filter_kernels::fast_local::{CacheLines, LINE_LEN};
use filter_kernels::ribbon::Solution;
use filter_kernels::{KernelToken, MAX_PROBES};
use filter_policy::{BitsPerKey, Error, MATCHES_EVERYTHING, Prepared};
#[cfg(feature = "alloc")]
use filter_policy::{HashFunctionId, KeyHash};

use super::bits_per_key::RocksDbBits;
use super::fast_local::FastLocalBloom;
use super::legacy::{LegacyBloom, LegacyLines};
use super::lines::Lines;
use super::ribbon::Ribbon;
use super::ribbon_size::rate_of;
#[cfg(feature = "alloc")]
use crate::view::places::Places;
use crate::view::{Described, EngineFormat, FilterView};

/// Prepares bytes of any kind: each policy reads the filters of all.
pub(super) fn prepare(filter: &[u8]) -> Prepared {
    let kernel = KernelToken::best();
    if let Some(lines) = fast_local(filter) {
        FastLocalBloom::prepared(kernel, lines)
    } else if let Some(solution) = ribbon(filter) {
        Ribbon::prepared(kernel, solution)
    } else if let Some(lines) = legacy(filter) {
        LegacyBloom::prepared(lines)
    } else {
        Prepared::same_for_all(is_reserved(filter))
    }
}

/// A format among those that share the layout: its sizes and its rate. The rest of its [`Described`] is that of all.
pub(super) trait RocksDbKind: Sync {
    /// The name in reports.
    const KIND: &'static str;

    const HASH_BITS: i32 = 64;

    fn filter_len(&self, keys: u64, bits: RocksDbBits) -> u64;

    fn probe_count(&self, keys: u64, bits: RocksDbBits) -> Option<u32>;

    /// The rate without absent keys whose hash value equals a stored key's.
    fn rate(&self, keys: u64, bits: RocksDbBits) -> f64;
}

impl<K: RocksDbKind> Described for K {
    fn name(&self) -> &'static str {
        K::KIND
    }

    fn layout(&self) -> &'static str {
        "RocksDb"
    }

    fn view<'a>(&self, filter: &'a [u8]) -> FilterView<'a> {
        view(filter)
    }

    #[cfg(feature = "alloc")]
    fn places(&self, len: usize, tail: &[u8], hash: KeyHash) -> Option<Places> {
        places(len, tail, hash)
    }

    #[cfg(feature = "alloc")]
    fn may_match(&self, tail: &[u8], hash: KeyHash, line: &[u8]) -> bool {
        line_may_match(tail, hash, line)
    }

    fn damage(&self, last: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tail must be of a known kind, got last byte {last:#04x}")
    }

    fn hash_bits(&self) -> i32 {
        K::HASH_BITS
    }

    fn filter_len(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<u64, Error> {
        Ok(RocksDbKind::filter_len(
            self,
            keys,
            RocksDbBits::given(bits_per_key)?,
        ))
    }

    fn probe_count(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<Option<u32>, Error> {
        Ok(RocksDbKind::probe_count(
            self,
            keys,
            RocksDbBits::given(bits_per_key)?,
        ))
    }

    fn rate(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<f64, Error> {
        Ok(RocksDbKind::rate(self, keys, RocksDbBits::given(bits_per_key)?))
    }
}

/// Describes bytes of any kind.
fn view(filter: &[u8]) -> FilterView<'_> {
    if let Some(CacheLines(lines, probes)) = fast_local(filter) {
        FilterView::bloom(
            EngineFormat::FAST_LOCAL_BLOOM,
            lines.as_flattened(),
            LINE_LEN,
            probes,
        )
    } else if let Some(solution) = ribbon(filter) {
        FilterView::solved(EngineFormat::RIBBON, solution.bytes(), rate_of(solution.shape()))
    } else if let Some(LegacyLines { bits, lines, probes }) = legacy(filter) {
        FilterView::bloom(EngineFormat::LEGACY_BLOOM, bits, lines.line_len(), probes)
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

/// A filter of format version 5 or later with one line and this tail.
#[cfg(feature = "alloc")]
fn of_one_line(tail: &[u8], line: &[u8]) -> [u8; LINE_LEN + TAIL_LEN] {
    let mut one = [0; LINE_LEN + TAIL_LEN];
    if let Some((bits, end)) = one.split_last_chunk_mut() {
        bits.copy_from_slice(line.get(..LINE_LEN).unwrap_or(&[0; LINE_LEN]));
        *end = tail.last_chunk::<TAIL_LEN>().copied().unwrap_or_default();
    }
    one
}

/// Answers from the line of a hash value.
#[cfg(feature = "alloc")]
fn line_may_match(tail: &[u8], hash: KeyHash, line: &[u8]) -> bool {
    match (
        fast_local(&of_one_line(tail, line)),
        hash.of(HashFunctionId::XXPH3),
    ) {
        // The only line is that of every hash value.
        (Some(CacheLines(one, probes)), Some(hash)) if line.len() >= LINE_LEN => {
            CacheLines(one, probes).may_match(KernelToken::best(), hash)
        }
        _ => true,
    }
}

/// Returns the places in a filter of this length; `None` for a Ribbon filter.
#[cfg(feature = "alloc")]
fn places(len: usize, tail: &[u8], hash: KeyHash) -> Option<Places> {
    let Some(last) = tail.last_chunk::<TAIL_LEN>().filter(|_| len >= MIN_LEN) else {
        return Some(Places::Same(is_reserved(tail)));
    };
    // RocksDB counts the bytes in 32 bits.
    if u32::try_from(len).is_err() {
        return Some(Places::Same(true));
    }
    let bits = len - TAIL_LEN;
    let lines = bits / LINE_LEN;
    Some(match (fast_local(&of_one_line(tail, &[])), *last) {
        (Some(_), _) if lines > 0 => hash.of(HashFunctionId::XXPH3).map_or(Places::Same(true), |hash| {
            Places::unit(fast_local::line_of(hash, lines), LINE_LEN)
        }),
        (_, [RIBBON_MARKER, ..]) => return None,
        (_, [probes @ 1..=0x7f, a, b, c, d]) => {
            let lines = Lines::filling(bits as u64, u32::from_le_bytes([a, b, c, d]));
            match (lines, hash.of(HashFunctionId::ROCKSDB_LEGACY)) {
                (Some(lines), Some(hash)) => Places::Bits(lines.positions(hash, probes).collect()),
                _ => Places::Same(true),
            }
        }
        _ => Places::Same(true),
    })
}
