//! The growing filter's contract, seen from outside.

use md5::{Digest as _, Md5};
use membership_filters::{Bytes, Parameters, Utf8};
use membership_filters::{ErrorKind, GrowingBloomFilter, GrowingParameters, GrowthRule};
use serde_json::{Value, json};
use sha2::Sha256;

use super::support::hashes::Hashes;
use super::support::rates::false_positives;

fn filter(parameters: &GrowingParameters) -> GrowingBloomFilter<Bytes> {
    GrowingBloomFilter::new(Bytes, parameters).unwrap()
}

fn tightening(growth: u32, ratio: f64) -> GrowthRule {
    GrowthRule::Tightening { growth, ratio }
}

#[test]
fn the_total_rate_stays_under_the_one_asked_for() {
    for (capacity, fpp, rule) in [
        (1_000, 0.01, GrowthRule::default()),
        (1_000, 0.01, tightening(2, 0.5)),
        (1_000, 0.01, tightening(4, 0.9)),
        (1_000, 0.01, tightening(1, 0.9)),
        (1_000, 0.2, GrowthRule::default()),
        (1_000, 0.001, GrowthRule::default()),
        (1_000, 0.000_1, GrowthRule::default()),
        (100, 0.001, GrowthRule::default()),
        (10, 0.01, GrowthRule::default()),
        (10, 0.01, tightening(1, 0.95)),
        (0, 0.1, tightening(16, 0.1)),
    ] {
        let mut filter = filter(&GrowingParameters::with_rule(capacity, fpp, rule).unwrap());
        let mut inserted = Hashes::from_seed(1);
        let mut count = 0;
        // Within the first link, at its capacity, at 10 and at 100 times that.
        for factor in [0.5, 1.0, 10.0, 100.0] {
            let target = (capacity.max(8) as f64 * factor) as usize;
            for hash in inserted.by_ref().take(target - count) {
                filter.insert_hash(&hash).unwrap();
                assert!(filter.might_contain_hash(&hash));
            }
            count = target;
            let expected = filter.false_positive_rate();
            assert!(expected <= fpp, "{capacity} {fpp} {rule:?} {target}: {expected}");
            let found = false_positives(2, |hash| filter.might_contain_hash(&hash));
            assert!(
                found as f64 <= fpp * 1e6,
                "{capacity} {fpp} {rule:?} {target}: {found}"
            );
        }
        let mut inserted = Hashes::from_seed(1).take(count);
        assert!(inserted.all(|hash| filter.might_contain_hash(&hash)));
    }
}

#[test]
fn links_hold_about_their_capacity() {
    let parameters = GrowingParameters::with_rule(1_000, 0.01, tightening(2, 0.8)).unwrap();
    let mut filter = filter(&parameters);
    for hash in Hashes::from_seed(4).take(100_000) {
        filter.insert_hash(&hash).unwrap();
    }
    let links: Vec<_> = filter.links().collect();
    // 1000 * (2^6 - 1) is 63,000, and the links have a little more room, so the seventh link is open.
    assert_eq!(links.len(), 7);
    for (place, link) in links[..6].iter().enumerate() {
        let capacity = 1_000 << place;
        let share = 0.01 * 0.2 * 0.8_f64.powi(i32::try_from(place).unwrap());
        assert!(
            (capacity..capacity * 21 / 20).contains(&link.len.unwrap()),
            "{place}: {link:?}"
        );
        assert!(
            link.false_positive_rate <= share && link.false_positive_rate > 0.8 * share,
            "{place}: {link:?}"
        );
        let shape = Parameters::new(capacity + capacity / 32, share).unwrap();
        assert_eq!(link.places, shape.bits(), "{place}");
    }
    let stats = filter.stats();
    let len = stats.len.unwrap();
    assert_eq!(len, links.iter().map(|link| link.len.unwrap()).sum::<u64>());
    assert_eq!(stats.memory_bytes * 8, stats.places);
    // All elements except the few that looked present.
    assert!(len > 99_000 && len <= 100_000);
    for (words, link) in filter.words().zip(&links) {
        assert_eq!(ones(words), link.taken);
    }
}

/// Returns the hexadecimal MD5 of an `int`'s bytes, as Guava's `Hashing.md5().hashInt(i)` prints it.
fn key(i: u64) -> String {
    hex::encode(Md5::digest(u32::try_from(i).unwrap().to_le_bytes()))
}

