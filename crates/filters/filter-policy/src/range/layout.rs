//! What writer and reader share: bit streams, and the codes of forks and lengths. FORMAT.md describes them.

use core::ops::RangeInclusive;

/// The first byte of every filter.
pub(super) const VERSION: u8 = 1;
/// Suffix bits are counted in parts of so many a bit.
pub(super) const PARTS: u32 = 256;
/// The most suffix bits that every leaf has.
pub(super) const MAX_SUFFIX: u32 = 24;
/// The most bits that a leaf has in addition.
pub(super) const MAX_EXTRA: u32 = 8;
/// The length of a left side of more keys is stored, so that a query jumps over it.
pub(super) const SKIP: u32 = 32;
/// The number of kinds of forks, by their number of keys: 2 to 3, 4 to 7, ..., 256 and more.
pub(super) const KINDS: usize = 8;
/// The slots that a fork's edge may have.
pub(super) const EDGE_SLOTS: [u32; 4] = [0, 1, 2, 6];
/// After so many ones, a left count follows in binary.
pub(super) const MAX_ONES: u32 = 15;

/// Returns the 57 bits or more from bit `at` on, left-aligned, and zeros after the end.
#[inline]
pub(super) fn peek(bytes: &[u8], at: u64) -> u64 {
    let first = usize::try_from(at >> 3).unwrap_or(usize::MAX);
    let word = match bytes.get(first..).and_then(|rest| rest.first_chunk()) {
        Some(word) => u64::from_be_bytes(*word),
        None => peek_end(bytes.get(first..).unwrap_or_default()),
    };
    word << (at & 7)
}

#[cold]
fn peek_end(rest: &[u8]) -> u64 {
    let word = rest.iter().chain(&[0; 8]).take(8);
    word.fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// How a fork of some keys is written: the slot of its edge, the bits after the ones, and the number of slots without
/// that of the edge.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) edge: u32,
    pub(super) rest: u32,
    pub(super) slots: u32,
}

impl Shape {
    /// Makes the shape of a fork of at least two keys from its kind's four bits.
    #[inline]
    pub(super) fn of(keys: u32, bits: u8) -> Self {
        let rest = (keys.ilog2() - 1) / 2 + u32::from(bits >> 2);
        let slots = ((keys - 2) >> rest) + 1;
        let edge = EDGE_SLOTS.get(usize::from(bits & 3)).copied().unwrap_or(0);
        let edge = edge.min(slots);
        Self { edge, rest, slots }
    }
}

/// The kind of a fork of at least two keys.
#[inline]
pub(super) fn kind(keys: u32) -> usize {
    KINDS.min(keys.ilog2() as usize) - 1
}

/// The number of kinds that a filter of some keys can have.
pub(super) fn kinds(keys: u32) -> usize {
    if keys < 2 { 0 } else { kind(keys) + 1 }
}

/// The number of a left count: 0 in the middle, then one more, one fewer, and so on.
#[cfg(feature = "alloc")]
#[inline]
pub(super) const fn fold(left: u32, keys: u32) -> u32 {
    let middle = keys / 2;
    if left > middle {
        2 * (left - middle) - 1
    } else {
        2 * (middle - left)
    }
}

/// The left count of a number, which may be any in damaged filters; the caller checks the result.
#[inline]
pub(super) const fn unfold(number: u32, keys: u32) -> u32 {
    let middle = keys / 2;
    if number & 1 == 1 {
        middle.wrapping_add(number / 2 + 1)
    } else {
        middle.wrapping_sub(number / 2)
    }
}

/// The bits in which a left count of a fork of `keys` keys is written after the most ones.
#[inline]
pub(super) const fn binary_bits(keys: u32) -> u32 {
    u32::BITS - (keys - 2).leading_zeros()
}

/// The suffix bits of the leaf of this rank: `parts` in the mean.
#[inline]
pub(super) fn suffix_bits(rank: u32, parts: u32) -> u32 {
    let (rank, parts) = (u64::from(rank), u64::from(parts));
    // At most MAX_SUFFIX.
    ((rank + 1) * parts / u64::from(PARTS) - rank * parts / u64::from(PARTS)) as u32
}

/// The bits that a single key has in addition beside a fork of so many: its part of the space of keys is larger.
#[inline]
pub(super) fn extra_bits(above: u32) -> u32 {
    (above.max(2).ilog2() - 1).min(MAX_EXTRA)
}

/// The mean length of a left side, in 64ths of a bit for each key, and the order of the code of differences from it.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Lengths {
    pub(super) mean: u32,
    pub(super) order: u32,
}

/// Orders that a filter may have.
pub(super) const ORDERS: RangeInclusive<u32> = 0..=15;

impl Lengths {
    #[inline]
    pub(super) const fn expected(self, left: u32) -> u64 {
        left as u64 * self.mean as u64 / 64
    }

    #[inline]
    pub(super) const fn order(self, left: u32) -> u32 {
        self.order + left.ilog2() / 2
    }
}
