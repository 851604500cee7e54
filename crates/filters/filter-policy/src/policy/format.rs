//! A stored format as one type, and the policy that every format has.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use crate::simd::{Kernel, KernelToken, Keys, Source, StoredBits};

use super::query::key_may_match;
use super::{FilterPolicy, Prepared, PreparedFilter};
use crate::bits_per_key::BitsPerKey;
use crate::building::written;
#[cfg(feature = "alloc")]
use crate::building::{append_with, collect};
use crate::error::Error;
use crate::filter_bytes::FilterBytes;
use crate::key_hash::{HashFunctionId, HashValue, KeyHash, KeyHashes};
use crate::keys::KeyBatch;

/// A stored format: the one description of what the bytes of a filter mean. [`Policy`] derives everything else from it.
///
/// A value of the type is a format with the options of a writer, such as the bits per key. Functions without `self`
/// depend on the bytes alone, because a prepared filter can outlive the policy that prepared it.
///
/// The formats of this crate are also [`AnyFormat`](super::AnyFormat)s, with views, sizes and rates.
///
/// Implement it for a format that hashes each key once; [`own_policy`](crate::own_policy) shows a policy without hash
/// values. In this example a filter is a list of hash values, eight bytes each:
#[cfg_attr(
    feature = "alloc",
    doc = r#"
```
use filter_policy::kernels::{KernelToken, Source, StoredBits};
use filter_policy::{
    Error, FilterPolicy, Format, HashFunctionId, Policy, Prepared, answers, building, contract,
};

fn fnv(key: &[u8]) -> u64 {
    key.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// The format. It keeps the identity of its hash function, which must be made only once.
#[derive(Clone, Copy)]
struct List(HashFunctionId);

/// A stored list.
#[derive(Clone, Copy)]
struct Values<'f>(&'f [u8]);

impl StoredBits for Values<'_> {
    type Hash = u64;

    fn may_match(self, _: KernelToken, hash: u64) -> bool {
        self.0.as_chunks().0.contains(&hash.to_le_bytes())
    }

    fn may_match_many(self, kernel: KernelToken, source: Source<'_, u64>, words: &mut [u64]) {
        match source {
            Source::Keys(keys) => answers::each(keys.iter(), words, |key| self.may_match(kernel, fnv(key))),
            Source::Hashes(hashes) => answers::each(hashes.iter(), words, |&hash| self.may_match(kernel, hash)),
        }
    }
}

impl Format for List {
    type Hash = u64;
    type Filter<'f> = Values<'f>;

    fn name(&self) -> &str { "example.List.Fnv" }
    fn hash_function(&self) -> HashFunctionId { self.0 }
    fn hash(&self, key: &[u8]) -> u64 { fnv(key) }
    fn max_len(&self, keys: usize) -> Result<usize, Error> {
        keys.checked_mul(8).ok_or(Error::Policy { reason: "filter must be smaller than the memory" })
    }

    fn build(&self, _: KernelToken, source: Source<'_, u64>, out: &mut [u8]) -> Result<usize, Error> {
        let filter = building::room(out, self.max_len(source.len())?)?;
        let mut places = filter.as_chunks_mut::<8>().0.iter_mut();
        building::each_batch(source, fnv, |hashes| {
            hashes.iter().zip(&mut places).for_each(|(hash, place)| *place = hash.to_le_bytes());
        });
        Ok(filter.len())
    }

    // No bytes are the filter of no keys. Any other bytes may match.
    fn read<'f>(&self, filter: &'f [u8]) -> Option<Values<'f>> {
        (!filter.is_empty() && filter.len() % 8 == 0).then_some(Values(filter))
    }
    fn other(filter: &[u8]) -> Prepared { Prepared::same_for_all(!filter.is_empty()) }

    // Queries of this format need no numbers from preparation.
    fn prepare(&self, kernel: KernelToken, Values(bits): Values<'_>) -> Prepared {
        let for_key = |_: &[u64; 3], bits: &[u8], key: &[u8]| Values(bits).may_match(KernelToken::best(), fnv(key));
        Prepared::new::<Self>(kernel, self.0, Some(for_key), bits, [0; 3])
    }
    fn restore(_: KernelToken, bits: &[u8], _: [u64; 3]) -> Values<'_> { Values(bits) }
}

let policy = Policy::of(List(HashFunctionId::new("example.List.Fnv", fnv)));
let filter = policy.build(["apple", "banana"])?;
assert!(policy.key_may_match(b"apple", &filter) && !policy.key_may_match(b"cherry", &filter));
// The checksum of the bytes that the policy writes: see `contract::check`.
assert!(contract::check(&policy, 0x04a2_ced1_d7c8_3585) < 0.001);
# Ok::<(), Error>(())
```
"#
)]
pub trait Format: Sized {
    /// The type of the hash values: `u32` or `u64`.
    type Hash: HashValue;

