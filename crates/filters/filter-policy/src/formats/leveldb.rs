//! LevelDB's filter: the bytes, the hash functions, each bound to the policy name under which its filters are stored,
//! and the policy.

pub(crate) mod bits;
mod coprime;
mod definition;
mod kernel;
mod many;
mod rate;
mod scalar;

use core::{fmt, str};

pub use crate::simd::LaneHash;
use crate::simd::{KernelToken, LaneSource, MAX_PROBES, Source};
use bits::LevelDbBits;
use hashzoo::{LEVELDB_BLOOM_SEED, MURMUR2_SEED, leveldb_hash, murmur2, murmur2_signed_tail};

use crate::bits_per_key::BitsPerKey;
use crate::building::{each_batch, room};
use crate::error::Error;
use crate::key_hash::HashFunctionId;
use crate::policy::{Facts, FilterSize, Format, ListedFormat, Policy, Prepared};
use crate::sizing::Precision;
use crate::view::FilterView;

use coprime::coprime_bytes;
pub use coprime::is_coprime_size;

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
pub(crate) const fn probes(bits_per_key: BitsPerKey) -> u8 {
    (bits_per_key.get() * LN_2_OF_THE_FORMAT).clamp(1.0, MAX_PROBES as f64) as u8
}

/// Returns the size of the bit array for this number of keys, in bits: `floor(keys * bits_per_key)`, at least 64,
/// rounded up to whole bytes. The product is exact, without intermediate rounding.
///
/// # Errors
///
/// [`Error::FilterTooLarge`] when the size does not fit into 64 bits.
pub(crate) fn filter_bits(bits_per_key: BitsPerKey, keys: u64) -> Result<u64, Error> {
    u64::try_from(bits_per_key.times(keys))
        .ok()
        .and_then(|bits| bits.max(MIN_BITS).checked_next_multiple_of(8))
        .ok_or_else(|| bits_per_key.too_large(keys, bits_per_key.most_keys(u64::MAX - 7)))
}

/// Returns the length of a filter for this number of keys, in bytes: the bit array and the byte that holds k.
///
/// # Errors
///
/// [`Error::FilterTooLarge`] when the length does not fit into a `usize`.
pub(crate) fn filter_len(bits_per_key: BitsPerKey, keys: usize) -> Result<usize, Error> {
    const MAX_BITS: u64 = (usize::MAX as u64 - 1).saturating_mul(8);
    let keys = keys as u64;
    usize::try_from(filter_bits(bits_per_key, keys)? / 8)
        .ok()
        .and_then(|bytes| bytes.checked_add(1))
        .ok_or_else(|| bits_per_key.too_large(keys, bits_per_key.most_keys(MAX_BITS)))
}

/// Maps keys to 32-bit hash values and names the stored format that follows from it.
///
/// Implement this trait to use another hash function in LevelDB's filter format, under a new policy name. A filter that
/// is read with a different function misses stored keys, and only the policy name prevents such a mix-up.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a hash function of keys",
    note = "implement `KeyHasher`: a function with a policy name of its own, under which filters are stored"
)]
pub trait KeyHasher {
    /// Returns the hash value of a key. The same key must give the same value on every platform, for as long as
    /// filters are kept.
    fn hash(&self, key: &[u8]) -> u32;

    /// Returns the name of the policy that stores filters made with exactly this function, its seed included.
    fn policy_name(&self) -> &str;

    /// Returns the function that kernels can compute in place of this hasher for many keys at once, if there is one.
    ///
    /// The result affects only speed: with the default, `None`, keys are hashed one by one. A hasher that returns
    /// `Some` must compute the same values as [`LaneHash::hash`], or filters miss stored keys.
    ///
    /// A hasher of another crate that returns a `LaneHash` is as fast as the hashers of this crate:
    ///
    /// ```
    /// use filter_policy::leveldb::{KeyHasher, LaneHash};
    ///
    /// /// MurmurHash2 as Kafka seeds it.
    /// struct Kafka;
    ///
    /// impl KeyHasher for Kafka {
    ///     fn hash(&self, key: &[u8]) -> u32 {
    ///         LaneHash::Murmur2 { seed: 0x9747_b28c }.hash(key)
    ///     }
    ///     fn policy_name(&self) -> &str {
    ///         "example.KafkaBloom"
    ///     }
    ///     fn lane_hash(&self) -> Option<LaneHash> {
    ///         Some(LaneHash::Murmur2 { seed: 0x9747_b28c })
    ///     }
    /// }
    /// ```
    #[inline]
    fn lane_hash(&self) -> Option<LaneHash> {
        None
    }
}

