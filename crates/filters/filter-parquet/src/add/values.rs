//! The values of a column chunk, decoded by the crate `parquet`, and their hashes.
//!
//! The crate trusts what pages state, so that it would allocate without bound or panic. What it allocates for is checked
//! here before; a panic is an error of the page.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::cell::Cell;
use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::sync::mpsc::{self, Receiver};

use bytes::Bytes;
use filter_policy::parquet::PhysicalValue;
use filter_policy::parquet::thrift::Input;
use filter_tables::ReadAt;
use parquet::basic::{Encoding, Repetition};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{self as types, AsBytes, DataType};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::schema::types::{ColumnDescriptor, ColumnPath, Type};

use super::error::AddError;
use super::pages::{PageHeader, Pages, after_levels};
use crate::column::{ColumnChunk, PhysicalType};
use crate::file::ParquetFile;

/// The number of levels that are decoded at a time.
const BATCH: usize = 1 << 13;
/// The most bytes of the values of a batch, if values share bytes of a page.
const BATCH_BYTES: usize = 1 << 24;
/// Parquet's numbers of encodings that need care.
const PLAIN_DICTIONARY: i64 = 2;
const DELTA_LENGTH_BYTE_ARRAY: i64 = 6;
const DELTA_BYTE_ARRAY: i64 = 7;
const RLE_DICTIONARY: i64 = 8;
const BYTE_STREAM_SPLIT: i64 = 9;

std::thread_local! {
    static DECODING: Cell<bool> = const { Cell::new(false) };
}

/// Returns true if this thread decodes a page. A panic is then caught and becomes an error that names the page, so that a
/// program's panic hook need not print it.
pub fn is_decoding() -> bool {
    DECODING.get()
}

/// Takes the hash values of some values, and a function that returns one of the values as text.
pub(super) type Sink<'s> = dyn FnMut(&[u64], &dyn Fn(usize) -> String) + 's;

/// The facts about the values of a column chunk that decide on its filter.
#[derive(Default)]
pub(super) struct Found {
    /// The number of values without nulls.
    pub(super) values: u64,
    /// The bytes of the dictionary in the file.
    pub(super) dictionary: Option<u64>,
    /// True if there are values that are not in the dictionary.
    pub(super) has_others: bool,
    has_zero: bool,
    has_nan: bool,
}

impl Found {
    /// Returns the hash values of what readers look up for these values, but may not be stored: of both zeros, if there
    /// is one, and of the usual NaN, if there is any. Spark looks up bits, and would not find -0.0 by 0.0.
    pub(super) fn equals(&self, column: PhysicalType) -> Vec<u64> {
        let bits = match column {
            PhysicalType::Float => [0, 1 << 31, 0x7fc0_0000],
            _ => [0, 1 << 63, 0x7ff8_0000_0000_0000],
        };
        let found = bits.into_iter().zip([self.has_zero, self.has_zero, self.has_nan]);
        let hash = |bits: u64| match column {
            PhysicalType::Float => PhysicalValue::ByteArray(bits.to_le_bytes().split_at(4).0).hash(),
            _ => PhysicalValue::ByteArray(&bits.to_le_bytes()).hash(),
        };
        found
            .filter(|(_, is_found)| *is_found)
            .map(|(bits, _)| hash(bits))
            .collect()
    }
}

/// Returns the memory that decoding a page needs besides its bytes.
pub(super) fn decoding_memory(header: &PageHeader) -> u64 {
    let values = u64::from(header.values);
    match header.encodings[0] {
        // An entry of a dictionary takes 32 bytes; `dictionary` refuses more than the page has room for.
        _ if header.is_dictionary() => 32 * values.min(header.len.into()),
        DELTA_LENGTH_BYTE_ARRAY => 4 * values,
        DELTA_BYTE_ARRAY => 8 * values + BATCH_BYTES as u64,
        _ => 0,
    }
}

/// Reads all values of a chunk.
pub(super) fn read_values<R: ReadAt>(
    file: &ParquetFile<R>,
    chunk: &ColumnChunk,
    go_on: &dyn Fn(u64) -> bool,
    sink: &mut Sink<'_>,
) -> Result<Found, AddError<R::Error>> {
    let read = match chunk.column_type.physical {
        PhysicalType::Boolean => return Err(AddError::refused(chunk, "its type is BOOLEAN")),
        PhysicalType::Int32 => read_as::<types::Int32Type, R>,
        PhysicalType::Int64 => read_as::<types::Int64Type, R>,
        PhysicalType::Int96 => read_as::<types::Int96Type, R>,
        PhysicalType::Float => read_as::<types::FloatType, R>,
        PhysicalType::Double => read_as::<types::DoubleType, R>,
        PhysicalType::ByteArray => read_as::<types::ByteArrayType, R>,
        PhysicalType::FixedLenByteArray(_) => read_as::<types::FixedLenByteArrayType, R>,
    };
    read(file, chunk, go_on, sink)
}

