//! Filters and parameters in formats of serde: JSON, whose bytes are base64, and CBOR.

use std::fmt::Debug;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use ciborium::Value as Cbor;
use membership_filters::backend::Bloom;
use membership_filters::envelope;
use membership_filters::guava::{self, ProbeCountRule};
use membership_filters::{
    BlockedBloomFilter, Bytes, ConcurrentBlockedBloomFilter, CountingBloomFilter, CuckooFilter,
    CuckooParameters, Filter, Generations, HashId, Parameters, RotatingFilter, Utf8, Xxph3, redisbloom,
    spark,
};
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, from_str, from_value, json, to_value};

use super::support::samples::sample;

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
    let cbor = to_cbor(value);
    assert_eq!(&ciborium::from_reader::<T, _>(&cbor[..]).unwrap(), value);
    let Buffered::Only(buffered) = ciborium::from_reader::<Buffered<T>, _>(&cbor[..]).unwrap();
    assert_eq!(&buffered, value);
    // Fields without names, in the order of CBOR: JSON's are sorted.
    let cbor: Cbor = ciborium::from_reader(&cbor[..]).unwrap();
    let names = cbor
        .as_map()
        .unwrap()
        .iter()
        .map(|(name, _)| name.as_text().unwrap());
    let in_order: Value = names.map(|name| json[name].clone()).collect();
    assert_eq!(&from_value::<T>(in_order).unwrap(), value);
    json
}

/// Checks a filter from its stored form: the forms, and that each of their faults is an error.
fn check<T>(bytes: &[u8], kind: &str, funnel: &str)
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let text = json!([kind, funnel, BASE64_STANDARD.encode(bytes)]);
    let filter: T = from_value(text).unwrap();
    let json = round_trip(&filter);
    let base64 = json["bytes"].as_str().unwrap();
    assert_eq!(json, json!({"kind": kind, "funnel": funnel, "bytes": base64}));
    let cbor = |bytes: &[u8]| {
        let fields = [
            ("kind", kind.into()),
            ("funnel", funnel.into()),
            ("bytes", Cbor::Bytes(bytes.into())),
        ];
        Cbor::Map(fields.map(|(name, value)| (name.into(), value)).into())
    };
    assert_eq!(
        ciborium::from_reader::<Cbor, _>(&to_cbor(&filter)[..]).unwrap(),
        cbor(bytes)
    );
    let is_refused = |bytes: &[u8]| cbor(bytes).deserialized::<T>().is_err();
    for at in 0..bytes.len() {
        assert!(is_refused(&bytes[..at]), "{at}");
        for bit in 0..8 {
            let mut damaged = bytes.to_vec();
            damaged[at] ^= 1 << bit;
            assert!(is_refused(&damaged), "{at} {bit}");
        }
    }
    assert!(is_refused(&[bytes, &[0]].concat()));
    for at in 0..base64.len() {
        assert!(
            from_value::<T>(json!([kind, funnel, base64[..at]])).is_err(),
            "{at}"
        );
        for bit in 0..7 {
            let mut damaged = base64.as_bytes().to_vec();
            damaged[at] ^= 1 << bit;
            let damaged = String::from_utf8(damaged).unwrap();
            assert!(
                from_value::<T>(json!([kind, funnel, damaged])).is_err(),
                "{at} {bit}"
            );
        }
    }
    for (text, expected) in [
        (
            json!(["hyperloglog", funnel, base64]),
            format!("the kind must be {kind}, got hyperloglog"),
        ),
        (
            json!([kind, "", base64]),
            format!("the funnel must be {funnel}, got "),
        ),
        (
            json!([kind, funnel, format!("{base64}=")]),
            "the bytes must be base64, got a text with: Invalid symbol".into(),
        ),
        (
            json!([kind, funnel, ""]),
            "the length in bytes must be at least 8, got 0".into(),
        ),
        (
            json!([kind, funnel, "AAAAAAAAAAA="]),
            "the first eight bytes must be ".into(),
        ),
        (
            json!([kind, funnel, [1, 2]]),
            "invalid type: sequence, expected bytes, or their base64".into(),
        ),
        (
            json!([kind, funnel, 1]),
            "invalid type: integer `1`, expected bytes, or their base64".into(),
        ),
        (
            json!([kind, funnel]),
            "invalid length 2, expected a filter".into(),
        ),
        (
            json!([kind, funnel, base64, 1]),
            "invalid length 4, expected ".into(),
        ),
        (
            json!({"kind": kind, "funnel": funnel}),
            "missing field `bytes`".into(),
        ),
        (
            json!({"kind": kind, "hash": funnel}),
            "unknown field `hash`, expected one of `kind`, `funnel`, `bytes`".into(),
        ),
        (json!(base64), "invalid type: string ".into()),
        (
            json!([1, funnel, base64]),
            "invalid type: integer `1`, expected a string".into(),
        ),
    ] {
        let error = from_value::<T>(text).unwrap_err().to_string();
        assert!(error.starts_with(&expected), "{expected}: {error}");
    }
    let twice = format!(r#"{{"kind": "{kind}", "kind": "{kind}"}}"#);
    let error = from_str::<T>(&twice).unwrap_err().to_string();
    assert!(error.starts_with("duplicate field `kind`"), "{error}");
    let long = json!(["x".repeat(100_000), funnel, base64]);
    assert!(from_value::<T>(long).unwrap_err().to_string().len() < 300);
}