/// MurmurHash2 with a seed, tail bytes unsigned: the hash of `BloomFilter2`.
///
/// The policy name is `BloomFilter2` for seed 5381; for any other seed it is `BloomFilter2.Seed` and eight hexadecimal
/// digits.
///
/// ```
/// use filter_policy::{BloomFilterPolicy, FilterPolicy};
///
/// for (seed, name) in [(5381, "BloomFilter2"), (0x9747_b28c, "BloomFilter2.Seed9747b28c")] {
///     assert_eq!(BloomFilterPolicy::with_seed(seed, 10.into()).name(), name);
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Murmur2 {
    seed: u32,
    seeded_name: [u8; 25],
}

impl Murmur2 {
    /// The name of the policy with the seed 5381.
    pub const POLICY_NAME: &str = "BloomFilter2";

    /// Makes the function with the seed 5381.
    pub(crate) const fn new() -> Self {
        Self::with_seed(MURMUR2_SEED)
    }

    /// Makes the function with this seed. Every value is valid.
    pub(crate) const fn with_seed(seed: u32) -> Self {
        let [a, b, c, d] = seed.to_be_bytes();
        #[rustfmt::skip]
        let seeded_name = [
            b'B', b'l', b'o', b'o', b'm', b'F', b'i', b'l', b't', b'e', b'r', b'2', b'.', b'S', b'e', b'e', b'd',
            digit(a >> 4), digit(a & 15), digit(b >> 4), digit(b & 15),
            digit(c >> 4), digit(c & 15), digit(d >> 4), digit(d & 15),
        ];
        Self { seed, seeded_name }
    }
}

const fn digit(value: u8) -> u8 {
    value + if value < 10 { b'0' } else { b'a' - 10 }
}

impl Default for Murmur2 {
    fn default() -> Self {
        Self::new()
    }
}

impl KeyHasher for Murmur2 {
    #[inline]
    fn hash(&self, key: &[u8]) -> u32 {
        murmur2(key, self.seed)
    }

    fn policy_name(&self) -> &str {
        if self.seed == MURMUR2_SEED {
            Self::POLICY_NAME
        } else {
            str::from_utf8(&self.seeded_name).expect("every byte of the name is ASCII")
        }
    }

    #[inline]
    fn lane_hash(&self) -> Option<LaneHash> {
        Some(LaneHash::Murmur2 { seed: self.seed })
    }
}

