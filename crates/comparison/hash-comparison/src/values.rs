//! The values of all keys, computed once for all measurements.

use std::sync::OnceLock;

use crate::functions::Function;
use crate::keys::KeySet;
use crate::record::End;

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
    /// Hashes every key.
    pub fn new(keys: &KeySet, function: &'a Function) -> Self {
        Self::of_values(function, keys.iter().map(function.hash).collect())
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
        let (low, _) = prefixes(values.iter().map(|&value| (value as u32).reverse_bits()));
        let (high, repeated) = prefixes(values.iter().map(|&value| leading(value, bits)));
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

/// Counts the different prefixes of the words by their number of bits, and lists the words that occur more than once, each
/// once and in order.
fn prefixes(words: impl Iterator<Item = u32>) -> ([u64; WORD as usize + 1], Vec<u32>) {
    let mut sorted: Vec<u32> = words.collect();
    sorted.sort_unstable();
    let mut repeated = Vec::new();
    // Counts neighbours by their number of common leading bits, which is all bits for a repeated word.
    let mut in_common = [0_u64; WORD as usize + 1];
    for pair in sorted.windows(2) {
        in_common[(pair[0] ^ pair[1]).leading_zeros() as usize] += 1;
        if pair[0] == pair[1] && repeated.last() != Some(&pair[0]) {
            repeated.push(pair[0]);
        }
    }
    let mut different = [u64::from(!sorted.is_empty()); WORD as usize + 1];
    for bits in 1..different.len() {
        different[bits] = different[bits - 1] + in_common[bits - 1];
    }
    (different, repeated)
}

/// Returns the first 32 of the `bits` bits of `value`, padded with zeros if there are fewer.
fn leading(value: u64, bits: u32) -> u32 {
    (value << (u64::BITS - bits) >> WORD) as u32
}
