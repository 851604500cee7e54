//! LevelDB's filter: the bytes, and the policy with a choice of hash functions.

mod sizes;

use filter_kernels::leveldb::{self, BitQuery};
use filter_kernels::{Kernel, KernelToken, Keys, LaneHash, MAX_PROBES, Source};
use hashzoo::{LEVELDB_BLOOM_SEED, MURMUR2_SEED};

use crate::answers::fill;
use crate::bits_per_key::BitsPerKey;
use crate::building::for_each_batch;
use crate::error::Error;
use crate::hashed::{HashedPolicy, NewFilter, hashed_methods};
use crate::hashers::{KeyHasher, LevelDbHash, Murmur2, Murmur2SignedTail};
use crate::key_hash::{HashFunction, KeyHash, KeyHashes};
use crate::policy::prepared::{Plan, Reader};
use crate::policy::{FilterPolicy, PreparedFilter};

use sizes::coprime_bytes;
pub use sizes::is_coprime_size;

/// The minimum size of the bit array: smaller arrays would have a very high false-positive rate.
///
/// Source: LevelDB, `util/bloom.cc`.
const MIN_BITS: u64 = 64;

/// LevelDB's approximation of ln 2, the factor from bits per key to the best probe count. Stored bytes depend on this
/// value: a closer value would give other filters.
const LN_2_OF_THE_FORMAT: f64 = 0.69;

/// Returns the probe count k of LevelDB's filters: `floor(bits_per_key * 0.69)`, at least 1, at most 30.
///
/// ```
/// assert_eq!(filter_policy::leveldb::probe_count(10.into()), 6);
/// ```
pub const fn probe_count(bits_per_key: BitsPerKey) -> u32 {
    probes(bits_per_key) as u32
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the value is between 1 and 30; the cast rounds down"
)]
const fn probes(bits_per_key: BitsPerKey) -> u8 {
    (bits_per_key.get() * LN_2_OF_THE_FORMAT).clamp(1.0, MAX_PROBES as f64) as u8
}

/// Returns the size of the bit array for this number of keys, in bits: `floor(keys * bits_per_key)`, at least 64, rounded
/// up to whole bytes. The product is exact, without intermediate rounding.
///
/// # Errors
///
/// [`Error::FilterTooLarge`] when the size does not fit into 64 bits.
pub fn filter_bits(bits_per_key: BitsPerKey, keys: u64) -> Result<u64, Error> {
    u64::try_from(bits_per_key.times(keys))
        .ok()
        .and_then(|bits| bits.max(MIN_BITS).checked_next_multiple_of(8))
        .ok_or(bits_per_key.too_large(keys))
}

/// Returns the length of a filter for this number of keys, in bytes: the bit array and the byte that holds k.
///
/// ```
/// assert_eq!(filter_policy::leveldb::filter_len(10.into(), 80_000)?, 100_001);
/// # Ok::<(), filter_policy::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::FilterTooLarge`] when the length does not fit into a `usize`.
pub fn filter_len(bits_per_key: BitsPerKey, keys: usize) -> Result<usize, Error> {
    let keys = keys as u64;
    usize::try_from(filter_bits(bits_per_key, keys)? / 8)
        .ok()
        .and_then(|bytes| bytes.checked_add(1))
        .ok_or(bits_per_key.too_large(keys))
}

/// The contents of stored bytes in LevelDB's format, which does not record the hash function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored<'a> {
    /// Too short to hold a key: never matches.
    Empty,
    /// A last byte above 30, reserved for other encodings: always matches.
    Reserved,
    /// A Bloom filter.
    Bloom {
        /// The bits, the least significant of a byte first.
        bit_array: &'a [u8],
        /// The probe count k, 0 to 30.
        probes: u8,
    },
}

/// Reads stored bytes, which may be any.
#[inline]
pub const fn stored(filter: &[u8]) -> Stored<'_> {
    match filter {
        [] | [_] => Stored::Empty,
        [.., probes] if *probes > MAX_PROBES => Stored::Reserved,
        [bit_array @ .., probes] => Stored::Bloom {
            bit_array,
            probes: *probes,
        },
    }
}

