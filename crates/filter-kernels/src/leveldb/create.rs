//! Builds bit arrays.
//!
//! Setting the bits takes most of the time. The positions of a group of keys are therefore computed between the stores
//! of the group before, and stores do not wait for each other: small filters use a map of one byte per bit, others
//! whole words. With AVX2, a check for each bit of a map would take a tenth of the time.

use core::hint::black_box;
use core::mem;

use super::probes::{Probes, Remainders};
use crate::MAX_PROBES;
use crate::bits::{Aligned, MAP_BITS, MEDIUM_MAP_BITS, SMALL_MAP_BITS, set_bit, set_rest, write_map};
use crate::hash::groups::{Consumer, Groups, consume};
use crate::lanes::{Lanes, MAX_LANES};
use crate::modulus::LaneDivisor;
use crate::source::Source;

/// The length in bytes from which bit arrays are prefetched before they are written: four times the second-level cache
/// of the machines this was measured on. Below, prefetching costs more than it saves.
const PREFETCHED: usize = 4 << 20;
/// The number of groups between the prefetch and the store.
const PREFETCH_GROUPS: usize = 4;
/// The number of keys that are hashed together.
const PART: usize = 128;
/// The probe count at 10 bits per key, for which loops are unrolled.
const USUAL_PROBES: usize = 6;

const MAX_ROWS: usize = MAX_PROBES as usize;

/// Returns true if [`create_small`] can build the filter.
#[inline(always)]
pub(crate) fn is_small(bit_array: &[u8], probes: u8) -> bool {
    bit_array.len() * 8 <= SMALL_MAP_BITS && usize::from(probes) == USUAL_PROBES
}

/// Returns true if [`create_by_map`] can build the filter.
#[inline(always)]
pub(crate) fn has_map(bit_array: &[u8]) -> bool {
    bit_array.len() * 8 <= MAP_BITS
}

/// [`create_by_map`] for small filters only: a separate function starts sooner and keeps more in registers.
#[inline(always)]
pub(crate) fn create_small<S: Lanes>(
    lanes: S,
    bit_array: &mut [u8],
    divisor: LaneDivisor,
    source: Source<'_>,
) {
    let mut map = Aligned([0; SMALL_MAP_BITS]);
    fill_map(lanes, divisor, USUAL_PROBES as u8, source, &mut map.0);
    write_map(lanes, &map.0, bit_array);
}

/// Builds a filter of at most [`MAP_BITS`] over whatever `bit_array` holds. Panics if there are more.
#[inline(always)]
pub(crate) fn create_by_map<S: Lanes>(
    lanes: S,
    bit_array: &mut [u8],
    divisor: LaneDivisor,
    probes: u8,
    source: Source<'_>,
) {
    let bits = bit_array.len() * 8;
    let (mut small, mut medium, mut large);
    let map: &mut [u8] = if bits <= SMALL_MAP_BITS {
        small = Aligned([0; SMALL_MAP_BITS]);
        &mut small.0
    } else if bits <= MEDIUM_MAP_BITS {
        medium = Aligned([0; MEDIUM_MAP_BITS]);
        &mut medium.0
    } else {
        large = Aligned([0; MAP_BITS]);
        &mut large.0
    };
    fill_map(lanes, divisor, probes, source, map);
    write_map(lanes, map, bit_array);
}

/// Adds keys to the bits already set.
#[inline(always)]
pub(crate) fn insert<S: Lanes>(
    lanes: S,
    bit_array: &mut [u8],
    divisor: LaneDivisor,
    probes: u8,
    source: Source<'_>,
) {
    let len = bit_array.len();
    let (words, rest) = bit_array.as_chunks_mut();
    let mut words = Words { words, beyond: 0 };
    if len < PREFETCHED {
        fill_words(lanes, divisor, probes, source, &mut words);
    } else {
        fill_prefetched(lanes, divisor, probes, source, &mut words);
    }
    set_rest(rest, words.beyond);
}

/// A destination for bits.
trait Bits: Default {
    /// The number of rows of values for one probe of a group.
    const ROWS: usize;

