//! Hash values of keys, with the identity of the function that made them.

use core::fmt::Debug;
use core::num::NonZeroU64;
use core::ops::RangeInclusive;

#[cfg(feature = "alloc")]
use crate::simd::LaneHash;
use hashzoo::{LEVELDB_BLOOM_SEED, leveldb_hash, murmur2, murmur64a, xxh3_64};
#[cfg(feature = "alloc")]
use hashzoo::{rocksdb_hash, xxh64, xxph3_64};

use crate::error::Error;
use sealed::Values;

/// The identity of a hash function, its seed included: hash values are used only in filters of the same function.
///
/// A policy of your own makes it once, of its name and the function itself, and gives it to each
/// [`KeyHash`]. Two functions that differ in name, seed or parameters have different identities.
///
/// ```
/// use filter_policy::HashFunctionId;
///
/// let seeded = |seed: u64| HashFunctionId::new("example.Fnv", move |key| {
///     key.iter().fold(seed, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
/// });
/// assert_eq!(seeded(7), seeded(7));
/// assert_ne!(seeded(7), seeded(8));
/// ```
// The lowest bit is set for 64-bit hash values, the highest for functions that are not known here. Of these, some bits
// follow from the hash values of the probes alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HashFunctionId(NonZeroU64);

/// Keys whose hash values distinguish functions: bytes of all kinds, upper and lower case, a remainder after whole
/// words.
const PROBES: [&[u8]; 3] = [
    b"Az\0\xe9\xff",
    b"key_Of_16_bytes\x80",
    b"a LONG key, with a remainder: \x00\x01\x7f\x80\xfe\xff after 0123456789 and more than 64 bytes\xe9\x88\x9d",
];

const UNKNOWN: u64 = 1 << 63;
const OF_PROBES: u64 = UNKNOWN - (1 << 40);

impl HashFunctionId {
    /// XXPH3 with 64 bits and the seed 0, as in RocksDB.
    pub const XXPH3: Self = Self::seedless(1, 1);

    /// XXH3 with 64 bits and the seed 0.
    pub(crate) const XXH3: Self = Self::seedless(3, 1);

    /// XXH64 with the seed 0, as in Parquet.
    pub(crate) const XXH64: Self = Self::seedless(2, 1);

    /// The hash of RocksDB's legacy filters, with LevelDB's seed.
    pub(crate) const ROCKSDB_LEGACY: Self = Self::seedless(4, 0);

    /// The two hashes of Basho's filters: [`basho_hash`].
    pub(crate) const BASHO: Self = Self::seedless(6, 1);

    /// The two hashes of Basho on processors other than x86-64: [`basho_murmur2_hash`].
    pub(crate) const BASHO_MURMUR2: Self = Self::seedless(7, 1);

    /// The function of keys without a hash value: never that of a filter.
    pub(crate) const NONE: Self = Self::seedless(5, 0);

    /// Returns the identity of a function of one's own. `name` is the policy's, which stands for all that is done to a
    /// key before it is hashed; a few fixed keys are hashed, so that seeds and parameters count as well. Takes a few
    /// hundred nanoseconds: keep the result in the policy.
    pub fn new<H: HashValue>(name: &str, hash: impl Fn(&[u8]) -> H) -> Self {
        let of_probes = print(|probe| hash(probe).into());
        let of_all = xxh3_64(name.as_bytes(), of_probes) & !(UNKNOWN | OF_PROBES | 1);
        Self::of_number(UNKNOWN | of_probes & OF_PROBES | of_all | H::WIDE)
    }

