//! Keys of Python as the bytes that filters hash, one by one and in batches.

use membership_filters::Encoding;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyInt, PyIterator, PyList, PyMemoryView, PyString};

use crate::arrays::{self, BATCH, Batch};
use crate::exit::{self, Call, detach};

/// The type of keys in Python. Text and bytes are one family, because every format hashes text as its UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    Text,
    Integers,
}

impl Family {
    /// Returns the kind that keys of the family are unless another is given.
    pub(crate) const fn kind(self) -> Kind {
        match self {
            Self::Text => Kind::Text,
            Self::Integers => Kind::Int64,
        }
    }
}

/// The bytes that a filter hashes of its keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Bytes, and text as UTF-8.
    Text,
    /// Text as UTF-16, little-endian.
    Utf16,
    /// Eight bytes, little-endian.
    Int64,
    /// Four bytes, little-endian.
    Int32,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Text, Self::Utf16, Self::Int64, Self::Int32];

    /// Returns the name in Python.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Utf16 => "utf16",
            Self::Int64 => "int64",
            Self::Int32 => "int32",
        }
    }

    /// Returns the name in headers of files.
    pub(crate) const fn stated(self) -> &'static str {
        match self {
            Self::Text => "line",
            Self::Utf16 => "utf-16",
            Self::Int64 => "long",
            Self::Int32 => "int",
        }
    }

    pub(crate) const fn encoding(self) -> Encoding {
        match self {
            Self::Text => Encoding::BYTES,
            Self::Utf16 => Encoding::UTF16_UNITS,
            Self::Int64 => Encoding::INT64,
            Self::Int32 => Encoding::INT32,
        }
    }

    /// Returns the kind of keys in this encoding.
    pub(crate) fn of_encoding(encoding: Encoding) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.encoding() == encoding)
    }

    /// Returns the kind of this name in Python.
    pub(crate) fn named(name: &str) -> PyResult<Self> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| {
            PyValueError::new_err(format!(
                "keys must be \"text\", \"utf16\", \"int64\" or \"int32\", got {name:?}"
            ))
        })
    }

    pub(crate) const fn family(self) -> Family {
        match self {
            Self::Text | Self::Utf16 => Family::Text,
            Self::Int64 | Self::Int32 => Family::Integers,
        }
    }

    /// Returns an error unless keys of this family are of this kind. `hint` is what else the caller knows of it.
    pub(crate) fn check(self, family: Family, hint: &str) -> PyResult<()> {
        if self.family() == family {
            return Ok(());
        }
        let (types, got) = match family {
            Family::Text => ("int", "str or bytes"),
            Family::Integers => ("str or bytes", "int"),
        };
        Err(PyTypeError::new_err(format!(
            "keys of this filter must be {types} (keys=\"{}\"), got {got}: 7 and \"7\" are different keys, since their bytes \
             are hashed{hint}",
            self.name()
        )))
    }
}

/// A key, which is taken before any lock is: its `__index__` may be code of Python that runs other threads.
pub(crate) enum Key<'a> {
    Text(&'a [u8]),
    Integer(i64),
}

impl<'a> Key<'a> {
    #[inline]
    pub(crate) fn of(key: &'a Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = key.cast::<PyString>() {
            return text.to_str().map(|text| Self::Text(text.as_bytes()));
        }
        if let Ok(bytes) = key.cast::<PyBytes>() {
            return Ok(Self::Text(bytes.as_bytes()));
        }
        integer(key).map(Self::Integer)
    }

    pub(crate) const fn family(&self) -> Family {
        match self {
            Self::Text(_) => Family::Text,
            Self::Integer(_) => Family::Integers,
        }
    }

    /// Passes on the bytes that a filter of this kind, which is of the key's family, hashes.
    #[inline]
    pub(crate) fn with_bytes<R>(&self, kind: Kind, then: impl FnOnce(&[u8]) -> PyResult<R>) -> PyResult<R> {
        match (self, kind) {
            (Self::Text(text), Kind::Utf16) => {
                let mut units = Vec::new();
                append_utf16(text, &mut units)?;
                then(&units)
            }
            (Self::Text(text), _) => then(text),
            (Self::Integer(number), Kind::Int32) => then(&int32(*number)?),
            (Self::Integer(number), _) => then(&number.to_le_bytes()),
        }
    }
}

fn integer(key: &Bound<'_, PyAny>) -> PyResult<i64> {
    let is_int = key.is_instance_of::<PyInt>();
    let _call = (!is_int).then(|| Call::begin(key.py()));
    // Integers of NumPy have an index.
    let is_integer = is_int || key.hasattr("__index__")?;
    if !is_integer || key.is_instance_of::<PyBool>() {
        let name = key.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "keys must be str, bytes or int, got {name}"
        )));
    }
    key.extract().map_err(
        |error: PyErr| match error.is_instance_of::<PyOverflowError>(key.py()) {
            true => arrays::out_of_range(),
            false => error,
        },
    )
}

fn int32(number: i64) -> PyResult<[u8; 4]> {
    let number = i32::try_from(number).map_err(|_| {
        PyValueError::new_err(format!(
            "keys of kind \"int32\" must be between -2^31 and 2^31 - 1, got {number}"
        ))
    });
    number.map(i32::to_le_bytes)
}

fn append_utf16(text: &[u8], units: &mut Vec<u8>) -> PyResult<()> {
    let text = std::str::from_utf8(text).map_err(|_| {
        PyValueError::new_err("keys of kind \"utf16\" must be text, got bytes that are not UTF-8")
    })?;
    units.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
    Ok(())
}

