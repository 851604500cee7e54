//! The definition of queries (`FORMAT.md`, "Standard128 Ribbon"): a hash value gives an equation, which holds
//! in the words of the solution or not.
#![allow(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "lengths were checked before, and the lowest bits are meant"
)]

/// The maximum number of columns: the number of bits in a result.
pub(super) const MAX_COLUMNS: u32 = u32::BITS;

/// The number of slots that an equation spans, and of bits in a word of the solution.
pub(crate) const WIDTH: u32 = 128;

/// A word of the solution: one column of a block of [`WIDTH`] slots.
pub(crate) type Word = [u8; 16];

/// Multiplier that spreads a seeded hash value.
///
/// Source of all constants here: RocksDB, `util/ribbon_impl.h`.
pub(super) const SPREAD: u64 = 0x6193_d459_236a_3a0d;

/// Multiplier from the spread value to coefficients and result.
const EXPAND: u64 = 0xc28f_8282_2b65_0bed;

/// Makes the lower half of the coefficients differ from the upper half.
const LOWER_HALF: u64 = 0xc367_844a_6e52_731d;

/// Derives the seed in use from the stored one, which has 256 values.
pub(super) const fn used_seed(stored: u8) -> u64 {
    let mixed = (stored as u64).wrapping_mul(0xc782_19a2_3eea_dd03);
    (mixed ^ (mixed & 0xf0f0_f0f0_f0f0_f0f0) >> 4) & 0xffff_ffff
}

/// The shape of a system: its slots, in blocks of [`WIDTH`], and its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The number of blocks: at least two, and fewer than 2^24.
    pub(crate) blocks: u32,
    /// The number of columns in the blocks from `narrow` on, at most 32.
    pub(crate) columns: u32,
    /// The number of leading blocks that have one column less.
    pub(crate) narrow: u32,
}

impl Shape {
    /// Returns the first word of a block, and the number of its columns.
    #[inline(always)]
    pub(super) const fn words_of(self, block: u32) -> (usize, usize) {
        let narrow = if block < self.narrow { block } else { self.narrow };
        let first = block as u64 * self.columns as u64 - narrow as u64;
        let columns = self.columns - (block < self.narrow) as u32;
        (first as usize, columns as usize)
    }
}

/// The equation of a key, or what elimination left of it.
#[derive(Clone, Copy)]
pub(super) struct Equation {
    /// The first slot with a coefficient.
    pub(super) start: usize,
    /// The lowest bit, which is always set, is the first slot's.
    pub(super) low: u64,
    pub(super) high: u64,
    /// The sum of the selected slots, one bit per column.
    pub(super) result: u32,
}

impl Equation {
    /// Makes the equation of a hash value, which can start at as many slots.
    #[inline(always)]
    pub(super) const fn new(hash: u64, used_seed: u64, starts: u32) -> Self {
        let spread = (hash ^ used_seed).wrapping_mul(SPREAD);
        let expanded = spread.wrapping_mul(EXPAND);
        Self {
            start: ((spread as u128 * starts as u128) >> 64) as usize,
            low: expanded ^ LOWER_HALF | 1,
            high: expanded,
            result: expanded.swap_bytes() as u32,
        }
    }

    /// Returns the coefficients in the block of the start and in the next one.
    #[inline(always)]
    pub(super) const fn in_blocks(&self) -> [u128; 2] {
        let coefficients = (self.high as u128) << 64 | self.low as u128;
        let shift = self.start as u32 % WIDTH;
        // Two steps, because a shift by all 128 bits would overflow.
        [coefficients << shift, coefficients >> 1 >> (WIDTH - 1 - shift)]
    }

    /// Returns true if the selected slots sum to the result in each column whose words are there.
    pub(super) fn holds(&self, words: &[Word], shape: Shape) -> bool {
        let (first, columns) = shape.words_of(self.start as u32 / WIDTH);
        let [here, next] = self.in_blocks();
        let word = |at: usize| words.get(at).map(|word| u128::from_le_bytes(*word));
        (first..first + columns).zip(0..).all(|(at, column)| {
            // Without coefficients in the next block, its word is not needed.
            let after = word(at + columns).or((next == 0).then_some(0));
            let (both, wanted) = (word(at).zip(after), self.result >> column & 1);
            both.is_none_or(|(word, after)| (word & here ^ after & next).count_ones() & 1 == wanted)
        })
    }
}
