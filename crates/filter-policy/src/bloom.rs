//! LevelDB's Bloom filter as a policy, with a choice of hash functions.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use crate::arch::{self, Chosen, Kernel, Source};
use crate::builder::FilterBuilder;
use crate::error::Error;
use crate::hasher::{KeyHasher, LevelDbHash, Murmur2, Murmur2SignedTail};
use crate::keys::KeyBatch;
use crate::params::BitsPerKey;
use crate::policy::FilterPolicy;
#[cfg(feature = "alloc")]
use crate::policy::append_with;
use crate::prepared::HashedKey;

/// A Bloom filter in LevelDB's layout, with the probe sequence of [`ProbeSequence`](crate::ProbeSequence).
///
/// The constructors are named after the policy names under which engines store the filters. Besides the
/// methods of [`FilterPolicy`] there are generic ones that build from anything that gives keys or hash
/// values:
///
/// | from | into a slice | appended to a `Vec` (feature `alloc`) | as a new `Vec` (feature `alloc`) |
/// |---|---|---|---|
/// | keys | [`build_in`](Self::build_in) | `append` | `build` |
/// | keys in a slice | [`build_batch_in`](Self::build_batch_in) | `append_batch` | |
/// | hash values | [`build_hashes_in`](Self::build_hashes_in) | `append_hashes` | |
///
/// All of them write the same bytes for the same keys in any order. Keys in a slice are hashed 8 or 16 at a time where
/// the processor can and the hasher has a [`lane_hash`](KeyHasher::lane_hash); otherwise keys are hashed one by one,
/// and only their bits are set together. [`FilterPolicy::create_filter`] takes the fast way.
///
/// To ask one filter for many keys, see [`PreparedFilter`](crate::PreparedFilter); many filters for one key, [`hashed`](Self::hashed).
#[cfg_attr(
    feature = "alloc",
    doc = r#"
```
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy};

let policy = BloomFilterPolicy::bloom_filter2(BitsPerKey::whole(10));
assert_eq!(policy.name(), "BloomFilter2");

let filter = policy.build(["hello", "world"])?;
assert!(policy.key_may_match(b"hello", &filter));
assert!(!policy.key_may_match(b"foo", &filter));
# Ok::<(), filter_policy::Error>(())
```
"#
)]
#[derive(Debug, Clone, Copy)]
pub struct BloomFilterPolicy<H> {
    hasher: H,
    bits_per_key: BitsPerKey,
    /// `None`: the best one.
    kernel: Option<Kernel>,
}

impl BloomFilterPolicy<Murmur2> {
    /// `BloomFilter2`: MurmurHash2, seed 5381, tail bytes unsigned.
    ///
    /// Beware of tables that a C or C++ program wrote under this name on a platform where `char` is signed:
    /// keys with a byte above 0x7f among the last `len % 4` need
    /// [`bloom_filter2_signed_tail`](BloomFilterPolicy::bloom_filter2_signed_tail), and this policy denies
    /// them. The bytes of a filter do not tell which of the two wrote it.
    pub const fn bloom_filter2(bits_per_key: BitsPerKey) -> Self {
        Self::with_hasher(Murmur2::new(), bits_per_key)
    }

    /// MurmurHash2 with another seed, under a name that carries the seed: `BloomFilter2.Seed9747b28c`. With
    /// the seed 5381 it is `BloomFilter2` itself.
    pub const fn bloom_filter2_with_seed(seed: u32, bits_per_key: BitsPerKey) -> Self {
        Self::with_hasher(Murmur2::with_seed(seed), bits_per_key)
    }
}

impl BloomFilterPolicy<Murmur2SignedTail> {
    /// `BloomFilter2.SignedTail`: MurmurHash2, seed 5381, tail bytes sign-extended. For filters that a
    /// program with signed `char` wrote, under whatever name it stored them.
    pub const fn bloom_filter2_signed_tail(bits_per_key: BitsPerKey) -> Self {
        Self::with_hasher(Murmur2SignedTail, bits_per_key)
    }
}

impl BloomFilterPolicy<LevelDbHash> {
    /// `leveldb.BuiltinBloomFilter2`: LevelDB's own policy, byte for byte.
    pub const fn leveldb_builtin(bits_per_key: BitsPerKey) -> Self {
        Self::with_hasher(LevelDbHash, bits_per_key)
    }
}