/// A Bloom filter in LevelDB's layout, with a choice of hash functions. `FORMAT.md` of the crate `filter-formats` describes the bytes.
///
/// [`new`](Self::new) makes this project's own policy, `BloomFilter2`: MurmurHash2 with the seed 5381, a step between
/// probes that is the hash rotated by 17 bits, the probe count in the last byte. The other constructors differ in the
/// hash function, and so in the name under which engines store the filters. Kernels hash the keys of a
/// [`KeyBatch`](crate::KeyBatch) 8 or 16 at a time if the processor supports it and the hasher has a
/// [`lane_hash`](KeyHasher::lane_hash); otherwise keys are hashed one by one and only the bits are set in batches.
///
/// ```
/// use filter_policy::{BloomFilterPolicy, FilterPolicy, HashedPolicy};
///
/// let policy = BloomFilterPolicy::new(10.into());
/// assert_eq!(policy.name(), "BloomFilter2");
///
/// let mut buffer = [0; 64];
/// let filter = policy.build_in(["hello", "world"], &mut buffer)?;
/// assert!(policy.key_may_match(b"hello", &filter));
/// assert!(!policy.key_may_match(b"foo", &filter));
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct BloomFilterPolicy<H> {
    hasher: H,
    function: HashFunction,
    bits_per_key: BitsPerKey,
    coprime_sizes: bool,
    /// `None` selects the best available kernel.
    kernel: Option<Kernel>,
}

impl BloomFilterPolicy<Murmur2> {
    /// Makes the policy `BloomFilter2`: MurmurHash2, seed 5381, tail bytes unsigned.
    ///
    /// Tables that a C or C++ program wrote under this name on a platform with signed `char` differ for keys with a
    /// byte above 0x7f among the last `len % 4` bytes. This policy misses those keys; read such tables with
    /// [`with_signed_tail`](BloomFilterPolicy::with_signed_tail). The filter's bytes do not show
    /// which of the two wrote it.
    pub const fn new(bits_per_key: BitsPerKey) -> Self {
        Self::with_seed(MURMUR2_SEED, bits_per_key)
    }

    /// Makes a policy of MurmurHash2 with another seed, under a name that includes the seed:
    /// `BloomFilter2.Seed9747b28c`. With the seed 5381 the policy is `BloomFilter2` itself.
    pub const fn with_seed(seed: u32, bits_per_key: BitsPerKey) -> Self {
        Self::with_function(
            Murmur2::with_seed(seed),
            HashFunction::murmur2(seed),
            bits_per_key,
        )
    }
}

impl BloomFilterPolicy<Murmur2SignedTail> {
    /// Makes the policy `BloomFilter2.SignedTail`: MurmurHash2, seed 5381, tail bytes sign-extended. Use it for filters
    /// written by a program with signed `char`, whatever name they are stored under.
    pub const fn with_signed_tail(bits_per_key: BitsPerKey) -> Self {
        let function = HashFunction::murmur2_signed_tail(MURMUR2_SEED);
        Self::with_function(Murmur2SignedTail, function, bits_per_key)
    }
}

impl BloomFilterPolicy<LevelDbHash> {
    /// Makes the policy `leveldb.BuiltinBloomFilter2`: identical to LevelDB's own, byte for byte.
    pub const fn with_leveldb_hash(bits_per_key: BitsPerKey) -> Self {
        Self::with_function(
            LevelDbHash,
            HashFunction::leveldb(LEVELDB_BLOOM_SEED),
            bits_per_key,
        )
    }
}

impl<H: KeyHasher> BloomFilterPolicy<H> {
    /// Makes a policy with a custom hash function; the function also provides the policy name.
    pub fn with_hasher(hasher: H, bits_per_key: BitsPerKey) -> Self {
        let function = HashFunction::of_hasher(&hasher);
        Self::with_function(hasher, function, bits_per_key)
    }
}

