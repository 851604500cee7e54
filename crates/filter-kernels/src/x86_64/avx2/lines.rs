//! RocksDB's cache-local filters: a line is two vectors.

use core::arch::x86_64::*;
use core::hint::black_box;

use hashzoo::xxph3_64;

use super::Avx2;
use crate::MAX_PROBES;
use crate::bloom64;
use crate::fast_local::{LINE_LEN, Line, POWERS, Stored, USUAL_PROBES, line_of, walk_of};
use crate::hash::{WideSource, xxph3};
use crate::lanes::entries::{entry, line_entries};
use crate::lanes::{Lanes, Lanes64, WideLanes};
use crate::ribbon::{Equation, Word, holds_by_eight};
use crate::tiles::{Tile, TileLanes};

/// The number of words in a line.
const WORDS: usize = LINE_LEN / 4;

const USUAL: usize = USUAL_PROBES as usize;
const MAX: usize = MAX_PROBES as usize;

line_entries!(Avx2, "avx2,bmi1,bmi2,popcnt");

impl Avx2 {
    entry!(
        Avx2,
        "avx2,bmi1,bmi2,popcnt",
        fn create_bits(bit_array: &mut [u8], probes: u8, source: WideSource<'_>) = bloom64::lanes::create
    );
}

impl TileLanes for Avx2 {
    #[inline(always)]
    fn hash_tile<const FINAL: bool>(self, source: WideSource<'_>, start: usize, hashes: &mut [u64]) {
        /// Compiled once: it is too large to be inlined wherever keys are hashed.
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn run<const FINAL: bool>(lanes: Avx2, source: WideSource<'_>, start: usize, hashes: &mut [u64]) {
            xxph3::hash::<_, FINAL>(lanes, source, start, hashes);
        }
        // SAFETY: see the type.
        unsafe { run::<FINAL>(self, source, start, hashes) }
    }

    #[inline(always)]
    fn set_in_lines(self, lines: &mut [Line], probes: u8, tile: Tile<'_>) {
        // SAFETY: see the type.
        unsafe {
            if probes == USUAL_PROBES {
                set::<USUAL, USUAL>(self, lines, probes, tile);
            } else {
                set::<0, MAX>(self, lines, probes, tile);
            }
        }
    }

    #[inline(always)]
    fn ask_lines(self, lines: &[Line], probes: u8, tile: Tile<'_>) -> u64 {
        // SAFETY: see the type.
        unsafe { ask(lines, probes, tile.used()) }
    }

    #[inline(always)]
    fn ask_bits(self, bit_array: &[u8], probes: u8, tile: Tile<'_>) -> u64 {
        bloom64::lanes::ask(self, bit_array, probes, tile)
    }

    #[inline(always)]
    fn holds(self, words: &[Word], columns: usize, equation: Equation) -> bool {
        holds_by_eight(self, words, columns, equation)
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn set<const PROBES: usize, const MAX: usize>(lanes: Avx2, lines: &mut [Line], probes: u8, tile: Tile<'_>) {
    let probes = if PROBES == 0 { usize::from(probes) } else { PROBES };
    let wide = lanes.wide();
    let count = wide.splat(lines.len() as u64);
    let (words, _) = lines.as_flattened_mut().as_chunks_mut::<4>();
    let multiplier = lanes.splat(POWERS[1]);
    // The word and the bit in the word, for each probe of eight keys.
    let mut rows = [[[0_u32; 8]; 2]; MAX];
    for (hashes, used) in tile.groups(Avx2::LANES) {
        // Hidden from the optimiser, which would keep the rows in registers, where reading single values is slower.
        let rows = &mut black_box(&mut rows)[..probes];
        let hashes = lanes.load_walks(hashes);
        let mut walks = lanes.upper_halves(hashes);
        let numbers = lanes.upper_halves(hashes.map(|hashes| wide.mul_halves(hashes, count)));
        // Fits: there are fewer than 2^26 lines.
        let starts = _mm256_slli_epi32::<{ WORDS.ilog2() as i32 }>(numbers);
        for [indices, bits] in &mut *rows {
            lanes.store(_mm256_or_si256(starts, _mm256_srli_epi32::<28>(walks)), indices);
            lanes.store(bits_of(walks), bits);
            walks = _mm256_mullo_epi32(walks, multiplier);
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

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn ask(lines: &[Line], probes: u8, hashes: &[u64]) -> u64 {
    let mut answers = 0;
    for (i, &hash) in hashes.iter().enumerate() {
        let line = &lines[line_of(hash, lines.len())];
        answers |= u64::from(all_set(line, probes, walk_of(hash))) << i;
    }
    answers
}

/// Returns true if the line has the bits of all probes, tested eight at a time.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn all_set(line: &Line, probes: u8, walk: u32) -> bool {
    let start: *const __m256i = line.as_ptr().cast();
    // SAFETY: two vectors have the length of a line.
    let (low, high) = unsafe { (_mm256_loadu_si256(start), _mm256_loadu_si256(start.add(1))) };
    let walk = _mm256_set1_epi32(walk.cast_signed());
    let mut left = u32::from(probes);
    for powers in POWERS.as_chunks().0 {
        let walks = _mm256_mullo_epi32(walk, load(powers));
        // The highest of the four bits of the word's index, which is the walk's, selects the vector.
        let indices = _mm256_srli_epi32::<28>(walks);
        let words = _mm256_castps_si256(_mm256_blendv_ps(
            _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(low, indices)),
            _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high, indices)),
            _mm256_castsi256_ps(walks),
        ));
        // The selected bits, as signs.
        let numbers = _mm256_srli_epi32::<27>(_mm256_slli_epi32::<4>(walks));
        let bits = _mm256_slli_epi32::<31>(_mm256_srlv_epi32(words, numbers));
        let missing = !_mm256_movemask_ps(_mm256_castsi256_ps(bits)).cast_unsigned();
        let all = _bzhi_u32(missing & 0xff, left) == 0;
        // Avoids a branch on the last answer.
        if left <= 8 || !all {
            return all;
        }
        left -= 8;
    }
    true
}

/// Returns the bit that each walk selects in its word.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn bits_of(walks: __m256i) -> __m256i {
    let numbers = _mm256_srli_epi32::<27>(_mm256_slli_epi32::<4>(walks));
    _mm256_sllv_epi32(_mm256_set1_epi32(1), numbers)
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn load(values: &[u32; 8]) -> __m256i {
    // SAFETY: the array has the length of a vector.
    unsafe { _mm256_loadu_si256(values.as_ptr().cast()) }
}
