//! The columns of a Parquet file.

use alloc::string::String;
use core::ops::Range;

/// A column chunk: the values of a column in a row group, as the footer describes them.
///
/// Numbers are those of the footer, which may be wrong; only [`ParquetFile`](crate::ParquetFile) checks the places that
/// it reads.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ColumnChunk {
    /// The number of the row group, from 0.
    pub row_group: u64,
    /// The number of the column, from 0: that of the leaf in the schema.
    pub column: u64,
    /// The path in the schema, its parts joined by dots. Several columns may have the same path.
    pub path: String,
    /// True if another column of the row group has the same path.
    pub shares_path: bool,
    /// The types of the values.
    pub column_type: ColumnType,
    /// The number of Parquet's `CompressionCodec`: 0 for none, 1 for Snappy, 2 for gzip, and so on; `None` if it is not
    /// stated.
    pub codec: Option<i64>,
    /// The place of all pages in the file, the dictionary first; `None` if it is not stated, or another file has them.
    pub pages: Option<Range<u64>>,
    /// The place before which the pages must end: where those of another chunk begin, or the highest number.
    pub pages_before: u64,
    /// The number of values, nulls included; `None` if it is not stated.
    pub num_values: Option<u64>,
    /// The number of nulls; `None` if the statistics do not state it.
    pub null_count: Option<u64>,
    /// The offset of the filter in the file, if there is one.
    pub filter_offset: Option<u64>,
    /// The length of the filter with its header in bytes, as far as it is stated.
    pub filter_length: Option<i64>,
    /// True if pages and filter are encrypted.
    pub is_encrypted: bool,
    /// True if the pages are in another file, to which the footer's offsets refer.
    pub is_elsewhere: bool,
    /// The largest levels of the values; `None` if the column has no place in the schema.
    pub max_levels: Option<Levels>,
}

/// Levels of a value in nested columns. Source: the Parquet format, "Nested Encoding".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Levels {
    /// The number of optional and repeated fields in the path that have a value.
    pub definition: i16,
    /// The repeated field in the path at which the value repeats.
    pub repetition: i16,
}

impl Levels {
    /// Returns the largest levels of a field of this repetition within a group of these levels: 0 is required, 1
    /// optional, 2 repeated. `None` if there are no such levels.
    pub(crate) fn within(self, repetition: i64) -> Option<Self> {
        let [deeper, repeated] = match repetition {
            0 => [0, 0],
            1 => [1, 0],
            2 => [1, 1],
            _ => return None,
        };
        Some(Self {
            definition: self.definition.checked_add(deeper)?,
            repetition: self.repetition.checked_add(repeated)?,
        })
    }
}

impl ColumnChunk {
    /// Returns the number of values that are not null, or of all values if the nulls are not counted; `None` if it is
    /// not stated.
    pub fn stored_values(&self) -> Option<u64> {
        let nulls = self.null_count.unwrap_or(0);
        self.num_values.map(|values| values.saturating_sub(nulls))
    }
}

/// The types of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnType {
    /// The type in which values are stored.
    pub physical: PhysicalType,
    /// The meaning of the values, if the schema states it.
    pub logical: Option<LogicalType>,
}

/// The type in which values are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhysicalType {
    /// BOOLEAN, of which writers make no filters.
    Boolean,
    /// INT32.
    Int32,
    /// INT64.
    Int64,
    /// INT96, the twelve bytes of an old timestamp.
    Int96,
    /// FLOAT.
    Float,
    /// DOUBLE.
    Double,
    /// BYTE_ARRAY.
    ByteArray,
    /// FIXED_LEN_BYTE_ARRAY of this length.
    FixedLenByteArray(i32),
}

/// The meaning of the values, from the schema's `LogicalType` or, in older files, its `ConvertedType`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogicalType {
    /// STRING, ENUM or JSON.
    Text,
    /// A decimal number with this scale.
    Decimal(i64),
    /// The days since 1970.
    Date,
    /// A time of day: with the decimal places of a second, 3, 6 or 9, and true if it is in UTC.
    Time(u32, bool),
    /// A date and time, with the fields of a time of day.
    Timestamp(u32, bool),
    /// An integer with this number of bits; true if it has a sign.
    Integer(i64, bool),
    /// A UUID.
    Uuid,
    /// A number in floating point of two bytes.
    Float16,
    /// A type whose values have no text form here (BSON, INTERVAL, GEOMETRY, ...), or which is newer than this crate.
    Other,
}
