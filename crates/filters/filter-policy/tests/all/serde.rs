//! Filters and bits per key in formats of serde: JSON, whose bytes are base64, and CBOR.

use std::sync::Arc;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use ciborium::Value as Cbor;
use filter_policy::leveldb::{KeyHasher, LaneHash};
use filter_policy::policies::{self, AnyPolicy};
use filter_policy::prefix::{FixedPrefix, PrefixPolicy};
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy, MATCHES_EVERYTHING, OwnedFilter, formats};
use serde::{Deserialize, Serialize};
use serde_json::{from_str, from_value, json, to_value};

type AnyFilter = OwnedFilter<AnyPolicy, Vec<u8>>;

/// A filter that serde buffers.
#[derive(Deserialize)]
#[serde(untagged)]
enum Buffered {
    Only(AnyFilter),
}

fn to_cbor(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).unwrap();
    bytes
}

/// Checks both forms of a filter of this policy.
fn check(policy: &AnyPolicy) {
    let keys: Vec<Vec<u8>> = (0..5_000_u32).map(|key| key.to_be_bytes().to_vec()).collect();
    let slices: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
    let (mut bytes, name) = (Vec::new(), policy.name());
    policy.append_filter(&slices, &mut bytes).unwrap();
    let written = OwnedFilter::new(policy, &bytes);
    let (cbor, json) = (to_cbor(&written), to_value(written).unwrap());
    let base64 = BASE64_STANDARD.encode(&bytes);
    assert_eq!(json, json!({"policy": name, "bytes": base64}));
    let fields = [("policy", name.into()), ("bytes", Cbor::Bytes(bytes.clone()))];
    let fields = fields.map(|(name, value)| (name.into(), value)).into();
    assert_eq!(
        ciborium::from_reader::<Cbor, _>(&cbor[..]).unwrap(),
        Cbor::Map(fields)
    );
    let text = json.to_string();
    let Buffered::Only(of_text) = from_str(&text).unwrap();
    let Buffered::Only(of_bytes) = ciborium::from_reader(&cbor[..]).unwrap();
    for read in [
        from_str::<AnyFilter>(&text).unwrap(),
        serde_json::from_reader(text.as_bytes()).unwrap(),
        from_value(json).unwrap(),
        from_value(json!([name, base64])).unwrap(),
        ciborium::from_reader(&cbor[..]).unwrap(),
        of_text,
        of_bytes,
    ] {
        assert_eq!((read.policy().name(), read.bytes()), (name, &bytes[..]));
        assert!(keys.iter().all(|key| read.may_match(key)));
        assert!(!read.may_match(b"absent"));
    }
    // The pointer and the memory are those that a program wants.
    let shared: OwnedFilter<Arc<dyn FilterPolicy + Send + Sync>, Arc<[u8]>> = from_str(&text).unwrap();
    assert!(!shared.may_match(b"absent"));
}

#[test]
fn filters_of_every_policy_are_read_as_they_were_written() {
    let ten = BitsPerKey::whole(10);
    for format in formats::ALL {
        check(&format.policy(ten));
    }
    check(&policies::reader("BloomFilter2.Seed9747b28c").unwrap());
    check(&policies::parse("range:10").unwrap());
    let prefixes: AnyPolicy = Box::new(PrefixPolicy::new(
        BloomFilterPolicy::new(ten),
        FixedPrefix::new(4),
    ));
    check(&prefixes);
}

/// A hash of an engine's own.
struct Crc;

impl KeyHasher for Crc {
    fn hash(&self, key: &[u8]) -> u32 {
        LaneHash::Murmur2 { seed: 9 }.hash(key)
    }

    fn policy_name(&self) -> &str {
        "example.CrcBloom"
    }
}

/// A policy with another name than the one that it is made of.
struct Renamed(AnyPolicy);

impl From<AnyPolicy> for Renamed {
    fn from(policy: AnyPolicy) -> Self {
        Self(policy)
    }
}

impl FilterPolicy for Renamed {
    fn name(&self) -> &str {
        "example.Renamed"
    }

    fn max_filter_len(&self, keys: usize) -> Result<usize, filter_policy::Error> {
        self.0.max_filter_len(keys)
    }

    fn create_filter<'out>(
        &self,
        keys: &[&[u8]],
        out: &'out mut [u8],
    ) -> Result<filter_policy::FilterBytes<'out>, filter_policy::Error> {
        self.0.create_filter(keys, out)
    }

    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        self.0.key_may_match(key, filter)
    }
}

