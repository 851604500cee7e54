//! The keys of a batch, and the loops that are timed.

use core::ops::Range;
use std::hint::black_box;

use crate::keys::{KeySet, shuffled};
use crate::record::CallForm as Form;

/// The most keys in a batch; a larger set is sampled.
const MAX_KEYS: usize = 1_000_000;
/// The most bytes in a batch, unless the first key drawn is longer.
const MAX_BYTES: usize = 32_000_000;
/// The calls after which a reading ends. The cheapest call takes about a nanosecond, so a reading takes at least 40 µs.
const ENOUGH_CALLS: usize = 40_000;
/// The bytes after which a reading of long keys ends. The fastest functions read about 50 bytes per nanosecond, so a
/// reading takes at least 80 µs. Without this bound a reading of keys of megabytes would last minutes.
const ENOUGH_BYTES: usize = 4_000_000;
/// The greatest relative difference of a part's bytes from the mean: beyond that, a long key would make readings
/// unequal.
const PARTS_DIFFER: f64 = 0.05;

/// The empty function: takes a key, reads none of its bytes.
#[inline(never)]
pub(crate) fn empty(key: &[u8]) -> u64 {
    key.len() as u64
}

/// Keys as the timed loops read them.
pub(crate) struct Batch {
    bytes: Vec<u8>,
    /// The end of each key, which is the start of the next key.
    ends: Vec<u32>,
    /// Passes over the keys in one reading.
    repetitions: usize,
    /// Number of parts; a reading covers one part.
    parts: usize,
}

impl Batch {
    /// Takes all of `keys`, or as many as a batch may hold, in an order drawn from `seed`.
    pub(crate) fn new(keys: &KeySet, seed: u64) -> Self {
        let mut order = shuffled(keys.len() as u32, seed);
        order.truncate(MAX_KEYS);
        let mut bytes = Vec::with_capacity(keys.total_bytes().min(MAX_BYTES));
        let mut ends = Vec::with_capacity(order.len());
        for index in order {
            let key = keys.get(index as usize);
            if !ends.is_empty() && bytes.len() + key.len() > MAX_BYTES {
                break;
            }
            bytes.extend_from_slice(key);
            ends.push(bytes.len() as u32);
        }
        let for_calls = ENOUGH_CALLS.div_ceil(ends.len().max(1));
        let for_bytes = ENOUGH_BYTES.div_ceil(bytes.len().max(1));
        let repetitions = for_calls.min(for_bytes);
        Self {
            bytes,
            ends,
            repetitions,
            parts: 1,
        }
    }

    /// Takes the caller's keys in this order, with `repetitions` passes in a reading.
    pub(crate) fn of<'k>(keys: impl IntoIterator<Item = &'k [u8]>, repetitions: usize) -> Self {
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        for key in keys {
            bytes.extend_from_slice(key);
            ends.push(bytes.len() as u32);
        }
        Self {
            bytes,
            ends,
            repetitions,
            parts: 1,
        }
    }

    /// Splits the keys into parts, one for each reading: at most `most` parts of equal numbers of keys, with enough
    /// calls for a reading, or a single part if their bytes would differ too much.
    pub(crate) fn in_parts(mut self, most: usize) -> Self {
        self.parts = (self.ends.len() / ENOUGH_CALLS).clamp(1, most.max(1));
        let mean = self.bytes.len() as f64 / self.parts as f64;
        let alike = (0..self.parts).all(|part| {
            let keys = self.part(part);
            let bytes = self.start(keys.end) - self.start(keys.start);
            (bytes as f64 - mean).abs() <= PARTS_DIFFER * mean
        });
        if !alike {
            self.parts = 1;
        }
        self
    }

    pub(crate) fn parts(&self) -> usize {
        self.parts
    }

    /// Returns the indices of the keys of a part.
    fn part(&self, part: usize) -> Range<usize> {
        let until = |part| self.ends.len() * part / self.parts;
        until(part)..until(part + 1)
    }

    /// Returns the start of the key at `index`, or the end of the last key.
    fn start(&self, index: usize) -> usize {
        index
            .checked_sub(1)
            .map_or(0, |before| self.ends[before] as usize)
    }

    /// Returns the calls of the longest reading; parts may differ by a key.
    pub(crate) fn calls(&self) -> usize {
        self.ends.len().div_ceil(self.parts) * self.repetitions
    }

    /// Returns the bytes that a reading goes through.
    pub(crate) fn bytes_read(&self) -> usize {
        self.bytes.len().div_ceil(self.parts) * self.repetitions
    }

    /// Returns the calls of a reading of this part.
    pub(crate) fn calls_of(&self, part: usize) -> usize {
        self.part(part).len() * self.repetitions
    }

    /// Returns the sum that a reading of this part must give, computed without the timed loops.
    pub(crate) fn checksum(&self, part: usize, hash: fn(&[u8]) -> u64) -> u64 {
        let keys = self.part(part);
        let mut start = self.start(keys.start);
        let once = self.ends[keys].iter().fold(0_u64, |sum, &end| {
            let key = &self.bytes[start..end as usize];
            start = end as usize;
            sum.wrapping_add(hash(key))
        });
        once.wrapping_mul(self.repetitions as u64)
    }

    /// Hashes all keys of a part; no call needs the result of another.
    #[inline(never)]
    fn independent(&self, part: usize, hash: fn(&[u8]) -> u64) -> u64 {
        let hash = black_box(hash);
        let keys = self.part(part);
        let first = self.start(keys.start);
        let ends = &self.ends[keys];
        let mut sum = 0_u64;
        for _ in 0..self.repetitions {
            let mut start = first;
            for &end in ends {
                let end = end as usize;
                sum = sum.wrapping_add(hash(black_box(&self.bytes[start..end])));
                start = end;
            }
        }
        black_box(sum)
    }

    /// Hashes all keys of a part; the address of each key depends on the previous hash.
    #[inline(never)]
    fn chained(&self, part: usize, hash: fn(&[u8]) -> u64) -> u64 {
        let hash = black_box(hash);
        let keys = self.part(part);
        let first = self.start(keys.start);
        let ends = &self.ends[keys];
        // The mask is zero, so the offset is too, but the compiler cannot know that.
        let mask = black_box(0_u64);
        let mut offset = 0;
        let mut sum = 0_u64;
        for _ in 0..self.repetitions {
            let mut start = first;
            for &end in ends {
                let end = end as usize;
                let value = hash(black_box(&self.bytes[start + offset..end + offset]));
                offset = (value & mask) as usize;
                sum = sum.wrapping_add(value);
                start = end;
            }
        }
        black_box(sum)
    }

    /// Hashes all keys of a part, and returns the sum of the values.
    pub(crate) fn run(&self, part: usize, form: Form, hash: fn(&[u8]) -> u64) -> u64 {
        match form {
            Form::Independent => self.independent(part, hash),
            Form::Chained => self.chained(part, hash),
        }
    }

    /// Returns the number of keys in the batch.
    pub(crate) fn keys(&self) -> usize {
        self.ends.len()
    }

    /// Returns the number of bytes of these keys.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }
}
