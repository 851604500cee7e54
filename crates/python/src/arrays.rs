//! The keys in arrays of Arrow and NumPy, in batches.

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayAccessor, ArrayReader as _, downcast_integer, new_empty_array};
use arrow_schema::extension::EXTENSION_TYPE_NAME_KEY;
use arrow_schema::{DataType, Field};
use pyo3::exceptions::{PyException, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PySlice};

use crate::exit::detach;
use crate::ffi;

/// The number of keys that are taken with the GIL held, then processed without it.
pub(crate) const BATCH: usize = 4096;

/// A batch of keys.
pub(crate) enum Batch<'a> {
    /// Bytes, and text as UTF-8.
    Texts(&'a [&'a [u8]]),
    Integers(&'a [i64]),
}

/// Processes a batch of at most [`BATCH`] keys.
pub(crate) type Each<'a> = &'a mut dyn FnMut(Batch<'_>) -> PyResult<()>;

/// Returns the error for an integer that no kind of key can have.
pub(crate) fn out_of_range() -> PyErr {
    PyValueError::new_err("integer keys must be between -2^63 and 2^63 - 1")
}

/// Passes on the keys of an object that exports Arrow arrays. Returns false if it does not, or if it is a column that
/// cannot be exported, but iterated.
pub(crate) fn arrow(keys: &Bound<'_, PyAny>, each: Each<'_>) -> PyResult<bool> {
    exported(
        keys,
        "keys",
        &|field| !is_extension(field),
        &mut |_, array, row| column(array, row, each),
    )
}

/// Processes an array of a column, with the column's field and the number of the array's first row.
pub(crate) type EachArray<'a> = &'a mut dyn FnMut(&Field, &dyn Array, usize) -> PyResult<()>;

/// Passes on the Arrow arrays that an object exports, which may be empty. Returns false if it exports none, if `takes`
/// refuses their field, or if it is a column that cannot be exported, but iterated. `what` is the name of the argument.
pub(crate) fn exported(
    values: &Bound<'_, PyAny>,
    what: &str,
    takes: &dyn Fn(&Field) -> bool,
    each: EachArray<'_>,
) -> PyResult<bool> {
    let py = values.py();
    // Polars exports the addresses of its objects, and long integers in a form of its own.
    if let Some(dtype) = values.getattr_opt(intern!(py, "dtype"))?
        && ["Object", "Int128", "UInt128"].contains(&&*dtype.str()?.to_string_lossy())
    {
        return Ok(false);
    }
    if let Some(export) = values.getattr_opt(intern!(py, "__arrow_c_stream__"))? {
        let capsule = match export.call0() {
            // A `Series` of pandas may have objects of several types, or pyarrow is not installed.
            Err(error) if error.is_instance_of::<PyException>(py) && has_one_dimension(values) => {
                return Ok(false);
            }
            exported => exported?,
        };
        let mut stream = ffi::stream(&capsule)?;
        let field = stream.field().clone();
        if !takes(&field) {
            return Ok(false);
        }
        // Polars exports nulls with a buffer that they do not have.
        if *field.data_type() == DataType::Null {
            return if values.is_empty()? {
                Ok(true)
            } else {
                Err(null_in(what, 0))
            };
        }
        each(&field, &*new_empty_array(field.data_type()), 0)?;
        let mut row = 0;
        // The producer may need the GIL.
        while let Some(array) = detach(py, || stream.next()) {
            let array = array.map_err(|error| PyValueError::new_err(error.to_string()))?;
            each(&field, &*array, row)?;
            row += array.len();
        }
        return Ok(true);
    }
    if let Some(export) = values.getattr_opt(intern!(py, "__arrow_c_array__"))? {
        let (array, field) = ffi::array(&export.call0()?)?;
        if !takes(&field) {
            return Ok(false);
        }
        each(&field, &*array, 0)?;
        return Ok(true);
    }
    Ok(false)
}

/// Returns true for an array whose bytes have a meaning of their own. Its items tell what they are.
fn is_extension(field: &Field) -> bool {
    field.metadata().contains_key(EXTENSION_TYPE_NAME_KEY)
}

fn has_one_dimension(keys: &Bound<'_, PyAny>) -> bool {
    let dimensions = keys.getattr(intern!(keys.py(), "ndim"));
    dimensions.is_ok_and(|dimensions| dimensions.eq(1).unwrap_or(false))
}

/// Passes on the keys of an array whose first row has this number in its column.
fn column(array: &dyn Array, first_row: usize, each: Each<'_>) -> PyResult<()> {
    let (mut from, mut integers) = (0, Vec::new());
    // An empty array has a type, too.
    loop {
        let rows = array.slice(from, BATCH.min(array.len() - from));
        if let Some(nulls) = rows.logical_nulls()
            && let Some(null) = nulls.iter().position(|is_valid| !is_valid)
        {
            return Err(null_in("keys", first_row + from + null));
        }
        let mut texts = Vec::with_capacity(rows.len());
        integers.clear();
        match rows.as_any_dictionary_opt() {
            Some(dictionary) => {
                let (values, mut places) = (dictionary.values(), Vec::new());
                append(dictionary.keys(), 0..rows.len(), &mut Vec::new(), &mut places)?;
                // An array may be made without this check.
                let wrong = places
                    .iter()
                    .find(|place| usize::try_from(**place).map_or(true, |place| place >= values.len()));
                if let Some(place) = wrong {
                    let (most, row) = (values.len(), first_row + from);
                    return Err(PyValueError::new_err(format!(
                        "the indices of a dictionary must be below {most}, its length, got {place} after row {row}"
                    )));
                }
                let places = places.into_iter().map(|place| place as usize);
                append(&**values, places, &mut texts, &mut integers)?;
            }
            None => append(&*rows, 0..rows.len(), &mut texts, &mut integers)?,
        }
        match integers.is_empty() {
            true => each(Batch::Texts(&texts))?,
            false => each(Batch::Integers(&integers))?,
        }
        from += rows.len();
        if from >= array.len() {
            return Ok(());
        }
    }
}

pub(crate) fn null_in(what: &str, row: usize) -> PyErr {
    PyValueError::new_err(format!("{what} must not be null, got a null in row {row}"))
}

/// Appends the keys in these rows, none of which is null.
fn append<'a>(
    array: &'a dyn Array,
    rows: impl Iterator<Item = usize>,
    texts: &mut Vec<&'a [u8]>,
    integers: &mut Vec<i64>,
) -> PyResult<()> {
    macro_rules! integers {
        ($type:ty) => {
            append_integers(array.as_primitive::<$type>(), rows, integers)
        };
    }
    downcast_integer! {
        array.data_type() => (integers),
        DataType::Utf8 => append_texts(array.as_string::<i32>(), rows, texts),
        DataType::LargeUtf8 => append_texts(array.as_string::<i64>(), rows, texts),
        DataType::Utf8View => append_texts(array.as_string_view(), rows, texts),
        DataType::Binary => append_texts(array.as_binary::<i32>(), rows, texts),
        DataType::LargeBinary => append_texts(array.as_binary::<i64>(), rows, texts),
        DataType::BinaryView => append_texts(array.as_binary_view(), rows, texts),
        DataType::FixedSizeBinary(_) => append_texts(array.as_fixed_size_binary(), rows, texts),
        DataType::Null => Ok(()),
        other => Err(wrong_type(&described(other))),
    }
}

