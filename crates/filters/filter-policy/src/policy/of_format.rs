//! The policy that every format has.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use crate::simd::{Kernel, KernelToken, Keys, Source, StoredBits as _};

use super::kernel_choice::{BestKernel, KernelChoice};
use super::query::key_may_match;
use super::{FilterPolicy, Format, Prepared, PreparedFilter};
use crate::bits_per_key::BitsPerKey;
use crate::building::written;
#[cfg(feature = "alloc")]
use crate::building::{append_with, collect};
use crate::error::Error;
use crate::filter_bytes::FilterBytes;
use crate::key_hash::{KeyHash, KeyHashes};
use crate::keys::KeyBatch;

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
