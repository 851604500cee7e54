//! Files that commands are given, table files, and the ranges of a file that were read.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::mem;
use std::path::{Path, PathBuf};

use filter_sets::StoredFile;
use filter_tables::{BlockHandle, BlockRole, Damage, RocksDbTable, StoredBlock, TRAILER_LEN, Table};

/// A path that a command was given, and its file, which is open: its first bytes show how to read it on.
pub(crate) struct Given {
    pub(crate) path: PathBuf,
    /// None for what is no file, and for a file that is opened when it is read, which also returns the error, if any.
    file: Option<StoredFile>,
    /// Set if the file is a filter by its first bytes.
    pub(crate) is_filter: bool,
    /// The first bytes.
    pub(super) head: Vec<u8>,
}

impl Given {
    pub(crate) fn open(path: &Path) -> Self {
        let file = StoredFile::open(path).ok();
        Self {
            path: path.to_owned(),
            is_filter: file.as_ref().is_some_and(StoredFile::is_filter),
            head: file.as_ref().map_or_else(Vec::new, |file| file.head().to_vec()),
            file,
        }
    }

    /// Opens many paths, of which the last are closed again: systems limit the number of open files.
    pub(crate) fn open_all(paths: &[PathBuf]) -> Vec<Self> {
        const OPEN: usize = 100;
        let mut given = Vec::new();
        for path in paths {
            let mut opened = Self::open(path);
            opened.file = opened.file.filter(|_| given.len() < OPEN);
            given.push(opened);
        }
        given
    }

    /// Takes a path whose file is opened when it is read.
    pub(super) const fn closed(path: PathBuf) -> Self {
        Self {
            path,
            file: None,
            is_filter: false,
            head: Vec::new(),
        }
    }

    /// Takes the value, and leaves one whose file is opened when it is read.
    pub(crate) fn take(&mut self) -> Self {
        let closed = Self::closed(self.path.clone());
        mem::replace(self, closed)
    }

    /// Takes the file to read it as a filter.
    pub(crate) fn stored(&mut self) -> Result<StoredFile, filter_sets::Error> {
        self.file.take().map_or_else(|| StoredFile::open(&self.path), Ok)
    }

    /// Takes the file to read it as a table or a Parquet file.
    pub(crate) fn table(&mut self) -> io::Result<File> {
        let opened = self.file.take().map(StoredFile::into_file);
        opened.map_or_else(|| open_file(&self.path), Ok)
    }
}

/// Opens a file, but nothing else: opening a pipe would wait for its writer.
pub(crate) fn open_file(path: &Path) -> io::Result<File> {
    match fs::metadata(path)?.is_file() {
        true => File::open(path),
        false => Err(io::Error::other("not a file")),
    }
}

/// A table whose blocks can be read even if their checksums are wrong.
pub(super) trait StoredBlocks {
    /// Reads a block with its trailer. A wrong checksum is returned next to the bytes.
    fn block(&self, role: BlockRole, handle: BlockHandle) -> Result<Block, filter_tables::Error<io::Error>>;
}

/// The bytes of a block, and their damage.
pub(super) type Block = (Vec<u8>, Option<Damage>);

impl StoredBlocks for Table<&File> {
    fn block(&self, role: BlockRole, handle: BlockHandle) -> Result<Block, filter_tables::Error<io::Error>> {
        let bytes = self.stored_block(role, handle)?;
        let checked = StoredBlock::new(&bytes).map(|stored| stored.verify(role, handle.offset));
        Ok((bytes, checked.and_then(Result::err)))
    }
}

impl StoredBlocks for RocksDbTable<&File> {
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
