//! The algorithms, once for all instruction sets: over vectors of 32-bit lanes, whose operations are a trait.
//!
//! Everything here is inlined into functions that are compiled for one instruction set. Knows no instruction.

pub(super) mod create;
pub(super) mod entries;
mod hash;
mod probes;
pub(super) mod query;
pub(super) mod source;
pub(super) mod tiles;

use crate::hashers::LaneHash;
use crate::keys::Keys;

/// The most lanes that a vector has.
pub(super) const MAX_LANES: usize = 16;

/// The bytes of a key that are hashed between two loads.
const STEP: usize = 16;

/// For each set of 8 lanes, their numbers in order.
pub(super) static PACKINGS: [[u8; 8]; 256] = packings();

const fn packings() -> [[u8; 8]; 256] {
    let mut packings = [[0; 8]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut lane, mut next) = (0, 0);
        while lane < 8 {
            if set >> lane & 1 == 1 {
                packings[set][next] = lane;
                next += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    packings
}

/// Operations on vectors of [`LANES`](Self::LANES) lanes of 32 bits.
///
/// Values of the implementing types exist only where the processor has the instructions, so that the operations are
/// safe to call. They compute without overflow: `add`, `sub` and `mul` wrap.
pub(super) trait Lanes: Copy {
    /// How many lanes a vector has, at most [`MAX_LANES`].
    const LANES: usize;
    /// Whether keys of different lengths are hashed sooner in lanes than one by one.
    const UNEVEN: bool;
    /// How many bytes four vectors hold, the largest table.
    const TABLE_BYTES: usize;

    type Vector: Copy;
    /// Which lanes have had all their bits set so far.
    type Hits: Copy;

    fn splat(self, value: u32) -> Self::Vector;
    /// 0, 1, 2 and so on.
    fn iota(self) -> Self::Vector;
    /// The first values. Panics if there are too few.
    fn load(self, values: &[u32]) -> Self::Vector;
    /// Over the first values. Panics if there are too few.
    fn store(self, vector: Self::Vector, values: &mut [u32]);
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// The low halves of the products.
    fn mul(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// The high halves of the products.
    fn mul_high(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn min(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn xor(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn shift_right<const BY: u32>(self, a: Self::Vector) -> Self::Vector;
    /// To the left by 15, which is to the right by 17.
    fn rotate_15(self, a: Self::Vector) -> Self::Vector;
    /// `less` where a < b, `other` elsewhere.
    fn if_less(
        self,
        a: Self::Vector,
        b: Self::Vector,
        less: Self::Vector,
        other: Self::Vector,
    ) -> Self::Vector;

    /// A word with the bit of each position alone set, which is counted modulo 32.
    fn bit_of(self, positions: Self::Vector) -> Self::Vector;
    /// The hits of all lanes.
    fn all_hits(self) -> Self::Hits;
    /// Keeps the lanes whose word has the bit of the position set; bits are counted modulo 32.
    fn hit(self, hits: Self::Hits, words: Self::Vector, positions: Self::Vector) -> Self::Hits;
    /// A bit for each lane.
    fn hit_bits(self, hits: Self::Hits) -> u32;
    /// The lanes whose bit is set, moved to the front in order. What the others hold is unspecified.
    fn compress(self, vector: Self::Vector, bits: u32) -> Self::Vector;

    /// The words that hold the bits of these positions; `beyond` where there is no such word.
    fn words_at(self, words: &[[u8; 4]], beyond: Self::Vector, positions: Self::Vector) -> Self::Vector;
    /// The bytes, at most `QUARTERS * TABLE_BYTES / 4`, and zeros. `QUARTERS` is 1, 2 or 4.
    fn table<const QUARTERS: usize>(self, bytes: &[u8]) -> [Self::Vector; QUARTERS];
    /// The words of the table that hold the bits of these positions.
    fn table_words<const QUARTERS: usize>(
        self,
        table: &[Self::Vector; QUARTERS],
        positions: Self::Vector,
    ) -> Self::Vector;

    /// A bit for each of 64 bytes: the highest one.
    fn high_bits(self, bytes: &[u8; 64]) -> u64;

    /// Words 0 to 3 of keys of 16 bytes, the lanes in an order that [`in_order`](Self::in_order) mends. Panics if there
    /// are fewer than [`LANES`](Self::LANES) keys.
    fn packed_words(self, keys: &[[u8; STEP]]) -> [Self::Vector; 4];
    /// The lanes in the order of the keys that [`packed_words`](Self::packed_words) was given.
    fn in_order(self, vector: Self::Vector) -> Self::Vector;
    /// The four words of each key from the byte at `from` on; 0 for words that do not lie within the key. If `WHOLE`,
    /// every key has all four, and it panics where that is not so. Panics if there are fewer than
    /// [`LANES`](Self::LANES) keys.
    fn words<const WHOLE: bool>(self, keys: &[&[u8]], from: usize) -> [Self::Vector; 4];
    /// [`source::hash`], compiled once for the instruction set: it is too much to be inlined wherever keys are hashed.
    fn hash(self, keys: Keys<'_>, function: LaneHash, start: usize, hashes: &mut [u32]);

    /// Asks for a byte to be brought into the cache; to be written if `WRITE`. No access in the sense of the
    /// language.
    fn prefetch<const WRITE: bool>(self, bytes: &[u8], index: usize);
}
