//! Inspects the filters of a Parquet file.

use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::{self, Read as _, SeekFrom};
use std::path::Path;

use filter_formats::parquet::{Header, PhysicalValue, SplitBlockFilter};
use filter_formats::view::{FilterLayout, FilterView};
use serde::{Serialize, Serializer};
use statistics::significant;

use super::file::DisjointRanges;
use super::footer::{self, Column, ColumnPath, PhysicalType};

/// The first and last bytes of a Parquet file.
const MAGIC: [u8; 4] = *b"PAR1";
/// The first and last bytes of a Parquet file with an encrypted footer.
const ENCRYPTED: [u8; 4] = *b"PARE";
/// The length of the tail: the footer's length and the magic bytes.
const TAIL_LEN: usize = 8;

/// The number of damaged filters that are described; the others are only counted.
const DESCRIBED: u64 = 100;
/// The number of columns that a message lists.
const LISTED: usize = 100;

/// A filter of a Parquet file, or one alone in a file.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct ColumnFilter<'f> {
    /// The number of the row group, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) row_group: Option<u64>,
    /// The path of the column, its parts joined by dots.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_text")]
    pub(crate) column: Option<ColumnPath<'f>>,
    /// The length of the bit set; `None` if the filter is damaged.
    pub(crate) bytes: Option<u64>,
    /// The probability that an absent value matches.
    pub(crate) expected_rate: Option<f64>,
    /// True if the row group may hold the queried value; `None` without a query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) may_match: Option<bool>,
    /// A description of the damage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) damage: Option<String>,
}

fn as_text<S: Serializer>(path: &Option<ColumnPath<'_>>, serializer: S) -> Result<S::Ok, S::Error> {
    match path {
        Some(path) => serializer.collect_str(path),
        None => serializer.serialize_none(),
    }
}

/// Counts over the filters of a file.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) row_groups: u64,
    pub(crate) filters: u64,
    pub(crate) damaged: u64,
    /// The number of filters that cannot hold the queried value.
    pub(crate) denying: u64,
}

impl Counts {
    /// Returns the number of damaged filters that were not passed on.
    pub(crate) fn not_described(&self) -> u64 {
        self.damaged.saturating_sub(DESCRIBED)
    }
}

/// A query of a Parquet file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Question<'a> {
    /// The path of a column, or `None` for all columns.
    pub(crate) column: Option<&'a str>,
    /// A value of that column, as text.
    pub(crate) key: Option<&'a str>,
}

/// Returns true if a file begins like a Parquet file or is named like one.
pub(crate) fn is_parquet(path: &Path) -> bool {
    let starts_like_one = || {
        let mut start = [0; 4];
        File::open(path)?.read_exact(&mut start)?;
        Ok::<_, io::Error>([MAGIC, ENCRYPTED].contains(&start))
    };
    path.is_file()
        && (path.extension().is_some_and(|extension| extension == "parquet")
            || starts_like_one().unwrap_or(false))
}

/// Returns true if a file holds one filter with its header and nothing else.
pub(crate) fn is_filter(path: &Path) -> bool {
    let has_its_length = || {
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        let mut head = Vec::new();
        file.take(Header::MAX_BYTES as u64).read_to_end(&mut head)?;
        let header = Header::read(&head).ok();
        Ok::<_, io::Error>(
            header.is_some_and(|(header, len)| len as u64 + u64::from(header.bitset_len()) == size),
        )
    };
    path.is_file() && has_its_length().unwrap_or(false)
}

