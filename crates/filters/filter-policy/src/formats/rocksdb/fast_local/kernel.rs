//! Lines in lanes.
#![allow(
    unsafe_code,
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "lengths were checked before, and the lowest bits are meant"
)]

use core::hint::black_box;

use super::definition::{LINE_LEN, Line, MULTIPLIER, USUAL_PROBES, all_set, line_of, set_one, walk_of};
use crate::simd::bits::{Aligned, MAX_PROBES, usual};
use crate::simd::lanes::{Lanes, Lanes64, Target, WideLanes, Work};
use crate::simd::source::TILE;
use crate::simd::tiles::Tile;

/// The number of words in a line.
const WORDS: usize = LINE_LEN / 4;

/// The powers of the multiplier: the factors of a walk's start, one for each probe, and more for the last vector.
static POWERS: [u32; 40] = {
    let mut powers = [1; 40];
    let mut i = 1;
    while i < powers.len() {
        powers[i] = MULTIPLIER.wrapping_mul(powers[i - 1]);
        i += 1;
    }
    assert!(MAX_PROBES as usize <= powers.len());
    powers
};

/// For each number of probes up to 8, their powers twice; the last one fills up each eight.
static PAIRS: [[u32; 16]; 8] = {
    let mut pairs = [[0; 16]; 8];
    let mut i = 0;
    while i < 8 * 16 {
        let (last, place) = (i / 16, i % 8);
        pairs[last][i % 16] = POWERS[if place < last { place } else { last }];
        i += 1;
    }
    pairs
};

/// Returns true if a vector has the length of a line.
#[inline(always)]
const fn is_line<S: Lanes>() -> bool {
    S::LANES == WORDS
}

/// Returns true if a line has the bits of all probes.
struct Ask<'a>(&'a Line, u8, u32);

impl Work for Ask<'_> {
    type Out = bool;

    #[inline(always)]
    fn portable(self) -> bool {
        let Self(line, probes, walk) = self;
        usual!(probes == USUAL_PROBES, |_MOST| all_set(line, probes, walk))
    }

    /// Tests eight probes at a time.
    #[inline(always)]
    fn narrow<S: Lanes>(self, lanes: S) -> bool {
        let Self(line, probes, walk) = self;
        let walk = lanes.splat(walk);
        let mut left = u32::from(probes);
        for first in [0, 8, 16, 24] {
            let powers = &POWERS[first..];
            let positions = lanes.shift_right::<23>(lanes.mul(walk, lanes.load(powers)));
            // SAFETY: a line has 2^9 bits.
            let all = unsafe { lanes.all_set(line, positions, left) };
            // Avoids a branch on the last answer.
            if left <= 8 || !all {
                return all;
            }
            left -= 8;
        }
        true
    }
}

/// Returns true if all bits of a hash value are set, or if there is no line.
#[inline(always)]
pub(super) fn may_match<T: Target>(target: T, lines: &[Line], probes: u8, hash: u64) -> bool {
    match lines.get(line_of(hash, lines.len())) {
        Some(line) => target.here(Ask(line, probes, walk_of(hash))),
        None => true,
    }
}

/// Sets the bits of 1 to 30 probes.
pub(super) struct SetTile<'a>(pub(super) &'a mut [Line], pub(super) u8, pub(super) Tile<'a>);

impl Work for SetTile<'_> {
    type Out = ();

    #[inline(always)]
    fn portable(self) {
        let Self(lines, probes, tile) = self;
        for &hash in tile.used() {
            usual!(probes == USUAL_PROBES, |_MOST| set_one(lines, probes, hash));
        }
    }

    #[inline(always)]
    fn wide<S: WideLanes>(self, lanes: S) {
        let Self(lines, probes, tile) = self;
        if !is_line::<S>() {
            return usual!(probes == USUAL_PROBES, |MOST| set_words::<S, MOST>(
                lanes, lines, probes, tile
            ));
        }
        let split = Split::new(lanes, tile, lines.len());
        usual!(probes == USUAL_PROBES, |MOST| if lines.len() == 1 {
            set_lines::<S, MOST, true>(lanes, lines, probes, &split);
        } else {
            set_lines::<S, MOST, false>(lanes, lines, probes, &split);
        });
    }
}

