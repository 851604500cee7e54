//! Filters whose probes go anywhere, for bit arrays whose positions have at most 31 bits.

mod walks;

use core::arch::x86_64::*;
use core::hint::black_box;

use hashzoo::xxph3_64;
use walks::{Walks, scaled};

use super::super::Avx512;
use super::{first_bits, hash, load, store_words};
use crate::MAX_PROBES;
use crate::bloom64::{POWERS, PREFETCHED, TOO_LONG, USUAL_PROBES};
use crate::generic::Lanes;
use crate::hash::MAP_BITS;
use crate::wide::{TILE, WideSource};

/// Smaller maps, which take less clearing.
const SMALL_MAP_BITS: usize = 512;
const MEDIUM_MAP_BITS: usize = 2048;

const USUAL: usize = USUAL_PROBES as usize;
const MAX_ROWS: usize = MAX_PROBES as usize;

impl Avx512 {
    pub(crate) fn create_spread(self, bit_array: &mut [u8], probes: u8, source: WideSource<'_>) {
        // SAFETY: see the type.
        unsafe { create(self, bit_array, probes, source) }
    }

    pub(crate) fn insert_spread(self, bit_array: &mut [u8], probes: u8, source: WideSource<'_>) {
        // SAFETY: see the type.
        unsafe { insert(self, bit_array, probes, source) }
    }

    #[inline]
    pub(crate) fn spread_may_match(self, bit_array: &[u8], probes: u8, hash: u64) -> bool {
        // SAFETY: see the type.
        unsafe { all_set(self, bit_array, probes, hash) }
    }

    #[inline]
    pub(crate) fn spread_may_match_key(self, bit_array: &[u8], probes: u8, key: &[u8]) -> bool {
        // SAFETY: see the type.
        unsafe { key_may_match(self, bit_array, probes, key) }
    }

    pub(crate) fn spread_may_match_many(
        self,
        bit_array: &[u8],
        probes: u8,
        source: WideSource<'_>,
        answers: &mut [u64],
    ) {
        // SAFETY: see the type.
        unsafe { may_match_many(self, bit_array, probes, source, answers) }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
fn create(lanes: Avx512, bit_array: &mut [u8], probes: u8, source: WideSource<'_>) {
    let bits = bit_array.len() * 8;
    let (mut small, mut medium, mut large);
    let map: &mut [u8] = if bits <= SMALL_MAP_BITS {
        small = [0; SMALL_MAP_BITS];
        &mut small
    } else if bits <= MEDIUM_MAP_BITS {
        medium = [0; MEDIUM_MAP_BITS];
        &mut medium
    } else if bits <= MAP_BITS {
        large = [0; MAP_BITS];
        &mut large
    } else {
        bit_array.fill(0);
        return insert(lanes, bit_array, probes, source);
    };
    for_each_tile(source, |hashes| {
        if probes == USUAL_PROBES {
            set_in_map::<USUAL, USUAL>(map, bits, probes, hashes);
        } else {
            set_in_map::<0, MAX_ROWS>(map, bits, probes, hashes);
        }
    });
    for (bytes, map) in bit_array.chunks_mut(8).zip(map.as_chunks::<64>().0) {
        // SAFETY: the array has the length of a vector.
        let word = _mm512_movepi8_mask(unsafe { _mm512_loadu_si512(map.as_ptr().cast()) });
        match bytes.first_chunk_mut() {
            Some(eight) => *eight = word.to_le_bytes(),
            None => bytes
                .iter_mut()
                .zip(word.to_le_bytes())
                .for_each(|(byte, new)| *byte = new),
        }
    }
}

/// Passes the hash values of each tile to `take`. Vectors are loaded whole, so entries after the last value are valid,
/// too.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn for_each_tile(source: WideSource<'_>, mut take: impl FnMut(Tile<'_>)) {
    let len = source.len();
    let mut hashes = [0; TILE];
    for start in (0..len).step_by(TILE) {
        let count = TILE.min(len - start);
        hash(source, start, &mut hashes[..count]);
        take(Tile {
            hashes: &hashes,
            count,
        });
    }
}

/// Hash values; only the first `count` are in use.
#[derive(Clone, Copy)]
struct Tile<'a> {
    hashes: &'a [u64; TILE],
    count: usize,
}

impl<'a> Tile<'a> {
    /// Returns groups of 16 with the number of values in use.
    #[inline(always)]
    fn groups(self) -> impl Iterator<Item = (&'a [u64; 16], usize)> {
        let starts = (0..self.count).step_by(16);
        let lens = starts.map(move |start| (self.count - start).min(16));
        self.hashes.as_chunks().0.iter().zip(lens)
    }
}

