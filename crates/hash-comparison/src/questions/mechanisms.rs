//! Mechanisms: the measured reasons why a function fails.
//!
//! The mechanisms are known from the literature on these functions, but all functions get the same trials, and only the
//! results are recorded: no mechanism is inferred from a name.

use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::SplitMix64;
use rayon::prelude::*;

use super::{Measure, Question, rows};
use crate::functions::Function;
use crate::keys::printed;
use crate::record::{Finding, Verdict, stored};
use statistics::binomial;
use statistics::correction::{FAMILY_LEVEL, bonferroni};

stored! {
    /// A dependence of values on keys that a random function does not have.
    pub enum Mechanism {
        /// The value follows from the last `parameter` bytes and the length.
        LastBytes,
        /// The value follows from the first `parameter` bytes and the length.
        FirstBytes,
        /// The difference (exclusive or) of two values follows from the difference of the keys: the values of three
        /// keys a, b, c and of their sum cancel.
        XorLinear,
        /// The low `parameter` bits of the value follow from the low `parameter` bits of each byte.
        LowBits,
        /// Raising the last byte but one by 1 and lowering the last by `parameter` leaves the value unchanged.
        ByteSum,
        /// Flipping the lowest bit of the last byte but one and bit `parameter` of the last leaves the value unchanged.
        ByteFlip,
        /// Exchanging the last two bytes leaves the value unchanged.
        ByteOrder,
        /// Upper-case and lower-case letters give the same value.
        LetterCase,
        /// Zero bytes before the key leave the value unchanged.
        LeadingZeroes,
        /// Only `parameter` bits of the value ever change from key to key.
        FixedBits,
    }
}

rows! {
    /// A row of `mechanisms.csv`.
    pub struct MechanismRow: [function] {
        /// The mechanism that was tried.
        pub mechanism: Mechanism,
        /// The parameter of the mechanism, the most informative if several were tried; 0 for a mechanism without one.
        pub parameter: u32,
        /// Number of trials.
        pub trials: u64,
        /// Number of trials in which the mechanism occurred.
        pub hits: u64,
        /// Share of trials in which the mechanism occurs with a random function.
        pub chance: f64,
        /// Upper-tail p-value, corrected for the number of tests behind the file (Bonferroni).
        pub p_adjusted: f64,
        /// Set if the mechanism holds: more often than chance, and in at least three of four trials.
        pub holds: bool,
        /// A key of a pair that shows the mechanism, escaped for print; empty if the mechanism does not hold.
        pub first: String,
        /// The other key, with the same value or part of the value. Both are empty for a mechanism that is not about
        /// pairs.
        pub second: String,
    }
}

pub(super) const QUESTION: Question = Question {
    measure: Measure::Functions(|functions, _, records| {
        let rows = functions
            .par_iter()
            .flat_map(|function| measure(function, functions.len()));
        records.mechanisms = rows.collect();
        Ok(())
    }),
    ..Question::NONE
};

/// Trials of each mechanism with each parameter.
const TRIALS: u64 = 128;
/// Bytes of a key, unless more are needed.
const BYTES: usize = 12;
/// Bytes of a key in trials of the first or last bytes.
const LONG: usize = 24;

/// Tries all mechanisms on a function. Rows are by mechanism; among several parameters, the most informative come first.
fn tried(function: &Function) -> Vec<MechanismRow> {
    let mut attempt = Attempt {
        function,
        random: SplitMix64::seed_from_u64(1),
    };
    let mut tried: Vec<MechanismRow> = (1..=LONG as u32 / 2)
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
    tried
}

/// A function under trial and the generator of its keys, which are the same for every function.
struct Attempt<'a> {
    function: &'a Function,
    random: SplitMix64,
}

