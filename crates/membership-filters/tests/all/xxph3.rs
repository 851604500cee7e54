//! The funnel with the faster hash.

use hashzoo::xxph3_64;
use membership_filters::{BloomFilter, CuckooFilter, CuckooParameters, Hash128, Parameters, Xxph3};

use super::support::rates::assert_near;

const CAPACITY: u64 = 100_000;

/// Typical keys: numbered, so that neighbours differ in a digit.
fn key(number: u64) -> String {
    format!("account-{number:07}@example.org")
}

#[test]
fn filters_err_as_often_as_they_say() {
    let mut plain = BloomFilter::new(Xxph3, &Parameters::new(CAPACITY, 0.01).unwrap()).unwrap();
    let mut cuckoo = CuckooFilter::new(Xxph3, &CuckooParameters::new(CAPACITY, 0.01).unwrap()).unwrap();
    for key in (0..CAPACITY).map(key) {
        plain.insert(&key);
        cuckoo.insert(&key).unwrap();
    }
    let (mut of_plain, mut of_cuckoo) = (0, 0);
    for number in 0..CAPACITY + 1_000_000 {
        let key = key(number);
        let found = [plain.might_contain(&key), cuckoo.might_contain(&key)];
        assert!(number >= CAPACITY || found == [true; 2]);
        of_plain += u64::from(number >= CAPACITY && found[0]);
        of_cuckoo += u64::from(number >= CAPACITY && found[1]);
    }
    assert_near(of_plain, 0.01);
    assert_near(of_cuckoo, cuckoo.stats().false_positive_rate);
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
