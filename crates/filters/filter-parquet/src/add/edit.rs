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
/// The levels of nesting in fields that are kept: those of a footer that was read before, which counts them anew in each
/// of its structures.
const DEPTH: u8 = 64;
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
                        ((_, kind), _) => input.skip_within(kind, DEPTH),
                    })
                }),
                (_, kind) => input.skip_within(kind, DEPTH),
            })?;
            group += 1;
            Ok(())
        }),
        (_, kind) => input.skip_within(kind, DEPTH),
    })?;
    edited.extend_from_slice(kept(done, footer.len()));
    Ok(edited)
}

/// Reads a column's metadata and writes it with another place of the filter.
fn edit_metadata(input: &mut Input<'_>, mut place: Option<Place>, edited: &mut Vec<u8>) -> Read<()> {
    let whole = input.0;
    let at = |input: &Input<'_>| whole.len() - input.0.len();
    let (mut end, mut last_read, mut last) = (0, 0, 0);
    // Writes the place before the first field with a higher number.
    let mut write_place = |last: &mut u64, edited: &mut Vec<u8>| {
        if let Some((offset, len)) = place.take() {
            write_header(edited, last, OFFSET, I64);
            write_varint(edited, offset << 1);
            write_header(edited, last, LENGTH, I32);
            write_varint(edited, u64::from(len) << 1);
        }
    };
    input.structure(|input, (number, kind)| {
        let (start, value) = (end, at(input));
        input.skip_within(kind, DEPTH)?;
        end = at(input);
        let before = mem::replace(&mut last_read, number);
        if number == OFFSET || number == LENGTH {
            return Ok(());
        }
        if number > LENGTH {
            write_place(&mut last, edited);
        }
        // A header whose upper half is zero has the number itself instead of the difference from the one before.
        let has_number = whole.get(start).is_some_and(|first| first >> 4 == 0);
        let kept = match before == last || has_number {
            true => start,
            false => {
                write_header(edited, &mut last, number, kind);
                value
            }
        };
        edited.extend_from_slice(whole.get(kept..end).unwrap_or_default());
        last = number;
        Ok(())
    })?;
    write_place(&mut last, edited);
    edited.push(0);
    Ok(())
}

/// Writes the header of a field after that of the last one.
fn write_header(edited: &mut Vec<u8>, last: &mut u64, number: u64, kind: u8) {
    match number.checked_sub(mem::replace(last, number)) {
        Some(further @ 1..=15) => edited.push(further.to_le_bytes()[0] << 4 | kind),
        _ => {
            edited.push(kind);
            write_varint(edited, number << 1);
        }
    }
}

/// Writes seven bits per byte, the lowest first.
fn write_varint(edited: &mut Vec<u8>, mut rest: u64) {
    while rest > 0x7f {
        edited.push(rest.to_le_bytes()[0] | 0x80);
        rest >>= 7;
    }
    edited.push(rest.to_le_bytes()[0]);
}