fn append_texts<'a, T: AsRef<[u8]> + ?Sized + 'a>(
    array: impl ArrayAccessor<Item = &'a T>,
    rows: impl Iterator<Item = usize>,
    texts: &mut Vec<&'a [u8]>,
) -> PyResult<()> {
    texts.extend(rows.map(|row| array.value(row).as_ref()));
    Ok(())
}

fn append_integers<A: ArrayAccessor<Item: TryInto<i64>>>(
    array: A,
    rows: impl Iterator<Item = usize>,
    integers: &mut Vec<i64>,
) -> PyResult<()> {
    for row in rows {
        integers.push(array.value(row).try_into().map_err(|_| out_of_range())?);
    }
    Ok(())
}

fn wrong_type(got: &str) -> PyErr {
    PyTypeError::new_err(format!("keys must be text, bytes or integers, got {got}"))
}

/// Describes an array of a type that is refused, and what to pass instead.
pub(crate) fn described(data_type: &DataType) -> String {
    match data_type {
        DataType::Struct(_) => "a table or structs: pass one of its columns".to_owned(),
        nested if nested.is_list() => "lists: pass their items, such as column.explode()".to_owned(),
        other => format!("an array of Arrow's {other}: convert it to one of these first"),
    }
}

/// Returns an error for a table of several columns.
pub(crate) fn check_column(values: &Bound<'_, PyAny>, what: &str) -> PyResult<()> {
    let (py, class) = (values.py(), values.get_type());
    // The attribute of a value may be computed.
    if !class.hasattr(intern!(py, "columns"))? {
        return Ok(());
    }
    let name = class.name()?;
    let first = if name == "LazyFrame" {
        "collect it, then "
    } else {
        ""
    };
    let reason = format!("{what} must be a list or one column, got {name}: {first}pass one of its columns");
    Err(PyTypeError::new_err(reason))
}

