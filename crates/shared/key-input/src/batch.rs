//! Keys in one piece of memory.

/// Copies of keys, which lie one after the other.
#[derive(Debug, Clone)]
pub struct Batch {
    pub(crate) bytes: Vec<u8>,
    /// The start and the end of each key in `bytes`.
    pub(crate) places: Vec<[usize; 2]>,
    pub(crate) size: usize,
}

impl Batch {
    /// Makes an empty batch that is full from this many bytes on: those of its keys, and of their places.
    pub const fn new(size: usize) -> Self {
        Self {
            bytes: Vec::new(),
            places: Vec::new(),
            size,
        }
    }

    /// Adds a key, also to a full batch.
    pub fn push(&mut self, key: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        self.places.push([start, self.bytes.len()]);
    }

    /// Returns the number of keys.
    pub const fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns true if there is no key.
    pub const fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Returns true if the batch should be used before further keys are added.
    pub fn is_full(&self) -> bool {
        self.bytes.len() + size_of_val(&self.places[..]) >= self.size
    }

    /// Returns the keys.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.places.iter().map(|&[start, end]| &self.bytes[start..end])
    }

    /// Removes all keys, and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.places.clear();
    }
}
