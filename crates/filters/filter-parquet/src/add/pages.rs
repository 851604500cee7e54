//! The pages of a column chunk: their headers, and their bytes without compression.
//!
//! Nothing is allocated by a number that a header states before the number is compared with what is allowed, and no
//! decoder writes more than the header states.
//!
//! Source: the Parquet format, `parquet.thrift` (`PageHeader`) and `Compression.md`.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use std::io::{self, Read as _};

use filter_policy::parquet::thrift::{I32, Input, Read, STRUCT};
use filter_tables::ReadAt;

use super::error::AddError;
use crate::column::ColumnChunk;
use crate::error::Error;

/// The kind of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Data,
    Dictionary,
    /// A data page whose levels stand before the compressed values, with the numbers of nulls and rows, and the lengths
    /// of definition and repetition levels.
    DataV2([u32; 4]),
    /// An index or what a later version has; it has no values.
    Other,
}

/// The header of a page.
#[derive(Debug)]
pub(super) struct PageHeader {
    pub(super) kind: Kind,
    /// The length in the file.
    pub(super) stored_len: u32,
    /// The length without compression.
    pub(super) len: u32,
    checksum: Option<i64>,
    /// The number of values, nulls included.
    pub(super) values: u32,
    /// Parquet's number of the encoding of values, and those of definition and repetition levels.
    pub(super) encodings: [i64; 3],
    is_compressed: bool,
}

impl PageHeader {
    fn read(input: &mut Input<'_>) -> Read<Self> {
        let (mut kind, mut stored_len, mut len, mut checksum) = (None, None, None, None);
        // The fields of the header of a kind, by their numbers; lengths of levels are none where they are not stated.
        let mut fields = [0; 8];
        let mut is_compressed = true;
        input.structure(|input, field| {
            let number = match field {
                (1, I32) => &mut kind,
                (2, I32) => &mut len,
                (3, I32) => &mut stored_len,
                (4, I32) => &mut checksum,
                (5 | 7 | 8, STRUCT) => {
                    return input.structure(|input, (number, kind)| match kind {
                        I32 => {
                            let value = input.number()?;
                            let place = usize::try_from(number)
                                .ok()
                                .and_then(|number| fields.get_mut(number));
                            place.into_iter().for_each(|place| *place = value);
                            Ok(())
                        }
                        // False is a type.
                        2 if field.0 == 8 && number == 7 => {
                            is_compressed = false;
                            Ok(())
                        }
                        _ => input.skip(kind),
                    });
                }
                (_, kind) => return input.skip(kind),
            };
            *number = Some(input.number()?);
            Ok(())
        })?;
        let size = |number: Option<i64>| {
            let size = number.and_then(|number| u32::try_from(number).ok());
            size.filter(|size| i32::try_from(*size).is_ok())
                .ok_or("its sizes and numbers must have 31 bits")
        };
        let [_, values, second, third, fourth, definition, repetition, _] = fields;
        let (kind, encodings) = match kind.ok_or("it must have a type")? {
            0 => (Kind::Data, [second, third, fourth]),
            2 => (Kind::Dictionary, [second, 0, 0]),
            3 => {
                let [nulls, rows] = [size(Some(second))?, size(Some(third))?];
                let [definition, repetition] = [size(Some(definition))?, size(Some(repetition))?];
                (
                    Kind::DataV2([nulls, rows, definition, repetition]),
                    [fourth, 3, 3],
                )
            }
            _ => (Kind::Other, [0; 3]),
        };
        Ok(Self {
            kind,
            stored_len: size(stored_len)?,
            len: size(len)?,
            checksum,
            values: size(Some(values))?,
            encodings,
            is_compressed,
        })
    }

    pub(super) const fn is_data(&self) -> bool {
        matches!(self.kind, Kind::Data | Kind::DataV2(_))
    }
}

/// Walks over the pages of a column chunk, up to the last of its values: the lengths that some writers state for a chunk
/// are too short.
pub(super) struct Pages<'f, R> {
    source: &'f R,
    chunk: &'f ColumnChunk,
    /// The place of the next page, and the end of what may be read.
    at: u64,
    end: u64,
    /// The values that are to come.
    left: u64,
    /// The number of the next page.
    number: u64,
}

