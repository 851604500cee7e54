//! RocksDB's Standard128 Ribbon filters: the stored solution of a system of linear equations over bits, with one column
//! per bit of the result (Dillinger and Walzer, "Ribbon filter: practically smaller than Bloom and Xor", 2021).
//!
//! Each key is an equation: the slots that its coefficients select, among the 128 slots from a start on, sum to the
//! result that its hash value gives. A key whose equation holds in the stored solution may be in the set. Keys are
//! hashed with XXPH3.
//!
//! The code is the same for all kernels but for prefetching and for what AVX2 and AVX-512 compute in lanes: the hash
//! values of many keys, and the sums of eight columns.
#![allow(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "lengths were checked before, and the lowest bits are meant"
)]

pub(crate) use super::definition::{Shape, WIDTH, Word};
#[cfg(feature = "alloc")]
pub(crate) use super::elimination::{EchelonRow, SORTED_SLOTS, eliminate, solve, sort};

use core::ops::RangeInclusive;

use hashzoo::xxph3_64;

use super::definition::{Equation, MAX_COLUMNS, used_seed};
use super::kernel::{COMPARED, holds_by_two};
use crate::key_hash::HashFunctionId;
use crate::policy::{Prepared, Restore};
use crate::simd::choose::KernelToken;
use crate::simd::compile::{Lookup, by_kernel, lookup};
use crate::simd::hash::tile;
use crate::simd::hash::xxph3::Xxph3;
use crate::simd::lanes::Target;
use crate::simd::source::Source;
use crate::simd::stored_bits::StoredBits;
use crate::simd::tiles::each_tile;

impl Shape {
    /// Returns the number of slots.
    #[inline]
    pub(crate) const fn slots(self) -> u32 {
        self.blocks * WIDTH
    }

    /// Returns the number of slots at which an equation can start.
    #[inline]
    pub(crate) const fn starts(self) -> u32 {
        self.slots() - (WIDTH - 1)
    }

    /// Returns the number of words in the solution.
    pub(crate) const fn words(self) -> u64 {
        self.words_of(self.blocks).0 as u64
    }
}

const WORD_LEN: usize = size_of::<Word>();

/// The number of words from which they are prefetched before use: a megabyte.
const PREFETCHED_WORDS: usize = (1 << 20) / WORD_LEN;

/// A stored solution, read in place.
#[derive(Debug, Clone, Copy)]
pub struct Solution<'a> {
    words: &'a [Word],
    numbers: [u64; 2],
}

impl<'a> Solution<'a> {
    /// Reads the solution in these bytes; `None` for fewer than two blocks, or more than there can be, which no writer
    /// makes.
    pub(crate) fn new(bytes: &'a [u8], seed: u8, blocks: u32) -> Option<Self> {
        if !(2..1 << 24).contains(&blocks) {
            return None;
        }
        let words = bytes.as_chunks().0;
        let columns = (words.len() as u64).div_ceil(u64::from(blocks));
        let (columns, narrow) = if columns > u64::from(MAX_COLUMNS) {
            (u64::from(MAX_COLUMNS), 0)
        } else {
            (columns, columns * u64::from(blocks) - words.len() as u64)
        };
        let numbers = [u64::from(blocks) | columns << 32, used_seed(seed) | narrow << 32];
        Some(Self { words, numbers })
    }

    /// Returns the shape.
    #[inline(always)]
    pub(crate) const fn shape(&self) -> Shape {
        let [shape, seed] = self.numbers;
        Shape {
            blocks: shape as u32,
            // At most 255, whatever the numbers: no product with it overflows.
            columns: (shape >> 32) as u8 as u32,
            narrow: (seed >> 32) as u32,
        }
    }

    /// Returns the words' bytes.
    pub(crate) const fn bytes(&self) -> &'a [u8] {
        self.words.as_flattened()
    }

    /// Returns the numbers from which [`of_numbers`](Self::of_numbers) makes the solution again.
    pub(crate) const fn numbers(&self) -> [u64; 2] {
        self.numbers
    }

    /// Returns the solution in these bytes with these [`numbers`](Self::numbers). Others give other answers, or panic.
    #[inline(always)]
    pub(crate) const fn of_numbers(bytes: &'a [u8], numbers: [u64; 2]) -> Self {
        let words = bytes.as_chunks().0;
        Self { words, numbers }
    }

    #[inline(always)]
    const fn equation(&self, hash: u64) -> Equation {
        Equation::new(hash, self.numbers[1] & 0xffff_ffff, self.shape().starts())
    }
}

impl Solution<'_> {
    /// Prepares the solution for many queries.
    pub(crate) fn prepared(self, kernel: KernelToken) -> Prepared {
        let ([shape, seed], lookup) = (self.numbers(), Some(lookup(kernel)));
        let numbers = [shape, seed, 0];
        Prepared::restoring::<Self>(kernel, HashFunctionId::XXPH3, lookup, self.bytes(), numbers)
    }
}

