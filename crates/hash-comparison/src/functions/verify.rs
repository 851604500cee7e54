//! Known answers.

use super::Function;

/// Keys with their expected values.
pub type Answers = [(&'static [u8], u64)];

/// Compares [`Function::hash`] with the known answers.
pub(super) fn check_answers(function: &Function) -> Result<(), String> {
    function.answers.iter().try_for_each(|&(key, expected)| {
        let question = || format!("the value of \"{}\"", key.escape_ascii());
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
/// 257 or 289 bytes on, in blocks of 1,024, or with instructions that pay off only for many bytes.
static LONG_KEY: [u8; 30_011] = {
    let mut key = [0; 30_011];
    let mut at = 0;
    while at < key.len() {
        key[at] = ((at * at) >> 4) as u8;
        at += 1;
    }
    key
};

/// The values of [`LONG_KEY`]: CRC-32 by zlib, CRC-32C by a table, XXH3 by xxHash's own library; the others recorded
/// from the pinned releases.
const OF_LONG_KEY: [(&str, u64); 6] = [
    ("CRC-32", 0xd2cd_d6ee),
    ("CRC-32C", 0x1612_3e88),
    ("XXH3", 0x6c4f_135d_5a86_0b28),
    ("rapidhash", 0x2a5d_0bb7_c6b1_5138),
    ("foldhash", 0x2906_9bda_1570_e7ec),
    ("foldhash-fast", 0x44ea_5ae1_8361_07e4),
];

/// Compares the value of a long key with the known value, for functions that treat long keys differently.
pub(super) fn check_long_key(function: &Function) -> Result<(), String> {
    let known = OF_LONG_KEY.iter().find(|(name, _)| *name == function.name);
    known.map_or(Ok(()), |&(_, expected)| {
        let question = || "the value of a key of 30,011 bytes".to_owned();
        check(question, expected, (function.hash)(&LONG_KEY))
    })
}

/// Compares a value with the known value. Returns a description of any difference.
pub(super) fn check(question: impl Fn() -> String, expected: u64, got: u64) -> Result<(), String> {
    if expected == got {
        return Ok(());
    }
    Err(format!("{} must be {expected:#x}, got {got:#x}", question()))
}
