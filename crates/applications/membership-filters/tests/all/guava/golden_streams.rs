//! The bytes that Guava hashes, and its reading of broken streams.

use membership_filters::guava::BloomFilter;
use membership_filters::{Error, Funnel, Hash128, Integer, Long, Sequence, Utf8, Utf16, Utf16Units};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FunnelRow {
    funnel: String,
    java_string_utf16be_hex: Option<String>,
    value: Option<serde_json::Value>,
    funnel_bytes_hex: String,
    murmur3_128_hex: String,
}

/// Returns the funneled bytes of an element, and the bytes of its hash.
fn fed<F: Funnel<T>, T: ?Sized>(funnel: F, element: &T) -> (Vec<u8>, Vec<u8>) {
    let bytes = funnel.with_bytes(element, <[u8]>::to_vec);
    let hash = Hash128::of_key(&funnel, element);
    assert_eq!(hash, Hash128::of(&bytes), "{bytes:x?}");
    (bytes, [hash.h1.to_le_bytes(), hash.h2.to_le_bytes()].concat())
}

#[test]
fn funnels_feed_the_bytes_of_guavas() {
    let mut lone_surrogates = 0;
    let lines = include_str!("../../data/guava/funnels.jsonl");
    assert_eq!(lines.lines().count(), 35);
    for line in lines.lines() {
        let row: FunnelRow = serde_json::from_str(line).unwrap();
        let expected = (
            hex::decode(&row.funnel_bytes_hex).unwrap(),
            hex::decode(&row.murmur3_128_hex).unwrap(),
        );
        if let Some(digits) = &row.java_string_utf16be_hex {
            let bytes = hex::decode(digits).unwrap();
            let (units, _) = bytes.as_chunks::<2>();
            let units: Vec<u16> = units.iter().copied().map(u16::from_be_bytes).collect();
            let text = String::from_utf16(&units).ok();
            lone_surrogates += usize::from(text.is_none());
            let as_units = Utf16(&units);
            match row.funnel.as_str() {
                "stringFunnel(UTF_8)" => {
                    assert_eq!(fed(Utf8, &as_units), expected, "{line}");
                    assert!(text.is_none_or(|text| fed(Utf8, &text) == expected), "{line}");
                }
                "unencodedCharsFunnel" => {
                    assert_eq!(fed(Utf16Units, &as_units), expected, "{line}");
                    assert!(
                        text.is_none_or(|text| fed(Utf16Units, &text) == expected),
                        "{line}"
                    );
                }
                unknown => panic!("no rule for {unknown}"),
            }
            continue;
        }
        let value = row.value.unwrap();
        let found = match row.funnel.as_str() {
            "integerFunnel" => fed(Integer, &i32::try_from(value.as_i64().unwrap()).unwrap()),
            "longFunnel" => fed(Long, &value.as_i64().unwrap()),
            "sequentialFunnel(stringFunnel)" => {
                let parts: Vec<String> = serde_json::from_value(value).unwrap();
                fed(Sequence(Utf8), &parts)
            }
            unknown => panic!("no rule for {unknown}"),
        };
        assert_eq!(found, expected, "{line}");
    }
    assert_eq!(lone_surrogates, 4);
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StreamRow {
    input_hex: String,
    result: String,
}

#[test]
fn what_guava_reads_is_read_and_what_it_refuses_is_refused() {
    let lines = include_str!("../../data/guava/stream_errors.jsonl");
    assert_eq!(lines.lines().count(), 15);
    for line in lines.lines() {
        let row: StreamRow = serde_json::from_str(line).unwrap();
        let bytes = hex::decode(&row.input_hex).unwrap();
        let mut read = BloomFilter::from_guava(&bytes, Utf8);
        // Guava reads no further than the filter.
        if let Err(Error::TrailingBytes(length)) = &read {
            read = BloomFilter::from_guava(&bytes[..length.allowed.parse::<usize>().unwrap()], Utf8);
        }
        if let Some(accepted) = row.result.strip_prefix("ok ") {
            let filter = read.unwrap();
            let again = hex::encode(filter.to_guava());
            assert_eq!(
                format!("bitSize={} reserialized={again}", filter.bits()),
                accepted,
                "{line}"
            );
            continue;
        }
        let error = read.unwrap_err();
        let cut = matches!(error, Error::Truncated(_));
        assert_eq!(
            cut,
            row.result.starts_with("java.io.EOFException"),
            "{line}: {error}"
        );
        // Like Guava's message, this one holds the header's values.
        if let Some((_, values)) = row.result.split_once("strategyOrdinal: ") {
            let values: Vec<&str> = values
                .split(|c: char| c != '-' && !c.is_ascii_digit())
                .filter(|value| !value.is_empty())
                .collect();
            let expected = format!(
                "(header: strategy ordinal {}, probe count {}, word count {})",
                values[0], values[1], values[2]
            );
            assert!(error.to_string().ends_with(&expected), "{line}: {error}");
        }
    }
}
