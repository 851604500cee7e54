//! A stored filter, prepared for many queries.

use core::fmt;

use filter_kernels::{
    KernelToken, Keys, Source,
    leveldb::{self, BitQuery},
};

use super::FilterPolicy;
use crate::batches::for_each_batch;
use crate::error::Error;
use crate::hash_value::HashValue;
use crate::hashers::{KeyHasher, LaneHash};
use crate::keys::KeyBatch;
use crate::layouts::answers::{each, fill, words_for};
use crate::layouts::{Contents, FilterKind};

/// A stored filter, prepared for many queries; [`FilterPolicy::prepare`] makes it. (A
/// [`FilterView`](crate::view::FilterView) describes the bytes and answers no queries.)
///
/// Preparation does once what depends only on the filter and the processor: it reads the filter's last bytes, divides,
/// and chooses a [`Kernel`](crate::kernels::Kernel). It saves up to a nanosecond per query. Querying many keys in one
/// call saves much more: see [`may_match_many`](Self::may_match_many). The answers are those of
/// [`FilterPolicy::key_may_match`], for any bytes.
///
/// ```
/// use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy, HashedPolicy};
///
/// let policy = BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(10));
/// let mut buffer = [0; 64];
/// let stored = policy.build_in(["hello", "world"], &mut buffer)?;
///
/// let filter = policy.prepare(stored);
/// assert!(filter.may_match(b"hello"));
///
/// let mut answers = [0];
/// filter.may_match_many(&[&b"x"[..], b"world", b"foo"], &mut answers)?;
/// assert_eq!(answers, [0b010]);
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct PreparedFilter<'a>(Prepared<'a>);

#[derive(Clone, Copy)]
enum Prepared<'a> {
    /// LevelDB's layout.
    Bits(BitQuery<'a>, HashFunction<'a>),
    /// A layout that determines the hash function, or bytes that answer all keys alike.
    Contents(Contents<'a>, KernelToken),
    /// Any bytes, interpreted by the policy.
    Policy(&'a dyn FilterPolicy, &'a [u8]),
}

/// The hash function of a filter in LevelDB's layout.
#[derive(Clone, Copy)]
enum HashFunction<'a> {
    Lanes(LaneHash),
    Custom(&'a dyn KeyHasher),
}

impl HashFunction<'_> {
    #[inline(always)]
    fn hash(&self, key: &[u8]) -> u32 {
        match self {
            Self::Lanes(function) => function.hash(key),
            Self::Custom(hasher) => hasher.hash(key),
        }
    }
}

impl<'a> PreparedFilter<'a> {
    /// Prepares a filter in LevelDB's layout with this hash function.
    #[inline(always)]
    pub(crate) fn of_leveldb(kernel: KernelToken, hasher: &'a impl KeyHasher, filter: &'a [u8]) -> Self {
        Self(match Contents::of_leveldb(filter) {
            Ok((bit_array, probes)) => Prepared::Bits(
                BitQuery::new(kernel, bit_array, probes),
                hasher
                    .lane_hash()
                    .map_or(HashFunction::Custom(hasher), HashFunction::Lanes),
            ),
            Err(same_for_all) => Prepared::Contents(same_for_all, kernel),
        })
    }

    #[inline]
    pub(crate) const fn of_contents(kernel: KernelToken, contents: Contents<'a>) -> Self {
        Self(Prepared::Contents(contents, kernel))
    }

    pub(crate) const fn of_policy(policy: &'a dyn FilterPolicy, filter: &'a [u8]) -> Self {
        Self(Prepared::Policy(policy, filter))
    }

    /// Returns whether the filter may hold the key; `false` means that it certainly does not.
    #[inline(always)]
    pub fn may_match(&self, key: &[u8]) -> bool {
        match &self.0 {
            Prepared::Bits(query, function) => leveldb::may_match(query, function.hash(key)),
            Prepared::Contents(contents, kernel) => contents.may_match(*kernel, key),
            Prepared::Policy(policy, filter) => policy.key_may_match(key, filter),
        }
    }

