//! Batches of keys, for the methods that take many keys at once.

#[cfg(feature = "alloc")]
use alloc::{boxed::Box, string::String, sync::Arc, vec::Vec};

#[cfg(feature = "alloc")]
use crate::building::reserve;
#[cfg(feature = "alloc")]
use crate::error::Error;
use crate::simd::Keys;
pub use crate::simd::PackedKeys;

/// A batch of keys for one call.
///
/// Methods take `impl Into<KeyBatch>`: a reference to a slice, an array or a vector of keys, or [`PackedKeys`]. Keys
/// are `&[u8]`, `[u8; N]` or, with the feature `alloc`, `&str`, `String`, `Vec<u8>`, `Box<[u8]>` or `Arc<[u8]>`. The
/// literal `b"key"` is none of these: write `"key"` or `&b"key"[..]`. Methods that take iterators, such as
/// `Policy::build`, accept everything that gives bytes.
///
/// Packed keys and arrays of 16 bytes are hashed fastest, then slices of equal length, then slices of mixed lengths,
/// then text and vectors.
///
/// ```
/// use filter_policy::KeyBatch;
///
/// let ids = [[0_u8; 16]; 100];
/// assert_eq!(KeyBatch::from(&ids).len(), 100);
/// let names: [&[u8]; 2] = [b"apple", b"fig"];
/// assert_eq!(KeyBatch::from(&names[1..]).len(), 1);
/// assert_eq!(KeyBatch::from(&["apple", "fig"]).len(), 2);
/// ```
#[derive(Clone, Copy)]
pub struct KeyBatch<'a>(Batch<'a>);

impl core::fmt::Debug for KeyBatch<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// A key type that a batch can hold.
#[diagnostic::on_unimplemented(
    message = "a slice of `{Self}` is not a batch of keys",
    note = "keys are `&[u8]`, `[u8; N]`, `&str`, `String`, `Vec<u8>`, `Box<[u8]>` or `Arc<[u8]>`: write `\"key\"` for `b\"key\"`"
)]
pub trait BatchKey: Sized {
    /// Makes a batch of these keys.
    fn batch(keys: &[Self]) -> KeyBatch<'_>;
}

/// The forms of keys: first the one that kernels accept.
#[derive(Clone, Copy)]
enum Batch<'a> {
    Keys(Keys<'a>),
    #[cfg(feature = "alloc")]
    Texts(&'a [&'a str]),
    #[cfg(feature = "alloc")]
    Strings(&'a [String]),
    #[cfg(feature = "alloc")]
    Vectors(&'a [Vec<u8>]),
    #[cfg(feature = "alloc")]
    Boxes(&'a [Box<[u8]>]),
    #[cfg(feature = "alloc")]
    Shared(&'a [Arc<[u8]>]),
}

impl<'a> KeyBatch<'a> {
    /// Returns the number of keys.
    #[inline]
    pub const fn len(&self) -> usize {
        match &self.0 {
            Batch::Keys(keys) => keys.len(),
            #[cfg(feature = "alloc")]
            Batch::Texts(keys) => keys.len(),
            #[cfg(feature = "alloc")]
            Batch::Strings(keys) => keys.len(),
            #[cfg(feature = "alloc")]
            Batch::Vectors(keys) => keys.len(),
            #[cfg(feature = "alloc")]
            Batch::Boxes(keys) => keys.len(),
            #[cfg(feature = "alloc")]
            Batch::Shared(keys) => keys.len(),
        }
    }

    /// Returns the key at this index.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&'a [u8]> {
        match &self.0 {
            Batch::Keys(keys) => keys.get(index),
            #[cfg(feature = "alloc")]
            Batch::Texts(keys) => keys.get(index).map(|key| key.as_bytes()),
            #[cfg(feature = "alloc")]
            Batch::Strings(keys) => keys.get(index).map(String::as_bytes),
            #[cfg(feature = "alloc")]
            Batch::Vectors(keys) => keys.get(index).map(Vec::as_slice),
            #[cfg(feature = "alloc")]
            Batch::Boxes(keys) => keys.get(index).map(|key| &**key),
            #[cfg(feature = "alloc")]
            Batch::Shared(keys) => keys.get(index).map(|key| &**key),
        }
    }

    /// Returns true if there are no keys.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns an iterator over the keys.
    #[inline]
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &'a [u8]> + Clone + use<'a> {
        let batch = *self;
        (0..self.len()).map(move |index| batch.get(index).unwrap_or_default())
    }

    /// Returns the keys as slices.
    #[cfg(feature = "alloc")]
    pub(crate) fn slices(&self) -> Result<Vec<&'a [u8]>, Error> {
        let mut slices = Vec::new();
        reserve(&mut slices, self.len())?;
        slices.extend(self.iter());
        Ok(slices)
    }

    /// Returns the keys in a form that kernels accept; `None` for text, vectors and boxes.
    #[inline]
    pub(crate) const fn for_kernels(&self) -> Option<Keys<'a>> {
        match self.0 {
            Batch::Keys(keys) => Some(keys),
            #[cfg(feature = "alloc")]
            _ => None,
        }
    }
}

