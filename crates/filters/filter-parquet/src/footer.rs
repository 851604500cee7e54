//! Reads a Parquet footer: columns, their places and their filters.
//!
//! The footer is read here because the crate `parquet` trusts the counts and nesting that a footer states: 21 bytes
//! make it reserve 16 GiB, 30 KB can take hours, and 80 KB overflow its stack. Here every element of a list takes at
//! least one byte of the footer, so that time and memory are bounded by its length.
//!
//! Source: the Parquet format, `parquet.thrift` (`FileMetaData`).

use alloc::vec::Vec;

use filter_policy::parquet::thrift::{BINARY, I32, I64, Input, LIST, Read, STRUCT};

use crate::column::{ColumnChunk, ColumnType, PhysicalType};
use crate::error::{FooterError, PATH_BYTES};
use crate::schema::{Schema, physical_type, text};

/// The fields of a footer that concern columns and their filters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Footer {
    /// The column chunks, those of a row group in the order of the schema.
    pub columns: Vec<ColumnChunk>,
    /// The number of row groups.
    pub row_groups: u64,
    /// True if the footer is signed, so that other bytes need another signature.
    pub is_signed: bool,
}

impl Footer {
    /// Reads a footer, the bytes before its length at the end of a file. Memory and time are bounded by its length.
    pub fn read(footer: &[u8]) -> Result<Self, FooterError> {
        let mut input = Input(footer);
        let (mut schema, mut left) = (Schema::default(), Some(PATH_BYTES.saturating_mul(footer.len())));
        let mut found = Self::default();
        let read = input.structure(|input, field| match field {
            (2, LIST) => each(input, |input| schema.add(input)),
            (4, LIST) => each(input, |input| {
                found.add_row_group(input, &schema, &mut left)?;
                found.row_groups += 1;
                Ok(())
            }),
            // The encryption algorithm, which a footer in plain text has only if it is signed.
            (8, STRUCT) => {
                found.is_signed = true;
                input.skip(STRUCT)
            }
            (_, kind) => input.skip(kind),
        });
        let (len, at) = (footer.len(), footer.len() - input.0.len());
        read.map_err(|reason| match left {
            Some(_) => FooterError::Damaged { at, len, reason },
            None => FooterError::LongPaths {
                allowed: PATH_BYTES.saturating_mul(len),
            },
        })?;
        found.find_next_pages();
        found.find_shared_paths();
        Ok(found)
    }

    fn find_shared_paths(&mut self) {
        let mut chunks: Vec<_> = self.columns.iter_mut().collect();
        chunks.sort_by(|one, other| (one.row_group, &one.path).cmp(&(other.row_group, &other.path)));
        for same in
            chunks.chunk_by_mut(|one, other| one.row_group == other.row_group && one.path == other.path)
        {
            let are_several = same.len() > 1;
            same.iter_mut().for_each(|chunk| chunk.shares_path = are_several);
        }
    }

    /// Finds the end of the pages of each chunk, of which no byte belongs to two chunks with values.
    fn find_next_pages(&mut self) {
        let of_chunk = |chunk: &ColumnChunk| chunk.pages.as_ref().map(|pages| pages.start);
        let with_values = self.columns.iter().filter(|chunk| chunk.num_values != Some(0));
        let mut starts: Vec<u64> = with_values.filter_map(of_chunk).collect();
        starts.sort_unstable();
        for chunk in &mut self.columns {
            let start = of_chunk(chunk).unwrap_or(u64::MAX);
            let next = starts.partition_point(|&other| other <= start);
            let is_shared = next >= 2 && starts.get(next - 2) == Some(&start);
            let end = starts.get(next).copied().unwrap_or(u64::MAX);
            chunk.pages_before = if is_shared { start } else { end };
        }
    }

