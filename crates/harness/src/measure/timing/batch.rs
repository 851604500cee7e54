//! The keys of a batch, and the loops that are timed.

use std::hint::black_box;

use rand::seq::SliceRandom as _;
use rand_xoshiro::SplitMix64;

use crate::keys::KeySet;

/// Most keys in a batch; of a larger set a sample is timed.
const MAX_KEYS: usize = 1_000_000;
/// Most bytes in a batch, unless the first key drawn is longer.
const MAX_BYTES: usize = 32_000_000;
/// Fewest calls in one reading. The cheapest takes about a nanosecond, so a reading lasts 50 µs or more.
const MIN_CALLS: usize = 50_000;

/// The floor: takes a key, touches none of its bytes.
#[inline(never)]
pub(super) fn empty(key: &[u8]) -> u64 {
    key.len() as u64
}

/// Whether a call waits for the result of the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Independent,
    Chained,
}

/// Keys as the timed loops read them.
pub(super) struct Batch {
    bytes: Vec<u8>,
    /// Where each key ends; it begins where the one before ends.
    ends: Vec<u32>,
    /// How often one reading goes through the keys.
    repetitions: usize,
}

impl Batch {
    /// All of `keys`, or as many as a batch may hold, in an order drawn from `generator`.
    pub(super) fn new(keys: &KeySet, generator: &mut SplitMix64) -> Self {
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        let (order, _) = order.partial_shuffle(generator, MAX_KEYS);
        let mut bytes = Vec::with_capacity(keys.total_bytes().min(MAX_BYTES));
        let mut ends = Vec::with_capacity(order.len());
        for &index in order.iter() {
            let key = keys.get(index as usize);
            if !ends.is_empty() && bytes.len() + key.len() > MAX_BYTES {
                break;
            }
            bytes.extend_from_slice(key);
            ends.push(bytes.len() as u32);
        }
        let repetitions = MIN_CALLS.div_ceil(ends.len().max(1));
        Self {
            bytes,
            ends,
            repetitions,
        }
    }

    pub(super) fn calls(&self) -> usize {
        self.ends.len() * self.repetitions
    }

    pub(super) fn bytes_read(&self) -> usize {
        self.bytes.len() * self.repetitions
    }

    /// The sum that a reading must give, without the timed loops.
    pub(super) fn checksum(&self, hash: fn(&[u8]) -> u64) -> u64 {
        let mut start = 0;
        let once = self.ends.iter().fold(0_u64, |sum, &end| {
            let key = &self.bytes[start..end as usize];
            start = end as usize;
            sum.wrapping_add(hash(key))
        });
        once.wrapping_mul(self.repetitions as u64)
    }

    /// Hashes all keys; no call needs the result of another.
    #[inline(never)]
    fn independent(&self, hash: fn(&[u8]) -> u64) -> u64 {
        let hash = black_box(hash);
        let mut sum = 0_u64;
        for _ in 0..self.repetitions {
            let mut start = 0;
            for &end in &self.ends {
                let end = end as usize;
                sum = sum.wrapping_add(hash(black_box(&self.bytes[start..end])));
                start = end;
            }
        }
        black_box(sum)
    }

    /// Hashes all keys; the address of each depends on the hash before.
    #[inline(never)]
    fn chained(&self, hash: fn(&[u8]) -> u64) -> u64 {
        let hash = black_box(hash);
        // Nothing of the hash remains in the offset, but the compiler cannot know that.
        let mask = black_box(0_u64);
        let mut offset = 0;
        let mut sum = 0_u64;
        for _ in 0..self.repetitions {
            let mut start = 0;
            for &end in &self.ends {
                let end = end as usize;
                let value = hash(black_box(&self.bytes[start + offset..end + offset]));
                offset = (value & mask) as usize;
                sum = sum.wrapping_add(value);
                start = end;
            }
        }
        black_box(sum)
    }

    pub(super) fn run(&self, form: Form, hash: fn(&[u8]) -> u64) -> u64 {
        match form {
            Form::Independent => self.independent(hash),
            Form::Chained => self.chained(hash),
        }
    }

    /// Keys in the batch.
    pub(super) fn keys(&self) -> usize {
        self.ends.len()
    }

    /// Bytes of these keys.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.len()
    }
}
