//! The values of pages, decoded by the crate `parquet`, and their hashes.
//!
//! The crate trusts what pages state, so that it would allocate without bound or panic. What it trusts is checked here
//! before; a panic is an error of the page.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use filter_policy::parquet::PhysicalValue;
use parquet::basic::{Encoding, Repetition};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type as types;
use parquet::data_type::{AsBytes, DataType};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::schema::types::{ColumnDescriptor, ColumnPath, Type as SchemaType};

use super::pages::{Kind, PageHeader};
use crate::column::{ColumnType, Levels, PhysicalType};

/// The number of levels that are decoded at a time.
const BATCH: usize = 1 << 13;
/// The most bytes of the values of a batch, if values share bytes of a page.
const BATCH_BYTES: usize = 1 << 24;
/// Parquet's numbers of encodings. The older one of dictionaries is also that of the dictionary itself.
const PLAIN_DICTIONARY: i64 = 2;
const DELTA_BINARY_PACKED: i64 = 5;
const DELTA_LENGTH_BYTE_ARRAY: i64 = 6;
const DELTA_BYTE_ARRAY: i64 = 7;
const RLE_DICTIONARY: i64 = 8;

/// Takes the hash values of some values, and a function that returns one of the values as text.
pub(super) type Sink<'s> = dyn FnMut(&[u64], &dyn Fn(usize) -> String) + 's;

/// Reads the values of one page after the other.
pub(super) trait Decoder {
    /// Passes the values of a page on, without nulls. A dictionary has none.
    fn decode(&mut self, header: &PageHeader, contents: Vec<u8>, sink: &mut Sink<'_>) -> Result<(), String>;

    /// Returns the hash values of what readers look up for values of the pages so far, but is not stored: the zeros, if
    /// there was one of them, and the usual NaN, if there was one with any bits. Spark looks up the bits alone, and does
    /// not find -0.0 by 0.0, although they are equal.
    fn equals(&self) -> Vec<u64>;
}

/// Returns true if all values of a page are in the dictionary.
pub(super) const fn is_in_dictionary(header: &PageHeader) -> bool {
    matches!(header.encodings[0], RLE_DICTIONARY | PLAIN_DICTIONARY)
}

/// Returns the memory that decoding needs besides the page and its values.
pub(super) fn decoding_memory(header: &PageHeader) -> u64 {
    let of_lengths = 4 * u64::from(header.values);
    match header.encodings[0] {
        DELTA_LENGTH_BYTE_ARRAY => of_lengths,
        DELTA_BYTE_ARRAY => 2 * of_lengths + BATCH_BYTES as u64,
        _ => 0,
    }
}

/// Returns the decoder of a column, or the reason why its type has no filters.
pub(super) fn decoder(column: ColumnType, levels: Levels) -> Result<Box<dyn Decoder>, String> {
    Ok(match column.physical {
        PhysicalType::Boolean => return Err("its type is BOOLEAN, of which there are no filters".to_string()),
        PhysicalType::Int96 => Box::new(Values::<types::Int96Type>::new(column, levels)?),
        PhysicalType::Int32 => Box::new(Values::<types::Int32Type>::new(column, levels)?),
        PhysicalType::Int64 => Box::new(Values::<types::Int64Type>::new(column, levels)?),
        PhysicalType::Float => Box::new(Values::<types::FloatType>::new(column, levels)?),
        PhysicalType::Double => Box::new(Values::<types::DoubleType>::new(column, levels)?),
        PhysicalType::ByteArray => Box::new(Values::<types::ByteArrayType>::new(column, levels)?),
        PhysicalType::FixedLenByteArray(_) => {
            Box::new(Values::<types::FixedLenByteArrayType>::new(column, levels)?)
        }
    })
}

struct Values<T: DataType> {
    column: PhysicalType,
    levels: Levels,
    reader: ColumnReaderImpl<T>,
    next_page: NextPage,
    has_dictionary: bool,
    has_zero: bool,
    has_nan: bool,
    definition_levels: Vec<i16>,
    values: Vec<T::T>,
    hashes: Vec<u64>,
}

impl<T: DataType> Values<T> {
    fn new(column: ColumnType, levels: Levels) -> Result<Self, String> {
        let len = match column.physical {
            PhysicalType::FixedLenByteArray(len) => len,
            _ => -1,
        };
        let value = SchemaType::primitive_type_builder("value", T::get_physical_type())
            .with_repetition(Repetition::REQUIRED)
            .with_length(len)
            .build()
            .map_err(|error| error.to_string())?;
        // Repetition levels are taken out of pages: filters do not depend on the records that have a value.
        let descriptor =
            ColumnDescriptor::new(Arc::new(value), levels.definition, 0, ColumnPath::new(vec![]));
        let next_page = NextPage::default();
        Ok(Self {
            column: column.physical,
            levels,
            reader: ColumnReaderImpl::new(Arc::new(descriptor), Box::new(next_page.clone())),
            next_page,
            has_dictionary: false,
            has_zero: false,
            has_nan: false,
            definition_levels: Vec::new(),
            values: Vec::new(),
            hashes: Vec::new(),
        })
    }

