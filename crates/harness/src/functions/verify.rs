//! Known answers, and SMHasher's way to pin a whole mapping with one number.

use std::fmt;

use super::Function;

/// A known answer that did not come out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongAnswer {
    /// What was asked.
    pub question: String,
    /// The known answer.
    pub expected: u64,
    /// What came out.
    pub got: u64,
}

impl fmt::Display for WrongAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: expected {:#x}, got {:#x}",
            self.question, self.expected, self.got
        )
    }
}

/// Values of keys.
pub(super) type Answers = [(&'static [u8], u64)];

/// Compares [`Function::hash`] with known answers.
pub(super) fn check_answers(function: &Function, answers: &Answers) -> Result<(), WrongAnswer> {
    for &(key, expected) in answers {
        let question = || format!("the value of \"{}\"", key.escape_ascii());
        check(question, expected, (function.hash)(key))?;
    }
    Ok(())
}

/// Compares a value with its known one.
pub(super) fn check(question: impl Fn() -> String, expected: u64, got: u64) -> Result<(), WrongAnswer> {
    if expected == got {
        return Ok(());
    }
    Err(WrongAnswer {
        question: question(),
        expected,
        got,
    })
}

/// SMHasher's verification value of a function whose results are `result_bytes` (4 or 8) wide.
///
/// The keys of 0 to 255 bytes 0, 1, 2, ... are hashed, that of length n under seed 256 - n; the results, little-endian
/// and back to back, are hashed under seed 0; the low 32 bits of that are the value (`VerificationTest` in
/// `KeysetTest.cpp`, <https://github.com/aappleby/smhasher>).
pub fn verification(result_bytes: usize, hash: impl Fn(&[u8], u32) -> u64) -> u32 {
    let key: Vec<u8> = (0..=255).collect();
    let mut results = Vec::with_capacity(256 * result_bytes);
    for length in 0..256 {
        let value = hash(&key[..length], 256 - length as u32);
        results.extend_from_slice(&value.to_le_bytes()[..result_bytes]);
    }
    hash(&results, 0) as u32
}
