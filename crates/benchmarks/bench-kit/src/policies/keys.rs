//! The keys of the policy benchmarks.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::Batched;

/// The lengths of the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyLengths {
    /// 16 bytes each.
    Fixed,
    /// 4 to 40 bytes, all lengths equally often.
    Mixed,
    /// 17 to 50 bytes, all lengths equally often: letters after a common prefix, each key in its own allocation.
    Urls,
}

impl KeyLengths {
    /// Returns the name in the records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fixed => "16",
            Self::Mixed => "4-40",
            Self::Urls => "17-50",
        }
    }
}

/// The least number of keys in a batch, so that reading the clock does not count.
const FEWEST_IN_BATCH: usize = 1 << 16;

/// Many keys, one after the other.
#[derive(Default)]
pub struct Keys {
    bytes: Vec<u8>,
    /// The end of each key, which is the start of the next.
    ends: Vec<usize>,
}

impl Keys {
    /// Adds a key.
    pub fn push(&mut self, key: &[u8]) {
        self.bytes.extend_from_slice(key);
        self.ends.push(self.bytes.len());
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns a key by its number.
    pub fn get(&self, index: usize) -> &[u8] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[index]]
    }

    /// Returns the keys in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|index| self.get(index))
    }
}

fn push_random(keys: &mut Keys, random: &mut SplitMix64, lengths: KeyLengths) {
    let mut key = [0; 50];
    let len = match lengths {
        KeyLengths::Fixed => 16,
        KeyLengths::Mixed => 4 + (random.next_u64() % 37) as usize,
        KeyLengths::Urls => 17 + (random.next_u64() % 34) as usize,
    };
    random.fill_bytes(&mut key[..len]);
    if lengths == KeyLengths::Urls {
        const START: &[u8] = b"https://";
        const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz01234/";
        key[..START.len()].copy_from_slice(START);
        for byte in &mut key[START.len()..len] {
            *byte = LETTERS[usize::from(*byte % 32)];
        }
    }
    keys.push(&key[..len]);
}

/// Generates random keys.
pub fn random(count: usize, seed: u64, lengths: KeyLengths) -> Keys {
    let mut random = SplitMix64::seed_from_u64(seed);
    let mut keys = Keys::default();
    for _ in 0..count {
        push_random(&mut keys, &mut random, lengths);
    }
    keys
}

/// Generates random keys for a whole number of filters of `size` keys.
pub fn stored(size: usize, lengths: KeyLengths) -> Keys {
    random(FEWEST_IN_BATCH.max(size) / size * size, 1, lengths)
}

/// Generates queries for the filter of the first `size` stored keys. Absent keys may be stored by chance; nothing
/// depends on that.
pub fn asked(stored: &Keys, size: usize, lengths: KeyLengths, task: &str) -> Keys {
    let mut random = SplitMix64::seed_from_u64(2);
    let mut keys = Keys::default();
    for _ in 0..FEWEST_IN_BATCH {
        if task == "present" {
            keys.push(stored.get((random.next_u64() % size as u64) as usize));
        } else {
            push_random(&mut keys, &mut random, lengths);
        }
    }
    keys
}

/// The keys of a task: one after the other, or each URL in its own allocation, in random order, as an application would
/// have them.
pub struct TaskKeys {
    /// The keys in order.
    pub keys: Keys,
    copies: Vec<Box<[u8]>>,
}

impl TaskKeys {
    /// Copies URLs.
    pub fn new(keys: Keys, lengths: KeyLengths) -> Self {
        let mut copies = Vec::new();
        if lengths == KeyLengths::Urls {
            let mut random = SplitMix64::seed_from_u64(3);
            let mut order: Vec<usize> = (0..keys.len()).collect();
            for left in (1..order.len()).rev() {
                order.swap(left, (random.next_u64() % (left as u64 + 1)) as usize);
            }
            copies.resize(order.len(), Box::default());
            for index in order {
                copies[index] = keys.get(index).into();
            }
        }
        Self { keys, copies }
    }

    /// Returns the keys as slices.
    pub fn slices(&self) -> Vec<&[u8]> {
        if self.copies.is_empty() {
            self.keys.iter().collect()
        } else {
            self.copies.iter().map(AsRef::as_ref).collect()
        }
    }

    /// Adds arrays to the slices, if all keys have 16 bytes.
    pub fn batched<'a>(&'a self, slices: &'a [&'a [u8]]) -> Batched<'a> {
        let (arrays, rest) = self.keys.bytes.as_chunks();
        let is_fixed = rest.is_empty() && slices.iter().all(|key| key.len() == 16);
        Batched {
            slices,
            arrays: is_fixed.then_some(arrays),
        }
    }
}