impl Restore for Solution<'_> {
    type Hash = u64;
    type Filter<'f> = Solution<'f>;

    #[inline(always)]
    fn restored(_: KernelToken, bits: &[u8], [shape, seed, _]: [u64; 3]) -> Solution<'_> {
        Solution::of_numbers(bits, [shape, seed])
    }
}

impl StoredBits for Solution<'_> {
    type Hash = u64;

    const HAS_KERNELS: bool = true;

    const HASHED_INLINE: RangeInclusive<usize> = 16..=16;

    #[inline(always)]
    fn may_match(self, kernel: KernelToken, hash: u64) -> bool {
        let (words, [shape, seed]) = (self.words, self.numbers);
        by_kernel!(
            |lanes, words: &[Word], shape: u64, seed: u64, hash: u64| -> bool {
                may_match_by(lanes, words, shape, seed, hash)
            },
            kernel
        )
    }

    fn may_match_many(self, kernel: KernelToken, source: Source<'_, u64>, answers: &mut [u64]) {
        let solution = self;
        by_kernel!(
            |lanes, solution: Solution<'_>, source: Source<'_, u64>, answers: &mut [u64]| -> () {
                let Solution { words, numbers } = solution;
                let shape = solution.shape();
                each_tile!(
                    source.len(),
                    words.len() >= PREFETCHED_WORDS,
                    |start, hashes| tile::hash::<Xxph3<false>, _>(lanes, source, start, hashes),
                    |hashes| for &hash in hashes {
                        let block = solution.equation(hash).start as u32 / WIDTH;
                        let (first, _) = shape.words_of(block);
                        // The words of two blocks, a cache line at a time.
                        for word in (0..=2 * shape.columns as usize).step_by(64 / WORD_LEN) {
                            lanes.prefetch::<false, _>(words, first + word);
                        }
                    },
                    |number, tile| {
                        answers[number] = holding(lanes, words, numbers, tile.used());
                    }
                );
            },
            kernel
        );
    }

    #[inline(always)]
    fn matches<T: Target>(self, lanes: T, hash: u64) -> bool {
        may_match_by(lanes, self.words, self.numbers[0], self.numbers[1], hash)
    }
}

/// Returns the function that queries a prepared filter with the [`numbers`](Solution::numbers) of its solution.
pub(crate) fn lookup(kernel: KernelToken) -> Lookup {
    lookup!(kernel, |lanes, numbers, bits, key| {
        let hash = xxph3_64(key, 0);
        may_match_by(lanes, bits.as_chunks().0, numbers[0], numbers[1], hash)
    })
}

/// Returns the answers for at most 64 hash values, one bit each.
#[inline(always)]
fn holding<L: Target>(lanes: L, words: &[Word], [shape, seed]: [u64; 2], hashes: &[u64]) -> u64 {
    hashes.iter().rev().fold(0, |answers, &hash| {
        answers << 1 | u64::from(may_match_by(lanes, words, shape, seed, hash))
    })
}

/// Takes the numbers of a solution one by one, so that all arguments are in registers.
#[inline(always)]
fn may_match_by<L: Target>(lanes: L, words: &[Word], shape: u64, seed: u64, hash: u64) -> bool {
    let solution = Solution {
        words,
        numbers: [shape, seed],
    };
    let equation = solution.equation(hash);
    let block = equation.start as u32 / WIDTH;
    let (first, columns) = solution.shape().words_of(block);
    // Two blocks, and without `parities` the words after the last column that are compared in vain.
    let more = if L::PARITIES { 0 } else { COMPARED };
    match words.get(first..first + 2 * columns + more) {
        Some(words) if L::PARITIES => holds_by_eight(lanes, words, columns, equation),
        Some(words) => holds_by_two(lanes, words, columns, equation),
        None => may_match_at_end(words, shape, seed, hash),
    }
}

/// Returns true if the equation of a hash value holds where words may be missing: by the definition.
#[cold]
#[inline(never)]
pub(crate) fn may_match_at_end(words: &[Word], shape: u64, seed: u64, hash: u64) -> bool {
    let numbers = [shape, seed];
    let solution = Solution { words, numbers };
    solution.equation(hash).holds(words, solution.shape())
}

/// [`Equation::holds`], eight columns at once. Eight or fewer have no exit, which would be mispredicted for one key of
/// two where half of the keys are stored.
#[inline(always)]
fn holds_by_eight<L: Target>(lanes: L, words: &[Word], columns: usize, equation: Equation) -> bool {
    let (first, second) = words.split_at(columns);
    let coefficients = equation.in_blocks();
    let wrong = |first: &[Word], second: &[Word], result: u32| {
        (lanes.parities(first, second, coefficients) ^ result) & ((1 << first.len()) - 1)
    };
    if columns <= 8 {
        return wrong(first, second, equation.result) == 0;
    }
    let chunks = first.chunks(8).zip(second.chunks(8)).zip((0..).step_by(8));
    chunks
        .map(|((first, second), column)| wrong(first, second, equation.result.unbounded_shr(column)))
        .all(|wrong| wrong == 0)
}