impl<'a> From<PackedKeys<'a>> for KeyBatch<'a> {
    #[inline]
    fn from(keys: PackedKeys<'a>) -> Self {
        Self(Batch::Keys(Keys::Packed(keys)))
    }
}

impl BatchKey for &[u8] {
    #[inline]
    fn batch(keys: &[Self]) -> KeyBatch<'_> {
        KeyBatch(Batch::Keys(Keys::Slices(keys)))
    }
}

#[cfg(feature = "alloc")]
impl BatchKey for &str {
    #[inline]
    fn batch(keys: &[Self]) -> KeyBatch<'_> {
        KeyBatch(Batch::Texts(keys))
    }
}

#[cfg(feature = "alloc")]
impl BatchKey for String {
    #[inline]
    fn batch(keys: &[Self]) -> KeyBatch<'_> {
        KeyBatch(Batch::Strings(keys))
    }
}

#[cfg(feature = "alloc")]
impl BatchKey for Vec<u8> {
    #[inline]
    fn batch(keys: &[Self]) -> KeyBatch<'_> {
        KeyBatch(Batch::Vectors(keys))
    }
}

#[cfg(feature = "alloc")]
impl BatchKey for Box<[u8]> {
    #[inline]
    fn batch(keys: &[Self]) -> KeyBatch<'_> {
        KeyBatch(Batch::Boxes(keys))
    }
}

#[cfg(feature = "alloc")]
impl BatchKey for Arc<[u8]> {
    #[inline]
    fn batch(keys: &[Self]) -> KeyBatch<'_> {
        KeyBatch(Batch::Shared(keys))
    }
}

impl<const N: usize> BatchKey for [u8; N] {
    #[inline]
    fn batch(keys: &[Self]) -> KeyBatch<'_> {
        PackedKeys::from_arrays(keys).into()
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

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::{KeyBatch, PackedKeys};

    #[test]
    fn batches_know_their_keys() {
        let packed = PackedKeys::new(b"aabbcc", 2).unwrap();
        assert_eq!((packed.len(), packed.key_len()), (3, 2));
        assert_eq!(packed.get(2), Some(&b"cc"[..]));
        assert_eq!((packed.get(3), packed.get(usize::MAX)), (None, None));
        assert!(packed.iter().eq([b"aa", b"bb", b"cc"]));
        assert!(PackedKeys::new(b"", 0).is_none());
        assert!(PackedKeys::new(b"", 3).unwrap().len() == 0);
        let none: &[&[u8]] = &[];
        assert!(KeyBatch::from(none).is_empty());
        let arrays = [*b"aa", *b"bb", *b"cc"];
        let slices: [&[u8]; 3] = [b"aa", b"bb", b"cc"];
        let vectors = slices.map(<[u8]>::to_vec).to_vec();
        check(packed.into());
        check((&arrays).into());
        check((&arrays[..]).into());
        check((&slices).into());
        check((&slices[..]).into());
        check((&arrays.to_vec()).into());
        check((&slices.to_vec()).into());
        check((&vectors).into());
        check(vectors.as_slice().into());
    }

    fn check(batch: KeyBatch<'_>) {
        assert_eq!(
            (batch.len(), batch.get(2), batch.get(3)),
            (3, Some(&b"cc"[..]), None)
        );
        assert!(batch.iter().eq([b"aa", b"bb", b"cc"]));
    }
}
