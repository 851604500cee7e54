//! A stored filter, prepared for many questions.

use crate::arch::{self, Asked, Chosen, Kernel, Source};
use crate::error::Error;
use crate::hasher::KeyHasher;
use crate::keys::KeyBatch;
use crate::params::MAX_PROBES;

/// A stored filter that is asked for many keys.
///
/// What depends on the filter and the processor alone is done once, in [`PreparedFilter::new`]: a division, and the
/// choice of a [`Kernel`]. That saves a tenth or two of a nanosecond a question (on an AMD EPYC with AVX-512) against
/// [`FilterPolicy::key_may_match`](crate::FilterPolicy::key_may_match), which does the same each time. What saves much
/// more is to ask for many keys in one call: see [`may_match_many`](Self::may_match_many).
///
/// The answers are those of [`FilterView`](crate::FilterView), for any bytes.
///
/// ```
/// use filter_policy::{BitsPerKey, BloomFilterPolicy, LevelDbHash, PreparedFilter};
///
/// let policy = BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(10));
/// let mut buffer = [0; 64];
/// let stored = policy.build_in(["hello", "world"], &mut buffer)?;
///
/// let filter = PreparedFilter::new(stored);
/// assert!(filter.may_match(&LevelDbHash, b"hello"));
///
/// let mut answers = [0];
/// filter.may_match_many(&LevelDbHash, &[&b"x"[..], b"world", b"foo"], &mut answers)?;
/// assert_eq!(answers, [0b010]);
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct PreparedFilter<'a> {
    asked: Stored<'a>,
    kernel: Kernel,
}

/// What stored bytes say.
#[derive(Debug, Clone, Copy)]
enum Stored<'a> {
    /// The same of any key.
    Always(bool),
    /// What the bits say.
    Bits(Asked<'a>),
}

impl<'a> PreparedFilter<'a> {
    /// Prepares a filter; accepts any bytes, as [`FilterView::new`](crate::FilterView::new).
    #[inline]
    pub fn new(filter: &'a [u8]) -> Self {
        Self::by(Chosen::best(), filter)
    }

    /// The same, for the instructions of the caller's choice. Where the processor does not have them, it is asked by
    /// [`Kernel::Scalar`].
    #[inline]
    pub fn on_kernel(filter: &'a [u8], kernel: Kernel) -> Self {
        Self::by(Chosen::of(kernel), filter)
    }

    #[inline]
    fn by(kernel: Chosen, filter: &'a [u8]) -> Self {
        let asked = match filter {
            [] | [_] => Stored::Always(false),
            [.., probes] if *probes > MAX_PROBES => Stored::Always(true),
            [bit_array @ .., probes] => Stored::Bits(Asked::new(kernel, bit_array, *probes)),
        };
        Self {
            asked,
            kernel: kernel.kernel(),
        }
    }

    /// The instructions that are used, but for filters of more than 2^28 bytes: those are asked by [`Kernel::Scalar`].
    pub const fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// Whether the filter may hold the key: `false` means that it does not, if the filter was built with this hasher.
    #[inline]
    pub fn may_match<H: KeyHasher + ?Sized>(&self, hasher: &H, key: &[u8]) -> bool {
        match self.asked {
            Stored::Always(answer) => answer,
            Stored::Bits(asked) => arch::may_match(asked, hasher.hash(key)),
        }
    }

    /// Whether the filter may hold a key of this hash value.
    #[inline]
    pub fn may_match_hash(&self, hash: u32) -> bool {
        match self.asked {
            Stored::Always(answer) => answer,
            Stored::Bits(asked) => arch::may_match(asked, hash),
        }
    }

