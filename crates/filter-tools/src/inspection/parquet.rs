//! Inspects the filters of a Parquet file.

use std::fs::File;
use std::io::{self, Read as _, SeekFrom};
use std::path::Path;

use filter_formats::parquet::{Header, PhysicalValue, SplitBlockFilter};
use filter_formats::view::{FilterLayout, FilterView};
use serde::Serialize;
use statistics::significant;

use super::file::DisjointRanges;
use super::footer::{self, Column, PhysicalType};

/// The first and last bytes of a Parquet file.
const MAGIC: [u8; 4] = *b"PAR1";
/// The first and last bytes of a Parquet file with an encrypted footer.
const ENCRYPTED: [u8; 4] = *b"PARE";
/// The length of the tail: the footer's length and the magic bytes.
const TAIL_LEN: usize = 8;

/// A filter of a Parquet file.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct ColumnFilter {
    /// The number of the row group, from 0.
    pub(crate) row_group: usize,
    /// The path of the column, its parts joined by dots.
    pub(crate) column: String,
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

/// Returns the filters of a file, in the order of row groups and columns, and the number of row groups.
///
/// # Errors
///
/// If the file cannot be read, its footer is damaged, or it does not have the queried column.
pub(crate) fn inspect(path: &Path, question: Question<'_>) -> Result<(Vec<ColumnFilter>, usize), String> {
    let mut file = File::open(path).map_err(|error| error.to_string())?;
    let size = file.metadata().map_err(|error| error.to_string())?.len();
    filters(&mut file, size, question)
}

fn filters(
    file: &mut (impl io::Read + io::Seek),
    size: u64,
    question: Question<'_>,
) -> Result<(Vec<ColumnFilter>, usize), String> {
    let row_groups = row_groups(file, size)?;
    let mut filters = Vec::new();
    let mut read = DisjointRanges::default();
    for (row_group, group) in row_groups.iter().enumerate() {
        let Some(name) = question.column else {
            for column in group {
                filters.extend(column_filter(file, size, row_group, column, None, &mut read));
            }
            continue;
        };
        let Some(column) = group.iter().find(|column| column.path == name) else {
            let names: Vec<&str> = group.iter().map(|column| &*column.path).collect();
            return Err(format!(
                "--column must be one of {}, got {name:?}",
                names.join(", ")
            ));
        };
        let key = question.key.map(|key| Value::parse(key, column.physical_type));
        let value = key.transpose()?;
        filters.extend(column_filter(
            file,
            size,
            row_group,
            column,
            value.as_ref(),
            &mut read,
        ));
    }
    Ok((filters, row_groups.len()))
}

/// Reads the columns of each row group from the footer. Allocates no memory before the length is known to fit into the
/// file.
fn row_groups(file: &mut (impl io::Read + io::Seek), size: u64) -> Result<Vec<Vec<Column>>, String> {
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
    footer::row_groups(&read_at(file, start, len as usize)?)
}

