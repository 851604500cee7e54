//! Inspects the filters in tables of LevelDB and RocksDB. Never writes to a file.
//!
//! Knows nothing of arguments or the presentation of results.

mod bits;
mod file;
mod filters;
mod findings;
pub(crate) mod lookup;
pub(crate) mod parquet;
mod rocksdb;

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::Path;

use filter_policy::policies;
use filter_policy::{AnyFormat, formats};
use filter_sets::StoredFormat;
use filter_tables::{
    BlockHandle, BlockRole, Damage, ReadAt as _, RocksDbTable, StoredBlock, TRAILER_LEN, Table,
};
use serde::Serialize;
use terminal::failure::Failure;

pub(crate) use bits::BitTotals;
use file::{DisjointRanges, StoredBlocks};
pub(crate) use file::{Given, open_file};
pub(crate) use filters::FilterBlockReport;
pub use findings::Unread;
use findings::{Findings, Messages};
use rocksdb::RocksDbReport;

/// The name under which LevelDB before 1.18 and goleveldb store the filters of LevelDB's policy.
const OLD_LEVELDB_NAME: &str = "leveldb.BuiltinBloomFilter";

/// The extensions of tables.
pub(crate) const TABLE_EXTENSIONS: [&str; 2] = ["ldb", "sst"];

/// Returns the format of the filters that tables store under a name.
fn format_of(name: &[u8]) -> Option<&'static dyn AnyFormat> {
    if name == OLD_LEVELDB_NAME.as_bytes() {
        return Some(formats::LEVEL_DB);
    }
    policies::listed(name)
}

/// A report on one table.
#[derive(Debug, Serialize)]
pub(crate) struct TableReport {
    /// The path of the file. Bytes that are not text are replaced.
    pub(crate) path: String,
    /// The size of the file.
    pub(crate) bytes: u64,
    pub(crate) kind: TableKind,
    /// The properties that only RocksDB's tables have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rocksdb: Option<RocksDbReport>,
    /// The number of data blocks: a table without any has no keys. `None` if they are unknown.
    pub(crate) data_blocks: Option<u64>,
    /// The filter blocks: at most one, unless another program wrote the table. The partitions of a filter count as one.
    pub(crate) filter_blocks: Vec<FilterBlockReport>,
    /// Descriptions of the damage.
    pub(crate) damage: Vec<String>,
    /// Descriptions of the parts that were not read and may be intact.
    pub(crate) not_read: Vec<String>,
}

/// The engine that wrote a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TableKind {
    Leveldb,
    Rocksdb,
    /// Unknown, because the bytes that identify the engine are damaged or were not read.
    Unknown,
}

/// Inspects a table: the filters, the blocks that lead to them and the index, and with the data, the checksums of data
/// blocks.
///
/// # Errors
///
/// If the path is no table. A file that is named like a table counts as one, however damaged.
pub(crate) fn inspect(given: &mut Given, with_data: bool) -> Result<TableReport, Failure> {
    let opened = given.table();
    let path = &*given.path;
    let wrong = |reason: String| Unread::from(reason).failure(path);
    let file = opened.map_err(|error| wrong(error.to_string()))?;
    if !is_named_like_a_table(path)
        && let Err(filter_tables::Error::TooShort { .. } | filter_tables::Error::UnknownMagic { .. }) =
            Table::open(&file)
    {
        let what = foreign(&given.head).map_or_else(unknown, |kind| format!("not a table: it is {kind}"));
        return Err(wrong(what));
    }
    Ok(report(path, &file, with_data))
}

/// Describes a file that nothing identifies.
fn unknown() -> String {
    let names = StoredFormat::all().filter(|format| !format.is_known_by_bytes());
    let names: Vec<_> = names.map(|format| format.short_names()[0]).collect();
    format!(
        "not a known filter, table or Parquet file: the bytes of a filter of {} need --format",
        names.join(", ")
    )
}

/// Returns what a file is that begins like one in which filters are kept by other programs.
fn foreign(head: &[u8]) -> Option<&'static str> {
    match head {
        [0xac, 0xed, 0, 5, ..] => {
            Some("an object stream of Java; write the filter in it with its method writeTo")
        }
        [0x1f, 0x8b, ..] => Some("compressed by gzip; decompress it first"),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Some("compressed by Zstandard; decompress it first"),
        _ => None,
    }
}

pub(crate) fn is_named_like_a_table(path: &Path) -> bool {
    let extension = path.extension().and_then(OsStr::to_str);
    extension.is_some_and(|extension| TABLE_EXTENSIONS.contains(&extension))
}

/// Formats a path without control characters, which could move a terminal's cursor.
pub(crate) fn shown(path: &Path) -> String {
    readable(path.as_os_str().as_encoded_bytes())
}

/// Returns a name in a table as text without control characters.
fn readable(name: &[u8]) -> String {
    String::from_utf8_lossy(name).replace(char::is_control, "\u{fffd}")
}

