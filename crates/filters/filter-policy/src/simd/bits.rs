//! Bit arrays: bits that are set in words, and look-ups of many positions.

use core::mem::MaybeUninit;
use core::slice;

use crate::simd::lanes::{Lanes, MAX_LANES, last_bytes};

/// The largest probe count of a filter.
///
/// Source: LevelDB, `util/bloom.cc`, whose stored count must not exceed it; RocksDB has the same limit.
pub(crate) const MAX_PROBES: u8 = 30;

/// The largest bit array, in bits, that is first built as a map of one byte per bit; maps lie on the stack. A store to
/// a byte need not wait for the one before, as a change of a bit would.
pub(crate) const MAP_BITS: usize = 8192;

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

/// Returns a map of at most [`MAP_BITS`] bytes, all 0. No more of the room is cleared, which would take longer than the
/// small filters.
#[inline(always)]
pub(crate) fn cleared(room: &mut Aligned<MaybeUninit<[u8; MAP_BITS]>>, bits: usize) -> &mut [u8] {
    let len = bits.next_multiple_of(64);
    assert!(len <= MAP_BITS, "the array fits into a map");
    let start = room.0.as_mut_ptr().cast::<u8>();
    // SAFETY: the room has this many bytes, and they are written first.
    unsafe {
        start.write_bytes(0, len);
        slice::from_raw_parts_mut(start, len)
    }
}

/// The values of a vector, which are read one by one. A slice of them is hidden from the optimiser, which would keep
/// them in vector registers, where reading them is slower.
pub(crate) type LaneValues = [u32; MAX_LANES];

/// Sets the bits of the bytes after the last whole word.
#[inline(always)]
pub(crate) fn set_rest(rest: &mut [u8], beyond: u32) {
    for (byte, new) in rest.iter_mut().zip(beyond.to_le_bytes()) {
        *byte |= new;
    }
}

/// A destination for bits: these themselves, set in words, which are changed twice as fast as bytes on some processors;
/// or with `MAP`, one byte per bit, whose highest bit is set if the bit is.
#[derive(Default)]
pub(crate) struct Bits<'a, const MAP: bool> {
    map: &'a mut [u8],
    words: &'a mut [[u8; 4]],
    /// The bytes after the last whole word.
    rest: &'a mut [u8],
    /// The bits to be set in them.
    beyond: u32,
}

impl<'a> Bits<'a, true> {
    /// Makes a map for the positions of a filter of this many bits.
    #[inline(always)]
    pub(crate) fn in_map(map: &'a mut [u8], bits: usize) -> Self {
        assert!(bits <= map.len(), "a map has a byte for each bit");
        Self {
            map,
            ..Self::default()
        }
    }
}

impl<'a> Bits<'a, false> {
    #[inline(always)]
    pub(crate) fn new(bytes: &'a mut [u8]) -> Self {
        let (words, rest) = bytes.as_chunks_mut();
        Self {
            words,
            rest,
            ..Self::default()
        }
    }

    /// Sets the bits of the last bytes too.
    #[inline(always)]
    pub(crate) fn finish(self) {
        set_rest(self.rest, self.beyond);
    }
}

impl<const MAP: bool> Bits<'_, MAP> {
    /// The number of rows of values for the positions of a group: the position, or the word's index and the bit in the
    /// word, both of which lanes compute faster.
    pub(crate) const ROWS: usize = if MAP { 1 } else { 2 };

    /// Computes the rows that [`set`](Self::set) takes for these positions.
    #[inline(always)]
    pub(crate) fn prepare<S: Lanes>(lanes: S, positions: S::Vector, rows: &mut [LaneValues]) {
        if MAP {
            lanes.store(positions, &mut rows[0]);
        } else {
            lanes.store(lanes.shift_right::<5>(positions), &mut rows[0]);
            lanes.store(lanes.bit_of(positions), &mut rows[1]);
        }
    }

    /// Sets the bits of the first `count` lanes.
    ///
    /// # Safety
    ///
    /// `rows` holds the result of [`prepare`](Self::prepare) for as many lanes, from positions below the number of bits
    /// that the value was made for.
    #[inline(always)]
    pub(crate) unsafe fn set<S: Lanes>(&mut self, rows: &[LaneValues], count: usize) {
        if !MAP {
            for (&index, &bit) in rows[0].iter().zip(&rows[1]).take(count) {
                match self.words.get_mut(index as usize) {
                    Some(word) => *word = (u32::from_le_bytes(*word) | bit).to_le_bytes(),
                    None => self.beyond |= bit,
                }
            }
            return;
        }
        for &position in rows[0].iter().take(count) {
            // A check takes a tenth of the time, but with 16 lanes keeps the optimiser from taking the values out of
            // vectors.
            if S::LANES < MAX_LANES {
                // SAFETY: positions are below the number of bits, which is at most the number of bytes here.
                *unsafe { self.map.get_unchecked_mut(position as usize) } = 0xff;
            } else if let Some(byte) = self.map.get_mut(position as usize) {
                *byte = 0xff;
            }
        }
    }

    /// Sets the bits of rows that were prepared before, if they were, and prepares them for other positions, whose
    /// words are then prefetched if wanted.
    ///
    /// # Safety
    ///
    /// The contract of [`set`](Self::set), for all lanes, if the rows were prepared.
    #[inline(always)]
    pub(crate) unsafe fn exchange<S: Lanes>(
        &mut self,
        lanes: S,
        rows: &mut [LaneValues],
        positions: S::Vector,
        prepared: bool,
        prefetched: bool,
    ) {
        if prepared {
            // SAFETY: guaranteed by the caller.
            unsafe { self.set::<S>(rows, S::LANES) };
        }
        Self::prepare(lanes, positions, rows);
        if prefetched {
            for &index in &rows[0][..S::LANES] {
                lanes.prefetch::<true, _>(self.words, index as usize);
            }
        }
    }
}

