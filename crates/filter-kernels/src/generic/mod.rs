//! The algorithms, written once for all instruction sets over vectors of 32-bit lanes, whose operations are a trait.
//!
//! Everything here is inlined into functions that are compiled for one instruction set. No intrinsics are used here.

pub(crate) mod create;
pub(crate) mod entries;
mod hash;
mod probes;
pub(crate) mod query;
pub(crate) mod source;
pub(crate) mod tiles;

use crate::hash::LaneHash;
use crate::keys::Keys;

/// The maximum number of lanes in a vector.
pub(crate) const MAX_LANES: usize = 16;

/// The number of bytes of a key that are hashed between two loads.
const STEP: usize = 16;

/// For each set of 8 lanes, the numbers of the set's lanes in order.
pub(crate) static PACKINGS: [[u8; 8]; 256] = packings();

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
/// Values of the implementing types exist only where the processor has the instructions, so the operations are safe to
/// call. `add`, `sub` and `mul` wrap.
pub(crate) trait Lanes: Copy {
    /// The number of lanes in a vector, at most [`MAX_LANES`].
    const LANES: usize;
    /// Set if keys of different lengths are hashed faster in lanes than one by one.
    const UNEVEN: bool;
    /// The number of bytes in four vectors, the largest table.
    const TABLE_BYTES: usize;

    type Vector: Copy;
    /// The lanes that have had all their bits set so far.
    type Hits: Copy;

    fn splat(self, value: u32) -> Self::Vector;
    /// Returns 0, 1, 2 and so on.
    fn iota(self) -> Self::Vector;
    /// Loads the first values. Panics if there are too few.
    fn load(self, values: &[u32]) -> Self::Vector;
    /// Stores over the first values. Panics if there are too few.
    fn store(self, vector: Self::Vector, values: &mut [u32]);
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Returns the low halves of the products.
    fn mul(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Returns the high halves of the products.
    fn mul_high(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn min(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn xor(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn shift_right<const BY: u32>(self, a: Self::Vector) -> Self::Vector;
    /// Rotates left by 15, which is right by 17.
    fn rotate_15(self, a: Self::Vector) -> Self::Vector;
    /// Selects `less` where a < b, `other` elsewhere.
    fn if_less(
        self,
        a: Self::Vector,
        b: Self::Vector,
        less: Self::Vector,
        other: Self::Vector,
    ) -> Self::Vector;

    /// Returns words in which only the bit of each position, counted modulo 32, is set.
    fn bit_of(self, positions: Self::Vector) -> Self::Vector;
    fn all_hits(self) -> Self::Hits;
    /// Keeps the lanes whose word has the bit of the position, counted modulo 32, set.
    fn hit(self, hits: Self::Hits, words: Self::Vector, positions: Self::Vector) -> Self::Hits;
    /// Returns a bit for each lane.
    fn hit_bits(self, hits: Self::Hits) -> u32;
    /// Moves the lanes whose bit is set to the front, in order. The other lanes are unspecified.
    fn compress(self, vector: Self::Vector, bits: u32) -> Self::Vector;

    /// Returns the words that hold the bits of these positions; `beyond` where there is no such word.
    fn words_at(self, words: &[[u8; 4]], beyond: Self::Vector, positions: Self::Vector) -> Self::Vector;
    /// Loads the bytes, at most `QUARTERS * TABLE_BYTES / 4`, followed by zeros. `QUARTERS` is 1, 2 or 4.
    fn table<const QUARTERS: usize>(self, bytes: &[u8]) -> [Self::Vector; QUARTERS];
    /// Returns the words of the table that hold the bits of these positions.
    fn table_words<const QUARTERS: usize>(
        self,
        table: &[Self::Vector; QUARTERS],
        positions: Self::Vector,
    ) -> Self::Vector;

    /// Returns the highest bit of each of 64 bytes.
    fn high_bits(self, bytes: &[u8; 64]) -> u64;

    /// Returns words 0 to 3 of 16-byte keys, the lanes in an order that [`in_order`](Self::in_order) corrects. Panics
    /// if there are fewer than [`LANES`](Self::LANES) keys.
    fn packed_words(self, keys: &[[u8; STEP]]) -> [Self::Vector; 4];
    /// Puts lanes into the order of the keys that [`packed_words`](Self::packed_words) was given.
    fn in_order(self, vector: Self::Vector) -> Self::Vector;
    /// Returns the four words of each key from the byte at `from` on; 0 for words that do not lie within the key.
    /// Panics if `WHOLE` and a key lacks one of its four words, or if there are fewer than [`LANES`](Self::LANES) keys.
    fn words<const WHOLE: bool>(self, keys: &[&[u8]], from: usize) -> [Self::Vector; 4];
    /// [`source::hash`], compiled once for the instruction set: it is too large to be inlined wherever keys are hashed.
    fn hash(self, keys: Keys<'_>, function: LaneHash, start: usize, hashes: &mut [u32]);

    /// Prefetches a byte, to be written if `WRITE`. This is not an access in the sense of the language.
    fn prefetch<const WRITE: bool>(self, bytes: &[u8], index: usize);
}
