//! Filters in formats of serde: JSON, whose bytes are base64, and CBOR.

use std::fmt::Debug;
use std::sync::LazyLock;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use ciborium::Value as Cbor;
use membership_filters::backend::Bloom;
use membership_filters::{
    BlockedBloomFilter, Bytes, ConcurrentBlockedBloomFilter, CountingBloomFilter, CuckooFilter, Filter,
    HashId, RotatingFilter, Utf8, guava, redisbloom, spark,
};
use proptest::prelude::*;
use proptest::sample::Index;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, from_str, from_value, json, to_value};

use super::support::samples::samples;

/// Returns the binary form.
fn to_cbor<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).unwrap();
    bytes
}

/// A part of a struct whose fields serde buffers.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Buffered<T> {
    Only(T),
}

/// Checks that both forms are read as they were written, in every way that serde has, and returns that of JSON.
fn round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) -> Value {
    let json = to_value(value).unwrap();
    let text = json.to_string();
    assert_eq!(&from_str::<T>(&text).unwrap(), value);
    assert_eq!(&serde_json::from_reader::<_, T>(text.as_bytes()).unwrap(), value);
    assert_eq!(&from_value::<T>(json.clone()).unwrap(), value);
    let Buffered::Only(buffered) = from_str::<Buffered<T>>(&text).unwrap();
    assert_eq!(&buffered, value);
    let bytes = to_cbor(value);
    assert_eq!(&ciborium::from_reader::<T, _>(&bytes[..]).unwrap(), value);
    let Buffered::Only(buffered) = ciborium::from_reader::<Buffered<T>, _>(&bytes[..]).unwrap();
    assert_eq!(&buffered, value);
    let cbor: Cbor = ciborium::from_reader(&bytes[..]).unwrap();
    let fields = cbor.into_map().unwrap().into_iter();
    // Fields without names, in the order of CBOR: JSON's are sorted.
    let mut in_order = Vec::new();
    for (name, field) in fields {
        let of_json = &json[name.as_text().unwrap()];
        if name.as_text() == Some("bytes") {
            let bytes = BASE64_STANDARD.decode(of_json.as_str().unwrap()).unwrap();
            assert_eq!(field, Cbor::Bytes(bytes));
        }
        in_order.push(of_json.clone());
    }
    assert_eq!(&from_value::<T>(in_order.into()).unwrap(), value);
    json
}

/// Reads a value of a type, and checks that it is read again as it was written. Returns what is written, or the error.
type Again = fn(&str) -> Result<Value, String>;

fn again<T: Serialize + DeserializeOwned + PartialEq + Debug>(text: &str) -> Result<Value, String> {
    let read = from_str::<T>(text).map_err(|error| error.to_string())?;
    Ok(round_trip(&read))
}

/// Returns the function for the type with this name in `serde.txt`.
fn of_type(name: &str) -> Again {
    match name {
        "guava::BloomFilter<Utf8>" => again::<guava::BloomFilter<Utf8>>,
        "guava::ConcurrentBloomFilter<Utf8>" => again::<guava::ConcurrentBloomFilter<Utf8>>,
        "CountingBloomFilter<Bytes>" => again::<CountingBloomFilter<Bytes>>,
        "CuckooFilter<Utf8>" => again::<CuckooFilter<Utf8>>,
        "CuckooFilter<Bytes>" => again::<CuckooFilter<Bytes>>,
        "BlockedBloomFilter<Utf8>" => again::<BlockedBloomFilter<Utf8>>,
        "ConcurrentBlockedBloomFilter<Utf8>" => again::<ConcurrentBlockedBloomFilter<Utf8>>,
        "BlockedBloomFilter" => again::<BlockedBloomFilter>,
        "BlockedBloomFilter<HashId>" => again::<BlockedBloomFilter<HashId>>,
        "RotatingFilter<Utf8>" => again::<RotatingFilter<Utf8>>,
        "spark::BloomFilter" => again::<spark::BloomFilter>,
        "redisbloom::BloomFilter" => again::<redisbloom::BloomFilter>,
        "Filter<Bloom<spark::Version>,Utf8>" => again::<Filter<Bloom<spark::Version>, Utf8>>,
        unknown => panic!("no type {unknown}"),
    }
}