#[test]
fn every_kind_is_read_as_it_was_written() {
    const UTF8: &str = "MurmurHash3 of bytes or UTF-8";
    let [bloom, blocked] = ["guava-envelope", "blocked"].map(sample);
    check::<guava::BloomFilter<Utf8>>(&bloom, "guava-envelope", UTF8);
    check::<guava::ConcurrentBloomFilter<Utf8>>(&bloom, "guava-envelope", UTF8);
    check::<CountingBloomFilter<Bytes>>(&sample("counting"), "counting", UTF8);
    check::<CuckooFilter<Utf8>>(&sample("cuckoo"), "cuckoo", UTF8);
    check::<CuckooFilter<Bytes>>(&sample("cuckoo.full"), "cuckoo", UTF8);
    check::<BlockedBloomFilter<Utf8>>(&blocked, "blocked", UTF8);
    check::<ConcurrentBlockedBloomFilter<Utf8>>(&blocked, "blocked", UTF8);
    check::<RotatingFilter<Utf8>>(&sample("rotating"), "rotating", UTF8);
    let funnel = "Spark's MurmurHash3 of bytes or UTF-8, seed -5";
    check::<spark::BloomFilter>(&sample("spark-v2.envelope"), "spark-v2", funnel);
    let funnel = "RedisBloom's MurmurHash64A of bytes or UTF-8";
    check::<redisbloom::BloomFilter>(&sample("redisbloom.envelope"), "redisbloom", funnel);
    check::<BlockedBloomFilter>(&sample("blocked.xxph3"), "blocked", "XXPH3 of bytes or UTF-8");
    // Larger than the buffer of the reader of CBOR.
    round_trip(&BlockedBloomFilter::with_capacity(10_000, 0.01).unwrap());
}

#[test]
fn the_funnel_that_bytes_name_is_taken_if_any_is() {
    let bytes = sample("blocked.xxph3");
    let filter = BlockedBloomFilter::from_bytes(&bytes, Xxph3).unwrap();
    let any = BlockedBloomFilter::from_bytes(&bytes, envelope::hash_id(&bytes).unwrap()).unwrap();
    let json = round_trip(&any);
    assert_eq!(json, to_value(&filter).unwrap());
    let bloom = sample("guava-envelope");
    let [kind, bytes] = ["kind", "bytes"].map(|field| json[field].clone());
    for (funnel, bytes, expected) in [
        (
            "MurmurHash3",
            bytes,
            "the funnel must be XXPH3 of bytes or UTF-8, got MurmurHash3",
        ),
        ("", json!(""), "the length in bytes must be at least 8, got 0"),
        (
            "MurmurHash3 of bytes or UTF-8",
            json!(BASE64_STANDARD.encode(bloom)),
            "the first eight bytes must be \"MFblocks\", got \"GBfilter\"",
        ),
    ] {
        let error = from_value::<BlockedBloomFilter<HashId>>(json!([kind, funnel, bytes])).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}

/// A funnel of another hash would deny stored keys.
#[test]
fn a_filter_with_its_own_hash_takes_no_other_funnel() {
    type Wrong = Filter<Bloom<spark::Version>, Utf8>;
    let bytes = BASE64_STANDARD.encode(sample("spark-v2.envelope"));
    let funnel = "MurmurHash3 of bytes or UTF-8";
    let error = from_value::<Wrong>(json!(["spark-v2", funnel, bytes])).unwrap_err();
    let text = "the funnel must be Spark's MurmurHash3 of bytes or UTF-8, got MurmurHash3 of bytes or UTF-8";
    assert_eq!(error.to_string(), text);
}

/// Checks the fields of parameters, the error for other values of each, and that of missing and unknown fields.
fn check_fields<T>(value: &T, fields: &Value, wrong: &[(&str, Value, &str)])
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    assert_eq!(&round_trip(value), fields);
    for (name, other, expected) in wrong {
        let mut fields = fields.clone();
        fields[name] = other.clone();
        let error = from_value::<T>(fields).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{expected}: {error}");
    }
    for name in fields.as_object().unwrap().keys() {
        let mut fewer = fields.clone();
        fewer.as_object_mut().unwrap().remove(name);
        let error = from_value::<T>(fewer).unwrap_err().to_string();
        assert_eq!(error, format!("missing field `{name}`"));
    }
    let mut more = fields.clone();
    more["more"] = json!(1);
    let error = from_value::<T>(more).unwrap_err().to_string();
    assert!(error.starts_with("unknown field `more`"), "{error}");
}