    /// Reads all values of the page that was put into `next_page`.
    fn read(&mut self, batch: usize, sink: &mut Sink<'_>) -> ParquetResult<()> {
        loop {
            self.definition_levels.clear();
            self.values.clear();
            let levels = Some(&mut self.definition_levels);
            let (_, _, read) = self.reader.read_records(batch, levels, None, &mut self.values)?;
            if read == 0 {
                return Ok(());
            }
            self.hashes.clear();
            let hash = |value: &T::T| PhysicalValue::ByteArray(value.as_bytes()).hash();
            self.hashes.extend(self.values.iter().map(hash));
            if matches!(self.column, PhysicalType::Float | PhysicalType::Double) {
                for number in self.values.iter().filter_map(|value| number(value.as_bytes())) {
                    self.has_zero |= number == 0.0;
                    self.has_nan |= number.is_nan();
                }
            }
            let text = |index: usize| match self.values.get(index) {
                Some(value) => shown(self.column, value.as_bytes()),
                None => String::new(),
            };
            sink(&self.hashes, &text);
        }
    }
}

impl<T: DataType> Decoder for Values<T> {
    fn decode(&mut self, header: &PageHeader, contents: Vec<u8>, sink: &mut Sink<'_>) -> Result<(), String> {
        let len = contents.len();
        let is_dictionary = header.kind == Kind::Dictionary;
        let page = match is_dictionary {
            true => dictionary(header, contents, self.column)?,
            false => data_page(header, contents, self.levels)?,
        };
        if header.is_data() && is_in_dictionary(header) && !self.has_dictionary {
            return Err("it must come after a dictionary".to_string());
        }
        self.has_dictionary |= is_dictionary;
        let batch = match header.encodings[0] {
            // Each value may repeat the one before it, so that a page has much longer values than bytes.
            DELTA_BYTE_ARRAY => (BATCH_BYTES / len.max(1)).clamp(1, BATCH),
            _ => BATCH,
        };
        *self.next_page.lock() = Some(page);
        match catch_unwind(AssertUnwindSafe(|| self.read(batch, sink))) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(ParquetError::General(reason) | ParquetError::EOF(reason))) => Err(reason),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("its values are damaged: the decoder panicked".to_string()),
        }
    }

    fn equals(&self) -> Vec<u64> {
        let [zeros, nan] = match self.column {
            PhysicalType::Float => [
                vec![PhysicalValue::Float(0.0), PhysicalValue::Float(-0.0)],
                vec![PhysicalValue::Float(f32::from_bits(0x7fc0_0000))],
            ],
            _ => [
                vec![PhysicalValue::Double(0.0), PhysicalValue::Double(-0.0)],
                vec![PhysicalValue::Double(f64::from_bits(0x7ff8_0000_0000_0000))],
            ],
        };
        let found = [(self.has_zero, zeros), (self.has_nan, nan)]
            .into_iter()
            .filter(|(is_found, _)| *is_found);
        found
            .flat_map(|(_, values)| values)
            .map(PhysicalValue::hash)
            .collect()
    }
}

