//! Mechanisms of failure: ways in which values depend on keys, each tried on random keys.
//!
//! The mechanisms are known from the literature on these functions, but all functions get the same trials, and only the
//! results are recorded: no mechanism is inferred from a name.

use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::SplitMix64;
use rayon::prelude::*;

use crate::functions::Function;
use crate::questions::Mechanism;

/// Trials of each mechanism with each parameter.
pub const TRIALS: u64 = 128;
/// Bytes of a key, unless more are needed.
const BYTES: usize = 12;
/// Bytes of a key in trials of the first or last bytes.
const LONG: usize = 24;

/// A mechanism that was tried with one parameter, [`TRIALS`] times.
#[derive(Debug, Clone)]
pub struct Tried {
    /// The mechanism.
    pub mechanism: Mechanism,
    /// The parameter of the mechanism.
    pub parameter: u32,
    /// Number of trials in which the mechanism occurred.
    pub hits: u64,
    /// Share of trials in which the mechanism occurs with a random function.
    pub chance: f64,
    /// The first pair of keys that shows the mechanism, if the mechanism is about pairs.
    pub example: Option<[Vec<u8>; 2]>,
}

/// All trials of one function, not judged yet.
#[derive(Debug, Clone)]
pub struct RawMechanisms {
    /// Name of the function.
    pub function: String,
    /// Results by mechanism. Among several parameters, the most informative come first.
    pub tried: Vec<Tried>,
}

/// Tries all mechanisms on each function, in the order given.
pub fn measure(functions: &[&Function]) -> Vec<RawMechanisms> {
    functions.par_iter().map(|function| of(function)).collect()
}

fn of(function: &Function) -> RawMechanisms {
    let mut attempt = Attempt {
        hash: function.hash,
        bits: function.output_bits,
        random: SplitMix64::seed_from_u64(1),
    };
    let mut tried: Vec<Tried> = (1..=LONG as u32 / 2)
        .map(|bytes| attempt.ends(Mechanism::LastBytes, bytes))
        .collect();
    tried.extend((1..=LONG as u32 / 2).map(|bytes| attempt.ends(Mechanism::FirstBytes, bytes)));
    tried.push(attempt.xor_linear());
    tried.extend((1..=7).rev().map(|bits| attempt.low_bits(bits)));
    tried.extend((1..=255).map(|step: u8| {
        attempt.changed(Mechanism::ByteSum, step.into(), |key| {
            // Keeps both bytes from overflowing.
            key[BYTES - 2] = key[BYTES - 2].min(254);
            key[BYTES - 1] = key[BYTES - 1].max(step);
            let mut other = key.to_vec();
            other[BYTES - 2] += 1;
            other[BYTES - 1] -= step;
            other
        })
    }));
    tried.extend((0..8).map(|bit| {
        attempt.changed(Mechanism::ByteFlip, bit, |key| {
            let mut other = key.to_vec();
            other[BYTES - 2] ^= 1;
            other[BYTES - 1] ^= 1 << bit;
            other
        })
    }));
    tried.push(attempt.changed(Mechanism::ByteOrder, 0, |key| {
        if key[BYTES - 2] == key[BYTES - 1] {
            key[BYTES - 1] ^= 1;
        }
        let mut other = key.to_vec();
        other.swap(BYTES - 2, BYTES - 1);
        other
    }));
    tried.push(attempt.changed(Mechanism::LetterCase, 0, |key| {
        for byte in &mut *key {
            *byte = b'a' + *byte % 26;
        }
        key.to_ascii_uppercase()
    }));
    tried.push(attempt.leading_zeroes());
    tried.push(attempt.fixed_bits());
    RawMechanisms {
        function: function.name.to_owned(),
        tried,
    }
}

/// A function under trial and the generator of its keys, which are the same for every function.
struct Attempt {
    hash: fn(&[u8]) -> u64,
    bits: u32,
    random: SplitMix64,
}

impl Attempt {
    fn key(&mut self, bytes: usize) -> Vec<u8> {
        let mut key = vec![0; bytes];
        self.random.fill_bytes(&mut key);
        key
    }

