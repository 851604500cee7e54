//! Reads RocksDB's filters in place, whatever their kind.
//!
//! Any bytes may come from a disk: every one of them has a documented answer, none of them panics.

use core::num::NonZeroU32;

use super::fast_local::{self, Line};
use super::legacy::{self, LegacyFullFilterPolicy, Lines};
use super::ribbon::Solution;
use super::{FastLocalBloomPolicy, MIN_LEN, NEW_BLOOM_MARKER, RIBBON_MARKER, TAIL_LEN};
use crate::view::{MATCHES_EVERYTHING, count_ones};

/// What stored filter bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RocksDbFilterKind {
    /// At most five bytes: a filter of no keys, which never matches.
    Empty,
    /// What RocksDB reserves for other encodings, or cannot read, and
    /// [`MATCHES_EVERYTHING`](crate::MATCHES_EVERYTHING): always matches.
    Reserved,
    /// A Bloom filter of format version 4 or before.
    LegacyBloom,
    /// A Bloom filter of format version 5 or later.
    FastLocalBloom,
    /// A Ribbon filter.
    Ribbon,
}

#[derive(Debug, Clone, Copy)]
enum Contents<'a> {
    Empty,
    Reserved,
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

/// A filter of RocksDB's in stored bytes, read in place: the kind is told by the last five bytes.
///
/// The work that depends on the filter alone is done once, in [`RocksDbFilterView::new`]; keep the view to ask for
/// many keys.
///
/// ```
/// use filter_policy::{FastLocalBloomPolicy, RocksDbBitsPerKey, RocksDbFilterKind, RocksDbFilterView};
///
/// let policy = FastLocalBloomPolicy::new(RocksDbBitsPerKey::whole(10));
/// let mut buffer = [0; 100];
/// let filter = policy.build_in(["hello", "world"], &mut buffer)?;
///
/// let view = RocksDbFilterView::new(filter);
/// assert_eq!(view.kind(), RocksDbFilterKind::FastLocalBloom);
/// assert_eq!((view.bits(), view.probe_count()), (512, Some(6)));
/// assert!(view.may_match(b"hello"));
/// assert!(!view.may_match(b"foo"));
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct RocksDbFilterView<'a>(Contents<'a>);

impl<'a> RocksDbFilterView<'a> {
    /// The name under which RocksDB's tables hold filters of every kind, behind the prefix `fullfilter.` or
    /// `partitionedfilter.`. Behind `filter.` it means another encoding, which is not read here.
    ///
    /// Source: RocksDB, `table/block_based/filter_policy.cc` (`BuiltinFilterPolicy::kCompatibilityName`).
    pub const COMPATIBILITY_NAME: &'static str = "rocksdb.BuiltinBloomFilter";

    /// Reads the filter; accepts any bytes.
    #[inline]
    pub fn new(filter: &'a [u8]) -> Self {
        let Some((bits, tail)) = filter.split_last_chunk::<TAIL_LEN>() else {
            // RocksDB writes no two bytes; who could not make a filter writes these.
            return Self(if filter == MATCHES_EVERYTHING {
                Contents::Reserved
            } else {
                Contents::Empty
            });
        };
        if filter.len() < MIN_LEN {
            return Self(Contents::Empty);
        }
        // RocksDB counts the bytes in 32 bits and writes no filter that has more.
        if u32::try_from(filter.len()).is_err() {
            return Self(Contents::Reserved);
        }
        let contents = match *tail {
            [probes @ 1..=0x7f, a, b, c, d] => legacy(bits, probes, u32::from_le_bytes([a, b, c, d])),
            // Lines of 64 bytes have the upper three bits 0; 0 and 31 probes are reserved.
            [NEW_BLOOM_MARKER, 0, probes @ 1..=30, 0, 0] => fast_local(bits, probes),
            [RIBBON_MARKER, seed, a, b, c] => {
                Solution::new(bits, seed, u32::from_le_bytes([a, b, c, 0])).map(Contents::Ribbon)
            }
            _ => None,
        };
        Self(contents.unwrap_or(Contents::Reserved))
    }

