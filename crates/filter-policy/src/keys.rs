//! Batches of keys, for the methods that take many keys at once.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::num::NonZeroUsize;
use core::slice;

/// Keys of one length, adjacent in memory: the fastest form for hashing many keys.
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
#[derive(Clone, Copy)]
pub struct PackedKeys<'a> {
    bytes: &'a [u8],
    key_len: NonZeroUsize,
    /// Stored, because computing the length takes a division.
    len: usize,
}

impl core::fmt::Debug for PackedKeys<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl<'a> PackedKeys<'a> {
    /// Splits the bytes into keys of `key_len` bytes each; `None` if `key_len` is 0 or does not divide the number of
    /// bytes.
    #[inline]
    pub fn new(bytes: &'a [u8], key_len: usize) -> Option<Self> {
        let key_len = NonZeroUsize::new(key_len)?;
        let len = bytes.len() / key_len;
        (len * key_len.get() == bytes.len()).then_some(Self { bytes, key_len, len })
    }

    /// Takes the elements of a slice of arrays as keys.
    ///
    /// Empty arrays do not compile: empty keys cannot be told apart in memory.
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

    /// Returns the number of keys.
    #[inline]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no keys.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the length of each key in bytes, at least 1.
    #[inline]
    pub const fn key_len(&self) -> usize {
        self.key_len.get()
    }

    /// Returns the bytes of all keys.
    #[inline]
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the key at this index.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&'a [u8]> {
        let start = index.checked_mul(self.key_len.get())?;
        self.bytes.get(start..)?.get(..self.key_len.get())
    }

    /// Returns an iterator over the keys.
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

/// A batch of keys for one call.
///
/// Methods take `impl Into<KeyBatch>`: a reference to a slice, an array or a vector of keys, or [`PackedKeys`]. Keys
/// are `&[u8]`, `[u8; N]` or, with the feature `alloc`, `Vec<u8>`. The literal `b"key"` is none of these: write
/// `&b"key"[..]`. Methods that take iterators, such as [`HashedPolicy::build_in`](crate::HashedPolicy::build_in),
/// accept literals, strings and all other keys.
///
/// Packed keys and arrays of 16 bytes are hashed fastest, then slices of equal length, then slices of mixed lengths,
/// then vectors.
///
/// ```
/// use filter_policy::KeyBatch;
///
/// let ids = [[0_u8; 16]; 100];
/// assert_eq!(KeyBatch::from(&ids).len(), 100);
/// let names: [&[u8]; 2] = [b"apple", b"fig"];
/// assert_eq!(KeyBatch::from(&names[1..]).get(0), Some(&b"fig"[..]));
/// ```
#[derive(Clone, Copy)]
pub struct KeyBatch<'a>(Batch<'a>);

impl core::fmt::Debug for KeyBatch<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[derive(Clone, Copy)]
enum Batch<'a> {
    Keys(Keys<'a>),
    #[cfg(feature = "alloc")]
    Vectors(&'a [Vec<u8>]),
}

/// Keys in a form that kernels accept.
#[derive(Debug, Clone, Copy)]
pub enum Keys<'a> {
    /// Keys of any lengths.
    Slices(&'a [&'a [u8]]),
    /// Keys of one length.
    Packed(PackedKeys<'a>),
}

impl<'a> Keys<'a> {
    #[inline]
    pub const fn len(&self) -> usize {
        match self {
            Self::Slices(keys) => keys.len(),
            Self::Packed(keys) => keys.len(),
        }
    }

    #[inline]
    fn get(&self, index: usize) -> Option<&'a [u8]> {
        match self {
            Self::Slices(keys) => keys.get(index).copied(),
            Self::Packed(keys) => keys.get(index),
        }
    }

    #[inline]
    pub fn iter(self) -> impl ExactSizeIterator<Item = &'a [u8]> + Clone {
        (0..self.len()).map(move |index| self.get(index).unwrap_or_default())
    }
}

impl<'a> KeyBatch<'a> {
    /// Returns the number of keys.
    #[inline]
    pub const fn len(&self) -> usize {
        match &self.0 {
            Batch::Keys(keys) => keys.len(),
            #[cfg(feature = "alloc")]
            Batch::Vectors(keys) => keys.len(),
        }
    }

    /// Returns whether there are no keys.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the key at this index.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&'a [u8]> {
        match &self.0 {
            Batch::Keys(keys) => keys.get(index),
            #[cfg(feature = "alloc")]
            Batch::Vectors(keys) => keys.get(index).map(Vec::as_slice),
        }
    }

    /// Returns an iterator over the keys.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a [u8]> + Clone + use<'a> {
        let batch = *self;
        (0..self.len()).map(move |index| batch.get(index).unwrap_or_default())
    }

    /// Returns the keys in a form that kernels accept; `None` for vectors.
    #[inline]
    pub(crate) const fn for_kernels(&self) -> Option<Keys<'a>> {
        match self.0 {
            Batch::Keys(keys) => Some(keys),
            #[cfg(feature = "alloc")]
            Batch::Vectors(_) => None,
        }
    }
}

impl<'a> From<PackedKeys<'a>> for KeyBatch<'a> {
    #[inline]
    fn from(keys: PackedKeys<'a>) -> Self {
        Self(Batch::Keys(Keys::Packed(keys)))
    }
}

/// A key type that a batch can hold.
pub trait BatchKey: Sized {
    /// Makes a batch of these keys.
    fn batch(keys: &[Self]) -> KeyBatch<'_>;
}

impl BatchKey for &[u8] {
    #[inline]
    fn batch(keys: &[Self]) -> KeyBatch<'_> {
        KeyBatch(Batch::Keys(Keys::Slices(keys)))
    }
}

impl<const N: usize> BatchKey for [u8; N] {
    #[inline]
    fn batch(keys: &[Self]) -> KeyBatch<'_> {
        PackedKeys::from_arrays(keys).into()
    }
}

#[cfg(feature = "alloc")]
impl BatchKey for Vec<u8> {
    #[inline]
    fn batch(keys: &[Self]) -> KeyBatch<'_> {
        KeyBatch(Batch::Vectors(keys))
    }
}

impl<'a, K: BatchKey> From<&'a [K]> for KeyBatch<'a> {
    #[inline]
    fn from(keys: &'a [K]) -> Self {
        K::batch(keys)
    }
}

impl<'a, K: BatchKey, const N: usize> From<&'a [K; N]> for KeyBatch<'a> {
    #[inline]
    fn from(keys: &'a [K; N]) -> Self {
        K::batch(keys)
    }
}

#[cfg(feature = "alloc")]
impl<'a, K: BatchKey> From<&'a Vec<K>> for KeyBatch<'a> {
    #[inline]
    fn from(keys: &'a Vec<K>) -> Self {
        K::batch(keys)
    }
}
