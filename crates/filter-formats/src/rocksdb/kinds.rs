//! RocksDB's layout: the last five bytes identify the kind of filter.

use filter_kernels::fast_local::{self, LINE_LEN, Line};
use filter_kernels::ribbon::{self, Solution};
use filter_kernels::{KernelToken, MAX_PROBES};
#[cfg(feature = "alloc")]
use filter_policy::KeyHash;
use filter_policy::answers::{each, fill};
use filter_policy::prepared::{Plan, Reader};
use filter_policy::{BitsPerKey, Error, HashFunction, MATCHES_EVERYTHING};

use super::lines::{self, Lines};
use super::ribbon_size::rate_of;
use crate::contents::{Contents, Stored, plan, probes};
#[cfg(feature = "alloc")]
use crate::view::places::Places;
use crate::view::{FilterView, Format};

/// A filter of one of RocksDB's kinds.
#[derive(Clone, Copy)]
pub(super) enum Kind<'a> {
    LegacyBloom {
        bits: &'a [u8],
        lines: Lines,
        probes: u8,
    },
    FastLocalBloom {
        lines: &'a [Line],
        probes: u8,
    },
    Ribbon(Solution<'a>),
}

impl<'a> Stored<'a> for Kind<'a> {
    fn plan(self, kernel: KernelToken) -> Plan {
        match self {
            Self::LegacyBloom { bits, lines, probes } => plan(
                kernel,
                HashFunction::ROCKSDB_LEGACY,
                &LEGACY,
                |words, bits, key| legacy_may_match(words, bits, lines::hash(key)),
                bits,
                lines.words(probes),
            ),
            Self::FastLocalBloom { lines, probes } => {
                let bits = lines.as_flattened();
                plan(
                    kernel,
                    HashFunction::XXPH3,
                    &FAST_LOCAL,
                    fast_local::asker(kernel),
                    bits,
                    [probes.into(), 0, 0],
                )
            }
            Self::Ribbon(solution) => {
                let [shape, seed] = solution.numbers();
                plan(
                    kernel,
                    HashFunction::XXPH3,
                    &RIBBON,
                    ribbon::asker(kernel),
                    solution.bytes(),
                    [shape, seed, 0],
                )
            }
        }
    }

    fn view(self) -> FilterView<'a> {
        match self {
            Self::LegacyBloom { bits, lines, probes } => {
                FilterView::bloom(Format::LEGACY_BLOOM, bits, lines.line_len(), probes)
            }
            Self::FastLocalBloom { lines, probes } => {
                FilterView::bloom(Format::FAST_LOCAL_BLOOM, lines.as_flattened(), LINE_LEN, probes)
            }
            Self::Ribbon(solution) => {
                FilterView::solved(Format::RIBBON, solution.bytes(), rate_of(solution.shape()))
            }
        }
    }
}

kernel_reader!(
    FAST_LOCAL,
    FAST_LOCAL_BLOOM,
    fast_local,
    |bits, plan| bits.as_chunks().0,
    probes(plan)
);
kernel_reader!(RIBBON, RIBBON, ribbon, |bits, plan| Solution::of_numbers(
    bits,
    [plan.words[0], plan.words[1]]
));

static LEGACY: Reader = Reader {
    name: Format::LEGACY_BLOOM.name,
    keys: Some(|plan, bits, keys, answers| {
        each(keys.iter(), answers, |key| {
            legacy_may_match(&plan.words, bits, lines::hash(key))
        });
    }),
    hash: |plan, bits, hash| {
        u32::try_from(hash).map_or(true, |hash| legacy_may_match(&plan.words, bits, hash))
    },
    hashes: |plan, bits, hashes, answers| match hashes.values() {
        Some(hashes) => each(hashes.iter(), answers, |&hash| {
            legacy_may_match(&plan.words, bits, hash)
        }),
        None => fill(true, hashes.len(), answers),
    },
};

