//! Output bits that flip when one bit of a key flips, for many keys at once.

use rand::Rng as _;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use crate::functions::Function;

/// Keys in a word of a [`Column`](Flips::column).
const IN_A_WORD: usize = u64::BITS as usize;

/// Random keys of equal length, with a function's values of these keys.
#[derive(Debug)]
pub(super) struct Trials<'a> {
    function: &'a Function,
    key_bytes: usize,
    keys: Vec<u8>,
    values: Vec<u64>,
}

/// The output bits that flip with one bit of every key, bit-sliced.
#[derive(Debug)]
pub(super) struct Flips {
    words: usize,
    columns: Vec<u64>,
}

impl<'a> Trials<'a> {
    /// Draws `blocks` times 64 keys from ChaCha8 started from `seed`, in the generator's stream number `key_bytes`.
    pub(super) fn new(function: &'a Function, key_bytes: u32, blocks: usize, seed: u64) -> Self {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(u64::from(key_bytes));
        let key_bytes = key_bytes as usize;
        let mut keys = vec![0; key_bytes * blocks * IN_A_WORD];
        generator.fill_bytes(&mut keys);
        let values = keys.chunks_exact(key_bytes).map(function.hash).collect();
        Self {
            function,
            key_bytes,
            keys,
            values,
        }
    }

    /// Returns the number of keys.
    pub(super) fn count(&self) -> u64 {
        self.values.len() as u64
    }

    /// Returns the number of bits of a key.
    pub(super) fn input_bits(&self) -> u32 {
        self.key_bytes as u32 * u8::BITS
    }

    /// Flips bit `input_bit` of every key: bit `input_bit % 8`, 0 the lowest, of byte `input_bit / 8`.
    pub(super) fn flip(&self, input_bit: u32) -> Flips {
        let words = self.values.len() / IN_A_WORD;
        let output_bits = self.function.facts.output_bits as usize;
        let mut columns = vec![0; words * output_bits];
        let mut key = vec![0; self.key_bytes];
        let mut square = [0; IN_A_WORD];
        let keys: Vec<&[u8]> = self.keys.chunks_exact(self.key_bytes).collect();
        let blocks = keys
            .chunks_exact(IN_A_WORD)
            .zip(self.values.chunks_exact(IN_A_WORD));
        for (word, (keys, values)) in blocks.enumerate() {
            for ((difference, original), value) in square.iter_mut().zip(keys).zip(values) {
                key.copy_from_slice(original);
                key[input_bit as usize / 8] ^= 1 << (input_bit % 8);
                *difference = value ^ (self.function.hash)(&key);
            }
            transpose(&mut square);
            for (bit, &column) in square[..output_bits].iter().enumerate() {
                columns[bit * words + word] = column;
            }
        }
        Flips { words, columns }
    }
}

impl Flips {
    /// Returns a bit for each key, set if this output bit flipped.
    fn column(&self, output_bit: usize) -> &[u64] {
        &self.columns[output_bit * self.words..][..self.words]
    }

    /// Returns the number of keys for which each output bit flipped, the lowest bit first.
    ///
    /// Avalanche: each output bit should flip for half of the keys. This is Webster and Tavares' strict avalanche
    /// criterion ("On the Design of S-Boxes", CRYPTO '85).
    pub(super) fn counts(&self) -> impl Iterator<Item = u64> {
        let columns = self.columns.chunks_exact(self.words);
        columns.map(|column| ones(column.iter().copied()))
    }

    /// Returns the number of keys for which two output bits do the same, for every pair, the lower bit first.
    ///
    /// Independence: a flip of one output bit should say nothing about any other. This is Webster and Tavares' bit
    /// independence criterion, with a flip counted as +1 and no flip as -1 around the fair mean: the correlation of two
    /// bits is then the share of keys for which they agree, less the share for which they differ. So a bit that never
    /// flips fails with every other such bit; a correlation around the bits' own means would not be defined for it.
    pub(super) fn agreements(&self) -> impl Iterator<Item = ((u32, u32), u64)> {
        let (keys, bits) = (self.words * IN_A_WORD, self.columns.len() / self.words);
        (0..bits).flat_map(move |lower| {
            let one = self.column(lower);
            (lower + 1..bits).map(move |higher| {
                let differ = one.iter().zip(self.column(higher)).map(|(a, b)| a ^ b);
                ((lower as u32, higher as u32), keys as u64 - ones(differ))
            })
        })
    }
}

/// Counts the bits that are one.
fn ones(words: impl Iterator<Item = u64>) -> u64 {
    words.map(|word| u64::from(word.count_ones())).sum()
}

/// Swaps rows and columns: bit j of word i goes to bit i of word j.
///
/// Blocks of 32, 16, ..., 1 are swapped across the diagonal (Warren, Hacker's Delight, 2nd edition, section 7-3).
fn transpose(square: &mut [u64; 64]) {
    let mut size = 32;
    let mut mask = u64::MAX >> 32;
    while size > 0 {
        for upper in (0..64).filter(|row| row & size == 0) {
            let lower = upper | size;
            let changed = ((square[upper] >> size) ^ square[lower]) & mask;
            square[upper] ^= changed << size;
            square[lower] ^= changed;
        }
        size /= 2;
        mask ^= mask << size;
    }
}
