//! Files, and which of their parts were read.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use filter_policy::table::{
    BlockHandle, BlockRole, Damage, ReadAt, RocksDbTable, StoredBlock, Table, TableError,
};

/// A file that may be a table.
pub(super) struct TableFile(File);

impl TableFile {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        File::open(path).map(Self)
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

/// Where blocks are read from, unchecked, and the checksums that they should have.
pub(super) trait StoredBlocks {
    fn stored_block(&self, role: BlockRole, handle: BlockHandle) -> Result<Vec<u8>, TableError<io::Error>>;

    fn verify(&self, stored: &StoredBlock<'_>, role: BlockRole, offset: u64) -> Result<(), Damage>;
}

impl StoredBlocks for Table<&TableFile> {
    fn stored_block(&self, role: BlockRole, handle: BlockHandle) -> Result<Vec<u8>, TableError<io::Error>> {
        Table::stored_block(self, role, handle)
    }

    fn verify(&self, stored: &StoredBlock<'_>, role: BlockRole, offset: u64) -> Result<(), Damage> {
        stored.verify(role, offset)
    }
}

impl StoredBlocks for RocksDbTable<&TableFile> {
    fn stored_block(&self, role: BlockRole, handle: BlockHandle) -> Result<Vec<u8>, TableError<io::Error>> {
        RocksDbTable::stored_block(self, role, handle)
    }

    fn verify(&self, stored: &StoredBlock<'_>, role: BlockRole, offset: u64) -> Result<(), Damage> {
        RocksDbTable::verify(self, stored, role, offset)
    }
}

/// Parts of a file, none of which overlap: ends by starts.
#[derive(Default)]
pub(super) struct DisjointRanges(BTreeMap<u64, u64>);

impl DisjointRanges {
    /// Adds a part that is not empty, unless it overlaps one that is there; then gives where that one starts.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_overlap_are_refused() {
        let mut read = DisjointRanges::default();
        for (start, end, expected) in [
            (10, 20, Ok(())),
            (20, 30, Ok(())),
            (0, 10, Ok(())),
            (10, 20, Err(10)),
            (19, 21, Err(20)),
            (5, 6, Err(0)),
            (0, 100, Err(20)),
            (29, 40, Err(20)),
            (31, 40, Ok(())),
            (30, 31, Ok(())),
        ] {
            assert_eq!(read.add(start, end), expected, "{start}..{end}");
        }
    }
}
