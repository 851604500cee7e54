//! Reads the fields of a Parquet footer that concern filters.
//!
//! The footer is read here because the crate `parquet` trusts the counts and nesting that a footer states: 21 bytes
//! make it reserve 16 GiB, 30 KB can take hours, and 80 KB overflow its stack. Here every element of a list takes at
//! least one byte of the footer, so that time and memory are bounded by its length, and columns are passed on one by
//! one.
//!
//! Source: the Parquet format, `parquet.thrift` (`FileMetaData`).

use filter_policy::parquet::thrift::{BINARY, I32, I64, Input, LIST, Read, STRUCT};

/// A column of a row group.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Column {
    /// The number of the row group, from 0.
    pub(super) row_group: u64,
    /// The path in the schema, its parts joined by dots.
    pub(super) path: String,
    pub(super) kind: ColumnType,
    /// The offset of the filter in the file, if there is one.
    pub(super) filter_offset: Option<i64>,
    /// True if filter and data are encrypted.
    pub(super) is_encrypted: bool,
    /// The length of the filter with its header, in bytes.
    pub(super) filter_length: Option<i64>,
}

/// The types of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ColumnType {
    pub(super) physical: PhysicalType,
    pub(super) logical: Option<LogicalType>,
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
    /// Bytes of this length.
    FixedLenByteArray(i32),
}

/// The meaning of the values, from the schema's `LogicalType` or, in older files, its `ConvertedType`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LogicalType {
    /// STRING, ENUM or JSON.
    Text,
    /// A decimal number with this scale.
    Decimal(i64),
    Date,
    /// A time of day: with the decimal places of a second, 3, 6 or 9, and true if it is in UTC.
    Time(u32, bool),
    /// A date and time, with the fields of a time of day.
    Timestamp(u32, bool),
    /// An integer with this number of bits; true if it has a sign.
    Integer(i64, bool),
    Uuid,
    Float16,
    /// A type whose values have no text form here (BSON, INTERVAL, GEOMETRY, ...), or which is newer than this program.
    Other,
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
fn leaf(input: &mut Input<'_>) -> Read<Option<ColumnType>> {
    let (mut kind, mut len, mut scale) = (None, 0, 0);
    let (mut converted, mut logical) = (None, None);
    input.structure(|input, field| {
        match field {
            (1, I32) => kind = Some(input.number()?),
            (2, I32) => len = input.number()?,
            (6, I32) => converted = Some(input.number()?),
            (7, I32) => scale = input.number()?,
            (10, STRUCT) => logical = logical_type(input)?,
            (_, kind) => input.skip(kind)?,
        }
        Ok(())
    })?;
    let logical = logical.or(converted.map(|kind| converted_type(kind, scale)));
    let column = |physical| ColumnType { physical, logical };
    Ok(kind.map(|kind| physical_type(kind, len)).transpose()?.map(column))
}

fn physical_type(kind: i64, len: i64) -> Read<PhysicalType> {
    Ok(match kind {
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
    })
}

/// Reads the union `LogicalType`: one structure, whose fields depend on its number.
fn logical_type(input: &mut Input<'_>) -> Read<Option<LogicalType>> {
    let mut found = None;
    input.structure(|input, (member, kind)| {
        if kind != STRUCT {
            return input.skip(kind);
        }
        // The scale or the bits; whether a time is in UTC or a number has a sign; the decimal places.
        let (mut number, mut flag, mut digits) = (0, false, 0);
        input.structure(|input, (field, kind)| {
            match (field, kind) {
                (1, I32) => number = input.number()?,
                // A number of 8 bits is stored as it is.
                (1, 3) => {
                    number = input.0.first().copied().unwrap_or(0).into();
                    input.skip(kind)?;
                }
                // True is a type.
                (1 | 2, 1) => flag = true,
                (2, STRUCT) => input.structure(|input, (unit, kind)| {
                    digits = u32::try_from(unit.saturating_mul(3)).unwrap_or(0);
                    input.skip(kind)
                })?,
                _ => input.skip(kind)?,
            }
            Ok(())
        })?;
        found = Some(match member {
            1 | 4 | 12 => LogicalType::Text,
            5 => LogicalType::Decimal(number),
            6 => LogicalType::Date,
            7 => LogicalType::Time(digits, flag),
            8 => LogicalType::Timestamp(digits, flag),
            10 => LogicalType::Integer(number, flag),
            14 => LogicalType::Uuid,
            15 => LogicalType::Float16,
            _ => LogicalType::Other,
        });
        Ok(())
    })?;
    Ok(found)
}