#[test]
fn no_key_is_denied_by_a_policy_of_another_name() {
    let unknown = "policy name must be known, got ";
    let name = "BloomFilter2";
    for (value, expected) in [
        (
            json!(["BloomFilter3", ""]),
            format!("{unknown}\"BloomFilter3\": known are "),
        ),
        (
            json!(["murmur2", ""]),
            format!("{unknown}\"murmur2\": known are "),
        ),
        (json!(["x".repeat(100_000), ""]), format!("{unknown}\"xxx")),
        (
            json!([name, "AAA"]),
            "the bytes must be base64, got a text with: Invalid padding".into(),
        ),
        (
            json!([name, "AAA*"]),
            "the bytes must be base64, got a text with: Invalid symbol 42, offset 3".into(),
        ),
        (
            json!([name, "AAB="]),
            "the bytes must be base64, got a text with: Invalid last symbol".into(),
        ),
        (
            json!([name, [1, 2]]),
            "invalid type: sequence, expected bytes, or their base64".into(),
        ),
        (json!([name]), "invalid length 1, expected a filter".into()),
        (json!([name, "", 1]), "invalid length 3, expected ".into()),
        (json!({"policy": name}), "missing field `bytes`".into()),
        (json!({"bytes": ""}), "missing field `policy`".into()),
        (
            json!({"policy": name, "name": name}),
            "unknown field `name`, expected `policy` or `bytes`".into(),
        ),
        (
            json!(name),
            "invalid type: string \"BloomFilter2\", expected a filter".into(),
        ),
    ] {
        let error = from_value::<AnyFilter>(value).unwrap_err().to_string();
        assert!(
            error.starts_with(&expected) && error.len() < 1_500,
            "{expected}: {error}"
        );
    }
    let error = from_str::<AnyFilter>(r#"{"policy": "a", "policy": "a"}"#).unwrap_err();
    assert!(error.to_string().starts_with("duplicate field `policy`"));
    // Nobody else knows the policy of an engine.
    let own = BloomFilterPolicy::with_hasher(Crc, 10.into());
    let json = to_value(OwnedFilter::new(&own, own.build(["key"]).unwrap())).unwrap();
    assert_eq!(json["policy"], "example.CrcBloom");
    let error = from_value::<AnyFilter>(json).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{unknown}\"example.CrcBloom\"")));
    let error = from_value::<OwnedFilter<Renamed, Vec<u8>>>(json!([name, "AAAA"])).unwrap_err();
    let expected = "policy name must be \"example.Renamed\", got \"BloomFilter2\"";
    assert_eq!(error.to_string(), expected);
    // Of a filter under another name every key may match, before and after.
    let stored = BloomFilterPolicy::new(10.into()).build(["key"]).unwrap();
    let policy = BloomFilterPolicy::with_leveldb_hash(10.into());
    assert!(!OwnedFilter::new(&policy, &stored).may_match(b"key"));
    let written = to_value(OwnedFilter::stored_as(name, &policy, &stored)).unwrap();
    let read: AnyFilter = from_value(written).unwrap();
    assert!(read.may_match(b"key") && read.bytes() == MATCHES_EVERYTHING);
    // Reserved bytes match every key as well, and stay what they are.
    let reserved = OwnedFilter::new(&policy, [1, 2, 200]);
    let read: AnyFilter = from_value(to_value(reserved).unwrap()).unwrap();
    assert!(read.may_match(b"key") && read.bytes() == [1, 2, 200]);
}

#[test]
fn bits_per_key_are_a_number() {
    for (text, bits) in [
        ("10", 10.0),
        ("9.5", 9.5),
        ("0", 0.0),
        ("4294967295", 4_294_967_295.0),
    ] {
        let read: BitsPerKey = from_str(text).unwrap();
        assert_eq!(read.get(), bits);
        assert_eq!(from_value::<BitsPerKey>(to_value(read).unwrap()).unwrap(), read);
        assert_eq!(
            ciborium::from_reader::<BitsPerKey, _>(&to_cbor(&read)[..]).unwrap(),
            read
        );
    }
    let range = "bits per key must be between 0 and 4294967295, got ";
    for (text, expected) in [
        ("-1", format!("{range}-1")),
        ("4294967296", format!("{range}4294967296")),
        ("1e300", range.into()),
        ("null", "invalid type: null, expected f64".into()),
        ("\"10\"", "invalid type: string \"10\", expected f64".into()),
    ] {
        let error = from_str::<BitsPerKey>(text).unwrap_err().to_string();
        assert!(error.starts_with(&expected), "{error}");
    }
    for number in [f64::NAN, f64::INFINITY] {
        let error = ciborium::from_reader::<BitsPerKey, _>(&to_cbor(&number)[..]).unwrap_err();
        assert!(error.to_string().contains(range), "{error}");
    }
}
