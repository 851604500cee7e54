//! Inspects the filters of a Parquet file.

mod value;

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use filter_policy::parquet::{Header, SplitBlockFilter};
use filter_policy::view::FilterView;
use filter_policy::{Error, formats};
use key_input::KeyKind;
use serde::Serialize;
use statistics::significant;

use super::file::{DisjointRanges, head};
use super::findings::Unread;
use super::footer::{self, Column};
use value::Value;

/// The first and last bytes of a Parquet file.
const MAGIC: [u8; 4] = *b"PAR1";
/// The first and last bytes of a Parquet file with an encrypted footer.
const ENCRYPTED: [u8; 4] = *b"PARE";
/// The length of the tail: the footer's length and the magic bytes.
const TAIL_LEN: usize = 8;

/// The number of columns that a message lists.
const LISTED: usize = 100;

/// A filter of a Parquet file.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct ColumnFilter {
    /// The number of the row group, from 0.
    pub(crate) row_group: u64,
    /// The path of the column, its parts joined by dots.
    pub(crate) column: String,
    /// The length of the bit set; `None` if the filter is damaged.
    pub(crate) bytes: Option<u64>,
    /// The probability that an absent value matches.
    pub(crate) expected_rate: Option<f64>,
    /// True if the row group may contain the queried value; `None` without a query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) may_match: Option<bool>,
    #[serde(flatten)]
    pub(crate) unread: Option<Unread>,
}

/// Returns true if a file begins like a Parquet file or is named like one.
pub(crate) fn is_parquet(path: &Path) -> bool {
    let starts_like_one = || head(path).is_ok_and(|start| [MAGIC, ENCRYPTED].contains(&start));
    path.is_file() && (path.extension().is_some_and(|extension| extension == "parquet") || starts_like_one())
}

/// Returns the Parquet files in a folder and the folders in it, sorted, as Spark and Hive write them: names that begin
/// with a dot or an underscore are those of other files, unless they name a partition.
pub(crate) fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with('.') || (name.starts_with('_') && !name.contains('=')) {
                continue;
            }
            // A link to a folder may lead back.
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if is_parquet(&path) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Returns the filters of a file, or of its column of this path, in the order of row groups and columns, and the number
/// of row groups. A key is a value of the column as text, in the form of the column or of this kind, for which the
/// filters are queried. Memory is bounded by the length of the footer and of the longest filter.
///
/// # Errors
///
/// If the file cannot be read, its footer is damaged, it does not have the queried column, or the key is no value of
/// it.
pub(crate) fn inspect(
    path: &Path,
    column: Option<&str>,
    key: Option<(&str, Option<KeyKind>)>,
) -> Result<(Vec<ColumnFilter>, u64), Unread> {
    let mut file = OpenFile::open(path)?;
    let (columns, row_groups) = footer::columns(&file.footer()?).map_err(Unread::Damaged)?;
    let is_queried = |of: &&Column| column.is_none_or(|name| of.path == name);
    let queried: Vec<&Column> = columns.iter().filter(is_queried).collect();
    let mut value = None;
    if let Some(name) = column {
        let mut having: Vec<u64> = queried.iter().map(|column| column.row_group).collect();
        having.dedup();
        if (having.len() as u64) < row_groups {
            return Err(no_column(&columns, name).into());
        }
        if let (Some((text, kind)), Some(first)) = (key, queried.first()) {
            if having.len() < queried.len() {
                let reason = format!("--column must name one column for a --key, but {name:?} names several");
                return Err(reason.into());
            }
            value = Some(Value::parse(text, first.kind, kind)?);
        }
    }
    let filters = queried
        .iter()
        .filter_map(|column| file.column_filter(column, value.as_ref()))
        .collect();
    Ok((filters, row_groups))
}

fn no_column(columns: &[Column], name: &str) -> String {
    let mut names: Vec<String> = (columns.iter())
        .take_while(|column| column.row_group == 0)
        .map(|column| printed(&column.path))
        .collect();
    let more = names.len().saturating_sub(LISTED);
    names.truncate(LISTED);
    let mut known = names.join(", ");
    if more > 0 {
        known.push_str(&format!(" and {more} others"));
    }
    format!("--column must be known, got {name:?}: known are {known}")
}

/// Returns a path without control characters, which could move a terminal's cursor, and cut to what one reads.
pub(crate) fn printed(path: &str) -> String {
    const LONGEST: usize = 200;
    let start: String = path.chars().take(LONGEST).collect();
    let cut = if start.len() < path.len() { "..." } else { "" };
    format!("{}{cut}", start.escape_debug())
}

/// An open file, and the filters of it that were read.
struct OpenFile {
    file: File,
    size: u64,
    read: DisjointRanges,
}