impl Attempt<'_> {
    /// Returns the row of a mechanism that fixes this number of bits, before it is judged.
    fn row(&self, mechanism: Mechanism, parameter: u32, hits: u64, bits: u32) -> MechanismRow {
        MechanismRow {
            function: self.function.name.to_owned(),
            mechanism,
            parameter,
            trials: TRIALS,
            hits,
            chance: libm::ldexp(1.0, -(bits as i32)),
            p_adjusted: 1.0,
            holds: false,
            first: String::new(),
            second: String::new(),
        }
    }

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
    ) -> MechanismRow {
        let bits = mask.count_ones().min(self.function.output_bits);
        let mut row = self.row(mechanism, parameter, 0, bits);
        for _ in 0..TRIALS {
            let keys = pair(self);
            let [one, other] = keys.each_ref().map(|key| (self.function.hash)(key) & mask);
            if one == other {
                if row.hits == 0 {
                    [row.first, row.second] = keys.map(|key| printed(&key));
                }
                row.hits += 1;
            }
        }
        row
    }

    fn xor_linear(&mut self) -> MechanismRow {
        let mut hits = 0;
        for _ in 0..TRIALS {
            let [a, b, c] = [(); 3].map(|()| self.key(BYTES));
            let sum: Vec<u8> = (0..BYTES).map(|at| a[at] ^ b[at] ^ c[at]).collect();
            let values = [a, b, c, sum]
                .iter()
                .fold(0, |sum, key| sum ^ (self.function.hash)(key));
            hits += u64::from(values == 0);
        }
        self.row(Mechanism::XorLinear, 0, hits, self.function.output_bits)
    }

    fn low_bits(&mut self, bits: u32) -> MechanismRow {
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
    fn ends(&mut self, mechanism: Mechanism, bytes: u32) -> MechanismRow {
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
        kind: Mechanism,
        parameter: u32,
        change: impl Fn(&mut [u8]) -> Vec<u8>,
    ) -> MechanismRow {
        self.pairs(kind, parameter, u64::MAX, |of| {
            let mut key = of.key(BYTES);
            let other = change(&mut key);
            [key, other]
        })
    }

    fn leading_zeroes(&mut self) -> MechanismRow {
        self.pairs(Mechanism::LeadingZeroes, 0, u64::MAX, |of| {
            let key = of.key(BYTES);
            let zeroes = 1 + (of.random.next_u64() % 8) as usize;
            let other = [&[0; 8][..zeroes], &key].concat();
            [key, other]
        })
    }

    fn fixed_bits(&mut self) -> MechanismRow {
        let mut value = || {
            let key = self.key(BYTES);
            (self.function.hash)(&key)
        };
        let first = value();
        let varied = (1..TRIALS)
            .fold(0, |changing, _| changing | first ^ value())
            .count_ones();
        let fixed = self.function.output_bits.max(32).saturating_sub(varied);
        let hits = if fixed > 0 { TRIALS } else { 0 };
        self.row(Mechanism::FixedBits, varied, hits, fixed.max(1))
    }
}

/// The least share of trials in which a mechanism must occur, whatever the chance.
const LEAST_SHARE: f64 = 0.75;

/// Returns one row for each [`Mechanism`] of a function that is tried with this number of functions.
fn measure(function: &Function, functions: usize) -> Vec<MechanismRow> {
    let mut tried = tried(function);
    let tests = tried.len() * functions;
    for row in &mut tried {
        let p = binomial::at_least(row.hits as f64, TRIALS as f64, row.chance);
        row.p_adjusted = bonferroni(p, tests);
        row.holds = row.hits as f64 >= LEAST_SHARE * TRIALS as f64 && row.p_adjusted < FAMILY_LEVEL;
        if !row.holds {
            (row.first, row.second) = Default::default();
        }
    }
    let told = tried
        .chunk_by(|a, b| a.mechanism == b.mechanism)
        .filter_map(|same| {
            let most = || same.iter().min_by(|a, b| a.p_adjusted.total_cmp(&b.p_adjusted));
            same.iter().find(|row| row.holds).or_else(most)
        });
    told.cloned().collect()
}

/// Appends the measured mechanisms to the reasons of each failed finding.
///
/// A function that did not fail gets no reasons: a mechanism may hold and harm none of these keys.
pub fn explain(findings: &mut [Finding], mechanisms: &[MechanismRow]) {
    for finding in findings
        .iter_mut()
        .filter(|one| one.verdict > Verdict::WithinChance)
    {
        finding.reasons.extend(sentences(&finding.function, mechanisms));
    }
}