#[test]
fn parameters_are_the_values_that_make_them() {
    let rate = "the false-positive rate must be above 0 and below 1, got 1.0";
    let blocks = Parameters::with_blocks(7).unwrap();
    let range = "the blocks must be between 1 and 67108863, got 0";
    check_fields(&blocks, &json!({"blocks": 7}), &[("blocks", json!(0), range)]);

    let cuckoo = CuckooParameters::with_buckets(20, 12).unwrap().seed(u64::MAX);
    let wrong = [
        (
            "fingerprint_bits",
            json!(3),
            "the fingerprint bits must be between 4 and 32, got 3",
        ),
        (
            "buckets",
            json!(u64::MAX),
            "the filter's length in bytes must be at most ",
        ),
    ];
    let fields = json!({"buckets": 20, "fingerprint_bits": 12, "seed": u64::MAX});
    check_fields(&cuckoo, &fields, &wrong);

    let of_guava = guava::Parameters::new(1, 0.01)
        .unwrap()
        .strategy(guava::Strategy::Murmur128Mitz32);
    let wrong = [
        (
            "capacity",
            json!(u64::MAX),
            "the capacity must be between 0 and 9223372036854775807, got ",
        ),
        ("rate", json!(1), rate),
        ("strategy", json!(2), "the strategy must be 0 or 1, got 2"),
        ("probe_count", json!(8), "the probe count must be 7, got 8"),
    ];
    let fields = json!({"capacity": 1, "rate": 0.01, "strategy": 0, "probe_count": 7});
    check_fields(&of_guava, &fields, &wrong);
    let older = guava::Parameters::with_rule(1, 0.01, ProbeCountRule::FromBitsPerKey).unwrap();
    let fields = json!({"capacity": 1, "rate": 0.01, "strategy": 1, "probe_count": 6});
    check_fields(&older, &fields, &[]);

    let spark = spark::Parameters::with_bits(1, 60).unwrap();
    let wrong = [
        (
            "version",
            json!(3),
            "the version must be 1 with the seed 0, or 2, got 3",
        ),
        (
            "bits",
            json!(65),
            "bits and probe count must be those of a filter of Spark's, got 65 and 42",
        ),
        (
            "bits",
            json!(u64::MAX),
            "bits and probe count must be those of a filter of Spark's, got ",
        ),
        (
            "bits",
            json!(0),
            "bits and probe count must be those of a filter of Spark's, got 0 and 42",
        ),
        (
            "probe_count",
            json!(0),
            "bits and probe count must be those of a filter of Spark's, got 64 and 0",
        ),
        (
            "probe_count",
            json!(45),
            "bits and probe count must be those of a filter of Spark's, got 64 and 45",
        ),
    ];
    let fields = json!({"version": 2, "seed": 0, "bits": 64, "probe_count": 42});
    check_fields(&spark, &fields, &wrong);
    let fields = json!({"version": 2, "seed": -5, "bits": 64, "probe_count": 42});
    check_fields(&spark.version(spark::Version::V2 { seed: -5 }), &fields, &[]);
    let fields = json!({"version": 1, "seed": 0, "bits": 64, "probe_count": 42});
    let wrong = [(
        "seed",
        json!(1),
        "the version must be 1 with the seed 0, or 2, got 1",
    )];
    check_fields(&spark.version(spark::Version::V1), &fields, &wrong);

    let chain = redisbloom::Parameters::new(1_000, 0.01);
    let wrong = [
        ("capacity", json!(0), "the capacity must be at least 1, got 0"),
        ("rate", json!(1), rate),
        (
            "expansion",
            json!(32_769),
            "the expansion must be between 0 and 32768, got 32769",
        ),
    ];
    for (chain, expansion) in [
        (chain, json!(2)),
        (chain.expansion(4), json!(4)),
        (chain.expansion(0), json!(0)),
        (chain.non_scaling(), json!(null)),
        (chain.expansion(4).non_scaling(), json!(null)),
    ] {
        let fields = json!({"capacity": 1_000, "rate": 0.01, "expansion": expansion});
        check_fields(&chain, &fields, &wrong);
    }

    let count = "the number of generations must be between 1 and 65536, got ";
    let wrong = [
        ("count", json!(0), count),
        ("count", json!(65_537), count),
        ("each", json!([0]), range),
    ];
    let fields = json!({"count": 3, "each": {"blocks": 7}});
    check_fields(
        &Generations {
            count: 3,
            each: blocks,
        },
        &fields,
        &wrong,
    );
    let fields = json!({"count": 1, "each": {"capacity": 1, "rate": 0.01, "strategy": 1, "probe_count": 6}});
    check_fields(
        &Generations {
            count: 1,
            each: older,
        },
        &fields,
        &[],
    );
}

