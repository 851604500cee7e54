//! Filters of 64-bit hash values, a tile of keys at a time. Large filters are fetched ahead: the bits of a tile are
//! prefetched before those of the tile before it are used.

use crate::simd::source::TILE;

/// Hash values; only the first `count` are in use, but all of them are valid.
#[derive(Clone, Copy)]
pub(crate) struct Tile<'a> {
    pub(crate) hashes: &'a [u64; TILE],
    pub(crate) count: usize,
}

impl<'a> Tile<'a> {
    /// Returns the values in use.
    #[inline(always)]
    pub(crate) fn used(self) -> &'a [u64] {
        &self.hashes[..self.count]
    }

    /// Returns groups of as many values as there are lanes, with the number of values in use.
    #[inline(always)]
    pub(crate) fn groups(self, lanes: usize) -> impl Iterator<Item = (&'a [u64], usize)> {
        let starts = (0..self.count).step_by(lanes);
        starts.map(move |start| (&self.hashes[start..start + lanes], lanes.min(self.count - start)))
    }

    /// Returns a mask of the keys in use.
    #[inline(always)]
    pub(crate) fn mask(self) -> u64 {
        u64::MAX >> (TILE - self.count.clamp(1, TILE))
    }
}

/// Steps through the tiles of `len` keys, see [`each_tile`]. If `ahead`, each tile is hashed and fetched a step before it
/// is used.
pub(crate) struct Tiles {
    hashes: [[u64; TILE]; 2],
    len: usize,
    ahead: bool,
    /// The number of steps so far.
    steps: usize,
}

impl Tiles {
    #[inline(always)]
    pub(crate) const fn new(len: usize, ahead: bool) -> Self {
        Self {
            hashes: [[0; TILE]; 2],
            len,
            ahead,
            steps: 0,
        }
    }

    /// Begins a step; returns false if nothing is left.
    #[inline(always)]
    pub(crate) const fn step(&mut self) -> bool {
        self.steps += 1;
        self.steps <= self.len.div_ceil(TILE) + self.ahead as usize
    }

    /// Returns the first key of the tile to hash in this step, if there is one, and the room for its hash values.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<(usize, &mut [u64])> {
        let start = (self.steps - 1) * TILE;
        let count = TILE.min(self.len.checked_sub(start)?);
        let room = &mut self.hashes[self.steps % 2];
        (count > 0).then(|| (start, &mut room[..count]))
    }

    /// Returns the number of the tile to use in this step, if there is one, and the tile.
    #[inline(always)]
    pub(crate) fn ready(&self) -> Option<(usize, Tile<'_>)> {
        let step = self.steps - usize::from(self.ahead);
        let number = step.checked_sub(1)?;
        let hashes = &self.hashes[step % 2];
        let count = TILE.min(self.len - number * TILE);
        Some((number, Tile { hashes, count }))
    }
}

/// Evaluates the last expression for each tile of `len` keys and its number. The first one computes the hash values from a
/// key on; if `ahead`, the second one then prefetches what these values take, before the tile before them is used. A macro,
/// because closures would be compiled without the kernel's instructions.
macro_rules! each_tile {
    ($len:expr, $ahead:expr, |$start:ident, $hashes:ident| $hash:expr, |$hashed:ident| $fetch:expr, |$number:pat_param, $tile:ident| $take:expr) => {{
        let ahead = $ahead;
        let mut tiles = $crate::simd::tiles::Tiles::new($len, ahead);
        while tiles.step() {
            if let Some(($start, $hashes)) = tiles.next() {
                $hash;
                if ahead {
                    let $hashed = &*$hashes;
                    $fetch;
                }
            }
            if let Some(($number, $tile)) = tiles.ready() {
                $take;
            }
        }
    }};
}

pub(crate) use each_tile;
