//! The walks of as many keys as there are lanes, for bit arrays whose positions fit into lanes.

use core::hint::black_box;

use super::{MULTIPLIER, TOO_LONG, USUAL_PROBES, each_set};
use crate::MAX_PROBES;
use crate::hash::MAP_BITS;
use crate::hash::WideSource;
use crate::lanes::{Lanes64, MAX_LANES, Walks, WideLanes};
use crate::leveldb::query::{LookUp, Table, Words};
use crate::tiles::{Tile, TileLanes, Tiles};

/// Smaller maps, which take less clearing.
const SMALL_MAP_BITS: usize = 512;
const MEDIUM_MAP_BITS: usize = 2048;

const USUAL: usize = USUAL_PROBES as usize;
const MAX: usize = MAX_PROBES as usize;

#[derive(Clone, Copy)]
struct Positions<S: WideLanes> {
    lanes: S,
    walks: Walks<S>,
    bits: <S::Wide as Lanes64>::Vector,
}

impl<S: WideLanes> Positions<S> {
    /// Starts the walks of the first hash values, for a number of bits below 2^31.
    #[inline(always)]
    fn new(lanes: S, hashes: &[u64], bits: usize) -> Self {
        Self {
            lanes,
            walks: lanes.load_walks(hashes),
            bits: lanes.wide().splat(bits as u64),
        }
    }

    #[inline(always)]
    fn now(&self) -> S::Vector {
        let [first, second] = self.walks;
        self.lanes.upper_halves([self.scaled(first), self.scaled(second)])
    }

    /// Returns positions in the upper halves. No sum overflows, because there are fewer than 2^31 bits.
    #[inline(always)]
    fn scaled(&self, walks: <S::Wide as Lanes64>::Vector) -> <S::Wide as Lanes64>::Vector {
        let wide = self.lanes.wide();
        let low = wide.mul_halves(walks, self.bits);
        let high = wide.mul_halves(wide.shift_right::<32>(walks), self.bits);
        wide.add(high, wide.shift_right::<32>(low))
    }

    #[inline(always)]
    fn advance(&mut self) {
        let wide = self.lanes.wide();
        for walks in &mut self.walks {
            *walks = wide.mul(*walks, wide.splat(MULTIPLIER));
        }
    }
}

/// Builds a small filter as a map of one byte per bit over whatever `bit_array` holds.
#[inline(always)]
pub(crate) fn create<S: WideLanes + TileLanes>(
    lanes: S,
    bit_array: &mut [u8],
    probes: u8,
    source: WideSource<'_>,
) {
    let bits = bit_array.len() * 8;
    let (mut small, mut medium, mut large);
    let map: &mut [u8] = if bits <= SMALL_MAP_BITS {
        small = [0; SMALL_MAP_BITS];
        &mut small
    } else if bits <= MEDIUM_MAP_BITS {
        medium = [0; MEDIUM_MAP_BITS];
        &mut medium
    } else {
        large = [0; MAP_BITS];
        &mut large
    };
    let mut tiles = Tiles::new(source.len(), false);
    while tiles.step() {
        if let Some((start, hashes)) = tiles.next() {
            lanes.hash_tile::<false>(source, start, hashes);
        }
        let Some((_, tile)) = tiles.ready() else {
            break;
        };
        if probes == USUAL_PROBES {
            set_in_map::<S, USUAL, USUAL>(lanes, map, bits, probes, tile);
        } else {
            set_in_map::<S, 0, MAX>(lanes, map, bits, probes, tile);
        }
    }
    for (bytes, map) in bit_array.chunks_mut(8).zip(map.as_chunks().0) {
        let word = lanes.high_bits(map).to_le_bytes();
        bytes.copy_from_slice(&word[..bytes.len()]);
    }
}

