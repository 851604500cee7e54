//! The keys of a batch, and the loops that are timed.

use core::ops::Range;
use std::hint::black_box;

use crate::keys::KeySet;
use crate::keys::shuffled;
use crate::record::CallForm as Form;

/// Most keys in a batch; of a larger set a sample is timed.
const MAX_KEYS: usize = 1_000_000;
/// Most bytes in a batch, unless the first key drawn is longer.
const MAX_BYTES: usize = 32_000_000;
/// One reading goes through the keys until it has made this many calls. The cheapest takes about a nanosecond, so that
/// is 40 µs or more.
const ENOUGH_CALLS: usize = 40_000;
/// Of long keys these bytes are enough, however few the calls: the fastest functions read about 50 bytes a nanosecond,
/// so that is 80 µs or more. Without this bound a reading of keys of megabytes would last minutes.
const ENOUGH_BYTES: usize = 4_000_000;
/// How much the bytes of a part may differ from those of the others, as a share: beyond that, a long key would make one
/// reading another than the next.
const PARTS_DIFFER: f64 = 0.05;

/// The floor: takes a key, touches none of its bytes.
#[inline(never)]
pub(in crate::measure) fn empty(key: &[u8]) -> u64 {
    key.len() as u64
}

/// Keys as the timed loops read them.
pub(in crate::measure) struct Batch {
    bytes: Vec<u8>,
    /// Where each key ends; it begins where the one before ends.
    ends: Vec<u32>,
    /// How often one reading goes through the keys.
    repetitions: usize,
    /// Parts that the keys are read in, one a reading.
    parts: usize,
}

impl Batch {
    /// All of `keys`, or as many as a batch may hold, in an order drawn from `seed`.
    pub(in crate::measure) fn new(keys: &KeySet, seed: u64) -> Self {
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

    /// Keys of the caller's choice in this order, gone through `repetitions` times.
    pub(in crate::measure) fn of<'k>(keys: impl IntoIterator<Item = &'k [u8]>, repetitions: usize) -> Self {
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

    /// The same keys, of which a reading goes through one part: as many parts as can be of equal length, of enough calls
    /// for a reading, and alike, but at most `most`.
    pub(in crate::measure) fn in_parts(mut self, most: usize) -> Self {
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

    pub(in crate::measure) fn parts(&self) -> usize {
        self.parts
    }

    /// The indices of the keys of a part.
    fn part(&self, part: usize) -> Range<usize> {
        let until = |part| self.ends.len() * part / self.parts;
        until(part)..until(part + 1)
    }

    /// Where the key of this index begins, or the last one ends.
    fn start(&self, index: usize) -> usize {
        index
            .checked_sub(1)
            .map_or(0, |before| self.ends[before] as usize)
    }

    /// Calls of a reading, the longest where parts differ by a key.
    pub(in crate::measure) fn calls(&self) -> usize {
        self.ends.len().div_ceil(self.parts) * self.repetitions
    }

    /// Bytes that a reading goes through.
    pub(in crate::measure) fn bytes_read(&self) -> usize {
        self.bytes.len().div_ceil(self.parts) * self.repetitions
    }

    /// Calls of a reading of this part.
    pub(in crate::measure) fn calls_of(&self, part: usize) -> usize {
        self.part(part).len() * self.repetitions
    }

    /// The sum that a reading of this part must give, without the timed loops.
    pub(in crate::measure) fn checksum(&self, part: usize, hash: fn(&[u8]) -> u64) -> u64 {
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

    /// Hashes all keys of a part; the address of each depends on the hash before.
    #[inline(never)]
    fn chained(&self, part: usize, hash: fn(&[u8]) -> u64) -> u64 {
        let hash = black_box(hash);
        let keys = self.part(part);
        let first = self.start(keys.start);
        let ends = &self.ends[keys];
        // Nothing of the hash remains in the offset, but the compiler cannot know that.
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

    /// Hashes all keys of a part, and gives the sum of the values.
    pub(in crate::measure) fn run(&self, part: usize, form: Form, hash: fn(&[u8]) -> u64) -> u64 {
        match form {
            Form::Independent => self.independent(part, hash),
            Form::Chained => self.chained(part, hash),
        }
    }

    /// Keys in the batch.
    pub(in crate::measure) fn keys(&self) -> usize {
        self.ends.len()
    }

    /// Bytes of these keys.
    pub(in crate::measure) fn bytes(&self) -> usize {
        self.bytes.len()
    }
}
