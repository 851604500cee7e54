//! The keys of filter policies' benchmarks.

use core::ffi::c_char;
use core::marker::PhantomData;

use hash_comparison::keys::KeySet;
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

fn push_random(keys: &mut KeySet, random: &mut SplitMix64, lengths: KeyLengths) {
    let mut key = [0; 40];
    let len = match lengths {
        KeyLengths::Fixed => 16,
        KeyLengths::Mixed => 4 + (random.next_u64() % 37) as usize,
    };
    random.fill_bytes(&mut key[..len]);
    keys.push(&key[..len]);
}

/// Random keys for filters of `size`, a whole number of filters.
pub(super) fn stored(size: usize, lengths: KeyLengths) -> KeySet {
    let mut random = SplitMix64::seed_from_u64(1);
    let mut keys = KeySet::default();
    for _ in 0..FEWEST_IN_BATCH.max(size) / size * size {
        push_random(&mut keys, &mut random, lengths);
    }
    keys
}

/// Keys to ask the filter of the first `size` stored ones for. Those that are called absent may be stored by chance;
/// nothing depends on it.
pub(super) fn asked(stored: &KeySet, size: usize, lengths: KeyLengths, task: Task) -> KeySet {
    let mut random = SplitMix64::seed_from_u64(2);
    let mut keys = KeySet::default();
    for _ in 0..FEWEST_IN_BATCH {
        let is_present = match task {
            Task::Build | Task::Absent => false,
            Task::Present => true,
            Task::Both => random.next_u64() % 2 == 0,
        };
        if is_present {
            keys.push(stored.get((random.next_u64() % size as u64) as usize));
        } else {
            push_random(&mut keys, &mut random, lengths);
        }
    }
    keys
}

/// The keys as arrays, if all have 16 bytes.
pub(super) fn arrays(keys: &KeySet) -> Option<&[[u8; 16]]> {
    let (arrays, rest) = keys.all_bytes().as_chunks();
    (rest.is_empty() && keys.iter().all(|key| key.len() == 16)).then_some(arrays)
}