/// `PROBES` is the probe count if it is known at compile time, and 0 otherwise; `MAX` is the largest possible count.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn set_in_map<const PROBES: usize, const MAX: usize>(
    map: &mut [u8],
    bits: usize,
    probes: u8,
    tile: Tile<'_>,
) {
    let probes = if PROBES == 0 { usize::from(probes) } else { PROBES };
    let mut rows = [[0_u32; 16]; MAX];
    for (hashes, count) in tile.groups() {
        // Hidden from the optimiser, which would keep the rows in registers, where reading single values is slower.
        let rows = &mut black_box(&mut rows)[..probes];
        let mut walks = Walks::new(hashes, bits);
        for row in &mut *rows {
            store_words(row, walks.positions());
            walks.advance();
        }
        for row in &*rows {
            for &position in row.iter().take(count) {
                // Always present: positions are below the number of bits.
                if let Some(byte) = map.get_mut(position as usize) {
                    *byte = 0xff;
                }
            }
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
fn insert(lanes: Avx512, bit_array: &mut [u8], probes: u8, source: WideSource<'_>) {
    if bit_array.len() < PREFETCHED {
        for_each_tile(source, |tile| set_either(bit_array, probes, tile));
        return;
    }
    let mut before = [0; TILE];
    let mut waiting = 0;
    for_each_tile(source, |tile| {
        prefetch::<true>(lanes, bit_array, probes, tile);
        set_either(
            bit_array,
            probes,
            Tile {
                hashes: &before,
                count: waiting,
            },
        );
        (before, waiting) = (*tile.hashes, tile.count);
    });
    set_either(
        bit_array,
        probes,
        Tile {
            hashes: &before,
            count: waiting,
        },
    );
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn set_either(bit_array: &mut [u8], probes: u8, tile: Tile<'_>) {
    if probes == USUAL_PROBES {
        set::<USUAL, USUAL>(bit_array, probes, tile);
    } else {
        set::<0, MAX_ROWS>(bit_array, probes, tile);
    }
}

/// Like [`set_in_map`], but sets the bits themselves.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
fn set<const PROBES: usize, const MAX: usize>(bit_array: &mut [u8], probes: u8, tile: Tile<'_>) {
    let probes = if PROBES == 0 { usize::from(probes) } else { PROBES };
    let bits = bit_array.len() * 8;
    let (words, rest) = bit_array.as_chunks_mut::<4>();
    // The bits of the bytes after the last whole word.
    let mut beyond = 0_u32;
    // The word and the bit in the word, for each probe of 16 keys.
    let mut rows = [[[0_u32; 16]; 2]; MAX];
    for (hashes, count) in tile.groups() {
        let rows = &mut black_box(&mut rows)[..probes];
        let mut walks = Walks::new(hashes, bits);
        for [indices, masks] in &mut *rows {
            let positions = walks.positions();
            store_words(indices, _mm512_srli_epi32::<5>(positions));
            store_words(masks, _mm512_rolv_epi32(_mm512_set1_epi32(1), positions));
            walks.advance();
        }
        for [indices, masks] in &*rows {
            for (&index, &bit) in indices.iter().zip(masks).take(count) {
                match words.get_mut(index as usize) {
                    Some(word) => *word = (u32::from_le_bytes(*word) | bit).to_le_bytes(),
                    None => beyond |= bit,
                }
            }
        }
    }
    for (byte, new) in rest.iter_mut().zip(beyond.to_le_bytes()) {
        *byte |= new;
    }
}

/// Prefetches the bytes of all probes.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
fn prefetch<const WRITE: bool>(lanes: Avx512, bit_array: &[u8], probes: u8, tile: Tile<'_>) {
    let bits = bit_array.len() * 8;
    let mut row = [0; 16];
    for (hashes, count) in tile.groups() {
        let mut walks = Walks::new(hashes, bits);
        for _ in 0..probes {
            store_words(black_box(&mut row), _mm512_srli_epi32::<3>(walks.positions()));
            for &byte in row.iter().take(count) {
                lanes.prefetch::<WRITE>(bit_array, byte as usize);
            }
            walks.advance();
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
fn key_may_match(lanes: Avx512, bit_array: &[u8], probes: u8, key: &[u8]) -> bool {
    all_set(lanes, bit_array, probes, xxph3_64(key, 0))
}

/// Returns the start of the last four bytes of an array that has at least four. For an array that is too long, the
/// result is not negative and still within the array.
#[inline(always)]
fn last_four(bit_array: &[u8]) -> i32 {
    assert!(bit_array.len() >= 4, "shorter ones are looked up in registers");
    (bit_array.len() - 4).min(TOO_LONG) as i32
}

/// Returns true if all bits of a hash value are set, tested eight probes at a time.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn all_set(lanes: Avx512, bit_array: &[u8], probes: u8, hash: u64) -> bool {
    let bits = _mm512_set1_epi64((bit_array.len() * 8) as i64);
    let hash = _mm512_set1_epi64(hash.cast_signed());
    let mut left = u32::from(probes);
    for powers in POWERS.as_chunks().0 {
        let walks = _mm512_mullo_epi64(hash, load(powers));
        let positions = _mm512_cvtepi64_epi32(_mm512_srli_epi64::<32>(scaled(walks, bits)));
        let live = _bzhi_u32(0xff, left) as __mmask8;
        let wide = _mm512_castsi256_si512(positions);
        let (words, positions) = if bit_array.len() <= 64 {
            let words = lanes.table_words(&lanes.table::<1>(bit_array), wide);
            (_mm512_castsi512_si256(words), positions)
        } else if bit_array.len() <= 128 {
            let words = lanes.table_words(&lanes.table::<2>(bit_array), wide);
            (_mm512_castsi512_si256(words), positions)
        } else if bit_array.len() <= 256 {
            let words = lanes.table_words(&lanes.table::<4>(bit_array), wide);
            (_mm512_castsi512_si256(words), positions)
        } else {
            // Four bytes from the byte with the bit on, or the last four.
            let last = _mm256_set1_epi32(last_four(bit_array));
            let bytes = _mm256_min_epu32(_mm256_srli_epi32::<3>(positions), last);
            let start = bit_array.as_ptr().cast();
            // SAFETY: each read takes four bytes, none of them after the slice, whatever the positions are.
            let words =
                unsafe { _mm256_mmask_i32gather_epi32::<1>(_mm256_setzero_si256(), live, bytes, start) };
            (words, _mm256_sub_epi32(positions, _mm256_slli_epi32::<3>(bytes)))
        };
        let wanted = _mm256_rolv_epi32(_mm256_set1_epi32(1), positions);
        let all = _mm256_mask_testn_epi32_mask(live, words, wanted) == 0;
        // Avoids a branch on the last answer.
        if left <= 8 || !all {
            return all;
        }
        left -= 8;
    }
    true
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
fn may_match_many(lanes: Avx512, bit_array: &[u8], probes: u8, source: WideSource<'_>, answers: &mut [u64]) {
    if bit_array.len() <= 64 {
        ask_table(
            lanes,
            &lanes.table::<1>(bit_array),
            bit_array,
            probes,
            source,
            answers,
        );
    } else if bit_array.len() <= 128 {
        ask_table(
            lanes,
            &lanes.table::<2>(bit_array),
            bit_array,
            probes,
            source,
            answers,
        );
    } else if bit_array.len() <= 256 {
        ask_table(
            lanes,
            &lanes.table::<4>(bit_array),
            bit_array,
            probes,
            source,
            answers,
        );
    } else {
        let ahead = bit_array.len() >= PREFETCHED;
        let last = _mm512_set1_epi32(last_four(bit_array));
        let start = bit_array.as_ptr().cast();
        let mut answers = answers.iter_mut();
        for_each_tile(source, |tile| {
            if ahead {
                // All 64 loads are in flight before the first one is waited for.
                prefetch::<false>(lanes, bit_array, probes, tile);
            }
            let answer = ask(bit_array, probes, tile, |positions| {
                // Four bytes from the byte with the bit on, or the last four.
                let bytes = _mm512_min_epu32(_mm512_srli_epi32::<3>(positions), last);
                // SAFETY: each read takes four bytes, none of them after the slice, whatever the positions are.
                let words = unsafe { _mm512_i32gather_epi32::<1>(bytes, start) };
                (words, _mm512_sub_epi32(positions, _mm512_slli_epi32::<3>(bytes)))
            });
            if let Some(word) = answers.next() {
                *word = answer;
            }
        });
    }
}

/// Queries a filter with the whole bit array in registers.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn ask_table<const QUARTERS: usize>(
    lanes: Avx512,
    table: &[__m512i; QUARTERS],
    bit_array: &[u8],
    probes: u8,
    source: WideSource<'_>,
    answers: &mut [u64],
) {
    let mut answers = answers.iter_mut();
    for_each_tile(source, |tile| {
        let answer = ask(bit_array, probes, tile, |positions| {
            (lanes.table_words(table, positions), positions)
        });
        if let Some(word) = answers.next() {
            *word = answer;
        }
    });
}

/// Returns the answers for a tile. `words` returns the words with the bits of these positions, and the positions in the
/// words, counted modulo 32.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn ask(bit_array: &[u8], probes: u8, tile: Tile<'_>, words: impl Fn(__m512i) -> (__m512i, __m512i)) -> u64 {
    let mut answers = 0;
    for (group, (hashes, _)) in tile.groups().enumerate() {
        let mut walks = Walks::new(hashes, bit_array.len() * 8);
        let mut hits = __mmask16::MAX;
        for _ in 0..probes {
            let (words, positions) = words(walks.positions());
            let wanted = _mm512_rolv_epi32(_mm512_set1_epi32(1), positions);
            hits = _mm512_mask_test_epi32_mask(hits, words, wanted);
            walks.advance();
        }
        answers |= u64::from(hits) << (16 * group);
    }
    answers & first_bits(tile.count)
}
