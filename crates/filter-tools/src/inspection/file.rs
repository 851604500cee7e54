//! Table files, and the ranges of a file that were read.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use filter_tables::{
    BlockHandle, BlockRole, Damage, ReadAt, RocksDbTable, StoredBlock, TRAILER_LEN, Table, TableError,
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

/// A table whose blocks can be read even if their checksums are wrong.
pub(super) trait StoredBlocks {
    /// Reads a block with its trailer. A wrong checksum is returned next to the bytes.
    fn block(&self, role: BlockRole, handle: BlockHandle) -> Result<Block, TableError<io::Error>>;
}

/// The bytes of a block, and their damage.
pub(super) type Block = (Vec<u8>, Option<Damage>);

impl StoredBlocks for Table<&TableFile> {
    fn block(&self, role: BlockRole, handle: BlockHandle) -> Result<Block, TableError<io::Error>> {
        let bytes = self.stored_block(role, handle)?;
        let checked = StoredBlock::new(&bytes).map(|stored| stored.verify(role, handle.offset));
        Ok((bytes, checked.and_then(Result::err)))
    }
}

impl StoredBlocks for RocksDbTable<&TableFile> {
    fn block(&self, role: BlockRole, handle: BlockHandle) -> Result<Block, TableError<io::Error>> {
        let bytes = self.stored_block(role, handle)?;
        let checked = StoredBlock::new(&bytes).map(|stored| self.verify(&stored, role, handle.offset));
        Ok((bytes, checked.and_then(Result::err)))
    }
}

/// Ranges of a file that do not overlap, in a few sorted lists, each at least twice as long as the next. Unlike a tree,
/// they are allocated in a way that can fail.
#[derive(Default)]
pub(super) struct DisjointRanges(Vec<Vec<(u64, u64)>>);

/// The reason why a range is not added.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// It overlaps the range that starts here.
    Overlap(u64),
    Memory,
}

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
        self.add(offset, end)
            .map_err(|refused| format!("the {block} at offset {offset} {refused}, and is not read"))
    }

    /// Adds a range that is not empty, unless it overlaps another range.
    pub(super) fn add(&mut self, start: u64, end: u64) -> Result<(), Refused> {
        for ranges in &self.0 {
            let before = ranges.partition_point(|range| range.0 < end);
            if let Some(&(other, _)) = ranges[..before].last().filter(|range| range.1 > start) {
                return Err(Refused::Overlap(other));
            }
        }
        let push = |ranges: &mut Vec<_>| {
            ranges.try_reserve(1).map_err(|_| Refused::Memory)?;
            ranges.push((start, end));
            Ok(())
        };
        // Most files have their filters in order.
        if let [ranges] = &mut self.0[..]
            && ranges.last().is_some_and(|last| last.1 <= start)
        {
            return push(ranges);
        }
        let mut ranges = Vec::new();
        push(&mut ranges)?;
        while let Some(mut longer) = self.0.pop_if(|longer| longer.len() < 2 * ranges.len()) {
            longer
                .try_reserve_exact(ranges.len())
                .map_err(|_| Refused::Memory)?;
            longer.append(&mut ranges);
            longer.sort_unstable();
            ranges = longer;
        }
        self.0.try_reserve(1).map_err(|_| Refused::Memory)?;
        self.0.push(ranges);
        Ok(())
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overlap(other) => write!(f, "overlaps the one at offset {other}"),
            Self::Memory => f.write_str("is one of more than memory has room for"),
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
            assert_eq!(
                read.add(start, end),
                expected.map_err(Refused::Overlap),
                "{start}..{end}"
            );
        }
    }

    /// Compares the lists with the plainest way to keep ranges apart, in any order.
    #[test]
    fn any_order_gives_the_same_answers() {
        for step in [1_u64, 6, 613, 1000] {
            let mut read = DisjointRanges::default();
            let mut plain: Vec<(u64, u64)> = Vec::new();
            for number in 0..1001 {
                let start = number * step % 1001 * 10;
                let end = start + [5, 10, 11, 1][number as usize % 4];
                let overlapped = plain
                    .iter()
                    .any(|&(other, other_end)| other < end && start < other_end);
                assert_eq!(read.add(start, end).is_err(), overlapped, "{start}..{end}");
                if !overlapped {
                    plain.push((start, end));
                }
            }
            assert!(read.0.len() < 12 && plain.len() > 500);
        }
    }
}