/// Defines a hash function without parameters, with its policy name, its function and its name for kernels.
macro_rules! plain_hasher {
    ($(#[$doc:meta])* $hasher:ident, $name:literal, $hash:ident, $lane:ident, $seed:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct $hasher;

        impl $hasher {
            /// The name of the policy.
            pub const POLICY_NAME: &str = $name;
        }

        impl KeyHasher for $hasher {
            #[inline]
            fn hash(&self, key: &[u8]) -> u32 {
                $hash(key, $seed)
            }

            fn policy_name(&self) -> &str {
                Self::POLICY_NAME
            }

            #[inline]
            fn lane_hash(&self) -> Option<LaneHash> {
                Some(LaneHash::$lane { seed: $seed })
            }
        }
    };
}

plain_hasher!(
    /// MurmurHash2 with the seed 5381 as a C program with signed `char` computes it: the one to three bytes after
    /// the last whole word are sign-extended, so keys with a byte above 0x7f there hash to other values. Policy
    /// name: `BloomFilter2.SignedTail`.
    Murmur2SignedTail, "BloomFilter2.SignedTail", murmur2_signed_tail, Murmur2SignedTail, MURMUR2_SEED
);

plain_hasher!(
    /// LevelDB's own hash with the seed of its Bloom filter, 0xbc9f1d34. Policy name: `leveldb.BuiltinBloomFilter2`.
    LevelDbHash, "leveldb.BuiltinBloomFilter2", leveldb_hash, LevelDb, LEVELDB_BLOOM_SEED
);

/// A Bloom filter in LevelDB's format, with a choice of hash functions. [`FORMAT.md`](crate::format_page)
/// describes the bytes.
///
/// [`new`](Self::new) makes this project's own policy, `BloomFilter2`: MurmurHash2 with the seed 5381, a step between
/// probes that is the hash rotated by 17 bits, the probe count in the last byte. The other constructors differ in the
/// hash function, and so in the name under which engines store the filters. Kernels hash the keys of a
/// [`KeyBatch`](crate::KeyBatch) 8 or 16 at a time if the processor supports it and the hasher has a
/// [`lane_hash`](KeyHasher::lane_hash); otherwise keys are hashed one by one and only the bits are set in batches.
///
/// ```
/// use filter_policy::{BloomFilterPolicy, FilterPolicy};
///
/// let policy = BloomFilterPolicy::new(10.into());
/// assert_eq!(policy.name(), "BloomFilter2");
///
/// let mut buffer = [0; 64];
/// let filter = policy.create_filter(&[b"hello", b"world"], &mut buffer)?;
/// assert!(policy.key_may_match(b"hello", &filter));
/// assert!(!policy.key_may_match(b"foo", &filter));
/// # Ok::<(), filter_policy::Error>(())
/// ```
pub type BloomFilterPolicy<H> = Policy<LevelDb<H>>;

/// LevelDB's format: a bit array, then the probe count in the last byte.
#[derive(Debug, Clone, Copy)]
pub struct LevelDb<H> {
    hasher: H,
    function: HashFunctionId,
    bits_per_key: BitsPerKey,
    coprime_sizes: bool,
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
            HashFunctionId::murmur2(seed),
            bits_per_key,
        )
    }
}

impl BloomFilterPolicy<Murmur2SignedTail> {
    /// Makes the policy `BloomFilter2.SignedTail`: MurmurHash2, seed 5381, tail bytes sign-extended. Use it for filters
    /// written by a program with signed `char`, whatever name they are stored under.
    pub const fn with_signed_tail(bits_per_key: BitsPerKey) -> Self {
        let function = HashFunctionId::murmur2_signed_tail(MURMUR2_SEED);
        Self::with_function(Murmur2SignedTail, function, bits_per_key)
    }
}

impl BloomFilterPolicy<LevelDbHash> {
    /// Makes the policy `leveldb.BuiltinBloomFilter2`: identical to LevelDB's own, byte for byte.
    pub const fn with_leveldb_hash(bits_per_key: BitsPerKey) -> Self {
        Self::with_function(
            LevelDbHash,
            HashFunctionId::leveldb(LEVELDB_BLOOM_SEED),
            bits_per_key,
        )
    }
}

impl<H: KeyHasher> BloomFilterPolicy<H> {
    /// Makes a policy with a custom hash function; the function also provides the policy name.
    pub fn with_hasher(hasher: H, bits_per_key: BitsPerKey) -> Self {
        let function = match hasher.lane_hash() {
            Some(LaneHash::LevelDb { seed }) => HashFunctionId::leveldb(seed),
            Some(LaneHash::Murmur2 { seed }) => HashFunctionId::murmur2(seed),
            Some(LaneHash::Murmur2SignedTail { seed }) => HashFunctionId::murmur2_signed_tail(seed),
            _ => HashFunctionId::new(hasher.policy_name(), |key| hasher.hash(key)),
        };
        Self::with_function(hasher, function, bits_per_key)
    }
}

impl<H> BloomFilterPolicy<H> {
    const fn with_function(hasher: H, function: HashFunctionId, bits_per_key: BitsPerKey) -> Self {
        Self::of(LevelDb {
            hasher,
            function,
            bits_per_key,
            coprime_sizes: false,
        })
    }