/// Passes on the keys of a NumPy array. Returns false if it is none, or one of objects, which must be iterated.
pub(crate) fn numpy(keys: &Bound<'_, PyAny>, each: Each<'_>) -> PyResult<bool> {
    let py = keys.py();
    let modules = py.import(intern!(py, "sys"))?.getattr(intern!(py, "modules"))?;
    let numpy = modules.get_item(intern!(py, "numpy"));
    // An array exists only if NumPy has been imported.
    let Ok(class) = numpy.and_then(|numpy| numpy.getattr(intern!(py, "ndarray"))) else {
        return Ok(false);
    };
    if !keys.is_instance(&class)? {
        return Ok(false);
    }
    // A masked array has no keys in some rows.
    if keys.hasattr(intern!(py, "mask"))? {
        let masked = keys
            .getattr(intern!(py, "mask"))?
            .call_method0(intern!(py, "any"))?;
        let reason = "keys must not be masked, got a masked array: pass keys.compressed()";
        return match masked.is_truthy()? {
            true => Err(PyTypeError::new_err(reason)),
            false => Ok(false),
        };
    }
    // The methods of a class that is derived from it may be others.
    let keys = &class
        .py()
        .import(intern!(py, "numpy"))?
        .call_method1(intern!(py, "asarray"), (keys,))?;
    let dtype = keys.getattr(intern!(py, "dtype"))?;
    let dimensions: usize = keys.getattr(intern!(py, "ndim"))?.extract()?;
    if dimensions != 1 {
        return Err(PyTypeError::new_err(format!(
            "keys must have one dimension, got {dimensions}"
        )));
    }
    let kind: char = dtype.getattr(intern!(py, "kind"))?.extract()?;
    let little_endian = match kind {
        'O' | 'T' => return Ok(false),
        'i' => intern!(py, "<i8").clone().into_any(),
        'u' => intern!(py, "<u8").clone().into_any(),
        'S' | 'U' => dtype.call_method1(intern!(py, "newbyteorder"), ("<",))?,
        _ => {
            return Err(wrong_type(&format!(
                "an array of NumPy's {dtype}: convert it to one of these first"
            )));
        }
    };
    let width: usize = dtype.getattr(intern!(py, "itemsize"))?.extract()?;
    let (mut integers, mut text) = (Vec::new(), Vec::new());
    for from in (0..keys.len()?).step_by(BATCH) {
        let rows = keys.get_item(PySlice::new(py, from as isize, (from + BATCH) as isize, 1))?;
        let copy = rows.call_method1(
            intern!(py, "astype"),
            (&little_endian, "K", "unsafe", true, false),
        )?;
        let bytes = copy.call_method0(intern!(py, "tobytes"))?;
        let bytes = bytes.cast::<PyBytes>()?.as_bytes();
        if kind == 'i' || kind == 'u' {
            let numbers = bytes.as_chunks().0.iter().map(|bytes| i64::from_le_bytes(*bytes));
            integers.clear();
            integers.extend(numbers);
            if kind == 'u' && integers.iter().any(|&number| number < 0) {
                return Err(out_of_range());
            }
            each(Batch::Integers(&integers))?;
            continue;
        }
        text.clear();
        let mut ends = Vec::with_capacity(BATCH);
        for row in 0..rows.len()? {
            let item = &bytes[row * width..(row + 1) * width];
            match kind {
                'S' => text.extend_from_slice(without_zeros(item)),
                _ => append_letters(item, &mut text)?,
            }
            ends.push(text.len());
        }
        each(Batch::Texts(&split(&text, &ends)))?;
    }
    Ok(true)
}

/// Splits bytes at these ends.
pub(crate) fn split<'a>(bytes: &'a [u8], ends: &[usize]) -> Vec<&'a [u8]> {
    let starts = std::iter::once(&0).chain(ends);
    starts
        .zip(ends)
        .map(|(&start, &end)| &bytes[start..end])
        .collect()
}

/// Cuts off the zeros behind an item, as NumPy does.
fn without_zeros(item: &[u8]) -> &[u8] {
    let last = item.iter().rposition(|&byte| byte != 0);
    &item[..last.map_or(0, |last| last + 1)]
}

/// Appends the letters of an item in UTF-32, without the zeros behind them.
fn append_letters(item: &[u8], text: &mut Vec<u8>) -> PyResult<()> {
    let (units, _) = item.as_chunks();
    let len = units
        .iter()
        .rposition(|unit| *unit != [0; 4])
        .map_or(0, |last| last + 1);
    let units = units[..len].iter().map(|unit| u32::from_le_bytes(*unit));
    if units.clone().fold(0, std::ops::BitOr::bitor) < 0x80 {
        text.extend(units.map(|unit| unit as u8));
        return Ok(());
    }
    for unit in units {
        let letter = char::from_u32(unit)
            .ok_or_else(|| PyValueError::new_err("keys must be text, got a surrogate"))?;
        text.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
    }
    Ok(())
}