/// Sets the bits of all keys in words, with at most `MOST` probes each.
#[inline(always)]
fn set_words<S: WideLanes, const MOST: usize>(lanes: S, lines: &mut [Line], probes: u8, tile: Tile<'_>) {
    let wide = lanes.wide();
    let count = wide.splat(lines.len() as u64);
    let (words, _) = lines.as_flattened_mut().as_chunks_mut::<4>();
    let multiplier = lanes.splat(MULTIPLIER);
    // The word and the bit in the word, for each probe of eight keys: longer vectors are lines.
    let mut rows = [[[0_u32; 8]; 2]; MOST];
    for (hashes, used) in tile.groups(S::LANES) {
        // Hidden from the optimiser, which would keep the rows in registers, where reading single values is slower.
        let rows = &mut black_box(&mut rows)[..usize::from(probes)];
        let [first, second] = lanes.load_walks(hashes);
        let mut walks = lanes.upper_halves([first, second]);
        let numbers = lanes.upper_halves([wide.mul_halves(first, count), wide.mul_halves(second, count)]);
        // Fits: there are fewer than 2^26 lines.
        let starts = lanes.shift_left_each(numbers, lanes.splat(WORDS.ilog2()));
        for [indices, bits] in &mut *rows {
            lanes.store(lanes.or(starts, lanes.shift_right::<28>(walks)), indices);
            lanes.store(lanes.bit_of(lanes.shift_right::<23>(walks)), bits);
            walks = lanes.mul(walks, multiplier);
        }
        for [indices, bits] in &*rows {
            for (&index, &bit) in indices.iter().zip(bits).take(used) {
                // Always present: the fraction that is multiplied is below one.
                if let Some(word) = words.get_mut(index as usize) {
                    *word = (u32::from_le_bytes(*word) | bit).to_le_bytes();
                }
            }
        }
    }
}

/// The lines of the keys of a tile, and the starts of their walks. Unused entries are valid, too.
#[repr(align(64))]
struct Split {
    lines: [u32; TILE],
    walks: [u32; TILE],
    /// The number of keys in use.
    count: usize,
}

impl Split {
    /// Splits hash values into the index of one of `lines` lines and the start of a walk.
    #[inline(always)]
    fn new<S: WideLanes>(lanes: S, tile: Tile<'_>, lines: usize) -> Self {
        let mut split = Self {
            lines: [0; TILE],
            walks: [0; TILE],
            count: tile.count,
        };
        let wide = lanes.wide();
        let count = wide.splat(lines as u64);
        let into = split
            .lines
            .chunks_exact_mut(S::LANES)
            .zip(split.walks.chunks_exact_mut(S::LANES));
        for ((hashes, _), (lines, walks)) in tile.groups(S::LANES).zip(into) {
            let [first, second] = lanes.load_walks(hashes);
            let products = [wide.mul_halves(first, count), wide.mul_halves(second, count)];
            lanes.store(lanes.upper_halves(products), lines);
            lanes.store(lanes.upper_halves([first, second]), walks);
        }
        split
    }
}

/// Sets the bits of all keys in whole lines, with at most `MOST` probes each. With `ONE`, there is a single line, which
/// is kept in a register, because otherwise every key would wait for the one before it.
#[inline(always)]
fn set_lines<S: Lanes, const MOST: usize, const ONE: bool>(
    lanes: S,
    lines: &mut [Line],
    probes: u8,
    tile: &Split,
) {
    let probes = usize::from(probes);
    let multiplier = lanes.splat(MULTIPLIER);
    // The number of bits before each word of a line.
    let before = lanes.shift_left_each(lanes.iota(), lanes.splat(5));
    let mut rows = Aligned([[0_u32; TILE]; MOST]);
    // The number of probes is even: the last probe may come twice. The rows are hidden from the optimiser, which would
    // keep them in registers, where reading single values is slower. They are computed for all keys first, so that no
    // key waits for a recent store.
    let rows = &mut black_box(&mut rows).0[..probes.next_multiple_of(2)];
    for start in (0..tile.count).step_by(S::LANES) {
        let mut walks = lanes.load(&tile.walks[start..]);
        for (probe, row) in rows.iter_mut().enumerate() {
            lanes.store(lanes.shift_right::<23>(walks), &mut row[start..]);
            if probe + 1 < probes {
                walks = lanes.mul(walks, multiplier);
            }
        }
    }
    let [first, between @ .., last] = &*rows else {
        unreachable!("an even number of probes, and not none")
    };
    let mut one = lanes.splat(0);
    for (key, &number) in tile.lines.iter().enumerate().take(tile.count) {
        let mut bits = bit_in_line(lanes, before, first[key]);
        for [second, third] in between.as_chunks().0 {
            let second = bit_in_line(lanes, before, second[key]);
            bits = lanes.or3(bits, second, bit_in_line(lanes, before, third[key]));
        }
        // The operation that others wait for comes last.
        let last = bit_in_line(lanes, before, last[key]);
        if ONE {
            one = lanes.or3(one, bits, last);
        } else if let Some(line) = lines.get_mut(number as usize) {
            // Always present: the fraction that is multiplied is below one.
            lanes.store_bytes(lanes.or3(lanes.load_bytes(line), bits, last), line);
        }
    }
    if ONE && let [line] = lines {
        lanes.store_bytes(lanes.or(lanes.load_bytes(line), one), line);
    }
}

