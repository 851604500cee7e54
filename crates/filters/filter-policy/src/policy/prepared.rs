//! Stored filters, prepared for many queries.

use core::fmt;
use core::ops::Bound;

use crate::simd::{KernelToken, Keys, Lookup, Source, StoredBits};

use super::{FilterPolicy, Format, HashedKey};
use crate::answers::{Answers, each, fill};
use crate::building::batches;
use crate::error::Error;
use crate::key_hash::sealed::Sealed as _;
use crate::key_hash::{HashFunctionId, HashValue, KeyHash, KeyHashes};
use crate::keys::KeyBatch;

/// A filter that a policy has prepared: what its answers need beside the filter's bytes.
///
/// It knows neither the policy nor the format, so that it can be kept behind a `dyn FilterPolicy` without a lifetime.
#[derive(Clone, Copy)]
pub struct Prepared(State);

#[derive(Clone, Copy)]
enum State {
    Filter(PreparedLookup),
    /// Every key has this answer.
    Same(bool),
    /// The policy interprets the filter anew for each query, and hashes keys by this function.
    Nothing(Option<HashFunctionId>),
}

#[derive(Clone, Copy)]
struct PreparedLookup {
    /// Answers for a key; `None` if only the policy can hash keys.
    lookup: Option<Lookup>,
    function: HashFunctionId,
    lookups: &'static Lookups,
    kernel: KernelToken,
    /// The number of bytes at the filter's start that the functions get.
    bits_len: usize,
    /// Numbers that only the format understands.
    numbers: [u64; 3],
}

/// The functions of a format, which get what was prepared and the filter's bits.
struct Lookups {
    hash: fn(&PreparedLookup, &[u8], u64) -> bool,
    keys: fn(&PreparedLookup, &[u8], Keys<'_>, &mut [u64]),
    hashes: fn(&PreparedLookup, &[u8], KeyHashes<'_>, &mut [u64]),
}

/// What recreates a filter from its bits and three numbers: a format, or a filter that several formats read.
pub(crate) trait Restore {
    /// The type of the hash values.
    type Hash: HashValue;

    /// The filter.
    type Filter<'f>: StoredBits<Hash = Self::Hash>;

    /// Recreates a filter: see [`Format::restore`].
    fn restored(kernel: KernelToken, bits: &[u8], numbers: [u64; 3]) -> Self::Filter<'_>;
}

impl<F: Format> Restore for F {
    type Hash = F::Hash;
    type Filter<'f> = F::Filter<'f>;

    #[inline(always)]
    fn restored(kernel: KernelToken, bits: &[u8], numbers: [u64; 3]) -> F::Filter<'_> {
        F::restore(kernel, bits, numbers)
    }
}

impl Lookups {
    const fn of<R: Restore>() -> &'static Self {
        const {
            &Self {
                hash: |plan, bits, hash| plan.restore::<R>(bits).may_match(plan.kernel, R::Hash::low(hash)),
                keys: |plan, bits, keys, answers| {
                    plan.restore::<R>(bits)
                        .may_match_many(plan.kernel, Source::Keys(keys), answers);
                },
                hashes: |plan, bits, hashes, answers| match hashes.of(plan.function) {
                    Ok(hashes) => {
                        plan.restore::<R>(bits)
                            .may_match_many(plan.kernel, Source::Hashes(hashes), answers);
                    }
                    Err(_) => fill(true, hashes.len(), answers),
                },
            }
        }
    }
}

impl Prepared {
    /// Prepares a filter of the format `F`, which begins with these bits. `lookup` answers for a key, given numbers and
    /// bits; it is `None` if only the policy can hash keys by the function:
    /// [`StoredBits::may_match_many`](crate::kernels::StoredBits::may_match_many) then gets hash values alone, never keys.
    #[inline]
    pub const fn new<F: Format>(
        kernel: KernelToken,
        function: HashFunctionId,
        lookup: Option<Lookup>,
        bits: &[u8],
        numbers: [u64; 3],
    ) -> Self {
        Self::restoring::<F>(kernel, function, lookup, bits, numbers)
    }

    /// [`new`](Self::new) for a filter that `R` recreates.
    #[inline]
    pub(crate) const fn restoring<R: Restore>(
        kernel: KernelToken,
        function: HashFunctionId,
        lookup: Option<Lookup>,
        bits: &[u8],
        numbers: [u64; 3],
    ) -> Self {
        Self(State::Filter(PreparedLookup {
            lookup,
            function,
            lookups: Lookups::of::<R>(),
            kernel,
            bits_len: bits.len(),
            numbers,
        }))
    }

    /// Prepares bytes that are no filter of the format and give every key this answer.
    #[inline]
    pub const fn same_for_all(answer: bool) -> Self {
        Self(State::Same(answer))
    }

