//! RocksDB's cache-local filters: a line is two vectors.

use core::arch::x86_64::*;
use core::hint::black_box;

use super::super::Avx2;
use crate::arch::generic::Lanes;
use crate::arch::wide::lines::{LINE_LEN, Line, POWERS, PREFETCHED, USUAL_PROBES, line_of, walk_of};
use crate::arch::wide::{TILE, WideSource};
use crate::params::MAX_PROBES;

/// Words of a line.
const WORDS: usize = LINE_LEN / 4;

impl Avx2 {
    pub(in crate::arch) fn insert_in_lines(
        self,
        lines: &mut [Line],
        probes: u8,
        source: WideSource<'_>,
    ) -> usize {
        // SAFETY: see the type.
        unsafe {
            if usize::from(probes) == USUAL_PROBES {
                insert::<USUAL_PROBES, USUAL_PROBES>(self, lines, probes, source)
            } else {
                insert::<0, { MAX_PROBES as usize }>(self, lines, probes, source)
            }
        }
    }

    #[inline]
    pub(in crate::arch) fn line_may_match(self, lines: &[Line], probes: u8, hash: u64) -> bool {
        let Some(line) = lines.get(line_of(hash, lines.len())) else {
            return true;
        };
        // SAFETY: see the type.
        unsafe { all_set(line, probes, walk_of(hash)) }
    }

    pub(in crate::arch) fn lines_may_match_many(
        self,
        lines: &[Line],
        probes: u8,
        source: WideSource<'_>,
        answers: &mut [u64],
    ) {
        // SAFETY: see the type.
        unsafe { may_match_many(self, lines, probes, source, answers) }
    }
}

/// Asks for the lines of these hash values.
#[inline(always)]
fn prefetch<const WRITE: bool>(lanes: Avx2, lines: &[Line], hashes: &[u64]) {
    let bytes = lines.as_flattened();
    // The last byte of a line lies in the next line of the cache unless the filter happens to begin with one.
    let aligned = bytes.as_ptr().align_offset(LINE_LEN) == 0;
    for &hash in hashes {
        let start = line_of(hash, lines.len()) * LINE_LEN;
        lanes.prefetch::<WRITE>(bytes, start);
        if !aligned {
            lanes.prefetch::<WRITE>(bytes, start + LINE_LEN - 1);
        }
    }
}

/// `PROBES` is the probe count if it is known when this is compiled, and 0 otherwise; `MOST` the most there can be.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn insert<const PROBES: usize, const MOST: usize>(
    lanes: Avx2,
    lines: &mut [Line],
    probes: u8,
    source: WideSource<'_>,
) -> usize {
    let (len, ahead) = (source.len(), lines.len() >= PREFETCHED);
    // The first one is the last of the tile before.
    let (mut now, mut before) = ([0; TILE + 1], [0; TILE + 1]);
    let mut waiting = 0;
    let mut repeats = 0;
    for start in (0..len).step_by(TILE) {
        let count = TILE.min(len - start);
        source.hash(start, &mut now[1..=count]);
        if start == 0 {
            now[0] = !now[1];
        }
        repeats += (0..count).filter(|&i| now[i] == now[i + 1]).count();
        let last = now[count];
        if ahead {
            prefetch::<true>(lanes, lines, &now[1..=count]);
            set::<PROBES, MOST>(lines, probes, &before[1..=waiting]);
            core::mem::swap(&mut now, &mut before);
            waiting = count;
        } else {
            set::<PROBES, MOST>(lines, probes, &now[1..=count]);
        }
        now[0] = last;
    }
    set::<PROBES, MOST>(lines, probes, &before[1..=waiting]);
    repeats
}

