//! Filters that Guava wrote: rebuilt byte for byte, read, and queried.

use md5::Md5;
use membership_filters::guava::{BloomFilter, Parameters, ProbeCountRule, Strategy};
use membership_filters::{Bytes, Funnel, Hashing, Integer, Long, Murmur3, Utf8, Utf16Units};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::support::number;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    strategy: String,
    funnel: String,
    keys: String,
    n: i64,
    inserted: i64,
    num_bits: u64,
    bit_size: u64,
    k: u32,
    len: u64,
    sha256: String,
    hex: Option<String>,
    /// One digit per insertion, for the first 64.
    put_changed: String,
    absent: String,
    approximate_element_count: serde_json::Value,
    /// Read as text by `number`.
    #[serde(rename = "fpp")]
    _fpp: f64,
    #[serde(rename = "expected_fpp")]
    _expected_fpp: f64,
}

/// The number of the first absent key.
const FIRST_ABSENT: i64 = 1_000_000;

fn digit(answer: bool) -> char {
    if answer { '1' } else { '0' }
}

/// Checks a row. `key` converts numbers to the keys of the row.
fn check<F, T>(row: &Row, line: &str, rule: ProbeCountRule, funnel: F, key: impl Fn(i64) -> T)
where
    F: Funnel<T> + Hashing<Function = Murmur3> + Clone + PartialEq + core::fmt::Debug,
{
    let strategy = [Strategy::Murmur128Mitz32, Strategy::Murmur128Mitz64]
        .into_iter()
        .find(|strategy| strategy.name() == row.strategy)
        .unwrap();
    let parameters = Parameters::with_rule(row.n as u64, number(line, "fpp").parse().unwrap(), rule)
        .unwrap()
        .strategy(strategy);
    assert_eq!(
        (parameters.optimal_bits(), parameters.bits()),
        (row.num_bits, row.bit_size),
        "{line}"
    );
    assert_eq!(
        (parameters.probe_count(), 6 + parameters.bits() / 8),
        (row.k, row.len),
        "{line}"
    );

    let keys: Vec<T> = (0..row.inserted).map(&key).collect();
    let mut filter = BloomFilter::new(funnel.clone(), &parameters).unwrap();
    let changed: Vec<bool> = keys.iter().map(|key| filter.insert(key)).collect();
    let first: String = changed
        .iter()
        .take(row.put_changed.len())
        .map(|&changed| digit(changed))
        .collect();
    assert_eq!(first, row.put_changed, "{line}");

    let bytes = filter.to_guava();
    assert_eq!(bytes.len() as u64, row.len, "{line}");
    if let Some(hex) = &row.hex {
        assert_eq!(bytes, hex::decode(hex).unwrap(), "{line}");
    }
    assert_eq!(
        Sha256::digest(&bytes)[..],
        hex::decode(&row.sha256).unwrap(),
        "{line}"
    );
    let read = BloomFilter::from_guava(&bytes, funnel.clone()).unwrap();
    assert_eq!(read, filter, "{line}");

    assert!(keys.iter().all(|key| read.contains(key)), "{line}");
    let absent: String = (FIRST_ABSENT..)
        .take(row.absent.len())
        .map(|i| digit(read.contains(&key(i))))
        .collect();
    assert_eq!(absent, row.absent, "{line}");

    let expected_fpp: f64 = number(line, "expected_fpp").parse().unwrap();
    let by_fill = read.stats().fill().powf(read.probe_count().into());
    assert!((by_fill - expected_fpp).abs() <= 1e-12 * expected_fpp, "{line}");
    match &row.approximate_element_count {
        serde_json::Value::Number(count) => {
            assert_eq!(read.estimated_len(), count.as_u64(), "{line}");
        }
        exception => {
            assert_eq!(
                exception, "ArithmeticException: input is infinite or NaN",
                "{line}"
            );
            assert_eq!(read.estimated_len(), None, "{line}");
        }
    }
}

fn check_all(lines: &str, rule: ProbeCountRule) -> usize {
    for line in lines.lines() {
        let row: Row = serde_json::from_str(line).unwrap();
        match (row.funnel.as_str(), row.keys.as_str()) {
            ("stringFunnel(UTF_8)", "key+i") => check(&row, line, rule, Utf8, |i| format!("key{i}")),
            ("stringFunnel(UTF_8)", "MD5 of i in hexadecimal") => check(&row, line, rule, Utf8, |i| {
                hex::encode(Md5::digest(u32::try_from(i).unwrap().to_le_bytes()))
            }),
            ("stringFunnel(UTF_8)", "U+952E + decimal i") => {
                check(&row, line, rule, Utf8, |i| format!("\u{952e}{i}"));
            }
            ("unencodedCharsFunnel", "U+952E + decimal i") => {
                check(&row, line, rule, Utf16Units, |i| format!("\u{952e}{i}"));
            }
            ("integerFunnel", "i") => check(&row, line, rule, Integer, |i| i32::try_from(i).unwrap()),
            ("longFunnel", "i*0x9E3779B97F4A7C15 wrapping i64") => check(&row, line, rule, Long, |i| {
                i.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64.cast_signed())
            }),
            ("byteArrayFunnel", "u32 LE bytes of i") => {
                check(&row, line, rule, Bytes, |i| {
                    u32::try_from(i).unwrap().to_le_bytes()
                });
            }
            unknown => panic!("no rule for {unknown:?}"),
        }
    }
    lines.lines().count()
}

/// Both rules for the probe count give the filters that get once and three times their elements.
#[test]
fn published_filters_of_md5_keys() {
    let lines = include_str!("../../data/guava/md5_keys.jsonl");
    for rule in [ProbeCountRule::FromBitsPerKey, ProbeCountRule::FromRate] {
        assert_eq!(check_all(lines, rule), 2);
    }
}

#[test]
fn filters_of_guava_31() {
    let rows = check_all(
        include_str!("../../data/guava/filters.jsonl"),
        ProbeCountRule::FromBitsPerKey,
    );
    assert_eq!(rows, 208);
}

#[test]
fn filters_of_guava_33_where_they_differ() {
    let rows = check_all(
        include_str!("../../data/guava/newer/filters_that_differ.jsonl"),
        ProbeCountRule::FromRate,
    );
    assert_eq!(rows, 8);
}
