//! Random numbers, and keys made of them.

pub mod ordered;

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Returns the random numbers of a seed, in each of which a bit is 1 with probability one half.
pub fn numbers(seed: u64) -> impl Iterator<Item = u64> + Clone {
    let mut random = SplitMix64::seed_from_u64(seed);
    std::iter::repeat_with(move || random.next_u64())
}

/// Returns a number as 16 hexadecimal digits, the lowest first.
pub fn hexadecimal(number: u64) -> [u8; 16] {
    std::array::from_fn(|i| b"0123456789abcdef"[(number >> (4 * i)) as usize & 15])
}

/// The lengths of the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyLengths {
    /// 16 bytes each.
    Fixed,
    /// 4 to 40 bytes, all lengths equally often.
    Mixed,
    /// 17 to 50 bytes, all lengths equally often: letters after a common prefix.
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

/// Keys as slices, and as packed arrays if all have 16 bytes.
#[derive(Debug, Clone, Copy)]
pub struct Batched<'a> {
    /// The keys as slices.
    pub slices: &'a [&'a [u8]],
    /// The keys as packed arrays, if all have 16 bytes.
    pub arrays: Option<&'a [[u8; 16]]>,
}

/// Many keys, one after the other; and URLs each in its own allocation, in random order, as an application would have them.
#[derive(Default)]
pub struct Keys {
    bytes: Vec<u8>,
    /// The end of each key, which is the start of the next.
    ends: Vec<usize>,
    urls: Vec<Box<[u8]>>,
}

impl Keys {
    /// Adds a key.
    pub fn push(&mut self, key: &[u8]) {
        self.bytes.extend_from_slice(key);
        self.ends.push(self.bytes.len());
    }

    /// Returns a key by its number.
    fn get(&self, index: usize) -> &[u8] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[index]]
    }

    /// Returns the keys as slices.
    pub fn slices(&self) -> Vec<&[u8]> {
        if self.urls.is_empty() {
            (0..self.ends.len()).map(|index| self.get(index)).collect()
        } else {
            self.urls.iter().map(AsRef::as_ref).collect()
        }
    }

    /// Adds arrays to the slices, if all keys have 16 bytes.
    pub fn batched<'a>(&'a self, slices: &'a [&'a [u8]]) -> Batched<'a> {
        let (arrays, rest) = self.bytes.as_chunks();
        let is_fixed = rest.is_empty() && slices.iter().all(|key| key.len() == 16);
        let arrays = is_fixed.then_some(arrays);
        Batched { slices, arrays }
    }

    fn push_random(&mut self, random: &mut SplitMix64, lengths: KeyLengths) {
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
            key = key.map(|byte| LETTERS[usize::from(byte % 32)]);
            key[..START.len()].copy_from_slice(START);
        }
        self.push(&key[..len]);
    }

    /// Copies URLs.
    fn finished(mut self, lengths: KeyLengths) -> Self {
        if lengths == KeyLengths::Urls {
            let mut order: Vec<usize> = (0..self.ends.len()).collect();
            for (left, number) in (1..order.len()).rev().zip(numbers(3)) {
                order.swap(left, (number % (left as u64 + 1)) as usize);
            }
            self.urls.resize(order.len(), Box::default());
            for index in order {
                self.urls[index] = self.get(index).into();
            }
        }
        self
    }
}

/// Generates random keys.
pub fn random(count: usize, seed: u64, lengths: KeyLengths) -> Keys {
    let mut random = SplitMix64::seed_from_u64(seed);
    let mut keys = Keys::default();
    for _ in 0..count {
        keys.push_random(&mut random, lengths);
    }
    keys.finished(lengths)
}

/// Generates random keys for a whole number of filters of `size` keys.
pub fn stored(size: usize, lengths: KeyLengths) -> Keys {
    random(FEWEST_IN_BATCH.max(size) / size * size, 1, lengths)
}

/// Generates queries for the filter of the first `size` stored keys. Absent keys may be stored by chance; nothing
/// depends on that.
pub fn queries(stored: &Keys, size: usize, lengths: KeyLengths, task: &str) -> Keys {
    if task == "absent" {
        return random(FEWEST_IN_BATCH, 2, lengths);
    }
    let mut keys = Keys::default();
    for number in numbers(2).take(FEWEST_IN_BATCH) {
        keys.push(stored.get((number % size as u64) as usize));
    }
    keys.finished(lengths)
}
