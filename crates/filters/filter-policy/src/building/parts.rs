//! Filters that are larger than the caches are built a part at a time: what sets bits in a part waits in a run, and is
//! done at once when the run is full. Memory is then read and written in order, not at random places.

use alloc::vec::Vec;
use core::hint::black_box;
use core::ops::{BitOr, Shl};

/// The sizes that decide how a filter is built.
#[derive(Debug, Clone, Copy)]
pub struct PartSizes {
    /// The length in bytes from which a filter is built in parts.
    pub least: usize,
    /// The length of a part in bytes, a power of two and at least 64.
    pub part: usize,
    /// The most parts. A longer filter has parts that are longer.
    pub most: usize,
}

impl PartSizes {
    /// The sizes that were measured to be best: THEORY.md, "Filters larger than the caches". A smaller filter may be in
    /// the last cache. A part and its run fit into the second cache, and the ends of all runs do.
    pub const BEST: Self = Self {
        least: 64 << 20,
        part: 256 << 10,
        most: 1024,
    };
}

/// A run of entries for each part of a filter: half as many bytes as the filter.
#[derive(Debug)]
pub(crate) struct Parts<E> {
    /// The runs, with a gap after each. Without it, as many places of all runs would share few sets of the caches.
    entries: Vec<E>,
    /// The number of entries in each run.
    lens: Vec<usize>,
    /// The most entries in a run.
    capacity: usize,
    /// The binary logarithm of the length of a part in bytes.
    shift: u32,
}

impl<E: Copy + Default> Parts<E> {
    /// Makes empty runs for a filter of this many bytes in which at least this many entries are announced. Returns `None`
    /// if it is built faster, or can only be built, without them: for a small filter, for entries that meet less than
    /// twice in a cache line, and if there is no memory.
    pub(crate) fn new(sizes: PartSizes, bytes: usize, announced: usize) -> Option<Self> {
        if bytes < sizes.least.max(1) || announced / 2 < bytes / 64 {
            return None;
        }
        let part = sizes.part.max(bytes.div_ceil(sizes.most).next_power_of_two());
        let (count, capacity) = (bytes.div_ceil(part), part / 2 / size_of::<E>());
        let (mut entries, mut lens) = (Vec::new(), Vec::new());
        let room = count.checked_mul(capacity + Self::GAP)?;
        entries.try_reserve_exact(room).ok()?;
        lens.try_reserve_exact(count).ok()?;
        entries.resize(room, E::default());
        lens.resize(count, 0);
        let shift = part.ilog2();
        Some(Self {
            entries,
            lens,
            capacity,
            shift,
        })
    }

    /// A cache line.
    const GAP: usize = 64 / size_of::<E>();

    /// Returns the number of parts.
    pub(crate) const fn count(&self) -> usize {
        self.lens.len()
    }

    /// Returns the binary logarithm of the length of a part in bytes.
    #[inline]
    pub(crate) const fn shift(&self) -> u32 {
        self.shift
    }

    /// Adds an entry to the run of a part. Returns true if the run is full: then [`take`](Self::take) must follow.
    #[must_use = "the run of the part must be taken if it is full"]
    #[inline(always)]
    pub(crate) fn push(&mut self, part: usize, entry: E) -> bool {
        let start = part * (self.capacity + Self::GAP);
        let Some(len) = self.lens.get_mut(part) else {
            return false;
        };
        // There is room, since full runs are taken.
        if let Some(place) = self.entries.get_mut(start + *len) {
            *place = entry;
        }
        *len += 1;
        *len == self.capacity
    }

    /// Empties the run of a part, and returns its entries. First reads the part of the filter in order, which processors
    /// do much faster than at the places of the entries.
    pub(crate) fn take<W: Copy + From<u8> + BitOr<Output = W>>(&mut self, part: usize, filter: &[W]) -> &[E] {
        let start = part * (self.capacity + Self::GAP);
        let len = self.lens.get_mut(part).map(core::mem::take).unwrap_or_default();
        if len > 0 {
            let width = size_of::<W>();
            let words = filter.get((part << self.shift) / width..).unwrap_or_default();
            let lines = words.iter().take((1 << self.shift) / width).step_by(64 / width);
            black_box(lines.fold(W::from(0), |all, &word| all | word));
        }
        self.entries.get(start..start + len).unwrap_or_default()
    }
}

/// Words of bits, and the positions whose bits are not set yet. Bit 0 is the least significant of the first word.
#[derive(Debug)]
#[must_use = "`finish` sets the last bits"]
pub struct BitsInParts<'a, W> {
    words: &'a mut [W],
    /// Entries are positions within a part.
    parts: Parts<u32>,
    /// The binary logarithm of the number of bits in a part.
    shift: u32,
}

impl<'a, W: Copy + From<u8> + BitOr<Output = W> + Shl<u32, Output = W>> BitsInParts<'a, W> {
    /// Starts to set at least this many bits, if that is faster so: not for a small filter, for bits that meet less
    /// than twice in a cache line, and if there is no memory.
    pub fn new(sizes: PartSizes, words: &'a mut [W], announced: usize) -> Option<Self> {
        let parts = Parts::new(sizes, size_of_val(words), announced)?;
        let shift = parts.shift() + 3;
        (shift <= u32::BITS).then_some(Self { words, parts, shift })
    }

    /// Sets a bit, now or later.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "positions were checked before, and a part has at most 2^32 bits"
    )]
    #[inline(always)]
    pub fn set(&mut self, position: u64) {
        let part = (position >> self.shift) as usize;
        let within = position & (u64::MAX >> (u64::BITS - self.shift));
        if self.parts.push(part, within as u32) {
            self.set_part(part);
        }
    }

    /// Sets all bits that were to be set later.
    pub fn finish(mut self) {
        for part in 0..self.parts.count() {
            self.set_part(part);
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "words have a few bytes")]
    #[inline(never)]
    fn set_part(&mut self, part: usize) {
        let (bits, start) = (8 * size_of::<W>() as u32, part << self.parts.shift());
        let positions = self.parts.take(part, self.words);
        let words = self.words.get_mut(start / size_of::<W>()..).unwrap_or_default();
        for &position in positions {
            // Always present, since positions are below the number of bits.
            if let Some(word) = words.get_mut((position / bits) as usize) {
                *word = *word | W::from(1) << (position % bits);
            }
        }
    }
}

#[cfg(test)]
mod tests;
