//! Reads the files of golden data.

use serde::de::DeserializeOwned;

use super::data;

/// Returns the rows of a JSON Lines file below `tests/data`.
pub(crate) fn rows<T: DeserializeOwned>(file: &str) -> Vec<T> {
    let text = String::from_utf8(data::bytes(file)).unwrap();
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