    /// Adds the columns of a row group, which are those of the schema.
    fn add_row_group<'f>(
        &mut self,
        input: &mut Input<'f>,
        schema: &Schema<'f>,
        left: &mut Option<usize>,
    ) -> Read<()> {
        let mut columns = (0..).zip(&schema.columns);
        input.structure(|input, field| match field {
            (1, LIST) => each(input, |input| {
                let too_many = "a row group must not have more columns than the schema";
                let (number, &(column_type, levels, element)) = columns.next().ok_or(too_many)?;
                let mut chunk = column_chunk(input, self.row_groups, column_type)?;
                (chunk.column, chunk.max_levels) = (number, levels);
                if chunk.path.is_empty() {
                    chunk.path = schema.path(element, left)?;
                }
                self.columns.push(chunk);
                Ok(())
            }),
            (_, kind) => input.skip(kind),
        })?;
        match columns.next() {
            None => Ok(()),
            Some(_) => Err("a row group must not have fewer columns than the schema"),
        }
    }
}

/// Reads a column chunk. The path is empty if it is not stated.
fn column_chunk(input: &mut Input<'_>, row_group: u64, column_type: ColumnType) -> Read<ColumnChunk> {
    let (mut is_elsewhere, mut of_key, mut is_encrypted) = (false, Vec::new(), false);
    let mut metadata = None;
    input.structure(|input, field| match field {
        // The path of another file, to which the offsets refer.
        (1, BINARY) => {
            is_elsewhere = !input.binary()?.is_empty();
            Ok(())
        }
        (3, STRUCT) => {
            metadata = Some(Metadata::read(input)?);
            Ok(())
        }
        // A column with a key of its own may have no metadata but here.
        (8, STRUCT) => {
            is_encrypted = true;
            input.structure(|input, field| match field {
                (2, STRUCT) => input.structure(|input, field| match field {
                    (1, LIST) => names(input).map(|names| of_key = names),
                    (_, kind) => input.skip(kind),
                }),
                (_, kind) => input.skip(kind),
            })
        }
        (_, kind) => input.skip(kind),
    })?;
    if metadata.is_none() && !is_encrypted {
        return Err("a column must have metadata");
    }
    let metadata = metadata.unwrap_or_default();
    let len = match column_type.physical {
        PhysicalType::FixedLenByteArray(len) => len.into(),
        _ => 0,
    };
    let is_of_schema = |stated| physical_type(stated, len) == Ok(column_type.physical);
    if !metadata.physical.is_none_or(is_of_schema) {
        return Err("a column must have the type that the schema states");
    }
    let count = |number: Option<i64>| number.and_then(|number| u64::try_from(number).ok());
    // Nothing begins within the magic bytes; some writers state 0 or -1 where there is nothing.
    let offset = |number| count(number).filter(|&offset| offset >= 4 && !is_elsewhere);
    let [data, dictionary, filter] = [metadata.data, metadata.dictionary, metadata.filter].map(offset);
    let pages = data.and_then(|data| {
        let start = dictionary.map_or(data, |dictionary| dictionary.min(data));
        Some(start..start.checked_add(count(metadata.compressed)?)?)
    });
    let path = if metadata.path.is_empty() {
        of_key
    } else {
        metadata.path
    };
    Ok(ColumnChunk {
        row_group,
        column: 0,
        path: path.join("."),
        shares_path: false,
        column_type,
        codec: metadata.codec,
        pages,
        pages_before: u64::MAX,
        num_values: count(metadata.values),
        null_count: count(metadata.nulls),
        filter_offset: filter,
        filter_length: metadata.filter_length,
        is_encrypted,
        is_elsewhere,
        max_levels: None,
    })
}

/// The fields of `ColumnMetaData`, as they are stated.
#[derive(Default)]
struct Metadata<'f> {
    physical: Option<i64>,
    path: Vec<&'f str>,
    codec: Option<i64>,
    values: Option<i64>,
    nulls: Option<i64>,
    /// The length of all pages in the file.
    compressed: Option<i64>,
    /// The offsets of the first page of data, the dictionary, and the filter.
    data: Option<i64>,
    dictionary: Option<i64>,
    filter: Option<i64>,
    filter_length: Option<i64>,
}

