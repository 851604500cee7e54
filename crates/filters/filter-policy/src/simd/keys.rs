//! The keys that kernels hash.

use core::num::NonZeroUsize;
use core::slice;

/// Keys of one length, adjacent in memory: the fastest form for hashing many keys.
///
/// ```
/// use filter_policy::PackedKeys;
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
    /// Empty arrays do not compile: empty keys cannot be distinguished in memory.
    #[inline]
    pub(crate) const fn from_arrays<const N: usize>(keys: &'a [[u8; N]]) -> Self {
        Self {
            bytes: keys.as_flattened(),
            key_len: const { NonZeroUsize::new(N).expect("empty keys cannot be distinguished in memory") },
            len: keys.len(),
        }
    }

    /// Returns the number of keys.
    #[inline]
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Returns the length of each key in bytes, at least 1.
    #[inline]
    pub(crate) const fn key_len(&self) -> usize {
        self.key_len.get()
    }

    /// Returns the bytes of all keys.
    #[inline]
    pub(crate) const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the key at this index.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&'a [u8]> {
        let start = index.checked_mul(self.key_len.get())?;
        self.bytes.get(start..)?.get(..self.key_len.get())
    }

    /// Returns an iterator over the keys.
    #[inline]
    pub(crate) fn iter(&self) -> slice::ChunksExact<'a, u8> {
        self.bytes.chunks_exact(self.key_len.get())
    }
}

impl<'a> IntoIterator for &PackedKeys<'a> {
    type Item = &'a [u8];
    type IntoIter = slice::ChunksExact<'a, u8>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
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
    /// Returns the number of keys.
    #[inline]
    pub(crate) const fn len(&self) -> usize {
        match self {
            Self::Slices(keys) => keys.len(),
            Self::Packed(keys) => keys.len(),
        }
    }

    /// Returns the key at this index.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&'a [u8]> {
        match self {
            Self::Slices(keys) => keys.get(index).copied(),
            Self::Packed(keys) => keys.get(index),
        }
    }

    /// Returns an iterator over the keys.
    #[inline]
    pub fn iter(self) -> impl ExactSizeIterator<Item = &'a [u8]> + Clone {
        (0..self.len()).map(move |index| self.get(index).unwrap_or_default())
    }
}
