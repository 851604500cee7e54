//! Builds bit arrays.
//!
//! What takes time is to set the bits. So the positions of a group of keys are computed between the stores for the
//! group before, and the stores do not wait for each other: into a map of one byte per bit where it is small, into
//! whole words elsewhere.

use core::hint::black_box;

use super::super::Source;
use super::probes::{Probes, Remainders};
use super::{Lanes, MOST_LANES};
use crate::modulus::Modulus;
use crate::params::MAX_PROBES;

/// Largest bit array that is built as a map, in bits, as maps lie on the stack.
const MAP_BITS: usize = 8192;
/// The same for the filters of small blocks, of which less memory has to be cleared.
const SMALL_MAP_BITS: usize = 512;
/// Length from which bit arrays are brought into the cache before they are written, in bytes: four times the
/// second-level cache of the machines this was measured on. Below, prefetching costs more than it saves.
const PREFETCHED: usize = 4 << 20;
/// How many groups of keys lie between the prefetch and the store.
const PREFETCH_GROUPS: usize = 4;
/// The probe count at 10 bits per key, for which loops are unrolled.
const USUAL_PROBES: usize = 6;

const MOST_PROBES: usize = MAX_PROBES as usize;

/// Over whatever `bit_array` holds.
#[inline(always)]
pub(in super::super) fn create<S: Lanes>(
    lanes: S,
    source: Source<'_>,
    modulus: Modulus,
    probes: u8,
    bit_array: &mut [u8],
) {
    let bits = bit_array.len() * 8;
    if bits <= SMALL_MAP_BITS {
        create_by_map::<S, SMALL_MAP_BITS>(lanes, source, modulus, probes, bit_array);
    } else if bits <= MAP_BITS {
        create_by_map::<S, MAP_BITS>(lanes, source, modulus, probes, bit_array);
    } else {
        bit_array.fill(0);
        insert(lanes, source, modulus, probes, bit_array);
    }
}

#[inline(always)]
fn create_by_map<S: Lanes, const BITS: usize>(
    lanes: S,
    source: Source<'_>,
    modulus: Modulus,
    probes: u8,
    bit_array: &mut [u8],
) {
    let mut map = Map([0; BITS]);
    fill(lanes, source, modulus, probes, &mut map);
    for (bytes, bits) in bit_array.chunks_mut(8).zip(map.0.as_chunks().0) {
        let packed = lanes.high_bits(bits).to_le_bytes();
        match bytes.first_chunk_mut() {
            Some(eight) => *eight = packed,
            None => bytes.iter_mut().zip(packed).for_each(|(byte, new)| *byte = new),
        }
    }
}

/// Besides the bits that are set.
#[inline(always)]
pub(in super::super) fn insert<S: Lanes>(
    lanes: S,
    source: Source<'_>,
    modulus: Modulus,
    probes: u8,
    bit_array: &mut [u8],
) {
    let len = bit_array.len();
    let (words, rest) = bit_array.as_chunks_mut::<4>();
    let mut words = Words { words, beyond: 0 };
    if len < PREFETCHED {
        fill(lanes, source, modulus, probes, &mut words);
    } else {
        fill_prefetched(lanes, source, modulus, probes, &mut words);
    }
    for (byte, new) in rest.iter_mut().zip(words.beyond.to_le_bytes()) {
        *byte |= new;
    }
}

/// Where bits are set.
trait Bits {
    fn set(&mut self, position: u32);
    /// The bytes that will be changed, and which of them for this position.
    fn place(&self, position: u32) -> (&[u8], usize);
}

/// A byte for each bit, its highest bit set if the bit is.
struct Map<const BITS: usize>([u8; BITS]);

impl<const BITS: usize> Bits for Map<BITS> {
    #[inline(always)]
    fn set(&mut self, position: u32) {
        // Positions are below the number of bits; the remainder costs nothing and drops a check.
        if let Some(byte) = self.0.get_mut(position as usize % BITS) {
            *byte = 0xff;
        }
    }

    #[inline(always)]
    fn place(&self, position: u32) -> (&[u8], usize) {
        (&self.0, position as usize)
    }
}