impl<'f> Metadata<'f> {
    fn read(input: &mut Input<'f>) -> Read<Self> {
        let mut read = Self::default();
        input.structure(|input, field| {
            let number = match field {
                (1, I32) => &mut read.physical,
                (4, I32) => &mut read.codec,
                (5, I64) => &mut read.values,
                (7, I64) => &mut read.compressed,
                (9, I64) => &mut read.data,
                (11, I64) => &mut read.dictionary,
                (14, I64) => &mut read.filter,
                (15, I32) => &mut read.filter_length,
                (3, LIST) => {
                    read.path = names(input)?;
                    return Ok(());
                }
                // The statistics.
                (12, STRUCT) => {
                    return input.structure(|input, field| match field {
                        (3, I64) => input.number().map(|nulls| read.nulls = Some(nulls)),
                        (_, kind) => input.skip(kind),
                    });
                }
                (_, kind) => return input.skip(kind),
            };
            *number = Some(input.number()?);
            Ok(())
        })?;
        Ok(read)
    }
}

/// Reads a list of structures: calls `read` at the start of each.
pub(crate) fn each<'f>(input: &mut Input<'f>, mut read: impl FnMut(&mut Input<'f>) -> Read<()>) -> Read<()> {
    let elements = input.list_of(STRUCT)?;
    (0..elements).try_for_each(|_| read(input))
}

fn names<'f>(input: &mut Input<'f>) -> Read<Vec<&'f str>> {
    let parts = input.list_of(BINARY)?;
    (0..parts).map(|_| text(input.binary()?)).collect()
}

#[cfg(test)]
#[expect(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "a test that cannot go on has failed"
)]
mod tests {
    use alloc::string::ToString as _;
    use alloc::vec;

    use super::*;

    /// Encodes a number in groups of seven bits, the lowest first.
    fn varint(mut value: u64) -> Vec<u8> {
        let mut encoded = Vec::new();
        while value > 0x7f {
            encoded.push(value as u8 | 0x80);
            value >>= 7;
        }
        encoded.push(value as u8);
        encoded
    }

    /// Writes a footer with the schema of a group of columns of these types, and one row group.
    fn footer(types: &[u8], row_group: &[u8]) -> Vec<u8> {
        let leaves = types.iter().map(|&kind| vec![0x15, kind << 1, 0x38, 1, b'x', 0]);
        let group = [0x48, 1, b'g', 0x15, (types.len() << 1) as u8, 0];
        let schema = [group.to_vec()].into_iter().chain(leaves).collect::<Vec<_>>();
        [
            &[0x15, 2, 0x19, (schema.len() << 4) as u8 | STRUCT][..],
            &schema.concat(),
            &[0x16, 0, 0x19, 0x1c],
            row_group,
            &[0],
        ]
        .concat()
    }

    /// A row group of the columns `a.b`, with a filter of 34 bytes at 4, and `c`, without a filter.
    const TWO: &[u8] = &[
        0x19, 0x2c, // Two columns.
        0x26, 8, 0x1c, 0x15, 4, 0x29, 0x28, 1, b'a', 1, b'b', 0xb6, 8, 0x15, 68, 0, 0, 0x3c, 0x39, 0x18, 1,
        b'c', 0, 0, 0,
    ];

    #[test]
    fn columns_and_their_filters() {
        let whole = footer(&[2, 7], TWO);
        let found = Footer::read(&whole).unwrap();
        assert_eq!(found.row_groups, 1);
        let [a, c] = &found.columns[..] else {
            panic!("two columns");
        };
        assert_eq!(
            (a.path.as_str(), a.column_type.physical),
            ("a.b", PhysicalType::Int64)
        );
        assert_eq!((a.filter_offset, a.filter_length), (Some(4), Some(34)));
        assert_eq!(
            (c.path.as_str(), c.column_type.physical),
            ("c", PhysicalType::FixedLenByteArray(0))
        );
        assert_eq!((c.filter_offset, c.filter_length), (None, None));
        // The number of a field may take a byte of its own; a path to another file hides the filter.
        let row_groups_at = whole
            .windows(4)
            .position(|four| four == [0x16, 0, 0x19, 0x1c])
            .unwrap()
            + 2;
        let mut long = whole.clone();
        long.splice(row_groups_at..=row_groups_at, [0x09, 8]);
        assert_eq!(Footer::read(&long), Footer::read(&whole));
        let mut elsewhere = whole.clone();
        elsewhere.splice(row_groups_at + 4..=row_groups_at + 4, [0x18, 1, b'f', 0x16]);
        assert_eq!(Footer::read(&elsewhere).unwrap().columns[0].filter_offset, None);
        for len in 0..whole.len() {
            let error = Footer::read(&whole[..len]).unwrap_err().to_string();
            assert!(error.starts_with("the footer is damaged at byte "), "{error}");
        }
        for types in [&[2][..], &[2, 7, 1], &[2, 8]] {
            assert!(Footer::read(&footer(types, TWO)).is_err());
        }
    }