    /// Computes the rows that [`set`](Self::set) takes for these positions.
    fn prepare<S: Lanes>(lanes: S, positions: S::Vector, rows: &mut [[u32; MAX_LANES]]);
    /// Sets the bits of the first `count` lanes.
    ///
    /// # Safety
    ///
    /// `rows` holds the result of [`prepare`](Self::prepare) for as many lanes, from remainders by the number of bits
    /// that the value was made for.
    unsafe fn set(&mut self, rows: &[[u32; MAX_LANES]], count: usize);
    /// Returns the bytes that [`set`](Self::set) will change, and the index of a lane's byte.
    fn place(&self, rows: &[[u32; MAX_LANES]], lane: usize) -> (&[u8], usize);
}

/// One byte per bit; the byte's highest bit is set if the bit is.
#[derive(Default)]
struct Map<'a>(&'a mut [u8]);

impl<'a> Map<'a> {
    /// Makes a map for the positions of a filter of this many bits.
    #[inline(always)]
    fn new(bytes: &'a mut [u8], LaneDivisor { bits, .. }: LaneDivisor) -> Self {
        assert!(bits as usize <= bytes.len(), "a map has a byte for each bit");
        Self(bytes)
    }
}

impl Bits for Map<'_> {
    const ROWS: usize = 1;

    #[inline(always)]
    fn prepare<S: Lanes>(lanes: S, positions: S::Vector, rows: &mut [[u32; MAX_LANES]]) {
        lanes.store(positions, &mut rows[0]);
    }

    #[inline(always)]
    unsafe fn set(&mut self, rows: &[[u32; MAX_LANES]], count: usize) {
        for &position in rows[0].iter().take(count) {
            // SAFETY: positions are below the number of bits, which is at most the number of bytes here.
            *unsafe { self.0.get_unchecked_mut(position as usize) } = 0xff;
        }
    }

    #[inline(always)]
    fn place(&self, rows: &[[u32; MAX_LANES]], lane: usize) -> (&[u8], usize) {
        (self.0, rows[0][lane] as usize)
    }
}

/// The bits themselves.
#[derive(Default)]
struct Words<'a> {
    words: &'a mut [[u8; 4]],
    /// The bits of the bytes after the last whole word.
    beyond: u32,
}

impl Bits for Words<'_> {
    /// The word's index and the bit in the word: lanes compute both faster.
    const ROWS: usize = 2;

    #[inline(always)]
    fn prepare<S: Lanes>(lanes: S, positions: S::Vector, rows: &mut [[u32; MAX_LANES]]) {
        lanes.store(lanes.shift_right::<5>(positions), &mut rows[0]);
        lanes.store(lanes.bit_of(positions), &mut rows[1]);
    }

    #[inline(always)]
    unsafe fn set(&mut self, rows: &[[u32; MAX_LANES]], count: usize) {
        for (&index, &bit) in rows[0].iter().zip(&rows[1]).take(count) {
            set_bit(self.words, &mut self.beyond, index as usize, bit);
        }
    }

    #[inline(always)]
    fn place(&self, rows: &[[u32; MAX_LANES]], lane: usize) -> (&[u8], usize) {
        (self.words.as_flattened(), rows[0][lane] as usize * 4)
    }
}

#[inline(always)]
fn fill_map<S: Lanes>(lanes: S, divisor: LaneDivisor, probes: u8, source: Source<'_>, map: &mut [u8]) {
    let mut bits = Map::new(map, divisor);
    if usize::from(probes) == USUAL_PROBES {
        Filling::<S, _, USUAL_PROBES, 1, USUAL_PROBES>::new(lanes, divisor, probes, &mut bits)
            .finish(lanes, source);
    } else {
        Filling::<S, _, 0, 1, MAX_ROWS>::new(lanes, divisor, probes, &mut bits).finish(lanes, source);
    }
}

#[inline(always)]
fn fill_words<S: Lanes>(
    lanes: S,
    divisor: LaneDivisor,
    probes: u8,
    source: Source<'_>,
    bits: &mut Words<'_>,
) {
    if usize::from(probes) == USUAL_PROBES {
        Filling::<S, _, USUAL_PROBES, 1, { 2 * USUAL_PROBES }>::new(lanes, divisor, probes, bits)
            .finish(lanes, source);
    } else {
        Filling::<S, _, 0, 1, { 2 * MAX_ROWS }>::new(lanes, divisor, probes, bits).finish(lanes, source);
    }
}

