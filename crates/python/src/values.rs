//! Values for a column of a Parquet file: those in Arrow arrays, and those that `_parquet.py` passes with their types.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float16Type, Float32Type, Float64Type};
use arrow_array::{Array, downcast_primitive_array};
use arrow_schema::extension::EXTENSION_TYPE_NAME_KEY;
use arrow_schema::{DataType, TimeUnit};
use filter_parquet::{ColumnType, LogicalType, PhysicalType, Typed, Value, ValueError};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyString};

use crate::arrays::{self, BATCH};
use crate::exit;

/// The most characters of a value in a message.
const SHOWN: usize = 100;
/// The milliseconds of a day.
const DAY: i128 = 86_400_000;

/// Returns the values of a container in the forms in which a column of this type may store them. `typed` returns an
/// iterator of those that are not exported to Arrow.
pub(crate) fn read(
    values: &Bound<'_, PyAny>,
    column: ColumnType,
    typed: &Bound<'_, PyAny>,
) -> PyResult<Vec<Value>> {
    let mut reader = Reader {
        column,
        values: Vec::new(),
    };
    if !reader.arrow(values)? {
        for item in PyIterator::from_object(&typed.call1((values,))?)? {
            reader.item(&item?)?;
        }
    }
    Ok(reader.values)
}

struct Reader {
    column: ColumnType,
    values: Vec<Value>,
}

impl Reader {
    /// Appends a value, which `shown` returns for a message.
    fn push(&mut self, py: Python<'_>, value: Typed<'_>, shown: impl FnOnce() -> String) -> PyResult<()> {
        if self.values.len().is_multiple_of(BATCH) {
            exit::detach(py, || ());
            py.check_signals()?;
        }
        let value = Value::of(value, self.column).map_err(|error| match error {
            ValueError::Value { expected, .. } => {
                wrong(&format!("values must be {expected}, got {}", shown()))
            }
            other => wrong(&other.to_string()),
        });
        self.values.push(value?);
        Ok(())
    }

    /// Appends the values of arrays that are exported to Arrow. Returns false if there are none.
    fn arrow(&mut self, values: &Bound<'_, PyAny>) -> PyResult<bool> {
        arrays::exported(values, "values", &|_| true, &mut |field, array, first_row| {
            let extension = field.metadata().get(EXTENSION_TYPE_NAME_KEY).map(String::as_str);
            let is_plain = array.data_type().is_string() || array.data_type().is_binary();
            // Numbers in a type of their own have a unit that is not known here.
            if let Some(name) = extension.filter(|name| *name != "arrow.uuid" && !is_plain) {
                let reason = format!("values must be of a type of Arrow's own, got {name}: pass its storage");
                return Err(PyTypeError::new_err(reason));
            }
            for row in 0..array.len() {
                let value = match (typed(array, row)?, extension) {
                    (Some(Typed::Bytes(bytes)), Some("arrow.uuid")) => bytes.try_into().ok().map(Typed::Uuid),
                    (value, _) => value,
                };
                let row = first_row + row;
                let value = value.ok_or_else(|| arrays::null_in("values", row))?;
                self.push(values.py(), value, || {
                    let value = values.get_item(row).map(|value| shown(&value));
                    format!("{} in row {row}", value.as_deref().unwrap_or("another value"))
                })?;
            }
            Ok(())
        })
    }

    /// Appends a value with the parts that `_parquet.py` returns.
    fn item(&mut self, item: &Bound<'_, PyAny>) -> PyResult<()> {
        let Ok((value, kind, part, digits, is_utc)) =
            item.extract::<(Bound<'_, PyAny>, String, Bound<'_, PyAny>, i64, bool)>()
        else {
            // An array of one value.
            return match self.arrow(&item.get_item(1)?)? {
                true => Ok(()),
                false => Err(wrong("values must have a known type")),
            };
        };
        let number = || part.extract::<i128>();
        let places = u32::try_from(digits).unwrap_or(0);
        let padded;
        let typed = match &*kind {
            "text" => Typed::Text(part.cast::<PyString>()?.to_str()?),
            "bytes" => {
                padded = self.padded(
                    part.cast::<PyBytes>()?.as_bytes(),
                    usize::try_from(digits).unwrap_or(0),
                )?;
                Typed::Bytes(&padded)
            }
            "float" => Typed::Float(part.extract()?, places),
            "uuid" => Typed::Uuid(part.extract()?),
            "date" => Typed::Date(part.extract()?),
            "time" => Typed::Time(number()?, places, is_utc),
            "timestamp" => Typed::Timestamp(number()?, places, is_utc),
            _ => Typed::Number(number()?, digits),
        };
        self.push(item.py(), typed, || shown(&value))
    }

