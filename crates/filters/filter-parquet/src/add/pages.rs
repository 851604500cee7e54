//! The pages of a column chunk: their headers, and their bytes without compression.
//!
//! Nothing is allocated by a number that a header states before it is compared with what is there or allowed, and no
//! decoder writes more than the header states.
//!
//! Source: the Parquet format, `parquet.thrift` (`PageHeader`) and `Compression.md`.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::ops::Range;
use std::io::Read as _;

use bytes::Bytes;
use filter_policy::parquet::thrift::{I32, Input, Read, STRUCT};
use filter_tables::ReadAt;

use super::error::AddError;
use crate::column::{ColumnChunk, Levels};
use crate::file::{ParquetFile, bytes_at};

/// Parquet's numbers for kinds of pages. Others have no values.
const DATA: i64 = 0;
const DICTIONARY: i64 = 2;
const DATA_V2: i64 = 3;
/// The type of a field that is false.
const FALSE: u8 = 2;
/// The longest header that is read: it may have the least and the greatest value of the page.
const MAX_HEADER_BYTES: u64 = 1 << 24;

/// The header of a page.
pub(super) struct PageHeader {
    kind: i64,
    /// The length without compression, and in the file.
    pub(super) len: u32,
    pub(super) stored_len: u32,
    checksum: Option<i64>,
    /// The number of values, nulls included.
    pub(super) values: u32,
    /// Parquet's numbers for the encodings of values, definition levels and repetition levels.
    pub(super) encodings: [i64; 3],
    /// The lengths of repetition and definition levels before the compressed bytes.
    levels: [usize; 2],
    is_compressed: bool,
}

impl PageHeader {
    fn read(input: &mut Input<'_>) -> Read<Self> {
        // Fields that are numbers, at their numbers: those of the header, and those of the part for its kind.
        let (mut all, mut of_kind, mut is_compressed) = ([i64::MIN; 9], [0; 9], true);
        let put = |fields: &mut [i64; 9], number: u64, value| {
            let field = usize::try_from(number)
                .ok()
                .and_then(|number| fields.get_mut(number));
            field.into_iter().for_each(|field| *field = value);
        };
        input.structure(|input, field| {
            match field {
                (number, I32) => put(&mut all, number, input.number()?),
                (5 | 7 | 8, STRUCT) => input.structure(|input, field| {
                    match field {
                        (number, I32) => put(&mut of_kind, number, input.number()?),
                        (7, FALSE) => is_compressed = false,
                        (_, kind) => input.skip(kind)?,
                    }
                    Ok(())
                })?,
                (_, kind) => input.skip(kind)?,
            }
            Ok(())
        })?;
        let size = |number: i64| u32::try_from(number).map_err(|_| "its sizes must have 32 bits");
        let [_, kind, len, stored_len, checksum, ..] = all;
        let [_, values, second, third, fourth, definition, repetition, ..] = of_kind;
        let (encodings, levels) = match kind {
            DATA_V2 => (
                [fourth, 3, 3],
                [size(repetition)? as usize, size(definition)? as usize],
            ),
            _ => ([second, third, fourth], [0; 2]),
        };
        Ok(Self {
            kind,
            len: size(len)?,
            stored_len: size(stored_len)?,
            checksum: Some(checksum).filter(|&checksum| checksum != i64::MIN),
            values: size(values)?,
            encodings,
            levels,
            is_compressed,
        })
    }

    pub(super) const fn is_dictionary(&self) -> bool {
        self.kind == DICTIONARY
    }

    pub(super) const fn is_data(&self) -> bool {
        matches!(self.kind, DATA | DATA_V2)
    }

    /// Returns the bytes of a page without compression. A data page has the form of version 1, in which definition levels
    /// begin with their length, and no repetition levels: filters do not depend on the records that have a value.
    fn unpack(&self, stored: &[u8], codec: i64, max: Levels) -> Result<Bytes, String> {
        let [repetition, definition] = self.levels;
        let (levels, packed) = stored.split_at_checked(repetition + definition).ok_or(BEYOND)?;
        let len = (self.len as usize).checked_sub(levels.len()).ok_or(BEYOND)?;
        let mut contents = Vec::new();
        if let (DATA_V2, 1..) = (self.kind, max.definition) {
            contents.extend_from_slice(&u32::try_from(definition).map_err(|_| BEYOND)?.to_le_bytes());
            contents.extend_from_slice(levels.get(repetition..).unwrap_or_default());
        }
        let levels_len = contents.len();
        // Arrow C++ before 3.0 states that its compressed pages of version 2 are not.
        if codec == 0 || (!self.is_compressed && packed.len() == len) {
            let mut other = Vec::new();
            if codec != 0
                && decompress(codec, packed, &mut other, len).is_ok()
                && other.len() == len
                && len > 0
            {
                return Err("it must not be both a compressed page and another one".to_string());
            }
            contents.extend_from_slice(packed);
        } else if len > 0 {
            decompress(codec, packed, &mut contents, len)?;
        }
        if contents.len() - levels_len != len {
            return Err(format!("it must have {len} bytes without compression"));
        }
        let contents = Bytes::from(contents);
        match self.kind {
            DATA => after_levels(&contents, self.encodings[2], max.repetition, self.values),
            _ => Ok(contents),
        }
    }
}

