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

/// Makes filters until there are enough queries or matches. The rate that is stated for the number of keys is within a factor
/// of 1.25 of the count, and of 1.05 with many keys, as far as a count can tell; the first filters state a similar one, and
/// their number of keys.
fn check(at: &str, keys: u64, stated: Option<f64>, make: &dyn Fn() -> Box<dyn AnyFilter>) {
    let random = &mut SplitMix64::seed_from_u64(keys);
    let (mut queries, mut matches, mut first) = (0, 0_usize, Vec::new());
    while queries < QUERIES && matches < 3000 {
        let mut filter = make();
        insert(&mut *filter, &random_keys(random, keys)).unwrap();
        if first.len() < 3 {
            first.push(filter.stats());
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
    if matches < 20 {
        return;
    }
    let counted = matches as f64 / queries as f64;
    let at = format!("{at}: {stated:?} stated for {keys} keys, {counted:e} counted, {first:?}");
    let is_near = |rate: f64, factor: f64| {
        let allowed = factor.ln() + 3.0 / (matches as f64).sqrt();
        (rate / counted).ln().abs() < allowed
    };
    let factor = if keys < 700 { 1.25 } else { 1.05 };
    assert!(stated.is_none_or(|stated| is_near(stated, factor)), "{at}");
    // So many keys can be counted in a filter by its ones.
    for stats in first.iter().filter(|_| keys >= 700) {
        assert!(is_near(stats.expected_rate, 1.3), "{at}");
        assert!(stats.len.is_none_or(|len| len.abs_diff(keys) < keys / 10), "{at}");
    }
}

#[test]
fn stated_rates_are_those_that_are_counted() {
    let keys = [1, 2, 4, 10, 50, 300, 3000];
    let rates = [0.1, 0.01, 1e-3, 1e-4];
    for (capacity, rate) in keys.into_iter().flat_map(|keys| rates.map(|rate| (keys, rate))) {
        for kind in kinds::ALL {
            let at = format!("{} for {capacity} keys at {rate}", kind.name());
            let plan = kind.plan(hash_id(*kind), capacity, Size::Rate(rate)).unwrap();
            let make = || plan.make().unwrap();
            check(&at, capacity, Some(plan.rate(capacity)), &make);
            if capacity < 3000 {
                continue;
            }
            check(&at, capacity / 4, Some(plan.rate(capacity / 4)), &make);
            // A cuckoo filter refuses more keys, and a chain gets links of which no plan knows.
            let grows = kind.name() == "redisbloom";
            if kind.name() != "cuckoo" {
                let stated = (!grows).then(|| plan.rate(2 * capacity));
                check(&at, 2 * capacity, stated, &make);
            }
        }
        // The older strategy, with which no tool makes filters.
        let guava = guava::Parameters::new(capacity, rate)
            .unwrap()
            .strategy(Strategy::Murmur128Mitz32);
        let guavas = kinds::named("guava").unwrap();
        let at = format!("Mitz32 for {capacity} keys at {rate}");
        check(&at, capacity, Some(guava.rate_at(capacity)), &|| {
            let filter = guava::BloomFilter::new(Bytes, &guava).unwrap();
            guavas.open(hash_id(guavas), &filter.to_guava()).unwrap()
        });
    }
}

#[test]
fn loads_are_those_of_the_whole_filter() {
    let random = &mut SplitMix64::seed_from_u64(7);
    // All bits of the smaller one are in the sample.
    for (capacity, kind) in [2_000, 150_000]
        .into_iter()
        .flat_map(|of| kinds::ALL.iter().map(move |kind| (of, kind)))
    {
        let plan = kind.plan(hash_id(*kind), capacity, Size::Rate(0.01)).unwrap();
        let mut filter = plan.make().unwrap();
        let at = format!("{} for {capacity} keys", kind.name());
        // A few blocks are not filled as most are.
        let allowed = if capacity < 10_000 { 0.4 } else { 0.15 };
        let can_overfill = !["cuckoo", "redisbloom"].contains(&kind.name());
        assert_eq!(filter.load().is_some(), can_overfill, "{at}");
        assert_eq!(filter.rate_at(capacity) > 0.0, can_overfill, "{at}");
        for keys in [0, capacity / 2, capacity, 2 * capacity]
            .into_iter()
            .filter(|_| can_overfill)
        {
            filter.clear();
            insert(&mut *filter, &random_keys(random, keys)).unwrap();
            let (load, exact) = (filter.load().unwrap(), filter.stats().expected_rate);
            let at = format!(
                "{at}, {keys} keys: {load:?}, {} by the formula, {exact}",
                filter.rate_at(keys)
            );
            assert!(load.len.unwrap().abs_diff(keys) <= keys / 33, "{at}");
            for rate in [load.rate, filter.rate_at(keys)] {
                assert!((rate - exact).abs() <= allowed * exact, "{at}");
            }
        }
    }
}
