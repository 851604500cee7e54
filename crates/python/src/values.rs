//! Values for a column of a Parquet file, each with its type: objects of Python, and arrays of Arrow and NumPy.

use arrow_array::Array;
use arrow_array::cast::AsArray as _;
use arrow_array::types as arrow;
use arrow_schema::extension::EXTENSION_TYPE_NAME_KEY;
use arrow_schema::{DataType, TimeUnit};
use filter_parquet::{ColumnType, LogicalType, PhysicalType, Typed, Value, ValueError};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDate, PyDateTime, PyDict, PyFloat, PyInt, PyIterator, PyString, PyTime,
};

use crate::arrays::{self, BATCH};
use crate::exit;

/// The most characters of a value in a message.
const SHOWN: usize = 100;
/// The number that Python's calendar gives to 1970-01-01.
const FIRST_DAY: i64 = 719_163;
/// The microseconds of a day.
const DAY: i128 = 86_400_000_000;

/// Returns an error unless values may be a container of values.
pub(crate) fn check_container(values: &Bound<'_, PyAny>) -> PyResult<()> {
    let dimensions = values.getattr_opt(intern!(values.py(), "ndim"))?;
    let is_column = dimensions.is_none_or(|dimensions| dimensions.eq(1).unwrap_or(false));
    let is_one_value = values.is_instance_of::<PyString>()
        || values.is_instance_of::<PyBytes>()
        || values.is_instance_of::<PyByteArray>();
    arrays::check_column(values, "values")?;
    if is_column && !is_one_value {
        return Ok(());
    }
    Err(PyTypeError::new_err(format!(
        "values must be a list or one column, got {}",
        values.get_type().name()?
    )))
}

