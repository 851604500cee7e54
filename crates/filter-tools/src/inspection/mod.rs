//! What tables say of their filters: files of LevelDB's and RocksDB's, read and never written.
//!
//! Knows nothing of arguments or of how results are shown.

mod bits;
mod file;
mod filters;
mod footer;
pub(crate) mod parquet;
mod rocksdb;
mod words;

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use filter_policy::table::{
    BlockHandle, BlockRole, Damage, ReadAt as _, RocksDbTable, StoredBlock, TRAILER_LEN, Table, TableError,
};
use serde::Serialize;

pub(crate) use bits::Bits;
use file::{DisjointRanges, StoredBlocks, TableFile};
pub(crate) use filters::FilterBlockReport;
use rocksdb::RocksDbReport;
use words::Words;

/// What one table says.
#[derive(Debug, Serialize)]
pub(crate) struct TableReport {
    /// The path of the file, as far as it is text.
    pub(crate) path: String,
    /// The size of the file.
    pub(crate) bytes: u64,
    pub(crate) kind: Kind,
    /// What only tables of RocksDB's have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rocksdb: Option<RocksDbReport>,
    /// Its filter blocks: one or none, unless somebody else wrote the table. All partitions of a filter are one.
    pub(crate) filter_blocks: Vec<FilterBlockReport>,
    /// What is wrong with it, in words.
    pub(crate) damage: Vec<String>,
    /// What was not looked at and may be whole.
    pub(crate) not_read: Vec<String>,
    /// Whether some of it is there because the system refused a file, bytes of it or memory.
    pub(crate) unreadable: bool,
}

/// Whose table it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    Leveldb,
    Rocksdb,
    /// Unknown, because the bytes that would tell are damaged or not read.
    Unknown,
}

/// How much of a table is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// The filters, what leads to them, and the index.
    Filters,
    /// The checksums of the data too.
    Data,
}

/// Inspects a table, or all tables of a database folder in the order of their names.
///
/// # Errors
///
/// When the path is neither. A file that is named like a table is one, however damaged.
pub(crate) fn inspect(path: &Path, depth: Depth) -> Result<Vec<TableReport>, String> {
    let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", shown(path));
    let metadata = fs::metadata(path).map_err(|error| wrong(&error))?;
    if metadata.is_dir() {
        let tables = tables_in(path).map_err(|error| wrong(&error))?;
        if tables.is_empty() && !path.join("CURRENT").exists() {
            return Err(wrong(
                &"not a database folder: it has neither a file CURRENT nor files named .ldb or .sst",
            ));
        }
        return Ok(tables.iter().map(|table| inspect_table(table, depth)).collect());
    }
    // Opening a pipe would wait for whoever writes into it.
    if !metadata.is_file() {
        return Err(wrong(&"neither a file nor a folder"));
    }
    let file = TableFile::open(path).map_err(|error| wrong(&error))?;
    if !is_named_like_a_table(path)
        && let Err(error @ (TableError::TooShort { .. } | TableError::UnknownMagic { .. })) =
            Table::open(&file)
    {
        return Err(wrong(&format!("not a table: {error}")));
    }
    Ok(vec![report(path, &file, depth)])
}

/// What is in a folder and named like a table, sorted.
fn tables_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut tables = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if is_named_like_a_table(&path) {
            tables.push(path);
        }
    }
    tables.sort();
    Ok(tables)
}

fn is_named_like_a_table(path: &Path) -> bool {
    path.extension()
        .and_then(OsStr::to_str)
        .is_some_and(|extension| matches!(extension, "ldb" | "sst"))
}

