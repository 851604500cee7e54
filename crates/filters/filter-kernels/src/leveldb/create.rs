//! Builds bit arrays.
//!
//! Setting the bits takes most of the time. The positions of a group of keys are therefore computed between the stores
//! of the group before, and stores do not wait for each other: small filters use a map of one byte per bit, others
//! whole words. With AVX2, a check for each bit of a map would take a tenth of the time.

use core::hint::black_box;
use core::mem::{self, MaybeUninit};

use super::definition::USUAL_PROBES;
use super::probes::{Probes, Remainders};
use crate::bits::{Aligned, Bits, MAX_PROBES, Row, cleared, usual, write_map};
use crate::hash::groups::{Consumer, Groups, consume};
use crate::lanes::{Lanes, MAX_LANES};
use crate::modulus::LaneDivisor;
use crate::source::LaneSource;

/// The length in bytes from which bit arrays are prefetched before they are written: four times the second-level cache
/// of the machines this was measured on. Below, prefetching costs more than it saves.
const PREFETCHED: usize = 4 << 20;
/// The length in bits of arrays that are in the second-level cache. In larger ones many stores wait, and where keys are
/// hashed between them, fewer fit in flight: packed keys took 1.7 times as long in 1.25 MB (Zen 3).
const NEAR_BITS: u32 = 4 << 20;
/// The number of groups between the prefetch and the store.
const PREFETCH_GROUPS: usize = 4;
/// The number of keys that are hashed together.
const PART: usize = 128;
/// The number of bits that [`create_small`] takes.
const SMALL_MAP_BITS: usize = 512;

/// Returns true if [`create_small`] can build the filter.
#[inline(always)]
pub(crate) fn is_small(bit_array: &[u8], probes: u8) -> bool {
    bit_array.len() * 8 <= SMALL_MAP_BITS && probes == USUAL_PROBES
}

/// [`create_by_map`] for small filters only: a separate function starts sooner and keeps more in registers.
#[inline(always)]
pub(crate) fn create_small<S: Lanes>(
    lanes: S,
    bit_array: &mut [u8],
    divisor: LaneDivisor,
    source: LaneSource<'_>,
) {
    let mut map = Aligned([0; SMALL_MAP_BITS]);
    let mut rows = Aligned([[0; MAX_LANES]; USUAL_PROBES as usize]);
    let bits = Bits::in_map(&mut map.0, divisor.bits as usize);
    fill::<_, _, 1, _>(lanes, divisor, USUAL_PROBES, source, bits, &mut rows.0);
    write_map(lanes, &map.0, bit_array);
}

/// Builds a filter of at most [`MAP_BITS`](crate::bits::MAP_BITS) over whatever `bit_array` holds. Panics if there are
/// more.
#[inline(always)]
pub(crate) fn create_by_map<S: Lanes>(
    lanes: S,
    bit_array: &mut [u8],
    divisor: LaneDivisor,
    probes: u8,
    source: LaneSource<'_>,
) {
    let mut room = Aligned(MaybeUninit::uninit());
    let map = cleared(&mut room, bit_array.len() * 8);
    usual!(probes == USUAL_PROBES, |MOST| {
        let mut rows = Aligned([[0; MAX_LANES]; MOST]);
        let bits = Bits::in_map(map, divisor.bits as usize);
        fill::<_, _, 1, _>(lanes, divisor, probes, source, bits, &mut rows.0);
    });
    write_map(lanes, map, bit_array);
}

/// Adds keys to the bits already set.
#[inline(always)]
pub(crate) fn insert<S: Lanes>(
    lanes: S,
    bit_array: &mut [u8],
    divisor: LaneDivisor,
    probes: u8,
    source: LaneSource<'_>,
) {
    let prefetched = bit_array.len() >= PREFETCHED;
    let bits = Bits::new(bit_array);
    if prefetched {
        let mut rows = Aligned([[0; MAX_LANES]; PREFETCH_GROUPS * 2 * MAX_PROBES as usize]);
        fill::<_, _, PREFETCH_GROUPS, _>(lanes, divisor, probes, source, bits, &mut rows.0).finish();
    } else {
        usual!(probes == USUAL_PROBES, |MOST| {
            let mut rows = Aligned([[0; MAX_LANES]; 2 * MOST]);
            fill::<_, _, 1, _>(lanes, divisor, probes, source, bits, &mut rows.0).finish();
        });
    }
}