/// Returns the values of a container in the forms in which a column of this type may store them.
pub(crate) fn read(values: &Bound<'_, PyAny>, column: ColumnType) -> PyResult<Vec<Value>> {
    let (py, mut values) = (values.py(), values.clone());
    let mut reader = Reader {
        column,
        values: Vec::new(),
    };
    if let Some(pandas) = arrays::loaded(py, "pandas")?
        && let Ok(extension) = pandas.getattr("api").and_then(|api| api.getattr("extensions"))
    {
        let series = pandas.getattr("Series")?;
        let classes = (
            &series,
            pandas.getattr("Index")?,
            extension.getattr("ExtensionArray")?,
        );
        if values.is_instance(classes.into_pyobject(py)?.as_any())? {
            values = series.call1((values,))?;
            // Exported to Arrow, objects would all get one type, and numbers that are none would be nulls.
            if values
                .getattr("dtype")?
                .get_type()
                .module()?
                .to_str()?
                .starts_with("numpy")
            {
                values = values.call_method0("to_numpy")?;
            }
        }
    }
    if !reader.arrow(&values)? && !reader.numpy(&values)? {
        for value in PyIterator::from_object(&values)? {
            reader.object(&value?)?;
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
            exit::pause_if_over(py);
            py.check_signals()?;
        }
        let value = Value::of(value, self.column).map_err(|error| {
            PyValueError::new_err(match error {
                ValueError::Value { expected, .. } => format!("values must be {expected}, got {}", shown()),
                other => other.to_string(),
            })
        });
        self.values.push(value?);
        Ok(())
    }

    /// Appends the values of arrays that are exported to Arrow. Returns false if there are none.
    fn arrow(&mut self, values: &Bound<'_, PyAny>) -> PyResult<bool> {
        arrays::exported(values, "values", &|_| true, &mut |field, array, first_row| {
            let extension = field.metadata().get(EXTENSION_TYPE_NAME_KEY).map(String::as_str);
            let is_stored_as_it_is = array.data_type().is_string() || array.data_type().is_binary();
            // Numbers in a type of their own are of no unit that is known here.
            if let Some(name) = extension.filter(|name| *name != "arrow.uuid" && !is_stored_as_it_is) {
                return Err(wrong_type(&format!(
                    "an array of {}: pass its storage",
                    cut(name)
                )));
            }
            for row in 0..array.len() {
                let value = match (typed(array, row)?, extension) {
                    (Some(Typed::Bytes(bytes)), Some("arrow.uuid")) => bytes.try_into().ok().map(Typed::Uuid),
                    (value, _) => value,
                };
                let row = first_row + row;
                let value = value.ok_or_else(|| arrays::null_in("values", row))?;
                self.push(values.py(), value, || shown_row(values, row))?;
            }
            Ok(())
        })
    }

    /// Appends the values of a NumPy array. Returns false if it is none, or one whose items tell more.
    fn numpy(&mut self, values: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Some((array, kind, width)) = arrays::of_numpy(values, "values")? else {
            return Ok(false);
        };
        let (py, dtype) = (array.py(), array.getattr("dtype")?);
        let little_endian = match kind {
            'i' | 'M' => intern!(py, "<i8"),
            'u' => intern!(py, "<u8"),
            'f' => intern!(py, "<f8"),
            'S' if self.column.logical != Some(LogicalType::Text) => return self.padded(&array, width),
            'O' | 'T' | 'S' | 'U' => return Ok(false),
            _ => return Err(wrong_type(&format!("an array of NumPy's {dtype}"))),
        };
        let (numpy, mut unit) = (py.import(intern!(py, "numpy"))?, (String::new(), 1));
        if kind == 'M' {
            unit = numpy.call_method1("datetime_data", (dtype,))?.extract()?;
        } else if kind == 'f' && width > 8 {
            let double = array.call_method1("astype", (little_endian,))?;
            let is_exact = numpy.call_method1("array_equal", (&array, double, true))?;
            if !is_exact.is_truthy()? {
                return Err(PyValueError::new_err(
                    "values must be numbers that float64 can store, got more digits",
                ));
            }
        }
        let digits = match width {
            2 => 3,
            4 => 6,
            _ => 15,
        };
        for from in (0..array.len()?).step_by(BATCH) {
            let bytes = arrays::stored(&array, from, little_endian)?;
            for (row, bytes) in bytes.as_bytes().as_chunks().0.iter().enumerate() {
                let number = i64::from_le_bytes(*bytes);
                let value = match kind {
                    'i' => Typed::Integer(number.into()),
                    'u' => Typed::Integer(u64::from_le_bytes(*bytes).into()),
                    'f' => Typed::Float(f64::from_le_bytes(*bytes), digits),
                    _ if number == i64::MIN => return Err(arrays::null_in("values", from + row)),
                    _ => moment(number, &unit)?,
                };
                self.push(py, value, || shown_row(&array, from + row))?;
            }
        }
        Ok(true)
    }

    /// Appends the bytes in a NumPy array, whose items have lost the zeros at their ends.
    fn padded(&mut self, array: &Bound<'_, PyAny>, width: usize) -> PyResult<bool> {
        let is_fixed = matches!(self.column.physical, PhysicalType::FixedLenByteArray(len) if usize::try_from(len) == Ok(width));
        for item in array.try_iter()? {
            let mut bytes: Vec<u8> = item?.extract()?;
            if !is_fixed && bytes.len() < width {
                return Err(PyValueError::new_err(
                    "values must be a list of bytes: NumPy has lost the zeros at the end of items, of which there may be any",
                ));
            }
            bytes.resize(width, 0);
            self.push(array.py(), Typed::Bytes(&bytes), || format!("{width} bytes"))?;
        }
        Ok(true)
    }

    fn object(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = value.py();
        let shown = || shown(value);
        if let Ok(text) = value.cast::<PyString>() {
            let text = text.to_str()?;
            return self.push(py, Typed::Text(text), || format!("{:?}", cut(text)));
        }
        if let Ok(bytes) = value.cast::<PyBytes>() {
            let bytes = bytes.as_bytes();
            return self.push(py, Typed::Bytes(bytes), || format!("{} bytes", bytes.len()));
        }
        if let Ok(number) = value.cast::<PyFloat>() {
            return self.push(py, Typed::Float(number.value(), 15), shown);
        }
        let is_time = value.is_instance_of::<PyTime>();
        if is_time || value.is_instance_of::<PyDateTime>() {
            return self.push(py, time(value, is_time)?, shown);
        }
        if value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>() {
            let number =
                value
                    .extract()
                    .map_err(|error: PyErr| match error.is_instance_of::<PyOverflowError>(py) {
                        true => PyValueError::new_err(
                            "values must be between -2^127 and 2^127 - 1, got a larger int",
                        ),
                        false => error,
                    });
            return self.push(py, Typed::Integer(number?), shown);
        }
        if value.is_instance_of::<PyDate>() {
            return self.push(py, Typed::Date(day(value)?), shown);
        }
        if value.is_instance(
            &py.import(intern!(py, "decimal"))?
                .getattr(intern!(py, "Decimal"))?,
        )? {
            return self.push(py, decimal(value)?, shown);
        }
        if value.is_instance(&py.import(intern!(py, "uuid"))?.getattr(intern!(py, "UUID"))?)? {
            return self.push(
                py,
                Typed::Uuid(value.getattr(intern!(py, "bytes"))?.extract()?),
                shown,
            );
        }
        if let Some(numpy) = arrays::loaded(py, "numpy")?
            && (value.is_instance(&numpy.getattr("generic")?)?
                || value.is_instance(&numpy.getattr("ndarray")?)?)
            && !value.hasattr("mask")?
            && value.getattr("ndim")?.eq(0)?
            && self.numpy(
                &numpy
                    .call_method1("asarray", (value,))?
                    .call_method1("reshape", (1,))?,
            )?
        {
            return Ok(());
        }
        if let Some(pyarrow) = arrays::loaded(py, "pyarrow")?
            && value.is_instance(&pyarrow.getattr("Scalar")?)?
            && self.arrow(&pyarrow.call_method1("repeat", (value, 1))?)?
        {
            return Ok(());
        }
        Err(wrong_type(&value.get_type().name()?.to_string_lossy()))
    }
}