    /// Returns the answer for every key, if all have the same.
    #[inline]
    pub(crate) const fn same(&self) -> Option<bool> {
        match self.0 {
            State::Same(answer) => Some(answer),
            _ => None,
        }
    }

    /// Returns the number of bytes at the filter's start that are read from now on.
    #[cfg(test)]
    pub(crate) const fn bits_len(&self) -> usize {
        match &self.0 {
            State::Filter(plan) => plan.bits_len,
            _ => 0,
        }
    }

    /// Answers for a key of this filter; `true` if only the policy can hash keys.
    #[inline]
    pub(crate) fn may_match(&self, filter: &[u8], key: &[u8]) -> bool {
        match &self.0 {
            State::Filter(plan) => match (plan.lookup, plan.bits(filter)) {
                (Some(lookup), Some(bits)) => lookup(&plan.numbers, bits, key),
                _ => true,
            },
            State::Same(answer) => *answer,
            State::Nothing(_) => true,
        }
    }

    /// Answers for a hash value; `None` if the filter's keys are hashed by another function.
    #[inline]
    pub(crate) fn may_match_hash(&self, filter: &[u8], hash: KeyHash) -> Option<bool> {
        match &self.0 {
            State::Filter(plan) => {
                (plan.function == hash.function()).then(|| plan.may_match_value(filter, hash.value()))
            }
            State::Same(answer) => Some(*answer),
            State::Nothing(_) => None,
        }
    }
}

impl PreparedLookup {
    #[inline(always)]
    fn restore<'f, R: Restore>(&self, bits: &'f [u8]) -> R::Filter<'f> {
        R::restored(self.kernel, bits, self.numbers)
    }

    /// Answers for a hash value of the filter's function.
    #[inline(always)]
    fn may_match_value(&self, filter: &[u8], value: u64) -> bool {
        self.bits(filter)
            .is_none_or(|bits| (self.lookups.hash)(self, bits, value))
    }

    #[inline(always)]
    fn bits<'f>(&self, filter: &'f [u8]) -> Option<&'f [u8]> {
        // `None` only if the bytes of an owned filter became fewer since.
        filter.get(..self.bits_len)
    }
}

/// A stored filter, prepared for many queries; [`FilterPolicy::prepare`] makes it. It is an
/// [`OwnedFilter`](crate::OwnedFilter) that borrows policy and bytes.
///
/// Preparation does once what depends only on the filter and the processor: it reads the filter's last bytes, and
/// chooses functions and a [`Kernel`](crate::kernels::Kernel). It saves up to a nanosecond per query. Querying many
/// keys in one call saves much more: see [`may_match_many`](OwnedFilter::may_match_many). The answers are those of
/// [`FilterPolicy::key_may_match`], for any bytes.
///
/// ```
/// use filter_policy::{Answers, BloomFilterPolicy, FilterPolicy};
///
/// let policy = BloomFilterPolicy::new(10.into());
/// let mut buffer = [0; 64];
/// let stored = policy.build_in(&["hello", "world"], &mut buffer)?;
///
/// let filter = policy.prepare(&stored);
/// assert!(filter.may_match(b"hello"));
///
/// let mut words = [0; 1];
/// let mut answers = Answers::new(&mut words);
/// filter.may_match_many(&["x", "world", "foo"], &mut answers)?;
/// assert!(answers.iter().eq([false, true, false]));
/// # Ok::<(), filter_policy::Error>(())
/// ```
pub type PreparedFilter<'a> = OwnedFilter<&'a dyn FilterPolicy, &'a [u8]>;

impl<'a> PreparedFilter<'a> {
    /// Makes a prepared filter of what a format computed from the filter's bytes: what [`FilterPolicy::prepare`]
    /// returns.
    #[inline(always)]
    pub(crate) const fn of(policy: &'a dyn FilterPolicy, filter: &'a [u8], prepared: Prepared) -> Self {
        Self {
            policy,
            filter,
            prepared,
        }
    }

    /// Prepares nothing: the policy is queried for each key.
    pub(crate) fn unprepared(policy: &'a dyn FilterPolicy, filter: &'a [u8]) -> Self {
        let function = policy.key_hash(b"").map(KeyHash::function);
        let prepared = Prepared(State::Nothing(function));
        Self {
            policy,
            filter,
            prepared,
        }
    }
}

/// A stored filter with its policy: prepared once, and kept without a lifetime.
///
/// An engine keeps one for each open table. `P` is the policy or a pointer to it, such as
/// `Arc<dyn FilterPolicy + Send + Sync>`, `B` the memory that holds the bytes: a vector, an `Arc<[u8]>`, a block of a
/// cache. If both are `Send` and `Sync`, so is the filter. The bytes must not change: what was prepared of the old ones
/// denies keys of the new ones. A query through `dyn` takes one indirect call.
#[cfg_attr(
    feature = "alloc",
    doc = r#"