fn read_as<T: DataType, R: ReadAt>(
    file: &ParquetFile<R>,
    chunk: &ColumnChunk,
    go_on: &dyn Fn(u64) -> bool,
    sink: &mut Sink<'_>,
) -> Result<Found, AddError<R::Error>> {
    let column = chunk.column_type.physical;
    let max = chunk.max_levels.unwrap_or_default().definition;
    let len = match column {
        PhysicalType::FixedLenByteArray(len) => len,
        _ => -1,
    };
    let value = Type::primitive_type_builder("value", T::get_physical_type())
        .with_repetition(Repetition::REQUIRED)
        .with_length(len)
        .build()
        .map_err(|error| AddError::refused(chunk, &error.to_string()))?;
    let descriptor = ColumnDescriptor::new(Arc::new(value), max, 0, ColumnPath::new(vec![]));
    let (next_page, next_pages) = mpsc::channel();
    let mut reader = ColumnReaderImpl::<T>::new(Arc::new(descriptor), Box::new(NextPages(next_pages)));
    let (mut found, mut pages) = (Found::default(), Pages::new(file, chunk)?);
    let (mut levels, mut values, mut hashes) = (Vec::new(), Vec::new(), Vec::new());
    while let Some((header, start)) = pages.next()? {
        let decode = || {
            let contents = pages.contents(&header, start)?;
            let batch = match header.encodings[0] {
                // Each value may repeat the one before it, so that values may be much longer than the page.
                DELTA_BYTE_ARRAY => (BATCH_BYTES / contents.len().max(1)).clamp(1, BATCH),
                // The decoder copies as many bytes as the values of a batch would have.
                BYTE_STREAM_SPLIT => {
                    (contents.len() / usize::try_from(len).unwrap_or(1).max(1)).clamp(1, BATCH)
                }
                _ => BATCH,
            };
            if header.is_dictionary() {
                found.dictionary = Some(header.stored_len.into());
            } else {
                found.has_others |= !is_in_dictionary(&header);
            }
            let page = page(&header, contents, max, column, found.dictionary.is_some());
            // The decoder lives as long.
            let _ = next_page.send(page.map_err(|reason| pages.error(reason))?);
            loop {
                levels.clear();
                values.clear();
                let read = reader.read_records(batch, Some(&mut levels), None, &mut values);
                let (_, _, read) = read.map_err(|error| match error {
                    ParquetError::General(reason) | ParquetError::EOF(reason) => pages.error(reason),
                    error => pages.error(error.to_string()),
                })?;
                if read == 0 {
                    return Ok(());
                }
                hashes.clear();
                let hash = |value: &T::T| PhysicalValue::ByteArray(value.as_bytes()).hash();
                hashes.extend(values.iter().map(hash));
                found.values += hashes.len() as u64;
                if matches!(column, PhysicalType::Float | PhysicalType::Double) {
                    for number in values.iter().filter_map(|value| number(value.as_bytes())) {
                        found.has_zero |= number == 0.0;
                        found.has_nan |= number.is_nan();
                    }
                }
                let text = |value: &T::T| shown(column, value.as_bytes());
                sink(&hashes, &|index| values.get(index).map(text).unwrap_or_default());
                if !go_on(read as u64) {
                    return Err(AddError::Stopped);
                }
            }
        };
        DECODING.set(true);
        let decoded = catch_unwind(AssertUnwindSafe(decode));
        DECODING.set(false);
        decoded.unwrap_or_else(|_| Err(pages.error("its bytes are damaged")))?;
    }
    Ok(found)
}

/// Returns true if all values of a page are in the dictionary.
const fn is_in_dictionary(header: &PageHeader) -> bool {
    matches!(header.encodings[0], PLAIN_DICTIONARY | RLE_DICTIONARY)
}