fn wrong_type(got: &str) -> PyErr {
    PyTypeError::new_err(format!(
        "values must be numbers, text, bytes, dates, times or UUIDs, got {got}"
    ))
}

fn cut(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

fn shown(value: &Bound<'_, PyAny>) -> String {
    let text = value.repr().map(|text| cut(&text.to_string_lossy()));
    text.unwrap_or_else(|_| "another value".to_owned())
}

fn shown_row(values: &Bound<'_, PyAny>, row: usize) -> String {
    let value = values.get_item(row).map(|value| shown(&value));
    format!("{} in row {row}", value.as_deref().unwrap_or("another value"))
}

/// Returns the days from 1970-01-01 to a date of Python.
fn day(date: &Bound<'_, PyAny>) -> PyResult<i64> {
    let day: i64 = date.call_method0(intern!(date.py(), "toordinal"))?.extract()?;
    Ok(day - FIRST_DAY)
}

/// Returns a time of day or a time of Python, whose class may have nanoseconds.
fn time(value: &Bound<'_, PyAny>, is_time: bool) -> PyResult<Typed<'static>> {
    let py = value.py();
    // A time that is none differs from itself.
    if value.ne(value)? {
        return Err(PyValueError::new_err("values must not be null, got NaT"));
    }
    let field = |of: &Bound<'_, PyAny>, name: &str| of.getattr(name)?.extract::<i128>();
    let minutes = field(value, "hour")? * 60 + field(value, "minute")?;
    let mut time = (minutes * 60 + field(value, "second")?) * 1_000_000 + field(value, "microsecond")?;
    let offset = value.call_method0(intern!(py, "utcoffset"))?;
    if !offset.is_none() {
        let seconds = field(&offset, "days")? * 86_400 + field(&offset, "seconds")?;
        time -= seconds * 1_000_000 + field(&offset, "microseconds")?;
    } else if !value.getattr(intern!(py, "tzinfo"))?.is_none() {
        return Err(PyValueError::new_err(format!(
            "values must be times of one offset from UTC, got {}: it depends on the day",
            shown(value)
        )));
    }
    if is_time {
        return Ok(Typed::Time(time.rem_euclid(DAY), 6, !offset.is_none()));
    }
    let nanoseconds = match value.getattr_opt(intern!(py, "nanosecond"))? {
        Some(nanoseconds) => nanoseconds.extract()?,
        None => 0,
    };
    let day = day(value).map_err(|_| {
        PyValueError::new_err(format!(
            "values must be in the years 1 to 9999, got {}",
            shown(value)
        ))
    });
    let time = (i128::from(day?) * DAY + time) * 1_000 + nanoseconds;
    Ok(Typed::Timestamp(time, 9, !offset.is_none()))
}

/// Returns a `Decimal`, whose exponent may be any.
fn decimal(value: &Bound<'_, PyAny>) -> PyResult<Typed<'static>> {
    let (py, module) = (value.py(), value.py().import(intern!(value.py(), "decimal"))?);
    if !value.call_method0(intern!(py, "is_finite"))?.is_truthy()? {
        return Ok(Typed::Float(value.call_method0("__float__")?.extract()?, 0));
    }
    // Zeros at the end are dropped before the digits are copied.
    let options = PyDict::new(py);
    options.set_item("prec", 38)?;
    options.set_item("traps", [module.getattr("Inexact")?])?;
    let context = module.call_method("Context", (), Some(&options))?;
    let normal = context.call_method1("normalize", (value,)).map_err(|_| {
        PyValueError::new_err(
            "values must have at most 38 digits, got a Decimal of more or of a large exponent",
        )
    })?;
    let (is_negative, digits, exponent): (u8, Vec<u8>, i64) = normal.call_method0("as_tuple")?.extract()?;
    let number = digits
        .into_iter()
        .fold(0, |number, digit| number * 10 + i128::from(digit));
    Ok(Typed::Decimal(
        if is_negative == 1 { -number } else { number },
        -exponent,
    ))
}

/// Returns a date or time of NumPy, which is this number of a count of units since 1970.
fn moment(number: i64, (unit, count): &(String, i64)) -> PyResult<Typed<'static>> {
    let (seconds, digits) = match &**unit {
        "W" => (604_800, 0),
        "D" => (86_400, 0),
        "h" => (3_600, 0),
        "m" => (60, 0),
        "s" => (1, 0),
        "ms" => (1, 3),
        "us" => (1, 6),
        "ns" => (1, 9),
        "ps" => (1, 12),
        "fs" => (1, 15),
        "as" => (1, 18),
        _ => {
            return Err(PyValueError::new_err(format!(
                "values must be dates or times, got datetime64[{unit}]: convert them to days first"
            )));
        }
    };
    let time = i128::from(number) * i128::from(*count) * seconds;
    match (&**unit, i64::try_from(time / 86_400)) {
        ("W" | "D", Ok(days)) => Ok(Typed::Date(days)),
        _ => Ok(Typed::Timestamp(time, digits, false)),
    }
}

/// Returns the value in a row of an array, or none if it is null.
fn typed(array: &dyn Array, row: usize) -> PyResult<Option<Typed<'_>>> {
    macro_rules! at {
        ($type:ident) => {
            array.as_primitive::<arrow::$type>().value(row)
        };
    }
    if array.is_null(row) {
        return Ok(None);
    }
    Ok(Some(match array.data_type() {
        DataType::Null => return Ok(None),
        DataType::Int8 => Typed::Integer(at!(Int8Type).into()),
        DataType::Int16 => Typed::Integer(at!(Int16Type).into()),
        DataType::Int32 => Typed::Integer(at!(Int32Type).into()),
        DataType::Int64 => Typed::Integer(at!(Int64Type).into()),
        DataType::UInt8 => Typed::Integer(at!(UInt8Type).into()),
        DataType::UInt16 => Typed::Integer(at!(UInt16Type).into()),
        DataType::UInt32 => Typed::Integer(at!(UInt32Type).into()),
        DataType::UInt64 => Typed::Integer(at!(UInt64Type).into()),
        DataType::Float16 => Typed::Float(at!(Float16Type).to_f64(), 3),
        DataType::Float32 => Typed::Float(at!(Float32Type).into(), 6),
        DataType::Float64 => Typed::Float(at!(Float64Type), 15),
        DataType::Decimal32(_, scale) => Typed::Decimal(at!(Decimal32Type).into(), (*scale).into()),
        DataType::Decimal64(_, scale) => Typed::Decimal(at!(Decimal64Type).into(), (*scale).into()),
        DataType::Decimal128(_, scale) => Typed::Decimal(at!(Decimal128Type), (*scale).into()),
        DataType::Decimal256(_, scale) => {
            let number = at!(Decimal256Type).to_i128();
            let number =
                number.ok_or_else(|| PyValueError::new_err("values must have at most 38 digits, got more"));
            Typed::Decimal(number?, (*scale).into())
        }
        DataType::Utf8 => Typed::Text(array.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => Typed::Text(array.as_string::<i64>().value(row)),
        DataType::Utf8View => Typed::Text(array.as_string_view().value(row)),
        DataType::Binary => Typed::Bytes(array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => Typed::Bytes(array.as_binary::<i64>().value(row)),
        DataType::BinaryView => Typed::Bytes(array.as_binary_view().value(row)),
        DataType::FixedSizeBinary(_) => Typed::Bytes(array.as_fixed_size_binary().value(row)),
        DataType::Date32 => Typed::Date(at!(Date32Type).into()),
        DataType::Date64 if at!(Date64Type) % 86_400_000 == 0 => Typed::Date(at!(Date64Type) / 86_400_000),
        DataType::Date64 => {
            let reason = format!("values must be whole days, got a part of one in row {row}");
            return Err(PyValueError::new_err(reason));
        }
        DataType::Time32(TimeUnit::Second) => Typed::Time(at!(Time32SecondType).into(), 0, false),
        DataType::Time32(_) => Typed::Time(at!(Time32MillisecondType).into(), 3, false),
        DataType::Time64(TimeUnit::Microsecond) => Typed::Time(at!(Time64MicrosecondType).into(), 6, false),
        DataType::Time64(_) => Typed::Time(at!(Time64NanosecondType).into(), 9, false),
        DataType::Timestamp(unit, zone) => {
            let (time, digits) = match unit {
                TimeUnit::Second => (at!(TimestampSecondType), 0),
                TimeUnit::Millisecond => (at!(TimestampMillisecondType), 3),
                TimeUnit::Microsecond => (at!(TimestampMicrosecondType), 6),
                TimeUnit::Nanosecond => (at!(TimestampNanosecondType), 9),
            };
            Typed::Timestamp(time.into(), digits, zone.is_some())
        }
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let place = match typed(dictionary.keys(), row)? {
                Some(Typed::Integer(place)) => usize::try_from(place).ok(),
                _ => None,
            };
            // An array may be made without this check.
            let place = place.filter(|place| *place < dictionary.values().len());
            let place = place.ok_or_else(|| {
                PyValueError::new_err(format!(
                    "the indices of a dictionary must be below its length, got another in row {row}"
                ))
            });
            return typed(&**dictionary.values(), place?);
        }
        other => return Err(wrong_type(&cut(&arrays::described(other)))),
    }))
}
