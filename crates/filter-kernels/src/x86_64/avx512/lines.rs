//! RocksDB's cache-local filters: a line is a vector.

mod single;
mod split;

use core::arch::x86_64::*;
use core::hint::black_box;

use single::all_of_32;
use split::Split;

use super::Avx512;
use crate::KernelToken;
use crate::MAX_PROBES;
use crate::bloom64;
use crate::fast_local::{self, LINE_LEN, Line, POWERS, USUAL_PROBES};
use crate::hash::{TILE, WideSource, xxph3};
use crate::lanes::entries::entry;
use crate::ribbon::{Equation, Word, holds_by_eight};
use crate::tiles::{Tile, TileLanes};

const USUAL: usize = USUAL_PROBES as usize;
const MAX: usize = MAX_PROBES as usize;

/// The maximum number of lines that are built on the stack and copied.
const MAX_COPIED: usize = 128;
/// The maximum for few keys: a smaller copy is cleared sooner.
const FEW_COPIED: usize = 16;
const MORE_COPIED: usize = FEW_COPIED + 1;

impl Avx512 {
    pub(crate) fn create_lines(self, lines: &mut [Line], probes: u8, source: WideSource<'_>) -> usize {
        match lines.len() {
            2..=FEW_COPIED => self.create_copied::<FEW_COPIED>(lines, probes, source),
            MORE_COPIED..=MAX_COPIED => self.create_copied::<MAX_COPIED>(lines, probes, source),
            _ => {
                lines.as_flattened_mut().fill(0);
                fast_local::insert(KernelToken::Avx512(self), lines, probes, source)
            }
        }
    }

    /// Builds at most `ROOM` lines aligned to cache lines, then copies them: a line across two cache lines cannot be
    /// loaded again until its store has reached the cache, and a filter of few lines needs each again soon.
    fn create_copied<const ROOM: usize>(
        self,
        lines: &mut [Line],
        probes: u8,
        source: WideSource<'_>,
    ) -> usize {
        let mut aligned = Aligned([[0; LINE_LEN]; ROOM]);
        let copied = &mut aligned.0[..lines.len()];
        let repeats = fast_local::insert(KernelToken::Avx512(self), copied, probes, source);
        lines.copy_from_slice(copied);
        repeats
    }
}

impl Avx512 {
    entry!(
        Avx512,
        "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt",
        fn create_bits(bit_array: &mut [u8], probes: u8, source: WideSource<'_>) = bloom64::lanes::create
    );
}

impl TileLanes for Avx512 {
    #[inline(always)]
    fn hash_tile<const FINAL: bool>(self, source: WideSource<'_>, start: usize, hashes: &mut [u64]) {
        /// Compiled once: it is too large to be inlined wherever keys are hashed.
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
        fn run<const FINAL: bool>(lanes: Avx512, source: WideSource<'_>, start: usize, hashes: &mut [u64]) {
            xxph3::hash::<_, FINAL>(lanes, source, start, hashes);
        }
        // SAFETY: see the type.
        unsafe { run::<FINAL>(self, source, start, hashes) }
    }

    #[inline(always)]
    fn set_in_lines(self, lines: &mut [Line], probes: u8, tile: Tile<'_>) {
        // SAFETY: see the type.
        unsafe {
            let split = Split::new(self, tile, lines.len());
            match (probes, lines.len()) {
                (USUAL_PROBES, 1) => set::<USUAL, USUAL, true>(lines, probes, &split),
                (USUAL_PROBES, _) => set::<USUAL, USUAL, false>(lines, probes, &split),
                (_, 1) => set::<0, MAX, true>(lines, probes, &split),
                _ => set::<0, MAX, false>(lines, probes, &split),
            }
        }
    }

    #[inline(always)]
    fn ask_lines(self, lines: &[Line], probes: u8, tile: Tile<'_>) -> u64 {
        // SAFETY: see the type.
        unsafe { ask(lines, probes, &Split::new(self, tile, lines.len())) & tile.mask() }
    }

