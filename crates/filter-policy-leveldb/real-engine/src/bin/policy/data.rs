//! The keys.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// What all filters have.
pub(crate) const BITS_PER_KEY: u32 = 10;

/// How many keys a batch has at least, so that the clock's own time does not count.
const FEWEST_IN_BATCH: usize = 1 << 16;
/// How many keys a filter is asked for in a batch.
const ASKED: usize = 1 << 16;

/// How long keys are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// 16 bytes each.
    Fixed,
    /// 4 to 40 bytes, all equally often.
    Mixed,
}

impl Shape {
    pub(crate) const ALL: [Self; 2] = [Self::Fixed, Self::Mixed];

    /// In bytes.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Fixed => "16",
            Self::Mixed => "4-40",
        }
    }

    fn len(self, random: &mut SplitMix64) -> usize {
        match self {
            Self::Fixed => 16,
            Self::Mixed => 4 + (random.next_u64() % 37) as usize,
        }
    }
}

/// Keys, one behind the other in memory.
pub(crate) struct Keys {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Keys {
    fn new() -> Self {
        Self {
            bytes: Vec::new(),
            ends: Vec::new(),
        }
    }

    fn push(&mut self, key: &[u8]) {
        self.bytes.extend_from_slice(key);
        self.ends.push(self.bytes.len());
    }

    fn get(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }

    /// As slices.
    pub(crate) fn slices(&self) -> Vec<&[u8]> {
        (0..self.ends.len()).map(|index| self.get(index)).collect()
    }

    /// As arrays, if all have 16 bytes.
    pub(crate) fn arrays(&self) -> Option<&[[u8; 16]]> {
        let (arrays, rest) = self.bytes.as_chunks();
        (rest.is_empty() && self.ends.iter().enumerate().all(|(i, end)| *end == 16 * (i + 1)))
            .then_some(arrays)
    }
}

/// Which keys a filter is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    Absent,
    Present,
    /// Half of them, without order.
    Both,
}

impl Asked {
    pub(crate) const ALL: [Self; 3] = [Self::Absent, Self::Present, Self::Both];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Present => "present",
            Self::Both => "both",
        }
    }
}

/// Random keys for filters of `size`, a whole number of filters.
pub(crate) fn stored(size: usize, shape: Shape) -> Keys {
    let mut random = SplitMix64::seed_from_u64(1);
    let mut keys = Keys::new();
    let mut key = [0; 40];
    for _ in 0..FEWEST_IN_BATCH.max(size) / size * size {
        let len = shape.len(&mut random);
        random.fill_bytes(&mut key[..len]);
        keys.push(&key[..len]);
    }
    keys
}

/// Keys to ask the filter of the first `size` stored keys for. Those that are called absent may be stored by chance;
/// nothing depends on it.
pub(crate) fn asked(stored: &Keys, size: usize, shape: Shape, asked: Asked) -> Keys {
    let mut random = SplitMix64::seed_from_u64(2);
    let mut keys = Keys::new();
    let mut key = [0; 40];
    for _ in 0..ASKED {
        let present = match asked {
            Asked::Absent => false,
            Asked::Present => true,
            Asked::Both => random.next_u64() % 2 == 0,
        };
        if present {
            keys.push(stored.get((random.next_u64() % size as u64) as usize));
        } else {
            let len = shape.len(&mut random);
            random.fill_bytes(&mut key[..len]);
            keys.push(&key[..len]);
        }
    }
    keys
}