/// Returns the meaning of the older enumeration `ConvertedType`, whose times are in UTC.
fn converted_type(kind: i64, scale: i64) -> LogicalType {
    match kind {
        0 | 4 | 19 => LogicalType::Text,
        5 => LogicalType::Decimal(scale),
        6 => LogicalType::Date,
        7 => LogicalType::Time(3, true),
        8 => LogicalType::Time(6, true),
        9 => LogicalType::Timestamp(3, true),
        10 => LogicalType::Timestamp(6, true),
        // UINT_8, UINT_16, UINT_32 and UINT_64, then the same with a sign.
        11..=18 => LogicalType::Integer(8 << ((kind - 11) % 4), kind > 14),
        _ => LogicalType::Other,
    }
}

/// Adds the columns of a row group, which have these types.
fn row_group(
    input: &mut Input<'_>,
    row_group: u64,
    types: &[ColumnType],
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

fn column(input: &mut Input<'_>, row_group: u64, kind: ColumnType) -> Read<Column> {
    let (mut path, mut is_elsewhere, mut stated) = (Vec::new(), false, None);
    let (mut of_key, mut is_encrypted) = (Vec::new(), false);
    let (mut filter_offset, mut filter_length) = (None, None);
    input.structure(|input, field| match field {
        // The path of another file, to which the offsets refer.
        (1, BINARY) => {
            is_elsewhere = true;
            input.binary().map(drop)
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
        (3, STRUCT) => input.structure(|input, field| {
            match field {
                (1, I32) => stated = Some(input.number()?),
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
        path = of_key;
    }
    if path.is_empty() {
        return Err("a column must have metadata with a path");
    }
    let len = match kind.physical {
        PhysicalType::FixedLenByteArray(len) => len.into(),
        _ => 0,
    };
    if stated.is_some_and(|stated| physical_type(stated, len) != Ok(kind.physical)) {
        return Err("a column must have the type that the schema states");
    }
    Ok(Column {
        row_group,
        path: path.join("."),
        kind,
        // No filter begins within the magic bytes; some writers state 0 or -1 where there is none.
        filter_offset: filter_offset.filter(|&offset| offset >= 4 && !is_elsewhere),
        is_encrypted,
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
        assert_eq!((a.path.as_str(), a.kind.physical), ("a.b", PhysicalType::Int64));
        assert_eq!((a.filter_offset, a.filter_length), (Some(4), Some(34)));
        assert_eq!(
            (c.path.as_str(), c.kind.physical),
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

    /// Tests both ways in which a schema states the meaning of values: `LogicalType`, and `ConvertedType` of older
    /// files.
    #[test]
    fn logical_types() {
        use LogicalType::{Date, Decimal, Float16, Integer, Other, Text, Time, Timestamp, Uuid};

        let of = |fields: &[u8]| {
            let element = [&[0x15, 4][..], fields, &[0]].concat();
            leaf(&mut Input(&element)).unwrap().unwrap().logical
        };
        let integers = [false, true].map(|is_signed| [8, 16, 32, 64].map(|bits| Integer(bits, is_signed)));
        let times = [
            Time(3, true),
            Time(6, true),
            Timestamp(3, true),
            Timestamp(6, true),
        ];
        let texts = [Text, Other, Other, Other, Text, Decimal(2), Date];
        let all = [&texts[..], &times, &integers.concat(), &[Text, Other, Other]].concat();
        for (kind, expected) in (0..).zip(all) {
            // The scale follows.
            assert_eq!(of(&[0x55, kind << 1, 0x15, 4]), Some(expected), "{kind}");
        }
        // A boolean is the type of its field; a unit is a structure of its number.
        for (member, fields, expected) in [
            (1, &[][..], Text),
            (4, &[], Text),
            (5, &[0x15, 4, 0x15, 18], Decimal(2)),
            (6, &[], Date),
            (7, &[0x12, 0x1c, 0x1c, 0, 0], Time(3, false)),
            (8, &[0x11, 0x1c, 0x2c, 0, 0], Timestamp(6, true)),
            (8, &[0x12, 0x1c, 0x3c, 0, 0], Timestamp(9, false)),
            (10, &[0x13, 16, 0x11], Integer(16, true)),
            (10, &[0x13, 64, 0x12], Integer(64, false)),
            (12, &[], Text),
            (13, &[], Other),
            (14, &[], Uuid),
            (15, &[], Float16),
        ] {
            let union = [&[0x9c, member << 4 | STRUCT][..], fields, &[0, 0]].concat();
            assert_eq!(of(&union), Some(expected), "{member}");
        }
        // The newer statement counts, also if it is not known; an empty one is none.
        assert_eq!(of(&[0x55, 10, 0x4c, 0x6c, 0, 0]), Some(Date));
        assert_eq!(of(&[0x55, 0, 0x4c, 0x0c, 40, 0, 0]), Some(Other));
        assert_eq!(of(&[0x9c, 0]), None);
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