const BEYOND: &str = "its levels must end in the page";

/// Returns what follows the levels in a page of version 1.
pub(super) fn after_levels(bytes: &Bytes, encoding: i64, max: i16, values: u32) -> Result<Bytes, String> {
    /// Packed bits, which only old writers store, without their length.
    const BIT_PACKED: i64 = 4;
    let len = match (max, encoding) {
        (..=0, _) => 0,
        (_, BIT_PACKED) => (u64::from(values) * u64::from(16 - max.leading_zeros())).div_ceil(8),
        _ => 4 + u64::from(u32::from_le_bytes(*bytes.first_chunk().ok_or(BEYOND)?)),
    };
    match usize::try_from(len) {
        Ok(len) if len <= bytes.len() => Ok(bytes.slice(len..)),
        _ => Err(BEYOND.to_string()),
    }
}

/// Walks over the pages of a column chunk, up to the last of its values: the length that some writers state for a chunk
/// is too short.
pub(super) struct Pages<'f, R> {
    file: &'f ParquetFile<R>,
    chunk: &'f ColumnChunk,
    /// The place of the next page.
    at: u64,
    /// The number of values that are to come.
    left: u64,
    /// The number of pages that were read.
    read: u64,
}

impl<'f, R: ReadAt> Pages<'f, R> {
    pub(super) fn new(file: &'f ParquetFile<R>, chunk: &'f ColumnChunk) -> Result<Self, AddError<R::Error>> {
        let start = chunk.pages.as_ref().map(|pages| pages.start);
        // Writers state no place for a chunk without rows.
        let start = start.or((chunk.num_values == Some(0)).then_some(0));
        match (start, chunk.num_values) {
            (Some(at), Some(left)) => Ok(Self {
                file,
                chunk,
                at,
                left,
                read: 0,
            }),
            _ => Err(AddError::refused(
                chunk,
                "the footer must state where its values are",
            )),
        }
    }

    /// Returns the error for the page that was read last.
    pub(super) fn error(&self, reason: impl Into<String>) -> AddError<R::Error> {
        AddError::Page {
            column: self.chunk.path.clone(),
            row_group: self.chunk.row_group,
            page: self.read.saturating_sub(1),
            reason: reason.into(),
        }
    }

    /// Reads the header of the next page; returns it with the place of the page's bytes.
    pub(super) fn next(&mut self) -> Result<Option<(PageHeader, u64)>, AddError<R::Error>> {
        while self.left > 0 {
            self.read += 1;
            let (header, start) = self.header()?;
            let rest = self.rest(start);
            if u64::from(header.stored_len) > rest {
                return Err(self.error(format!(
                    "it must end before the next column chunk or the footer, in {rest} bytes"
                )));
            }
            self.at = start + u64::from(header.stored_len);
            if header.is_data() {
                let left = self.left.checked_sub(header.values.into());
                let wrong = || {
                    self.error(format!(
                        "it must have at most {} values, as in the footer",
                        self.left
                    ))
                };
                self.left = left.ok_or_else(wrong)?;
            }
            if header.is_data() || header.is_dictionary() {
                return Ok(Some((header, start)));
            }
        }
        // Other readers go by rows, and would find values that the filter denies. A chunk without values gets no filter,
        // and many such chunks may claim the same bytes.
        let is_inside = |pages: &Range<u64>| self.read > 0 && self.at < pages.end;
        let has_more = self.chunk.pages.as_ref().is_some_and(is_inside);
        match has_more.then(|| self.header()) {
            Some(Ok((header, _))) if header.is_data() && header.values > 0 => {
                Err(self.error("it must be the last, since the footer states no more values"))
            }
            _ => Ok(None),
        }
    }

    /// Returns the number of bytes from a place to the end of what the chunk may have.
    fn rest(&self, place: u64) -> u64 {
        let end = self.file.footer_place().start.min(self.chunk.pages_before);
        end.saturating_sub(place)
    }