/// Returns the kind of keys of this family in a filter, or an error if it has others.
pub(crate) type Decide<'a> = &'a dyn Fn(Family) -> PyResult<Kind>;

/// Processes a batch without the GIL.
pub(crate) type Then<'a> = &'a mut (dyn FnMut(&[&[u8]]) -> Result<(), filter_sets::Error> + Send);

/// Passes on the keys of a container in batches, with the GIL released.
///
/// The batches before one with a wrong key have been processed when its error is returned.
pub(crate) fn each_batch(keys: &Bound<'_, PyAny>, decide: Decide<'_>, then: Then<'_>) -> PyResult<()> {
    let _call = Call::begin(keys.py());
    let mut batches = Batches {
        py: keys.py(),
        decide,
        then,
        family: None,
    };
    if let Ok(list) = keys.cast::<PyList>() {
        let mut from = 0;
        // The list may change while the GIL is released.
        while from < list.len() {
            let to = list.len().min(from + BATCH);
            let items = (from..to).map(|index| list.get_item(index));
            batches.objects(&items.collect::<PyResult<Vec<_>>>()?)?;
            from = to;
        }
        return Ok(());
    }
    if is_one_key(keys) {
        return Err(PyTypeError::new_err(format!(
            "keys must be a container of keys, got {}, which is one key: pass a list",
            keys.get_type().name()?
        )));
    }
    arrays::check_column(keys, "keys")?;
    let each = &mut |batch: Batch<'_>| batches.pass(batch);
    if arrays::arrow(keys, each)? || arrays::numpy(keys, each)? {
        return Ok(());
    }
    let mut items = PyIterator::from_object(keys)?.inspect(|_| exit::pause_if_over(keys.py()));
    loop {
        let some = items.by_ref().take(BATCH).collect::<PyResult<Vec<_>>>()?;
        if some.is_empty() {
            return Ok(());
        }
        batches.objects(&some)?;
    }
}

/// Returns the answers for the keys of a container, as an array of NumPy, or as a view of memory without NumPy.
pub(crate) fn answers<'py>(
    keys: &Bound<'py, PyAny>,
    decide: Decide<'_>,
    contains_many: &(dyn Fn(&[&[u8]]) -> Vec<bool> + Sync),
) -> PyResult<Bound<'py, PyAny>> {
    let (py, mut answers) = (keys.py(), Vec::new());
    // An import runs code, too.
    let _call = Call::begin(py);
    each_batch(keys, decide, &mut |batch| {
        answers.extend(contains_many(batch).into_iter().map(u8::from));
        Ok(())
    })?;
    let bytes = PyByteArray::new(py, &answers);
    match py.import("numpy") {
        Ok(numpy) => numpy.call_method1("frombuffer", (bytes, "bool")),
        Err(_) => PyMemoryView::from(&bytes)?.call_method1("cast", ("?",)),
    }
}

fn is_one_key(keys: &Bound<'_, PyAny>) -> bool {
    keys.is_instance_of::<PyString>()
        || keys.is_instance_of::<PyBytes>()
        || keys.is_instance_of::<PyByteArray>()
        || keys.is_instance_of::<PyMemoryView>()
}

struct Batches<'a, 'py> {
    py: Python<'py>,
    decide: Decide<'a>,
    then: Then<'a>,
    /// The family of the keys so far.
    family: Option<Family>,
}

impl Batches<'_, '_> {
    fn objects(&mut self, items: &[Bound<'_, PyAny>]) -> PyResult<()> {
        let (mut texts, mut integers) = (Vec::with_capacity(items.len()), Vec::new());
        for item in items {
            match Key::of(item)? {
                Key::Text(text) => texts.push(text),
                Key::Integer(number) => integers.push(number),
            }
        }
        match (texts.is_empty(), integers.is_empty()) {
            (false, false) => Err(both_families()),
            (false, true) => self.pass(Batch::Texts(&texts)),
            (true, _) => self.pass(Batch::Integers(&integers)),
        }
    }

    fn pass(&mut self, batch: Batch<'_>) -> PyResult<()> {
        let family = match batch {
            Batch::Texts([]) | Batch::Integers([]) => return Ok(()),
            Batch::Texts(_) => Family::Text,
            Batch::Integers(_) => Family::Integers,
        };
        if *self.family.get_or_insert(family) != family {
            return Err(both_families());
        }
        self.py.check_signals()?;
        let mut data = Vec::new();
        match (batch, (self.decide)(family)?) {
            (Batch::Texts(texts), Kind::Utf16) => {
                let mut ends = Vec::with_capacity(texts.len());
                for text in texts {
                    append_utf16(text, &mut data)?;
                    ends.push(data.len());
                }
                self.process(&arrays::split(&data, &ends))
            }
            (Batch::Texts(texts), _) => self.process(texts),
            (Batch::Integers(integers), Kind::Int32) => {
                for number in integers {
                    data.extend(int32(*number)?);
                }
                self.process(&data.chunks(4).collect::<Vec<_>>())
            }
            (Batch::Integers(integers), _) => {
                data.extend(integers.iter().flat_map(|number| number.to_le_bytes()));
                self.process(&data.chunks(8).collect::<Vec<_>>())
            }
        }
    }

    fn process(&mut self, keys: &[&[u8]]) -> PyResult<()> {
        let then = &mut *self.then;
        detach(self.py, || then(keys)).map_err(crate::error)
    }
}

fn both_families() -> PyErr {
    PyTypeError::new_err("keys must be all text or all integers, got both")
}