    /// Tests that fields of every type are skipped if they are whole.
    #[test]
    fn other_fields() {
        let mut whole = footer(&[2, 7], TWO);
        whole.pop();
        let with = |field: &[u8]| Footer::read(&[&whole[..], field, &[0]].concat());
        let fields = [
            0x51, 0x52, 0x53, 7, 0x54, 0x80, 1, 0x57, 1, 2, 3, 4, 5, 6, 7, 8, 0x58, 2, 1, 2, 0x59, 0x21, 1,
            0, 0x5a, 0x19, 0x05, 0x5c, 0x15, 2, 0, 0x05, 200, 1, 2,
        ];
        assert_eq!(with(&fields), Footer::read(&[&whole[..], &[0]].concat()));
        assert!(
            with(&[0x5d, 0])
                .unwrap_err()
                .to_string()
                .ends_with("a type that Parquet uses")
        );
        assert!(with(&[&[0x55][..], &[0xff; 10], &[0]].concat()).is_err());
    }

    /// Tests counts and nesting for which the crate `parquet` takes hours, gigabytes or its whole stack.
    #[test]
    fn claims_beyond_the_footer() {
        let claim = |kind: u8| [&[0x59, 0xf0 | kind][..], &varint(u64::from(u32::MAX)), &[0]].concat();
        for kind in [1, 3, LIST, STRUCT] {
            let error = Footer::read(&claim(kind)).unwrap_err().to_string();
            assert!(error.ends_with("more elements than bytes are left"), "{error}");
        }
        // Lists of one list each.
        let nested = |depth: usize| [&[0x59][..], &vec![0x19; depth], &[0x05, 0]].concat();
        assert!(Footer::read(&nested(31)).is_ok());
        for depth in [32, 1_000_000] {
            assert!(
                Footer::read(&nested(depth))
                    .unwrap_err()
                    .to_string()
                    .ends_with("32 levels deep")
            );
        }
    }

    /// Tests a long name that many columns share: their paths need the square of the footer's length.
    #[test]
    fn paths_that_need_too_much() {
        let of = |columns: u64, name: usize| {
            let root = [0x48, 0, 0x15, 2, 0];
            let group = [
                &[0x48][..],
                &varint(name as u64),
                &vec![b'x'; name],
                &[0x15],
                &varint(2 * columns),
                &[0],
            ];
            let leaves = [0x15, 2, 0x38, 1, b'a', 0].repeat(columns as usize);
            let chunks = [0x3c, 0, 0].repeat(columns as usize);
            let list = |len: u64| [&[0xfc][..], &varint(len)].concat();
            [
                &[0x29][..],
                &list(columns + 2),
                &root,
                &group.concat(),
                &leaves,
                &[0x29, 0x1c, 0x19],
                &list(columns),
                &chunks,
                &[0, 0],
            ]
            .concat()
        };
        let footer = of(300, 500);
        let path = [&"x".repeat(500), ".a"].concat();
        let found = Footer::read(&footer).unwrap();
        assert!(found.columns.len() == 300 && found.columns.iter().all(|chunk| chunk.path == path));
        let footer = of(300, 5000);
        let allowed = 64 * footer.len();
        assert_eq!(Footer::read(&footer), Err(FooterError::LongPaths { allowed }));
    }
}