    /// Returns the hash value of a key; `None` if the function is not known here.
    #[cfg(feature = "alloc")]
    pub(crate) fn value_of(self, key: &[u8]) -> Option<u64> {
        let seed = <u32 as sealed::Sealed>::low(self.0.get() >> 1);
        let lanes = match self.0.get() >> 40 {
            1 => LaneHash::LevelDb { seed },
            2 => LaneHash::Murmur2 { seed },
            3 => LaneHash::Murmur2SignedTail { seed },
            _ => {
                return match self {
                    Self::XXPH3 => Some(xxph3_64(key, 0)),
                    Self::XXH3 => Some(xxh3_64(key, 0)),
                    Self::XXH64 => Some(xxh64(key, 0)),
                    Self::ROCKSDB_LEGACY => Some(rocksdb_hash(key, LEVELDB_BLOOM_SEED).into()),
                    Self::BASHO => Some(basho_hash(key)),
                    Self::BASHO_MURMUR2 => Some(basho_murmur2_hash(key)),
                    _ => None,
                };
            }
        };
        Some(lanes.hash(key).into())
    }

    /// Returns true if the hash values of the probes are those of this function.
    #[cfg(feature = "alloc")]
    pub(crate) fn has_values(self, hash: impl Fn(&[u8]) -> u64) -> bool {
        if self.0.get() & UNKNOWN != 0 {
            return (self.0.get() ^ print(hash)) & OF_PROBES == 0;
        }
        PROBES
            .iter()
            .all(|probe| self.value_of(probe) == Some(hash(probe)))
    }

    pub(crate) const fn leveldb(seed: u32) -> Self {
        Self::seeded(1, seed)
    }

    pub(crate) const fn murmur2(seed: u32) -> Self {
        Self::seeded(2, seed)
    }

    pub(crate) const fn murmur2_signed_tail(seed: u32) -> Self {
        Self::seeded(3, seed)
    }

    // Small, because queries compare with these numbers.
    const fn seedless(number: u64, wide: u64) -> Self {
        Self::of_number(number << 1 | wide)
    }

    const fn seeded(kind: u64, seed: u32) -> Self {
        Self::of_number(kind << 40 | (seed as u64) << 1)
    }

    const fn of_number(number: u64) -> Self {
        // Never zero: neither the kind nor the mark of unknown functions is.
        Self(match NonZeroU64::new(number) {
            Some(number) => number,
            None => NonZeroU64::MAX,
        })
    }

    const fn wide(self) -> u64 {
        self.0.get() & 1
    }

    /// Returns the width of the hash values in bits: 32 or 64.
    pub const fn bits(self) -> u32 {
        if self.wide() == 1 { 64 } else { 32 }
    }
}

/// The lengths of keys that XXPH3 and XXH3 hash without calls.
pub(crate) const XXPH3_INLINE: RangeInclusive<usize> = 4..=64;

/// The seed of the second hash of Basho's filters.
///
/// Source: Basho's LevelDB, `util/bloom2.cc`.
const BASHO_SEED: u32 = 0x5bd1_e995;

/// Returns the two hashes of a key in Basho's filters on x86-64: LevelDB's in the low half, the low half of
/// MurmurHash64A in the high one.
#[inline]
pub(crate) const fn basho_hash(key: &[u8]) -> u64 {
    leveldb_hash(key, LEVELDB_BLOOM_SEED) as u64 | murmur64a(key, BASHO_SEED as u64) << 32
}

/// Returns the two hashes of a key in Basho's filters on other processors: LevelDB's in the low half, MurmurHash2 in
/// the high one.
#[inline]
pub(crate) const fn basho_murmur2_hash(key: &[u8]) -> u64 {
    leveldb_hash(key, LEVELDB_BLOOM_SEED) as u64 | (murmur2(key, BASHO_SEED) as u64) << 32
}

/// Returns a number that identifies a function by its hash values of the probes.
fn print(hash: impl Fn(&[u8]) -> u64) -> u64 {
    let probes = PROBES.iter();
    probes.fold(0, |print, probe| xxh3_64(&hash(probe).to_le_bytes(), print))
}

/// The hash value of a key, as [`FilterPolicy::key_hash`](crate::FilterPolicy::key_hash) returns it, with the function
/// that made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyHash {
    function: HashFunctionId,
    value: u64,
}

impl KeyHash {
    /// Makes the hash value of a key under this function, which must have made it: a number of another function denies
    /// the key. A value of the other width counts as that of another function.
    #[inline]
    pub fn new<H: HashValue>(function: HashFunctionId, value: H) -> Self {
        let number = function.0.get() & !1 | H::WIDE;
        Self {
            function: HashFunctionId::of_number(number),
            value: value.into(),
        }
    }

