//! RocksDB's cache-local filters: a multiplication selects the 64-byte line, and the top nine bits of each step of a
//! 32-bit walk select the bit in the line.

mod kernel;

use crate::MAX_PROBES;
use crate::bits::{Aligned, usual};
use crate::choose::KernelToken;
use crate::compile::{Asker, asker, by_kernel};
use crate::kernel::Kernel;
use crate::keys::Keys;
use crate::lanes::Portable;
use crate::source::WideSource;

/// A line: the bits that one key can set.
pub type Line = [u8; LINE_LEN];

/// The length of a line in bytes.
pub const LINE_LEN: usize = 64;

/// The golden ratio in 32 bits: the factor of the walk from one probe to the next.
///
/// Source: RocksDB, `util/bloom_impl.h` (`FastLocalBloomImpl`).
const MULTIPLIER: u32 = 0x9e37_79b9;

/// The probe count at 10 bits per key, for which loops are unrolled.
pub(crate) const USUAL_PROBES: u8 = 6;

/// The number of lines from which they are prefetched before use.
pub(crate) const PREFETCHED: usize = (1 << 20) / LINE_LEN;

/// The maximum number of lines that are built on the stack and copied.
const MAX_COPIED: usize = 128;
/// The maximum for few keys: a smaller copy is cleared sooner.
const FEW_COPIED: usize = 16;

/// The powers of the multiplier: the factors of a walk's start, one for each probe.
pub(crate) static POWERS: [u32; 32] = {
    let mut powers = [1; 32];
    let mut i = 1;
    while i < powers.len() {
        powers[i] = MULTIPLIER.wrapping_mul(powers[i - 1]);
        i += 1;
    }
    assert!(MAX_PROBES as usize <= powers.len());
    powers
};

/// Returns the line of a hash value among this many.
#[inline(always)]
pub const fn line_of(hash: u64, lines: usize) -> usize {
    // Fits: the index is below the number of lines, because the fraction that is multiplied is below one.
    (((hash & 0xffff_ffff) * lines as u64) >> 32) as usize
}