/// A line of `serde.txt`: the function of the type, the value, and the error if it is refused.
type Line = (Again, String, Option<&'static str>);

fn lines() -> Vec<Line> {
    let lines = include_str!("../data/serde.txt").lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let samples = samples();
    let line = |line: &'static str| {
        let (name, rest) = line.split_once(' ').unwrap();
        let (value, error) = match rest.split_once(" => ") {
            Some((value, error)) => (value, Some(error)),
            None => (rest, None),
        };
        let value = samples.iter().fold(value.to_owned(), |value, sample| {
            value.replace(
                &format!("\"${}\"", sample.name),
                &format!("\"{}\"", BASE64_STANDARD.encode(&sample.bytes)),
            )
        });
        (of_type(name), value, error)
    };
    lines.map(line).collect()
}

/// The values that are read.
static ACCEPTED: LazyLock<Vec<(Again, Value)>> = LazyLock::new(|| {
    let lines = lines().into_iter().filter(|(_, _, error)| error.is_none());
    lines
        .map(|(again, text, _)| (again, from_str(&text).unwrap()))
        .collect()
});

#[test]
fn values_are_read_as_they_were_written_or_refused_with_their_fault() {
    for (again, text, expected) in lines() {
        match (again(&text), expected) {
            (Ok(written), None) => assert_eq!(written, from_str::<Value>(&text).unwrap()),
            (Err(error), Some(expected)) => assert!(error.starts_with(expected), "{expected}: {error}"),
            (result, _) => panic!("{text}: {result:?}"),
        }
    }
    // Larger than the buffer of the reader of CBOR.
    round_trip(&BlockedBloomFilter::with_capacity(10_000, 0.01).unwrap());
}

#[test]
fn missing_further_and_damaged_fields_are_refused() {
    let refused = |again: Again, json: &Value| again(&json.to_string()).unwrap_err();
    for (again, json) in ACCEPTED.iter().cloned() {
        for name in json.as_object().unwrap().keys() {
            let mut fewer = json.clone();
            fewer.as_object_mut().unwrap().remove(name);
            let error = refused(again, &fewer);
            assert!(error.starts_with(&format!("missing field `{name}`")), "{error}");
        }
        let mut more = json.clone();
        more["more"] = json!(1);
        let error = refused(again, &more);
        assert!(error.starts_with("unknown field `more`"), "{error}");
        let Some(base64) = json["bytes"].as_str() else {
            continue;
        };
        let mut bytes = BASE64_STANDARD.decode(base64).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        let mut damaged = json.clone();
        damaged["bytes"] = json!(BASE64_STANDARD.encode(bytes));
        let error = refused(again, &damaged);
        assert!(error.starts_with("the checksum must be"), "{error}");
        let mut long = json.clone();
        long["kind"] = json!("x".repeat(100_000));
        assert!(refused(again, &long).len() < 300);
    }
}

/// Values of a field, of which JSON's text is exact.
fn values() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0_u64..300).prop_map(Value::from),
        (-10..1_010).prop_map(|thousandths| json!(f64::from(thousandths) / 1_000.0)),
        any::<String>().prop_map(Value::from),
        prop::collection::vec(0_u64..9, 0..5).prop_map(Value::from),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Nothing panics, and what is read is read again as it was written.
    #[test]
    fn any_value_of_a_field_is_refused_or_read(
        line: Index,
        changes in prop::collection::vec((any::<Index>(), values()), 1..4),
    ) {
        let (again, mut json) = line.get(&ACCEPTED).clone();
        for (field, value) in changes {
            let fields = json.as_object_mut().unwrap();
            let name = field.get(&fields.keys().cloned().collect::<Vec<_>>()).clone();
            fields[&name] = value;
        }
        drop(again(&json.to_string()));
    }
}
