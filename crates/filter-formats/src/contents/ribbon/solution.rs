//! The stored solution, read in place.

use super::equation::{Equation, WIDTH, used_seed};

/// The length of a word: one column of one block.
const WORD_LEN: usize = 16;

/// The maximum number of columns in use: the number of bits in a result.
const MAX_COLUMNS: u64 = u32::BITS as u64;

/// The columns of a solution, block by block. A block has 128 slots; its columns are adjacent words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Solution<'a> {
    words: &'a [[u8; WORD_LEN]],
    blocks: u32,
    used_seed: u64,
    /// The number of columns in the blocks from `narrow` on; earlier blocks have one less.
    columns: u32,
    narrow: u32,
}

impl<'a> Solution<'a> {
    /// Reads the solution in these bytes; `None` for fewer than two blocks, which no writer makes.
    pub(crate) fn new(bytes: &'a [u8], seed: u8, blocks: u32) -> Option<Self> {
        if blocks < 2 {
            return None;
        }
        let (words, _) = bytes.as_chunks();
        let columns = (words.len() as u64).div_ceil(u64::from(blocks));
        let (columns, narrow) = if columns > MAX_COLUMNS {
            (MAX_COLUMNS, 0)
        } else {
            (columns, columns * u64::from(blocks) - words.len() as u64)
        };
        Some(Self {
            words,
            blocks,
            used_seed: used_seed(seed),
            columns: u32::try_from(columns).ok()?,
            narrow: u32::try_from(narrow).ok()?,
        })
    }

    /// Returns the numbers of a prepared filter.
    pub(crate) const fn words(&self) -> [u64; 3] {
        [
            self.used_seed,
            self.blocks as u64 | (self.columns as u64) << 32,
            self.narrow as u64,
        ]
    }

    /// Returns the solution in these bytes with these [`words`](Self::words).
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the halves of words")]
    pub(crate) const fn of_words(bytes: &'a [u8], [used_seed, shape, narrow]: [u64; 3]) -> Self {
        Self {
            words: bytes.as_chunks().0,
            blocks: shape as u32,
            used_seed,
            columns: (shape >> 32) as u32,
            narrow: narrow as u32,
        }
    }

    /// Returns the words of the solution, each a column of a block.
    pub(crate) const fn bytes(&self) -> &'a [u8] {
        self.words.as_flattened()
    }

    /// Returns the false-positive rate, averaged over the blocks: each column halves the rate.
    pub(crate) fn false_positive_rate(&self) -> f64 {
        let narrow = f64::from(self.narrow) / f64::from(self.blocks);
        let rate = libm::exp2(-f64::from(self.columns));
        // Narrow blocks have one column less and twice the rate.
        rate + narrow * rate
    }

    /// Returns true if the key's equation holds.
    #[inline]
    pub(crate) fn may_match(&self, hash: u64) -> bool {
        // Below 2^31: there are fewer than 2^24 blocks.
        let starts = self.blocks * WIDTH - (WIDTH - 1);
        let Equation {
            start,
            coefficients,
            result,
        } = Equation::new(hash, self.used_seed, starts);
        let block = start / WIDTH;
        let first = u64::from(block) * u64::from(self.columns) - u64::from(block.min(self.narrow));
        let columns = (self.columns - u32::from(block < self.narrow)) as usize;
        let words = usize::try_from(first)
            .ok()
            .and_then(|first| self.words.get(first..))
            .unwrap_or_default();
        holds(words, columns, start % WIDTH, coefficients, result)
    }
}

/// Returns true if the selected slots sum to the result in all columns of the first block.
///
/// `words` holds the first block and all later ones. A missing word counts as a match.
#[inline]
fn holds(words: &[[u8; WORD_LEN]], columns: usize, shift: u32, coefficients: u128, result: u32) -> bool {
    let lower = coefficients << shift;
    // Two steps, because a shift by all 128 bits would overflow.
    let upper = coefficients >> 1 >> (WIDTH - 1 - shift);
    let second = words.get(columns..).unwrap_or_default();
    (0..columns).all(|column| {
        let Some(here) = words.get(column) else {
            return true;
        };
        let next = match second.get(column) {
            Some(next) => u128::from_le_bytes(*next),
            // An equation that starts at a block boundary ends with the block.
            None if shift == 0 => 0,
            None => return true,
        };
        let sum = (u128::from_le_bytes(*here) & lower) ^ (next & upper);
        sum.count_ones() & 1 == result >> column & 1
    })
}
