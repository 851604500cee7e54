//! Compares the bytes on a real server with a small second implementation of the published designs, which shares sizes and
//! positions, those of Guava, with the crate: strings, growth points and answers.

use bloom_redis::{GrowingFilter, Missing, Options, Schema};
use membership_filters::{Hash128, Modulus, Parameters, ProbeCountRule, Strategy};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};
use redis::cmd;

use crate::support::{Client, Design, Server, new_fixed};

/// The number of random parameters for each design.
const PAIRS: usize = 60;

/// Returns true if a bit of a Redis string is set. Bits count from the most significant one of the first byte.
fn has(string: &[u8], offset: u64) -> bool {
    let byte = string.get((offset / 8) as usize).copied().unwrap_or(0);
    byte >> (7 - offset % 8) & 1 == 1
}

/// Sets a bit and returns true if it was 0. The string ends at the last byte that was ever written.
fn set(string: &mut Vec<u8>, offset: u64) -> bool {
    let (byte, new) = ((offset / 8) as usize, !has(string, offset));
    string.resize(string.len().max(byte + 1), 0);
    string[byte] |= 1 << (7 - offset % 8);
    new
}

/// The bitmaps of a filter: one for the fixed design.
struct Chain {
    bits: Modulus,
    probes: u8,
    grows: bool,
    bitmaps: Vec<Vec<u8>>,
}

impl Chain {
    fn new(bits: u64, probes: u8, grows: bool) -> Self {
        // A string of the fixed design grows with its bits.
        let first = vec![0; if grows { (bits / 8) as usize } else { 0 }];
        let bits = Modulus::new(bits).unwrap();
        Self {
            bits,
            probes,
            grows,
            bitmaps: vec![first],
        }
    }

    fn offsets(&self, element: &[u8]) -> impl Iterator<Item = u64> + use<> {
        Strategy::Murmur128Mitz64.positions(Hash128::of(element), self.probes, self.bits)
    }

    fn might_contain(&self, element: &[u8]) -> bool {
        let holds = |bitmap: &Vec<u8>| self.offsets(element).all(|offset| has(bitmap, offset));
        self.bitmaps.iter().any(holds)
    }

    /// Inserts an element. Returns whether it was new, and whether the filter grew after it.
    fn put(&mut self, element: &[u8]) -> (bool, bool) {
        let seen = self.bitmaps.len() > 1 && self.might_contain(element);
        let (mut new, last) = (false, self.bitmaps.len() - 1);
        if !seen {
            for offset in self.offsets(element) {
                new |= set(&mut self.bitmaps[last], offset);
            }
        }
        let ones: u64 = (self.bitmaps[last].iter())
            .map(|byte| u64::from(byte.count_ones()))
            .sum();
        let grown = self.grows && ones * 2 > self.bits.get();
        if grown {
            self.bitmaps.push(vec![0; (self.bits.get() / 8) as usize]);
        }
        (new, grown)
    }
}

/// Draws a number of insertions up to a bound, and a probability from 2^-24 to 1.
fn pair(random: &mut SplitMix64, most: u64) -> (u64, f64) {
    let unit = (random.next_u64() >> 11) as f64 * libm::exp2(-53.0);
    let insertions = 1 + random.next_u64() % (1 << (random.next_u64() % (most.ilog2() as u64 + 1)));
    // Both bounds are excluded.
    (insertions, libm::exp2(-24.0 * unit - 1e-9))
}

/// Draws an element of 0 to 40 bytes. Short elements recur.
fn element(random: &mut SplitMix64) -> Vec<u8> {
    let length = random.next_u64() % 41;
    (0..length).map(|_| random.next_u64() as u8).collect()
}

#[test]
fn both_designs_are_those_of_the_formulas() {
    let server = Server::start(&[]);
    let mut client = Client::blocking(&server);
    let mut random = SplitMix64::seed_from_u64(1);
    let (mut sizes, mut grown) = (0, 0);
    for number in 0..2 * PAIRS {
        let grows = number % 2 == 1;
        let (insertions, fpp) = pair(&mut random, 1 << if grows { 7 } else { 20 });
        let case = format!("{insertions}, {fpp}, {grows}");
        let schema = if grows { Schema::whole_words } else { Schema::fixed }(insertions, fpp);
        let Ok(parameters) = Parameters::with_rule(insertions, fpp, ProbeCountRule::FromBitsPerInsertion)
        else {
            assert!(schema.is_err(), "{case}");
            continue;
        };
        let (bits, probes) = (parameters.optimal_bits(), parameters.probe_count());
        sizes += 1;
        let bits = if grows { bits.next_multiple_of(64) } else { bits };
        let schema = schema.unwrap();
        assert_eq!((schema.bits(), schema.probe_count()), (bits, probes), "{case}");
        let growing = GrowingFilter::new(number.to_string(), Schema::whole_words(insertions, fpp).unwrap());
        let growing = growing.unwrap();
        let (filter, elements) = if grows {
            (Design::Growing(growing.clone()), 3 * insertions + 20)
        } else {
            let fixed = new_fixed(Ok(schema)).named(number.to_string());
            let missing = Options::default().missing(Missing::Published);
            (Design::Fixed(fixed.with_options(missing)), insertions.min(60))
        };
        if grows {
            client.run(filter.create());
        }
        let mut chain = Chain::new(bits, probes, grows);
        let (mut waiting, mut expected): (Vec<Vec<u8>>, Vec<bool>) = Default::default();
        for _ in 0..elements {
            let element = element(&mut random);
            let before = chain.bitmaps.len() as u64;
            let (new, grew) = chain.put(&element);
            if grew {
                grown += 1;
                // The elements before this one do not make the filter grow; this one does.
                assert_eq!(client.run(filter.insert_many(&waiting)), expected);
                (waiting, expected) = Default::default();
                assert_eq!(client.run(growing.bitmaps()), before, "{case}");
                assert_eq!(client.run(filter.insert_many(&[element])), [new]);
                assert_eq!(client.run(growing.bitmaps()), before + 1, "{case}");
            } else {
                waiting.push(element);
                expected.push(new);
            }
        }
        assert_eq!(client.run(filter.insert_many(&waiting)), expected, "{case}");
        for (number, bitmap) in (0..).zip(&chain.bitmaps) {
            let key = match &filter {
                Design::Fixed(fixed) => fixed.key().to_vec(),
                _ => growing.key(number),
            };
            let held: Vec<u8> = client.command(cmd("GET").arg(key));
            assert!(held == *bitmap, "{case}, bitmap {number}");
        }
        waiting.extend((0..20).map(|_| element(&mut random)));
        let answers = client.run(filter.ask(&waiting));
        for (element, answer) in waiting.iter().zip(answers) {
            assert_eq!(answer.might_contain(), chain.might_contain(element), "{case}");
        }
    }
    assert!(sizes > 2 * PAIRS * 3 / 4 && grown > 3 * PAIRS, "{sizes}, {grown}");
}