/// Returns the start of the walk from probe to probe.
#[inline(always)]
const fn walk_of(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// Sets the bits of a hash value.
#[inline(always)]
fn set_one(lines: &mut [Line], probes: u8, hash: u64) {
    let count = lines.len();
    // Always present, unless there is no line.
    if let Some(line) = lines.get_mut(line_of(hash, count)) {
        let mut walk = walk_of(hash);
        // Words are changed twice as fast as bytes on some processors.
        let words = line.as_chunks_mut::<4>().0;
        for _ in 0..probes {
            if let Some(word) = words.get_mut((walk >> 28) as usize) {
                *word = (u32::from_le_bytes(*word) | 1 << (walk >> 23 & 31)).to_le_bytes();
            }
            walk = walk.wrapping_mul(MULTIPLIER);
        }
    }
}

/// Returns true if the bits of a walk are set. Runs to the end even if a bit is missing: an early exit would be mispredicted
/// for half of the absent keys.
#[inline(always)]
fn all_set(line: &Line, probes: u8, mut walk: u32) -> bool {
    let words = line.as_chunks::<8>().0;
    let mut all = 1;
    for _ in 0..probes {
        let word = words.get((walk >> 29) as usize).copied().unwrap_or_default();
        all &= u64::from_le_bytes(word) >> (walk >> 23 & 63);
        walk = walk.wrapping_mul(MULTIPLIER);
    }
    all & 1 != 0
}

/// A reader of stored filters, most of which have lines.
pub trait Stored {
    /// Returns the lines and the probe count, within the limits of [`insert`].
    fn lines<'f>(&self, filter: &'f [u8]) -> Option<(&'f [Line], u8)>;
    /// Returns the answer of a filter without lines.
    fn may_match_without_lines(&self, key: &[u8], filter: &[u8]) -> bool;
}

/// Writes the bits of all keys over whatever the lines hold; otherwise like [`insert`].
pub fn create(kernel: KernelToken, lines: &mut [Line], probes: u8, keys: Keys<'_>) -> usize {
    let probes = probes.clamp(1, MAX_PROBES);
    let source = WideSource::Keys(keys);
    match lines.len() {
        2..=FEW_COPIED if kernel.kernel() == Kernel::Avx512 => {
            create_copied::<FEW_COPIED>(kernel, lines, probes, source)
        }
        2..=MAX_COPIED if kernel.kernel() == Kernel::Avx512 => {
            create_copied::<MAX_COPIED>(kernel, lines, probes, source)
        }
        _ => {
            lines.as_flattened_mut().fill(0);
            insert(kernel, lines, probes, source)
        }
    }
}

/// Builds at most `ROOM` lines aligned to cache lines, then copies them, for kernels that store whole lines: a line across
/// two cache lines cannot be loaded again until its store has reached the cache, and a filter of few lines needs each again
/// soon.
fn create_copied<const ROOM: usize>(
    kernel: KernelToken,
    lines: &mut [Line],
    probes: u8,
    source: WideSource<'_>,
) -> usize {
    let mut aligned = Aligned([[0; LINE_LEN]; ROOM]);
    let copied = &mut aligned.0[..lines.len()];
    let repeats = insert(kernel, copied, probes, source);
    lines.copy_from_slice(copied);
    repeats
}

/// Adds the bits of all keys to the lines, with 1 to 30 probes each; there are fewer than 2^26 lines. Returns the
/// number of hash values that equal the one before them.
pub fn insert(kernel: KernelToken, lines: &mut [Line], probes: u8, source: WideSource<'_>) -> usize {
    let probes = probes.clamp(1, MAX_PROBES);
    by_kernel!(
        kernel,
        kernel::insert,
        (lines: &mut [Line], probes: u8, source: WideSource<'_>) -> usize,
        else scalar_insert(lines, probes, source)
    )
}

fn scalar_insert(lines: &mut [Line], probes: u8, source: WideSource<'_>) -> usize {
    let (mut repeats, mut last) = (0, None);
    usual!(probes == USUAL_PROBES, |_MOST| source.for_each(|hash| {
        repeats += usize::from(last.replace(hash) == Some(hash));
        set_one(lines, probes, hash);
    }));
    repeats
}

/// Returns true if all bits of a hash value are set, or if there is no line. The limits are those of [`insert`].
#[inline(always)]
pub fn may_match(kernel: KernelToken, lines: &[Line], probes: u8, hash: u64) -> bool {
    by_kernel!(
        kernel,
        kernel::may_match,
        (lines: &[Line], probes: u8, hash: u64) -> bool
    )
}

/// Returns true if a stored filter, of any bytes, may hold a key. A single query spends as much time reaching the code
/// as computing the answer, so each kernel has one function from the bytes to the answer, called with the arguments in
/// place.
#[inline(always)]
pub fn stored_may_match<S: Stored>(stored: &S, key: &[u8], filter: &[u8], kernel: Option<Kernel>) -> bool {
    /// Cold path: CPU features have not been detected yet.
    #[cold]
    #[inline(never)]
    fn at_first<S: Stored>(stored: &S, key: &[u8], filter: &[u8], kernel: Option<Kernel>) -> bool {
        stored_may_match_by(KernelToken::given(kernel), stored, key, filter)
    }
    match KernelToken::known(kernel) {
        Some(kernel) => stored_may_match_by(kernel, stored, key, filter),
        None => at_first(stored, key, filter, kernel),
    }
}

#[inline(always)]
fn stored_may_match_by<S: Stored>(kernel: KernelToken, stored: &S, key: &[u8], filter: &[u8]) -> bool {
    by_kernel!(
        kernel,
        kernel::stored_may_match::<_, S, { kernel::SIXTEEN }>,
        [S: Stored] (stored: &S, key: &[u8], filter: &[u8]) -> bool,
        apart unless key.len() == 16, {
            key.len() < 16 => kernel::stored_may_match::<_, S, { kernel::SHORT }>,
            true => kernel::stored_may_match::<_, S, { kernel::ANY }>
        },
        else scalar_stored_may_match(stored, key, filter)
    )
}

fn scalar_stored_may_match<S: Stored>(stored: &S, key: &[u8], filter: &[u8]) -> bool {
    /// Out of line, so that keys of 16 bytes take no call and save no register.
    #[inline(never)]
    fn of_any_length(lines: &[Line], probes: u8, key: &[u8]) -> bool {
        kernel::key_may_match::<_, { kernel::ANY }>(Portable, lines, probes, key)
    }
    match stored.lines(filter) {
        Some((lines, probes)) if key.len() == 16 => {
            kernel::key_may_match::<_, { kernel::SIXTEEN }>(Portable, lines, probes, key)
        }
        Some((lines, probes)) => of_any_length(lines, probes, key),
        None => stored.may_match_without_lines(key, filter),
    }
}

/// Returns the function that asks a prepared filter; the first number is the probe count.
pub fn asker(kernel: KernelToken) -> Asker {
    use kernel::{ANY, SHORT, SIXTEEN, key_may_match};
    asker!(
        kernel,
        |lanes, _token, numbers, bits, key| key_may_match::<_, SIXTEEN>(lanes, bits.as_chunks().0, numbers[0] as u8, key),
        apart unless key.len() == 16, {
            key.len() < 16 => key_may_match::<_, SHORT>(lanes, bits.as_chunks().0, numbers[0] as u8, key),
            true => key_may_match::<_, ANY>(lanes, bits.as_chunks().0, numbers[0] as u8, key)
        }
    )
}

/// Writes the answers for all keys, one bit each, least significant first, over whatever `answers` holds; it has a word
/// for every 64 keys. Bits beyond the last key are 0. There is at least one line.
pub fn may_match_many(
    kernel: KernelToken,
    lines: &[Line],
    probes: u8,
    source: WideSource<'_>,
    answers: &mut [u64],
) {
    by_kernel!(
        kernel,
        kernel::may_match_many,
        (lines: &[Line], probes: u8, source: WideSource<'_>, answers: &mut [u64]),
        else source.answer_each(answers, |hash| kernel::may_match(Portable, lines, probes, hash))
    );
}
