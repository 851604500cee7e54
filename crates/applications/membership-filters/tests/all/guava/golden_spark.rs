//! Spark's filters: those that Spark wrote are rebuilt byte for byte, read and queried.

use membership_filters::spark::{BloomFilter, ItemBytes, Parameters, Version};
use membership_filters::{Error, Funnel, Hash128, Utf16};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::support::number;

#[derive(Deserialize)]
struct Elements {
    kind: String,
    keys: Vec<String>,
    absent: Vec<String>,
}

#[derive(Deserialize)]
struct Row {
    version: u32,
    kind: String,
    expected_items: u64,
    num_bits_asked: u64,
    seed: i32,
    count: usize,
    bit_size: u64,
    cardinality: u64,
    stream: String,
    answers: String,
}

#[derive(Deserialize)]
struct Size {
    expected_items: u64,
    bit_size: u64,
    head: String,
    len: u64,
}

#[derive(Deserialize)]
struct DataFrame {
    n: i64,
    sha256: String,
    #[serde(flatten)]
    size: Size,
}

/// An element of one of Spark's three kinds.
enum Element {
    Long(i64),
    String(String),
    Binary(Vec<u8>),
}

impl Funnel<Element> for ItemBytes {
    fn with_bytes<R>(&self, key: &Element, then: impl FnOnce(&[u8]) -> R) -> R {
        match key {
            Element::Long(number) => self.with_bytes(number, then),
            Element::String(text) => self.with_bytes(text, then),
            Element::Binary(bytes) => self.with_bytes(bytes, then),
        }
    }
}

fn elements(kind: &str, texts: &[String]) -> Vec<Element> {
    let element = |text: &String| match kind {
        "long" => Element::Long(text.parse().unwrap()),
        "string" => Element::String(text.clone()),
        "binary" => Element::Binary(hex::decode(text).unwrap()),
        _ => panic!("{kind}"),
    };
    texts.iter().map(element).collect()
}

fn version(number: u32, seed: i32) -> Version {
    match number {
        1 => Version::V1,
        2 => Version::V2 { seed },
        _ => panic!("{number}"),
    }
}