/// Inspects an open file. The time is bounded by the size of the file, whatever its contents: no part is read
/// repeatedly.
fn report(path: &Path, file: &File, with_data: bool) -> TableReport {
    let mut report = TableReport::new(path, file.size().unwrap_or(0));
    match Table::open(file) {
        Ok(table) => {
            report.kind = TableKind::Leveldb;
            let mut data_blocks = report.add_data_blocks(table.data_blocks());
            if with_data {
                report.add_data(&table, &data_blocks);
            }
            data_blocks.sort_unstable_by_key(|handle| handle.offset);
            report.add_filter_blocks(&table, &data_blocks);
        }
        Err(filter_tables::Error::RocksDb(_)) => {
            report.kind = TableKind::Rocksdb;
            match RocksDbTable::open(file) {
                Ok(table) => report.add_rocksdb(&table, with_data),
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
            kind: TableKind::Unknown,
            rocksdb: None,
            data_blocks: None,
            filter_blocks: Vec::new(),
            damage: Vec::new(),
            not_read: Vec::new(),
        }
    }

    fn add(&mut self, found: Findings) {
        self.damage.extend(found.damage.finish());
        self.not_read.extend(found.not_read.finish());
    }

    fn add_error(&mut self, error: &filter_tables::Error<io::Error>) {
        let mut found = Findings::default();
        found.add_error(error);
        self.add(found);
    }

    /// Counts the data blocks, and returns them. They are none if they could not be read.
    fn add_data_blocks(
        &mut self,
        blocks: Result<Vec<BlockHandle>, filter_tables::Error<io::Error>>,
    ) -> Vec<BlockHandle> {
        match &blocks {
            Ok(blocks) => self.data_blocks = Some(blocks.len() as u64),
            Err(error) => self.add_error(error),
        }
        blocks.unwrap_or_default()
    }

    /// Returns the path, and the column family if the table states one.
    pub(crate) fn label(&self) -> String {
        let family = self.rocksdb.as_ref().and_then(|report| report.family.as_ref());
        family.map_or_else(|| self.path.clone(), |family| format!("{} ({family})", self.path))
    }

    /// Inspects the filter blocks that do not overlap: thousands of names for one block would multiply the work.
    fn add_filter_blocks(&mut self, table: &Table<&File>, data_blocks: &[BlockHandle]) {
        let block = BlockRole::Filter;
        let mut damage = Messages::default();
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
                Ok(()) => self.add_filter_block(table, handle, policy, format_of(policy), data_blocks),
                Err(overlap) => damage.add(&overlap),
            }
        }
        self.damage.extend(damage.finish());
    }

    /// Inspects a filter block even if its checksum is wrong; the figures then describe the bytes as they are.
    fn add_filter_block(
        &mut self,
        table: &impl StoredBlocks,
        handle: BlockHandle,
        policy: &[u8],
        layout: Option<&'static dyn AnyFormat>,
        data_blocks: &[BlockHandle],
    ) {
        let Some(contents) = self.filter_contents(table, handle) else {
            return;
        };
        let (block, found) = filters::look_at(&contents, policy, layout, data_blocks);
        self.filter_blocks.push(block);
        found.into_iter().for_each(|found| self.add(found));
    }

    /// Reads the contents of a filter block and checks its trailer. Returns `None` if there are no contents to show.
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
            self.not_read.push(format!(
                "compression of the {block} at offset {offset} must be 0, got {}",
                stored.compression()
            ));
            return None;
        }
        bytes.truncate(bytes.len() - TRAILER_LEN);
        Some(bytes)
    }

    /// Reads every data block to verify its checksum.
    fn add_data(&mut self, table: &impl StoredBlocks, data_blocks: &[BlockHandle]) {
        let block = BlockRole::Data;
        let (mut found, mut end) = (Findings::default(), 0);
        for &handle in data_blocks {
            // LevelDB writes blocks one after the other. Reading the same bytes repeatedly could take for ever.
            if handle.offset < end {
                found.damage.add(&format_args!(
                    "the data block at offset {} starts before the one before it ends, at {end}",
                    handle.offset
                ));
                break;
            }
            match table.block(block, handle) {
                Ok((stored, wrong)) => {
                    end = handle.offset + stored.len() as u64;
                    wrong.iter().for_each(|wrong| found.damage.add(wrong));
                }
                Err(error) => {
                    end = handle.offset.saturating_add(handle.size);
                    found.add_error(&error);
                }
            }
        }
        self.add(found);
    }
}

#[cfg(all(test, unix))]
mod tests {
    #[test]
    fn names_that_are_no_text_move_no_cursor() {
        use std::os::unix::ffi::OsStrExt as _;

        let name = std::ffi::OsStr::from_bytes(b"a\xff\x1b[31m\n.ldb");
        assert_eq!(super::shown(name.as_ref()), "a\u{fffd}\u{fffd}[31m\u{fffd}.ldb");
    }
}