    /// Returns this policy with filters of better sizes than LevelDB's: a few bytes more or fewer, so that the bits
    /// have no common factor with 2^32 - 1, and the bytes are odd. Every reader of the format reads them under the same
    /// name.
    ///
    /// Take it where absent keys resemble stored ones, as consecutive numbers do, or where every filter should be about
    /// as good as the next: LevelDB's sizes let up to 60 % of the numbers between stored ones pass, these 5 %. Do not
    /// take it where bytes must be equal to those that LevelDB writes. `THEORY.md` says why it
    /// helps.
    ///
    /// ```
    /// use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy};
    ///
    /// let policy = BloomFilterPolicy::with_leveldb_hash(BitsPerKey::whole(10));
    /// let better = policy.coprime_sizes();
    /// assert_eq!(better.name(), policy.name());
    /// // 320 bits are a multiple of 64 and of 5; 41 bytes are neither even nor a multiple of 3, 5, 17, 257 or 65537.
    /// assert_eq!((policy.max_filter_len(32)?, better.max_filter_len(32)?), (41, 42));
    ///
    /// let mut buffer = [0; 64];
    /// let ids: Vec<[u8; 4]> = (0..32_u32).map(u32::to_be_bytes).collect();
    /// let filter = better.build_in(&ids, &mut buffer)?;
    /// assert!((0..32_u32).all(|id| policy.key_may_match(&id.to_be_bytes(), &filter)));
    /// # Ok::<(), filter_policy::Error>(())
    /// ```
    #[must_use]
    pub const fn coprime_sizes(mut self) -> Self {
        self.format.coprime_sizes = true;
        self
    }
}

impl<H> LevelDb<H> {
    /// Returns the length of the bit array of this many keys.
    fn bit_array_len(&self, keys: u64) -> Result<u64, Error> {
        let bytes = filter_bits(self.bits_per_key, keys)? / 8;
        Ok(match usize::try_from(bytes) {
            Ok(bytes) if self.coprime_sizes => coprime_bytes(bytes) as u64,
            _ => bytes,
        })
    }
}

/// Splits a stored filter into the bit array and the probe count k, 0 to 30; `None` for [other](is_reserved) bytes. The
/// bytes do not record the hash function.
#[inline(always)]
pub(crate) const fn split(filter: &[u8]) -> Option<(&[u8], u8)> {
    match filter {
        [] | [_] => None,
        [.., probes] if *probes > MAX_PROBES => None,
        [bit_array @ .., probes] => Some((bit_array, *probes)),
    }
}

/// Returns true if bytes without a filter match every key: a last byte above 30 is reserved for other encodings, and
/// what is too short to hold a key matches none.
#[inline]
pub(crate) const fn is_reserved(filter: &[u8]) -> bool {
    filter.len() >= 2
}

impl<H: KeyHasher> Format for LevelDb<H> {
    type Hash = u32;
    type Filter<'f> = LevelDbBits<'f>;

    fn name(&self) -> &str {
        self.hasher.policy_name()
    }

    fn bits_per_key(&self) -> Option<BitsPerKey> {
        Some(self.bits_per_key)
    }

    #[inline]
    fn hash_function(&self) -> HashFunctionId {
        self.function
    }

    #[inline(always)]
    fn hash(&self, key: &[u8]) -> u32 {
        self.hasher.hash(key)
    }

    fn max_len(&self, keys: usize) -> Result<usize, Error> {
        let len = filter_len(self.bits_per_key, keys)?;
        Ok(if self.coprime_sizes {
            coprime_bytes(len - 1) + 1
        } else {
            len
        })
    }

