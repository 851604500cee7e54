//! Keys in numbers: what the methods for many keys at once take.

use core::num::NonZeroUsize;
use core::slice;

use crate::batches::for_each_batch;
use crate::hasher::KeyHasher;

/// Keys of one length, one behind the other in memory: the form in which many keys are hashed fastest.
///
/// ```
/// use filter_policy::PackedKeys;
///
/// let ids = [*b"0001", *b"0002", *b"0003"];
/// let keys = PackedKeys::from_arrays(&ids);
/// assert_eq!(keys.len(), 3);
/// assert_eq!(keys.get(1), Some(&b"0002"[..]));
///
/// assert!(PackedKeys::new(b"000100020003", 4).is_some());
/// assert!(PackedKeys::new(b"00010002000", 4).is_none());
/// ```
#[derive(Debug, Clone, Copy)]
pub struct PackedKeys<'a> {
    bytes: &'a [u8],
    key_len: NonZeroUsize,
    /// Kept, as it would take a division.
    len: usize,
}

impl<'a> PackedKeys<'a> {
    /// Keys of `key_len` bytes each; `None` if that is 0 or the bytes are no whole number of keys.
    #[inline]
    pub fn new(bytes: &'a [u8], key_len: usize) -> Option<Self> {
        let key_len = NonZeroUsize::new(key_len)?;
        let len = bytes.len() / key_len;
        (len * key_len.get() == bytes.len()).then_some(Self { bytes, key_len, len })
    }

    /// The elements of an array or a vector of arrays.
    #[inline]
    pub const fn from_arrays<const N: usize>(keys: &'a [[u8; N]]) -> Self {
        const {
            assert!(N > 0, "empty keys cannot be told apart in memory");
        }
        match NonZeroUsize::new(N) {
            Some(key_len) => Self {
                bytes: keys.as_flattened(),
                key_len,
                len: keys.len(),
            },
            None => unreachable!(),
        }
    }

    /// How many keys there are.
    #[inline]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// How many bytes each key has, at least 1.
    #[inline]
    pub const fn key_len(&self) -> usize {
        self.key_len.get()
    }

    /// All keys together.
    #[inline]
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The key at this index.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&'a [u8]> {
        let start = index.checked_mul(self.key_len.get())?;
        self.bytes.get(start..)?.get(..self.key_len.get())
    }

    /// The keys.
    #[inline]
    pub fn iter(&self) -> slice::ChunksExact<'a, u8> {
        self.bytes.chunks_exact(self.key_len.get())
    }
}

impl<'a> IntoIterator for PackedKeys<'a> {
    type Item = &'a [u8];
    type IntoIter = slice::ChunksExact<'a, u8>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a> IntoIterator for &PackedKeys<'a> {
    type Item = &'a [u8];
    type IntoIter = slice::ChunksExact<'a, u8>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Many keys for one call: slices, or [`PackedKeys`].
///
/// Methods take `impl Into<KeyBatch>`, so that callers name it only where they pass it on.
///
/// Packed keys of 16 bytes are hashed fastest, then slices of equal length, then slices of mixed lengths.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum KeyBatch<'a> {
    /// Keys of any lengths.
    Slices(&'a [&'a [u8]]),
    /// Keys of one length.
    Packed(PackedKeys<'a>),
}

impl<'a> KeyBatch<'a> {
    /// How many keys there are.
    #[inline]
    pub const fn len(&self) -> usize {
        match self {
            Self::Slices(keys) => keys.len(),
            Self::Packed(keys) => keys.len(),
        }
    }

    /// Whether there are none.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Gives the hash values of all keys to `take`, 64 at a time but for the last.
    pub(crate) fn hash_in_batches(&self, hasher: &(impl KeyHasher + ?Sized), take: impl FnMut(&[u32])) {
        match self {
            Self::Slices(keys) => for_each_batch(keys.iter().map(|key| hasher.hash(key)), take),
            Self::Packed(keys) => for_each_batch(keys.iter().map(|key| hasher.hash(key)), take),
        };
    }
}

impl<'a> From<&'a [&'a [u8]]> for KeyBatch<'a> {
    #[inline]
    fn from(keys: &'a [&'a [u8]]) -> Self {
        Self::Slices(keys)
    }
}

impl<'a, const N: usize> From<&'a [&'a [u8]; N]> for KeyBatch<'a> {
    #[inline]
    fn from(keys: &'a [&'a [u8]; N]) -> Self {
        Self::Slices(keys)
    }
}

impl<'a> From<PackedKeys<'a>> for KeyBatch<'a> {
    #[inline]
    fn from(keys: PackedKeys<'a>) -> Self {
        Self::Packed(keys)
    }
}

impl<'a, const N: usize> From<&'a [[u8; N]]> for KeyBatch<'a> {
    #[inline]
    fn from(keys: &'a [[u8; N]]) -> Self {
        Self::Packed(PackedKeys::from_arrays(keys))
    }
}
