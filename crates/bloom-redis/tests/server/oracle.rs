//! Compares the bytes on a real server with a small second implementation of the published designs, which shares only
//! the hash with the crate: sizes, offsets and growth points from the published formulas.

use bloom_redis::{Answer, GrowingFilter, Missing, Options, Schema};
use guava_bloom::Hash128;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};
use redis::cmd;

use crate::support::{Client, Server, new_fixed};

/// The number of random parameters for each design.
const PAIRS: usize = 60;

/// Returns the unrounded number of bits of a bitmap, and the number of probes. `None` if there are no bits.
fn size(insertions: u64, fpp: f64) -> Option<(u64, u64)> {
    let ln2 = std::f64::consts::LN_2;
    let bits = (-(insertions as f64) * libm::log(fpp) / (ln2 * ln2)) as u64;
    let probes = libm::floor(bits as f64 / insertions as f64 * ln2 + 0.5) as u64;
    (bits > 0).then_some((bits, probes.max(1)))
}

/// Returns the offsets of an element: the first half, plus the second half again and again, without the sign.
fn offsets(element: &[u8], bits: u64, probes: u64) -> Vec<u64> {
    let hash = Hash128::of(element);
    let mut combined = hash.h1;
    (0..probes)
        .map(|_| {
            let offset = (combined & i64::MAX as u64) % bits;
            combined = combined.wrapping_add(hash.h2);
            offset
        })
        .collect()
}

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

/// A growing filter.
struct Chain {
    bits: u64,
    probes: u64,
    bitmaps: Vec<Vec<u8>>,
}

impl Chain {
    fn new(bits: u64, probes: u64) -> Self {
        let bitmaps = vec![vec![0; (bits / 8) as usize]];
        Self {
            bits,
            probes,
            bitmaps,
        }
    }

    fn might_contain(&self, element: &[u8]) -> bool {
        let offsets = offsets(element, self.bits, self.probes);
        let holds = |bitmap: &Vec<u8>| offsets.iter().all(|&offset| has(bitmap, offset));
        self.bitmaps.iter().any(holds)
    }

