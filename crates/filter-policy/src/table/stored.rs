//! A block as it lies in the file.

use super::checksum::block_checksum;
use super::error::{BlockRole, Damage};

/// Bytes behind the contents of every block: one for the compression, four for the checksum.
pub const TRAILER_LEN: usize = 5;

/// A block as it lies in the file: contents, perhaps compressed, and the trailer.
#[derive(Debug, Clone, Copy)]
pub struct StoredBlock<'a> {
    contents: &'a [u8],
    compression: u8,
    checksum: u32,
}

impl<'a> StoredBlock<'a> {
    /// Contents that are stored as they are.
    pub const UNCOMPRESSED: u8 = 0;
    /// Contents in Snappy's raw format.
    pub const SNAPPY: u8 = 1;
    /// Contents compressed with Zstandard, by LevelDB 1.24 and later on request.
    pub const ZSTD: u8 = 2;

    /// Takes the trailer off; `None` when there are not even the [`TRAILER_LEN`] bytes of it.
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        let (contents, &[compression, ref checksum @ ..]) = bytes.split_last_chunk::<TRAILER_LEN>()?;
        Some(Self {
            contents,
            compression,
            checksum: u32::from_le_bytes(*checksum),
        })
    }

    /// The contents as stored.
    pub const fn contents(&self) -> &'a [u8] {
        self.contents
    }

    /// The byte that tells the compression, whatever it is.
    pub const fn compression(&self) -> u8 {
        self.compression
    }

    /// The checksum in the file.
    pub const fn stored_checksum(&self) -> u32 {
        self.checksum
    }

    /// The checksum that the contents have.
    pub fn computed_checksum(&self) -> u32 {
        block_checksum(self.contents, self.compression)
    }

    /// Checks the contents against the checksum stored after them. Role and offset are for the words
    /// of the error.
    ///
    /// # Errors
    ///
    /// [`Damage::Checksum`].
    pub fn verify(&self, block: BlockRole, offset: u64) -> Result<(), Damage> {
        self.expect(self.computed_checksum(), block, offset)
    }

    /// Whether the checksum that is stored is this one.
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