#[test]
fn sparks_filters_are_rebuilt_read_and_queried() {
    let all: Vec<Elements> = include_str!("../../data/spark/elements.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut rows = 0;
    for line in include_str!("../../data/spark/filters.jsonl").lines() {
        let row: Row = serde_json::from_str(line).unwrap();
        let of_kind = all.iter().find(|elements| elements.kind == row.kind).unwrap();
        let keys = elements(&row.kind, &of_kind.keys[..row.count]);
        let absent = elements(&row.kind, &of_kind.absent);
        let parameters = Parameters::with_bits(row.expected_items, row.num_bits_asked)
            .unwrap()
            .version(version(row.version, row.seed));
        let mut filter = BloomFilter::new(&parameters).unwrap();
        for key in &keys {
            let before = filter.ones();
            assert_eq!(filter.insert(key), filter.ones() > before, "{line}");
        }
        let stream = hex::decode(&row.stream).unwrap();
        assert_eq!(filter.to_spark(), stream, "{line}");
        let mut batch = BloomFilter::new(&parameters).unwrap();
        batch.insert_many(&keys);
        assert_eq!(batch, filter, "{line}");

        let read = BloomFilter::from_spark(&stream).unwrap();
        assert_eq!(read, filter, "{line}");
        assert_eq!(
            (read.bits(), read.ones()),
            (row.bit_size, row.cardinality),
            "{line}"
        );
        let rate: f64 = number(line, "expected_fpp").parse().unwrap();
        let by_fill = read.stats().fill().powf(read.probe_count().into());
        assert!((by_fill - rate).abs() <= 1e-12 * rate, "{line}");
        assert!(keys.iter().all(|key| read.contains(key)), "{line}");
        let answers: Vec<bool> = row.answers.chars().map(|answer| answer == '1').collect();
        let single: Vec<bool> = absent.iter().map(|key| read.contains(key)).collect();
        assert_eq!(single, answers, "{line}");
        assert_eq!(read.contains_many(&absent), answers, "{line}");
        rows += 1;
    }
    assert_eq!(rows, 36);
}

/// Checks bits, header and length against Spark's.
fn check_size(parameters: &Parameters, size: &Size, line: &str) {
    assert_eq!(parameters.bits(), size.bit_size, "{line}");
    let (probes, words) = (parameters.probe_count(), (parameters.bits() / 64) as u32);
    // Version 2, with the seed 0.
    let head = [2, probes, 0, words].map(u32::to_be_bytes).concat();
    assert_eq!(hex::encode(&head), size.head, "{line}");
    assert_eq!(head.len() as u64 + parameters.bits() / 8, size.len, "{line}");
}

#[test]
fn sizes_are_sparks() {
    for line in include_str!("../../data/spark/sizes.jsonl").lines() {
        let size: Size = serde_json::from_str(line).unwrap();
        let rate = number(line, "rate").parse().unwrap();
        check_size(&Parameters::new(size.expected_items, rate).unwrap(), &size, line);
    }
}

#[test]
fn filters_of_data_frames_are_cut_and_filled_alike() {
    for line in include_str!("../../data/spark/data_frames.jsonl").lines() {
        let row: DataFrame = serde_json::from_str(line).unwrap();
        let rate = number(line, "rate").parse().unwrap();
        let parameters = Parameters::of_data_frame(row.size.expected_items, rate).unwrap();
        check_size(&parameters, &row.size, line);
        let mut filter = BloomFilter::new(&parameters).unwrap();
        // More than the caches hold, so that the batch fetches ahead.
        filter.insert_many(&(0..row.n).map(|number| number * 3).collect::<Vec<i64>>());
        assert_eq!(
            Sha256::digest(filter.to_spark())[..],
            hex::decode(&row.sha256).unwrap(),
            "{line}"
        );
    }
}

#[test]
fn elements_are_widened_and_encoded_as_in_java() {
    fn of<T: ?Sized>(seed: i32, key: &T) -> Hash128
    where
        ItemBytes: Funnel<T>,
    {
        Hash128::of_key(&ItemBytes { seed }, key)
    }
    assert_eq!(of(3, &-7_i8), of(3, &-7_i64));
    assert_eq!(of(3, &-7_i16), of(3, &-7_i32));
    assert_ne!(of(0, &7_i64), of(0, "7"));
    assert_eq!(of(0, "é"), of(0, "é".as_bytes()));
    assert_eq!(of(5, &Utf16(&[0x61, 0xd800])), of(5, "a?"));
}

#[test]
fn an_intersection_has_the_common_bits() {
    let of = |keys: &[&str], capacity| {
        let mut filter = BloomFilter::with_capacity(capacity, 0.01).unwrap();
        filter.insert_many(keys.iter().copied());
        filter
    };
    let (one, other) = (of(&["a", "b"], 100), of(&["b", "c"], 100));
    let mut both = one.clone();
    both.intersect(&other).unwrap();
    assert_eq!(both.contains_many(["a", "b", "c"]), [false, true, false]);
    let words = one.words().iter().zip(other.words());
    assert!(
        words
            .map(|(one, other)| one & other)
            .eq(both.words().iter().copied())
    );
    let before = both.clone();
    let error = both.intersect(&of(&[], 1_000)).unwrap_err();
    assert!(matches!(error, Error::Incompatible(_)) && both == before);
}

#[test]
fn parameters_outside_their_ranges_are_refused() {
    for parameters in [
        Parameters::new(0, 0.01),
        Parameters::new(1 << 63, 0.01),
        Parameters::with_bits(1, 0),
        // 1 - 2^-53: no bits.
        Parameters::new(1, 1.0 - f64::EPSILON / 2.0),
        // More probes than a Java int holds.
        Parameters::with_bits(1, 1 << 36),
        Parameters::of_data_frame(0, 0.5),
    ] {
        assert!(matches!(parameters.unwrap_err(), Error::InvalidArgument(_)));
    }
    let largest = i32::MAX as u64 * 64;
    assert!(Parameters::with_bits(1 << 40, largest).is_ok());
    let error = Parameters::with_bits(1 << 40, largest + 1).unwrap_err();
    assert!(matches!(error, Error::TooLarge(_)));
    // More than 255 probes, which only Guava refuses.
    assert_eq!(Parameters::new(1, 1e-300).unwrap().probe_count(), 996);
}

/// The largest probe count of one word; the next one is in `wrong_fields.txt`.
#[test]
fn a_full_filter_of_64_probes_is_read() {
    let mut stream = [1_u32, 64, 1].map(u32::to_be_bytes).concat();
    stream.extend([0xff; 8]);
    let full = BloomFilter::from_spark(&stream).unwrap();
    assert!(full.contains("anything"));
    assert_eq!((full.estimated_len(), full.expected_rate()), (None, 1.0));
}