impl<'f, R: ReadAt> Pages<'f, R> {
    /// Walks over the pages of a chunk, which lie before `end`.
    pub(super) fn new(source: &'f R, chunk: &'f ColumnChunk, end: u64) -> Result<Self, AddError<R::Error>> {
        let (pages, left) =
            chunk.pages.clone().zip(chunk.num_values).ok_or_else(|| {
                AddError::refused(chunk, "the footer must state its values and their place")
            })?;
        Ok(Self {
            source,
            chunk,
            at: pages.start,
            end,
            left,
            number: 0,
        })
    }

    /// Returns the error for the page that was read last.
    pub(super) fn error(&self, reason: impl Into<String>) -> AddError<R::Error> {
        AddError::Page {
            column: self.chunk.path.clone(),
            row_group: self.chunk.row_group,
            page: self.number.saturating_sub(1),
            reason: reason.into(),
        }
    }

    /// Reads the header of the next page; returns it with the place of the page's bytes.
    pub(super) fn next(&mut self) -> Result<Option<(PageHeader, u64)>, AddError<R::Error>> {
        while self.left > 0 {
            self.number += 1;
            let (header, header_len) = self.header()?;
            let start = self.at + header_len as u64;
            let Some(at) = start
                .checked_add(header.stored_len.into())
                .filter(|&at| at <= self.end)
            else {
                let rest = self.end.saturating_sub(start);
                return Err(self.error(format!(
                    "it must end before the footer, got {} bytes of {rest}",
                    header.stored_len
                )));
            };
            self.at = at;
            if header.is_data() {
                self.left = self.left.checked_sub(header.values.into()).ok_or_else(|| {
                    let (values, left) = (header.values, self.left);
                    self.error(format!(
                        "the footer states {left} values from here on, got {values}"
                    ))
                })?;
            }
            if header.kind != Kind::Other {
                return Ok(Some((header, start)));
            }
        }
        Ok(None)
    }

    /// Reads a header at the current place. Statistics make some of them long.
    fn header(&self) -> Result<(PageHeader, usize), AddError<R::Error>> {
        let rest = self.end.saturating_sub(self.at);
        for most in [1 << 9, 1 << 14, 1 << 19, MAX_HEADER_BYTES] {
            let bytes = self.bytes(self.at, rest.min(most))?;
            let mut input = Input(&bytes);
            match PageHeader::read(&mut input) {
                Ok(header) => return Ok((header, bytes.len() - input.0.len())),
                Err(_) if most < rest.min(MAX_HEADER_BYTES) => {}
                Err(reason) => return Err(self.error(format!("the header at offset {}: {reason}", self.at))),
            }
        }
        Err(self.error("its header is too long"))
    }

    fn bytes(&self, offset: u64, len: u64) -> Result<Vec<u8>, AddError<R::Error>> {
        Ok(crate::file::bytes_at(self.source, offset, len)?)
    }

    /// Reads the bytes of a page, compares them with their checksum if there is one, and decompresses them. The levels of
    /// a page of version 2 stay before its values.
    pub(super) fn contents(&self, header: &PageHeader, start: u64) -> Result<Vec<u8>, AddError<R::Error>> {
        let stored = self.bytes(start, header.stored_len.into())?;
        if let Some(checksum) = header.checksum {
            let computed = crc32fast::hash(&stored);
            // The checksum is stored as a number with a sign.
            if i64::from(computed.cast_signed()) != checksum && i64::from(computed) != checksum {
                return Err(self.error(format!("its checksum must be {computed:#x}, got {checksum:#x}")));
            }
        }
        let codec = self.chunk.codec.unwrap_or(0);
        if codec == 0 || !header.is_compressed {
            return Ok(stored);
        }
        let levels = match header.kind {
            Kind::DataV2([_, _, definition, repetition]) => definition as usize + repetition as usize,
            _ => 0,
        };
        let len = header.len as usize;
        let (Some((levels, values)), true) = (stored.split_at_checked(levels), levels <= len) else {
            return Err(self.error("its levels must end in the page"));
        };
        let mut contents = Vec::new();
        if contents.try_reserve_exact(len).is_err() {
            return Err(Error::AllocationFailed { bytes: len }.into());
        }
        contents.extend_from_slice(levels);
        // Without a value that is not null there may be nothing to decompress.
        let written = match len > levels.len() {
            true => decompress(codec, values, &mut contents, len),
            false => Ok(()),
        };
        match written {
            Ok(()) if contents.len() == len => Ok(contents),
            Ok(()) => Err(self.error(format!(
                "it must have {len} bytes without compression, got {}",
                contents.len()
            ))),
            Err(reason) => Err(self.error(format!("cannot decompress {}: {reason}", codec_name(codec)))),
        }
    }
}

