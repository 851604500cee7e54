//! Keys in progress together.

use core::arch::x86_64::*;

use super::super::{load, store_words, upper_halves};
use crate::fast_local::{LINE_LEN, Line};
use crate::generic::Lanes;
use crate::wide::TILE;
use crate::x86_64::Avx512;

/// The lines of some keys, and the starts of their walks. Unused entries are valid, too: they name the first line.
#[repr(align(64))]
pub(crate) struct Tile {
    pub(crate) lines: [u32; TILE],
    pub(crate) walks: [u32; TILE],
}

impl Tile {
    pub(crate) const fn new() -> Self {
        Self {
            lines: [0; TILE],
            walks: [0; TILE],
        }
    }

    /// Splits the first `count` hash values into the index of one of `lines` lines and the start of a walk.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
    #[inline]
    pub(crate) fn fill(&mut self, hashes: &[u64; TILE], count: usize, lines: usize) {
        let lines_of_all = _mm512_set1_epi64(lines as i64);
        let (lines, walks) = (self.lines.as_chunks_mut().0, self.walks.as_chunks_mut().0);
        let into = lines.iter_mut().zip(walks).take(count.div_ceil(16));
        for (hashes, (lines, walks)) in hashes.as_chunks::<16>().0.iter().zip(into) {
            let [first, second] = hashes.as_chunks().0 else {
                unreachable!("16 are two times 8")
            };
            let (first, second) = (load(first), load(second));
            let (low, high) = (
                _mm512_mul_epu32(first, lines_of_all),
                _mm512_mul_epu32(second, lines_of_all),
            );
            store_words(lines, upper_halves(low, high));
            store_words(walks, upper_halves(first, second));
        }
    }

    /// Prefetches the lines of the first `count` keys.
    #[inline(always)]
    pub(crate) fn prefetch<const WRITE: bool>(&self, lanes: Avx512, lines: &[Line], count: usize) {
        let bytes = lines.as_flattened();
        // A line extends into the next cache line unless the filter starts at a cache line.
        let aligned = bytes.as_ptr().align_offset(LINE_LEN) == 0;
        for &line in self.lines.iter().take(count) {
            let start = line as usize * LINE_LEN;
            lanes.prefetch::<WRITE>(bytes, start);
            if !aligned {
                lanes.prefetch::<WRITE>(bytes, start + LINE_LEN - 1);
            }
        }
    }
}