impl<H> BloomFilterPolicy<H> {
    const fn with_function(hasher: H, function: HashFunction, bits_per_key: BitsPerKey) -> Self {
        Self {
            hasher,
            function,
            bits_per_key,
            coprime_sizes: false,
            kernel: None,
        }
    }

    /// Returns this policy with filters of better sizes than LevelDB's: a few bytes more or fewer, so that the bits have
    /// no common factor with 2^32 - 1, and the bytes are odd. Every reader of the format reads them under the same name.
    ///
    /// Take it where absent keys resemble stored ones, as consecutive numbers do, or where every filter should be about
    /// as good as the next: LevelDB's sizes let up to 60 % of the numbers between stored ones pass, these 5 %. Do not
    /// take it where bytes must be equal to those that LevelDB writes. `THEORY.md` of `filter-formats` says why it helps.
    ///
    /// ```
    /// use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy, HashedPolicy};
    ///
    /// let policy = BloomFilterPolicy::with_leveldb_hash(BitsPerKey::whole(10));
    /// let better = policy.coprime_sizes();
    /// assert_eq!(better.name(), policy.name());
    /// // 320 bits are a multiple of 64 and of 5; 41 bytes are neither even nor a multiple of 3, 5, 17, 257 or 65537.
    /// assert_eq!((policy.max_filter_len(32)?, better.max_filter_len(32)?), (41, 42));
    ///
    /// let mut buffer = [0; 64];
    /// let filter = better.build_in((0..32_u32).map(u32::to_be_bytes), &mut buffer)?;
    /// assert!((0..32_u32).all(|id| policy.key_may_match(&id.to_be_bytes(), &filter)));
    /// # Ok::<(), filter_policy::Error>(())
    /// ```
    #[must_use]
    pub const fn coprime_sizes(mut self) -> Self {
        self.coprime_sizes = true;
        self
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

    #[inline]
    fn token(&self) -> KernelToken {
        KernelToken::given(self.kernel)
    }
}

impl<H: KeyHasher> BloomFilterPolicy<H> {
    /// Answers for a key that another function has hashed.
    #[cold]
    #[inline(never)]
    fn hash_again(&self, key: &[u8], filter: &[u8]) -> bool {
        self.key_may_match(key, filter)
    }
}

impl<H: KeyHasher> HashedPolicy for BloomFilterPolicy<H> {
    type Hash = u32;

    #[inline]
    fn hash_key(&self, key: &[u8]) -> u32 {
        self.hasher.hash(key)
    }

    #[inline]
    fn hash_function(&self) -> HashFunction {
        self.function
    }

    fn fill(&self, filter: NewFilter<'_>, hashes: impl Iterator<Item = u32>) -> usize {
        let probes = probes(self.bits_per_key);
        let bits = filter.ending_in([probes]);
        bits.fill(0);
        for_each_batch(hashes, |hashes| {
            leveldb::insert(self.token(), Source::Hashes(hashes), probes, bits);
        })
    }

    fn fill_with_keys(&self, filter: NewFilter<'_>, keys: Keys<'_>) -> Option<usize> {
        let function = self.hasher.lane_hash()?;
        let probes = probes(self.bits_per_key);
        let bits = filter.ending_in([probes]);
        leveldb::create(self.token(), Source::Keys(keys, function), probes, bits);
        Some(0)
    }
}

impl<H: KeyHasher> FilterPolicy for BloomFilterPolicy<H> {
    fn name(&self) -> &str {
        self.hasher.policy_name()
    }

    /// Returns the exact length of a filter of this many keys.
    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        let len = filter_len(self.bits_per_key, keys)?;
        Ok(if self.coprime_sizes {
            coprime_bytes(len - 1) + 1
        } else {
            len
        })
    }

    fn bits_per_key(&self) -> Option<BitsPerKey> {
        Some(self.bits_per_key)
    }