/// A bit array that gives the words with the bits of some positions: `QUARTERS` quarters of the largest table in
/// registers, or memory if there are none.
pub(crate) struct Words<'a, S: Lanes, const QUARTERS: usize> {
    table: [S::Vector; QUARTERS],
    bytes: &'a [u8],
    words: &'a [[u8; 4]],
    /// The bytes after the last whole word.
    beyond: S::Vector,
}

impl<'a, S: Lanes, const QUARTERS: usize> Words<'a, S, QUARTERS> {
    /// Loads an array, which must fit into a table if there is one.
    #[inline(always)]
    pub(crate) fn new(lanes: S, bytes: &'a [u8]) -> Self {
        Self {
            table: lanes.table(if QUARTERS == 0 { &[] } else { bytes }),
            bytes,
            words: bytes.as_chunks().0,
            beyond: lanes.splat(last_bytes(bytes)),
        }
    }

    #[inline(always)]
    pub(crate) fn at(&self, lanes: S, positions: S::Vector) -> S::Vector {
        if QUARTERS == 0 {
            lanes.words_at(self.words, self.beyond, positions)
        } else {
            lanes.table_words(&self.table, positions)
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

/// Splits an array of `LEN` to `2 * LEN` bytes into halves, of which the second ends with the array and may overlap the
/// first, and adjusts positions to halves that are adjacent. Other arrays have no such halves.
#[inline(always)]
pub(crate) fn halves<S: Lanes, const LEN: usize>(
    lanes: S,
    bytes: &[u8],
    positions: S::Vector,
) -> Option<([&[u8; LEN]; 2], S::Vector)> {
    let overlap = (2 * LEN).checked_sub(bytes.len())?;
    let halves = [bytes.first_chunk()?, bytes.last_chunk()?];
    let moved = lanes.add(positions, lanes.splat(overlap as u32 * 8));
    let first_half = lanes.splat(LEN as u32 * 8);
    Some((halves, lanes.if_less(positions, first_half, positions, moved)))
}

/// Evaluates an expression with the [`Words`] of a bit array that fits into registers; another for longer ones.
macro_rules! in_registers {
    ($lanes:ident: $of:ident, $bytes:ident, |$words:ident| $answer:expr, else $other:expr) => {
        if $bytes.len() <= $of::TABLE_BYTES / 4 {
            let $words = $crate::simd::bits::Words::<$of, 1>::new($lanes, $bytes);
            $answer
        } else if $bytes.len() <= $of::TABLE_BYTES / 2 {
            let $words = $crate::simd::bits::Words::<$of, 2>::new($lanes, $bytes);
            $answer
        } else if $bytes.len() <= $of::TABLE_BYTES {
            let $words = $crate::simd::bits::Words::<$of, 4>::new($lanes, $bytes);
            $answer
        } else {
            $other
        }
    };
}

/// Evaluates an expression with a probe count, or another small number, which the compiler knows if it is the usual
/// one, and the largest number of probes that it can be.
macro_rules! usual {
    ($probes:ident == $usual:expr, |$most:ident| $result:expr) => {
        if $probes == $usual {
            const $most: usize = $usual as usize;
            let $probes = $usual;
            $result
        } else {
            const $most: usize = $crate::simd::bits::MAX_PROBES as usize;
            $result
        }
    };
}

pub(crate) use {in_registers, usual};