/// Returns a page for the decoder, which does not check the numbers that it allocates memory for.
fn page(
    header: &PageHeader,
    buf: Bytes,
    max: i16,
    column: PhysicalType,
    has_dictionary: bool,
) -> Result<Page, String> {
    let [of_values, of_definition, _] = header.encodings;
    let (num_values, encoding) = (header.values, encoding_of(of_values)?);
    if header.is_dictionary() {
        let least = match column {
            PhysicalType::Int64 | PhysicalType::Double => 8,
            PhysicalType::FixedLenByteArray(len) => usize::try_from(len).unwrap_or(0).max(1),
            _ => 4,
        };
        let most = buf.len() / least;
        return match num_values as usize <= most {
            true => Ok(Page::DictionaryPage {
                buf,
                num_values,
                encoding,
                is_sorted: false,
            }),
            false => Err(format!("it has room for {most} values, got {num_values}")),
        };
    }
    if is_in_dictionary(header) && !has_dictionary {
        return Err("it must come after a dictionary".to_string());
    }
    let lists = match of_values {
        DELTA_LENGTH_BYTE_ARRAY => 1,
        DELTA_BYTE_ARRAY => 2,
        _ => 0,
    };
    let data = after_levels(&buf, of_definition, max, num_values)?;
    let mut data = Input(&data);
    for _ in 0..lists {
        skip_deltas(&mut data, num_values)?;
    }
    Ok(Page::DataPage {
        buf,
        num_values,
        encoding,
        def_level_encoding: encoding_of(of_definition)?,
        rep_level_encoding: Encoding::RLE,
        statistics: None,
    })
}

/// Skips numbers in the encoding `DELTA_BINARY_PACKED`, of which there must be at most so many.
///
/// Source: the Parquet format, `Encodings.md`.
fn skip_deltas(input: &mut Input<'_>, most: u32) -> Result<(), String> {
    let (block, parts, count) = (input.varint()?, input.varint()?, input.varint()?);
    let _first = input.varint()?;
    let in_part = block.checked_div(parts).filter(|&in_part| in_part > 0);
    let in_part = in_part.ok_or("a block of lengths must have values")?;
    if count > most.into() {
        return Err(format!("it must have at most {most} lengths, got {count}"));
    }
    // The first number is in the header.
    let mut left = count.saturating_sub(1);
    while left > 0 {
        let _least = input.varint()?;
        for &width in input.bytes(parts)? {
            // Parts without a number have no bytes, whatever their width.
            if left > 0 {
                input.bytes(in_part.saturating_mul(width.into()) / 8)?;
                left = left.saturating_sub(in_part);
            }
        }
    }
    Ok(())
}

fn encoding_of(number: i64) -> Result<Encoding, String> {
    #[expect(deprecated, reason = "old writers store levels in packed bits")]
    let all = [
        Encoding::PLAIN,
        Encoding::PLAIN_DICTIONARY,
        Encoding::RLE,
        Encoding::BIT_PACKED,
        Encoding::DELTA_BINARY_PACKED,
        Encoding::DELTA_LENGTH_BYTE_ARRAY,
        Encoding::DELTA_BYTE_ARRAY,
        Encoding::RLE_DICTIONARY,
        Encoding::BYTE_STREAM_SPLIT,
    ];
    let found = all.into_iter().find(|&encoding| encoding as i64 == number);
    found.ok_or_else(|| format!("its encoding must be one of the format's, got {number}"))
}

/// Returns the value of a FLOAT or a DOUBLE.
fn number(bytes: &[u8]) -> Option<f64> {
    let double = bytes.try_into().ok().map(f64::from_le_bytes);
    double.or_else(|| Some(f32::from_le_bytes(bytes.try_into().ok()?).into()))
}

/// Returns a value as people read it.
fn shown(column: PhysicalType, bytes: &[u8]) -> String {
    let integer = || match column {
        PhysicalType::Int32 => Some(i32::from_le_bytes(bytes.try_into().ok()?).to_string()),
        PhysicalType::Int64 => Some(i64::from_le_bytes(bytes.try_into().ok()?).to_string()),
        PhysicalType::Float | PhysicalType::Double => number(bytes).map(|number| number.to_string()),
        _ => str::from_utf8(bytes).ok().map(|text| format!("{text:?}")),
    };
    integer().unwrap_or_else(|| hex::encode(bytes))
}

/// The pages that the decoder reads next.
struct NextPages(Receiver<Page>);

impl Iterator for NextPages {
    type Item = ParquetResult<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for NextPages {
    fn get_next_page(&mut self) -> ParquetResult<Option<Page>> {
        Ok(self.0.try_recv().ok())
    }

    fn peek_next_page(&mut self) -> ParquetResult<Option<PageMetadata>> {
        Ok(None)
    }

    fn skip_next_page(&mut self) -> ParquetResult<()> {
        Ok(())
    }
}