    /// Asks for many keys: bit `i % 64` of word `i / 64` is the answer for key `i`.
    ///
    /// Writes a word for every 64 keys, the bits beyond the last key 0, and leaves further words as they are. Takes no
    /// memory but the stack's.
    ///
    /// It pays from about eight keys on, and most where the hasher has a
    /// [`lane_hash`](KeyHasher::lane_hash) and the keys are [packed](crate::PackedKeys).
    ///
    /// # Errors
    ///
    /// [`Error::TooFewAnswers`] when `answers` has fewer words than the keys need; it is then unchanged.
    pub fn may_match_many<'k, H: KeyHasher + ?Sized>(
        &self,
        hasher: &H,
        keys: impl Into<KeyBatch<'k>>,
        answers: &mut [u64],
    ) -> Result<(), Error> {
        let keys = keys.into();
        let answers = words_for(keys.len(), answers)?;
        match (&self.asked, hasher.lane_hash()) {
            (Stored::Always(answer), _) => fill(*answer, keys.len(), answers),
            (Stored::Bits(asked), Some(function)) => {
                arch::may_match_many(asked, Source::keys(keys, function), answers);
            }
            (Stored::Bits(asked), None) => self.hash_and_ask(asked, hasher, keys, answers),
        }
        Ok(())
    }

    /// Asks for keys of these hash values; otherwise as [`may_match_many`](Self::may_match_many).
    ///
    /// # Errors
    ///
    /// As there.
    pub fn may_match_hashes(&self, hashes: &[u32], answers: &mut [u64]) -> Result<(), Error> {
        let answers = words_for(hashes.len(), answers)?;
        match &self.asked {
            Stored::Always(answer) => fill(*answer, hashes.len(), answers),
            Stored::Bits(asked) => {
                arch::may_match_many(asked, Source::Hashes(hashes), answers);
            }
        }
        Ok(())
    }

    /// For hash functions that have no lanes.
    fn hash_and_ask<H: KeyHasher + ?Sized>(
        &self,
        asked: &Asked<'_>,
        hasher: &H,
        keys: KeyBatch<'_>,
        answers: &mut [u64],
    ) {
        // A batch has as many hash values as a word of answers has bits.
        let mut answers = answers.chunks_mut(1);
        keys.hash_in_batches(hasher, |hashes| {
            let words = answers.next().unwrap_or_default();
            arch::may_match_many(asked, Source::Hashes(hashes), words);
        });
    }
}

/// The words that the answers for so many keys take.
pub(crate) fn words_for(keys: usize, answers: &mut [u64]) -> Result<&mut [u64], Error> {
    let (needed, given) = (keys.div_ceil(64), answers.len());
    answers
        .get_mut(..needed)
        .ok_or(Error::TooFewAnswers { needed, given })
}

/// The same answer for so many keys.
pub(crate) fn fill(answer: bool, keys: usize, answers: &mut [u64]) {
    answers.fill(if answer { u64::MAX } else { 0 });
    if answer
        && !keys.is_multiple_of(64)
        && let Some(last) = answers.last_mut()
    {
        *last >>= 64 - keys % 64;
    }
}

/// A key that is looked for in many filters: hashed once.
///
/// That is what a read of a log-structured tree does, level by level, until the key is found. It pays from the second
/// filter on.
///
/// ```
/// use filter_policy::{BitsPerKey, BloomFilterPolicy};
///
/// let policy = BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(10));
/// let (mut young, mut old) = ([0; 64], [0; 64]);
/// let levels = [&*policy.build_in(["a", "b"], &mut young)?, policy.build_in(["c", "d"], &mut old)?];
///
/// let key = policy.hashed(b"c");
/// assert_eq!(levels.iter().position(|filter| key.may_be_in(filter)), Some(1));
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct HashedKey {
    pub(crate) hash: u32,
    pub(crate) kernel: Chosen,
}

impl HashedKey {
    /// The hash value.
    pub const fn hash(&self) -> u32 {
        self.hash
    }

    /// Whether the filter may hold the key; as [`FilterPolicy::key_may_match`](crate::FilterPolicy::key_may_match).
    #[inline]
    pub fn may_be_in(&self, filter: &[u8]) -> bool {
        arch::may_match_hash(|| self.hash, filter, self.kernel)
    }
}
