//! Reads the fields of a Parquet footer that concern filters.
//!
//! The footer is read here because the crate `parquet` trusts the counts and nesting that a footer states: 21 bytes make
//! it reserve 16 GiB, 30 KB can take hours, and 80 KB overflow its stack. Here every element of a list takes at least one
//! byte of the footer, so that time and memory are bounded by its length, and columns are passed on one by one.
//!
//! Source: the Parquet format, `parquet.thrift` (`FileMetaData`).

use filter_formats::parquet::thrift::{BINARY, I32, I64, Input, LIST, Read, STRUCT};

/// A column of a row group.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Column {
    /// The number of the row group, from 0.
    pub(super) row_group: u64,
    /// The path in the schema, its parts joined by dots.
    pub(super) path: String,
    pub(super) physical_type: PhysicalType,
    /// The offset of the filter in the file, if there is one.
    pub(super) filter_offset: Option<i64>,
    /// The length of the filter with its header, in bytes.
    pub(super) filter_length: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PhysicalType {
    Boolean,
    Int32,
    Int64,
    Int96,
    Float,
    Double,
    ByteArray,
    /// With the length in bytes.
    FixedLenByteArray(i32),
}

/// Returns the columns of all row groups in their order, and the number of row groups.
pub(super) fn columns(footer: &[u8]) -> Result<(Vec<Column>, u64), String> {
    let mut input = Input(footer);
    let (mut types, mut columns, mut row_groups) = (Vec::new(), Vec::new(), 0);
    let read = input.structure(|input, field| match field {
        (2, LIST) => each(input, |input| {
            types.extend(leaf(input)?);
            Ok(())
        }),
        (4, LIST) => each(input, |input| {
            row_group(input, row_groups, &types, &mut columns)?;
            row_groups += 1;
            Ok(())
        }),
        (_, kind) => input.skip(kind),
    });
    read.map_err(|damage| {
        let at = footer.len() - input.0.len();
        format!("the footer is damaged at byte {at} of {}: {damage}", footer.len())
    })?;
    Ok((columns, row_groups))
}

/// Returns the type of a schema's element if it is a column.
fn leaf(input: &mut Input<'_>) -> Read<Option<PhysicalType>> {
    let (mut kind, mut len) = (None, 0);
    input.structure(|input, field| {
        match field {
            (1, I32) => kind = Some(input.number()?),
            (2, I32) => len = input.number()?,
            (_, kind) => input.skip(kind)?,
        }
        Ok(())
    })?;
    let Some(kind) = kind else {
        return Ok(None);
    };
    Ok(Some(match kind {
        0 => PhysicalType::Boolean,
        1 => PhysicalType::Int32,
        2 => PhysicalType::Int64,
        3 => PhysicalType::Int96,
        4 => PhysicalType::Float,
        5 => PhysicalType::Double,
        6 => PhysicalType::ByteArray,
        7 => PhysicalType::FixedLenByteArray(
            i32::try_from(len).map_err(|_| "the length of a column's values must have 32 bits")?,
        ),
        _ => return Err("the type of a column must be 0 to 7"),
    }))
}

/// Adds the columns of a row group, which have these types.
fn row_group(
    input: &mut Input<'_>,
    row_group: u64,
    types: &[PhysicalType],
    columns: &mut Vec<Column>,
) -> Read<()> {
    let mut left = types.iter();
    input.structure(|input, field| match field {
        (1, LIST) => each(input, |input| {
            let too_many = "a row group must not have more columns than the schema";
            columns.push(column(input, row_group, *left.next().ok_or(too_many)?)?);
            Ok(())
        }),
        (_, kind) => input.skip(kind),
    })?;
    match left.next() {
        None => Ok(()),
        Some(_) => Err("a row group must not have fewer columns than the schema"),
    }
}