/// Values of JSON that are like forms, or not.
fn values() -> impl Strategy<Value = Value> {
    let texts = prop_oneof![
        any::<String>(),
        "[A-Za-z0-9+/]{0,24}={0,2}",
        Just("BlockedBloomFilter".to_owned()),
        Just("MurmurHash3 of bytes or UTF-8".to_owned()),
        Just("TUZibG9ja3MCAQEAAAAAAA==".to_owned()),
    ];
    let leaves = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0_u64..300).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (0.0..1.0).prop_map(Value::from),
        texts.prop_map(Value::from),
    ];
    let names = prop_oneof![
        Just("kind"),
        Just("funnel"),
        Just("bytes"),
        Just("capacity"),
        Just("rate"),
        Just("strategy"),
        Just("probe_count"),
        Just("version"),
        Just("seed"),
        Just("bits"),
        Just("expansion"),
        Just("buckets"),
        Just("fingerprint_bits"),
        Just("count"),
        Just("each"),
        Just("blocks"),
    ];
    leaves.prop_recursive(3, 24, 5, move |inner| {
        let fields = prop::collection::vec((names.clone(), inner.clone()), 0..5);
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(Value::from),
            fields.prop_map(|fields| fields
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()),
        ]
    })
}

/// Reads a value, which may be refused; what is read is written and read again.
fn read<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &Value) {
    if let Ok(read) = from_value::<T>(value.clone()) {
        assert_eq!(ciborium::from_reader::<T, _>(&to_cbor(&read)[..]).unwrap(), read);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_value_is_refused_or_read(value in values()) {
        read::<BlockedBloomFilter<Utf8>>(&value);
        read::<BlockedBloomFilter<HashId>>(&value);
        read::<CuckooFilter>(&value);
        read::<spark::BloomFilter>(&value);
        read::<Parameters>(&value);
        read::<guava::Parameters>(&value);
        read::<spark::Parameters>(&value);
        read::<redisbloom::Parameters>(&value);
        read::<CuckooParameters>(&value);
        read::<Generations>(&value);
    }

    #[test]
    fn any_parameters_are_read_as_they_were_written(
        capacity in prop_oneof![1_u64..100, any::<u64>()],
        rate in prop_oneof![0.0..1.0, 1e-80..1e-70],
        bits in prop_oneof![1_u64..10_000, 1..137_438_953_408_u64],
        expansion in prop::option::of(0_u32..40_000),
    ) {
        let spark = [spark::Parameters::with_bits(capacity, bits), spark::Parameters::with_bits(capacity % 100 + 1, bits)];
        for spark in spark.iter().flatten() {
            read_again(spark);
        }
        for rule in [ProbeCountRule::FromRate, ProbeCountRule::FromBitsPerKey] {
            guava::Parameters::with_rule(capacity, rate, rule).iter().for_each(read_again);
        }
        let chain = redisbloom::Parameters::new(capacity, rate);
        let chain = expansion.map_or(chain.non_scaling(), |factor| chain.expansion(factor));
        if chain.first_link().is_ok() {
            read_again(&chain);
        }
        CuckooParameters::new(capacity, rate).iter().for_each(read_again);
        Generations::new(3, capacity, rate).iter().for_each(read_again);
    }
}

fn read_again<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    assert_eq!(
        &ciborium::from_reader::<T, _>(&to_cbor(value)[..]).unwrap(),
        value
    );
}
