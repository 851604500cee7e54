//! Answers.

use core::ops::Range;

use super::super::{Asked, Source};
use super::probes::{Probes, Remainders, positions_of};
use super::{Lanes, MOST_LANES};

/// Fewest keys for which survivors are packed together after every probe.
const FEWEST_FOR_LEVELS: usize = 128;
/// How many keys go from probe to probe together.
const TILE: usize = 1024;
/// Length from which bytes are brought into the cache before they are read: four times the second-level cache of the
/// machines this was measured on. Below, prefetching costs more than it saves.
const PREFETCHED: usize = 4 << 20;

/// The words of a bit array, for look-ups of positions.
struct Words<'a, S: Lanes> {
    bytes: &'a [u8],
    words: &'a [[u8; 4]],
    /// The bytes after the last whole word.
    beyond: S::Vector,
}

impl<'a, S: Lanes> Words<'a, S> {
    #[inline(always)]
    fn new(lanes: S, bytes: &'a [u8]) -> Self {
        let (words, rest) = bytes.as_chunks::<4>();
        let beyond = match (bytes.last_chunk::<4>(), rest) {
            // In two steps, as a shift by all 32 bits would not be one.
            (Some(last), _) => u32::from_le_bytes(*last) >> 8 >> (24 - 8 * rest.len()),
            (None, rest) => rest
                .iter()
                .rev()
                .fold(0, |word, &byte| word << 8 | u32::from(byte)),
        };
        Self {
            bytes,
            words,
            beyond: lanes.splat(beyond),
        }
    }

    #[inline(always)]
    fn at(&self, lanes: S, positions: S::Vector) -> S::Vector {
        lanes.words_at(self.words, self.beyond, positions)
    }

    /// For positions of which the first `count` will be looked up.
    #[inline(always)]
    fn prefetch(&self, lanes: S, positions: &[u32], count: usize) {
        for &position in positions.iter().take(count) {
            lanes.prefetch::<false>(self.bytes, (position / 8) as usize);
        }
    }
}

/// One hash value, whose probes are the lanes.
#[inline(always)]
pub(in super::super) fn may_match<S: Lanes>(lanes: S, asked: &Asked<'_>, hash: u32) -> bool {
    let remainders = Remainders::new(lanes, asked.modulus);
    let mut first = 0;
    while first < asked.probes {
        let count = (asked.probes - first).min(S::LANES as u32);
        let numbers = lanes.add(lanes.splat(first), lanes.iota());
        let steps = lanes.mul(numbers, lanes.splat(hash.rotate_left(15)));
        let positions = remainders.of(lanes.add(lanes.splat(hash), steps));
        let len = asked.bit_array.len();
        let words = if len <= S::TABLE_BYTES / 4 {
            lanes.table_words(&lanes.table::<1>(asked.bit_array), positions)
        } else if len <= S::TABLE_BYTES / 2 {
            lanes.table_words(&lanes.table::<2>(asked.bit_array), positions)
        } else if len <= S::TABLE_BYTES {
            lanes.table_words(&lanes.table::<4>(asked.bit_array), positions)
        } else {
            Words::new(lanes, asked.bit_array).at(lanes, positions)
        };
        let hits = lanes.hit_bits(lanes.hit(lanes.all_hits(), words, positions));
        // All of the first `count`.
        if !hits << (32 - count) != 0 {
            return false;
        }
        first += count;
    }
    true
}

/// Many hash values, one a lane.
#[inline(always)]
pub(in super::super) fn may_match_many<S: Lanes>(
    lanes: S,
    asked: &Asked<'_>,
    source: Source<'_>,
    answers: &mut [u64],
) {
    answers.fill(0);
    let batch = Batch {
        lanes,
        remainders: Remainders::new(lanes, asked.modulus),
        probes: asked.probes,
        source,
    };
    let len = asked.bit_array.len();
    if len <= S::TABLE_BYTES / 4 {
        batch.by_table::<1>(asked.bit_array, answers);
    } else if len <= S::TABLE_BYTES / 2 {
        batch.by_table::<2>(asked.bit_array, answers);
    } else if len <= S::TABLE_BYTES {
        batch.by_table::<4>(asked.bit_array, answers);
    } else if source.len() < FEWEST_FOR_LEVELS {
        batch.by_group(&Words::new(lanes, asked.bit_array), answers);
    } else if len < PREFETCHED {
        batch.by_level::<false>(&Words::new(lanes, asked.bit_array), answers);
    } else {
        batch.by_level::<true>(&Words::new(lanes, asked.bit_array), answers);
    }
}