    /// Returns whether the filter may hold a key with this hash value, computed by
    /// [`HashedPolicy::hash_key`](crate::HashedPolicy::hash_key).
    ///
    /// The answer is `true` if the filter's keys are hashed differently: for a policy that is not a
    /// [`HashedPolicy`](crate::HashedPolicy), and for RocksDB's filters if a 32-bit value meets 64-bit hashes or vice
    /// versa.
    #[inline(always)]
    pub fn may_match_hash<H: HashValue>(&self, hash: H) -> bool {
        match &self.0 {
            Prepared::Bits(query, _) => hash.narrow().is_none_or(|hash| leveldb::may_match(query, hash)),
            Prepared::Contents(contents, kernel) => contents.may_match_hash(*kernel, hash),
            Prepared::Policy(..) => true,
        }
    }

    /// Queries many keys: bit `i % 64` of `answers[i / 64]` becomes the answer for key `i`.
    ///
    /// Writes a word for every 64 keys, clears the bits beyond the last key and leaves further words unchanged.
    /// Allocates no memory. Filters that are not in the cache are prefetched.
    ///
    /// A call pays off from about eight keys on with AVX2 and AVX-512 in LevelDB's layout, if the hasher has a
    /// [`lane_hash`](KeyHasher::lane_hash); from some tens of keys on in the other layouts, most with AVX2 for keys of
    /// 9 to 64 bytes (8 to 63 in split blocks) and with AVX-512 for keys of 9 to 32; and always if the filter is larger
    /// than the cache, or with AVX2 if the keys are scattered in memory. [Packed](crate::PackedKeys) keys are fastest.
    /// Ribbon filters and RocksDB's legacy filters are queried key by key.
    ///
    /// # Errors
    ///
    /// [`Error::TooFewAnswers`] when `answers` has fewer words than the keys need; it is then unchanged.
    pub fn may_match_many<'k>(
        &self,
        keys: impl Into<KeyBatch<'k>>,
        answers: &mut [u64],
    ) -> Result<(), Error> {
        let batch = keys.into();
        let answers = words_for(batch.len(), answers)?;
        match batch.for_kernels() {
            Some(keys) => self.ask(keys, answers),
            None => {
                let mut words = answers.chunks_mut(1);
                for_each_batch(batch.iter(), |keys| {
                    self.ask(Keys::Slices(keys), words.next().unwrap_or_default());
                });
            }
        }
        Ok(())
    }

    fn ask(&self, keys: Keys<'_>, answers: &mut [u64]) {
        match &self.0 {
            Prepared::Bits(query, HashFunction::Lanes(function)) => {
                leveldb::may_match_many(query, Source::Keys(keys, *function), answers);
            }
            Prepared::Bits(query, HashFunction::Custom(hasher)) => {
                // A batch has as many hash values as a word of answers has bits.
                let mut words = answers.chunks_mut(1);
                for_each_batch(keys.iter().map(|key| hasher.hash(key)), |hashes| {
                    leveldb::may_match_many(query, Source::Hashes(hashes), words.next().unwrap_or_default());
                });
            }
            Prepared::Contents(contents, kernel) => contents.may_match_many(*kernel, keys, answers),
            Prepared::Policy(policy, filter) => {
                each(keys.iter(), answers, |key| policy.key_may_match(key, filter));
            }
        }
    }

    /// Queries keys by their hash values; otherwise like [`may_match_many`](Self::may_match_many) and
    /// [`may_match_hash`](Self::may_match_hash).
    ///
    /// # Errors
    ///
    /// [`Error::TooFewAnswers`] when `answers` has fewer words than the values need; it is then unchanged.
    pub fn may_match_hashes<H: HashValue>(&self, hashes: &[H], answers: &mut [u64]) -> Result<(), Error> {
        let answers = words_for(hashes.len(), answers)?;
        match (&self.0, H::narrow_slice(hashes)) {
            (Prepared::Bits(query, _), Some(hashes)) => {
                leveldb::may_match_many(query, Source::Hashes(hashes), answers);
            }
            (Prepared::Contents(contents, kernel), _) => contents.may_match_hashes(*kernel, hashes, answers),
            _ => fill(true, hashes.len(), answers),
        }
        Ok(())
    }
}

impl fmt::Debug for PreparedFilter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match &self.0 {
            Prepared::Bits(..) => FilterKind::LevelDbBloom,
            Prepared::Contents(contents, _) => contents.kind(),
            Prepared::Policy(policy, _) => return write!(f, "PreparedFilter({:?})", policy.name()),
        };
        write!(f, "PreparedFilter({kind:?})")
    }
}