/// Inspects a file that [`is_filter`].
///
/// # Errors
///
/// If the file cannot be read.
pub(crate) fn inspect_filter(path: &Path, each: &mut dyn FnMut(&ColumnFilter<'_>)) -> Result<Counts, String> {
    let mut file = File::open(path).map_err(|error| error.to_string())?;
    let size = file.metadata().map_err(|error| error.to_string())?.len();
    let bitset = bitset(&mut file, size, 0, None, &mut DisjointRanges::default())?;
    each(&ColumnFilter {
        row_group: None,
        column: None,
        bytes: Some(bitset.len() as u64),
        expected_rate: Some(expected_rate(&bitset)),
        may_match: None,
        damage: None,
    });
    Ok(Counts {
        filters: 1,
        ..Counts::default()
    })
}

/// Calls `each` with the filters of a file, in the order of row groups and columns, but with the first hundred damaged
/// ones only. Memory is bounded by the length of the footer and of the longest filter.
///
/// # Errors
///
/// If the file cannot be read, its footer is damaged, or it does not have the queried column. `each` was not called then.
pub(crate) fn inspect(
    path: &Path,
    question: Question<'_>,
    each: &mut dyn FnMut(&ColumnFilter<'_>),
) -> Result<Counts, String> {
    let mut file = File::open(path).map_err(|error| error.to_string())?;
    let size = file.metadata().map_err(|error| error.to_string())?.len();
    filters(&mut file, size, question, each)
}

fn filters(
    file: &mut (impl io::Read + io::Seek),
    size: u64,
    question: Question<'_>,
    each: &mut dyn FnMut(&ColumnFilter<'_>),
) -> Result<Counts, String> {
    let footer = footer_of(file, size)?;
    check(&footer, question)?;
    let mut counts = Counts::default();
    let mut read = DisjointRanges::default();
    counts.row_groups = footer::for_each_column(&footer, &mut |row_group, column| {
        if question.column.is_some_and(|name| column.path != *name) {
            return;
        }
        // It was parsed before.
        let value = (question.key).and_then(|key| Value::parse(key, column.physical_type).ok());
        let Some(found) = column_filter(file, size, row_group, column, value.as_ref(), &mut read) else {
            return;
        };
        counts.filters += 1;
        counts.damaged += u64::from(found.damage.is_some());
        counts.denying += u64::from(found.may_match == Some(false));
        if found.damage.is_none() || counts.damaged <= DESCRIBED {
            each(&found);
        }
    })?;
    Ok(counts)
}

/// Checks that the whole footer can be read, and that every row group can answer the question.
fn check(footer: &[u8], question: Question<'_>) -> Result<(), String> {
    let (mut having, mut last, mut wrong) = (0, None, None);
    let row_groups = footer::for_each_column(footer, &mut |row_group, column| {
        if question.column.is_none_or(|name| column.path == *name) {
            having += u64::from(last.replace(row_group) != Some(row_group));
            if let (Some(key), None) = (question.key, &wrong) {
                wrong = Value::parse(key, column.physical_type).err();
            }
        }
    })?;
    let Some(name) = question.column.filter(|_| having < row_groups) else {
        return wrong.map_or(Ok(()), Err);
    };
    let (mut names, mut more) = (Vec::new(), 0_u64);
    footer::for_each_column(footer, &mut |row_group, column| {
        if row_group > 0 {
        } else if names.len() < LISTED {
            names.push(printed(column.path));
        } else {
            more += 1;
        }
    })?;
    let names = names.join(", ");
    let more = if more > 0 {
        format!(" and {more} others")
    } else {
        String::new()
    };
    Err(format!("--column must be one of {names}{more}, got {name:?}"))
}

/// Returns a path with control characters escaped, which could move a terminal's cursor, and cut to what one reads.
pub(crate) fn printed(path: ColumnPath<'_>) -> String {
    const LONGEST: usize = 200;
    /// The first characters of a text, which need not fit into memory.
    struct Start(String, usize);

    impl fmt::Write for Start {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            for c in text.chars() {
                self.1 = self.1.checked_sub(1).ok_or(fmt::Error)?;
                self.0.push(c);
            }
            Ok(())
        }
    }

    let mut start = Start(String::new(), LONGEST);
    let is_whole = write!(start, "{path}").is_ok();
    format!("{}{}", start.0.escape_debug(), if is_whole { "" } else { "..." })
}

/// Reads the footer. Allocates no memory before the length is known to fit into the file.
fn footer_of(file: &mut (impl io::Read + io::Seek), size: u64) -> Result<Vec<u8>, String> {
    let not_one = "not a Parquet file";
    let tail_start = size
        .checked_sub(TAIL_LEN as u64)
        .filter(|start| *start >= MAGIC.len() as u64)
        .ok_or(not_one)?;
    let tail = read_at(file, tail_start, TAIL_LEN)?;
    let Some(([a, b, c, d], magic)) = tail.split_first_chunk() else {
        return Err(not_one.to_owned());
    };
    if magic == ENCRYPTED {
        return Err("the footer is encrypted".to_owned());
    }
    if magic != MAGIC {
        return Err(not_one.to_owned());
    }
    let len = u32::from_le_bytes([*a, *b, *c, *d]);
    let start = tail_start
        .checked_sub(len.into())
        .filter(|start| *start >= MAGIC.len() as u64)
        .ok_or_else(|| format!("the footer must fit into the file of {size} bytes, got {len} bytes"))?;
    read_at(file, start, len as usize)
}

/// Reads the filter of a column in a row group, if it has one.
fn column_filter<'f>(
    file: &mut (impl io::Read + io::Seek),
    size: u64,
    row_group: u64,
    column: Column<'f>,
    value: Option<&Value<'_>>,
    read: &mut DisjointRanges,
) -> Option<ColumnFilter<'f>> {
    let offset = column.filter_offset?;
    let mut found = ColumnFilter {
        row_group: Some(row_group),
        column: Some(column.path),
        bytes: None,
        expected_rate: None,
        // An unreadable filter denies nothing.
        may_match: value.map(|_| true),
        damage: None,
    };
    match bitset(file, size, offset, column.filter_length, read) {
        Ok(bitset) => {
            found.bytes = Some(bitset.len() as u64);
            found.expected_rate = Some(expected_rate(&bitset));
            if let (Some(value), Ok(filter)) = (value, SplitBlockFilter::new(&bitset)) {
                found.may_match = Some(value.may_match(&filter));
            }
        }
        Err(damage) => found.damage = Some(damage),
    }
    Some(found)
}

