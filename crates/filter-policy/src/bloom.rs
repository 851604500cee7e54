//! LevelDB's Bloom filter as a policy, with a choice of hash functions.

use filter_kernels::{Kernel, KernelToken, Keys, Source, leveldb};

use crate::error::Error;
use crate::hashed::{HashedPolicy as _, Layout};
use crate::hashers::{KeyHasher, LevelDbHash, Murmur2, Murmur2SignedTail};
use crate::params::BitsPerKey;
use crate::policy::{FilterPolicy, PreparedFilter};

/// A Bloom filter in LevelDB's layout, with a choice of hash functions; see [`format`](crate::format) for the bytes.
///
/// Each constructor is named after the policy name under which engines store its filters. Kernels hash the keys of a
/// [`KeyBatch`](crate::KeyBatch) 8 or 16 at a time if the processor supports it and the hasher has a
/// [`lane_hash`](KeyHasher::lane_hash); otherwise keys are hashed one by one and only the bits are set in batches.
///
/// ```
/// use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy, HashedPolicy};
///
/// let policy = BloomFilterPolicy::bloom_filter2(BitsPerKey::whole(10));
/// assert_eq!(policy.name(), "BloomFilter2");
///
/// let mut buffer = [0; 64];
/// let filter = policy.build_in(["hello", "world"], &mut buffer)?;
/// assert!(policy.key_may_match(b"hello", filter));
/// assert!(!policy.key_may_match(b"foo", filter));
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct BloomFilterPolicy<H> {
    hasher: H,
    bits_per_key: BitsPerKey,
    /// `None` selects the best available kernel.
    kernel: Option<Kernel>,
}

impl BloomFilterPolicy<Murmur2> {
    /// Makes the policy `BloomFilter2`: MurmurHash2, seed 5381, tail bytes unsigned.
    ///
    /// Tables that a C or C++ program wrote under this name on a platform with signed `char` differ for keys with a
    /// byte above 0x7f among the last `len % 4` bytes. This policy misses those keys; read such tables with
    /// [`bloom_filter2_signed_tail`](BloomFilterPolicy::bloom_filter2_signed_tail). The filter's bytes do not show
    /// which of the two wrote it.
    pub const fn bloom_filter2(bits_per_key: BitsPerKey) -> Self {
        Self::with_hasher(Murmur2::new(), bits_per_key)
    }

    /// Makes a policy of MurmurHash2 with another seed, under a name that includes the seed:
    /// `BloomFilter2.Seed9747b28c`. With the seed 5381 the policy is `BloomFilter2` itself.
    pub const fn bloom_filter2_with_seed(seed: u32, bits_per_key: BitsPerKey) -> Self {
        Self::with_hasher(Murmur2::with_seed(seed), bits_per_key)
    }
}

impl BloomFilterPolicy<Murmur2SignedTail> {
    /// Makes the policy `BloomFilter2.SignedTail`: MurmurHash2, seed 5381, tail bytes sign-extended. Use it for filters
    /// written by a program with signed `char`, whatever name they are stored under.
    pub const fn bloom_filter2_signed_tail(bits_per_key: BitsPerKey) -> Self {
        Self::with_hasher(Murmur2SignedTail, bits_per_key)
    }
}

impl BloomFilterPolicy<LevelDbHash> {
    /// Makes the policy `leveldb.BuiltinBloomFilter2`: identical to LevelDB's own, byte for byte.
    pub const fn leveldb_builtin(bits_per_key: BitsPerKey) -> Self {
        Self::with_hasher(LevelDbHash, bits_per_key)
    }
}

impl<H> BloomFilterPolicy<H> {
    /// Makes a policy with a custom hash function; the function also provides the policy name.
    pub const fn with_hasher(hasher: H, bits_per_key: BitsPerKey) -> Self {
        Self {
            hasher,
            bits_per_key,
            kernel: None,
        }
    }

    /// Returns this policy pinned to a kernel, for tests and benchmarks. Bytes, answers and name do not change. If the
    /// processor lacks the kernel, [`Kernel::Scalar`] is used.
    pub const fn on_kernel(mut self, kernel: Kernel) -> Self {
        self.kernel = Some(kernel);
        self
    }

    /// Returns the hash function.
    pub const fn hasher(&self) -> &H {
        &self.hasher
    }

    /// Returns the bits per key.
    pub const fn bits_per_key(&self) -> BitsPerKey {
        self.bits_per_key
    }
}

impl<H: KeyHasher> Layout for BloomFilterPolicy<H> {
    type Hash = u32;

    #[inline]
    fn kernel(&self) -> KernelToken {
        KernelToken::given(self.kernel)
    }

    #[inline]
    fn hash_key(&self, key: &[u8]) -> u32 {
        self.hasher.hash(key)
    }

    fn start(&self, _: usize, filter: &mut [u8]) {
        filter.fill(0);
        if let Some(last) = filter.last_mut() {
            *last = self.bits_per_key.probe_count();
        }
    }

    fn insert(&self, filter: &mut [u8], hashes: &[u32]) {
        if let Some((probes, bit_array)) = filter.split_last_mut() {
            leveldb::insert(self.kernel(), hashes, *probes, bit_array);
        }
    }

    fn create(&self, keys: Keys<'_>, filter: &mut [u8]) -> Option<usize> {
        let function = self.hasher.lane_hash()?;
        let (last, bit_array) = filter.split_last_mut()?;
        let probes = self.bits_per_key.probe_count();
        *last = probes;
        leveldb::create(self.kernel(), Source::Keys(keys, function), probes, bit_array);
        Some(0)
    }

    #[inline]
    fn may_match(&self, kernel: KernelToken, _: &[u8], hash: u32, filter: &[u8]) -> bool {
        leveldb::may_match_hash(|| hash, filter, kernel)
    }
}

impl<H: KeyHasher> FilterPolicy for BloomFilterPolicy<H> {
    fn name(&self) -> &str {
        self.hasher.policy_name()
    }

    /// Returns the exact length of a filter of this many keys.
    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        self.bits_per_key.filter_len(keys)
    }

    fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<&'out mut [u8], Error> {
        self.build_batch_in(keys, out)
    }

    #[inline]
    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        leveldb::may_match_key(|key| self.hasher.hash(key), key, filter, self.kernel)
    }

    #[inline]
    fn prepare<'a>(&'a self, filter: &'a [u8]) -> PreparedFilter<'a> {
        PreparedFilter::of_leveldb(self.kernel(), &self.hasher, filter)
    }
}