    /// Reads the header at the current place; returns it with its end. Statistics make some headers long.
    fn header(&self) -> Result<(PageHeader, u64), AddError<R::Error>> {
        let (mut most, rest) = (1 << 9, self.rest(self.at).min(MAX_HEADER_BYTES));
        loop {
            let bytes = bytes_at(self.file.source(), self.at, rest.min(most))?;
            let mut input = Input(&bytes);
            match PageHeader::read(&mut input) {
                Ok(header) => return Ok((header, self.at + (bytes.len() - input.0.len()) as u64)),
                Err(_) if most < rest => most <<= 5,
                Err(reason) => return Err(self.error(format!("the header at offset {}: {reason}", self.at))),
            }
        }
    }

    /// Reads the bytes of a page, compares them with their checksum if there is one, and unpacks them.
    pub(super) fn contents(&self, header: &PageHeader, start: u64) -> Result<Bytes, AddError<R::Error>> {
        let stored = bytes_at(self.file.source(), start, header.stored_len.into())?;
        // The checksum is a number with a sign.
        if header
            .checksum
            .is_some_and(|checksum| checksum & 0xffff_ffff != i64::from(crc32fast::hash(&stored)))
        {
            return Err(self.error("its bytes must have the checksum in its header"));
        }
        let (codec, max) = (self.chunk.codec, self.chunk.max_levels);
        let contents = header.unpack(&stored, codec.unwrap_or(0), max.unwrap_or_default());
        contents.map_err(|reason| self.error(reason))
    }
}

/// Returns true if pages of this compression can be read.
pub(super) const fn is_readable(codec: i64) -> bool {
    matches!(codec, 0..=2 | 4..=7)
}

/// Appends the contents of compressed bytes, which must have this length; at most one byte more is appended.
fn decompress(codec: i64, bytes: &[u8], contents: &mut Vec<u8>, len: usize) -> Result<(), String> {
    let start = contents.len();
    let reader: &mut dyn std::io::Read = match codec {
        2 => &mut flate2::read::MultiGzDecoder::new(bytes),
        4 => &mut brotli_decompressor::Decompressor::new(bytes, 1 << 14),
        _ => {
            contents.resize(start + len, 0);
            let target = contents.get_mut(start..).unwrap_or_default();
            let written = match codec {
                1 => snap::raw::Decoder::new()
                    .decompress(bytes, target)
                    .map_err(|error| error.to_string()),
                // Hadoop's blocks; older writers stored frames, or one block.
                5 => hadoop_blocks(bytes, target)
                    .or_else(|_| lz4_frame(bytes, target))
                    .or_else(|_| lz4_block(bytes, target)),
                6 => zstd::bulk::decompress_to_buffer(bytes, target).map_err(|error| error.to_string()),
                _ => lz4_block(bytes, target),
            }?;
            contents.truncate(start + written);
            return Ok(());
        }
    };
    let read = reader.take(len as u64 + 1).read_to_end(contents);
    read.map(drop).map_err(|error| error.to_string())
}

fn lz4_block(bytes: &[u8], target: &mut [u8]) -> Result<usize, String> {
    lz4_flex::block::decompress_into(bytes, target).map_err(|error| error.to_string())
}

fn lz4_frame(bytes: &[u8], target: &mut [u8]) -> Result<usize, String> {
    let read = lz4_flex::frame::FrameDecoder::new(bytes).read_exact(target);
    read.map(|()| target.len()).map_err(|error| error.to_string())
}

/// Reads blocks, each after its length, whose parts each come after their stored length; numbers have four bytes, the
/// highest first.
fn hadoop_blocks(mut bytes: &[u8], target: &mut [u8]) -> Result<usize, String> {
    let mut written = 0;
    while !bytes.is_empty() {
        let end = written + number(&mut bytes)?;
        while written < end {
            let stored_len = number(&mut bytes)?;
            let (part, rest) = bytes.split_at_checked(stored_len).ok_or(PAST_PAGE)?;
            let target = target.get_mut(written..end);
            written += lz4_block(part, target.ok_or("a block must not be longer than the page")?)?;
            bytes = rest;
        }
    }
    match written == target.len() {
        true => Ok(written),
        false => Err("the blocks must have the bytes of the page".to_string()),
    }
}

const PAST_PAGE: &str = "a block must end in the page";

fn number(bytes: &mut &[u8]) -> Result<usize, String> {
    let (number, rest) = bytes.split_first_chunk().ok_or(PAST_PAGE)?;
    *bytes = rest;
    Ok(u32::from_be_bytes(*number) as usize)
}
