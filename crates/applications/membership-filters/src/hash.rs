//! The 128-bit hash of a key, which determines its positions; the functions that compute it; and the identity under which a
//! stored filter names its function.
//!
//! Knows nothing of filters or bits.

use alloc::vec::Vec;
use core::fmt;

use hashzoo::{Murmur3X64_128, REDISBLOOM_SEED, murmur3_x64_128, murmur64a, spark_murmur3, xxph3_64};

use crate::random::SplitMix64;
use crate::sink::Sink;

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

mod sealed {
    pub trait Sealed {}
}

/// A function that hashes the bytes of keys: [`Murmur3`], [`Xxph3`], or that of a module for another system. Stored filters name it by its code.
pub trait HashFunction: sealed::Sealed {
    /// The code in the header of stored filters.
    const CODE: u8;

    /// Is true if the function is inlined in single calls.
    #[doc(hidden)]
    const IS_INLINED: bool = false;

    /// Hashes bytes that arrive in pieces.
    #[doc(hidden)]
    type Sink: Sink + Default;

    /// Returns the hash of these bytes.
    #[must_use]
    fn hash(bytes: &[u8]) -> Hash128;

    #[doc(hidden)]
    fn finish(sink: Self::Sink) -> Hash128;
}

/// Guava's hash function, MurmurHash3 for x64 with 128 bits (`MurmurHash3_x64_128`) and the seed 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Murmur3;

impl sealed::Sealed for Murmur3 {}

impl HashFunction for Murmur3 {
    const CODE: u8 = 1;

    type Sink = Murmur3Sink;

    #[inline]
    fn hash(bytes: &[u8]) -> Hash128 {
        Hash128::of(bytes)
    }

    #[inline]
    fn finish(sink: Murmur3Sink) -> Hash128 {
        let (h1, h2) = sink.0.finish();
        Hash128 { h1, h2 }
    }
}

#[derive(Debug, Clone)]
pub struct Murmur3Sink(Murmur3X64_128);

impl Default for Murmur3Sink {
    #[inline]
    fn default() -> Self {
        Self(Murmur3X64_128::new(0))
    }
}

impl Sink for Murmur3Sink {
    #[inline]
    fn put_bytes(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
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

impl sealed::Sealed for Xxph3 {}

impl HashFunction for Xxph3 {
    const CODE: u8 = 2;

    const IS_INLINED: bool = true;

    type Sink = Vec<u8>;

    #[expect(
        clippy::inline_always,
        reason = "callers that use no `h2` must not compute it"
    )]
    #[inline(always)]
    fn hash(bytes: &[u8]) -> Hash128 {
        let h1 = xxph3_64(bytes, 0);
        // The compiler removes this where it is unused.
        let h2 = SplitMix64::new(h1).next();
        Hash128 { h1, h2 }
    }

    #[inline]
    fn finish(sink: Vec<u8>) -> Hash128 {
        Self::hash(&sink)
    }
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

    /// Returns the encoding of these keys under Spark's hash, whose seed the identity must tell as well.
    pub(crate) const fn seeded(self, seed: i32) -> Self {
        let id = seed.cast_unsigned();
        Self { id, ..self }
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
            Self { kind: 1, id: 0, .. } => f.write_str("bytes or UTF-8"),
            Self { kind: 1, id, .. } => write!(f, "bytes or UTF-8, seed {}", id.cast_signed()),
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

    /// Returns the hash of a key that is in the encoding already.
    #[expect(clippy::inline_always, reason = "see `TakeSlice for HashSlice`")]
    #[inline(always)]
    fn hash_bytes(&self, bytes: &[u8]) -> Hash128 {
        Self::Function::hash(bytes)
    }

    /// Returns the name of function and encoding.
    #[inline]
    #[must_use]
    fn hash_id(&self) -> HashId {
        HashId::new::<Self::Function>(self.encoding())
    }
}

/// The hash of a filter's keys as stored filters name it: the function, and the encoding of the keys.
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
    function: u8,
    encoding: Encoding,
}