fn legacy_may_match(words: &[u64; 3], bits: &[u8], hash: u32) -> bool {
    // Always a number of lines, since the words are those of lines.
    Lines::of_words(*words)
        .is_none_or(|(lines, probes)| lines::may_match(KernelToken::Scalar, bits, lines, probes, hash))
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
pub(super) fn fast_local(filter: &[u8]) -> Option<(&[Line], u8)> {
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
pub(super) fn contents(filter: &[u8]) -> Contents<Kind<'_>> {
    match fast_local(filter) {
        Some((lines, probes)) => Contents::Filter(Kind::FastLocalBloom { lines, probes }),
        None => contents_of_another_kind(filter),
    }
}

/// [`contents`] for readers that expect other filters than those of format version 5 or later.
#[inline]
pub(super) fn contents_expecting_others(filter: &[u8]) -> Contents<Kind<'_>> {
    match filter.last_chunk::<TAIL_LEN>() {
        Some([NEW_BLOOM_MARKER, ..]) => contents(filter),
        _ => contents_of_another_kind(filter),
    }
}

#[inline(never)]
pub(super) fn contents_of_another_kind(filter: &[u8]) -> Contents<Kind<'_>> {
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
        [probes @ 1..=0x7f, a, b, c, d] => {
            let lines = Lines::filling(bits.len() as u64, u32::from_le_bytes([a, b, c, d]));
            lines.map(|lines| Contents::Filter(Kind::LegacyBloom { bits, lines, probes }))
        }
        [RIBBON_MARKER, seed, a, b, c] => {
            let solution = Solution::new(bits, seed, u32::from_le_bytes([a, b, c, 0]));
            solution.map(|solution| Contents::Filter(Kind::Ribbon(solution)))
        }
        _ => None,
    };
    contents.unwrap_or(Contents::Reserved)
}

/// Returns the length of a filter with this many bytes of bits.
pub(super) fn addressable(bytes: u64, keys: usize, bits_per_key: BitsPerKey) -> Result<usize, Error> {
    // Always fits on 64-bit platforms.
    let most = bits_per_key.most_keys(u64::from(u32::MAX) * 8);
    usize::try_from(bytes + TAIL_LEN as u64).map_err(|_| bits_per_key.too_large(keys as u64, most))
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
pub(super) fn line_may_match(tail: &[u8], hash: KeyHash, line: &[u8]) -> bool {
    match (fast_local(&of_one_line(tail, line)), hash.of(HashFunction::XXPH3)) {
        // The only line is that of every hash value.
        (Some((one, probes)), Some(hash)) if line.len() >= LINE_LEN => {
            fast_local::may_match(KernelToken::best(), one, probes, hash)
        }
        _ => true,
    }
}

/// Returns the places in a filter of this length; `None` for a Ribbon filter.
#[cfg(feature = "alloc")]
pub(super) fn places(len: usize, tail: &[u8], hash: KeyHash) -> Option<Places> {
    let Some(last) = tail.last_chunk::<TAIL_LEN>().filter(|_| len >= MIN_LEN) else {
        let is_reserved = matches!(contents_of_another_kind(tail), Contents::Reserved);
        return Some(Places::Same(is_reserved));
    };
    // RocksDB counts the bytes in 32 bits.
    if u32::try_from(len).is_err() {
        return Some(Places::Same(true));
    }
    let bits = len - TAIL_LEN;
    let lines = bits / LINE_LEN;
    Some(match (fast_local(&of_one_line(tail, &[])), *last) {
        (Some(_), _) if lines > 0 => hash.of(HashFunction::XXPH3).map_or(Places::Same(true), |hash| {
            Places::unit(fast_local::line_of(hash, lines), LINE_LEN)
        }),
        (_, [RIBBON_MARKER, ..]) => return None,
        (_, [probes @ 1..=0x7f, a, b, c, d]) => {
            let lines = Lines::filling(bits as u64, u32::from_le_bytes([a, b, c, d]));
            match (lines, hash.of(HashFunction::ROCKSDB_LEGACY)) {
                (Some(lines), Some(hash)) => Places::Bits(lines.positions(hash, probes).collect()),
                _ => Places::Same(true),
            }
        }
        _ => Places::Same(true),
    })
}