    /// Counts the pairs of keys that have equal values in the bits of `mask`.
    fn pairs(
        &mut self,
        mechanism: Mechanism,
        parameter: u32,
        mask: u64,
        mut pair: impl FnMut(&mut Self) -> [Vec<u8>; 2],
    ) -> Tried {
        let mut tried = Tried {
            mechanism,
            parameter,
            hits: 0,
            chance: libm::ldexp(1.0, -(mask.count_ones().min(self.bits) as i32)),
            example: None,
        };
        for _ in 0..TRIALS {
            let keys = pair(self);
            let [one, other] = keys.each_ref().map(|key| (self.hash)(key) & mask);
            if one == other {
                tried.hits += 1;
                tried.example.get_or_insert(keys);
            }
        }
        tried
    }

    fn xor_linear(&mut self) -> Tried {
        let mut hits = 0;
        for _ in 0..TRIALS {
            let [a, b, c] = [(); 3].map(|()| self.key(BYTES));
            let sum: Vec<u8> = (0..BYTES).map(|at| a[at] ^ b[at] ^ c[at]).collect();
            let values = [a, b, c, sum].iter().fold(0, |sum, key| sum ^ (self.hash)(key));
            hits += u64::from(values == 0);
        }
        Tried {
            mechanism: Mechanism::XorLinear,
            parameter: 0,
            hits,
            chance: libm::ldexp(1.0, -(self.bits as i32)),
            example: None,
        }
    }

    fn low_bits(&mut self, bits: u32) -> Tried {
        let low = (1_u8 << bits) - 1;
        self.pairs(Mechanism::LowBits, bits, u64::from(low), |of| {
            let key = of.key(BYTES);
            let mut other = of.key(BYTES);
            for (byte, &same) in other.iter_mut().zip(&key) {
                *byte = *byte & !low | same & low;
            }
            [key, other]
        })
    }

    /// Tries pairs of keys that have `bytes` bytes at one end in common.
    fn ends(&mut self, mechanism: Mechanism, bytes: u32) -> Tried {
        let common = if mechanism == Mechanism::LastBytes {
            LONG - bytes as usize..LONG
        } else {
            0..bytes as usize
        };
        self.pairs(mechanism, bytes, u64::MAX, |of| {
            let key = of.key(LONG);
            let mut other = of.key(LONG);
            other[common.clone()].copy_from_slice(&key[common.clone()]);
            [key, other]
        })
    }

    /// Tries pairs of a key, which `change` may adjust first, and the changed key that `change` returns.
    fn changed(
        &mut self,
        mechanism: Mechanism,
        parameter: u32,
        change: impl Fn(&mut [u8]) -> Vec<u8>,
    ) -> Tried {
        self.pairs(mechanism, parameter, u64::MAX, |of| {
            let mut key = of.key(BYTES);
            let other = change(&mut key);
            [key, other]
        })
    }

    fn leading_zeroes(&mut self) -> Tried {
        self.pairs(Mechanism::LeadingZeroes, 0, u64::MAX, |of| {
            let key = of.key(BYTES);
            let zeroes = 1 + (of.random.next_u64() % 8) as usize;
            let other = [&[0; 8][..zeroes], &key].concat();
            [key, other]
        })
    }

    fn fixed_bits(&mut self) -> Tried {
        let values: Vec<u64> = (0..TRIALS)
            .map(|_| {
                let key = self.key(BYTES);
                (self.hash)(&key)
            })
            .collect();
        let changing = values
            .iter()
            .fold(0, |changing, value| changing | value ^ values[0]);
        let varied = changing.count_ones();
        let fixed = self.bits.max(32).saturating_sub(varied);
        Tried {
            mechanism: Mechanism::FixedBits,
            parameter: varied,
            hits: if fixed > 0 { TRIALS } else { 0 },
            chance: libm::ldexp(1.0, -(fixed.max(1) as i32)),
            example: None,
        }
    }
}