    /// A filter, read in place, which is queried with hash values.
    type Filter<'f>: StoredBits<Hash = Self::Hash>;

    /// Returns the name under which engines store the filters: see [`FilterPolicy::name`].
    fn name(&self) -> &str;

    /// Returns the identity of the hash function, always the same value: see [`HashFunctionId::new`].
    fn hash_function(&self) -> HashFunctionId;

    /// Returns the hash value of a key.
    fn hash(&self, key: &[u8]) -> Self::Hash;

    /// Returns the maximum length in bytes of a filter of this many keys.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`] when the filter is longer than any slice.
    fn max_len(&self, keys: usize) -> Result<usize, Error>;

    /// Writes the filter of these keys to the start of `out`, overwriting its contents, and returns the filter's
    /// length.
    ///
    /// # Errors
    ///
    /// [`Error::BufferTooShort`] when `out` cannot hold the filter, which leaves `out` unchanged;
    /// [`Error::FilterTooLarge`] when no slice could hold it; [`Error::AllocationFailed`] when building needs memory in
    /// addition to `out` and there is none.
    fn build(
        &self,
        kernel: KernelToken,
        source: Source<'_, Self::Hash>,
        out: &mut [u8],
    ) -> Result<usize, Error>;

    /// Reads a filter in place. Returns `None` for bytes that are no filter of the format; then
    /// [`other`](Self::other) answers. Both functions accept any bytes, and only they know what stored bytes mean.
    fn read<'f>(&self, filter: &'f [u8]) -> Option<Self::Filter<'f>>;

    /// Prepares bytes that are no filter of the format: they are too short to hold a key, have an unknown encoding, or
    /// are a filter of another format that readers of this format also accept.
    fn other(filter: &[u8]) -> Prepared;

    /// Prepares a filter for many queries: passes [`Prepared::new`] the filter's bits and up to three numbers, from
    /// which [`restore`](Self::restore) recreates the filter.
    fn prepare(&self, kernel: KernelToken, filter: Self::Filter<'_>) -> Prepared;

    /// Recreates a filter from the bits and numbers that [`prepare`](Self::prepare) passed on.
    fn restore(kernel: KernelToken, bits: &[u8], numbers: [u64; 3]) -> Self::Filter<'_>;

    /// Returns the bits per key of the filters that this format builds; `None`, the default, if it has no such number.
    fn bits_per_key(&self) -> Option<BitsPerKey> {
        None
    }
}

/// The policy of a [`Format`]: it implements [`FilterPolicy`] for every stored format of this project.
///
/// Each format's policy has an alias with the constructors, such as
/// [`BloomFilter64Policy`](crate::BloomFilter64Policy); [`of`](Self::of) makes the policy of your own format. Every way
/// to build writes the same bytes for the same keys in the same order:
///
/// | from | into a slice | as a `Vec` (feature `alloc`) |
/// |---|---|---|
/// | slices of keys | [`create_filter`](FilterPolicy::create_filter) | `append_filter` |
/// | text, arrays, packed keys: a [`KeyBatch`] | [`build_in`](Self::build_in) | |
/// | keys of any iterator | | `build` |
/// | hash values | [`create_from_hashes`](FilterPolicy::create_from_hashes) | |
/// | keys one by one | | `FilterBuilder` |
///
/// No method adds keys to a finished filter.
#[cfg_attr(
    feature = "alloc",
    doc = r#"
