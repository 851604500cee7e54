//! Blocks of bits in memory, aligned to their length.

use alloc::vec::Vec;
use core::fmt;

use crate::error::Error;

/// The length of a block in bytes. A block that starts at a multiple of its length lies in one cache line.
pub(crate) const BLOCK_LEN: usize = 32;

/// Blocks of bits; the first starts at a multiple of the block length.
pub struct Blocks {
    /// Starts with up to `BLOCK_LEN - 1` unused bytes.
    bytes: Vec<u8>,
    start: usize,
}

impl Blocks {
    /// Makes blocks of zeros.
    pub(crate) fn zeroed(len: usize) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        Error::reserve(&mut bytes, len + BLOCK_LEN - 1)?;
        Ok(Self::zeroed_in(bytes, len))
    }

    /// Makes blocks of zeros; like `clone`, this aborts if the memory is not available.
    pub(crate) fn with_len(len: usize) -> Self {
        Self::zeroed_in(Vec::with_capacity(len + BLOCK_LEN - 1), len)
    }

    /// Makes blocks of zeros in memory that is already allocated.
    fn zeroed_in(mut bytes: Vec<u8>, len: usize) -> Self {
        // An unknown offset is `usize::MAX`; any start is right then.
        let start = bytes.as_ptr().align_offset(BLOCK_LEN) % BLOCK_LEN;
        bytes.resize(start + len, 0);
        Self { bytes, start }
    }

    #[inline]
    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    #[inline]
    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..]
    }
}

/// Shows the length; not the bits, which may be many.
impl fmt::Debug for Blocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.as_slice().len())
    }
}

/// A copy lies elsewhere in memory, and so has another start.
impl Clone for Blocks {
    fn clone(&self) -> Self {
        let mut copy = Self::with_len(self.as_slice().len());
        copy.as_mut_slice().copy_from_slice(self.as_slice());
        copy
    }
}

impl PartialEq for Blocks {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for Blocks {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_lie_in_one_line_each() {
        for len in [32, 64, 320, 1 << 20] {
            let mut blocks = Blocks::zeroed(len).unwrap();
            blocks.as_mut_slice().fill(7);
            for blocks in [&blocks, &blocks.clone()] {
                assert_eq!(blocks.as_slice(), alloc::vec![7; len]);
                assert_eq!(blocks.as_slice().as_ptr().align_offset(BLOCK_LEN), 0);
            }
        }
    }
}
