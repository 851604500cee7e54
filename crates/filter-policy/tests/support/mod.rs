//! Shared by the golden tests: reading the data files and making the keys that they are about.

use serde::de::DeserializeOwned;

pub(crate) mod data;

/// The rows of a JSON Lines file below `tests/data`.
pub(crate) fn rows<T: DeserializeOwned>(file: &str) -> Vec<T> {
    let text = String::from_utf8(data::bytes(file)).unwrap();
    text.lines()
        .enumerate()
        .map(|(i, line)| {
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{file}, line {}: {error}", i + 1))
        })
        .collect()
}

/// The bytes that hexadecimal digits stand for.
pub(crate) fn unhex(digits: &str) -> Vec<u8> {
    assert!(digits.len().is_multiple_of(2), "odd number of hexadecimal digits");
    (0..digits.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap())
        .collect()
}

/// The key number `i` under one of the rules that `tests/data/README.md` names.
pub(crate) fn key(rule: &str, i: u32) -> Vec<u8> {
    match rule {
        "decimal" => i.to_string().into_bytes(),
        "key08" => format!("key{i:08}").into_bytes(),
        "u32le" => i.to_le_bytes().to_vec(),
        "highbit" => {
            let [low, middle, high] =
                [i & 0x3f, i >> 6 & 0x3f, i >> 12].map(|bits| u8::try_from(bits).unwrap());
            vec![0xe4, 0xb8, 0xad, 0x80 | low, 0xc0 | middle, 0x80 | high]
        }
        _ => panic!("no rule is called {rule:?}"),
    }
}