fn expected_rate(bitset: &[u8]) -> f64 {
    significant::round(FilterView::new(FilterLayout::SPLIT_BLOCK, bitset).false_positive_rate())
}

/// Reads the bit set of the filter at an offset. It must lie in the file and not overlap another filter, so that no
/// part of the file is read repeatedly.
fn bitset(
    file: &mut (impl io::Read + io::Seek),
    size: u64,
    offset: i64,
    stated: Option<i64>,
    read: &mut DisjointRanges,
) -> Result<Vec<u8>, String> {
    let rest = u64::try_from(offset)
        .ok()
        .and_then(|start| size.checked_sub(start).map(|rest| (start, rest)));
    let (start, rest) = rest.ok_or_else(|| {
        format!("the filter's offset must be between 0 and {size}, the length of the file, got {offset}")
    })?;
    let head = read_at(file, start, rest.min(Header::MAX_BYTES as u64) as usize)?;
    let wrong = |error| format!("the filter at offset {offset}: {error}");
    let (header, header_len) = Header::read(&head).map_err(|error| wrong(error.to_string()))?;
    let needed = header_len as u64 + u64::from(header.bitset_len());
    if needed > rest {
        return Err(wrong(format!(
            "it must end in the file, got {needed} bytes of {rest}"
        )));
    }
    if let Some(stated) = stated.filter(|&stated| u64::try_from(stated) != Ok(needed)) {
        return Err(wrong(format!(
            "it takes {needed} bytes, but the footer says {stated}"
        )));
    }
    read.add(start, start + needed)
        .map_err(|refused| wrong(format!("it {refused}, and is not read")))?;
    read_at(file, start + header_len as u64, header.bitset_len() as usize)
}

/// Reads `len` bytes, which lie in the file.
fn read_at(file: &mut (impl io::Read + io::Seek), start: u64, len: usize) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(len)
        .map_err(|_| format!("cannot allocate {len} bytes"))?;
    bytes.resize(len, 0);
    file.seek(SeekFrom::Start(start))
        .and_then(|_| file.read_exact(&mut bytes))
        .map_err(|error| format!("{len} bytes at {start}: {error}"))?;
    Ok(bytes)
}

/// A queried value.
enum Value<'a> {
    Number(PhysicalValue<'static>),
    Text(&'a str),
    Bytes(Vec<u8>),
}

impl<'a> Value<'a> {
    /// Parses a value of the column's physical type.
    fn parse(text: &'a str, physical_type: PhysicalType) -> Result<Self, String> {
        let wrong = |what: &str| format!("--key must be {what}, got {text:?}");
        let hexadecimal = |len: i32| {
            let digits: Vec<u32> = text
                .chars()
                .filter(|&digit| digit != '-')
                .map(|digit| digit.to_digit(16))
                .collect::<Option<_>>()
                .filter(|digits: &Vec<u32>| i64::try_from(digits.len()) == Ok(2 * i64::from(len)))
                .ok_or_else(|| wrong(&format!("{len} bytes in hexadecimal digits")))?;
            let bytes = digits.chunks_exact(2).map(|pair| (pair[0] << 4 | pair[1]) as u8);
            Ok(Self::Bytes(bytes.collect()))
        };
        let number = |value: Option<PhysicalValue<'static>>, what: &str| {
            value.map(Self::Number).ok_or_else(|| wrong(what))
        };
        match physical_type {
            // An unsigned number is stored by its bits.
            PhysicalType::Int32 => {
                let unsigned = || text.parse().map(u32::cast_signed);
                let value = text.parse().or_else(|_| unsigned()).ok();
                number(value.map(PhysicalValue::Int32), "a whole number of 32 bits")
            }
            PhysicalType::Int64 => {
                let unsigned = || text.parse().map(u64::cast_signed);
                let value = text.parse().or_else(|_| unsigned()).ok();
                number(value.map(PhysicalValue::Int64), "a whole number of 64 bits")
            }
            PhysicalType::Float => number(text.parse().ok().map(PhysicalValue::Float), "a number"),
            PhysicalType::Double => number(text.parse().ok().map(PhysicalValue::Double), "a number"),
            PhysicalType::ByteArray => Ok(Self::Text(text)),
            PhysicalType::FixedLenByteArray(len) => hexadecimal(len),
            PhysicalType::Int96 => hexadecimal(12),
            PhysicalType::Boolean => Err(
                "--column must not name a Boolean column: Parquet files have no filters for those".to_owned(),
            ),
        }
    }

    fn may_match(&self, filter: &SplitBlockFilter<'_>) -> bool {
        match self {
            Self::Number(value) => filter.may_match_value(*value),
            Self::Text(text) => filter.may_match(text.as_bytes()),
            Self::Bytes(bytes) => filter.may_match(bytes),
        }
    }
}

#[cfg(test)]
mod tests;
