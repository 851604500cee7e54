//! The 128-bit hash of a key, which determines its positions; the functions that compute it; and the identity under which a
//! stored filter names its function.
//!
//! Knows nothing of filters or bits.

use core::fmt;

use hashzoo::{REDISBLOOM_SEED, murmur3_x64_128, murmur64a, spark_murmur3, xxph3_64};

use crate::random::SplitMix64;

/// A hash of 128 bits, without the funnel that it belongs to: what [`Strategy::positions`](crate::guava::Strategy::positions) takes
/// for bits that are kept elsewhere. Filters take a [`Hashed`](crate::Hashed).
///
/// ```
/// use membership_filters::Hash128;
///
/// let hash = Hash128::of(b"76930242");
/// assert_eq!(hash, Hash128 { h1: 0xd4d02685bc36f02c, h2: 0xdedd80528dcaf2a9 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Hash128 {
    /// The first 64 bits.
    pub h1: u64,
    /// The second 64 bits.
    pub h2: u64,
}

impl Hash128 {
    /// Returns Guava's hash of these bytes, [`Murmur3`]: the 16 bytes of its `Hashing.murmur3_128()` are `h1` and `h2`,
    /// each little-endian, and its `asLong` is `h1`.
    #[inline]
    #[must_use]
    pub const fn of(bytes: &[u8]) -> Self {
        let (h1, h2) = murmur3_x64_128(bytes, 0);
        Self { h1, h2 }
    }
}

/// Takes `h1`, Guava's `asLong`.
impl From<Hash128> for u64 {
    #[inline]
    fn from(hash: Hash128) -> Self {
        hash.h1
    }
}

/// A hash function and its seed: the first two things that a [`HashId`] says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Function {
    Murmur3,
    Xxph3,
    Spark { seed: i32 },
    RedisBloom,
}

impl Function {
    /// Returns the hash of these bytes.
    #[expect(
        clippy::inline_always,
        reason = "only one function is left where it is known, and callers that use no `h2` must not compute it"
    )]
    #[inline(always)]
    const fn hash(self, bytes: &[u8]) -> Hash128 {
        let (h1, h2) = match self {
            Self::Murmur3 => murmur3_x64_128(bytes, 0),
            Self::Xxph3 => {
                let h1 = xxph3_64(bytes, 0);
                // The compiler removes this where it is unused.
                (h1, SplitMix64::new(h1).next())
            }
            Self::Spark { seed } => {
                // Two hashes of 32 bits, the second under the first.
                let first = spark_murmur3(bytes, seed.cast_unsigned());
                let second = spark_murmur3(bytes, first);
                (first as u64 | (second as u64) << 32, 0)
            }
            Self::RedisBloom => {
                let h1 = murmur64a(bytes, REDISBLOOM_SEED);
                (h1, murmur64a(bytes, h1))
            }
        };
        Hash128 { h1, h2 }
    }

    const fn code(self) -> u8 {
        match self {
            Self::Murmur3 => 1,
            Self::Xxph3 => 2,
            Self::Spark { .. } => 3,
            Self::RedisBloom => 4,
        }
    }
}

/// A hash function as a type: [`Murmur3`], [`Xxph3`], or that of a module for another system. What only filters of one
/// function can do, such as Guava's stream, compiles for no other.
///
/// No type outside this crate can be one.
pub trait HashFunction {
    /// The function, under the seed 0 if it has one. The type of this constant cannot be named outside the crate.
    #[doc(hidden)]
    const FUNCTION: Function;
}

/// Guava's hash function, MurmurHash3 for x64 with 128 bits (`MurmurHash3_x64_128`) and the seed 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Murmur3;

impl HashFunction for Murmur3 {
    const FUNCTION: Function = Function::Murmur3;
}

/// Keys hashed by XXPH3 (RocksDB's hash of 64 bits) instead of Guava's MurmurHash3 of 128 bits: text, bytes, integers and tuples
/// of them, as [`Key`](crate::Key) says.
///
/// This is the funnel of [`BlockedBloomFilter`](crate::BlockedBloomFilter), whose calls take two thirds of the instructions that they take
/// with Guava's hash.
///
/// The hash's `h1` is XXPH3 with seed 0, and `h2` is SplitMix64's number from `h1`. Keys with equal `h1` are the
/// same to every filter; for an absent key and n inserted ones, the probability of that is n / 2^64. Strangers who
/// choose the keys can find absent ones that look present, as with Guava's hash.
///
/// Guava does not know this hash, so its filter is not written as Guava's stream with this funnel:
///
/// ```compile_fail
/// use membership_filters::Xxph3;
/// use membership_filters::guava::BloomFilter;
///
/// let _ = BloomFilter::with_capacity(Xxph3, 100, 0.01)?.to_guava();
/// # Ok::<(), membership_filters::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Xxph3;

