//! Reads RocksDB's filters in place, whatever their kind.
//!
//! Any bytes may come from a disk: every one of them has a documented answer, none of them panics.

use core::num::NonZeroU32;

use hashzoo::xxph3_64;

use super::legacy_lines::{self, Lines};
use super::ribbon::Solution;
use crate::arch::wide::WideSource;
use crate::arch::wide::lines::{self, LINE_LEN, Line};
use crate::arch::{Chosen, Kernel};
use crate::error::Error;
use crate::keys::KeyBatch;
use crate::params::MAX_PROBES;
use crate::prepared::{fill, words_for};
use crate::view::{MATCHES_EVERYTHING, count_ones};

/// Bytes behind the bits of every filter, which tell what they are.
///
/// Source: RocksDB, `table/block_based/filter_policy.cc` (`kMetadataLen`).
pub(super) const TAIL_LEN: usize = 5;

/// The first byte of the tail of what RocksDB calls new Bloom filters.
pub(super) const NEW_BLOOM_MARKER: u8 = 0xff;

/// The first byte of the tail of Ribbon filters.
pub(super) const RIBBON_MARKER: u8 = 0xfe;

/// The fewest bytes, tail included, that a filter can have and hold a key.
const MIN_LEN: usize = TAIL_LEN + 1;

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
pub(super) enum Contents<'a> {
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

