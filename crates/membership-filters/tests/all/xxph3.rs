//! The funnel with the faster hash.

use hashzoo::xxph3_64;
use membership_filters::{BlockedBloomFilter, BlockedParameters, CuckooFilter, CuckooParameters, Xxph3};
use membership_filters::{BloomFilter, Hash128, Parameters};

use super::support::rates::assert_near;

const CAPACITY: u64 = 100_000;

/// Typical keys: numbered, so that neighbours differ in a digit.
fn key(number: u64) -> String {
    format!("account-{number:07}@example.org")
}

/// Inserts the keys, checks that all are found, and counts how many of a million others look present.
fn false_positives<F>(
    filter: &mut F,
    mut insert: impl FnMut(&mut F, &str),
    contains: impl Fn(&F, &str) -> bool,
) -> u64 {
    (0..CAPACITY).for_each(|number| insert(filter, &key(number)));
    assert!((0..CAPACITY).all(|number| contains(filter, &key(number))));
    let others = CAPACITY..CAPACITY + 1_000_000;
    others.filter(|&number| contains(filter, &key(number))).count() as u64
}

#[test]
fn every_filter_errs_as_often_as_it_says() {
    let parameters = BlockedParameters::new(CAPACITY, 0.01).unwrap();
    let mut blocked = BlockedBloomFilter::new(Xxph3, &parameters).unwrap();
    let found = false_positives(
        &mut blocked,
        |f, key| f.insert(key),
        |f, key| f.might_contain(key),
    );
    assert_near(found, parameters.false_positive_rate_at(CAPACITY));

    let mut plain = BloomFilter::new(Xxph3, &Parameters::new(CAPACITY, 0.01).unwrap()).unwrap();
    let insert = |f: &mut BloomFilter<_>, key: &str| _ = f.insert(key);
    let found = false_positives(&mut plain, insert, |f, key| f.might_contain(key));
    assert_near(found, 0.01);

    let parameters = CuckooParameters::new(CAPACITY, 0.01).unwrap();
    let mut cuckoo = CuckooFilter::new(Xxph3, &parameters).unwrap();
    let insert = |f: &mut CuckooFilter<_>, key: &str| f.insert(key).unwrap();
    let found = false_positives(&mut cuckoo, insert, |f, key| f.might_contain(key));
    assert_near(found, cuckoo.stats().false_positive_rate);
}

#[test]
fn text_is_its_bytes() {
    for text in [
        "",
        "a",
        "é",
        "a text of more than sixty-four bytes, which XXPH3 takes in another way than short ones",
    ] {
        let hash = Hash128::of_key(&Xxph3, text);
        assert_eq!(hash, Hash128::of_key(&Xxph3, text.as_bytes()));
        assert_eq!(hash, Hash128::of_key(&Xxph3, &text.to_owned()));
        assert_eq!(hash.h1, xxph3_64(text.as_bytes(), 0));
    }
    // Stored filters depend on this value: SplitMix64's first number from the seed `h1`.
    let expected = Hash128 {
        h1: 0xdb18_c164_5818_a986,
        h2: 0x1841_80fa_d703_f3a5,
    };
    assert_eq!(Hash128::of_key(&Xxph3, "alice"), expected);
}
