//! Puts the places of filters into a footer. All other bytes stay as they are, also those of later versions of the
//! format.
//!
//! Source: the Parquet format, `parquet.thrift` (`ColumnMetaData`); Thrift, `doc/specs/thrift-compact-protocol.md`.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::mem;

use filter_policy::parquet::thrift::{I32, I64, Input, LIST, Read, STRUCT};

use crate::footer::each;

/// The offset and the length of a filter with its header.
pub(super) type Place = (u64, u32);

/// The number of the field `bloom_filter_offset`.
const OFFSET: u64 = 14;
/// The number of the field `bloom_filter_length`.
const LENGTH: u64 = 15;

/// Returns the footer with these places of filters, by the numbers of row group and column. Where the place is `None`,
/// that of an existing filter is taken out.
pub(super) fn edit(footer: &[u8], places: &BTreeMap<(u64, u64), Option<Place>>) -> Read<Vec<u8>> {
    let mut edited = Vec::with_capacity(footer.len() + 16 * places.len());
    // The end of what is in `edited`.
    let mut done = 0;
    let mut group = 0;
    let mut input = Input(footer);
    let at = |input: &Input<'_>| footer.len() - input.0.len();
    let kept = |from: usize, to: usize| footer.get(from..to).unwrap_or_default();
    input.structure(|input, field| match field {
        (4, LIST) => each(input, |input| {
            let mut column = 0;
            input.structure(|input, field| match field {
                (1, LIST) => each(input, |input| {
                    let place = places.get(&(group, column));
                    column += 1;
                    input.structure(|input, field| match (field, place) {
                        ((3, STRUCT), Some(&place)) => {
                            edited.extend_from_slice(kept(done, at(input)));
                            edit_metadata(input, place, &mut edited)?;
                            done = at(input);
                            Ok(())
                        }
                        ((_, kind), _) => input.skip(kind),
                    })
                }),
                (_, kind) => input.skip(kind),
            })?;
            group += 1;
            Ok(())
        }),
        (_, kind) => input.skip(kind),
    })?;
    edited.extend_from_slice(kept(done, footer.len()));
    Ok(edited)
}

/// Reads a column's metadata and writes it with another place of the filter.
fn edit_metadata(input: &mut Input<'_>, place: Option<Place>, edited: &mut Vec<u8>) -> Read<()> {
    let whole = input.0;
    let at = |input: &Input<'_>| whole.len() - input.0.len();
    let mut output = Fields {
        bytes: edited,
        last: 0,
    };
    // The place is written once, before the first field that has a higher number.
    let mut place = place;
    let (mut end, mut last_read) = (0, 0);
    input.structure(|input, (number, kind)| {
        let header = whole.get(end..at(input)).unwrap_or_default();
        let rest = input.0;
        input.skip(kind)?;
        let value = rest.get(..rest.len() - input.0.len()).unwrap_or_default();
        end = at(input);
        let before = mem::replace(&mut last_read, number);
        if number == OFFSET || number == LENGTH {
            return Ok(());
        }
        if number > LENGTH {
            output.place(place.take());
        }
        // A header without a difference in its upper half has the whole number, and does not depend on the one before.
        match before == output.last || header.first().is_some_and(|first| first >> 4 == 0) {
            true => output.bytes.extend_from_slice(header),
            false => output.header(number, kind),
        }
        output.last = number;
        output.bytes.extend_from_slice(value);
        Ok(())
    })?;
    output.place(place);
    output.bytes.push(0);
    Ok(())
}

/// The fields of a structure that is being written.
struct Fields<'e> {
    bytes: &'e mut Vec<u8>,
    /// The number of the last field.
    last: u64,
}

impl Fields<'_> {
    fn place(&mut self, place: Option<Place>) {
        if let Some((offset, len)) = place {
            self.header(OFFSET, I64);
            self.varint(offset << 1);
            self.header(LENGTH, I32);
            self.varint(u64::from(len) << 1);
        }
    }

    fn header(&mut self, number: u64, kind: u8) {
        match number.checked_sub(self.last) {
            Some(further @ 1..=15) => self.bytes.push(further.to_le_bytes()[0] << 4 | kind),
            _ => {
                self.bytes.push(kind);
                self.varint(number << 1);
            }
        }
        self.last = number;
    }

    /// Writes seven bits per byte, the lowest first.
    fn varint(&mut self, mut rest: u64) {
        while rest > 0x7f {
            self.bytes.push(rest.to_le_bytes()[0] | 0x80);
            rest >>= 7;
        }
        self.bytes.push(rest.to_le_bytes()[0]);
    }
}
