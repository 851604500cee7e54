//! A set of keys, packed into one buffer.

/// Keys back to back in one buffer, in a fixed order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeySet {
    bytes: Vec<u8>,
    /// Where each key ends; it begins where the one before ends.
    ends: Vec<u32>,
}

impl KeySet {
    /// Number of keys.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Bytes of all keys together.
    pub fn total_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The key at `index`.
    ///
    /// # Panics
    ///
    /// If `index` is not below [`len`](Self::len).
    pub fn get(&self, index: usize) -> &[u8] {
        let start = if index == 0 {
            0
        } else {
            self.ends[index - 1] as usize
        };
        &self.bytes[start..self.ends[index] as usize]
    }

    /// The keys in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        (0..self.len()).map(|index| self.get(index))
    }
}
