//! The schema of a footer: the columns with their types and paths.

use alloc::string::String;
use alloc::vec::Vec;

use filter_policy::parquet::thrift::{BINARY, I32, Input, Read, STRUCT};

use crate::column::{ColumnType, Levels, LogicalType, PhysicalType};

/// The elements of a schema, each after its parent.
#[derive(Default)]
pub(crate) struct Schema<'f> {
    elements: Vec<Element<'f>>,
    /// The columns: type, levels and number of the element.
    pub(crate) columns: Vec<(ColumnType, Option<Levels>, usize)>,
    /// The groups whose elements follow, the innermost last: the number of the group, and how many are to come.
    open: Vec<(usize, i64)>,
}

struct Element<'f> {
    name: &'f [u8],
    /// The number of the group; none for the root, and for an element that no group counts.
    group: Option<usize>,
    /// None for an element without a place in the root.
    levels: Option<Levels>,
}

impl<'f> Schema<'f> {
    /// Reads the next element.
    pub(crate) fn add(&mut self, input: &mut Input<'f>) -> Read<()> {
        let (mut kind, mut len, mut scale, mut repetition) = (None, 0, 0, 0);
        let (mut converted, mut logical) = (None, None);
        let (mut name, mut elements) = (&[][..], 0);
        input.structure(|input, field| {
            match field {
                (1, I32) => kind = Some(input.number()?),
                (2, I32) => len = input.number()?,
                (3, I32) => repetition = input.number()?,
                (4, BINARY) => name = input.binary()?,
                (5, I32) => elements = input.number()?,
                (6, I32) => converted = Some(input.number()?),
                (7, I32) => scale = input.number()?,
                (10, STRUCT) => logical = logical_type(input)?,
                (_, kind) => input.skip(kind)?,
            }
            Ok(())
        })?;
        let logical = logical.or(converted.map(|kind| converted_type(kind, scale)));
        let number = self.elements.len();
        while self.open.pop_if(|(_, to_come)| *to_come <= 0).is_some() {}
        let group = self.open.last_mut().map(|(group, to_come)| {
            *to_come -= 1;
            *group
        });
        let levels = match (number, group.and_then(|group| self.elements.get(group)?.levels)) {
            (0, _) => Some(Levels::default()),
            (_, above) => above.and_then(|above| above.within(repetition)),
        };
        self.elements.push(Element { name, group, levels });
        match kind {
            Some(kind) => {
                let physical = physical_type(kind, len)?;
                self.columns
                    .push((ColumnType { physical, logical }, levels, number));
            }
            None => self.open.push((number, elements)),
        }
        Ok(())
    }

    /// Returns the path of an element: the names of its groups but for the root, and its own. Its bytes are taken from
    /// those that are left; none is left afterwards if they do not suffice.
    pub(crate) fn path(&self, mut number: usize, left: &mut Option<usize>) -> Read<String> {
        let mut names = Vec::new();
        while number > 0 || names.is_empty() {
            let place = self
                .elements
                .get(number)
                .and_then(|element| Some((element.name, element.group?)));
            let (name, group) = place.ok_or("a column without a path must have a place in the schema")?;
            *left = left.and_then(|left| left.checked_sub(name.len() + 1));
            left.ok_or("the paths of columns must not be so long")?;
            names.push(text(name)?);
            number = group;
        }
        names.reverse();
        Ok(names.join("."))
    }
}

pub(crate) fn text(name: &[u8]) -> Read<&str> {
    str::from_utf8(name).map_err(|_| "a name must be UTF-8")
}

pub(crate) fn physical_type(kind: i64, len: i64) -> Read<PhysicalType> {
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

#[cfg(test)]
#[expect(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "a test that cannot go on has failed"
)]
mod tests {
    use alloc::vec;

    use super::*;

    /// Tests both ways in which a schema states the meaning of values: `LogicalType`, and `ConvertedType` of older
    /// files.
    #[test]
    fn logical_types() {
        use LogicalType::{Date, Decimal, Float16, Integer, Other, Text, Time, Timestamp, Uuid};

        let of = |fields: &[u8]| {
            let element = [&[0x15, 4][..], fields, &[0]].concat();
            let mut schema = Schema::default();
            schema.add(&mut Input(&element)).unwrap();
            schema.columns[0].0.logical
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

    /// Writes an element: a group of so many elements, or a column.
    fn element(name: &str, elements: Option<u8>) -> Vec<u8> {
        let kind = if elements.is_none() {
            &[0x15, 4, 0x38][..]
        } else {
            &[0x48]
        };
        let count = elements.map_or_else(Vec::new, |elements| vec![0x15, elements << 1]);
        [kind, &[name.len() as u8], name.as_bytes(), &count, &[0]].concat()
    }

    fn schema(elements: &[Vec<u8>]) -> Schema<'_> {
        let mut schema = Schema::default();
        for element in elements {
            schema.add(&mut Input(element)).unwrap();
        }
        schema
    }

    /// Groups, also empty ones, lists and maps, whose repeated groups are parts of the path.
    #[test]
    fn paths_are_places_in_the_schema() {
        let elements =
            "schema:6 a:2 id b:1 id none:0 list:1 list:1 element map:1 key_value:2 key value:1 c id"
                .split(' ')
                .map(|text| match text.split_once(':') {
                    Some((name, count)) => element(name, count.parse().ok()),
                    None => element(text, None),
                });
        let elements: Vec<_> = elements.collect();
        let schema = schema(&elements);
        let mut left = Some(1000);
        let paths = schema
            .columns
            .iter()
            .map(|(_, _, number)| schema.path(*number, &mut left));
        let paths: Vec<_> = paths.map(Result::unwrap).collect();
        let expected = "a.id a.b.id list.list.element map.key_value.key map.key_value.value.c id";
        assert_eq!(paths.join(" "), expected);
        assert_eq!(left, Some(1000 - expected.len() - 1));
    }

    /// Columns that no group counts, the root among them, and names that are no text.
    #[test]
    fn columns_without_a_place() {
        let counted = |count| {
            schema_path(&[
                element("schema", Some(count)),
                element("a", None),
                element("b", None),
            ])
        };
        assert_eq!(counted(2).as_deref(), Ok("b"));
        assert_eq!(counted(60).as_deref(), Ok("b"));
        for count in [0, 1] {
            assert!(
                counted(count)
                    .unwrap_err()
                    .ends_with("must have a place in the schema")
            );
        }
        assert!(schema_path(&[element("a", None)]).is_err());
        let mut name = element("a", None);
        name[4] = 0xff;
        assert_eq!(
            schema_path(&[element("schema", Some(1)), name]),
            Err("a name must be UTF-8")
        );
    }

    /// Returns the path of the last column.
    fn schema_path(elements: &[Vec<u8>]) -> Read<String> {
        let schema = schema(elements);
        let (_, _, number) = schema.columns.last().unwrap();
        schema.path(*number, &mut Some(100))
    }
}
