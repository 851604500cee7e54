//! Filters of 64-bit hash values, a tile of keys at a time, with prefetching for large filters.

use super::Lanes;
use crate::bloom64::{self, MULTIPLIER, each_set, position, set};
use crate::fast_local::{self, LINE_LEN, Line, line_of};
use crate::wide::{TILE, WideSource};

/// The operations of these filters beyond [`Lanes`], for at most [`TILE`] keys per call.
pub(crate) trait WideLanes: Lanes {
    /// [`WideSource::hash`].
    fn hash_wide(self, source: WideSource<'_>, start: usize, hashes: &mut [u64]);
    /// Sets the bits of these hash values. `PROBES` is the probe count if it is known at compile time, and 0 otherwise;
    /// `MAX` is the largest possible count.
    fn set_in_lines<const PROBES: usize, const MAX: usize>(
        self,
        lines: &mut [Line],
        probes: u8,
        hashes: &[u64],
    );
    /// Returns the answers for these hash values, one bit each.
    fn ask_lines(self, lines: &[Line], probes: u8, hashes: &[u64]) -> u64;
    /// Returns the answers of a filter whose probes go anywhere, one bit for each hash value.
    #[inline(always)]
    fn ask_spread(self, bit_array: &[u8], probes: u8, hashes: &[u64]) -> u64 {
        each_set(bit_array, probes, hashes)
    }
}

/// Prefetches the lines of these hash values.
#[inline(always)]
fn prefetch_lines<S: Lanes, const WRITE: bool>(lanes: S, lines: &[Line], hashes: &[u64]) {
    let bytes = lines.as_flattened();
    // A line extends into the next cache line unless the filter starts at a cache line.
    let aligned = bytes.as_ptr().align_offset(LINE_LEN) == 0;
    for &hash in hashes {
        let start = line_of(hash, lines.len()) * LINE_LEN;
        lanes.prefetch::<WRITE>(bytes, start);
        if !aligned {
            lanes.prefetch::<WRITE>(bytes, start + LINE_LEN - 1);
        }
    }
}

/// [`crate::fast_local::insert`].
#[inline(always)]
pub(crate) fn insert_in_lines<S: WideLanes, const PROBES: usize, const MAX: usize>(
    lanes: S,
    lines: &mut [Line],
    probes: u8,
    source: WideSource<'_>,
) -> usize {
    let len = source.len();
    // The first element is the last value of the previous tile.
    let mut now = [0; TILE + 1];
    if lines.len() < fast_local::PREFETCHED {
        let mut repeats = 0;
        for start in (0..len).step_by(TILE) {
            let count = TILE.min(len - start);
            repeats += next_tile(lanes, source, start, &mut now[..=count]);
            lanes.set_in_lines::<PROBES, MAX>(lines, probes, &now[1..=count]);
            now[0] = now[count];
        }
        return repeats;
    }
    let mut before = [0; TILE + 1];
    let (mut waiting, mut repeats) = (0, 0);
    for start in (0..len).step_by(TILE) {
        let count = TILE.min(len - start);
        repeats += next_tile(lanes, source, start, &mut now[..=count]);
        prefetch_lines::<S, true>(lanes, lines, &now[1..=count]);
        lanes.set_in_lines::<PROBES, MAX>(lines, probes, &before[1..=waiting]);
        core::mem::swap(&mut now, &mut before);
        now[0] = before[count];
        waiting = count;
    }
    lanes.set_in_lines::<PROBES, MAX>(lines, probes, &before[1..=waiting]);
    repeats
}

/// Writes the hash values from `start` on after the first element of `hashes`, which is the value before them. Returns
/// how many values equal the one before them.
#[inline(always)]
fn next_tile<S: WideLanes>(lanes: S, source: WideSource<'_>, start: usize, hashes: &mut [u64]) -> usize {
    lanes.hash_wide(source, start, &mut hashes[1..]);
    if start == 0 {
        hashes[0] = !hashes[1];
    }
    hashes.windows(2).filter(|pair| pair[0] == pair[1]).count()
}

/// [`crate::fast_local::may_match_many`].
#[inline(always)]
pub(crate) fn lines_may_match_many<S: WideLanes>(
    lanes: S,
    lines: &[Line],
    probes: u8,
    source: WideSource<'_>,
    answers: &mut [u64],
) {
    let (len, ahead) = (source.len(), lines.len() >= fast_local::PREFETCHED);
    let (mut now, mut before) = ([0; TILE], [0; TILE]);
    for (word, start) in (0..len).step_by(TILE).enumerate() {
        let count = TILE.min(len - start);
        lanes.hash_wide(source, start, &mut now[..count]);
        if ahead {
            prefetch_lines::<S, false>(lanes, lines, &now[..count]);
            if word > 0 {
                answers[word - 1] = lanes.ask_lines(lines, probes, &before);
            }
            core::mem::swap(&mut now, &mut before);
        } else {
            answers[word] = lanes.ask_lines(lines, probes, &now[..count]);
        }
    }
    if ahead && let Some(last) = answers.last_mut() {
        *last = lanes.ask_lines(lines, probes, &before[..len - (len - 1) / TILE * TILE]);
    }
}

/// Prefetches the bytes of all probes of these hash values.
#[inline(always)]
fn prefetch_spread<S: Lanes, const WRITE: bool>(lanes: S, bit_array: &[u8], probes: u8, hashes: &[u64]) {
    let bits = bit_array.len() as u64 * 8;
    for &hash in hashes {
        let mut walk = hash;
        for _ in 0..probes {
            let byte = (position(walk, bits) / 8) as usize;
            lanes.prefetch::<WRITE>(bit_array, byte);
            walk = walk.wrapping_mul(MULTIPLIER);
        }
    }
}

/// [`crate::bloom64::insert`].
#[inline(always)]
pub(crate) fn insert_spread<S: WideLanes>(
    lanes: S,
    bit_array: &mut [u8],
    probes: u8,
    source: WideSource<'_>,
) {
    let (len, ahead) = (source.len(), bit_array.len() >= bloom64::PREFETCHED);
    let (mut now, mut before) = ([0; TILE], [0; TILE]);
    let mut waiting = 0;
    for start in (0..len).step_by(TILE) {
        let count = TILE.min(len - start);
        lanes.hash_wide(source, start, &mut now[..count]);
        if !ahead {
            set(bit_array, probes, WideSource::Hashes(&now[..count]));
            continue;
        }
        prefetch_spread::<S, true>(lanes, bit_array, probes, &now[..count]);
        set(bit_array, probes, WideSource::Hashes(&before[..waiting]));
        core::mem::swap(&mut now, &mut before);
        waiting = count;
    }
    set(bit_array, probes, WideSource::Hashes(&before[..waiting]));
}

/// [`crate::bloom64::may_match_many`].
#[inline(always)]
pub(crate) fn spread_may_match_many<S: WideLanes>(
    lanes: S,
    bit_array: &[u8],
    probes: u8,
    source: WideSource<'_>,
    answers: &mut [u64],
) {
    let len = source.len();
    let mut hashes = [0; TILE];
    for (word, start) in answers.iter_mut().zip((0..len).step_by(TILE)) {
        let hashes = &mut hashes[..TILE.min(len - start)];
        lanes.hash_wide(source, start, hashes);
        if bit_array.len() >= bloom64::PREFETCHED {
            // All 64 loads are in flight before the first one is waited for.
            prefetch_spread::<S, false>(lanes, bit_array, probes, hashes);
        }
        *word = lanes.ask_spread(bit_array, probes, hashes);
    }
}
