//! A block as stored in the file.

use super::checksum::block_checksum;
use super::error::{BlockRole, Damage};

/// The number of bytes after the contents of every block: one for the compression, four for the checksum.
pub const TRAILER_LEN: usize = 5;

/// A block as stored in the file: contents, perhaps compressed, and the trailer.
#[derive(Debug, Clone, Copy)]
pub struct StoredBlock<'a> {
    contents: &'a [u8],
    compression: u8,
    checksum: u32,
}

impl<'a> StoredBlock<'a> {
    /// The compression byte of uncompressed contents.
    pub const UNCOMPRESSED: u8 = 0;
    /// The compression byte of contents in Snappy's raw format.
    pub const SNAPPY: u8 = 1;

    /// Splits off the trailer; `None` when there are fewer than [`TRAILER_LEN`] bytes.
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        let (contents, &[compression, ref checksum @ ..]) = bytes.split_last_chunk::<TRAILER_LEN>()?;
        Some(Self {
            contents,
            compression,
            checksum: u32::from_le_bytes(*checksum),
        })
    }

    /// Returns the contents as stored.
    pub const fn contents(&self) -> &'a [u8] {
        self.contents
    }

    /// Returns the compression byte, known or not.
    pub const fn compression(&self) -> u8 {
        self.compression
    }

    /// Computes LevelDB's checksum of the contents.
    pub fn computed_checksum(&self) -> u32 {
        block_checksum(self.contents, self.compression)
    }

    /// Checks the contents against the checksum stored after them. Role and offset only appear in the error.
    ///
    /// # Errors
    ///
    /// [`Damage::Checksum`].
    pub fn verify(&self, block: BlockRole, offset: u64) -> Result<(), Damage> {
        self.expect(self.computed_checksum(), block, offset)
    }

    /// Checks the stored checksum against a computed one.
    pub(super) fn expect(&self, computed: u32, block: BlockRole, offset: u64) -> Result<(), Damage> {
        if computed == self.checksum {
            return Ok(());
        }
        Err(Damage::Checksum {
            block,
            offset,
            stored: self.checksum,
            computed,
        })
    }
}