impl HashFunction for Xxph3 {
    const FUNCTION: Function = Function::Xxph3;
}

/// The rule by which a funnel turns keys into bytes, as stored filters name it.
///
/// Funnels that give the same key other bytes must have other encodings; a stored filter is read only by a funnel of its
/// own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Encoding {
    kind: u8,
    depth: u8,
    id: u32,
}

impl Encoding {
    /// Bytes as they are, and text as UTF-8.
    pub const BYTES: Self = Self::of_kind(1);
    /// Text as UTF-16 code units of two bytes, little-endian.
    pub const UTF16_UNITS: Self = Self::of_kind(2);
    /// Integers of four bytes, little-endian.
    pub const INT32: Self = Self::of_kind(3);
    /// Integers of eight bytes, little-endian.
    pub const INT64: Self = Self::of_kind(4);

    const CUSTOM: u8 = 255;

    const fn of_kind(kind: u8) -> Self {
        let (depth, id) = (0, 0);
        Self { kind, depth, id }
    }

    /// Returns the encoding of a funnel of your own, under a name that you choose, such as `"shop.Person 1"`. Give each funnel
    /// a name of its own, and another one whenever its bytes change; values of fields that change the bytes belong into
    /// the name. Stored filters hold 32 bits of the name's hash, so two names are taken for the same once in 2^32.
    #[must_use]
    pub const fn custom(name: &str) -> Self {
        let [a, b, c, d, ..] = Hash128::of(name.as_bytes()).h1.to_le_bytes();
        let (kind, depth) = (Self::CUSTOM, 0);
        let id = u32::from_le_bytes([a, b, c, d]);
        Self { kind, depth, id }
    }

    /// Returns the encoding of sequences of such keys, one after the other without separators.
    #[must_use]
    pub const fn sequence(self) -> Self {
        let depth = self.depth.saturating_add(1);
        Self { depth, ..self }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for _ in 0..self.depth {
            f.write_str("sequences of ")?;
        }
        match *self {
            Self { kind: 1, .. } => f.write_str("bytes or UTF-8"),
            Self { kind: 2, .. } => f.write_str("UTF-16 units"),
            Self { kind: 3, .. } => f.write_str("32-bit integers"),
            Self { kind: 4, .. } => f.write_str("64-bit integers"),
            Self { id, .. } => write!(f, "keys of the custom encoding {id:08x}"),
        }
    }
}

/// The hash of a funnel: the function, and the encoding of the keys. Every stored filter names both, and is read only with a
/// funnel that has the same: see [`HashId`](crate::HashId).
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how it hashes keys",
    note = "implement `Hashing` for it, with the function `Murmur3` and an `Encoding::custom` of its own"
)]
pub trait Hashing {
    /// The function that hashes the bytes. A filter is written as Guava's stream only with [`Murmur3`].
    type Function: HashFunction;

    /// Returns the encoding of the keys: of a funnel of your own [`Encoding::custom`], unless its bytes are exactly those that
    /// another encoding promises. If a funnel has fields that change the bytes, the encoding must depend on them.
    fn encoding(&self) -> Encoding;

    /// Returns the function and the seed, which Spark's funnel and a [`HashId`] know only at run time.
    #[doc(hidden)]
    #[inline]
    fn function(&self) -> Function {
        Self::Function::FUNCTION
    }

    /// Returns the hash of a key that is in the encoding already.
    #[expect(
        clippy::inline_always,
        reason = "without it single calls with Xxph3 take a fifth more instructions"
    )]
    #[inline(always)]
    fn hash_bytes(&self, bytes: &[u8]) -> Hash128 {
        self.function().hash(bytes)
    }

    /// Returns the name of function, seed and encoding.
    #[inline]
    #[must_use]
    fn hash_id(&self) -> HashId {
        HashId::new(self.function(), self.encoding())
    }

    /// Returns the funnel with another seed, if its function has one.
    #[must_use]
    fn with_seed(self, _seed: i32) -> Self
    where
        Self: Sized,
    {
        self
    }
}