    /// Inserts an element. Returns whether it was new, and whether the filter grew after it.
    fn put(&mut self, element: &[u8]) -> (bool, bool) {
        let seen = self.bitmaps.len() > 1 && self.might_contain(element);
        let mut new = false;
        let last = self.bitmaps.len() - 1;
        if !seen {
            for offset in offsets(element, self.bits, self.probes) {
                new |= set(&mut self.bitmaps[last], offset);
            }
        }
        let ones: u64 = (self.bitmaps[last].iter())
            .map(|byte| u64::from(byte.count_ones()))
            .sum();
        let grown = ones * 2 > self.bits;
        if grown {
            self.bitmaps.push(vec![0; (self.bits / 8) as usize]);
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

fn as_published() -> Options {
    Options::default().missing(Missing::Empty)
}

#[test]
fn the_fixed_design_is_that_of_the_formulas() {
    let server = Server::start(&[]);
    let mut client = Client::blocking(&server);
    let mut random = SplitMix64::seed_from_u64(1);
    let mut sizes = 0;
    for number in 0..PAIRS {
        let (insertions, fpp) = pair(&mut random, 1 << 20);
        let Some((bits, probes)) = size(insertions, fpp) else {
            assert!(Schema::fixed(insertions, fpp).is_err(), "{insertions}, {fpp}");
            continue;
        };
        sizes += 1;
        let filter = new_fixed(Schema::fixed(insertions, fpp)).with_options(as_published());
        assert_eq!(
            (filter.schema().bits(), u64::from(filter.schema().probe_count())),
            (bits, probes),
            "{insertions}, {fpp}"
        );
        let elements: Vec<Vec<u8>> = (0..insertions.min(60)).map(|_| element(&mut random)).collect();
        let mut string = Vec::new();
        let mut expected = Vec::new();
        for element in &elements {
            let offsets = offsets(element, bits, probes);
            assert_eq!(
                filter.offsets(element),
                offsets,
                "{insertions}, {fpp}, {element:?}"
            );
            let mut new = false;
            for offset in offsets {
                new |= set(&mut string, offset);
            }
            expected.push(new);
        }
        let name = number.to_string();
        let (first, rest) = elements.split_at(elements.len() / 2);
        let mut new = client.run(filter.named(&name).insert_many(first));
        new.extend(client.run(filter.named(&name).insert_many(rest)));
        assert_eq!(new, expected, "{insertions}, {fpp}");
        let held: Vec<u8> = client.command(cmd("GET").arg(filter.named(&name).key()));
        assert!(held == string, "{insertions}, {fpp}");
        let asked: Vec<Vec<u8>> = (0..20).map(|_| element(&mut random)).chain(elements).collect();
        let answers = client.run(filter.named(&name).might_contain_many(&asked));
        for (element, answer) in asked.iter().zip(answers) {
            let may = (offsets(element, bits, probes).iter()).all(|&offset| has(&string, offset));
            assert_eq!(answer, if may { Answer::MightContain } else { Answer::Absent });
        }
    }
    assert!(sizes > PAIRS * 9 / 10, "{sizes}");
}

#[test]
fn the_growing_design_is_that_of_the_formulas() {
    let server = Server::start(&[]);
    let mut client = Client::blocking(&server);
    let mut random = SplitMix64::seed_from_u64(2);
    let (mut sizes, mut grown) = (0, 0);
    for number in 0..PAIRS {
        let (insertions, fpp) = pair(&mut random, 1 << 7);
        let Some((bits, probes)) = size(insertions, fpp) else {
            assert!(
                Schema::whole_words(insertions, fpp).is_err(),
                "{insertions}, {fpp}"
            );
            continue;
        };
        sizes += 1;
        let bits = bits.next_multiple_of(64);
        let filter =
            GrowingFilter::new(number.to_string(), Schema::whole_words(insertions, fpp).unwrap()).unwrap();
        assert_eq!(
            (filter.schema().bits(), u64::from(filter.schema().probe_count())),
            (bits, probes),
            "{insertions}, {fpp}"
        );
        client.run(filter.create());
        let mut chain = Chain::new(bits, probes);
        let mut waiting: Vec<Vec<u8>> = Vec::new();
        let mut expected: Vec<bool> = Vec::new();
        for _ in 0..3 * insertions + 20 {
            let element = element(&mut random);
            let before = chain.bitmaps.len() as u64;
            let (new, grows) = chain.put(&element);
            if grows {
                grown += 1;
                // The elements before this one do not make the filter grow; this one does.
                assert_eq!(
                    client.run(filter.insert_many(std::mem::take(&mut waiting))),
                    std::mem::take(&mut expected)
                );
                assert_eq!(client.run(filter.bitmaps()), before, "{insertions}, {fpp}");
                assert_eq!(client.run(filter.insert(&element)), new);
                assert_eq!(client.run(filter.bitmaps()), before + 1, "{insertions}, {fpp}");
            } else {
                waiting.push(element);
                expected.push(new);
            }
        }
        assert_eq!(client.run(filter.insert_many(waiting)), expected);
        for (number, bitmap) in chain.bitmaps.iter().enumerate() {
            let held: Vec<u8> = client.command(cmd("GET").arg(filter.key(number as u64)));
            assert!(held == *bitmap, "{insertions}, {fpp}, bitmap {number}");
        }
        let asked: Vec<Vec<u8>> = (0..20).map(|_| element(&mut random)).collect();
        let answers = client.run(filter.might_contain_many(&asked));
        for (element, answer) in asked.iter().zip(answers) {
            assert_eq!(answer.might_contain(), chain.might_contain(element));
        }
    }
    assert!(sizes > PAIRS * 3 / 4 && grown > 3 * PAIRS, "{sizes}, {grown}");
}
