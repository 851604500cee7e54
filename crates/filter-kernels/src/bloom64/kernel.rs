//! The walks of as many keys as there are lanes, for bit arrays whose positions fit into lanes.

use core::hint::black_box;
use core::mem::MaybeUninit;

use hashzoo::xxph3_64;

use super::{MULTIPLIER, POWERS, PREFETCHED, TOO_LONG, USUAL_PROBES, each_set, position};
use crate::bits::{
    Aligned, Bits, LookUp, Map, Row, Words, WordsMut, cleared, in_registers, usual, write_map,
};
use crate::hash::xxph3;
use crate::lanes::{Lanes, Lanes64, MAX_LANES, Target, Walks, WideLanes, Work};
use crate::source::WideSource;
use crate::tiles::{Tile, each_tile};

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

/// Returns positions in the upper halves. No sum overflows, because there are fewer than 2^31 bits.
#[inline(always)]
fn scaled<L: Lanes64>(wide: L, walks: L::Vector, bits: L::Vector) -> L::Vector {
    let low = wide.mul_halves(walks, bits);
    let high = wide.mul_halves(wide.shift_right::<32>(walks), bits);
    wide.add(high, wide.shift_right::<32>(low))
}

/// [`super::create`] of at most [`MAP_BITS`].
#[inline(always)]
pub(super) fn create_small<S: Target>(lanes: S, bit_array: &mut [u8], probes: u8, source: WideSource<'_>) {
    lanes.here(CreateByMap {
        bit_array,
        probes,
        source,
    });
}

/// Prefetches the bytes of all probes of these hash values.
#[inline(always)]
fn prefetch<S: Target, const WRITE: bool>(lanes: S, bit_array: &[u8], probes: u8, hashes: &[u64]) {
    let bits = bit_array.len() as u64 * 8;
    for &hash in hashes {
        let mut walk = hash;
        for _ in 0..probes {
            lanes.prefetch::<WRITE, _>(bit_array, (position(walk, bits) / 8) as usize);
            walk = walk.wrapping_mul(MULTIPLIER);
        }
    }
}

/// [`super::may_match`].
#[inline(always)]
pub(super) fn may_match<S: Target>(lanes: S, bit_array: &[u8], probes: u8, hash: u64) -> bool {
    lanes.here(AskOne {
        bit_array,
        probes,
        hash,
    })
}

/// [`super::key_may_match`].
#[inline(always)]
pub(super) fn key_may_match<S: Target>(lanes: S, bit_array: &[u8], probes: u8, key: &[u8]) -> bool {
    may_match(lanes, bit_array, probes, xxph3_64(key, 0))
}

/// Returns true if all bits of a hash value are set. Eight 64-bit lanes take half as long as portable code; fewer do not pay.
struct AskOne<'a> {
    bit_array: &'a [u8],
    probes: u8,
    hash: u64,
}

impl Work for AskOne<'_> {
    type Out = bool;

    #[inline(always)]
    fn portable(self) -> bool {
        super::all_set(self.bit_array, self.probes, self.hash)
    }

    #[inline(always)]
    fn wide<S: WideLanes>(self, lanes: S) -> bool {
        let wide = lanes.wide();
        if <S::Wide as Lanes64>::LANES < 8 || self.bit_array.len() >= TOO_LONG {
            return self.portable();
        }
        let bits = wide.splat(self.bit_array.len() as u64 * 8);
        let hash = wide.splat(self.hash);
        let mut left = u32::from(self.probes);
        for powers in POWERS.as_chunks::<8>().0 {
            let positions = scaled(wide, wide.mul(hash, wide.collect(|i| powers[i])), bits);
            let positions = lanes.low_eight(lanes.upper_halves([positions; 2]));
            // SAFETY: the positions are below the number of bits.
            let all = unsafe { lanes.all_set(self.bit_array, positions, left) };
            // Avoids a branch on the last answer.
            if left <= 8 || !all {
                return all;
            }
            left -= 8;
        }
        true
    }
}

/// [`super::insert`].
#[inline(always)]
pub(super) fn insert<S: Target>(lanes: S, bit_array: &mut [u8], probes: u8, source: WideSource<'_>) {
    each_tile!(
        source.len(),
        bit_array.len() >= PREFETCHED,
        |start, hashes| xxph3::hash::<_, false>(lanes, source, start, hashes),
        |hashes| prefetch::<S, true>(lanes, bit_array, probes, hashes),
        |_, tile| lanes.here(SetTile {
            bit_array,
            probes,
            tile,
        })
    );
}