fn column(input: &mut Input<'_>, row_group: u64, physical_type: PhysicalType) -> Read<Column> {
    let (mut path, mut is_elsewhere) = (Vec::new(), false);
    let (mut filter_offset, mut filter_length) = (None, None);
    input.structure(|input, field| match field {
        // The path of another file, to which the offsets refer.
        (1, BINARY) => {
            is_elsewhere = true;
            input.binary().map(drop)
        }
        (3, STRUCT) => input.structure(|input, field| {
            match field {
                (3, LIST) => path = names(input)?,
                (14, I64) => filter_offset = Some(input.number()?),
                (15, I32) => filter_length = Some(input.number()?),
                (_, kind) => input.skip(kind)?,
            }
            Ok(())
        }),
        (_, kind) => input.skip(kind),
    })?;
    if path.is_empty() {
        return Err("a column must have metadata with a path");
    }
    Ok(Column {
        row_group,
        path: path.join("."),
        physical_type,
        filter_offset: filter_offset.filter(|_| !is_elsewhere),
        filter_length,
    })
}

/// Reads a list of structures: calls `read` at the start of each.
fn each<'a>(input: &mut Input<'a>, mut read: impl FnMut(&mut Input<'a>) -> Read<()>) -> Read<()> {
    let elements = input.list_of(STRUCT)?;
    (0..elements).try_for_each(|_| read(input))
}

fn names<'a>(input: &mut Input<'a>) -> Read<Vec<&'a str>> {
    let parts = input.list_of(BINARY)?;
    let name = |bytes| str::from_utf8(bytes).map_err(|_| "a name must be UTF-8");
    (0..parts).map(|_| name(input.binary()?)).collect()
}

#[cfg(test)]
mod tests {
    use filter_tables::testing::tables::varint;

    use super::*;

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
        let (found, 1) = columns(&whole).unwrap() else {
            panic!("one row group");
        };
        let [a, c] = &found[..] else {
            panic!("two columns");
        };
        assert_eq!((a.path.as_str(), a.physical_type), ("a.b", PhysicalType::Int64));
        assert_eq!((a.filter_offset, a.filter_length), (Some(4), Some(34)));
        assert_eq!(
            (c.path.as_str(), c.physical_type),
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
        assert_eq!(columns(&long), columns(&whole));
        let mut elsewhere = whole.clone();
        elsewhere.splice(row_groups_at + 4..=row_groups_at + 4, [0x18, 1, b'f', 0x16]);
        assert_eq!(columns(&elsewhere).unwrap().0[0].filter_offset, None);
        for len in 0..whole.len() {
            let error = columns(&whole[..len]).unwrap_err();
            assert!(error.starts_with("the footer is damaged at byte "), "{error}");
        }
        for types in [&[2][..], &[2, 7, 1], &[2, 8]] {
            assert!(columns(&footer(types, TWO)).is_err());
        }
    }

    /// Tests that fields of every type are skipped if they are whole.
    #[test]
    fn other_fields() {
        let mut whole = footer(&[2, 7], TWO);
        whole.pop();
        let with = |field: &[u8]| columns(&[&whole[..], field, &[0]].concat());
        let fields = [
            0x51, 0x52, 0x53, 7, 0x54, 0x80, 1, 0x57, 1, 2, 3, 4, 5, 6, 7, 8, 0x58, 2, 1, 2, 0x59, 0x21, 1,
            0, 0x5a, 0x19, 0x05, 0x5c, 0x15, 2, 0, 0x05, 200, 1, 2,
        ];
        assert_eq!(with(&fields), columns(&[&whole[..], &[0]].concat()));
        assert!(
            with(&[0x5d, 0])
                .unwrap_err()
                .ends_with("a type that Parquet uses")
        );
        assert!(with(&[&[0x55][..], &[0xff; 10], &[0]].concat()).is_err());
    }

    /// Tests counts and nesting for which the crate `parquet` takes hours, gigabytes or its whole stack.
    #[test]
    fn claims_beyond_the_footer() {
        let claim = |kind: u8| [&[0x59, 0xf0 | kind][..], &varint(u64::from(u32::MAX)), &[0]].concat();
        for kind in [1, 3, LIST, STRUCT] {
            let error = columns(&claim(kind)).unwrap_err();
            assert!(error.ends_with("more elements than bytes are left"), "{error}");
        }
        // Lists of one list each.
        let nested = |depth: usize| [&[0x59][..], &vec![0x19; depth], &[0x05, 0]].concat();
        assert!(columns(&nested(31)).is_ok());
        for depth in [32, 1_000_000] {
            assert!(columns(&nested(depth)).unwrap_err().ends_with("32 levels deep"));
        }
    }
}