impl<H> BloomFilterPolicy<H> {
    /// With a hash function of the caller's, under the name that it brings.
    pub const fn with_hasher(hasher: H, bits_per_key: BitsPerKey) -> Self {
        Self {
            hasher,
            bits_per_key,
            kernel: None,
        }
    }

    /// The same policy by the instructions of the caller's choice, for tests and benchmarks: bytes, answers and name are
    /// the same. Where the processor does not have them, it is [`Kernel::Scalar`].
    pub const fn on_kernel(mut self, kernel: Kernel) -> Self {
        self.kernel = Some(kernel);
        self
    }

    #[inline]
    pub(crate) fn kernel(&self) -> Chosen {
        Chosen::given(self.kernel)
    }

    /// The hash function.
    pub const fn hasher(&self) -> &H {
        &self.hasher
    }

    /// The bits per key.
    pub const fn bits_per_key(&self) -> BitsPerKey {
        self.bits_per_key
    }

    /// The exact length of a filter of this many keys, in bytes.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`] when no slice could hold it.
    pub fn filter_len(&self, keys: usize) -> Result<usize, Error> {
        self.bits_per_key.filter_len(keys)
    }

    /// Writes the filter of keys with these hash values to the start of `out` and returns the part written.
    ///
    /// The filter is sized by the iterator's `len`. Should it give another number of values all the same, the
    /// filter holds every one of them, in more or less space than is best.
    ///
    /// # Errors
    ///
    /// [`Error::BufferTooShort`], [`Error::FilterTooLarge`]; `out` is then unchanged.
    pub fn build_hashes_in<'out, I>(&self, hashes: I, out: &'out mut [u8]) -> Result<&'out mut [u8], Error>
    where
        I: IntoIterator<Item = u32, IntoIter: ExactSizeIterator>,
    {
        let hashes = hashes.into_iter();
        // Not `len`, which panics where the two halves of the hint differ.
        let mut builder =
            FilterBuilder::new(self.bits_per_key, hashes.size_hint().0, out)?.on_kernel(self.kernel());
        builder.extend(hashes);
        Ok(builder.finish())
    }

    /// Appends the filter of keys with these hash values to `out`.
    ///
    /// Any iterator will do. One that does not know its length beforehand has its values collected first, 4
    /// bytes each; one whose hint is exact but wrong is treated as in
    /// [`build_hashes_in`](Self::build_hashes_in).
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`], [`Error::AllocationFailed`]; `out` is then what it was.
    #[cfg(feature = "alloc")]
    pub fn append_hashes<I>(&self, hashes: I, out: &mut Vec<u8>) -> Result<(), Error>
    where
        I: IntoIterator<Item = u32>,
    {
        let hashes = hashes.into_iter();
        match hashes.size_hint() {
            (lower, Some(upper)) if lower == upper => self.append_counted(lower, hashes, out),
            _ => {
                let collected = collect(hashes)?;
                self.append_counted(collected.len(), collected, out)
            }
        }
    }

    #[cfg(feature = "alloc")]
    fn append_counted<I>(&self, keys: usize, hashes: I, out: &mut Vec<u8>) -> Result<(), Error>
    where
        I: IntoIterator<Item = u32>,
    {
        append_with(out, self.filter_len(keys)?, |room| {
            let mut builder = FilterBuilder::new(self.bits_per_key, keys, room)?.on_kernel(self.kernel());
            builder.extend(hashes);
            Ok(builder.finish().len())
        })
    }
}

impl<H: KeyHasher> BloomFilterPolicy<H> {
    /// Writes the filter of these keys to the start of `out` and returns the part written.
    ///
    /// Keys are anything that gives bytes: `&[&[u8]]`, `&Vec<String>`, an iterator that knows its length. See
    /// [`build_hashes_in`](Self::build_hashes_in) for one that is wrong about it.
    ///
    /// # Errors
    ///
    /// [`Error::BufferTooShort`], [`Error::FilterTooLarge`]; `out` is then unchanged.
    pub fn build_in<'out, I>(&self, keys: I, out: &'out mut [u8]) -> Result<&'out mut [u8], Error>
    where
        I: IntoIterator<Item: AsRef<[u8]>, IntoIter: ExactSizeIterator>,
    {
        self.build_hashes_in(keys.into_iter().map(|key| self.hasher.hash(key.as_ref())), out)
    }

    /// Writes the filter of these keys to the start of `out` and returns the part written: the fastest way.
    ///
    /// # Errors
    ///
    /// [`Error::BufferTooShort`], [`Error::FilterTooLarge`]; `out` is then unchanged.
    pub fn build_batch_in<'out, 'k>(
        &self,
        keys: impl Into<KeyBatch<'k>>,
        out: &'out mut [u8],
    ) -> Result<&'out mut [u8], Error> {
        let keys = keys.into();
        let needed = self.filter_len(keys.len())?;
        let given = out.len();
        let filter = out
            .get_mut(..needed)
            .ok_or(Error::BufferTooShort { needed, given })?;
        self.write(keys, filter);
        Ok(filter)
    }

    /// Writes the filter of these keys over `filter`, which has its length.
    fn write(&self, keys: KeyBatch<'_>, filter: &mut [u8]) {
        let Some((last, bit_array)) = filter.split_last_mut() else {
            return;
        };
        let (kernel, probes) = (self.kernel(), self.bits_per_key.probe_count());
        *last = probes;
        if let Some(function) = self.hasher.lane_hash() {
            arch::create(kernel, Source::keys(keys, function), probes, bit_array);
        } else {
            bit_array.fill(0);
            keys.hash_in_batches(&self.hasher, |hashes| {
                arch::insert(kernel, hashes, probes, bit_array);
            });
        }
    }

    /// Appends the filter of these keys to `out`: the fastest way.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`], [`Error::AllocationFailed`]; `out` is then what it was.
    #[cfg(feature = "alloc")]
    pub fn append_batch<'k>(&self, keys: impl Into<KeyBatch<'k>>, out: &mut Vec<u8>) -> Result<(), Error> {
        let keys = keys.into();
        append_with(out, self.filter_len(keys.len())?, |room| {
            self.write(keys, room);
            Ok(room.len())
        })
    }

    /// A key that many filters will be asked for.
    #[inline]
    pub fn hashed(&self, key: &[u8]) -> HashedKey {
        HashedKey {
            hash: self.hasher.hash(key),
            kernel: self.kernel(),
        }
    }

    /// Appends the filter of these keys to `out`; any iterator will do, see
    /// [`append_hashes`](Self::append_hashes).
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`], [`Error::AllocationFailed`]; `out` is then what it was.
    #[cfg(feature = "alloc")]
    pub fn append<I>(&self, keys: I, out: &mut Vec<u8>) -> Result<(), Error>
    where
        I: IntoIterator<Item: AsRef<[u8]>>,
    {
        self.append_hashes(keys.into_iter().map(|key| self.hasher.hash(key.as_ref())), out)
    }

    /// The filter of these keys in a vector of its own.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`], [`Error::AllocationFailed`].
    #[cfg(feature = "alloc")]
    pub fn build<I>(&self, keys: I) -> Result<Vec<u8>, Error>
    where
        I: IntoIterator<Item: AsRef<[u8]>>,
    {
        let mut filter = Vec::new();
        self.append(keys, &mut filter)?;
        Ok(filter)
    }
}

impl<H: KeyHasher> FilterPolicy for BloomFilterPolicy<H> {
    fn name(&self) -> &str {
        self.hasher.policy_name()
    }

    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        self.filter_len(keys)
    }

    fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<&'out mut [u8], Error> {
        self.build_batch_in(keys, out)
    }

    #[cfg(feature = "alloc")]
    fn append_filter(&self, keys: &[&[u8]], out: &mut Vec<u8>) -> Result<(), Error> {
        self.append_batch(keys, out)
    }

    #[inline]
    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        arch::may_match_key(&self.hasher, key, filter, self.kernel)
    }
}

/// Collects hash values of which nobody knows how many will come.
#[cfg(feature = "alloc")]
fn collect(hashes: impl Iterator<Item = u32>) -> Result<Vec<u32>, Error> {
    let mut collected = Vec::new();
    for hash in hashes {
        if collected.len() == collected.capacity() {
            // Grows by doubling; the iterator's hint is not believed, it may ask for all of the memory.
            collected.try_reserve(1).map_err(|_| Error::AllocationFailed {
                bytes: collected.len().saturating_add(1).saturating_mul(size_of::<u32>()),
            })?;
        }
        collected.push(hash);
    }
    Ok(collected)
}