/// Returns the mechanisms that hold for `function`, one sentence each, in recorded order.
pub fn sentences(function: &str, mechanisms: &[MechanismRow]) -> Vec<String> {
    sentences_on(function, mechanisms, None)
}

/// Returns the result of [`sentences`]. For a pair of colliding keys, sentences that explain the pair come first, and
/// sentences about other keys last.
pub(crate) fn sentences_on(
    function: &str,
    mechanisms: &[MechanismRow],
    pair: Option<&[String; 2]>,
) -> Vec<String> {
    let holding = mechanisms
        .iter()
        .filter(|row| row.function == function && row.holds);
    let mut holding: Vec<&MechanismRow> = holding.collect();
    // If the first bytes do not matter, leading zeroes do not either.
    if holding.iter().any(|row| row.mechanism == Mechanism::LastBytes) {
        holding.retain(|row| row.mechanism != Mechanism::LeadingZeroes);
    }
    if let Some([one, other]) = pair {
        holding.sort_by_key(|row| match row.mechanism {
            Mechanism::LetterCase if one.eq_ignore_ascii_case(other) => 0,
            Mechanism::FirstBytes | Mechanism::LastBytes if one.len() != other.len() => 2,
            _ => 1,
        });
    }
    holding.into_iter().map(sentence).collect()
}

fn sentence(row: &MechanismRow) -> String {
    let (parameter, hits, trials) = (row.parameter, row.hits, row.trials);
    let counted = |noun: &str| match parameter {
        1 => noun.to_owned(),
        many => format!("{many} {noun}s"),
    };
    let ends = |end: &str| {
        let bytes = counted("byte");
        format!("among keys of one length only the {end} {bytes} matter")
    };
    let what = match row.mechanism {
        Mechanism::XorLinear => {
            "linear: the difference of two values depends only on that of the keys, so one colliding pair yields any \
             number of others"
                .to_owned()
        }
        Mechanism::LowBits => {
            let bits = counted("bit");
            format!("the low {bits} of the value depend only on the low {bits} of each byte")
        }
        Mechanism::LastBytes => ends("last"),
        Mechanism::FirstBytes => ends("first"),
        Mechanism::ByteSum => {
            format!("raising the last byte but one by 1 and lowering the last by {parameter} leaves the value unchanged")
        }
        Mechanism::ByteFlip => format!(
            "flipping the lowest bit of the last byte but one together with bit {parameter} of the last (counted from 0) \
             leaves the value unchanged"
        ),
        Mechanism::ByteOrder => "exchanging the last two bytes leaves the value unchanged".to_owned(),
        Mechanism::LetterCase => "upper and lower case give the same value".to_owned(),
        Mechanism::LeadingZeroes => "zero bytes before a key leave the value unchanged".to_owned(),
        Mechanism::FixedBits => format!("only {parameter} bits of the value ever change"),
    };
    let on = match row.mechanism {
        Mechanism::XorLinear => "quadruples a, b, c, a\u{2295}b\u{2295}c",
        Mechanism::FixedBits => "keys",
        _ => "pairs of keys",
    };
    format!("{what} ({hits} of {trials} {on})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_built_in_function_shows_is_seen_in_others() {
        let holding = |hash| -> Vec<(Mechanism, u32)> {
            let rows = measure(&Function::custom("f", 32, hash, &[]), 64);
            let holding = rows.into_iter().filter(|row| row.holds);
            holding.map(|row| (row.mechanism, row.parameter)).collect()
        };
        let sum = holding(|key| key.iter().map(|&byte| u64::from(byte)).sum());
        assert!(sum.contains(&(Mechanism::ByteOrder, 0)), "{sum:?}");
        let first = holding(|key| u64::from(key[0]) * 0x0101_0101);
        assert!(first.contains(&(Mechanism::FirstBytes, 1)), "{first:?}");
    }
}