/// Returns a line with the bit at a position. A shift by 32 or more, as from a negative difference, leaves no bit.
#[inline(always)]
fn bit_in_line<S: Lanes>(lanes: S, before: S::Vector, position: u32) -> S::Vector {
    lanes.shift_left_each(lanes.splat(1), lanes.sub(lanes.splat(position), before))
}

/// Returns the answers, one bit each.
pub(super) struct AskTile<'a>(pub(super) &'a [Line], pub(super) u8, pub(super) Tile<'a>);

impl Work for AskTile<'_> {
    type Out = u64;

    #[inline(always)]
    fn portable(self) -> u64 {
        unreachable!("portable code has no tiles")
    }

    #[inline(always)]
    fn narrow<S: Lanes>(self, lanes: S) -> u64 {
        // Two loops, without a branch on the first eight probes.
        let Self(lines, probes, tile) = self;
        if probes <= 8 {
            one_by_one(lanes, lines, probes.min(8), tile)
        } else {
            one_by_one(lanes, lines, probes.max(9), tile)
        }
    }

    #[inline(always)]
    fn wide<S: WideLanes>(self, lanes: S) -> u64 {
        let Self(lines, probes, tile) = self;
        if is_line::<S>() && probes <= 8 {
            let split = Split::new(lanes, tile, lines.len());
            return query_pairs(lanes, lines, probes, &split) & tile.mask();
        }
        self.narrow(lanes)
    }
}

#[inline(always)]
fn one_by_one<T: Target>(target: T, lines: &[Line], probes: u8, tile: Tile<'_>) -> u64 {
    let mut answers = 0;
    for (i, &hash) in tile.used().iter().enumerate() {
        let line = &lines[line_of(hash, lines.len())];
        answers |= u64::from(target.here(Ask(line, probes, walk_of(hash)))) << i;
    }
    answers
}

/// Queries two keys at a time, whose probes, at most 8, are the lanes of a vector of the length of a line.
#[inline(always)]
fn query_pairs<S: Lanes>(lanes: S, lines: &[Line], probes: u8, tile: &Split) -> u64 {
    let powers = lanes.load(&PAIRS[usize::from(probes - 1) % 8]);
    let half = lanes.splat(8);
    // The first key's line is the first half of a table, the second's the second half.
    let table = lanes.if_less(
        lanes.iota(),
        half,
        lanes.splat(0),
        lanes.splat(8 * LINE_LEN as u32),
    );
    // The probes whose bits are set, one byte for each key.
    let mut hits = Aligned([0; TILE]);
    let (numbers, walks) = (tile.lines.as_chunks::<2>().0, tile.walks.as_chunks::<2>().0);
    let pairs = hits
        .0
        .as_chunks_mut::<2>()
        .0
        .iter_mut()
        .zip(numbers.iter().zip(walks));
    for (hits, (&[first, second], &[walk, next])) in pairs.take(tile.count.div_ceil(2)) {
        let both = [
            lanes.load_bytes(&lines[first as usize]),
            lanes.load_bytes(&lines[second as usize]),
        ];
        let walks = lanes.if_less(lanes.iota(), half, lanes.splat(walk), lanes.splat(next));
        let positions = lanes.or(lanes.shift_right::<23>(lanes.mul(walks, powers)), table);
        let found = lanes.hit(lanes.all_hits(), lanes.table_words(&both, positions), positions);
        *hits = (lanes.hit_bits(found) as u16).to_le_bytes();
    }
    lanes.full_bytes(&hits.0)
}