```
use filter_policy::BloomFilterPolicy;

let policy = BloomFilterPolicy::new(10.into());
let ids = [*b"0001", *b"0002", *b"0003"];
let filter = policy.build(ids)?;

let mut buffer = [0; 64];
assert_eq!(policy.build_in(&ids, &mut buffer)?, filter);
# Ok::<(), filter_policy::Error>(())
```
"#
)]
#[derive(Debug, Clone, Copy)]
pub struct Policy<F, K = BestKernel> {
    pub(crate) format: F,
    pub(crate) kernels: K,
}

/// Selects the fastest kernel that the processor has, for every filter and query. Policies do so unless
/// [`Policy::on_kernel`] pins a kernel. Uses no memory.
#[derive(Debug, Clone, Copy)]
pub struct BestKernel;

/// Selects the kernel of a policy: [`BestKernel`], or a [`KernelToken`], to which [`Policy::on_kernel`] pins it.
pub(crate) trait KernelChoice: Copy {
    /// Returns the kernel.
    #[doc(hidden)]
    fn token(self) -> KernelToken;

    /// Calls `then` with the kernel, or `at_first` if CPU features have not been detected yet.
    #[doc(hidden)]
    fn dispatch<R>(self, then: impl Fn(KernelToken) -> R, at_first: impl FnOnce() -> R) -> R;
}

impl KernelChoice for BestKernel {
    #[inline(always)]
    fn token(self) -> KernelToken {
        KernelToken::best()
    }

    #[inline(always)]
    fn dispatch<R>(self, then: impl Fn(KernelToken) -> R, at_first: impl FnOnce() -> R) -> R {
        KernelToken::dispatch(then, at_first)
    }
}

/// A pinned kernel.
impl KernelChoice for KernelToken {
    #[inline(always)]
    fn token(self) -> Self {
        self
    }

    #[inline(always)]
    fn dispatch<R>(self, then: impl Fn(Self) -> R, _: impl FnOnce() -> R) -> R {
        then(self)
    }
}

impl<F> Policy<F> {
    /// Makes the policy of a format.
    pub const fn of(format: F) -> Self {
        let kernels = BestKernel;
        Self { format, kernels }
    }
}

impl<F, K> Policy<F, K> {
    /// Returns this policy pinned to a kernel, for tests and benchmarks. Bytes, answers and name do not change. If the
    /// processor lacks the kernel, [`Kernel::Scalar`] is used.
    pub fn on_kernel(self, kernel: Kernel) -> Policy<F, KernelToken> {
        Policy {
            format: self.format,
            kernels: KernelToken::of(kernel),
        }
    }

    /// Returns the format.
    pub const fn format(&self) -> &F {
        &self.format
    }
}