struct Batch<'a, S: Lanes> {
    lanes: S,
    remainders: Remainders<S>,
    probes: u32,
    source: Source<'a>,
}

impl<S: Lanes> Batch<'_, S> {
    /// All probes of a group after each other, with the whole bit array in registers.
    #[inline(always)]
    fn by_table<const QUARTERS: usize>(&self, bit_array: &[u8], answers: &mut [u64]) {
        let table = self.lanes.table::<QUARTERS>(bit_array);
        for group in 0..self.source.groups::<S>() {
            let mut sequence = Probes::new(self.remainders, self.source.group(self.lanes, group));
            let mut hits = self.lanes.all_hits();
            for _ in 0..self.probes {
                let positions = sequence.positions();
                let words = self.lanes.table_words(&table, positions);
                hits = self.lanes.hit(hits, words, positions);
                sequence.advance();
            }
            self.answer(group, self.lanes.hit_bits(hits), answers);
        }
    }

    /// All probes of a group after each other, until no lane is left.
    #[inline(always)]
    fn by_group(&self, words: &Words<'_, S>, answers: &mut [u64]) {
        for group in 0..self.source.groups::<S>() {
            let hits = self.rest(words, self.source.group(self.lanes, group), 0);
            self.answer(group, hits, answers);
        }
    }

    /// The lanes that have all bits from this probe on.
    #[inline(always)]
    fn rest(&self, words: &Words<'_, S>, hashes: S::Vector, probe: u32) -> u32 {
        let mut sequence = Probes::starting_at(self.remainders, hashes, probe);
        let mut hits = self.lanes.all_hits();
        for _ in probe..self.probes {
            let positions = sequence.positions();
            hits = self.lanes.hit(hits, words.at(self.lanes, positions), positions);
            sequence.advance();
        }
        self.lanes.hit_bits(hits)
    }

    /// Writes the answers of a group.
    #[inline(always)]
    fn answer(&self, group: usize, hits: u32, answers: &mut [u64]) {
        let start = group * S::LANES;
        // The lanes beyond the last key repeat it.
        let hits = hits & first_bits(self.source.len() - start, S::LANES);
        if let Some(word) = answers.get_mut(start / 64) {
            *word |= u64::from(hits) << (start % 64);
        }
    }

    /// One probe of a whole tile after the other. After each, the keys that have the bit are packed together, so that
    /// absent keys cost two look-ups on average and nothing has to be guessed. Where nearly all stay, the rest is done
    /// group by group, which saves the packing.
    #[inline(always)]
    fn by_level<const PREFETCH: bool>(&self, words: &Words<'_, S>, answers: &mut [u64]) {
        let mut tile = Tile::new();
        let groups = self.source.groups::<S>();
        let mut first = 0;
        while first < groups {
            let end = groups.min(first + TILE / S::LANES);
            let mut left = self.first_level::<PREFETCH>(words, &mut tile, first..end);
            let mut before = (end - first) * S::LANES;
            let mut probe = if PREFETCH { 0 } else { 1 };
            while probe < self.probes {
                if !PREFETCH && left > before - before / 8 {
                    left = self.remaining(words, &mut tile, left, probe);
                    break;
                }
                before = left;
                left = self.next_level::<PREFETCH>(words, &mut tile, left, probe);
                probe += 1;
            }
            for &index in tile.indices.iter().take(left) {
                let index = first * S::LANES + index as usize;
                if let Some(word) = answers.get_mut(index / 64) {
                    *word |= 1 << (index % 64);
                }
            }
            first = end;
        }
    }

    /// Fills the tile with the keys of these groups that have their first bit set; with all keys where that bit is
    /// prefetched. Gives their number.
    #[inline(always)]
    fn first_level<const PREFETCH: bool>(
        &self,
        words: &Words<'_, S>,
        tile: &mut Tile,
        groups: Range<usize>,
    ) -> usize {
        let lanes = self.lanes;
        let mut left = 0;
        let mut indices = lanes.iota();
        for group in groups {
            let start = group * S::LANES;
            let hashes = self.source.group(lanes, group);
            let positions = self.remainders.of(hashes);
            let mut hits = first_bits(self.source.len() - start, S::LANES);
            if PREFETCH {
                let row = tile.row(left).positions;
                lanes.store(positions, row);
                words.prefetch(lanes, row, S::LANES);
            } else if self.probes > 0 {
                let found = lanes.hit(lanes.all_hits(), words.at(lanes, positions), positions);
                hits &= lanes.hit_bits(found);
            }
            let row = tile.row(left);
            lanes.store(lanes.compress(hashes, hits), row.hashes);
            lanes.store(lanes.compress(indices, hits), row.indices);
            indices = lanes.add(indices, lanes.splat(S::LANES as u32));
            left += hits.count_ones() as usize;
        }
        left
    }

    /// Keeps the keys that have the bit of this probe; with `PREFETCH`, asks for the bits of the next.
    #[inline(always)]
    fn next_level<const PREFETCH: bool>(
        &self,
        words: &Words<'_, S>,
        tile: &mut Tile,
        count: usize,
        probe: u32,
    ) -> usize {
        let lanes = self.lanes;
        let mut left = 0;
        for start in (0..count).step_by(S::LANES) {
            let row = tile.row(start);
            let (hashes, indices) = (lanes.load(row.hashes), lanes.load(row.indices));
            let positions = if PREFETCH {
                lanes.load(row.positions)
            } else {
                positions_of(self.remainders, hashes, probe)
            };
            let found = lanes.hit(lanes.all_hits(), words.at(lanes, positions), positions);
            let hits = lanes.hit_bits(found) & first_bits(count - start, S::LANES);
            let hashes = lanes.compress(hashes, hits);
            let row = tile.row(left);
            lanes.store(hashes, row.hashes);
            lanes.store(lanes.compress(indices, hits), row.indices);
            let found = hits.count_ones() as usize;
            if PREFETCH && probe + 1 < self.probes {
                lanes.store(positions_of(self.remainders, hashes, probe + 1), row.positions);
                words.prefetch(lanes, row.positions, found);
            }
            left += found;
        }
        left
    }

    /// Keeps the keys that have the bits of this probe and of all after it.
    #[inline(always)]
    fn remaining(&self, words: &Words<'_, S>, tile: &mut Tile, count: usize, probe: u32) -> usize {
        let lanes = self.lanes;
        let mut left = 0;
        for start in (0..count).step_by(S::LANES) {
            let row = tile.row(start);
            let indices = lanes.load(row.indices);
            let hits = self.rest(words, lanes.load(row.hashes), probe) & first_bits(count - start, S::LANES);
            lanes.store(lanes.compress(indices, hits), tile.row(left).indices);
            left += hits.count_ones() as usize;
        }
        left
    }
}