/// [`super::may_match_many`].
#[inline(always)]
pub(super) fn may_match_many<S: Target>(
    lanes: S,
    bit_array: &[u8],
    probes: u8,
    source: WideSource<'_>,
    answers: &mut [u64],
) {
    each_tile!(
        source.len(),
        bit_array.len() >= PREFETCHED,
        |start, hashes| xxph3::hash::<_, false>(lanes, source, start, hashes),
        |hashes| prefetch::<S, false>(lanes, bit_array, probes, hashes),
        |number, tile| answers[number] = lanes.here(AskTile {
            bit_array,
            probes,
            tile,
        })
    );
}

/// Builds a small filter over whatever the bits are, where positions can be computed in lanes as a map of one byte per bit.
struct CreateByMap<'a> {
    bit_array: &'a mut [u8],
    probes: u8,
    source: WideSource<'a>,
}

impl Work for CreateByMap<'_> {
    type Out = ();

    fn portable(self) {
        unreachable!("portable code has no maps")
    }

    #[inline(always)]
    fn narrow<S: Lanes>(self, lanes: S) {
        self.bit_array.fill(0);
        insert(lanes, self.bit_array, self.probes, self.source);
    }

    #[inline(always)]
    fn wide<S: WideLanes>(self, lanes: S) {
        let Self {
            bit_array,
            probes,
            source,
        } = self;
        let bits = bit_array.len() * 8;
        let mut room = Aligned(MaybeUninit::uninit());
        let map = cleared(&mut room, bits);
        each_tile!(
            source.len(),
            false,
            |start, hashes| xxph3::hash::<_, false>(lanes, source, start, hashes),
            |_hashes| unreachable!("so few bits are not fetched ahead"),
            |_, tile| usual!(probes == USUAL_PROBES, |MOST| {
                set_tile(
                    lanes,
                    bits,
                    probes,
                    tile,
                    &mut Map::new(map, bits),
                    [[0; MAX_LANES]; MOST],
                );
            })
        );
        write_map(lanes, map, bit_array);
    }
}

/// Sets the bits of 1 to 30 probes anywhere in the array.
struct SetTile<'a> {
    bit_array: &'a mut [u8],
    probes: u8,
    tile: Tile<'a>,
}

impl Work for SetTile<'_> {
    type Out = ();

    #[inline(always)]
    fn portable(self) {
        super::set(self.bit_array, self.probes, WideSource::Hashes(self.tile.used()));
    }

    #[inline(always)]
    fn wide<S: WideLanes>(self, lanes: S) {
        if S::LANES < MAX_LANES || self.bit_array.len() >= TOO_LONG {
            return self.portable();
        }
        let Self {
            bit_array,
            probes,
            tile,
        } = self;
        let bits = bit_array.len() * 8;
        let mut words = WordsMut::new(bit_array);
        usual!(probes == USUAL_PROBES, |MOST| {
            set_tile(lanes, bits, probes, tile, &mut words, [[0; MAX_LANES]; 2 * MOST]);
        });
        words.finish();
    }
}

/// Sets the bits of a tile among this many. There are [`Bits::ROWS`] rows for each probe.
#[inline(always)]
fn set_tile<S: WideLanes, B: Bits, const ROWS: usize>(
    lanes: S,
    bits: usize,
    probes: u8,
    tile: Tile<'_>,
    destination: &mut B,
    mut rows: [Row; ROWS],
) {
    for (hashes, count) in tile.groups(S::LANES) {
        let rows = &mut black_box(&mut rows)[..usize::from(probes) * B::ROWS];
        let mut positions = Positions::new(lanes, hashes, bits);
        for row in rows.chunks_exact_mut(B::ROWS) {
            B::prepare(lanes, positions.now(), row);
            positions.advance();
        }
        for row in rows.chunks_exact(B::ROWS) {
            // SAFETY: positions are below the number of bits.
            unsafe { destination.set(row, count) };
        }
    }
}

/// Returns the answers, one bit each. Small arrays are looked up in registers.
struct AskTile<'a> {
    bit_array: &'a [u8],
    probes: u8,
    tile: Tile<'a>,
}

impl Work for AskTile<'_> {
    type Out = u64;

    #[inline(always)]
    fn portable(self) -> u64 {
        each_set(self.bit_array, self.probes, self.tile.used())
    }

    #[inline(always)]
    fn wide<S: WideLanes>(self, lanes: S) -> u64 {
        let Self {
            bit_array,
            probes,
            tile,
        } = self;
        let len = bit_array.len();
        in_registers!(
            lanes: S, bit_array, |table| ask_words(lanes, table, len, probes, tile),
            else if len < TOO_LONG {
                ask_words(lanes, Words::new(lanes, bit_array), len, probes, tile)
            } else {
                self.portable()
            }
        )
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