    #[inline]
    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        leveldb::may_match_key(|key| self.hasher.hash(key), key, filter, self.kernel)
    }

    #[inline]
    fn prepare<'a>(&'a self, filter: &'a [u8]) -> PreparedFilter<'a> {
        let plan = plan(self.token(), self.hasher.lane_hash(), self.function, filter);
        PreparedFilter::planned(self, filter, plan)
    }

    #[inline]
    fn hashed_may_match(&self, key: &[u8], hash: KeyHash, filter: &[u8]) -> bool {
        match hash.of(self.function) {
            Some(hash) => leveldb::may_match_hash(|| hash, filter, self.token()),
            None => self.hash_again(key, filter),
        }
    }

    hashed_methods!();
}

/// Prepares a filter whose keys are hashed by this function, which kernels may know.
#[inline]
fn plan(kernel: KernelToken, lanes: Option<LaneHash>, function: HashFunction, filter: &[u8]) -> Plan {
    let (bit_array, probes) = match stored(filter) {
        Stored::Empty => return Plan::same_for_all(false, kernel),
        Stored::Reserved => return Plan::same_for_all(true, kernel),
        Stored::Bloom { bit_array, probes } => (bit_array, probes),
    };
    let (reader, seed) = match lanes {
        Some(LaneHash::LevelDb { seed }) => (&LEVELDB, seed),
        Some(LaneHash::Murmur2 { seed }) => (&MURMUR2, seed),
        Some(LaneHash::Murmur2SignedTail { seed }) => (&MURMUR2_SIGNED_TAIL, seed),
        _ => (&HASHED_BY_POLICY, 0),
    };
    let (kernel, [divisor, reciprocal]) = BitQuery::new(kernel, bit_array, probes).parts();
    Plan {
        asker: lanes.map(|function| leveldb::asker(kernel, function)),
        function: Some(function),
        reader,
        kernel,
        bits_len: bit_array.len(),
        words: [divisor, reciprocal, u64::from(probes) | u64::from(seed) << 32],
    }
}

/// Returns the query that was prepared, and the seed of the hash function.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the halves of a word")]
fn planned<'a>(plan: &Plan, bit_array: &'a [u8]) -> (BitQuery<'a>, u32) {
    let [divisor, reciprocal, rest] = plan.words;
    let query = BitQuery::of_parts(plan.kernel, [divisor, reciprocal], bit_array, rest as u8);
    (query, (rest >> 32) as u32)
}

/// The reader of filters whose keys only the policy can hash.
static HASHED_BY_POLICY: Reader = Reader {
    name: "LevelDb",
    keys: None,
    hash: may_match_hash,
    hashes: may_match_hashes,
};

/// Defines the reader of filters whose keys are hashed by a function that kernels know.
macro_rules! reader {
    ($name:ident, $variant:ident) => {
        static $name: Reader = Reader {
            keys: Some(|plan, bit_array, keys, answers| {
                let (query, seed) = planned(plan, bit_array);
                let source = Source::Keys(keys, LaneHash::$variant { seed });
                leveldb::may_match_many(&query, source, answers);
            }),
            ..HASHED_BY_POLICY
        };
    };
}

reader!(LEVELDB, LevelDb);
reader!(MURMUR2, Murmur2);
reader!(MURMUR2_SIGNED_TAIL, Murmur2SignedTail);

#[expect(clippy::cast_possible_truncation, reason = "a value of 32 bits")]
fn may_match_hash(plan: &Plan, bit_array: &[u8], hash: u64) -> bool {
    leveldb::may_match(&planned(plan, bit_array).0, hash as u32)
}

fn may_match_hashes(plan: &Plan, bit_array: &[u8], hashes: KeyHashes<'_>, answers: &mut [u64]) {
    match hashes.values() {
        Some(hashes) => {
            leveldb::may_match_many(&planned(plan, bit_array).0, Source::Hashes(hashes), answers);
        }
        None => fill(true, hashes.len(), answers),
    }
}

#[cfg(test)]
mod tests;