    /// What the bytes are.
    pub const fn kind(&self) -> RocksDbFilterKind {
        match self.0 {
            Contents::Empty => RocksDbFilterKind::Empty,
            Contents::Reserved => RocksDbFilterKind::Reserved,
            Contents::LegacyBloom { .. } => RocksDbFilterKind::LegacyBloom,
            Contents::FastLocalBloom { .. } => RocksDbFilterKind::FastLocalBloom,
            Contents::Ribbon(_) => RocksDbFilterKind::Ribbon,
        }
    }

    /// Whether the filter may hold the key: `false` means that it does not.
    #[inline]
    pub fn may_match(&self, key: &[u8]) -> bool {
        match self.0 {
            Contents::Empty => false,
            Contents::Reserved => true,
            Contents::LegacyBloom { bits, lines, probes } => {
                legacy::may_match(bits, lines, probes, LegacyFullFilterPolicy::hash(key))
            }
            Contents::FastLocalBloom { lines, probes } => {
                fast_local::may_match(lines, probes, FastLocalBloomPolicy::hash(key))
            }
            Contents::Ribbon(solution) => solution.may_match(FastLocalBloomPolicy::hash(key)),
        }
    }

    /// The number of bits that answers come from; 0 of an empty filter and a reserved one.
    pub const fn bits(&self) -> u64 {
        match self.0 {
            Contents::Empty | Contents::Reserved => 0,
            Contents::LegacyBloom { bits, .. } => bits.len() as u64 * 8,
            Contents::FastLocalBloom { lines, .. } => lines.as_flattened().len() as u64 * 8,
            Contents::Ribbon(solution) => solution.words() as u64 * 128,
        }
    }

    /// The probe count k of a Bloom filter; `None` of other kinds.
    pub const fn probe_count(&self) -> Option<u8> {
        match self.0 {
            Contents::LegacyBloom { probes, .. } | Contents::FastLocalBloom { probes, .. } => Some(probes),
            _ => None,
        }
    }

    /// How many bits of a Bloom filter are ones; `None` of other kinds. Of a Ribbon filter's bits half are ones,
    /// however many keys it holds.
    pub fn ones(&self) -> Option<u64> {
        self.lines().map(|(bytes, _, _)| count_ones(bytes))
    }

    /// The probability that an absent key matches, if its probes were independent: of a Bloom filter the mean of
    /// `fill ^ k` over the lines, of a Ribbon filter two to the power of minus its columns; 0 of an empty filter, 1 of a
    /// reserved one.
    ///
    /// The probes of a legacy filter are not independent: its measured rate is higher.
    pub fn false_positive_rate(&self) -> f64 {
        if let Some((bytes, line_len, probes)) = self.lines() {
            let bits = line_len as f64 * 8.0;
            let of_line = |line| libm::pow(count_ones(line) as f64 / bits, f64::from(probes));
            // There is at least one: without, the filter is empty or reserved.
            let lines = bytes.chunks_exact(line_len);
            let count = lines.len() as f64;
            return lines.map(of_line).sum::<f64>() / count;
        }
        match self.0 {
            Contents::Ribbon(solution) => solution.false_positive_rate(),
            Contents::Empty => 0.0,
            _ => 1.0,
        }
    }

    /// A Bloom filter's bytes, the length of its lines, and its probe count.
    fn lines(&self) -> Option<(&'a [u8], usize, u8)> {
        match self.0 {
            Contents::LegacyBloom { bits, lines, probes } => Some((bits, 1 << (lines.log2_bits - 3), probes)),
            Contents::FastLocalBloom { lines, probes } => {
                Some((lines.as_flattened(), fast_local::LINE_LEN, probes))
            }
            _ => None,
        }
    }
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

/// A filter that has not a whole line answers nothing.
fn fast_local(bits: &[u8], probes: u8) -> Option<Contents<'_>> {
    let (lines, _) = bits.as_chunks();
    (!lines.is_empty()).then_some(Contents::FastLocalBloom { lines, probes })
}