    /// Returns bytes in an item of NumPy of this width, at whose end zeros have been lost.
    fn padded(&self, bytes: &[u8], width: usize) -> PyResult<Vec<u8>> {
        let mut bytes = bytes.to_vec();
        let ColumnType { physical, logical } = self.column;
        if matches!(physical, PhysicalType::FixedLenByteArray(len) if usize::try_from(len) == Ok(width)) {
            bytes.resize(width, 0);
        } else if bytes.len() < width && logical != Some(LogicalType::Text) {
            return Err(wrong(
                "values must be a list of bytes, got an array of NumPy, which has lost zeros at the end",
            ));
        }
        Ok(bytes)
    }
}

fn wrong(reason: &str) -> PyErr {
    PyValueError::new_err(reason.to_owned())
}

/// Returns a value as Python shows it, cut to a short text.
fn shown(value: &Bound<'_, PyAny>) -> String {
    let text = value
        .repr()
        .map(|text| text.to_string_lossy().chars().take(SHOWN).collect());
    text.unwrap_or_else(|_| "another value".to_owned())
}

/// Returns a number that is stored in these bytes, the lowest first, unless it has more than 16.
fn number(bytes: &[u8], is_signed: bool) -> Option<i128> {
    let is_negative = is_signed && bytes.last().is_some_and(|last| *last >= 0x80);
    let (low, high) = bytes.split_at(bytes.len().min(16));
    let fill = if is_negative { 0xff } else { 0 };
    let mut wide = [fill; 16];
    wide[..low.len()].copy_from_slice(low);
    let number = i128::from_le_bytes(wide);
    (high.iter().all(|byte| *byte == fill) && (number < 0) == is_negative).then_some(number)
}

/// Returns the value in a row of an array, or none if it is null.
fn typed(array: &dyn Array, row: usize) -> PyResult<Option<Typed<'_>>> {
    let digits = |unit: &TimeUnit| match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 3,
        TimeUnit::Microsecond => 6,
        TimeUnit::Nanosecond => 9,
    };
    if array.is_null(row) {
        return Ok(None);
    }
    let bytes = downcast_primitive_array!(array => array.values().inner().as_slice(), _ => &[]);
    let width = bytes.len() / array.len();
    let whole = number(
        &bytes[row * width..][..width],
        !array.data_type().is_unsigned_integer(),
    );
    let whole = || whole.ok_or_else(|| wrong("values must have at most 38 digits, got more"));
    Ok(Some(match array.data_type() {
        DataType::Null => return Ok(None),
        integer if integer.is_integer() => Typed::Number(whole()?, 0),
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale)
        | DataType::Decimal256(_, scale) => Typed::Number(whole()?, (*scale).into()),
        DataType::Float16 => Typed::Float(array.as_primitive::<Float16Type>().value(row).to_f64(), 3),
        DataType::Float32 => Typed::Float(array.as_primitive::<Float32Type>().value(row).into(), 6),
        DataType::Float64 => Typed::Float(array.as_primitive::<Float64Type>().value(row), 15),
        DataType::Utf8 => Typed::Text(array.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => Typed::Text(array.as_string::<i64>().value(row)),
        DataType::Utf8View => Typed::Text(array.as_string_view().value(row)),
        DataType::Binary => Typed::Bytes(array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => Typed::Bytes(array.as_binary::<i64>().value(row)),
        DataType::BinaryView => Typed::Bytes(array.as_binary_view().value(row)),
        DataType::FixedSizeBinary(_) => Typed::Bytes(array.as_fixed_size_binary().value(row)),
        DataType::Date32 => Typed::Date(whole()?),
        DataType::Date64 if whole()? % DAY == 0 => Typed::Date(whole()? / DAY),
        DataType::Date64 => return Err(wrong("values must be whole days, got a part of one")),
        DataType::Time32(unit) | DataType::Time64(unit) => Typed::Time(whole()?, digits(unit), false),
        DataType::Timestamp(unit, zone) => Typed::Timestamp(whole()?, digits(unit), zone.is_some()),
        DataType::Dictionary(..) => {
            let (keys, values) = (
                array.as_any_dictionary().keys(),
                array.as_any_dictionary().values(),
            );
            let place = match typed(keys, row)? {
                Some(Typed::Number(place, _)) => usize::try_from(place).ok(),
                _ => None,
            };
            // An array may be made without this check.
            let place = place.filter(|place| *place < values.len());
            return typed(
                &**values,
                place.ok_or_else(|| wrong("the indices of a dictionary must be below its length"))?,
            );
        }
        other => {
            let got: String = arrays::described(other).chars().take(SHOWN).collect();
            let reason = format!("values must be numbers, text, bytes, dates, times or UUIDs, got {got}");
            return Err(PyTypeError::new_err(reason));
        }
    }))
}
