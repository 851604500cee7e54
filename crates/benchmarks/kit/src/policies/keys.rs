//! The keys of filter policies' benchmarks.

use core::ffi::c_char;
use core::marker::PhantomData;

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::suites::policy::{KeyLengths, Task};

/// How many keys a batch has at least, so that the clock's own time does not count.
pub const FEWEST_IN_BATCH: usize = 1 << 16;

/// A key as `leveldb::Slice` and `rocksdb::Slice` have it, so that a loop over many can be timed in C++.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct EngineSlice<'a> {
    data: *const c_char,
    size: usize,
    key: PhantomData<&'a [u8]>,
}

impl<'a> From<&'a [u8]> for EngineSlice<'a> {
    fn from(key: &'a [u8]) -> Self {
        Self {
            data: key.as_ptr().cast(),
            size: key.len(),
            key: PhantomData,
        }
    }
}

impl<'a> EngineSlice<'a> {
    /// The slices of these keys.
    pub fn of<K: AsRef<[u8]>>(keys: &'a [K]) -> Vec<Self> {
        keys.iter().map(|key| key.as_ref().into()).collect()
    }
}

/// Keys, one behind the other in memory.
#[derive(Debug, Default)]
pub struct Keys {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Keys {
    fn push(&mut self, key: &[u8]) {
        self.bytes.extend_from_slice(key);
        self.ends.push(self.bytes.len());
    }

    fn push_random(&mut self, random: &mut SplitMix64, lengths: KeyLengths) {
        let mut key = [0; 40];
        let len = match lengths {
            KeyLengths::Fixed => 16,
            KeyLengths::Mixed => 4 + (random.next_u64() % 37) as usize,
        };
        random.fill_bytes(&mut key[..len]);
        self.push(&key[..len]);
    }

    fn get(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }

    /// As slices.
    pub fn slices(&self) -> Vec<&[u8]> {
        (0..self.ends.len()).map(|index| self.get(index)).collect()
    }

    /// As arrays, if all have 16 bytes.
    pub fn arrays(&self) -> Option<&[[u8; 16]]> {
        let (arrays, rest) = self.bytes.as_chunks();
        (rest.is_empty() && self.ends.iter().enumerate().all(|(i, end)| *end == 16 * (i + 1)))
            .then_some(arrays)
    }

    /// Random keys for filters of `size`, a whole number of filters.
    pub fn stored(size: usize, lengths: KeyLengths) -> Self {
        let mut random = SplitMix64::seed_from_u64(1);
        let mut keys = Self::default();
        for _ in 0..FEWEST_IN_BATCH.max(size) / size * size {
            keys.push_random(&mut random, lengths);
        }
        keys
    }

    /// Keys to ask the filter of the first `size` of these for. Those that are called absent may be stored by chance;
    /// nothing depends on it.
    pub fn asked(&self, size: usize, lengths: KeyLengths, task: Task) -> Self {
        let mut random = SplitMix64::seed_from_u64(2);
        let mut keys = Self::default();
        for _ in 0..FEWEST_IN_BATCH {
            let is_present = match task {
                Task::Build | Task::Absent => false,
                Task::Present => true,
                Task::Both => random.next_u64() % 2 == 0,
            };
            if is_present {
                keys.push(self.get((random.next_u64() % size as u64) as usize));
            } else {
                keys.push_random(&mut random, lengths);
            }
        }
        keys
    }
}
