//! Walks in lanes, for bit arrays whose positions fit into them: those of as many keys as there are lanes, or the
//! probes of one key.
#![allow(
    unsafe_code,
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "lengths were checked before, and the lowest bits are meant"
)]

use core::hint::black_box;
use core::mem::MaybeUninit;

use super::definition::{MULTIPLIER, USUAL_PROBES, all_set, position, set};
use crate::simd::bits::{
    Aligned, Bits, LaneValues, MAX_PROBES, Words, cleared, in_registers, usual, write_map,
};
use crate::simd::hash::tile;
use crate::simd::hash::xxph3::Xxph3;
use crate::simd::lanes::{Lanes64, MAX_LANES, Target, Walks, WideLanes, Work};
use crate::simd::source::Source;
use crate::simd::tiles::{Tile, each_tile};

/// The length in bytes from which positions do not fit into lanes.
pub(super) const TOO_LONG: usize = 1 << 28;

#[derive(Clone, Copy)]
struct Positions<S: WideLanes> {
    lanes: S,
    walks: Walks<S>,
    bits: <S::Wide as Lanes64>::Vector,
}

impl<S: WideLanes> Positions<S> {
    /// Starts the walks of the first hash values, for this many [`bits`].
    #[inline(always)]
    fn new(lanes: S, hashes: &[u64], bits: <S::Wide as Lanes64>::Vector) -> Self {
        Self {
            lanes,
            walks: lanes.load_walks(hashes),
            bits,
        }
    }

    #[inline(always)]
    fn now(&self) -> S::Vector {
        let [first, second] = self.walks;
        let wide = self.lanes.wide();
        self.lanes
            .upper_halves([scaled(wide, first, self.bits), scaled(wide, second, self.bits)])
    }

    #[inline(always)]
    fn advance(&mut self) {
        let wide = self.lanes.wide();
        for walks in &mut self.walks {
            *walks = wide.mul(*walks, wide.splat(MULTIPLIER));
        }
    }
}

/// Returns the number of bits in an array shorter than [`TOO_LONG`]. For AVX-512 it is hidden from the optimiser: where
/// that knows the upper halves to be zeros, it chooses instructions that multiply 64 bits and take three times as long.
#[inline(always)]
fn bits<L: Lanes64>(wide: L, bytes: usize) -> L::Vector {
    let bits = bytes as u64 * 8;
    wide.splat(if L::LANES < 8 { bits } else { black_box(bits) })
}

/// Returns positions in the upper halves. No sum overflows, because there are fewer than 2^31 bits.
#[inline(always)]
fn scaled<L: Lanes64>(wide: L, walks: L::Vector, bits: L::Vector) -> L::Vector {
    let low = wide.mul_halves(walks, bits);
    let high = wide.mul_halves(wide.shift_right::<32>(walks), bits);
    wide.add(high, wide.shift_right::<32>(low))
}

/// Prefetches the bytes of all probes of these hash values.
#[inline(always)]
pub(super) fn prefetch<S: Target, const WRITE: bool>(lanes: S, bit_array: &[u8], probes: u8, hashes: &[u64]) {
    let bits = bit_array.len() as u64 * 8;
    for &hash in hashes {
        let mut walk = hash;
        for _ in 0..probes {
            lanes.prefetch::<WRITE, _>(bit_array, (position(walk, bits) / 8) as usize);
            walk = walk.wrapping_mul(MULTIPLIER);
        }
    }
}

/// Builds a small filter over whatever the bits are, where positions can be computed in lanes as a map of one byte per
/// bit.
pub(super) struct CreateByMap<'a>(pub(super) &'a mut [u8], pub(super) u8, pub(super) Source<'a, u64>);

impl Work for CreateByMap<'_> {
    type Out = ();

    #[inline(always)]
    fn portable(self) {
        let Self(bit_array, probes, source) = self;
        bit_array.fill(0);
        set(bit_array, probes, source);
    }

    #[inline(always)]
    fn wide<S: WideLanes>(self, lanes: S) {
        let Self(bit_array, probes, source) = self;
        let mut room = Aligned(MaybeUninit::uninit());
        let map = cleared(&mut room, bit_array.len() * 8);
        let bytes = bit_array.len();
        each_tile!(
            source.len(),
            false,
            |start, hashes| tile::hash::<Xxph3<false>, _>(lanes, source, start, hashes),
            |_hashes| unreachable!("so few bits are not fetched ahead"),
            |_, tile| usual!(probes == USUAL_PROBES, |MOST| {
                set_tile(
                    lanes,
                    bytes,
                    probes,
                    tile,
                    &mut Bits::in_map(map, bytes * 8),
                    &mut Aligned([[0; MAX_LANES]; MOST]).0,
                );
            })
        );
        write_map(lanes, map, bit_array);
    }
}

/// Sets the bits of 1 to 30 probes anywhere in the array.
pub(super) struct SetTile<'a>(pub(super) &'a mut [u8], pub(super) u8, pub(super) Tile<'a>);