impl<F: Format, K: KernelChoice> Policy<F, K> {
    /// Writes a filter. Inlined, so that each kind of source has its own code.
    #[inline(always)]
    fn make<'out>(
        &self,
        source: Source<'_, F::Hash>,
        out: &'out mut [u8],
    ) -> Result<FilterBytes<'out>, Error> {
        let len = self.format.build(self.kernels.token(), source, out)?;
        written(out, len)
    }

    fn of_hashes<'out>(&self, hashes: &[F::Hash], out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
        self.make(Source::Hashes(hashes), out)
    }

    /// Writes the filter of these keys to the start of `out` and returns the part written, as
    /// [`create_filter`](FilterPolicy::create_filter) does, with the same errors. Packed keys and arrays of 16 bytes are
    /// fastest.
    pub fn build_in<'out, 'k>(
        &self,
        keys: impl Into<KeyBatch<'k>>,
        out: &'out mut [u8],
    ) -> Result<FilterBytes<'out>, Error> {
        let batch = keys.into();
        match batch.for_kernels() {
            Some(Keys::Slices(keys)) => self.create_filter(keys, out),
            Some(keys) => self.make(Source::Keys(keys), out),
            #[cfg(feature = "alloc")]
            None => self.create_filter(&batch.slices()?, out),
            #[cfg(not(feature = "alloc"))]
            // All forms are those of kernels.
            None => Err(Error::AllocationFailed { bytes: 0 }),
        }
    }

    /// Returns the filter of these keys.
    ///
    /// An engine that goes on without a filter stores one that matches every key. No bytes are the filter of no keys,
    /// so `unwrap_or_default` would deny every key:
    ///
    /// ```
    /// use filter_policy::{BloomFilterPolicy, MATCHES_EVERYTHING};
    ///
    /// let built = BloomFilterPolicy::new(10.into()).build(["apple", "banana"]);
    /// let stored = built.unwrap_or(MATCHES_EVERYTHING.to_vec());
    /// assert_eq!(stored.len(), 9);
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`], [`Error::AllocationFailed`].
    #[cfg(feature = "alloc")]
    pub fn build(&self, keys: impl IntoIterator<Item: AsRef<[u8]>>) -> Result<Vec<u8>, Error> {
        let keys = keys.into_iter();
        self.format.max_len(keys.size_hint().0)?;
        let hashes = collect(keys.map(|key| self.format.hash(key.as_ref())))?;
        let mut filter = Vec::new();
        append_with(&mut filter, self.format.max_len(hashes.len())?, |room| {
            Ok(self.of_hashes(&hashes, room)?.len())
        })?;
        Ok(filter)
    }

    fn prepared(&self, filter: &[u8]) -> Prepared {
        match self.format.read(filter) {
            Some(own) => self.format.prepare(self.kernels.token(), own),
            None => F::other(filter),
        }
    }

    /// Answers for unusual bytes, or for a key that another function has hashed.
    #[inline(never)]
    fn unusual_may_match(&self, key: &[u8], hash: KeyHash, filter: &[u8]) -> bool {
        self.prepared(filter)
            .may_match_hash(filter, hash)
            .unwrap_or_else(|| self.key_may_match(key, filter))
    }
}

impl<F: Format, K: KernelChoice> FilterPolicy for Policy<F, K> {
    fn name(&self) -> &str {
        self.format.name()
    }

    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        self.format.max_len(keys)
    }

    fn bits_per_key(&self) -> Option<BitsPerKey> {
        self.format.bits_per_key()
    }

    fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
        self.make(Source::Keys(Keys::Slices(keys)), out)
    }

    #[inline]
    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        key_may_match(&self.format, key, filter, self.kernels)
    }

    #[inline]
    fn prepare<'a>(&'a self, filter: &'a [u8]) -> PreparedFilter<'a> {
        PreparedFilter::of(self, filter, self.prepared(filter))
    }

    #[inline]
    fn key_hash(&self, key: &[u8]) -> Option<KeyHash> {
        Some(KeyHash::new(self.format.hash_function(), self.format.hash(key)))
    }

    #[inline]
    fn hashed_may_match(&self, key: &[u8], hash: KeyHash, filter: &[u8]) -> bool {
        match (self.format.read(filter), hash.of(self.format.hash_function())) {
            (Some(own), Some(hash)) => own.may_match(self.kernels.token(), hash),
            _ => self.unusual_may_match(key, hash, filter),
        }
    }

    fn create_from_hashes<'out>(
        &self,
        hashes: KeyHashes<'_>,
        out: &'out mut [u8],
    ) -> Result<FilterBytes<'out>, Error> {
        self.of_hashes(hashes.of(self.format.hash_function())?, out)
    }
}
