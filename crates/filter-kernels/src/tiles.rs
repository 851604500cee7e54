//! Filters of 64-bit hash values, a tile of keys at a time. Large filters are fetched ahead: the bits of a tile are
//! prefetched before those of the tile before it are used.

use crate::bloom64::{self, MULTIPLIER, position};
use crate::fast_local::{self, LINE_LEN, Line, line_of};
use crate::hash::{TILE, WideSource, xxph3};
use crate::lanes::Lanes;
use crate::ribbon::{self, Equation, Word};

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

/// The operations on a tile that processors have in different forms.
pub(crate) trait TileLanes: Lanes {
    /// Computes the XXPH3 of the keys from `start` on; with `FINAL`, their XXH3.
    fn hash_tile<const FINAL: bool>(self, source: WideSource<'_>, start: usize, hashes: &mut [u64]);
    /// Sets the bits of 1 to 30 probes.
    fn set_in_lines(self, lines: &mut [Line], probes: u8, tile: Tile<'_>);
    /// Returns the answers, one bit each.
    fn ask_lines(self, lines: &[Line], probes: u8, tile: Tile<'_>) -> u64;

    /// Sets the bits of 1 to 30 probes anywhere in the array.
    #[inline(always)]
    fn set_bits(self, bit_array: &mut [u8], probes: u8, tile: Tile<'_>) {
        bloom64::set(bit_array, probes, WideSource::Hashes(tile.used()));
    }

    /// Returns the answers, one bit each.
    #[inline(always)]
    fn ask_bits(self, bit_array: &[u8], probes: u8, tile: Tile<'_>) -> u64 {
        bloom64::each_set(bit_array, probes, tile.used())
    }

    /// [`FetchLanes::holds`].
    #[inline(always)]
    fn holds(self, words: &[Word], columns: usize, equation: Equation) -> bool {
        ribbon::holds(self, words, columns, equation)
    }
}

/// The operations on single keys that processors have in different forms.
pub(crate) trait FetchLanes: Copy {
    /// Computes the XXPH3 of the keys from `start` on; with `FINAL`, their XXH3. Panics if there are too few.
    fn hash<const FINAL: bool>(self, source: WideSource<'_>, start: usize, hashes: &mut [u64]);

    /// Prefetches an item, to be written if `WRITE`. This is not an access in the sense of the language.
    fn fetch<const WRITE: bool, T>(self, items: &[T], index: usize);

    /// Returns a number whose lowest bit is the sum of the word's bits.
    #[inline(always)]
    fn sum(self, word: u64) -> u32 {
        word.count_ones()
    }

    /// Returns true if an equation holds in a Ribbon filter. The words are those of the two blocks from the one on in which it
    /// starts, of this many columns, and two more.
    #[inline(always)]
    fn holds(self, words: &[Word], columns: usize, equation: Equation) -> bool {
        ribbon::holds(self, words, columns, equation)
    }
}

impl<L: TileLanes> FetchLanes for L {
    #[inline(always)]
    fn hash<const FINAL: bool>(self, source: WideSource<'_>, start: usize, hashes: &mut [u64]) {
        self.hash_tile::<FINAL>(source, start, hashes);
    }

    #[inline(always)]
    fn fetch<const WRITE: bool, T>(self, items: &[T], index: usize) {
        self.prefetch::<WRITE, T>(items, index);
    }

    #[inline(always)]
    fn sum(self, word: u64) -> u32 {
        self.count_bits(word)
    }

    #[inline(always)]
    fn holds(self, words: &[Word], columns: usize, equation: Equation) -> bool {
        TileLanes::holds(self, words, columns, equation)
    }
}

/// The portable code.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

impl FetchLanes for Portable {
    #[inline(always)]
    fn hash<const FINAL: bool>(self, source: WideSource<'_>, start: usize, hashes: &mut [u64]) {
        source.hash_by(xxph3::of_one::<FINAL>, start, hashes);
    }

    #[inline(always)]
    fn fetch<const WRITE: bool, T>(self, _: &[T], _: usize) {}
}

/// Steps through the tiles of `len` keys. If `ahead`, each tile is hashed and fetched a step before it is used.
///
/// ```text
/// while tiles.step() {
///     if let Some((start, hashes)) = tiles.next() { hash; if ahead { prefetch } }
///     if let Some((number, tile)) = tiles.ready() { use }
/// }
/// ```
pub(crate) struct Tiles {
    hashes: [[u64; TILE]; 2],
    len: usize,
    pub(crate) ahead: bool,
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

/// Prefetches the lines of these hash values; each may lie in two cache lines.
#[inline(always)]
fn prefetch_lines<S: Lanes, const WRITE: bool>(lanes: S, lines: &[Line], hashes: &[u64]) {
    let bytes = lines.as_flattened();
    let aligned = bytes.as_ptr().align_offset(LINE_LEN) == 0;
    for &hash in hashes {
        let start = line_of(hash, lines.len()) * LINE_LEN;
        lanes.prefetch::<WRITE, _>(bytes, start);
        if !aligned {
            lanes.prefetch::<WRITE, _>(bytes, start + LINE_LEN - 1);
        }
    }
}

/// [`fast_local::insert`].
#[inline(always)]
pub(crate) fn insert_in_lines<S: TileLanes>(
    lanes: S,
    lines: &mut [Line],
    probes: u8,
    source: WideSource<'_>,
) -> usize {
    let mut tiles = Tiles::new(source.len(), lines.len() >= fast_local::PREFETCHED);
    let (mut repeats, mut last) = (0, None);
    while tiles.step() {
        let ahead = tiles.ahead;
        if let Some((start, hashes)) = tiles.next() {
            lanes.hash_tile::<false>(source, start, hashes);
            if ahead {
                prefetch_lines::<S, true>(lanes, lines, hashes);
            }
        }
        if let Some((_, tile)) = tiles.ready() {
            let hashes = tile.used();
            repeats += usize::from(last == hashes.first().copied());
            repeats += hashes.windows(2).filter(|pair| pair[0] == pair[1]).count();
            last = hashes.last().copied();
            lanes.set_in_lines(lines, probes, tile);
        }
    }
    repeats
}

/// [`fast_local::may_match_many`].
#[inline(always)]
pub(crate) fn ask_lines<S: TileLanes>(
    lanes: S,
    lines: &[Line],
    probes: u8,
    source: WideSource<'_>,
    answers: &mut [u64],
) {
    let mut tiles = Tiles::new(source.len(), lines.len() >= fast_local::PREFETCHED);
    while tiles.step() {
        let ahead = tiles.ahead;
        if let Some((start, hashes)) = tiles.next() {
            lanes.hash_tile::<false>(source, start, hashes);
            if ahead {
                prefetch_lines::<S, false>(lanes, lines, hashes);
            }
        }
        if let Some((number, tile)) = tiles.ready() {
            answers[number] = lanes.ask_lines(lines, probes, tile);
        }
    }
}

/// Prefetches the bytes of all probes of these hash values.
#[inline(always)]
fn prefetch_bits<S: Lanes, const WRITE: bool>(lanes: S, bit_array: &[u8], probes: u8, hashes: &[u64]) {
    let bits = bit_array.len() as u64 * 8;
    for &hash in hashes {
        let mut walk = hash;
        for _ in 0..probes {
            lanes.prefetch::<WRITE, _>(bit_array, (position(walk, bits) / 8) as usize);
            walk = walk.wrapping_mul(MULTIPLIER);
        }
    }
}

/// [`bloom64::insert`].
#[inline(always)]
pub(crate) fn insert_bits<S: TileLanes>(lanes: S, bit_array: &mut [u8], probes: u8, source: WideSource<'_>) {
    let mut tiles = Tiles::new(source.len(), bit_array.len() >= bloom64::PREFETCHED);
    while tiles.step() {
        let ahead = tiles.ahead;
        if let Some((start, hashes)) = tiles.next() {
            lanes.hash_tile::<false>(source, start, hashes);
            if ahead {
                prefetch_bits::<S, true>(lanes, bit_array, probes, hashes);
            }
        }
        if let Some((_, tile)) = tiles.ready() {
            lanes.set_bits(bit_array, probes, tile);
        }
    }
}

/// [`bloom64::may_match_many`].
#[inline(always)]
pub(crate) fn ask_bits<S: TileLanes>(
    lanes: S,
    bit_array: &[u8],
    probes: u8,
    source: WideSource<'_>,
    answers: &mut [u64],
) {
    let mut tiles = Tiles::new(source.len(), bit_array.len() >= bloom64::PREFETCHED);
    while tiles.step() {
        let ahead = tiles.ahead;
        if let Some((start, hashes)) = tiles.next() {
            lanes.hash_tile::<false>(source, start, hashes);
            if ahead {
                prefetch_bits::<S, false>(lanes, bit_array, probes, hashes);
            }
        }
        if let Some((number, tile)) = tiles.ready() {
            answers[number] = lanes.ask_bits(bit_array, probes, tile);
        }
    }
}