/// Returns a page with a dictionary, whose entries are counted before memory is allocated for them.
fn dictionary(header: &PageHeader, contents: Vec<u8>, column: PhysicalType) -> Result<Page, String> {
    // The least number of bytes of an entry.
    let least = match column {
        PhysicalType::Int64 | PhysicalType::Double => 8,
        PhysicalType::FixedLenByteArray(len) => usize::try_from(len).unwrap_or(0).max(1),
        _ => 4,
    };
    let most = contents.len() / least;
    if header.values as usize > most {
        let (values, len) = (header.values, contents.len());
        return Err(format!(
            "its {len} bytes have at most {most} values, got {values}"
        ));
    }
    Ok(Page::DictionaryPage {
        buf: contents.into(),
        num_values: header.values,
        encoding: encoding(header.encodings[0])?,
        is_sorted: false,
    })
}

/// Returns a data page without its repetition levels.
fn data_page(header: &PageHeader, contents: Vec<u8>, max: Levels) -> Result<Page, String> {
    let [of_values, of_definition, of_repetition] = header.encodings;
    let contents = Bytes::from(contents);
    let values = header.values;
    let beyond = || "its levels must end in the page".to_string();
    let after = |bytes: &Bytes, len: usize| match len <= bytes.len() {
        true => Ok(bytes.slice(len..)),
        false => Err(beyond()),
    };
    match header.kind {
        Kind::DataV2([nulls, rows, definition_len, repetition_len]) => {
            let contents = after(&contents, repetition_len as usize)?;
            let data = after(&contents, definition_len as usize)?;
            check_values(of_values, &data, values)?;
            if nulls > values {
                return Err(format!("it must have at most {values} nulls, got {nulls}"));
            }
            Ok(Page::DataPageV2 {
                buf: contents,
                num_values: values,
                encoding: encoding(of_values)?,
                num_nulls: nulls,
                num_rows: rows,
                def_levels_byte_len: definition_len,
                rep_levels_byte_len: 0,
                is_compressed: false,
                statistics: None,
            })
        }
        _ => {
            let len =
                |bytes: &Bytes, encoding, max| levels_len(bytes, encoding, max, values).ok_or_else(beyond);
            let contents = after(&contents, len(&contents, of_repetition, max.repetition)?)?;
            let data = after(&contents, len(&contents, of_definition, max.definition)?)?;
            check_values(of_values, &data, values)?;
            Ok(Page::DataPage {
                buf: contents,
                num_values: values,
                encoding: encoding(of_values)?,
                def_level_encoding: encoding(of_definition)?,
                rep_level_encoding: Encoding::RLE,
                statistics: None,
            })
        }
    }
}

/// Returns the length of levels in a page of version 1.
fn levels_len(bytes: &Bytes, encoding: i64, max: i16, values: u32) -> Option<usize> {
    match (max, encoding) {
        (0, _) => Some(0),
        // Packed bits, which only old writers store.
        (_, 4) => {
            let bits = u64::from(values) * u64::from(16 - max.leading_zeros());
            usize::try_from(bits.div_ceil(8)).ok()
        }
        _ => {
            let len = bytes.first_chunk::<4>().map(|len| u32::from_le_bytes(*len))?;
            4_usize.checked_add(len as usize)
        }
    }
}

/// Checks the numbers of values that delta encodings state: the decoder would allocate memory for them.
fn check_values(encoding: i64, data: &[u8], values: u32) -> Result<(), String> {
    let wrong = || format!("its values must be of the encoding that it states, and at most {values}");
    let lists = match encoding {
        DELTA_LENGTH_BYTE_ARRAY => 1,
        DELTA_BYTE_ARRAY => 2,
        _ => 0,
    };
    let mut rest = data;
    (0..lists)
        .try_for_each(|_| skip_deltas(&mut rest, values))
        .ok_or_else(wrong)
}

