//! The keys of a batch, and the loops that are timed.

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
pub struct Batch {
    bytes: Vec<u8>,
    /// Start and end of each key, in the order of the calls.
    spans: Vec<(u32, u32)>,
    /// Passes over the keys in one reading.
    repetitions: usize,
    /// Number of parts; a reading covers one part.
    parts: usize,
}

/// Returns the keys in an order drawn from `seed`: at most this many, with at most this many bytes unless the first is
/// longer.
pub(crate) fn sample(
    keys: &KeySet,
    seed: u64,
    most_keys: usize,
    most_bytes: usize,
) -> impl Iterator<Item = &[u8]> {
    let mut order = shuffled(keys.len() as u32, seed);
    order.truncate(most_keys);
    let keys = order.into_iter().map(|index| keys.get(index as usize));
    keys.enumerate().scan(0, move |bytes, (i, key)| {
        *bytes += key.len();
        (i == 0 || *bytes <= most_bytes).then_some(key)
    })
}

impl Batch {
    /// Takes all of `keys`, or as many as a batch may hold, in an order drawn from `seed`.
    pub fn new(keys: &KeySet, seed: u64) -> Self {
        let batch = Self::of(sample(keys, seed, MAX_KEYS, MAX_BYTES), 1);
        let for_calls = ENOUGH_CALLS.div_ceil(batch.keys().max(1));
        let for_bytes = ENOUGH_BYTES.div_ceil(batch.bytes().max(1));
        Self {
            repetitions: for_calls.min(for_bytes),
            ..batch
        }
    }

    /// Takes the caller's keys in this order, back to back, with `repetitions` passes in a reading.
    pub(crate) fn of<'k>(keys: impl IntoIterator<Item = &'k [u8]>, repetitions: usize) -> Self {
        let (mut bytes, mut spans) = (Vec::new(), Vec::new());
        for key in keys {
            let start = bytes.len() as u32;
            bytes.extend_from_slice(key);
            spans.push((start, bytes.len() as u32));
        }
        Self {
            repetitions,
            ..Self::placed(bytes, spans, 1)
        }
    }

    /// Takes the keys at these places of `bytes` in this order, and splits them into `parts` parts of equal numbers of
    /// keys.
    pub(crate) fn placed(bytes: Vec<u8>, spans: Vec<(u32, u32)>, parts: usize) -> Self {
        Self {
            bytes,
            spans,
            repetitions: 1,
            parts,
        }
    }

    /// Splits the keys into parts, one for each reading: at most `most` parts of equal numbers of keys, with enough
    /// calls for a reading, or a single part if their bytes would differ too much.
    pub fn in_parts(mut self, most: usize) -> Self {
        self.parts = (self.spans.len() / ENOUGH_CALLS).clamp(1, most.max(1));
        let mean = self.bytes.len() as f64 / self.parts as f64;
        let alike = (0..self.parts).all(|part| {
            let lengths = self.part(part).iter().map(|(start, end)| end - start);
            (f64::from(lengths.sum::<u32>()) - mean).abs() <= PARTS_DIFFER * mean
        });
        if !alike {
            self.parts = 1;
        }
        self
    }

    /// Returns the number of parts, of which a reading covers one.
    pub fn parts(&self) -> usize {
        self.parts
    }

    /// Returns the places of the keys of a part.
    fn part(&self, part: usize) -> &[(u32, u32)] {
        let until = |part| self.spans.len() * part / self.parts;
        &self.spans[until(part)..until(part + 1)]
    }

    /// Returns the calls of the longest reading; parts may differ by a key.
    pub fn calls(&self) -> usize {
        self.spans.len().div_ceil(self.parts) * self.repetitions
    }

    /// Returns the bytes that a reading goes through.
    pub fn bytes_read(&self) -> usize {
        self.bytes.len().div_ceil(self.parts) * self.repetitions
    }

    /// Returns the calls of a reading of this part.
    pub fn calls_of(&self, part: usize) -> usize {
        self.part(part).len() * self.repetitions
    }

    /// Returns the sum that a reading of this part must give, computed without the timed loops.
    pub fn checksum(&self, part: usize, hash: fn(&[u8]) -> u64) -> u64 {
        let once = self.part(part).iter().fold(0_u64, |sum, &(start, end)| {
            sum.wrapping_add(hash(&self.bytes[start as usize..end as usize]))
        });
        once.wrapping_mul(self.repetitions as u64)
    }

    /// Hashes all keys of a part, and returns the sum of the values. In chained calls, the address of each key depends
    /// on the previous hash.
    #[inline(never)]
    pub fn run(&self, part: usize, form: Form, hash: fn(&[u8]) -> u64) -> u64 {
        let hash = black_box(hash);
        // The mask is zero, so the offset is too, but the compiler cannot know that.
        let mask = black_box(0_u64);
        let (mut offset, mut sum) = (0, 0_u64);
        let spans = self.part(part);
        for _ in 0..self.repetitions {
            match form {
                Form::Independent => {
                    for &(start, end) in spans {
                        let key = &self.bytes[start as usize..end as usize];
                        sum = sum.wrapping_add(hash(black_box(key)));
                    }
                }
                Form::Chained => {
                    for &(start, end) in spans {
                        let key = &self.bytes[start as usize + offset..end as usize + offset];
                        let value = hash(black_box(key));
                        offset = (value & mask) as usize;
                        sum = sum.wrapping_add(value);
                    }
                }
            }
        }
        black_box(sum)
    }

    /// Returns the number of keys in the batch.
    pub fn keys(&self) -> usize {
        self.spans.len()
    }

    /// Returns the size of the buffer that holds the keys: their number of bytes, if they are back to back.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }
}