    #[inline(always)]
    fn set_bits(self, bit_array: &mut [u8], probes: u8, tile: Tile<'_>) {
        bloom64::lanes::set(self, bit_array, probes, tile);
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

#[repr(align(64))]
struct Aligned<T>(T);

/// For each probe, the bit positions of all keys of a tile.
type Rows<const MAX: usize> = Aligned<[[u32; TILE]; MAX]>;

/// Sets the bits of all keys. `PROBES` is the probe count if it is known at compile time, and 0 otherwise; `MAX` is the
/// largest possible count. With `ONE`, there is a single line, which is kept in a register, because
/// otherwise every key would wait for the one before it.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn set<const PROBES: usize, const MAX: usize, const ONE: bool>(lines: &mut [Line], probes: u8, tile: &Split) {
    let probes = if PROBES == 0 { usize::from(probes) } else { PROBES };
    let multiplier = _mm512_set1_epi32(POWERS[1].cast_signed());
    // The number of bits before each word of a line.
    let before = _mm512_setr_epi32(
        0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 480,
    );
    let count = tile.count;
    let mut rows: Rows<MAX> = Aligned([[0; TILE]; MAX]);
    // The number of probes is even: the last probe may come twice. The rows are hidden from the optimiser, which would
    // keep them in registers, where reading single values is slower. They are computed for all keys first, so that no
    // key waits for a recent store.
    let rows = &mut black_box(&mut rows).0[..probes.next_multiple_of(2)];
    for (group, walks) in tile
        .walks
        .as_chunks()
        .0
        .iter()
        .enumerate()
        .take(count.div_ceil(16))
    {
        let mut walks = load_words(walks);
        for (probe, row) in rows.iter_mut().enumerate() {
            store_words(&mut row.as_chunks_mut().0[group], _mm512_srli_epi32::<23>(walks));
            if probe + 1 < probes {
                walks = _mm512_mullo_epi32(walks, multiplier);
            }
        }
    }
    let [first, between @ .., last] = &*rows else {
        unreachable!("an even number of probes, and not none")
    };
    let mut one = _mm512_setzero_si512();
    for (key, &number) in tile.lines.iter().enumerate().take(count) {
        // A shift by 32 or more, as from a negative difference, leaves no bit.
        let bits_of = |row: &[u32; TILE]| {
            let shift = _mm512_sub_epi32(_mm512_set1_epi32(row[key].cast_signed()), before);
            _mm512_sllv_epi32(_mm512_set1_epi32(1), shift)
        };
        let mut bits = bits_of(first);
        for [second, third] in between.as_chunks().0 {
            // ORs all three.
            bits = _mm512_ternarylogic_epi32::<0xfe>(bits, bits_of(second), bits_of(third));
        }
        // The operation that others wait for comes last.
        let with = |line: __m512i| _mm512_ternarylogic_epi32::<0xfe>(line, bits, bits_of(last));
        if ONE {
            one = with(one);
        } else if let Some(line) = lines.get_mut(number as usize) {
            // Always present: the fraction that is multiplied is below one.
            put(line, with(whole(line)));
        }
    }
    if ONE && let [line] = lines {
        put(line, _mm512_or_si512(whole(line), one));
    }
}

/// Returns the answers, one bit each.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn ask(lines: &[Line], probes: u8, tile: &Split) -> u64 {
    if probes <= 8 {
        return ask_pairs(lines, probes, tile);
    }
    let mut answers = 0;
    for (i, (&line, &walk)) in tile.lines.iter().zip(&tile.walks).enumerate().take(tile.count) {
        answers |= u64::from(all_of_32(&lines[line as usize], probes, walk)) << i;
    }
    answers
}

/// Queries two keys at a time, whose probes, at most 8, are the lanes.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn ask_pairs(lines: &[Line], probes: u8, tile: &Split) -> u64 {
    let [powers, ..] = POWERS.as_chunks().0 else {
        unreachable!("there are 32 powers")
    };
    let powers = _mm512_broadcast_i64x4(half(powers));
    // Words 0 to 15 are the first key's line, words 16 to 31 the second's.
    let second = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 16, 16, 16, 16, 16, 16, 16, 16);
    let one = _mm512_set1_epi32(1);
    let live = _bzhi_u32(0xff, u32::from(probes)) as u16;
    let live = live | live << 8;
    // The probes with missing bits, one byte for each key.
    let mut missing = [[0_u8; 2]; TILE / 2];
    let pairs = tile
        .lines
        .as_chunks::<2>()
        .0
        .iter()
        .zip(tile.walks.as_chunks::<2>().0);
    for (missing, (numbers, walks)) in missing.iter_mut().zip(pairs).take(tile.count.div_ceil(2)) {
        let [first, next] = numbers.map(|number| whole(&lines[number as usize]));
        let [walk, next_walk] = walks.map(u32::cast_signed);
        let walks = _mm512_mask_set1_epi32(_mm512_set1_epi32(walk), 0xff00, next_walk);
        let walks = _mm512_mullo_epi32(walks, powers);
        let indices = _mm512_or_si512(_mm512_srli_epi32::<28>(walks), second);
        let words = _mm512_permutex2var_epi32(first, indices, next);
        let bits = _mm512_rolv_epi32(one, _mm512_srli_epi32::<23>(walks));
        *missing = _mm512_mask_testn_epi32_mask(live, words, bits).to_le_bytes();
    }
    // SAFETY: the array has the length of a vector.
    let missing = unsafe { _mm512_loadu_si512(missing.as_ptr().cast()) };
    _mm512_testn_epi8_mask(missing, missing)
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn put(line: &mut Line, bits: __m512i) {
    // SAFETY: a line has the length of a vector.
    unsafe { _mm512_storeu_si512(line.as_mut_ptr().cast(), bits) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn whole(line: &Line) -> __m512i {
    // SAFETY: a line has the length of a vector.
    unsafe { _mm512_loadu_si512(line.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn half(values: &[u32; 8]) -> __m256i {
    // SAFETY: the array has the length of half a vector.
    unsafe { _mm256_loadu_si256(values.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn load_words(values: &[u32; 16]) -> __m512i {
    // SAFETY: the array has the length of a vector.
    unsafe { _mm512_loadu_si512(values.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn store_words(values: &mut [u32; 16], vector: __m512i) {
    // SAFETY: the array has the length of a vector.
    unsafe { _mm512_storeu_si512(values.as_mut_ptr().cast(), vector) }
}