/// The path without what would move a terminal's cursor.
pub(crate) fn shown(path: &Path) -> String {
    path.to_string_lossy()
        .chars()
        .map(|c| {
            if c.is_control() {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        })
        .collect()
}

/// Inspects what is named like a table.
fn inspect_table(path: &Path, depth: Depth) -> TableReport {
    let unreadable = |reason: String| {
        let mut report = TableReport::new(path, 0);
        report.add_unreadable(reason);
        report
    };
    match fs::metadata(path) {
        // Opening a pipe would wait for whoever writes into it.
        Ok(metadata) if !metadata.is_file() => return unreadable("not a file".to_owned()),
        Ok(_) => {}
        Err(error) => return unreadable(error.to_string()),
    }
    match TableFile::open(path) {
        Ok(file) => report(path, &file, depth),
        Err(error) => unreadable(error.to_string()),
    }
}

/// The time it takes grows with the file, whatever the file says: no part of it is read over and over.
fn report(path: &Path, file: &TableFile, depth: Depth) -> TableReport {
    let mut report = TableReport::new(path, file.size().unwrap_or(0));
    match Table::open(file) {
        Ok(table) => {
            report.kind = Kind::Leveldb;
            let mut data_blocks = table.data_blocks().unwrap_or_else(|error| {
                report.add_error(&error);
                Vec::new()
            });
            if depth == Depth::Data {
                report.add_data(&table, &data_blocks);
            }
            data_blocks.sort_unstable_by_key(|handle| handle.offset);
            report.add_filter_blocks(&table, &data_blocks);
        }
        Err(TableError::RocksDb(_)) => {
            report.kind = Kind::Rocksdb;
            match RocksDbTable::open(file) {
                Ok(table) => report.add_rocksdb(&table, depth),
                Err(error) => report.add_error(&error),
            }
        }
        Err(error) => report.add_error(&error),
    }
    report
}

impl TableReport {
    fn new(path: &Path, bytes: u64) -> Self {
        Self {
            path: shown(path),
            bytes,
            kind: Kind::Unknown,
            rocksdb: None,
            filter_blocks: Vec::new(),
            damage: Vec::new(),
            not_read: Vec::new(),
            unreadable: false,
        }
    }

    fn add_unreadable(&mut self, reason: String) {
        self.not_read.push(reason);
        self.unreadable = true;
    }

    fn add_error(&mut self, error: &TableError<io::Error>) {
        match Verdict::of(error) {
            Verdict::Damaged => self.damage.push(error.to_string()),
            Verdict::NotRead => self.not_read.push(error.to_string()),
            Verdict::Unreadable => self.add_unreadable(error.to_string()),
        }
    }

    /// Looks at the filter blocks, as far as they do not overlap: thousands of names for one block would be
    /// thousands of times its work.
    fn add_filter_blocks(&mut self, table: &Table<&TableFile>, data_blocks: &[BlockHandle]) {
        let block = BlockRole::Filter;
        let mut damage = Words::default();
        let mut read = DisjointRanges::default();
        for entry in table.metaindex() {
            let Some(policy) = entry.policy_name() else {
                continue;
            };
            let Some(handle) = entry.handle() else {
                damage.add(&Damage::Handle { block });
                continue;
            };
            match read.add_filter_block(handle, self.bytes) {
                Ok(()) => self.add_filter_block(table, handle, policy, data_blocks),
                Err(overlap) => damage.add(&overlap),
            }
        }
        self.damage.extend(damage.finish());
    }

    /// Looks at a filter block whatever its checksum: the figures are those of the bytes as they are.
    fn add_filter_block(
        &mut self,
        table: &Table<&TableFile>,
        handle: BlockHandle,
        policy: &[u8],
        data_blocks: &[BlockHandle],
    ) {
        let Some(contents) = self.filter_contents(table, handle) else {
            return;
        };
        let (report, damage) = filters::look_at(&contents, policy, data_blocks);
        self.filter_blocks.push(report);
        self.damage.extend(damage);
    }

    /// The contents of a block of filters, after a look at what is behind them; `None` when there is nothing to show.
    fn filter_contents(&mut self, table: &impl StoredBlocks, handle: BlockHandle) -> Option<Vec<u8>> {
        let BlockHandle { offset, .. } = handle;
        let block = BlockRole::Filter;
        let (mut bytes, wrong) = match table.block(block, handle) {
            Ok(block) => block,
            Err(error) => {
                self.add_error(&error);
                return None;
            }
        };
        let stored = StoredBlock::new(&bytes)?;
        self.damage.extend(wrong.map(|wrong| wrong.to_string()));
        if stored.compression() != StoredBlock::UNCOMPRESSED {
            self.damage.push(format!(
                "compression of the {block} at offset {offset} must be 0, got {}",
                stored.compression()
            ));
            return None;
        }
        bytes.truncate(bytes.len() - TRAILER_LEN);
        Some(bytes)
    }

    /// Reads every data block for its checksum.
    fn add_data(&mut self, table: &impl StoredBlocks, data_blocks: &[BlockHandle]) {
        let block = BlockRole::Data;
        let mut damage = Words::default();
        let mut not_read = Words::default();
        let mut end = 0;
        for &handle in data_blocks {
            // LevelDB writes them one after the other. Reading the same bytes over and over could take for ever.
            if handle.offset < end {
                damage.add(&format_args!(
                    "the data block at offset {} starts before the one before it ends, at {end}",
                    handle.offset
                ));
                break;
            }
            let error = match table.block(block, handle) {
                Ok((stored, wrong)) => {
                    end = handle.offset + stored.len() as u64;
                    wrong.iter().for_each(|wrong| damage.add(wrong));
                    continue;
                }
                Err(error) => error,
            };
            let verdict = Verdict::of(&error);
            if verdict == Verdict::Damaged {
                damage.add(&error);
            } else {
                end = handle.offset.saturating_add(handle.size);
                not_read.add(&error);
                self.unreadable |= verdict == Verdict::Unreadable;
            }
        }
        self.damage.extend(damage.finish());
        self.not_read.extend(not_read.finish());
    }
}

/// What it says of a table that something in it could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Damaged,
    /// It may be whole, and this program does not look at such things.
    NotRead,
    /// It may be whole, and the system refused.
    Unreadable,
}

impl Verdict {
    fn of<E>(error: &TableError<E>) -> Self {
        match error {
            TableError::RocksDb(_)
            | TableError::UnsupportedVersion { .. }
            | TableError::UnsupportedChecksum { .. }
            | TableError::UnsupportedLayout { .. }
            | TableError::RocksDbCompression { .. }
            | TableError::Unsupported { .. }
            | TableError::TooLarge { .. } => Self::NotRead,
            TableError::Read { .. } | TableError::AllocationFailed { .. } => Self::Unreadable,
            _ => Self::Damaged,
        }
    }
}
