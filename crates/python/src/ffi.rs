//! Arrow's C structures, taken out of the capsules in which Python passes them.
#![expect(unsafe_code, reason = "capsules contain pointers to C structures")]

use std::ffi::CStr;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{ArrayRef, make_array};
use arrow_schema::{ArrowError, Field};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::exit::detach;

/// Opens the stream in a capsule, which `__arrow_c_stream__` returned. The producer may need the GIL, also in another
/// thread, and gets it.
pub(crate) fn stream(capsule: &Bound<'_, PyAny>) -> PyResult<ArrayStreamReader> {
    let stream = moved(capsule, c"arrow_array_stream", FFI_ArrowArrayStream::from_raw)?;
    let opened = detach(capsule.py(), || ArrayStreamReader::try_new(stream));
    opened.map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Returns the array in two capsules, which `__arrow_c_array__` returned, and what its field states.
pub(crate) fn array(capsules: &Bound<'_, PyAny>) -> PyResult<(ArrayRef, Field)> {
    let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) = capsules.extract()?;
    let schema = moved(&schema, c"arrow_schema", FFI_ArrowSchema::from_raw)?;
    let array = moved(&array, c"arrow_array", FFI_ArrowArray::from_raw)?;
    if schema.release().is_none() || array.is_released() {
        return Err(PyValueError::new_err("the Arrow array was consumed before"));
    }
    let wrong = |error: ArrowError| PyValueError::new_err(error.to_string());
    let field = Field::try_from(&schema).map_err(wrong)?;
    // SAFETY: Both structures were not released, so that they are as the producer made them: an array of this schema.
    let data = unsafe { from_ffi(array, &schema) }.map_err(wrong)?;
    Ok((make_array(data), field))
}

/// Moves a structure out of a capsule of this name by `from_raw`, which leaves a released one in its place.
fn moved<T>(capsule: &Bound<'_, PyAny>, name: &CStr, from_raw: unsafe fn(*mut T) -> T) -> PyResult<T> {
    let pointer = capsule.cast::<PyCapsule>()?.pointer_checked(Some(name))?;
    // SAFETY: A capsule of this name points to a valid structure of type `T`, by Arrow's specification. Nobody else uses
    // it meanwhile, because the GIL is held.
    Ok(unsafe { from_raw(pointer.as_ptr().cast()) })
}