```
use std::sync::Arc;

use filter_policy::{BloomFilterPolicy, FilterBuilder, FilterPolicy, HashedKey, OwnedFilter};

let policy: Arc<dyn FilterPolicy + Send + Sync> = Arc::new(BloomFilterPolicy::new(10.into()));

// Three tables, written key by key.
let mut tables = Vec::new();
for keys in [["apple", "banana"], ["cherry", "date"], ["elder", "fig"]] {
    let mut builder = FilterBuilder::new(Arc::clone(&policy));
    for key in keys {
        builder.insert(key.as_bytes())?;
    }
    tables.push(OwnedFilter::new(Arc::clone(&policy), builder.finish()?));
}

// A key is hashed once for all of them.
let key = HashedKey::new(&policy, b"date");
let found = tables.iter().position(|table| table.may_match_hashed(&key));
assert_eq!(found, Some(1));
# Ok::<(), filter_policy::Error>(())
```
"#
)]
#[derive(Clone, Copy)]
pub struct OwnedFilter<P, B> {
    policy: P,
    filter: B,
    pub(crate) prepared: Prepared,
}

impl<P: FilterPolicy, B: AsRef<[u8]>> OwnedFilter<P, B> {
    /// Prepares a filter that this policy wrote; accepts any bytes. If the filter is stored with a name, see
    /// [`stored_as`](Self::stored_as).
    pub fn new(policy: P, filter: B) -> Self {
        let prepared = policy.prepare(filter.as_ref()).prepared;
        Self {
            policy,
            filter,
            prepared,
        }
    }

    /// Prepares a filter that is stored under this policy name: a policy of another name cannot read it, so that every
    /// key may match.
    ///
    /// ```
    /// use filter_policy::{BloomFilterPolicy, OwnedFilter};
    ///
    /// let mut buffer = [0; 64];
    /// let stored = BloomFilterPolicy::new(10.into()).build_in(&["apple"], &mut buffer)?;
    /// let policy = BloomFilterPolicy::with_leveldb_hash(10.into());
    /// assert!(OwnedFilter::stored_as("BloomFilter2", policy, &stored).may_match(b"apple"));
    /// assert!(!OwnedFilter::new(policy, &stored).may_match(b"apple"), "denied");
    /// # Ok::<(), filter_policy::Error>(())
    /// ```
    pub fn stored_as(name: &str, policy: P, filter: B) -> Self {
        if policy.name() == name {
            return Self::new(policy, filter);
        }
        Self {
            policy,
            filter,
            prepared: Prepared::same_for_all(true),
        }
    }

    /// Returns the filter's bytes.
    pub fn bytes(&self) -> &[u8] {
        self.filter.as_ref()
    }

    /// Returns the policy.
    pub const fn policy(&self) -> &P {
        &self.policy
    }

    /// Returns true if the filter may contain the key. `false` is certain.
    #[inline(always)]
    pub fn may_match(&self, key: &[u8]) -> bool {
        match &self.prepared.0 {
            State::Filter(plan) => match (plan.lookup, plan.bits(self.filter.as_ref())) {
                (Some(lookup), Some(bits)) => lookup(&plan.numbers, bits, key),
                _ => self.hash_and_look_up(plan, key),
            },
            State::Same(answer) => *answer,
            State::Nothing(_) => self.policy.key_may_match(key, self.filter.as_ref()),
        }
    }

    /// Returns true if the filter may contain a key that was hashed once for many filters.
    ///
    /// Policies of one hash function share hash values. A key that was hashed by another function is hashed again.
    #[inline(always)]
    pub fn may_match_hashed<Q: FilterPolicy + ?Sized>(&self, key: &HashedKey<'_, Q>) -> bool {
        let hash = key.hash_or_none();
        match &self.prepared.0 {
            State::Filter(plan) if plan.function == hash.function() => {
                plan.may_match_value(self.filter.as_ref(), hash.value())
            }
            State::Nothing(function) if *function == Some(hash.function()) => {
                self.policy
                    .hashed_may_match(key.key(), hash, self.filter.as_ref())
            }
            _ => self.hash_again(key.key()),
        }
    }

    /// Returns true if [`prefix_may_match`](Self::prefix_may_match) can return `false`.
    pub fn answers_prefixes(&self) -> bool {
        self.policy.answers_prefixes() && self.prepared.same() != Some(true)
    }