/// The hash of a filter's keys as stored filters name it: the function, its seed, and the encoding of the keys.
///
/// It is also the funnel of filters whose hash is known only when they are opened. It takes no keys, and
/// [`hash_bytes`](crate::Hashing::hash_bytes) makes hashes of their bytes:
///
/// ```
/// use membership_filters::guava::BloomFilter;
/// use membership_filters::{Hashed, Hashing, Long, envelope};
///
/// let mut ids = BloomFilter::with_capacity(Long, 1000, 0.01)?;
/// ids.insert(&7);
/// let bytes = ids.to_bytes();
///
/// let id = envelope::hash_id(&bytes)?;
/// assert_eq!((id, id.to_string().as_str()), (Long.hash_id(), "MurmurHash3 of 64-bit integers"));
/// let filter = BloomFilter::from_bytes(&bytes, id)?;
/// assert!(filter.contains_hashed(&Hashed::assume(id, id.hash_bytes(&7_i64.to_le_bytes()))));
/// # Ok::<(), membership_filters::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct HashId {
    function: Function,
    encoding: Encoding,
}

impl HashId {
    pub(crate) const fn new(function: Function, encoding: Encoding) -> Self {
        let id = Self { function, encoding };
        // The header has one place for the seed and for the number of a custom encoding.
        match encoding.kind {
            Encoding::CUSTOM => id.with_seed(0),
            _ => id,
        }
    }

    /// Returns the same function for keys of another encoding, under the seed 0 if the encoding is custom.
    #[must_use]
    pub const fn with_encoding(self, encoding: Encoding) -> Self {
        Self::new(self.function, encoding)
    }

    /// Returns the encoding of the keys.
    #[must_use]
    pub const fn encoding(self) -> Encoding {
        self.encoding
    }

    /// Returns the seed of the hash: of Spark's; 0 for others.
    #[must_use]
    pub const fn seed(self) -> i32 {
        match self.function {
            Function::Spark { seed } => seed,
            _ => 0,
        }
    }

    /// Returns Spark's hash under another seed, and other hashes as they are.
    pub(crate) const fn with_seed(self, seed: i32) -> Self {
        let function = match self.function {
            Function::Spark { .. } => Function::Spark { seed },
            other => other,
        };
        Self { function, ..self }
    }

    /// Returns the bytes 9 to 15 of the envelope.
    pub(crate) const fn to_bytes(self) -> [u8; 7] {
        let Encoding { kind, depth, id } = self.encoding;
        let number = match kind {
            Encoding::CUSTOM => id,
            _ => self.seed().cast_unsigned(),
        };
        let [a, b, c, d] = number.to_le_bytes();
        [self.function.code(), kind, depth, a, b, c, d]
    }

    /// Decodes these bytes; `None` if no funnel has them.
    pub(crate) fn from_bytes([code, kind, depth, number @ ..]: [u8; 7]) -> Option<Self> {
        let number = u32::from_le_bytes(number);
        let (seed, id) = match kind {
            Encoding::CUSTOM => (0, number),
            1..=4 => (number.cast_signed(), 0),
            _ => return None,
        };
        let function = match code {
            1 => Function::Murmur3,
            2 => Function::Xxph3,
            3 => Function::Spark { seed },
            4 => Function::RedisBloom,
            _ => return None,
        };
        let encoding = Encoding { kind, depth, id };
        let id = Self { function, encoding };
        (id.to_bytes()[3..] == number.to_le_bytes()).then_some(id)
    }
}

impl Hashing for HashId {
    type Function = Self;

    fn encoding(&self) -> Encoding {
        self.encoding
    }

    fn function(&self) -> Function {
        self.function
    }

    fn with_seed(self, seed: i32) -> Self {
        Self::with_seed(self, seed)
    }
}

/// The function that a value names, which is not known as a type.
impl HashFunction for HashId {
    const FUNCTION: Function = Function::Murmur3;
}

/// Shows the same as `Display`, so that errors about unequal funnels can be read.
impl fmt::Debug for HashId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for HashId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.function {
            Function::Murmur3 => "MurmurHash3",
            Function::Xxph3 => "XXPH3",
            Function::Spark { .. } => "Spark's MurmurHash3",
            Function::RedisBloom => "RedisBloom's MurmurHash64A",
        };
        write!(f, "{name} of {}", self.encoding)?;
        match self.seed() {
            0 => Ok(()),
            seed => write!(f, ", seed {seed}"),
        }
    }
}
