//! Known answers.

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