fn ones(words: &[u64]) -> u64 {
    words.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// Describes a bitmap as Redis holds it: the first bit is the most significant of its byte.
fn bitmap(words: &[u64], number: usize) -> Value {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    let bytes: Vec<u8> = bytes.map(u8::reverse_bits).collect();
    json!({
        "key": format!("bloomfilter-{number}"),
        "strlen": bytes.len(),
        "bitcount": ones(words),
        "sha256": hex::encode(Sha256::digest(&bytes)),
    })
}

#[test]
fn the_published_run_comes_out() {
    let golden: Value = serde_json::from_str(include_str!("../data/growing_bitmaps.json")).unwrap();
    let parameters = GrowingParameters::with_rule(10_000, 0.0005, GrowthRule::SameSize).unwrap();
    let mut filter = GrowingBloomFilter::new(Utf8, &parameters).unwrap();
    let (mut grown, mut inserted, mut changed) = (Vec::new(), 0, 0);
    for run in golden["runs"].as_array().unwrap() {
        let end = run["inserted"].as_u64().unwrap();
        for i in inserted..end {
            let links = filter.links().count();
            changed += u64::from(filter.insert(&key(i)).unwrap());
            if filter.links().count() > links {
                grown.push(json!({"after_inserting_index": i, "new_key": format!("bloomfilter-{links}")}));
            }
        }
        inserted = end;
        let queries = run["queries"].as_array().unwrap().iter();
        let answers = queries.map(|query| filter.might_contain(query.as_str().unwrap()));
        let absent = (100_000..102_000).filter(|&i| filter.might_contain(&key(i)));
        let bitmaps = filter
            .words()
            .zip(0..)
            .map(|(words, number)| bitmap(words, number));
        for (name, found) in [
            ("grows", json!(grown)),
            ("puts_that_changed_bits", json!(changed)),
            ("redis_results", answers.collect()),
            ("absent_false_positives_of_2000", json!(absent.count())),
            ("bitmaps", bitmaps.collect()),
        ] {
            assert_eq!(run[name], found, "{name}");
        }
    }
}

#[test]
fn links_of_the_same_size_go_on_growing_whatever_the_rate() {
    for rate in [0.9, 0.5, 0.36, 0.2] {
        for capacity in [20, 1_000] {
            let parameters = GrowingParameters::with_rule(capacity, rate, GrowthRule::SameSize).unwrap();
            let mut filter = filter(&parameters);
            for hash in Hashes::from_seed(7).take(40_000) {
                filter.insert_hash(&hash).unwrap();
                if filter.links().count() == 5 {
                    break;
                }
            }
            assert_eq!(filter.links().count(), 5, "{rate} {capacity}");
            let absent = Hashes::from_seed(8).take(20_000);
            let found = absent.filter(|&hash| filter.might_contain_hash(&hash)).count() as f64 / 20_000.0;
            let told = filter.false_positive_rate();
            assert!(
                (told - 0.01..told + 0.12).contains(&found),
                "{rate} {capacity}: {found}, told {told}"
            );
        }
    }
}

#[test]
fn a_small_capacity_is_raised_or_refused() {
    for capacity in [0, 1, 2, 8, 20] {
        for fpp in [0.9, 0.5, 0.01, 1e-4, 1e-6] {
            let mut filter = filter(&GrowingParameters::new(capacity, fpp).unwrap());
            let bits = filter.stats().places as f64;
            assert!(bits >= 1.5 / (0.75 * 0.2 * fpp), "{capacity} {fpp}: {bits}");
            assert!(bits <= 16_800_000.0);
            for hash in Hashes::from_seed(capacity).take(200) {
                filter.insert_hash(&hash).unwrap();
                assert!(filter.might_contain_hash(&hash));
                assert!(filter.false_positive_rate() <= fpp, "{capacity} {fpp}");
            }
        }
    }
    let error = GrowingParameters::new(1_000, 1e-9).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the capacity must be at least 215134280 at a false-positive rate of 0.000000001, got 1000"
    );
    assert!(GrowingParameters::new(215_134_280, 1e-9).is_ok());
    // No capacity keeps these rates: a Bloom filter has at most 2^37 bits, less 64.
    for fpp in [7.2e-11, 1e-12, f64::MIN_POSITIVE, 5e-324] {
        let error = GrowingParameters::new(u64::MAX, fpp).unwrap_err();
        let text = error.to_string();
        assert!(
            text.starts_with("the false-positive rate must be at least 7.27")
                && text.ends_with(&format!("e-11, got {fpp:e}")),
            "{error}"
        );
        assert_eq!(GrowingParameters::new(0, fpp).unwrap_err().to_string(), text);
    }
    let error = GrowingParameters::new(0, 7.3e-11).unwrap_err();
    assert!(
        error.to_string().starts_with("the capacity must be at least "),
        "{error}"
    );
    // The other rule makes no such guarantee.
    assert!(GrowingParameters::with_rule(1_000, 1e-9, GrowthRule::SameSize).is_ok());
}

#[test]
fn wrong_parameters_are_refused_with_both_values() {
    for fpp in [0.0, 1.0, -0.5, f64::NAN] {
        let error = GrowingParameters::new(10, fpp).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
    }
    let text = |rule| {
        GrowingParameters::with_rule(10, 0.01, rule)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        text(tightening(0, 0.5)),
        "the growth must be between 1 and 16, got 0"
    );
    assert_eq!(
        text(tightening(17, 0.5)),
        "the growth must be between 1 and 16, got 17"
    );
    for ratio in [0.0, 0.09, 1.0, -1.0, f64::NAN] {
        assert_eq!(
            text(tightening(2, ratio)),
            format!("the ratio must be from 0.1 to below 1, got {ratio}")
        );
    }
    for capacity in [u64::MAX, 1 << 62, 1 << 50] {
        let error = GrowingParameters::new(capacity, 0.01).unwrap_err();
        let kinds = [ErrorKind::TooLarge, ErrorKind::InvalidArgument];
        assert!(kinds.contains(&error.kind()), "{error}");
    }
}
