//! What tables say of their filters: LevelDB's files, read and never written.
//!
//! Knows nothing of arguments or of how results are shown.

mod filters;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use filter_policy::table::{BlockRole, Damage, MetaindexEntry, ReadAt, StoredBlock, Table, TableError};
use serde::Serialize;

pub(crate) use filters::{Bits, FilterBlockReport};

/// What one table says.
#[derive(Debug, Serialize)]
pub(crate) struct TableReport {
    /// The path of the file, as far as it is text.
    pub(crate) path: String,
    /// The size of the file.
    pub(crate) bytes: u64,
    pub(crate) kind: Kind,
    /// Its filter blocks: in LevelDB's tables one or none.
    pub(crate) filter_blocks: Vec<FilterBlockReport>,
    /// What is wrong with it, in words.
    pub(crate) damage: Vec<String>,
    /// What could not be looked at and may be whole.
    pub(crate) not_read: Vec<String>,
}

/// Whose table it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    Leveldb,
    /// Told by its name, and not read any further.
    Rocksdb,
    /// Not told, because what would tell is damaged or not read.
    Unknown,
}

/// Why there is nothing to inspect.
#[derive(Debug)]
pub(crate) struct NotInspected(String);

impl std::fmt::Display for NotInspected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Inspects a table, or all tables of a database folder in the order of their names.
///
/// # Errors
///
/// When the path is neither. A file that is named like a table is one, however damaged.
pub(crate) fn inspect(path: &Path) -> Result<Vec<TableReport>, NotInspected> {
    let wrong = |error: &dyn std::fmt::Display| NotInspected(format!("{}: {error}", shown(path)));
    let metadata = fs::metadata(path).map_err(|error| wrong(&error))?;
    if metadata.is_dir() {
        let tables = tables_in(path).map_err(|error| wrong(&error))?;
        if tables.is_empty() && !path.join("CURRENT").exists() {
            return Err(wrong(
                &"not a database folder: it has neither a file CURRENT nor files named .ldb or .sst",
            ));
        }
        return Ok(tables.iter().map(|table| inspect_table(table)).collect());
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
    Ok(vec![report(path, &file)])
}

/// The files in a folder that are named like tables, sorted.
fn tables_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut tables = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if is_named_like_a_table(&path) && path.is_file() {
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

struct TableFile(File);

impl TableFile {
    fn open(path: &Path) -> io::Result<Self> {
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

fn inspect_table(path: &Path) -> TableReport {
    match TableFile::open(path) {
        Ok(file) => report(path, &file),
        Err(error) => {
            let mut report = TableReport::new(path, 0);
            report.damage.push(error.to_string());
            report
        }
    }
}

fn report(path: &Path, file: &TableFile) -> TableReport {
    let mut report = TableReport::new(path, file.size().unwrap_or(0));
    match Table::open(file) {
        Ok(table) => {
            report.kind = Kind::Leveldb;
            for entry in table.metaindex() {
                if let Some(policy) = entry.policy_name() {
                    report.add_filter_block(&table, entry, policy);
                }
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
            filter_blocks: Vec::new(),
            damage: Vec::new(),
            not_read: Vec::new(),
        }
    }

    fn add_error(&mut self, error: &TableError<io::Error>) {
        match error {
            TableError::RocksDb(_) => {
                self.kind = Kind::Rocksdb;
                self.not_read.push(error.to_string());
            }
            TableError::Unsupported { .. } => self.not_read.push(error.to_string()),
            _ => self.damage.push(error.to_string()),
        }
    }

    /// Looks at a filter block whatever its checksum: the figures are those of the bytes as they are.
    fn add_filter_block(&mut self, table: &Table<&TableFile>, entry: &MetaindexEntry, policy: &[u8]) {
        let block = BlockRole::Filter;
        let Some(handle) = entry.handle() else {
            self.damage.push(Damage::Handle { block }.to_string());
            return;
        };
        let stored = match table.stored_block(block, handle) {
            Ok(stored) => stored,
            Err(error) => return self.add_error(&error),
        };
        let Some(stored) = StoredBlock::new(&stored) else {
            return;
        };
        let (offset, computed) = (handle.offset, stored.computed_checksum());
        if computed != stored.stored_checksum() {
            let checksum = Damage::Checksum {
                block,
                offset,
                stored: stored.stored_checksum(),
                computed,
            };
            self.damage.push(checksum.to_string());
        }
        if stored.compression() != StoredBlock::UNCOMPRESSED {
            self.damage.push(format!(
                "the {block} at offset {offset} has the compression {}, allowed is 0",
                stored.compression()
            ));
            return;
        }
        let (report, damage) = filters::look_at(stored.contents(), policy);
        self.filter_blocks.push(report);
        self.damage.extend(damage);
    }
}