/// The longest header that is read: it may contain the least and the greatest value of the page.
const MAX_HEADER_BYTES: u64 = 1 << 24;

/// Parquet's number for Brotli.
pub(super) const BROTLI: i64 = 4;

/// Returns the name of one of Parquet's numbers for a compression.
pub(super) const fn codec_name(codec: i64) -> &'static str {
    match codec {
        0 => "UNCOMPRESSED",
        1 => "SNAPPY",
        2 => "GZIP",
        3 => "LZO",
        BROTLI => "BROTLI",
        5 => "LZ4",
        6 => "ZSTD",
        7 => "LZ4_RAW",
        _ => "an unknown compression",
    }
}

/// Returns true if pages of this compression can be read.
pub(super) const fn is_readable(codec: i64) -> bool {
    matches!(codec, 0..=2 | 4..=7)
}

/// Appends the contents of compressed bytes to a vector, up to this length or one byte beyond it.
fn decompress(codec: i64, bytes: &[u8], contents: &mut Vec<u8>, len: usize) -> Result<(), String> {
    let start = contents.len();
    let more = (len - start) as u64 + 1;
    let mut filled = |fill: &mut dyn FnMut(&mut [u8]) -> Result<usize, String>| {
        contents.resize(len, 0);
        let written = fill(contents.get_mut(start..).unwrap_or_default())?;
        contents.truncate(start + written);
        Ok(())
    };
    let text = |error: io::Error| error.to_string();
    match codec {
        1 => filled(&mut |target| {
            let mut decoder = snap::raw::Decoder::new();
            decoder
                .decompress(bytes, target)
                .map_err(|error| error.to_string())
        }),
        2 => {
            let decoder = flate2::read::MultiGzDecoder::new(bytes);
            decoder.take(more).read_to_end(contents).map(drop).map_err(text)
        }
        BROTLI => {
            let decoder = brotli_decompressor::Decompressor::new(bytes, 1 << 14);
            decoder.take(more).read_to_end(contents).map(drop).map_err(text)
        }
        // Hadoop's blocks; before those were understood, writers stored frames or one block.
        5 => filled(&mut |target| {
            hadoop_blocks(bytes, target)
                .or_else(|_| lz4_frames(bytes, target))
                .or_else(|_| lz4_block(bytes, target))
        }),
        6 => filled(&mut |target| {
            let mut decoder = ruzstd::decoding::FrameDecoder::new();
            decoder
                .decode_all(bytes, target)
                .map_err(|error| error.to_string())
        }),
        7 => filled(&mut |target| lz4_block(bytes, target)),
        _ => Err("it is not supported".to_string()),
    }
}

fn lz4_block(bytes: &[u8], target: &mut [u8]) -> Result<usize, String> {
    lz4_flex::block::decompress_into(bytes, target).map_err(|error| error.to_string())
}

fn lz4_frames(bytes: &[u8], target: &mut [u8]) -> Result<usize, String> {
    let mut decoder = lz4_flex::frame::FrameDecoder::new(bytes);
    let read = decoder.read_exact(target);
    read.map(|()| target.len()).map_err(|error| error.to_string())
}

/// Reads blocks of LZ4, each after its length and its stored length in four bytes, the highest first.
fn hadoop_blocks(mut bytes: &[u8], target: &mut [u8]) -> Result<usize, String> {
    let mut written = 0_usize;
    while let Some((lengths, rest)) = bytes.split_first_chunk::<8>() {
        let (len, stored_len) = lengths.split_at(4);
        let length = |bytes: &[u8]| {
            bytes
                .iter()
                .fold(0_usize, |length, &byte| length << 8 | usize::from(byte))
        };
        let block = rest.split_at_checked(length(stored_len));
        let (block, rest) = block.ok_or("a block must end in the page")?;
        let len = length(len);
        let target = written
            .checked_add(len)
            .and_then(|end| target.get_mut(written..end));
        if lz4_block(block, target.ok_or("a block must not be longer than the page")?)? != len {
            return Err("a block must be as long as it states".to_string());
        }
        (bytes, written) = (rest, written + len);
    }
    match bytes {
        [] => Ok(written),
        _ => Err("the page must end with a block".to_string()),
    }
}
