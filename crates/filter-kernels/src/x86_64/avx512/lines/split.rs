//! The parts of hash values.

use super::super::Avx512;
use super::store_words;
use crate::hash::TILE;
use crate::lanes::{Lanes, Lanes64, WideLanes};
use crate::tiles::Tile;

/// The lines of the keys of a tile, and the starts of their walks. Unused entries are valid, too.
#[repr(align(64))]
pub(super) struct Split {
    pub(super) lines: [u32; TILE],
    pub(super) walks: [u32; TILE],
    /// The number of keys in use.
    pub(super) count: usize,
}

impl Split {
    /// Splits hash values into the index of one of `lines` lines and the start of a walk.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
    #[inline]
    pub(super) fn new(lanes: Avx512, tile: Tile<'_>, lines: usize) -> Self {
        let mut split = Self {
            lines: [0; TILE],
            walks: [0; TILE],
            count: tile.count,
        };
        let wide = lanes.wide();
        let count = wide.splat(lines as u64);
        let groups = tile.groups(Avx512::LANES);
        let into = split
            .lines
            .as_chunks_mut()
            .0
            .iter_mut()
            .zip(split.walks.as_chunks_mut().0);
        for ((hashes, _), (lines, walks)) in groups.zip(into) {
            let hashes = lanes.load_walks(hashes);
            let products = hashes.map(|hashes| wide.mul_halves(hashes, count));
            store_words(lines, lanes.upper_halves(products));
            store_words(walks, lanes.upper_halves(hashes));
        }
        split
    }
}
