//! The golden data of `tests/data`, whose README names the sources.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The contents of `vectors.json`. An unknown field is an error, so nothing in the file goes unread.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Vectors {
    pub(crate) format: String,
    pub(crate) bytes: String,
    pub(crate) keys: Vec<Key>,
    pub(crate) functions: Vec<Function>,
    pub(crate) variants: Vec<Function>,
    /// Values by function name and key id.
    pub(crate) signed_char: BTreeMap<String, BTreeMap<String, String>>,
    pub(crate) smhasher_verification: BTreeMap<String, String>,
    pub(crate) collisions: Vec<Collision>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Key {
    pub(crate) id: String,
    pub(crate) hex: String,
    pub(crate) len: usize,
    #[serde(default, rename = "note")]
    _note: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Function {
    pub(crate) name: String,
    #[serde(rename = "bits")]
    _bits: u32,
    /// Values by key id.
    pub(crate) vectors: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Collision {
    pub(crate) function: String,
    pub(crate) a: String,
    pub(crate) b: String,
    #[serde(rename = "from")]
    _from: String,
}

impl Vectors {
    pub(crate) fn load() -> Self {
        let vectors: Self = serde_json::from_str(include_str!("../data/vectors.json")).unwrap();
        assert_eq!(
            (vectors.format.as_str(), vectors.bytes.as_str()),
            ("hash-vectors/1", "unsigned")
        );
        vectors
    }

    /// Returns the keys' bytes by id.
    pub(crate) fn keys_by_id(&self) -> BTreeMap<&str, Vec<u8>> {
        self.keys
            .iter()
            .map(|key| {
                let bytes = bytes(&key.hex);
                assert_eq!(bytes.len(), key.len, "{}", key.id);
                (key.id.as_str(), bytes)
            })
            .collect()
    }
}

pub(crate) fn bytes(hex: &str) -> Vec<u8> {
    assert!(hex.len().is_multiple_of(2), "{hex}");
    (0..hex.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap())
        .collect()
}

/// Parses a number written as `0x...`.
pub(crate) fn number(text: &str) -> u64 {
    u64::from_str_radix(text.strip_prefix("0x").unwrap(), 16).unwrap()
}
