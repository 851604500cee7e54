//! Table files, and the ranges of a file that were read.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use filter_tables::{BlockHandle, BlockRole, Damage, ReadAt, RocksDbTable, StoredBlock, TRAILER_LEN, Table};

/// Reads the first bytes of a file.
pub(crate) fn head<const N: usize>(path: &Path) -> io::Result<[u8; N]> {
    let mut head = [0; N];
    File::open(path)?.read_exact(&mut head)?;
    Ok(head)
}

/// A file that may be a table.
pub(super) struct TableFile(File);

impl TableFile {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        // Opening a pipe would wait for its writer.
        match fs::metadata(path)?.is_file() {
            true => File::open(path).map(Self),
            false => Err(io::Error::other("not a file")),
        }
    }
}

impl ReadAt for TableFile {
    type Error = io::Error;

    fn size(&self) -> io::Result<u64> {
        self.0.metadata().map(|metadata| metadata.len())
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let mut file = &self.0;
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(buffer)
    }
}

/// A table whose blocks can be read even if their checksums are wrong.
pub(super) trait StoredBlocks {
    /// Reads a block with its trailer. A wrong checksum is returned next to the bytes.
    fn block(&self, role: BlockRole, handle: BlockHandle) -> Result<Block, filter_tables::Error<io::Error>>;
}

/// The bytes of a block, and their damage.
pub(super) type Block = (Vec<u8>, Option<Damage>);

impl StoredBlocks for Table<&TableFile> {
    fn block(&self, role: BlockRole, handle: BlockHandle) -> Result<Block, filter_tables::Error<io::Error>> {
        let bytes = self.stored_block(role, handle)?;
        let checked = StoredBlock::new(&bytes).map(|stored| stored.verify(role, handle.offset));
        Ok((bytes, checked.and_then(Result::err)))
    }
}

impl StoredBlocks for RocksDbTable<&TableFile> {
    fn block(&self, role: BlockRole, handle: BlockHandle) -> Result<Block, filter_tables::Error<io::Error>> {
        let bytes = self.stored_block(role, handle)?;
        let checked = StoredBlock::new(&bytes).map(|stored| self.verify(&stored, role, handle.offset));
        Ok((bytes, checked.and_then(Result::err)))
    }
}

/// Ranges of a file that do not overlap: the end of each by its start.
#[derive(Default)]
pub(super) struct DisjointRanges(BTreeMap<u64, u64>);

impl DisjointRanges {
    /// Adds a filter block of a file of `file` bytes, or returns a message if it overlaps another. A block that exceeds
    /// the file is not added, because it is reported elsewhere.
    pub(super) fn add_filter_block(&mut self, handle: BlockHandle, file: u64) -> Result<(), String> {
        let BlockHandle { offset, size } = handle;
        let end = offset.saturating_add(size).saturating_add(TRAILER_LEN as u64);
        if end > file {
            return Ok(());
        }
        let block = BlockRole::Filter;
        self.add(offset, end).map_err(|overlapped| {
            format!("the {block} at offset {offset} overlaps the one at offset {overlapped}, and is not read")
        })
    }

    /// Adds a range that is not empty, or returns the start of the range that it overlaps.
    pub(super) fn add(&mut self, start: u64, end: u64) -> Result<(), u64> {
        match self.0.range(..end).next_back() {
            Some((&other, &other_end)) if other_end > start => Err(other),
            _ => {
                self.0.insert(start, end);
                Ok(())
            }
        }
    }
}