    /// The value of a key without a hash value.
    pub(crate) const NONE: Self = Self {
        function: HashFunctionId::NONE,
        value: 0,
    };

    /// Returns the function that made the value.
    #[inline]
    pub const fn function(self) -> HashFunctionId {
        self.function
    }

    /// Returns the number; values of 32 bits are below 2^32. It does not identify the function.
    #[inline]
    pub const fn value(self) -> u64 {
        self.value
    }

    /// Returns the number as a value of this type, which must be that of the function.
    #[cfg(feature = "alloc")]
    #[inline]
    pub(crate) fn low<H: HashValue>(self) -> H {
        H::low(self.value)
    }

    /// Returns the number if this function made it. `H` is the type of the function's values.
    #[inline]
    pub fn of<H: HashValue>(self, function: HashFunctionId) -> Option<H> {
        (self.function == function).then_some(H::low(self.value))
    }
}

/// The hash values of many keys, with the function that made them.
#[derive(Debug, Clone, Copy)]
pub struct KeyHashes<'a> {
    function: HashFunctionId,
    values: Values<'a>,
}

impl<'a> KeyHashes<'a> {
    /// Makes the hash values of keys under this function, which must have made them: a filter of values of another
    /// function denies the keys.
    #[inline]
    pub fn new<H: HashValue>(function: HashFunctionId, values: &'a [H]) -> Self {
        let values = H::values(values);
        Self { function, values }
    }

    /// Returns the number of hash values.
    pub(crate) const fn len(&self) -> usize {
        match self.values {
            Values::Bits32(values) => values.len(),
            Values::Bits64(values) => values.len(),
        }
    }

    /// Returns the numbers if they have this width.
    #[inline]
    pub(crate) fn values<H: HashValue>(self) -> Option<&'a [H]> {
        H::slice(self.values)
    }

    /// Returns the numbers if this function made them.
    ///
    /// # Errors
    ///
    /// [`Error::Policy`] if another function made them.
    pub fn of<H: HashValue>(self, function: HashFunctionId) -> Result<&'a [H], Error> {
        let values = self.values().filter(|_| self.function == function);
        values.ok_or(WRONG_HASHES)
    }
}

/// The error of a policy that gets hash values that it did not compute.
pub(crate) const WRONG_HASHES: Error = Error::Policy {
    reason: "hash values must be those that the policy's key_hash returns",
};

pub(crate) mod sealed {
    #[derive(Debug, Clone, Copy)]
    pub(crate) enum Values<'a> {
        Bits32(&'a [u32]),
        Bits64(&'a [u64]),
    }

    pub(crate) trait Sealed: Sized {
        /// The lowest bit of a function: 1 for values of 64 bits.
        const WIDE: u64;

        fn low(value: u64) -> Self;

        fn slice(values: Values<'_>) -> Option<&[Self]>;

        fn values(values: &[Self]) -> Values<'_>;
    }
}

/// The type of a policy's hash values: `u32` or `u64`.
pub trait HashValue: Copy + Default + PartialEq + Debug + Into<u64> + sealed::Sealed {}

macro_rules! hash_value {
    ($value:ty, $variant:ident, $wide:literal) => {
        impl sealed::Sealed for $value {
            const WIDE: u64 = $wide;

            #[inline]
            #[allow(
                clippy::cast_possible_truncation,
                trivial_numeric_casts,
                reason = "the value of a function of this width"
            )]
            fn low(value: u64) -> Self {
                value as Self
            }

            #[inline]
            fn slice(values: Values<'_>) -> Option<&[Self]> {
                match values {
                    Values::$variant(values) => Some(values),
                    _ => None,
                }
            }

            #[inline]
            fn values(values: &[Self]) -> Values<'_> {
                Values::$variant(values)
            }
        }

        impl HashValue for $value {}
    };
}

hash_value!(u32, Bits32, 0);
hash_value!(u64, Bits64, 1);
