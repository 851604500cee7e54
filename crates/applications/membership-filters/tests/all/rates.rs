//! Stated false-positive rates, compared with counts over many filters.

use membership_filters::backend::{Exclusive, Inserted as _};
use membership_filters::guava::{self, Strategy};
use membership_filters::{
    BlockedBloomFilter, Bytes, CountingBloomFilter, CuckooFilter, CuckooParameters, Filter,
};
use membership_filters::{Funnel, Parameters, redisbloom, spark};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};

/// The queries of a count.
const QUERIES: u64 = 60_000;

fn random_key(random: &mut SplitMix64) -> [u8; 8] {
    random.next_u64().to_le_bytes()
}

/// Makes filters until there are enough queries or matches. The rates that are stated for the number of keys and for
/// the first filters are within a factor of 1.25 of the count, as far as a count can tell.
fn check<B: Exclusive, F: Funnel<[u8]>>(
    name: &str,
    (keys, rate): (u64, f64),
    stated: f64,
    make: impl Fn() -> Filter<B, F>,
) {
    let random = &mut SplitMix64::seed_from_u64(keys);
    let (mut queries, mut matches, mut of_contents) = (0, 0_u32, Vec::new());
    while queries < QUERIES && matches < 3000 {
        let mut filter = make();
        for _ in 0..keys {
            filter.insert(&random_key(random)[..]).result().unwrap();
        }
        if of_contents.len() < 3 {
            of_contents.push(filter.expected_rate());
        }
        for _ in 0..10 * keys + 100 {
            queries += 1;
            matches += u32::from(filter.contains(&random_key(random)[..]));
        }
    }
    let counted = f64::from(matches) / queries as f64;
    let at = format!(
        "{name}, {keys} keys at {rate}: {stated:e} stated, {of_contents:?} of contents, {counted:e} counted"
    );
    let off = (stated / counted).ln().abs();
    assert!(
        matches < 20 || off < 1.25_f64.ln() + 3.0 / f64::from(matches).sqrt(),
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
        let at = (keys, rate);
        let guava = guava::Parameters::new(keys, rate).unwrap();
        for strategy in [Strategy::Murmur128Mitz64, Strategy::Murmur128Mitz32] {
            let guava = guava.strategy(strategy);
            let make = || guava::BloomFilter::new(Bytes, &guava).unwrap();
            check(strategy.name(), at, guava.rate_at(keys), make);
        }
        let counting = || CountingBloomFilter::new(Bytes, &guava).unwrap();
        check("counting", at, guava.rate_at(keys), counting);
        for version in [spark::Version::V1, spark::Version::V2 { seed: 0 }] {
            let spark = spark::Parameters::new(keys, rate).unwrap().version(version);
            let make = || spark::BloomFilter::new(&spark).unwrap();
            check(&format!("{version:?}"), at, spark.rate_at(keys), make);
        }
        let redisbloom = redisbloom::Parameters::new(keys, rate);
        let stated = redisbloom.first_link().unwrap().rate_at(keys);
        check("RedisBloom", at, stated, || {
            redisbloom::BloomFilter::new(&redisbloom).unwrap()
        });
        let blocked = Parameters::new(keys, rate).unwrap();
        check("blocked", at, blocked.rate_at(keys), || {
            BlockedBloomFilter::new(Bytes, &blocked).unwrap()
        });
        let cuckoo = CuckooParameters::new(keys, rate).unwrap();
        check("cuckoo", at, cuckoo.rate_at(keys), || {
            CuckooFilter::new(Bytes, &cuckoo).unwrap()
        });
    }
}
