//! Answers for many keys, one bit each.

use core::fmt;

use crate::error::Error;

/// The answers of a call for many keys or many filters, in words of the caller's: one bit each.
///
/// ```
/// use filter_policy::{Answers, BloomFilterPolicy, FilterPolicy};
///
/// let policy = BloomFilterPolicy::new(10.into());
/// let mut buffer = [0; 64];
/// let filter = policy.build_in(&["apple", "banana"], &mut buffer)?;
///
/// // Room for 64 answers.
/// let mut words = [0; Answers::words_for(3)];
/// let mut answers = Answers::new(&mut words);
/// policy.prepare(&filter).may_match_many(&["apple", "plum", "banana"], &mut answers)?;
/// assert!(answers.iter().eq([true, false, true]));
/// assert!(answers.get(0) && !answers.get(1));
/// # Ok::<(), filter_policy::Error>(())
/// ```
///
/// Words are not answers, so a word for each key does not compile:
///
/// ```compile_fail
/// # use filter_policy::{BloomFilterPolicy, FilterPolicy};
/// # let policy = BloomFilterPolicy::new(10.into());
/// # let (keys, filter) = ([&b"apple"[..]], [0, 6]);
/// let mut answers = vec![0; keys.len()];
/// policy.prepare(&filter).may_match_many(&keys, &mut answers)?;
/// # Ok::<(), filter_policy::Error>(())
/// ```
pub struct Answers<'w> {
    words: &'w mut [u64],
    len: usize,
}

impl<'w> Answers<'w> {
    /// Makes room for 64 answers in each of these words, whose values do not matter.
    #[inline]
    pub const fn new(words: &'w mut [u64]) -> Self {
        Self { words, len: 0 }
    }

    /// Returns the number of words that so many answers need.
    pub const fn words_for(answers: usize) -> usize {
        answers.div_ceil(64)
    }

    /// Returns the answer for this key: `false` means that it is certainly not in the filter. Keys without an answer
    /// may match.
    #[inline]
    pub fn get(&self, index: usize) -> bool {
        index >= self.len
            || self
                .words
                .get(index / 64)
                .is_none_or(|word| word >> (index % 64) & 1 == 1)
    }

    /// Returns the answers of the last call in the order of the keys; none before the first and after an error.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = bool> {
        (0..self.len).map(|index| self.get(index))
    }

    /// Returns the number of keys that may match.
    pub fn matches(&self) -> u64 {
        self.words().iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Returns the words: bit `i % 64` of word `i / 64` is answer `i`, and bits beyond the last answer are zeros.
    #[inline]
    pub(crate) fn words(&self) -> &[u64] {
        self.words.get(..Self::words_for(self.len)).unwrap_or_default()
    }

    /// Returns the words for so many answers, which a policy overwrites.
    ///
    /// # Errors
    ///
    /// [`Error::TooFewAnswers`] when there are fewer words; there are then no answers.
    #[inline]
    pub(crate) fn start(&mut self, answers: usize) -> Result<&mut [u64], Error> {
        let (needed, given) = (Self::words_for(answers), self.words.len());
        self.len = if needed <= given { answers } else { 0 };
        self.words
            .get_mut(..needed)
            .ok_or(Error::TooFewAnswers { needed, given })
    }
}

impl fmt::Debug for Answers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Writes the same answer for this many keys.
pub(crate) fn fill(answer: bool, keys: usize, answers: &mut [u64]) {
    answers.fill(if answer { u64::MAX } else { 0 });
    if answer
        && !keys.is_multiple_of(64)
        && let Some(last) = answers.last_mut()
    {
        *last >>= 64 - keys % 64;
    }
}

/// Answers one key after the other.
pub fn each<K>(mut keys: impl Iterator<Item = K>, answers: &mut [u64], may_match: impl Fn(K) -> bool) {
    for word in answers {
        *word = 0;
        for (i, key) in keys.by_ref().take(64).enumerate() {
            *word |= u64::from(may_match(key)) << i;
        }
    }
}
