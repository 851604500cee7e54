//! The hash functions of the policies, each bound to the policy name under which its filters are stored.

use core::str;

pub use filter_kernels::LaneHash;
use hashzoo::{LEVELDB_BLOOM_SEED, MURMUR2_SEED, leveldb_hash, murmur2, murmur2_signed_tail, murmur64a};

/// Maps keys to 32-bit hash values and names the stored format that follows from it.
///
/// Implement this trait to use another hash function in LevelDB's filter layout, under a new policy name. A filter that
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
    /// use filter_policy::hashers::{KeyHasher, LaneHash};
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
/// use filter_policy::hashers::{KeyHasher, Murmur2};
///
/// assert_eq!(Murmur2::new().policy_name(), "BloomFilter2");
/// assert_eq!(Murmur2::with_seed(5381).policy_name(), "BloomFilter2");
/// assert_eq!(Murmur2::with_seed(0x9747_b28c).policy_name(), "BloomFilter2.Seed9747b28c");
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
    pub const fn new() -> Self {
        Self::with_seed(MURMUR2_SEED)
    }

    /// Makes the function with this seed. Every value is valid.
    pub const fn with_seed(seed: u32) -> Self {
        let [a, b, c, d] = seed.to_be_bytes();
        #[rustfmt::skip]
        let seeded_name = [
            b'B', b'l', b'o', b'o', b'm', b'F', b'i', b'l', b't', b'e', b'r', b'2', b'.', b'S', b'e', b'e', b'd',
            digit(a >> 4), digit(a & 15), digit(b >> 4), digit(b & 15),
            digit(c >> 4), digit(c & 15), digit(d >> 4), digit(d & 15),
        ];
        Self { seed, seeded_name }
    }

    /// Returns the seed.
    pub const fn seed(&self) -> u32 {
        self.seed
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

/// The seed of the second hash of Basho's filters.
///
/// Source: Basho's LevelDB, `util/bloom2.cc`.
const BASHO_SEED: u32 = 0x5bd1_e995;

/// Returns the two hashes of a key in Basho's filters on x86-64: LevelDB's in the low half, the low half of
/// MurmurHash64A in the high one.
#[inline]
pub const fn basho_hash(key: &[u8]) -> u64 {
    leveldb_hash(key, LEVELDB_BLOOM_SEED) as u64 | murmur64a(key, BASHO_SEED as u64) << 32
}

/// Returns the two hashes of a key in Basho's filters on other processors: LevelDB's in the low half, MurmurHash2 in
/// the high one.
#[inline]
pub const fn basho_murmur2_hash(key: &[u8]) -> u64 {
    leveldb_hash(key, LEVELDB_BLOOM_SEED) as u64 | (murmur2(key, BASHO_SEED) as u64) << 32
}