/// The bits themselves.
struct Words<'a> {
    words: &'a mut [[u8; 4]],
    /// Of the bytes after the last whole word.
    beyond: u32,
}

impl Bits for Words<'_> {
    #[inline(always)]
    fn set(&mut self, position: u32) {
        let bit = 1_u32.wrapping_shl(position);
        match self.words.get_mut((position / 32) as usize) {
            Some(word) => *word = (u32::from_le_bytes(*word) | bit).to_le_bytes(),
            None => self.beyond |= bit,
        }
    }

    #[inline(always)]
    fn place(&self, position: u32) -> (&[u8], usize) {
        (self.words.as_flattened(), (position / 8) as usize)
    }
}

#[inline(always)]
fn fill<S: Lanes>(lanes: S, source: Source<'_>, modulus: Modulus, probes: u8, bits: &mut impl Bits) {
    match usize::from(probes) {
        USUAL_PROBES => {
            Ring::<USUAL_PROBES, 1, USUAL_PROBES>::new().fill::<S, false>(
                lanes,
                source,
                modulus,
                USUAL_PROBES,
                bits,
            );
        }
        probes => Ring::<0, 1, MOST_PROBES>::new().fill::<S, false>(lanes, source, modulus, probes, bits),
    }
}

#[inline(always)]
fn fill_prefetched<S: Lanes>(
    lanes: S,
    source: Source<'_>,
    modulus: Modulus,
    probes: u8,
    bits: &mut impl Bits,
) {
    Ring::<0, PREFETCH_GROUPS, { PREFETCH_GROUPS * MOST_PROBES }>::new().fill::<S, true>(
        lanes,
        source,
        modulus,
        usize::from(probes),
        bits,
    );
}

/// Positions of the last `GROUPS` groups whose bits are not set yet: `ROWS` vectors. `PROBES` is the probe count if it
/// is known when this is compiled, and 0 otherwise.
struct Ring<const PROBES: usize, const GROUPS: usize, const ROWS: usize>([[u32; MOST_LANES]; ROWS]);

impl<const PROBES: usize, const GROUPS: usize, const ROWS: usize> Ring<PROBES, GROUPS, ROWS> {
    #[inline(always)]
    fn new() -> Self {
        Self([[0; MOST_LANES]; ROWS])
    }

    #[inline(always)]
    fn fill<S: Lanes, const PREFETCH: bool>(
        mut self,
        lanes: S,
        source: Source<'_>,
        modulus: Modulus,
        probes: usize,
        bits: &mut impl Bits,
    ) {
        let probes = if PROBES == 0 { probes } else { PROBES };
        let groups = source.groups::<S>();
        if groups == 0 {
            return;
        }
        let remainders = Remainders::new(lanes, modulus);
        let mut next = source.group(lanes, 0);
        for group in 0..groups {
            let rows = self.rows(group, probes);
            let mut sequence = Probes::new(remainders, next);
            if group + 1 < groups {
                next = source.group(lanes, group + 1);
            }
            for row in rows {
                if group >= GROUPS {
                    set::<S>(row, bits);
                }
                lanes.store(sequence.positions(), row);
                if PREFETCH {
                    for &position in row.iter().take(S::LANES) {
                        let (bytes, index) = bits.place(position);
                        lanes.prefetch::<true>(bytes, index);
                    }
                }
                sequence.advance();
            }
        }
        for group in groups.saturating_sub(GROUPS)..groups {
            for row in self.rows(group, probes) {
                set::<S>(row, bits);
            }
        }
    }

    /// The rows of a group. They are hidden from the optimiser, which would keep them in vector registers, from which it
    /// takes longer to get them one by one.
    #[inline(always)]
    fn rows(&mut self, group: usize, probes: usize) -> &mut [[u32; MOST_LANES]] {
        let start = group % GROUPS * probes;
        black_box(&mut self.0)
            .get_mut(start..start + probes)
            .unwrap_or_default()
    }
}

#[inline(always)]
fn set<S: Lanes>(positions: &[u32; MOST_LANES], bits: &mut impl Bits) {
    for &position in positions.iter().take(S::LANES) {
        bits.set(position);
    }
}