#[inline(always)]
fn fill_prefetched<S: Lanes>(
    lanes: S,
    divisor: LaneDivisor,
    probes: u8,
    source: Source<'_>,
    bits: &mut Words<'_>,
) {
    const ROWS: usize = PREFETCH_GROUPS * 2 * MAX_ROWS;
    Filling::<S, _, 0, PREFETCH_GROUPS, ROWS>::new(lanes, divisor, probes, bits).finish(lanes, source);
}

/// Sets the bits of a group when the positions of the group `GROUPS` later are computed, and prefetches them if
/// `GROUPS` is more than one. `PROBES` is the probe count if it is known at compile time, and 0 otherwise. `ROWS` is
/// the product of `GROUPS`, the probe count (the maximum for 0) and [`Bits::ROWS`].
struct Filling<'b, S: Lanes, B, const PROBES: usize, const GROUPS: usize, const ROWS: usize> {
    remainders: Remainders<S>,
    probes: usize,
    bits: &'b mut B,
    /// Prepared rows whose bits are not set yet.
    rows: Aligned<[[u32; MAX_LANES]; ROWS]>,
    groups: usize,
}

impl<'b, S: Lanes, B: Bits, const PROBES: usize, const GROUPS: usize, const ROWS: usize>
    Filling<'b, S, B, PROBES, GROUPS, ROWS>
{
    #[inline(always)]
    fn new(lanes: S, divisor: LaneDivisor, probes: u8, bits: &'b mut B) -> Self {
        Self {
            remainders: Remainders::new(lanes, divisor),
            probes: if PROBES == 0 { usize::from(probes) } else { PROBES },
            bits,
            rows: Aligned([[0; MAX_LANES]; ROWS]),
            groups: 0,
        }
    }

    #[inline(always)]
    fn finish(mut self, lanes: S, source: Source<'_>) {
        consume::<S, PART>(lanes, source, true, &mut self);
        let mut bits = mem::take(self.bits);
        for group in self.groups.saturating_sub(GROUPS)..self.groups {
            for row in rows::<B, ROWS>(&mut self.rows, group % GROUPS, self.probes) {
                // SAFETY: `take` prepared the rows of the last groups, from remainders by the bits of the filter.
                unsafe { bits.set(row, S::LANES) };
            }
        }
        *self.bits = bits;
    }
}

impl<S: Lanes, B: Bits, const PROBES: usize, const GROUPS: usize, const ROWS: usize> Consumer<S>
    for Filling<'_, S, B, PROBES, GROUPS, ROWS>
{
    #[inline(always)]
    fn take(&mut self, lanes: S, groups: &impl Groups<S>) {
        let count = groups.count();
        if count == 0 {
            return;
        }
        let (remainders, before) = (self.remainders, self.groups);
        let probes = if PROBES == 0 { self.probes } else { PROBES };
        // A local variable, so that a store to the bits does not make the optimiser read it again.
        let mut bits = mem::take(self.bits);
        // The next group is hashed before the positions of this one are stored, so that neither waits.
        let mut next = groups.group(lanes, 0);
        for index in 0..count {
            let mut sequence = Probes::new(remainders, next);
            if index + 1 < count {
                next = groups.group(lanes, index + 1);
            }
            let group = before + index;
            for row in rows::<B, ROWS>(&mut self.rows, group % GROUPS, probes) {
                if group >= GROUPS {
                    // SAFETY: the row was prepared `GROUPS` groups ago, from remainders by the bits of the filter.
                    unsafe { bits.set(row, S::LANES) };
                }
                B::prepare(lanes, sequence.positions(), row);
                if GROUPS > 1 {
                    for lane in 0..S::LANES {
                        let (bytes, index) = bits.place(row, lane);
                        lanes.prefetch::<true, _>(bytes, index);
                    }
                }
                sequence.advance();
            }
        }
        *self.bits = bits;
        self.groups = before + count;
    }
}

/// Returns the rows of a group, by probe. The rows are hidden from the optimiser, which would keep them in vector
/// registers, where reading them one by one is slower.
#[inline(always)]
fn rows<B: Bits, const ROWS: usize>(
    rows: &mut Aligned<[[u32; MAX_LANES]; ROWS]>,
    group: usize,
    probes: usize,
) -> impl Iterator<Item = &mut [[u32; MAX_LANES]]> {
    let each = probes * B::ROWS;
    black_box(rows).0[group * each..(group + 1) * each].chunks_exact_mut(B::ROWS)
}