impl HashId {
    pub(crate) const fn new<H: HashFunction>(encoding: Encoding) -> Self {
        let function = H::CODE;
        Self { function, encoding }
    }

    /// Returns the same function for keys of another encoding.
    #[must_use]
    pub const fn with_encoding(self, encoding: Encoding) -> Self {
        Self { encoding, ..self }
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
            SparkMurmur3::CODE => self.encoding.id.cast_signed(),
            _ => 0,
        }
    }

    /// Returns the bytes 9 to 15 of the envelope.
    pub(crate) const fn to_bytes(self) -> [u8; 7] {
        let Encoding { kind, depth, id } = self.encoding;
        let [a, b, c, d] = id.to_le_bytes();
        [self.function, kind, depth, a, b, c, d]
    }

    /// Decodes these bytes; `None` if no funnel has them.
    pub(crate) fn from_bytes([function, kind, depth, id @ ..]: [u8; 7]) -> Option<Self> {
        let id = u32::from_le_bytes(id);
        let is_seeded = kind == 1 && function == SparkMurmur3::CODE;
        let is_known = matches!(kind, 1..=4) && id == 0 || is_seeded || kind == Encoding::CUSTOM;
        let encoding = Encoding { kind, depth, id };
        let is_known = is_known && (Murmur3::CODE..=RedisMurmur::CODE).contains(&function);
        is_known.then_some(Self { function, encoding })
    }
}

impl Hashing for HashId {
    type Function = StoredHash;

    fn encoding(&self) -> Encoding {
        self.encoding
    }

    fn hash_id(&self) -> HashId {
        *self
    }

    fn hash_bytes(&self, bytes: &[u8]) -> Hash128 {
        match self.function {
            Xxph3::CODE => Xxph3::hash(bytes),
            SparkMurmur3::CODE if self.encoding.kind == 1 && self.encoding.depth == 0 => {
                spark_hash(bytes, self.encoding.id.cast_signed())
            }
            SparkMurmur3::CODE => SparkMurmur3::hash(bytes),
            RedisMurmur::CODE => RedisMurmur::hash(bytes),
            _ => Murmur3::hash(bytes),
        }
    }
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
            Murmur3::CODE => "MurmurHash3",
            Xxph3::CODE => "XXPH3",
            SparkMurmur3::CODE => "Spark's MurmurHash3",
            _ => "RedisBloom's MurmurHash64A",
        };
        write!(f, "{name} of {}", self.encoding)
    }
}

/// Makes a function that hashes bytes in one slice.
macro_rules! of_slices {
    ($($(#[$doc:meta])* $function:ident, $code:literal, |$bytes:ident| $hash:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $function(());

        impl sealed::Sealed for $function {}

        impl HashFunction for $function {
            const CODE: u8 = $code;

            type Sink = Vec<u8>;

            #[inline]
            fn hash($bytes: &[u8]) -> Hash128 {
                $hash
            }

            fn finish(sink: Vec<u8>) -> Hash128 {
                Self::hash(&sink)
            }
        }
    )*};
}

of_slices! {
    /// The function that a [`HashId`] names, which is no type.
    StoredHash, 0, |bytes| Murmur3::hash(bytes);
    /// Spark's function, with the seed 0.
    SparkMurmur3, 3, |bytes| spark_hash(bytes, 0);
    /// RedisBloom's function: MurmurHash64A under its seed, and under the value of that.
    RedisMurmur, 4, |bytes| {
        let h1 = murmur64a(bytes, REDISBLOOM_SEED);
        let h2 = murmur64a(bytes, h1);
        Hash128 { h1, h2 }
    };
}

/// Returns Spark's two hashes, the second under the first, in the lower and the upper half of 64 bits.
#[inline]
pub(crate) const fn spark_hash(bytes: &[u8], seed: i32) -> Hash128 {
    let first = spark_murmur3(bytes, seed.cast_unsigned());
    let second = spark_murmur3(bytes, first);
    let h1 = first as u64 | (second as u64) << 32;
    Hash128 { h1, h2: 0 }
}