/// Reads the filter of a column in a row group, if it has one.
fn column_filter(
    file: &mut (impl io::Read + io::Seek),
    size: u64,
    row_group: usize,
    column: &Column,
    value: Option<&Value<'_>>,
    read: &mut DisjointRanges,
) -> Option<ColumnFilter> {
    let offset = column.filter_offset?;
    let mut found = ColumnFilter {
        row_group,
        column: column.path.clone(),
        bytes: None,
        expected_rate: None,
        // An unreadable filter denies nothing.
        may_match: value.map(|_| true),
        damage: None,
    };
    match bitset(file, size, offset, column.filter_length, read) {
        Ok(bitset) => {
            found.bytes = Some(bitset.len() as u64);
            let view = FilterView::new(FilterLayout::SplitBlocks, &bitset);
            found.expected_rate = Some(significant::round(view.false_positive_rate()));
            if let (Some(value), Ok(filter)) = (value, SplitBlockFilter::new(&bitset)) {
                found.may_match = Some(value.may_match(&filter));
            }
        }
        Err(damage) => found.damage = Some(damage),
    }
    Some(found)
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
        .map_err(|other| wrong(format!("it overlaps the one at offset {other}, and is not read")))?;
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
        let hexadecimal = |len: i64| {
            let digits: Vec<u32> = text
                .chars()
                .filter(|&digit| digit != '-')
                .map(|digit| digit.to_digit(16))
                .collect::<Option<_>>()
                .filter(|digits: &Vec<u32>| i64::try_from(digits.len()) == Ok(len.saturating_mul(2)))
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
            PhysicalType::Boolean => {
                Err("--column must not be one of truth values, which have no filters".to_owned())
            }
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
mod tests {
    use std::io::Cursor;

    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::*;

    const FILE: &[u8] = include_bytes!("../../../filter-formats/tests/data/parquet/pyarrow.parquet");
    const ALL: Question<'_> = Question {
        column: None,
        key: None,
    };

    fn of(file: &[u8], question: Question<'_>) -> Result<(Vec<ColumnFilter>, usize), String> {
        filters(&mut Cursor::new(file), file.len() as u64, question)
    }

    #[test]
    fn values_of_every_column() {
        for (column, present, absent) in [
            ("i32", "999", "1000"),
            ("i64", "999002997", "999002998"),
            ("s", "key999", "key1000"),
            ("d", "499.5", "499.25"),
        ] {
            for (key, expected) in [(present, true), (absent, false)] {
                let (filters, row_groups) = of(
                    FILE,
                    Question {
                        column: Some(column),
                        key: Some(key),
                    },
                )
                .unwrap();
                assert_eq!((filters.len(), row_groups), (1, 1));
                assert_eq!(filters[0].may_match, Some(expected), "{column}: {key}");
            }
            let question = Question {
                column: Some(column),
                key: Some("zwölf"),
            };
            assert_eq!(of(FILE, question).is_err(), column != "s");
        }
        let question = Question {
            column: Some("x"),
            key: None,
        };
        assert_eq!(
            of(FILE, question).unwrap_err(),
            "--column must be one of i32, i64, s, d, got \"x\""
        );
    }

    /// The footer has the offset and length of the first column's filter, two numbers that follow each other.
    #[test]
    fn places_that_are_wrong() {
        let whole = of(FILE, ALL).unwrap().0;
        assert!(whole.iter().all(|filter| filter.damage.is_none()));
        let varint = |number: u32| footer::varint(u64::from(number) << 1);
        let place = [&[0x16][..], &varint(30_146), &[0x15], &varint(2064)].concat();
        let at = FILE
            .windows(place.len())
            .position(|window| window == place)
            .expect("field 14 and field 15 follow each other");
        let with = |offset: u32, length: u32| {
            let place = [&[0x16][..], &varint(offset), &[0x15], &varint(length)].concat();
            let mut file = FILE.to_vec();
            file.splice(at..at + place.len(), place);
            assert_eq!(file.len(), FILE.len(), "numbers of as many bytes");
            of(&file, ALL).unwrap().0
        };
        let damage = |filters: &[ColumnFilter]| filters[0].damage.clone().unwrap_or_default();
        assert_eq!(with(30_146, 2064), whole);
        assert!(damage(&with(30_147, 2064)).contains("header must be"));
        assert!(damage(&with(30_146, 2065)).contains("takes 2064 bytes, but the footer says 2065"));
        assert!(damage(&with(99_999, 2064)).contains("must be between 0 and"));
        // The filters of both columns are at the same offset.
        assert!(
            with(32_210, 2064)[1]
                .damage
                .as_ref()
                .is_some_and(|damage| damage.contains("overlaps the one at offset 32210"))
        );
        let mut file = FILE.to_vec();
        // 2^31 - 32 bytes, in a header of the same length.
        file.splice(30_146..30_146 + 6, [0x15, 0xc0, 0xff, 0xff, 0xff, 0x0f]);
        let filters = of(&file, ALL).unwrap().0;
        assert!(filters[0].damage.is_some() && filters[0].bytes.is_none());
        assert_eq!(filters[1..], whole[1..]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Alters bytes in the footer and in the filters, and truncates the file.
        #[test]
        fn damaged_files_are_read(
            alterations in vec((any::<bool>(), any::<Index>(), any::<u8>()), 0..6),
            len in prop_oneof![3 => Just(FILE.len()), 1 => 0..FILE.len()],
        ) {
            let mut file = FILE.to_vec();
            let footer = FILE.len() - 2000;
            for (in_footer, at, byte) in alterations {
                let start = if in_footer { footer } else { 30_000 };
                file[start + at.index(FILE.len() - start)] = byte;
            }
            let question = Question { column: Some("i64"), key: Some("7") };
            for question in [ALL, question] {
                match of(&file[..len], question) {
                    Ok((filters, _)) => for filter in filters {
                        prop_assert!(filter.bytes.is_some() != filter.damage.is_some());
                    },
                    Err(error) => prop_assert!(!error.is_empty()),
                }
            }
        }
    }
}
