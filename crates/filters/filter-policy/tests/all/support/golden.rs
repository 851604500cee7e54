//! The filters and tables that other programs wrote: data of tests, of other crates, too.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::DATA;

/// Returns the path of a file or folder of the data.
pub(crate) fn path(name: &str) -> PathBuf {
    Path::new(DATA).join(name)
}

/// Returns the bytes of a file.
pub(crate) fn bytes(file: &str) -> Vec<u8> {
    std::fs::read(path(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Returns the rows of a JSON Lines file.
pub(crate) fn rows<T: DeserializeOwned>(file: &str) -> Vec<T> {
    let text = String::from_utf8(bytes(file)).unwrap();
    text.lines()
        .enumerate()
        .map(|(i, line)| {
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{file}, line {}: {error}", i + 1))
        })
        .collect()
}

/// Decodes hexadecimal digits.
pub(crate) fn unhex(digits: &str) -> Vec<u8> {
    assert!(digits.len().is_multiple_of(2), "odd number of hexadecimal digits");
    (0..digits.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap())
        .collect()
}

/// Encodes bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns key number `i` under one of the rules in `tests/data/PROVENANCE.md`.
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
        "highbit6" => {
            let [low, seven] = [i & 0x7f, (7 * i) & 0x7f].map(|bits| u8::try_from(bits).unwrap());
            let [third, ..] = (i >> 7).to_le_bytes();
            let [fourth, ..] = (i >> 15).to_le_bytes();
            vec![0xff, 0x80 | low, third, fourth, 0x9a, 0x80 | seven]
        }
        _ => panic!("no rule is called {rule:?}"),
    }
}
