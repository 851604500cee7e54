//! Known answers.

use super::Function;

/// Keys with their expected values.
pub type Answers = [(&'static [u8], u64)];

/// Compares [`Function::hash`] with the known answers.
pub(super) fn check_answers(function: &Function) -> Result<(), String> {
    function.answers.iter().try_for_each(|&(key, expected)| {
        let question = || match key.len() {
            0..100 => format!("the value of \"{}\"", key.escape_ascii()),
            long => format!("the value of a key of {long} bytes"),
        };
        check(question, expected, (function.hash)(key))
    })
}

/// Compares SMHasher's verification value of a function with `result_bytes` bytes of output with the known value.
pub(super) fn check_code(
    expected: u32,
    result_bytes: usize,
    hash: impl Fn(&[u8], u32) -> u64,
) -> Result<(), String> {
    let code = hashzoo::verification_value(hash, result_bytes);
    check_value(expected, code)
}

/// Compares a verification value that was already computed with the known value.
pub(super) fn check_value(expected: u32, got: u32) -> Result<(), String> {
    let question = || "SMHasher's verification value".to_owned();
    check(question, expected.into(), got.into())
}

/// A key beyond the 255 bytes of the verification procedure. Some functions take another path for long keys: from 241,
/// 257 or 289 bytes on, in blocks of 1,024, or with instructions that pay off only for many bytes. Values not published
/// elsewhere: CRC-32 by zlib, CRC-32C by a table; the others recorded from the pinned releases.
pub(super) static LONG_KEY: [u8; 30_011] = {
    let mut key = [0; 30_011];
    let mut at = 0;
    while at < key.len() {
        key[at] = ((at * at) >> 4) as u8;
        at += 1;
    }
    key
};

/// Compares a value with the known value. Returns a description of any difference.
pub(super) fn check(question: impl Fn() -> String, expected: u64, got: u64) -> Result<(), String> {
    if expected == got {
        return Ok(());
    }
    Err(format!("{} must be {expected:#x}, got {got:#x}", question()))
}
