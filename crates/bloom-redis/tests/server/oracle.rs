//! Compares growing filters on a real server with Guava's filters in memory that grow by the published rule, for random
//! parameters and elements. (`guava-bloom` is compared with Guava itself.)

use bloom_redis::{GrowingFilter, Schema};
use guava_bloom::{BloomFilter, Bytes, Parameters};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};

use crate::support::{Client, Server};

/// The number of random parameters.
const PAIRS: usize = 200;

/// Draws an element of 0 to 40 bytes. Short elements recur.
fn element(random: &mut SplitMix64) -> Vec<u8> {
    let length = random.next_u64() % 41;
    (0..length).map(|_| random.next_u64() as u8).collect()
}

/// Inserts an element into the bitmaps in memory. Returns whether it was new, and whether the filter grows after it.
fn put(bitmaps: &mut [BloomFilter<Bytes>], element: &[u8]) -> (bool, bool) {
    let seen = bitmaps.len() > 1 && bitmaps.iter().any(|bitmap| bitmap.might_contain(element));
    let last = bitmaps.len() - 1;
    let current = &mut bitmaps[last];
    let new = !seen && current.insert(element);
    (new, current.ones() * 2 > current.bits())
}

#[test]
fn the_growing_design_is_that_of_the_formulas() {
    let server = Server::start(&[]);
    let mut client = Client::blocking(&server);
    let mut random = SplitMix64::seed_from_u64(2);
    let (mut sizes, mut grown) = (0, 0);
    for number in 0..PAIRS {
        let insertions = 1 + random.next_u64() % (1 << (random.next_u64() % 8));
        let unit = (random.next_u64() >> 11) as f64 * libm::exp2(-53.0);
        // From 2^-24 to 1, both excluded.
        let fpp = libm::exp2(-24.0 * unit - 1e-9);
        let Ok(schema) = Schema::whole_words(insertions, fpp) else {
            continue;
        };
        sizes += 1;
        let empty = || BloomFilter::new(Bytes, &Parameters::try_from(&schema).unwrap()).unwrap();
        let filter = GrowingFilter::new(number.to_string(), schema).unwrap();
        client.run(filter.create());
        let mut bitmaps = vec![empty()];
        let (mut waiting, mut expected) = (Vec::new(), Vec::new());
        for _ in 0..3 * insertions + 20 {
            let element = element(&mut random);
            let before = bitmaps.len() as u64;
            let (new, grows) = put(&mut bitmaps, &element);
            if grows {
                grown += 1;
                bitmaps.push(empty());
                // The elements before this one do not make the filter grow; this one does.
                let inserted = client.run(filter.insert_many(std::mem::take(&mut waiting)));
                assert_eq!(inserted, std::mem::take(&mut expected));
                assert_eq!(client.run(filter.bitmaps()), before, "{insertions}, {fpp}");
                assert_eq!(client.run(filter.insert(&element)), new);
                assert_eq!(client.run(filter.bitmaps()), before + 1, "{insertions}, {fpp}");
            } else {
                waiting.push(element);
                expected.push(new);
            }
        }
        assert_eq!(client.run(filter.insert_many(waiting)), expected);
        for (number, bitmap) in (0..).zip(&bitmaps) {
            let held = client.run(filter.download(number, Bytes));
            assert!(held == *bitmap, "{insertions}, {fpp}, bitmap {number}");
        }
        let asked: Vec<Vec<u8>> = (0..20).map(|_| element(&mut random)).collect();
        let answers = client.run(filter.might_contain_many(&asked));
        for (element, answer) in asked.iter().zip(answers) {
            let may = bitmaps.iter().any(|bitmap| bitmap.might_contain(element));
            assert_eq!(answer.might_contain(), may);
        }
    }
    assert!(sizes > PAIRS * 3 / 4 && grown > 3 * PAIRS, "{sizes}, {grown}");
}