    #[inline(always)]
    fn build(&self, kernel: KernelToken, source: Source<'_, u32>, out: &mut [u8]) -> Result<usize, Error> {
        let len = self.max_len(source.len())?;
        let Some((last, bits)) = room(out, len)?.split_last_mut() else {
            return Ok(len);
        };
        let probes = probes(self.bits_per_key);
        *last = probes;
        match (source, self.hasher.lane_hash()) {
            (Source::Keys(keys), Some(function)) => {
                bits::create(kernel, LaneSource::Keys(keys, function), probes, bits);
            }
            (Source::Hashes(hashes), _) => bits::create(kernel, LaneSource::Hashes(hashes), probes, bits),
            (Source::Keys(keys), None) => {
                bits.fill(0);
                each_batch(
                    Source::Keys(keys),
                    |key| self.hasher.hash(key),
                    |hashes| {
                        bits::insert(kernel, LaneSource::Hashes(hashes), probes, bits);
                    },
                );
            }
        }
        Ok(len)
    }

    #[inline(always)]
    fn read<'f>(&self, filter: &'f [u8]) -> Option<LevelDbBits<'f>> {
        let (bit_array, probes) = split(filter)?;
        Some(LevelDbBits::new(bit_array, probes, self.hasher.lane_hash()))
    }

    fn other(filter: &[u8]) -> Prepared {
        Prepared::same_for_all(is_reserved(filter))
    }

    #[inline]
    fn prepare(&self, kernel: KernelToken, bits: LevelDbBits<'_>) -> Prepared {
        let (kernel, lookup, numbers) = bits.prepare(kernel);
        Prepared::new::<Self>(kernel, self.function, lookup, bits.bit_array(), numbers)
    }

    #[inline(always)]
    fn restore(kernel: KernelToken, bit_array: &[u8], numbers: [u64; 3]) -> LevelDbBits<'_> {
        LevelDbBits::of_numbers(kernel, bit_array, numbers)
    }
}

impl<H: KeyHasher + Copy + Send + Sync + 'static> ListedFormat for LevelDb<H> {
    fn facts(&self) -> Facts {
        let short_names: &[_] = match self.name() {
            LevelDbHash::POLICY_NAME => &["leveldb"],
            Murmur2::POLICY_NAME => &["murmur2"],
            Murmur2SignedTail::POLICY_NAME => &["murmur2-signed"],
            _ => &[],
        };
        Facts::new("LevelDb", short_names)
    }

    fn with_bits_per_key(self, bits_per_key: BitsPerKey) -> Self {
        Self { bits_per_key, ..self }
    }

    fn size(&self, keys: u64) -> Result<FilterSize, Error> {
        Ok(FilterSize {
            bytes: self.bit_array_len(keys)? + 1,
            probes: Some(probe_count(self.bits_per_key)),
        })
    }

    /// The rate from the arithmetic of the probes ([`theory`](crate::theory) derives it and says what it neglects): within
    /// 3 % of counts for 1,000 to 2,000,000 keys at 6 to 24 bits per key, but up to 8 % too low at sizes that have a
    /// divisor of 255 or more in common with 2^32 - 1, and by half or more from 4,369 on. It takes some milliseconds. It
    /// includes absent keys whose 32-bit hash equals that of a stored key, which no number of bits per key avoids.
    fn rate(&self, keys: u64) -> Result<f64, Error> {
        let bits = self.bit_array_len(keys)? * 8;
        Ok(rate::rate(bits, keys, probes(self.bits_per_key), Precision::Full))
    }

    fn rough_rate(&self, keys: u64) -> Result<Option<f64>, Error> {
        let (bits, probes) = (self.bit_array_len(keys)? * 8, probes(self.bits_per_key));
        Ok(Some(rate::rate(bits, keys, probes, Precision::Rough)))
    }

    fn reach(_: u64) -> Option<u64> {
        Some(1 << 32)
    }

    fn view<'a>(&self, filter: &'a [u8]) -> FilterView<'a> {
        FilterView::of(split(filter), Self::other(filter), |(bit_array, probes)| {
            FilterView::bloom(self.facts().kind, bit_array, bit_array.len(), probes)
                .within_32_bits()
                .with_rate_of(|bits, keys, probes| rate::rate(bits, keys, probes, Precision::Full))
                .with_fill_of(rate::fill)
        })
    }

    fn write_damage(last: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "probe count must be between 1 and 30, got {last}")
    }
}

#[cfg(test)]
mod tests;