/// Skips a list of numbers in the encoding `DELTA_BINARY_PACKED`; `None` if it is damaged or has more numbers than `most`.
///
/// Source: the Parquet format, `Encodings.md`.
fn skip_deltas(bytes: &mut &[u8], most: u32) -> Option<()> {
    let (block, parts, count) = (varint(bytes)?, varint(bytes)?, varint(bytes)?);
    let _first = varint(bytes)?;
    let in_part = block.checked_div(parts)?;
    if count > most.into() || in_part == 0 {
        return None;
    }
    // The first number is in the header.
    let mut left = count.saturating_sub(1);
    while left > 0 {
        let _least = varint(bytes)?;
        let (widths, rest) = bytes.split_at_checked(usize::try_from(parts).ok()?)?;
        *bytes = rest;
        for &width in widths {
            // After the last number, widths may be anything, and have no bits.
            if left == 0 {
                break;
            }
            let len = in_part.checked_mul(width.into())?.checked_div(8)?;
            *bytes = bytes.get(usize::try_from(len).ok()?..)?;
            left = left.saturating_sub(in_part);
        }
    }
    Some(())
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

fn encoding(number: i64) -> Result<Encoding, String> {
    Ok(match number {
        0 => Encoding::PLAIN,
        PLAIN_DICTIONARY => Encoding::PLAIN_DICTIONARY,
        3 => Encoding::RLE,
        #[expect(deprecated, reason = "old writers store levels in it")]
        4 => Encoding::BIT_PACKED,
        DELTA_BINARY_PACKED => Encoding::DELTA_BINARY_PACKED,
        DELTA_LENGTH_BYTE_ARRAY => Encoding::DELTA_LENGTH_BYTE_ARRAY,
        DELTA_BYTE_ARRAY => Encoding::DELTA_BYTE_ARRAY,
        RLE_DICTIONARY => Encoding::RLE_DICTIONARY,
        9 => Encoding::BYTE_STREAM_SPLIT,
        _ => return Err(format!("its encoding must be one of the format's, got {number}")),
    })
}

/// Returns the value of a FLOAT or a DOUBLE.
fn number(bytes: &[u8]) -> Option<f64> {
    let double = bytes.try_into().ok().map(f64::from_le_bytes);
    double.or_else(|| Some(f32::from_le_bytes(bytes.try_into().ok()?).into()))
}

/// Returns a value as people read it.
fn shown(column: PhysicalType, bytes: &[u8]) -> String {
    let number = |bytes: &[u8]| -> Option<String> {
        Some(match column {
            PhysicalType::Int32 => i32::from_le_bytes(bytes.try_into().ok()?).to_string(),
            PhysicalType::Int64 => i64::from_le_bytes(bytes.try_into().ok()?).to_string(),
            PhysicalType::Float => f32::from_le_bytes(bytes.try_into().ok()?).to_string(),
            PhysicalType::Double => f64::from_le_bytes(bytes.try_into().ok()?).to_string(),
            _ => return None,
        })
    };
    let text = || str::from_utf8(bytes).ok().map(|text| format!("{text:?}"));
    number(bytes).or_else(text).unwrap_or_else(|| hex::encode(bytes))
}

/// The page that the decoder reads next.
#[derive(Clone, Default)]
struct NextPage(Arc<Mutex<Option<Page>>>);

impl NextPage {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Page>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Iterator for NextPage {
    type Item = ParquetResult<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.lock().take().map(Ok)
    }
}

impl PageReader for NextPage {
    fn get_next_page(&mut self) -> ParquetResult<Option<Page>> {
        Ok(self.lock().take())
    }

    fn peek_next_page(&mut self) -> ParquetResult<Option<PageMetadata>> {
        Ok(None)
    }

    fn skip_next_page(&mut self) -> ParquetResult<()> {
        Ok(())
    }
}
