//! The values of all keys, computed once for all measurements.

use std::sync::OnceLock;

use crate::functions::Function;
use crate::keys::{KEYS_UNWATCHED, KeySet};
use crate::record::End;
use terminal::progress::{Cancelled, Progress, go_on};

/// The values of all keys of a set under a function, in the order of the keys, with all their bits.
#[derive(Debug, Clone)]
pub struct Hashed<'a> {
    /// The function.
    pub function: &'a Function,
    values: Vec<u64>,
    /// Counted once, since sorting takes longer than hashing.
    different: OnceLock<Different>,
}

impl<'a> Hashed<'a> {
    /// Hashes every key, unless `progress` requests a stop.
    pub fn new(keys: &KeySet, function: &'a Function, progress: &dyn Progress) -> Result<Self, Cancelled> {
        let mut values = Vec::with_capacity(keys.len());
        for (index, key) in keys.iter().enumerate() {
            if index % KEYS_UNWATCHED == 0 {
                go_on(progress)?;
            }
            values.push((function.hash)(key));
        }
        Ok(Self::of_values(function, values))
    }

    /// Wraps values of `function`, one per key. Bits above the output must be zero.
    pub fn of_values(function: &'a Function, values: Vec<u64>) -> Self {
        Self {
            function,
            values,
            different: OnceLock::new(),
        }
    }

    /// Returns the whole values, one per key.
    pub fn values64(&self) -> &[u64] {
        &self.values
    }

    /// Returns the number of different values of `bits` bits at an end, at most 32, or of all bits.
    pub fn different(&self, end: End, bits: u32) -> u64 {
        let count = || Different::of(&self.values, self.function.output_bits);
        self.different.get_or_init(count).at(end, bits)
    }
}

/// Words are compared up to this many bits.
const WORD: u32 = u32::BITS;

/// Numbers of different values of the bits at either end of many values, for all numbers of bits at once.
///
/// One pass over sorted words counts the different prefixes of every length: two neighbours differ in their first b
/// bits if they have fewer than b leading bits in common. With the bit order reversed, the prefixes are the low bits.
/// Words of 32 bits are enough for every measured window; wider values are only compared in full.
#[derive(Debug, Clone)]
struct Different {
    /// Counts by number of bits, from 0.
    low: [u64; WORD as usize + 1],
    high: [u64; WORD as usize + 1],
    full: u64,
}

impl Different {
    /// Counts the values, which have `bits` bits, 1 to 64.
    fn of(values: &[u64], bits: u32) -> Self {
        let mut words = Words::default();
        let (low, _) = words.prefixes(values.iter().map(|&value| (value as u32).reverse_bits()));
        let (high, repeated) = words.prefixes(values.iter().map(|&value| leading(value, bits)));
        let full = if bits <= WORD {
            high[bits as usize]
        } else {
            // Only values whose leading half is repeated can be equal. A good function has few, and sorting these is
            // cheaper than sorting all 64-bit values.
            let is_repeated = |value: &u64| repeated.binary_search(&leading(*value, bits)).is_ok();
            let mut suspects: Vec<u64> = values.iter().copied().filter(is_repeated).collect();
            suspects.sort_unstable();
            let again = suspects.windows(2).filter(|pair| pair[0] == pair[1]).count();
            (values.len() - again) as u64
        };
        Self { low, high, full }
    }

    /// Returns the number of different values of `bits` bits at an end, at most 32, or of all bits.
    fn at(&self, end: End, bits: u32) -> u64 {
        match end {
            End::Low => self.low[bits as usize],
            End::High => self.high[bits as usize],
            End::Full => self.full,
        }
    }
}

/// Words to be sorted, and room for as many.
#[derive(Debug, Default)]
struct Words {
    words: Vec<u32>,
    room: Vec<u32>,
}

impl Words {
    /// Counts the different prefixes of the words by their number of bits, and lists the words that occur more than once,
    /// each once and in order.
    fn prefixes(&mut self, words: impl Iterator<Item = u32>) -> ([u64; WORD as usize + 1], Vec<u32>) {
        self.words.clear();
        self.words.extend(words);
        self.sort();
        let mut repeated = Vec::new();
        // Counts neighbours by their number of common leading bits, which is all bits for a repeated word.
        let mut in_common = [0_u64; WORD as usize + 1];
        for pair in self.words.windows(2) {
            in_common[(pair[0] ^ pair[1]).leading_zeros() as usize] += 1;
            if pair[0] == pair[1] && repeated.last() != Some(&pair[0]) {
                repeated.push(pair[0]);
            }
        }
        let mut different = [u64::from(!self.words.is_empty()); WORD as usize + 1];
        for bits in 1..different.len() {
            different[bits] = different[bits - 1] + in_common[bits - 1];
        }
        (different, repeated)
    }

    /// Sorts many words by one byte after the other, the lowest first, which takes a third of the time of comparisons.
    fn sort(&mut self) {
        const FEW: usize = 1 << 12;
        if self.words.len() < FEW {
            return self.words.sort_unstable();
        }
        self.room.resize(self.words.len(), 0);
        for byte in 0..4 {
            let of = |word: u32| usize::from(word.to_le_bytes()[byte]);
            let mut places = [0_usize; 256];
            self.words.iter().for_each(|&word| places[of(word)] += 1);
            let mut before = 0;
            for place in &mut places {
                before += std::mem::replace(place, before);
            }
            for &word in &self.words {
                let place = &mut places[of(word)];
                self.room[*place] = word;
                *place += 1;
            }
            std::mem::swap(&mut self.words, &mut self.room);
        }
    }
}

/// Returns the first 32 of the `bits` bits of `value`, padded with zeros if there are fewer.
fn leading(value: u64, bits: u32) -> u32 {
    (value << (u64::BITS - bits) >> WORD) as u32
}
