//! Known counts of Guava's filters, from its own tests and from published programs.

use guava_bloom::{
    BloomFilter, DEFAULT_FALSE_POSITIVE_RATE, Funnel, Parameters, ProbeCountRule, Strategy, Utf8, Utf16Units,
};
use md5::Md5;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::support::hex::unhex;
use super::support::number::number;

/// Inserts the even numbers below 2,000,000 as decimal strings. Returns the count of false positives among the odd
/// numbers, and those below 900.
fn false_positives(strategy: Strategy, funnel: impl for<'a> Funnel<&'a str>) -> (usize, Vec<u32>) {
    let parameters = Parameters::new(1_000_000, DEFAULT_FALSE_POSITIVE_RATE)
        .unwrap()
        .with_strategy(strategy);
    let mut filter = BloomFilter::new(funnel, &parameters).unwrap();
    let text = |number: u32| number.to_string();
    for number in (0..2_000_000).step_by(2) {
        filter.insert(&text(number).as_str());
    }
    let contained = |number: &u32| filter.might_contain(&text(*number).as_str());
    assert!((0..2_000_000).step_by(2).all(|number| contained(&number)));
    let found: Vec<u32> = (1..2_000_000).step_by(2).filter(contained).collect();
    let below_900 = found.iter().copied().filter(|&number| number < 900).collect();
    (found.len(), below_900)
}

/// Source: `BloomFilterTest.java` of Guava, `testCreateAndCheckMitz32BloomFilterWithKnownFalsePositives`.
#[test]
fn mitz_32_has_the_false_positives_of_guavas_test() {
    assert_eq!(
        false_positives(Strategy::Murmur128Mitz32, Utf16Units),
        (
            29_824,
            vec![
                49, 51, 59, 163, 199, 321, 325, 363, 367, 469, 545, 561, 727, 769, 773, 781
            ]
        )
    );
}

/// Source: `BloomFilterTest.java` of Guava, `testCreateAndCheckBloomFilterWithKnownFalsePositives64`.
#[test]
fn mitz_64_has_the_false_positives_of_guavas_test() {
    assert_eq!(
        false_positives(Strategy::Murmur128Mitz64, Utf16Units),
        (
            30_104,
            vec![15, 25, 287, 319, 381, 399, 421, 465, 529, 697, 767, 857]
        )
    );
}

/// Source: `BloomFilterTest.java` of Guava, `testCreateAndCheckBloomFilterWithKnownUtf8FalsePositives64`.
#[test]
fn mitz_64_has_the_false_positives_of_guavas_test_with_utf_8() {
    assert_eq!(
        false_positives(Strategy::Murmur128Mitz64, Utf8),
        (29_763, vec![89, 129, 471, 723, 751, 835, 871])
    );
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Md5Keys {
    total: u64,
    #[serde(rename = "fpp")]
    _fpp: f64,
    num_bits: u64,
    queries: Vec<String>,
    sample_keys: std::collections::BTreeMap<u32, String>,
    runs: Vec<Md5Run>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Md5Run {
    inserted: u32,
    guava: Vec<bool>,
    bit_size: u64,
    k: u8,
    len: u64,
    sha256: String,
    #[serde(rename = "expected_fpp")]
    _expected_fpp: f64,
    approximate_element_count: u64,
}

/// Returns the hexadecimal digits of `Hashing.md5().hashInt(i)`.
fn md5_key(i: u32) -> String {
    Md5::digest(i.to_le_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[test]
fn a_filter_that_gets_three_times_its_elements() {
    let text = include_str!("../data/md5_keys.json");
    let data: Md5Keys = serde_json::from_str(text).unwrap();
    for (&i, key) in &data.sample_keys {
        assert_eq!(md5_key(i), *key);
    }
    let parameters = Parameters::with_rule(data.total, 0.0005, ProbeCountRule::FromBitsPerInsertion).unwrap();
    assert_eq!(parameters.optimal_bits(), data.num_bits);
    // The newer rule gives the same filter here.
    assert_eq!(
        Parameters::new(data.total, 0.0005).unwrap().probe_count(),
        parameters.probe_count()
    );

    let (_, texts) = text.split_once("\"runs\"").unwrap();
    let texts: Vec<&str> = texts.split_inclusive('}').collect();
    for (run, text) in data.runs.iter().zip(texts) {
        let mut filter = BloomFilter::new(Utf8, &parameters).unwrap();
        for i in 0..run.inserted {
            filter.insert(&md5_key(i));
        }
        let answers: Vec<bool> = data
            .queries
            .iter()
            .map(|query| filter.might_contain(query))
            .collect();
        assert_eq!(answers, run.guava);
        assert_eq!((filter.bits(), filter.probe_count()), (run.bit_size, run.k));
        assert_eq!(filter.stream_len(), run.len);
        assert_eq!(Sha256::digest(filter.to_bytes())[..], unhex(&run.sha256));
        let expected_fpp: f64 = number(text, "expected_fpp").parse().unwrap();
        assert_eq!(filter.false_positive_rate().to_bits(), expected_fpp.to_bits());
        assert_eq!(filter.estimated_len(), Some(run.approximate_element_count));
    }
}

/// Returns `new UUID(0x1234567800004000 + (i << 32), 0x8000000000000000 + i).toString()`.
fn uuid(i: u64) -> String {
    let high = 0x1234_5678_0000_4000_u64.wrapping_add(i << 32);
    let low = 0x8000_0000_0000_0000 + i;
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    )
}

#[test]
fn ten_million_insertions_at_one_in_ten_thousand() {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sizes {
        expect: u64,
        fpp: f64,
        num_bits: u64,
        bit_size: u64,
        k: u8,
        #[serde(rename = "writeTo_len")]
        len: u64,
        #[serde(rename = "MiB_of_bits")]
        mebibytes: f64,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Run {
        deterministic_uuid: String,
        n: u64,
        fpp: f64,
        sha256: String,
        len: u64,
        #[serde(rename = "absent_1000000_false_positives")]
        false_positives: usize,
        sample_0: String,
        sample_5: String,
    }
    let mut lines = include_str!("../data/uuid_keys.jsonl").lines();
    let sizes: Sizes = serde_json::from_str(lines.next().unwrap()).unwrap();
    let parameters = Parameters::new(sizes.expect, sizes.fpp).unwrap();
    assert_eq!(
        (
            parameters.optimal_bits(),
            parameters.bits(),
            parameters.probe_count()
        ),
        (sizes.num_bits, sizes.bit_size, sizes.k)
    );
    assert_eq!(parameters.stream_len(), sizes.len);
    assert_eq!(parameters.bits() as f64 / 8.0 / 1024.0 / 1024.0, sizes.mebibytes);

    let run: Run = serde_json::from_str(lines.next().unwrap()).unwrap();
    assert!(
        run.deterministic_uuid
            .starts_with("new UUID(0x1234567800004000+(i<<32), 0x8000")
    );
    assert_eq!((uuid(0), uuid(5)), (run.sample_0, run.sample_5));
    let mut filter = BloomFilter::new(Utf8, &Parameters::new(run.n, run.fpp).unwrap()).unwrap();
    for i in 0..run.n {
        filter.insert(&uuid(i));
    }
    assert_eq!(filter.stream_len(), run.len);
    assert_eq!(Sha256::digest(filter.to_bytes())[..], unhex(&run.sha256));
    let absent = (run.n..run.n + 1_000_000).map(uuid);
    assert_eq!(
        absent.filter(|uuid| filter.might_contain(uuid)).count(),
        run.false_positives
    );
}