impl Work for SetTile<'_> {
    type Out = ();

    #[inline(always)]
    fn portable(self) {
        let Self(bit_array, probes, tile) = self;
        set(bit_array, probes, Source::Hashes(tile.used()));
    }

    #[inline(always)]
    fn wide<S: WideLanes>(self, lanes: S) {
        if S::LANES < MAX_LANES || self.0.len() >= TOO_LONG {
            return self.portable();
        }
        let Self(bit_array, probes, tile) = self;
        let bytes = bit_array.len();
        let mut words = Bits::new(bit_array);
        usual!(probes == USUAL_PROBES, |MOST| {
            set_tile(
                lanes,
                bytes,
                probes,
                tile,
                &mut words,
                &mut Aligned([[0; MAX_LANES]; 2 * MOST]).0,
            );
        });
        words.finish();
    }
}

/// Sets the bits of a tile in an array of this many bytes. There are [`Bits::ROWS`] rows for each probe.
#[inline(always)]
fn set_tile<S: WideLanes, const MAP: bool>(
    lanes: S,
    bytes: usize,
    probes: u8,
    tile: Tile<'_>,
    destination: &mut Bits<'_, MAP>,
    rows: &mut [LaneValues],
) {
    let bits = bits(lanes.wide(), bytes);
    for (hashes, count) in tile.groups(S::LANES) {
        let rows = &mut rows[..usize::from(probes) * Bits::<MAP>::ROWS];
        let mut positions = Positions::new(lanes, hashes, bits);
        for row in rows.chunks_exact_mut(Bits::<MAP>::ROWS) {
            Bits::<MAP>::prepare(lanes, positions.now(), row);
            positions.advance();
        }
        for row in black_box(&*rows).chunks_exact(Bits::<MAP>::ROWS) {
            // SAFETY: positions are below the number of bits.
            unsafe { destination.set::<S>(row, count) };
        }
    }
}

/// The powers of the multiplier: the factors of a hash value, one for each probe, and more for the last vectors.
static POWERS: [u64; 40] = {
    let mut powers = [1; 40];
    let mut i = 1;
    while i < powers.len() {
        powers[i] = MULTIPLIER.wrapping_mul(powers[i - 1]);
        i += 1;
    }
    assert!(MAX_PROBES as usize + 8 <= powers.len());
    powers
};

/// Returns true if all bits of a hash value are set, in an array that is shorter than [`TOO_LONG`]. Eight 64-bit lanes
/// test as many probes at a time.
pub(super) struct Ask<'a>(pub(super) &'a [u8], pub(super) u8, pub(super) u64);

impl Work for Ask<'_> {
    type Out = bool;

    #[inline(always)]
    fn portable(self) -> bool {
        let Self(bit_array, probes, hash) = self;
        all_set(bit_array, probes, hash)
    }

    #[inline(always)]
    fn wide<S: WideLanes>(self, lanes: S) -> bool {
        let Self(bit_array, probes, hash) = self;
        if S::LANES < MAX_LANES {
            return self.portable();
        }
        let wide = lanes.wide();
        // The length is unknown here, so nothing has to be hidden as by `bits`.
        let (bits, hash) = (wide.splat(bit_array.len() as u64 * 8), wide.splat(hash));
        let mut left = u32::from(probes);
        for powers in POWERS.as_chunks::<8>().0.windows(2) {
            let [powers, _] = lanes.load_walks(powers.as_flattened());
            let positions = lanes.upper_halves([scaled(wide, wide.mul(hash, powers), bits); 2]);
            // SAFETY: the positions are below the number of bits.
            let all = unsafe { lanes.all_set(bit_array, positions, left) };
            // Avoids a branch on the last answer.
            if left <= 8 || !all {
                return all;
            }
            left -= 8;
        }
        true
    }
}

/// Returns the answers for at most 64 hash values, one bit each.
#[inline(always)]
fn each_set(bit_array: &[u8], probes: u8, hashes: &[u64]) -> u64 {
    hashes.iter().rev().fold(0, |answers, &hash| {
        answers << 1 | u64::from(all_set(bit_array, probes, hash))
    })
}

/// Returns the answers, one bit each. Small arrays are looked up in registers.
pub(super) struct AskTile<'a>(pub(super) &'a [u8], pub(super) u8, pub(super) Tile<'a>);

impl Work for AskTile<'_> {
    type Out = u64;

    #[inline(always)]
    fn portable(self) -> u64 {
        let Self(bit_array, probes, tile) = self;
        each_set(bit_array, probes, tile.used())
    }

    #[inline(always)]
    fn wide<S: WideLanes>(self, lanes: S) -> u64 {
        let Self(bit_array, probes, tile) = self;
        let len = bit_array.len();
        in_registers!(
            lanes: S, bit_array, |table| query_words(lanes, table, len, probes, tile),
            else if len < TOO_LONG {
                query_words(lanes, Words::<_, 0>::new(lanes, bit_array), len, probes, tile)
            } else {
                self.portable()
            }
        )
    }
}

/// Returns the answers of an array of `len` bytes, one bit each.
#[inline(always)]
fn query_words<S: WideLanes, const QUARTERS: usize>(
    lanes: S,
    words: Words<'_, S, QUARTERS>,
    len: usize,
    probes: u8,
    tile: Tile<'_>,
) -> u64 {
    let mut answers = 0;
    let bits = bits(lanes.wide(), len);
    for (group, (hashes, _)) in tile.groups(S::LANES).enumerate() {
        let mut positions = Positions::new(lanes, hashes, bits);
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