/// The lines and the probe count of a filter of the usual kind. Lines of 64 bytes have the upper three bits 0; 0 and 31
/// probes are reserved; a filter that has not a whole line answers nothing.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "below the most there can be")]
pub(super) fn fast_local(filter: &[u8]) -> Option<(&[Line], u8)> {
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

impl<'a> Contents<'a> {
    #[inline]
    fn new(filter: &'a [u8]) -> Self {
        match fast_local(filter) {
            Some((lines, probes)) => Self::FastLocalBloom { lines, probes },
            None => Self::of_another_kind(filter),
        }
    }

    #[inline(never)]
    pub(super) fn of_another_kind(filter: &'a [u8]) -> Self {
        let Some((bits, tail)) = filter.split_last_chunk::<TAIL_LEN>() else {
            // RocksDB writes no two bytes; who could not make a filter writes these.
            return if filter == MATCHES_EVERYTHING {
                Self::Reserved
            } else {
                Self::Empty
            };
        };
        if filter.len() < MIN_LEN {
            return Self::Empty;
        }
        // RocksDB counts the bytes in 32 bits and writes no filter that has more.
        if u32::try_from(filter.len()).is_err() {
            return Self::Reserved;
        }
        let contents = match *tail {
            [probes @ 1..=0x7f, a, b, c, d] => legacy(bits, probes, u32::from_le_bytes([a, b, c, d])),
            [RIBBON_MARKER, seed, a, b, c] => {
                Solution::new(bits, seed, u32::from_le_bytes([a, b, c, 0])).map(Self::Ribbon)
            }
            _ => None,
        };
        contents.unwrap_or(Self::Reserved)
    }

    /// Of the kinds that have portable code alone.
    #[inline(never)]
    pub(super) fn may_match(self, key: &[u8]) -> bool {
        match self {
            Self::Empty => false,
            Self::Reserved => true,
            Self::LegacyBloom { bits, lines, probes } => {
                legacy_lines::may_match(bits, lines, probes, legacy_lines::hash(key))
            }
            Self::FastLocalBloom { lines, probes } => {
                lines::key_may_match(Chosen::Scalar, lines, probes, key)
            }
            Self::Ribbon(solution) => solution.may_match(xxph3_64(key, 0)),
        }
    }
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
pub struct RocksDbFilterView<'a> {
    contents: Contents<'a>,
    kernel: Chosen,
}

impl<'a> RocksDbFilterView<'a> {
    /// The name under which RocksDB's tables hold filters of every kind, behind the prefix `fullfilter.` or
    /// `partitionedfilter.`. Behind `filter.` it means another encoding, which is not read here.
    ///
    /// Source: RocksDB, `table/block_based/filter_policy.cc` (`BuiltinFilterPolicy::kCompatibilityName`).
    pub const COMPATIBILITY_NAME: &'static str = "rocksdb.BuiltinBloomFilter";

    /// Reads the filter; accepts any bytes.
    #[inline]
    pub fn new(filter: &'a [u8]) -> Self {
        Self::by(Chosen::best(), filter)
    }

    /// The same, for the instructions of the caller's choice. Where the processor does not have them, it is asked by
    /// [`Kernel::Scalar`].
    #[inline]
    pub fn on_kernel(filter: &'a [u8], kernel: Kernel) -> Self {
        Self::by(Chosen::of(kernel), filter)
    }

    #[inline]
    pub(super) fn by(kernel: Chosen, filter: &'a [u8]) -> Self {
        Self {
            contents: Contents::new(filter),
            kernel,
        }
    }

    /// The instructions that filters of [`FastLocalBloom`](RocksDbFilterKind::FastLocalBloom) are asked with. Other kinds
    /// have portable code alone.
    pub const fn kernel(&self) -> Kernel {
        self.kernel.kernel()
    }

    /// What the bytes are.
    pub const fn kind(&self) -> RocksDbFilterKind {
        match self.contents {
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
        match self.contents {
            Contents::FastLocalBloom { lines, probes } => {
                lines::key_may_match(self.kernel, lines, probes, key)
            }
            contents => contents.may_match(key),
        }
    }

    /// Asks for many keys: bit `i % 64` of word `i / 64` is the answer for key `i`.
    ///
    /// Writes a word for every 64 keys, the bits beyond the last key 0, and leaves further words as they are. Takes no
    /// memory but the stack's. The lines of filters that do not lie in the cache are asked for ahead.
    ///
    /// It pays for some tens of keys and more in a filter of the kind [`FastLocalBloom`](RocksDbFilterKind::FastLocalBloom),
    /// and most with AVX-512 and keys of 9 to 32 bytes, which are hashed eight at a time where eight in a row are 9 to 16
    /// bytes long, or 17 to 32. Other kinds of filters are asked key by key.
    ///
    /// ```
    /// use filter_policy::{FastLocalBloomPolicy, RocksDbBitsPerKey, RocksDbFilterView};
    ///
    /// let policy = FastLocalBloomPolicy::new(RocksDbBitsPerKey::whole(10));
    /// let mut buffer = [0; 100];
    /// let filter = policy.build_in(["hello", "world"], &mut buffer)?;
    ///
    /// let mut answers = [0];
    /// RocksDbFilterView::new(filter).may_match_many(&[&b"x"[..], b"world", b"foo"], &mut answers)?;
    /// assert_eq!(answers, [0b010]);
    /// # Ok::<(), filter_policy::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::TooFewAnswers`] when `answers` has fewer words than the keys need; it is then unchanged.
    pub fn may_match_many<'k>(
        &self,
        keys: impl Into<KeyBatch<'k>>,
        answers: &mut [u64],
    ) -> Result<(), Error> {
        let keys = keys.into();
        let answers = words_for(keys.len(), answers)?;
        match self.contents {
            Contents::Empty => fill(false, keys.len(), answers),
            Contents::Reserved => fill(true, keys.len(), answers),
            Contents::FastLocalBloom { lines, probes } => {
                lines::may_match_many(self.kernel, lines, probes, WideSource::Keys(keys), answers);
            }
            Contents::LegacyBloom { .. } | Contents::Ribbon(_) => match keys {
                KeyBatch::Slices(keys) => self.ask_each(keys.iter().copied(), answers),
                KeyBatch::Packed(keys) => self.ask_each(keys.iter(), answers),
            },
        }
        Ok(())
    }

    fn ask_each<'k>(&self, mut keys: impl Iterator<Item = &'k [u8]>, answers: &mut [u64]) {
        for word in answers {
            *word = 0;
            for (i, key) in keys.by_ref().take(64).enumerate() {
                *word |= u64::from(self.may_match(key)) << i;
            }
        }
    }

    /// Asks for keys of these hash values, [`FastLocalBloomPolicy::hash`](crate::FastLocalBloomPolicy::hash)'s; otherwise as
    /// [`may_match_many`](Self::may_match_many). Filters of the legacy kind have another hash function: they answer "may
    /// match".
    ///
    /// # Errors
    ///
    /// As there.
    pub fn may_match_hashes(&self, hashes: &[u64], answers: &mut [u64]) -> Result<(), Error> {
        let answers = words_for(hashes.len(), answers)?;
        match self.contents {
            Contents::Empty => fill(false, hashes.len(), answers),
            Contents::Reserved | Contents::LegacyBloom { .. } => fill(true, hashes.len(), answers),
            Contents::FastLocalBloom { lines, probes } => {
                lines::may_match_many(self.kernel, lines, probes, WideSource::Hashes(hashes), answers);
            }
            Contents::Ribbon(solution) => {
                for (word, hashes) in answers.iter_mut().zip(hashes.chunks(64)) {
                    *word = 0;
                    for (i, &hash) in hashes.iter().enumerate() {
                        *word |= u64::from(solution.may_match(hash)) << i;
                    }
                }
            }
        }
        Ok(())
    }

    /// The number of bits that answers come from; 0 of an empty filter and a reserved one.
    pub const fn bits(&self) -> u64 {
        match self.contents {
            Contents::Empty | Contents::Reserved => 0,
            Contents::LegacyBloom { bits, .. } => bits.len() as u64 * 8,
            Contents::FastLocalBloom { lines, .. } => lines.as_flattened().len() as u64 * 8,
            Contents::Ribbon(solution) => solution.words() as u64 * 128,
        }
    }

    /// The probe count k of a Bloom filter; `None` of other kinds.
    pub const fn probe_count(&self) -> Option<u8> {
        match self.contents {
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
        match self.contents {
            Contents::Ribbon(solution) => solution.false_positive_rate(),
            Contents::Empty => 0.0,
            _ => 1.0,
        }
    }

    /// A Bloom filter's bytes, the length of its lines, and its probe count.
    fn lines(&self) -> Option<(&'a [u8], usize, u8)> {
        match self.contents {
            Contents::LegacyBloom { bits, lines, probes } => Some((bits, 1 << (lines.log2_bits - 3), probes)),
            Contents::FastLocalBloom { lines, probes } => Some((lines.as_flattened(), LINE_LEN, probes)),
            _ => None,
        }
    }
}

/// Whether a filter of any kind may hold the key, for policies of the kinds that have portable code alone.
#[inline]
pub(super) fn may_match(key: &[u8], filter: &[u8]) -> bool {
    match fast_local(filter) {
        Some((lines, probes)) => lines::key_may_match(Chosen::best(), lines, probes, key),
        None => Contents::of_another_kind(filter).may_match(key),
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