/// `PROBES` is the probe count if it is known at compile time, and 0 otherwise; `MAX` is the largest possible count.
#[inline(always)]
fn set_in_map<S: WideLanes, const PROBES: usize, const MAX: usize>(
    lanes: S,
    map: &mut [u8],
    bits: usize,
    probes: u8,
    tile: Tile<'_>,
) {
    let probes = if PROBES == 0 { usize::from(probes) } else { PROBES };
    let mut rows = [[0_u32; MAX_LANES]; MAX];
    for (hashes, count) in tile.groups(S::LANES) {
        // Hidden from the optimiser, which would keep the rows in registers, where reading single values is slower.
        let rows = &mut black_box(&mut rows)[..probes];
        let mut positions = Positions::new(lanes, hashes, bits);
        for row in &mut *rows {
            lanes.store(positions.now(), row);
            positions.advance();
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

/// [`TileLanes::set_bits`].
#[inline(always)]
pub(crate) fn set<S: WideLanes>(lanes: S, bit_array: &mut [u8], probes: u8, tile: Tile<'_>) {
    if bit_array.len() >= TOO_LONG {
        super::set(bit_array, probes, WideSource::Hashes(tile.used()));
    } else if probes == USUAL_PROBES {
        set_words::<S, USUAL, USUAL>(lanes, bit_array, probes, tile);
    } else {
        set_words::<S, 0, MAX>(lanes, bit_array, probes, tile);
    }
}

/// Like [`set_in_map`], but sets the bits themselves.
#[inline(always)]
fn set_words<S: WideLanes, const PROBES: usize, const MAX: usize>(
    lanes: S,
    bit_array: &mut [u8],
    probes: u8,
    tile: Tile<'_>,
) {
    let probes = if PROBES == 0 { usize::from(probes) } else { PROBES };
    let bits = bit_array.len() * 8;
    let (words, rest) = bit_array.as_chunks_mut::<4>();
    // The bits of the bytes after the last whole word.
    let mut beyond = 0_u32;
    // The word and the bit in the word, for each probe.
    let mut rows = [[[0_u32; MAX_LANES]; 2]; MAX];
    for (hashes, count) in tile.groups(S::LANES) {
        let rows = &mut black_box(&mut rows)[..probes];
        let mut positions = Positions::new(lanes, hashes, bits);
        for [indices, masks] in &mut *rows {
            let now = positions.now();
            lanes.store(lanes.shift_right::<5>(now), indices);
            lanes.store(lanes.bit_of(now), masks);
            positions.advance();
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

/// [`TileLanes::ask_bits`]. Small arrays are looked up in registers.
#[inline(always)]
pub(crate) fn ask<S: WideLanes>(lanes: S, bit_array: &[u8], probes: u8, tile: Tile<'_>) -> u64 {
    let len = bit_array.len();
    if len <= S::TABLE_BYTES / 4 {
        ask_words(lanes, Table::<_, 1>::new(lanes, bit_array), len, probes, tile)
    } else if len <= S::TABLE_BYTES / 2 {
        ask_words(lanes, Table::<_, 2>::new(lanes, bit_array), len, probes, tile)
    } else if len <= S::TABLE_BYTES {
        ask_words(lanes, Table::<_, 4>::new(lanes, bit_array), len, probes, tile)
    } else if len < TOO_LONG {
        ask_words(lanes, Words::new(lanes, bit_array), len, probes, tile)
    } else {
        each_set(bit_array, probes, tile.used())
    }
}

/// Returns the answers of an array of `len` bytes, one bit each.
#[inline(always)]
fn ask_words<S: WideLanes>(lanes: S, words: impl LookUp<S>, len: usize, probes: u8, tile: Tile<'_>) -> u64 {
    let mut answers = 0;
    for (group, (hashes, _)) in tile.groups(S::LANES).enumerate() {
        let mut positions = Positions::new(lanes, hashes, len * 8);
        let mut hits = lanes.all_hits();
        for _ in 0..probes {
            let now = positions.now();
            hits = lanes.hit(hits, words.at(lanes, now), now);
            positions.advance();
        }
        answers |= u64::from(lanes.hit_bits(hits)) << (S::LANES * group);
    }
    answers & tile.mask()
}