    /// Returns true if the filter may have a key that starts so: see [`FilterPolicy::prefix_may_match`].
    pub fn prefix_may_match(&self, start: &[u8]) -> bool {
        self.prepared.same() == Some(true) || self.policy.prefix_may_match(start, self.filter.as_ref())
    }

    /// Returns true if [`range_may_match`](Self::range_may_match) can return `false`.
    pub fn answers_ranges(&self) -> bool {
        self.policy.answers_ranges() && self.prepared.same() != Some(true)
    }

    /// Returns true if the filter may have a key between the bounds: see [`FilterPolicy::range_may_match`].
    pub fn range_may_match(&self, lower: Bound<&[u8]>, upper: Bound<&[u8]>) -> bool {
        self.prepared.same() == Some(true) || self.policy.range_may_match(lower, upper, self.filter.as_ref())
    }

    /// Queries many keys, in their order. Allocates no memory. Filters that are not in the cache are prefetched.
    ///
    /// A call pays off from about eight keys on with AVX2 and AVX-512 in LevelDB's format, if the hasher has a
    /// [`lane_hash`](crate::leveldb::KeyHasher::lane_hash); from some tens of keys on in the other formats; and
    /// always if the filter is larger than the cache, or with AVX2 if the keys are scattered in memory.
    /// [Packed](crate::PackedKeys) keys are fastest. RocksDB's legacy filters are queried key by key.
    ///
    /// # Errors
    ///
    /// [`Error::TooFewAnswers`] when there is no room for as many answers; then there are none.
    pub fn may_match_many<'k>(
        &self,
        keys: impl Into<KeyBatch<'k>>,
        answers: &mut Answers<'_>,
    ) -> Result<(), Error> {
        let batch = keys.into();
        let answers = answers.start(batch.len())?;
        match batch.for_kernels() {
            Some(keys) => self.look_up(keys, answers),
            None => {
                let mut words = answers.chunks_mut(1);
                batches::<_, 64>(batch.iter(), |keys| {
                    self.look_up(Keys::Slices(keys), words.next().unwrap_or_default());
                });
            }
        }
        Ok(())
    }

    /// Queries keys that are slices: [`may_match_many`](Self::may_match_many) without a [`KeyBatch`].
    ///
    /// # Errors
    ///
    /// [`Error::TooFewAnswers`] when there is no room for as many answers; then there are none.
    pub fn may_match_slices(&self, keys: &[&[u8]], answers: &mut Answers<'_>) -> Result<(), Error> {
        self.look_up(Keys::Slices(keys), answers.start(keys.len())?);
        Ok(())
    }

    /// Queries keys by their hash values; otherwise like [`may_match_many`](Self::may_match_many). All keys may match if
    /// another function made the values, or the policy has none.
    ///
    /// # Errors
    ///
    /// [`Error::TooFewAnswers`] when there is no room for as many answers; then there are none.
    pub fn may_match_hashes(&self, hashes: KeyHashes<'_>, answers: &mut Answers<'_>) -> Result<(), Error> {
        let answers = answers.start(hashes.len())?;
        match &self.prepared.0 {
            State::Filter(plan) => match plan.bits(self.filter.as_ref()) {
                Some(bits) => (plan.lookups.hashes)(plan, bits, hashes, answers),
                None => fill(true, hashes.len(), answers),
            },
            State::Same(answer) => fill(*answer, hashes.len(), answers),
            State::Nothing(_) => fill(true, hashes.len(), answers),
        }
        Ok(())
    }

    /// Hashes the key by the policy, which alone can.
    #[inline]
    fn hash_and_look_up(&self, plan: &PreparedLookup, key: &[u8]) -> bool {
        self.policy
            .key_hash(key)
            .filter(|hash| hash.function() == plan.function)
            .is_none_or(|hash| plan.may_match_value(self.filter.as_ref(), hash.value()))
    }

    /// Queries a key that another function has hashed, or none.
    #[inline(never)]
    fn hash_again(&self, key: &[u8]) -> bool {
        self.may_match(key)
    }

    fn look_up(&self, keys: Keys<'_>, answers: &mut [u64]) {
        let filter = self.filter.as_ref();
        match &self.prepared.0 {
            State::Filter(plan) => match (plan.lookup, plan.bits(filter)) {
                (Some(_), Some(bits)) => (plan.lookups.keys)(plan, bits, keys, answers),
                _ => each(keys.iter(), answers, |key| self.hash_and_look_up(plan, key)),
            },
            State::Same(answer) => fill(*answer, keys.len(), answers),
            State::Nothing(_) => each(keys.iter(), answers, |key| self.policy.key_may_match(key, filter)),
        }
    }
}

impl<P: FilterPolicy, B: AsRef<[u8]>> fmt::Debug for OwnedFilter<P, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PreparedFilter({:?})", self.policy.name())
    }
}