/// The lowest `count` bits, at most `most`.
#[inline(always)]
fn first_bits(count: usize, most: usize) -> u32 {
    u32::MAX >> (32 - count.min(most))
}

/// Keys under way. Vectors are stored whole, so there is room for one beyond the last.
struct Tile {
    hashes: [u32; TILE + MOST_LANES],
    /// Which keys they are, counted from the start of the tile.
    indices: [u32; TILE + MOST_LANES],
    /// Where they will be looked for next.
    positions: [u32; TILE + MOST_LANES],
}

/// The part of a tile from some key on.
struct Row<'a> {
    hashes: &'a mut [u32],
    indices: &'a mut [u32],
    positions: &'a mut [u32],
}

impl Tile {
    #[inline(always)]
    fn new() -> Self {
        const LEN: usize = TILE + MOST_LANES;
        Self {
            hashes: [0; LEN],
            indices: [0; LEN],
            positions: [0; LEN],
        }
    }

    #[inline(always)]
    fn row(&mut self, start: usize) -> Row<'_> {
        Row {
            hashes: self.hashes.get_mut(start..).unwrap_or_default(),
            indices: self.indices.get_mut(start..).unwrap_or_default(),
            positions: self.positions.get_mut(start..).unwrap_or_default(),
        }
    }
}