impl OpenFile {
    fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let (size, read) = (file.metadata()?.len(), DisjointRanges::default());
        Ok(Self { file, size, read })
    }

    /// Reads the footer. Allocates no memory before the length is known to fit into the file.
    fn footer(&mut self) -> Result<Vec<u8>, Unread> {
        let size = self.size;
        let not_one = || Unread::from("not a Parquet file".to_owned());
        let tail_start = size
            .checked_sub(TAIL_LEN as u64)
            .filter(|start| *start >= MAGIC.len() as u64)
            .ok_or_else(not_one)?;
        let tail = self.read_at(tail_start, TAIL_LEN)?;
        let Some(([a, b, c, d], magic)) = tail.split_first_chunk() else {
            return Err(not_one());
        };
        if magic == ENCRYPTED {
            return Err("the footer is encrypted, and is not read".to_owned().into());
        }
        if magic != MAGIC {
            return Err(not_one());
        }
        let len = u32::from_le_bytes([*a, *b, *c, *d]);
        let start = tail_start
            .checked_sub(len.into())
            .filter(|start| *start >= MAGIC.len() as u64)
            .ok_or_else(|| format!("the footer must fit into the file of {size} bytes, got {len} bytes"))
            .map_err(Unread::Damaged)?;
        self.read_at(start, len as usize)
    }

    /// Reads the filter of a column in a row group, if it has one.
    fn column_filter(&mut self, column: &Column, value: Option<&Value>) -> Option<ColumnFilter> {
        let offset = column.filter_offset.or(column.is_encrypted.then_some(0))?;
        let mut found = ColumnFilter {
            row_group: column.row_group,
            column: column.path.clone(),
            bytes: None,
            expected_rate: None,
            // An unreadable filter denies nothing.
            may_match: value.map(|_| true),
            unread: None,
        };
        let bitset = match column.is_encrypted {
            true => Err("encrypted".to_owned().into()),
            false => self.bitset(offset, column.filter_length),
        };
        match bitset {
            Ok(bitset) => {
                found.bytes = Some(bitset.len() as u64);
                let rate = FilterView::new(formats::SPLIT_BLOCK, &bitset).expected_rate();
                found.expected_rate = Some(significant::round(rate));
                if let (Some(value), Ok(filter)) = (value, SplitBlockFilter::new(&bitset)) {
                    found.may_match = Some(value.may_match(&filter));
                }
            }
            Err(unread) => found.unread = Some(unread),
        }
        Some(found)
    }

    /// Reads the bit set of the filter at an offset. It must lie in the file and not overlap another filter, so that no
    /// part of the file is read repeatedly.
    fn bitset(&mut self, offset: i64, stated: Option<i64>) -> Result<Vec<u8>, Unread> {
        let size = self.size;
        let rest = u64::try_from(offset)
            .ok()
            .and_then(|start| size.checked_sub(start).map(|rest| (start, rest)));
        let (start, rest) = rest.ok_or_else(|| {
            let range = format!("between 0 and {size}, the length of the file");
            Unread::Damaged(format!("the filter's offset must be {range}, got {offset}"))
        })?;
        let head = self.read_at(start, rest.min(Header::MAX_BYTES as u64) as usize)?;
        let text = |reason: &dyn Display| format!("the filter at offset {offset}: {reason}");
        let wrong = |reason| Unread::Damaged(text(&reason));
        let (header, header_len) = Header::read(&head).map_err(|error| match error {
            // Of another writer.
            Error::UnknownToParquet { .. } => Unread::Other(text(&error)),
            _ => wrong(error.to_string()),
        })?;
        let needed = header_len as u64 + u64::from(header.bitset_len());
        if needed > rest {
            return Err(wrong(format!(
                "it must end in the file, got {needed} bytes of {rest}"
            )));
        }
        if let Some(stated) = stated.filter(|&stated| u64::try_from(stated) != Ok(needed)) {
            return Err(wrong(format!(
                "its length must be {stated} bytes as in the footer, got {needed}"
            )));
        }
        (self.read.add(start, start + needed))
            .map_err(|other| wrong(format!("it overlaps the one at offset {other}, and is not read")))?;
        self.read_at(start + header_len as u64, header.bitset_len() as usize)
    }

    /// Reads `len` bytes, which lie in the file.
    fn read_at(&mut self, start: u64, len: usize) -> Result<Vec<u8>, Unread> {
        let mut bytes = Vec::new();
        bytes
            .try_reserve_exact(len)
            .map_err(|_| format!("cannot allocate {len} bytes"))?;
        bytes.resize(len, 0);
        (self.file.seek(SeekFrom::Start(start)))
            .and_then(|_| self.file.read_exact(&mut bytes))
            .map_err(|error| format!("{len} bytes at {start}: {error}"))?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests;
