//! Stated false-positive rates, compared with counts over many filters.

use membership_filters::Bytes;
use membership_filters::guava::{self, Strategy};
use membership_filters::kinds::{self, AnyFilter, Size};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};

use super::support::samples::{hash_id, insert};

/// The queries of a count.
const QUERIES: usize = 60_000;

fn random_keys(random: &mut SplitMix64, count: u64) -> Vec<[u8; 8]> {
    (0..count).map(|_| random.next_u64().to_le_bytes()).collect()
}

/// Makes filters until there are enough queries or matches. The rates that are stated for the number of keys and for
/// the first filters are within a factor of 1.25 of the count, as far as a count can tell.
fn check(name: &str, (keys, rate): (u64, f64), stated: f64, make: &dyn Fn() -> Box<dyn AnyFilter>) {
    let random = &mut SplitMix64::seed_from_u64(keys);
    let (mut queries, mut matches, mut of_contents) = (0, 0_usize, Vec::new());
    while queries < QUERIES && matches < 3000 {
        let mut filter = make();
        insert(&mut *filter, &random_keys(random, keys)).unwrap();
        if of_contents.len() < 3 {
            of_contents.push(filter.stats().expected_rate);
        }
        let absent = random_keys(random, 10 * keys + 100);
        let absent: Vec<&[u8]> = absent.iter().map(<[u8; 8]>::as_slice).collect();
        queries += absent.len();
        matches += filter
            .contains_many(&absent)
            .into_iter()
            .filter(|&found| found)
            .count();
    }
    let counted = matches as f64 / queries as f64;
    let at = format!(
        "{name}, {keys} keys at {rate}: {stated:e} stated, {of_contents:?} of contents, {counted:e} counted"
    );
    let off = (stated / counted).ln().abs();
    assert!(
        matches < 20 || off < 1.25_f64.ln() + 3.0 / (matches as f64).sqrt(),
        "{at}"
    );
    // So many keys can be counted in a filter by its ones.
    let is_same = |of: &f64| (of / stated).ln().abs() < 1.3_f64.ln();
    assert!(keys < 3000 || of_contents.iter().all(is_same), "{at}");
}

#[test]
fn stated_rates_are_those_that_are_counted() {
    let keys = [1, 2, 4, 10, 50, 300, 3000];
    let rates = [0.1, 0.01, 1e-3, 1e-4];
    for (keys, rate) in keys.into_iter().flat_map(|keys| rates.map(|rate| (keys, rate))) {
        for kind in kinds::ALL {
            let plan = kind.plan(hash_id(*kind), keys, Size::Rate(rate)).unwrap();
            check(kind.name(), (keys, rate), plan.rate(keys), &|| {
                plan.make().unwrap()
            });
        }
        // The older strategy, with which no tool makes filters.
        let guava = guava::Parameters::new(keys, rate)
            .unwrap()
            .strategy(Strategy::Murmur128Mitz32);
        let guavas = kinds::named("guava").unwrap();
        check("Mitz32", (keys, rate), guava.rate_at(keys), &|| {
            let filter = guava::BloomFilter::new(Bytes, &guava).unwrap();
            guavas.open(hash_id(guavas), &filter.to_guava()).unwrap()
        });
    }
}