/// Sets the bits of these hash values.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn set<const PROBES: usize, const MOST: usize>(lines: &mut [Line], probes: u8, hashes: &[u64]) {
    let probes = if PROBES == 0 { usize::from(probes) } else { PROBES };
    let count = lines.len();
    let (words, _) = lines.as_flattened_mut().as_chunks_mut::<4>();
    let multiplier = _mm256_set1_epi32(POWERS[1].cast_signed());
    // For each probe of eight keys the word, and the bit in it.
    let mut rows = [[[0_u32; 8]; 2]; MOST];
    for hashes in hashes.chunks(8) {
        let (mut firsts, mut walks) = ([0; 8], [0; 8]);
        for (&hash, (first, walk)) in hashes.iter().zip(firsts.iter_mut().zip(&mut walks)) {
            *first = (line_of(hash, count) * WORDS) as u32;
            *walk = walk_of(hash);
        }
        // Hidden from the optimiser, which would keep them in registers, from which it takes longer to get them one by one.
        let rows = &mut black_box(&mut rows)[..probes];
        let (firsts, mut walks) = (load(&firsts), load(&walks));
        for [indices, bits] in &mut *rows {
            store(indices, _mm256_add_epi32(firsts, _mm256_srli_epi32::<28>(walks)));
            store(bits, bits_of(walks));
            walks = _mm256_mullo_epi32(walks, multiplier);
        }
        for [indices, bits] in &*rows {
            for (&index, &bit) in indices.iter().zip(bits).take(hashes.len()) {
                // Never absent, unless there is no line.
                if let Some(word) = words.get_mut(index as usize) {
                    *word = (u32::from_le_bytes(*word) | bit).to_le_bytes();
                }
            }
        }
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn may_match_many(lanes: Avx2, lines: &[Line], probes: u8, source: WideSource<'_>, answers: &mut [u64]) {
    let (len, ahead) = (source.len(), lines.len() >= PREFETCHED);
    let (mut now, mut before) = ([0; TILE], [0; TILE]);
    for (word, start) in (0..len).step_by(TILE).enumerate() {
        let count = TILE.min(len - start);
        source.hash(start, &mut now[..count]);
        if ahead {
            prefetch::<false>(lanes, lines, &now[..count]);
            if word > 0 {
                answers[word - 1] = ask(lines, probes, &before);
            }
            core::mem::swap(&mut now, &mut before);
        } else {
            answers[word] = ask(lines, probes, &now[..count]);
        }
    }
    if ahead && let Some(last) = answers.last_mut() {
        *last = ask(lines, probes, &before[..len - (len - 1) / TILE * TILE]);
    }
}

/// The answers for these hash values.
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

/// Whether the line has the bits of all probes, eight of them at a time.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn all_set(line: &Line, probes: u8, walk: u32) -> bool {
    let start: *const __m256i = line.as_ptr().cast();
    // SAFETY: two vectors have the length of a line.
    let (low, high) = unsafe { (_mm256_loadu_si256(start), _mm256_loadu_si256(start.add(1))) };
    let walk = _mm256_set1_epi32(walk.cast_signed());
    let numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    let mut left = i32::from(probes);
    for powers in POWERS.as_chunks().0 {
        let walks = _mm256_mullo_epi32(walk, load(powers));
        // Of four bits of the word's number the highest one, which is the walk's, tells the vector.
        let indices = _mm256_srli_epi32::<28>(walks);
        let words = _mm256_castps_si256(_mm256_blendv_ps(
            _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(low, indices)),
            _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high, indices)),
            _mm256_castsi256_ps(walks),
        ));
        let live = _mm256_cmpgt_epi32(_mm256_set1_epi32(left), numbers);
        let wanted = _mm256_and_si256(bits_of(walks), live);
        let all = _mm256_testc_si256(words, wanted) != 0;
        left -= 8;
        // The answer itself is not branched on where it is the last one.
        if left <= 0 || !all {
            return all;
        }
    }
    true
}

/// The bit of its word that each walk chooses.
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

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn store(values: &mut [u32; 8], vector: __m256i) {
    // SAFETY: the array has the length of a vector.
    unsafe { _mm256_storeu_si256(values.as_mut_ptr().cast(), vector) }
}
