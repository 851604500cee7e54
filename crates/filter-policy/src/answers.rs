//! Answers for many keys, one bit each.

use crate::error::Error;

/// Returns the words that the answers for this many keys need.
pub fn words_for(keys: usize, answers: &mut [u64]) -> Result<&mut [u64], Error> {
    let (needed, given) = (keys.div_ceil(64), answers.len());
    answers
        .get_mut(..needed)
        .ok_or(Error::TooFewAnswers { needed, given })
}

/// Writes the same answer for this many keys.
pub fn fill(answer: bool, keys: usize, answers: &mut [u64]) {
    answers.fill(if answer { u64::MAX } else { 0 });
    if answer
        && !keys.is_multiple_of(64)
        && let Some(last) = answers.last_mut()
    {
        *last >>= 64 - keys % 64;
    }
}

/// Answers one key after the other.
pub fn each<K>(mut keys: impl Iterator<Item = K>, answers: &mut [u64], ask: impl Fn(K) -> bool) {
    for word in answers {
        *word = 0;
        for (i, key) in keys.by_ref().take(64).enumerate() {
            *word |= u64::from(ask(key)) << i;
        }
    }
}
