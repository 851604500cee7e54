//! A filter's bits: the string that holds them, and the offsets of elements' bits.

use guava_bloom::Hash128;

use crate::error::Error;
use crate::options::Options;
use crate::schema::Schema;

/// A Bloom filter's bits in one string.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bitmap {
    pub(crate) key: Vec<u8>,
    pub(crate) schema: Schema,
    /// The length of the string.
    pub(crate) bytes: u64,
}

impl Bitmap {
    /// Returns the bitmap with a byte of zeros after its bits. No insert reaches it, so that a string of the full length
    /// was made by this crate as a whole and is not what inserts began after a loss.
    pub(crate) fn marked(key: Vec<u8>, schema: Schema) -> Self {
        let bytes = schema.bits().div_ceil(8) + 1;
        Self { key, schema, bytes }
    }

    /// Interprets the length of the string on the server: returns whether it is there.
    pub(crate) fn is_there(&self, length: u64) -> Result<bool, Error> {
        match length {
            0 => Ok(false),
            _ if length == self.bytes => Ok(true),
            _ => Err(Error::of_length(&self.key, self.bytes, length)),
        }
    }

    /// Returns the error for a missing filter.
    pub(crate) fn missing(&self) -> Error {
        Error::missing(&self.key)
    }
}

/// Hashes elements. Their offsets depend on nothing else.
pub(crate) fn hashes(elements: impl IntoIterator<Item: AsRef<[u8]>>) -> Vec<Hash128> {
    let elements = elements.into_iter();
    elements.map(|element| Hash128::of(element.as_ref())).collect()
}

/// Returns the offsets of all elements' bits, one element after another.
pub(crate) fn offsets(schema: &Schema, hashes: &[Hash128]) -> Vec<u64> {
    let mut offsets = Vec::with_capacity(hashes.len() * usize::from(schema.probe_count()));
    for &hash in hashes {
        offsets.extend(schema.positions(hash));
    }
    offsets
}

pub(super) fn per_trip(schema: &Schema, options: &Options) -> usize {
    (options.bits_per_trip.get() / usize::from(schema.probe_count())).max(1)
}
