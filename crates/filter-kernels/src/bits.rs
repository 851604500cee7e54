//! Bit arrays: bits that are set in words, and look-ups of many positions.

use crate::lanes::Lanes;

/// The largest bit array, in bits, that is first built as a map of one byte per bit; maps lie on the stack. A store to
/// a byte need not wait for the one before, as a change of a bit would.
pub(crate) const MAP_BITS: usize = 8192;
/// The map size for filters in between, which takes less clearing.
pub(crate) const MEDIUM_MAP_BITS: usize = 2048;
/// The map size for the filters of small blocks.
pub(crate) const SMALL_MAP_BITS: usize = 512;

/// Aligned to a cache line, so that no vector crosses two lines: data stored across two lines cannot be loaded again
/// until it has reached the cache.
#[repr(align(64))]
pub(crate) struct Aligned<T>(pub(crate) T);

/// Writes the bits of a map, whose bytes have their highest bit set if the bit is.
#[inline(always)]
pub(crate) fn write_map<S: Lanes>(lanes: S, map: &[u8], bit_array: &mut [u8]) {
    for (bytes, bits) in bit_array.chunks_mut(8).zip(map.as_chunks().0) {
        let word = lanes.high_bits(bits).to_le_bytes();
        match bytes.first_chunk_mut() {
            Some(eight) => *eight = word,
            None => bytes.iter_mut().zip(word).for_each(|(byte, new)| *byte = new),
        }
    }
}

/// Sets a bit of the word with this index, or of `beyond`, which has the bits of the bytes after the last whole word: words
/// are changed twice as fast as bytes on some processors.
#[inline(always)]
pub(crate) fn set_bit(words: &mut [[u8; 4]], beyond: &mut u32, index: usize, bit: u32) {
    match words.get_mut(index) {
        Some(word) => *word = (u32::from_le_bytes(*word) | bit).to_le_bytes(),
        None => *beyond |= bit,
    }
}

/// Sets the bits of the bytes after the last whole word.
#[inline(always)]
pub(crate) fn set_rest(rest: &mut [u8], beyond: u32) {
    for (byte, new) in rest.iter_mut().zip(beyond.to_le_bytes()) {
        *byte |= new;
    }
}

/// Splits bytes into whole words and a word with the bytes after them.
#[inline(always)]
fn words(bytes: &[u8]) -> (&[[u8; 4]], u32) {
    let (words, rest) = bytes.as_chunks();
    let beyond = match bytes.last_chunk() {
        // Two steps, because a shift by all 32 bits would overflow.
        Some(last) => u32::from_le_bytes(*last) >> 8 >> (24 - 8 * rest.len()),
        None => rest
            .iter()
            .rev()
            .fold(0, |word, &byte| word << 8 | u32::from(byte)),
    };
    (words, beyond)
}

/// The words of a bit array, for look-ups of positions.
pub(crate) struct Words<'a, S: Lanes> {
    bytes: &'a [u8],
    words: &'a [[u8; 4]],
    /// The bytes after the last whole word.
    beyond: S::Vector,
}

impl<'a, S: Lanes> Words<'a, S> {
    #[inline(always)]
    pub(crate) fn new(lanes: S, bytes: &'a [u8]) -> Self {
        let (words, beyond) = words(bytes);
        Self {
            bytes,
            words,
            beyond: lanes.splat(beyond),
        }
    }

    /// Prefetches the first `count` positions.
    #[inline(always)]
    pub(crate) fn prefetch(&self, lanes: S, positions: &[u32], count: usize) {
        for &position in positions.iter().take(count) {
            lanes.prefetch::<false, _>(self.bytes, (position / 8) as usize);
        }
    }
}

/// A bit array that gives the words with the bits of some positions.
pub(crate) trait LookUp<S: Lanes> {
    fn at(&self, lanes: S, positions: S::Vector) -> S::Vector;
}

impl<S: Lanes> LookUp<S> for Words<'_, S> {
    #[inline(always)]
    fn at(&self, lanes: S, positions: S::Vector) -> S::Vector {
        lanes.words_at(self.words, self.beyond, positions)
    }
}

/// A bit array in registers.
pub(crate) struct Table<S: Lanes, const QUARTERS: usize>([S::Vector; QUARTERS]);

impl<S: Lanes, const QUARTERS: usize> Table<S, QUARTERS> {
    /// Loads an array of at most `QUARTERS` quarters of the largest table.
    #[inline(always)]
    pub(crate) fn new(lanes: S, bytes: &[u8]) -> Self {
        Self(lanes.table(bytes))
    }
}

impl<S: Lanes, const QUARTERS: usize> LookUp<S> for Table<S, QUARTERS> {
    #[inline(always)]
    fn at(&self, lanes: S, positions: S::Vector) -> S::Vector {
        lanes.table_words(&self.0, positions)
    }
}

/// Evaluates an expression with the [`Table`] of a bit array that fits into registers; another for longer ones.
macro_rules! in_registers {
    ($lanes:ident: $of:ident, $bytes:ident, |$table:ident| $answer:expr, else $other:expr) => {
        if $bytes.len() <= $of::TABLE_BYTES / 4 {
            let $table = $crate::bits::Table::<$of, 1>::new($lanes, $bytes);
            $answer
        } else if $bytes.len() <= $of::TABLE_BYTES / 2 {
            let $table = $crate::bits::Table::<$of, 2>::new($lanes, $bytes);
            $answer
        } else if $bytes.len() <= $of::TABLE_BYTES {
            let $table = $crate::bits::Table::<$of, 4>::new($lanes, $bytes);
            $answer
        } else {
            $other
        }
    };
}

/// Evaluates an expression with a probe count, which the compiler knows if it is the usual one, and the largest number of
/// probes that it can be.
macro_rules! usual {
    ($probes:ident == $usual:expr, |$most:ident| $result:expr) => {
        if $probes == $usual {
            const $most: usize = $usual as usize;
            let $probes = $usual;
            $result
        } else {
            const $most: usize = $crate::MAX_PROBES as usize;
            $result
        }
    };
}

pub(crate) use {in_registers, usual};