/// Sets the bits of all keys. There are [`Bits::ROWS`] rows for each probe of `GROUPS` groups.
#[inline(always)]
fn fill<'a, S: Lanes, const MAP: bool, const GROUPS: usize, const ROWS: usize>(
    lanes: S,
    divisor: LaneDivisor,
    probes: u8,
    source: LaneSource<'_>,
    bits: Bits<'a, MAP>,
    rows: &mut [Row; ROWS],
) -> Bits<'a, MAP> {
    let mut filling = Filling::<_, MAP, GROUPS, ROWS> {
        remainders: Remainders::new(lanes, divisor),
        probes: usize::from(probes),
        bits,
        rows,
        groups: 0,
    };
    consume::<S, PART>(lanes, source, divisor.bits <= NEAR_BITS, &mut filling);
    for group in filling.groups.saturating_sub(GROUPS)..filling.groups {
        for row in rows_of::<MAP, ROWS>(filling.rows, group % GROUPS, filling.probes) {
            // SAFETY: `take` prepared the rows of the last groups, from remainders by the bits of the filter.
            unsafe { filling.bits.set::<S>(row, S::LANES) };
        }
    }
    filling.bits
}

/// Sets the bits of a group when the positions of the group `GROUPS` later are computed, and prefetches them if
/// `GROUPS` is more than one.
struct Filling<'r, 'b, S: Lanes, const MAP: bool, const GROUPS: usize, const ROWS: usize> {
    remainders: Remainders<S>,
    probes: usize,
    bits: Bits<'b, MAP>,
    /// Prepared rows whose bits are not set yet.
    rows: &'r mut [Row; ROWS],
    groups: usize,
}

impl<S: Lanes, const MAP: bool, const GROUPS: usize, const ROWS: usize> Consumer<S>
    for Filling<'_, '_, S, MAP, GROUPS, ROWS>
{
    #[inline(always)]
    fn take(&mut self, lanes: S, groups: &Groups<'_>) {
        let count = groups.count::<S>();
        if count == 0 {
            return;
        }
        // A local variable, so that a store to the bits does not make the optimiser read it again.
        let mut bits = mem::take(&mut self.bits);
        // The next group is hashed before the positions of this one are stored, so that neither waits.
        let mut next = groups.group(lanes, 0);
        for index in 0..count {
            let mut sequence = Probes::new(self.remainders, next, 0);
            if index + 1 < count {
                next = groups.group(lanes, index + 1);
            }
            let group = self.groups + index;
            for row in rows_of::<MAP, ROWS>(self.rows, group % GROUPS, self.probes) {
                if group >= GROUPS {
                    // SAFETY: the row was prepared `GROUPS` groups ago, from remainders by the bits of the filter.
                    unsafe { bits.set::<S>(row, S::LANES) };
                }
                Bits::<MAP>::prepare(lanes, sequence.positions(), row);
                if GROUPS > 1 {
                    for lane in 0..S::LANES {
                        let (bytes, index) = bits.place(row, lane);
                        lanes.prefetch::<true, _>(bytes, index);
                    }
                }
                sequence.advance();
            }
        }
        self.bits = bits;
        self.groups += count;
    }
}

/// Returns the rows of a group, by probe.
#[inline(always)]
fn rows_of<const MAP: bool, const ROWS: usize>(
    rows: &mut [Row; ROWS],
    group: usize,
    probes: usize,
) -> impl Iterator<Item = &mut [Row]> {
    let each = probes * Bits::<MAP>::ROWS;
    black_box(rows)[group * each..(group + 1) * each].chunks_exact_mut(Bits::<MAP>::ROWS)
}
