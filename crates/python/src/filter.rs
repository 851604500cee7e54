//! The class `Filter`.

use std::ffi::CString;
use std::path::PathBuf;
use std::sync::{
    Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError, TryLockResult,
};

use filter_sets::{
    Access, Builder, Header, MemoryBuilding, Opening, SetKey, Size, StoredFile, StoredFilter, StoredFormat,
};
use membership_filters::{Encoding, redisbloom};
use pyo3::buffer::PyBuffer;
use pyo3::create_exception;
use pyo3::exceptions::{PyIsADirectoryError, PyOverflowError, PyTypeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use terminal::number::{counted, grouped};

use crate::exit::{self, Call, detach};
use crate::keys::{Family, Key, Kind, answers, each_batch};
use crate::state::{State, UNDECIDED, kind_of, name_of, reading_format};
use crate::{check_memory, error, path_of};

/// The memory for a filter that is built at once, in bytes: more than there is, so that keys stay in their order and the
/// system refuses what it does not have. Hash values take 8 or 16 bytes a key.
const BUILDING_MEMORY: u64 = 1 << 48;

/// Returns a format for keys of a kind.
fn format_of(name: &str, kind: Option<Kind>, seed: i64) -> PyResult<StoredFormat> {
    let format = StoredFormat::named(name).map_err(error)?;
    let format = match seed {
        0 => format,
        seed => {
            let seed = i32::try_from(seed).map_err(|_| {
                PyValueError::new_err(format!("the seed must be between -2^31 and 2^31 - 1, got {seed}"))
            });
            format.seed(seed?).map_err(error)?
        }
    };
    Ok(format.encoding(kind.map_or(Encoding::BYTES, Kind::encoding)))
}

fn size_of(rate: Option<f64>, bits_per_key: Option<f64>, nbytes: Option<Count>) -> PyResult<Size> {
    // A batch of keys may be there before a format refuses what it cannot have.
    if let Some(rate) = rate.filter(|rate| !(*rate > 0.0 && *rate < 1.0)) {
        return Err(PyValueError::new_err(format!(
            "the rate must be above 0 and below 1, got {rate}"
        )));
    }
    if let Some(bits) = bits_per_key.filter(|bits| !bits.is_finite()) {
        return Err(PyValueError::new_err(format!(
            "the bits per key must be finite, got {bits}"
        )));
    }
    match (rate, bits_per_key, nbytes) {
        (None, None, None) => Ok(Size::Rate(0.01)),
        (Some(rate), None, None) => Ok(Size::Rate(rate)),
        (None, Some(bits), None) => Ok(Size::BitsPerKey(bits)),
        (None, None, Some(Count(bytes))) => Ok(Size::Bytes(bytes)),
        _ => Err(PyTypeError::new_err("give one of rate, bits_per_key and nbytes")),
    }
}

/// A number of keys or bytes.
struct Count(u64);

impl<'py> FromPyObject<'_, 'py> for Count {
    type Error = PyErr;

    fn extract(number: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let out_of_range = |error: PyErr| match error.is_instance_of::<PyOverflowError>(number.py()) {
            true => PyValueError::new_err(format!(
                "numbers of keys and bytes must be between 0 and 2^64 - 1, got {}",
                &*number
            )),
            false => error,
        };
        number.extract().map(Self).map_err(out_of_range)
    }
}

/// A set of a few bits per key that never misses a key: it answers "no" for certain, and "yes" for a few absent keys.
///
/// >>> seen = Filter(1_000_000, 0.01)  # room for a million keys, one wrong "yes" in a hundred
/// >>> seen.add("apple"), "apple" in seen, "banana" in seen
/// (True, True, False)
#[pyclass(frozen, module = "samebits", name = "Filter")]
pub(crate) struct PyFilter(RwLock<State>);

create_exception!(
    samebits,
    CapacityWarning,
    PyUserWarning,
    r#"A filter contains many more keys than it was made for, so that its rate is more than twice the intended one. Each filter
warns once, after the keys were added.

>>> import warnings
>>> with warnings.catch_warnings(action="error"):
...     Filter(1000).update(range(2000))
Traceback (most recent call last):
samebits.CapacityWarning: the filter contains about 2,000 keys and was made for 1,000: its false-positive rate is now 14.1 %,
more than twice the intended 1.00 %; add all keys to a filter with a larger capacity, or use format="redisbloom", which grows"#
);

/// Warns the caller with this text, if there is one, while no lock is held: filters of warnings are code of Python.
fn warn(py: Python<'_>, text: Option<String>) -> PyResult<()> {
    let Some(text) = text else { return Ok(()) };
    let _call = Call::begin(py);
    // Only frames of Python count.
    PyErr::warn(py, &py.get_type::<CapacityWarning>(), &CString::new(text)?, 1)
}

/// Takes a lock, and waits for it without the GIL. Threads that hold a lock never wait for the GIL.
fn locked<G>(py: Python<'_>, attempt: impl Fn() -> TryLockResult<G>, wait: impl Fn() + Sync) -> G {
    loop {
        match attempt() {
            Ok(state) => return state,
            Err(TryLockError::Poisoned(state)) => return state.into_inner(),
            Err(TryLockError::WouldBlock) => detach(py, &wait),
        }
    }
}

impl PyFilter {
    fn of(state: State) -> Self {
        Self(RwLock::new(state))
    }

    fn read<'a>(&'a self, py: Python<'_>) -> RwLockReadGuard<'a, State> {
        locked(py, || self.0.try_read(), || drop(self.shared()))
    }

    fn write<'a>(&'a self, py: Python<'_>) -> RwLockWriteGuard<'a, State> {
        locked(py, || self.0.try_write(), || drop(self.alone()))
    }

    /// Waits for the lock in a thread that has released the GIL.
    fn shared(&self) -> RwLockReadGuard<'_, State> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the lock in a thread that has released the GIL.
    fn alone(&self) -> RwLockWriteGuard<'_, State> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the filter as Redis has it.
    fn chain(&self) -> PyResult<redisbloom::BloomFilter> {
        let state = self.shared();
        let format = state.filter.format();
        if !format.has_commands() {
            return Err(PyValueError::new_err(format!(
                "the format of a filter for Redis must be \"redisbloom\", got {:?}",
                name_of(format)
            )));
        }
        check_memory(state.filter.bits() / 8 * 5)?;
        let chain = redisbloom::BloomFilter::from_redisbloom(&state.filter.stored_bytes());
        chain.map_err(|error| PyValueError::new_err(error.to_string()))
    }

    fn merge(&self, py: Python<'_>, other: &Self) -> PyResult<()> {
        if std::ptr::eq(self, other) {
            return Ok(());
        }
        let text = detach(py, || {
            let (mut ours, theirs);
            // In the order of their addresses, so that two threads that merge both ways do not wait for each other.
            if std::ptr::from_ref(self) < std::ptr::from_ref(other) {
                ours = self.alone();
                theirs = other.shared();
            } else {
                theirs = other.shared();
                ours = self.alone();
            }
            ours.merge(&theirs)?;
            Ok::<_, PyErr>(ours.overfilled())
        })?;
        warn(py, text)
    }
}

#[pymethods]
impl PyFilter {
    #[new]
    #[pyo3(signature = (capacity, rate=None, *, format="blocked-xxph3", keys=None, bits_per_key=None, nbytes=None, seed=0))]
    #[expect(clippy::too_many_arguments, reason = "all but two are named in Python")]
    fn new(
        py: Python<'_>,
        capacity: Count,
        rate: Option<f64>,
        format: &str,
        keys: Option<&str>,
        bits_per_key: Option<f64>,
        nbytes: Option<Count>,
        seed: i64,
    ) -> PyResult<Self> {
        let kind = kind_of(format, keys)?;
        let (format, size) = (
            format_of(format, kind, seed)?,
            size_of(rate, bits_per_key, nbytes)?,
        );
        detach(py, || {
            let mut filter = StoredFilter::new(format, capacity.0, size)?;
            filter.state_keys(kind.map_or(UNDECIDED, Kind::stated), 0)?;
            Ok(Self::of(State::of(filter, kind)))
        })
        .map_err(error)
    }

    /// Build a filter of all keys at once, in any format.
    /// >>> "a" in Filter.build(["a", "b"], 0.001, format="ribbon")
    /// True
    #[staticmethod]
    #[pyo3(signature = (iterable, /, rate=None, *, format="blocked-xxph3", keys=None, bits_per_key=None, nbytes=None, capacity=None, seed=0))]
    #[expect(clippy::too_many_arguments, reason = "all but two are named in Python")]
    fn build(
        iterable: &Bound<'_, PyAny>,
        rate: Option<f64>,
        format: &str,
        keys: Option<&str>,
        bits_per_key: Option<f64>,
        nbytes: Option<Count>,
        capacity: Option<Count>,
        seed: i64,
    ) -> PyResult<Self> {
        let py = iterable.py();
        let given = kind_of(format, keys)?;
        let (format, size) = (
            format_of(format, given, seed)?,
            size_of(rate, bits_per_key, nbytes)?,
        );
        let start = |kind: Option<Kind>| {
            let builder = Builder::new(format.clone(), size)
                .memory(BUILDING_MEMORY)?
                .keep_order()
                .key_kind(kind.map_or(UNDECIDED, Kind::stated))?;
            match &capacity {
                Some(Count(capacity)) => builder.capacity(*capacity).in_memory(),
                None => builder.in_memory(),
            }
        };
        let decided = given.map_or_else(OnceLock::new, OnceLock::from);
        let decide = |family: Family| {
            let kind = *decided.get_or_init(|| family.kind());
            kind.check(family, "").map(|()| kind)
        };
        let mut building: Option<MemoryBuilding> = None;
        each_batch(iterable, &decide, &mut |batch| {
            let building = match &mut building {
                Some(building) => building,
                none => none.insert(start(decided.get().copied())?),
            };
            batch
                .iter()
                .try_for_each(|key| building.insert(SetKey::Encoded(key)))
        })?;
        let kind = decided.get().copied();
        let raised = Mutex::new(None);
        let go_on = |_| {
            exit::stop_if_over();
            let signalled = Python::attach(|py| py.check_signals()).err();
            let is_none = signalled.is_none();
            *raised.lock().unwrap_or_else(PoisonError::into_inner) = signalled;
            is_none
        };
        let built = detach(py, || building.map_or_else(|| start(kind), Ok)?.finish(&go_on));
        let raised = raised.into_inner().unwrap_or_else(PoisonError::into_inner);
        // The exception of a signal handler has stopped the build.
        let filter = built.map_err(|reason| raised.unwrap_or_else(|| error(reason)))?;
        Ok(Self::of(State::of(filter, kind)))
    }

    /// Read a filter. Guava's streams need keys, the bits of engines and of Parquet files a format.
    /// >>> stream = Filter(9, format="guava", keys="int64").to_bytes()
    /// >>> 7 in Filter.from_bytes(stream, keys="int64")
    /// False
    #[staticmethod]
    #[pyo3(signature = (data, /, format=None, *, keys=None))]
    fn from_bytes(data: &Bound<'_, PyAny>, format: Option<&str>, keys: Option<&str>) -> PyResult<Self> {
        let py = data.py();
        let kind = keys.map(Kind::named).transpose()?;
        let bytes = match data.cast::<PyBytes>() {
            Ok(bytes) => bytes.as_bytes().to_vec(),
            Err(_) => PyBuffer::<u8>::get(data)
                .map_err(|_| PyTypeError::new_err("data must be bytes, or an object with a buffer of bytes"))?
                .to_vec(py)?,
        };
        let stated = match Header::begins(&bytes) {
            // A header states the format, and that of its filter the encoding.
            true => None,
            false => StoredFormat::of_prefix(&bytes, bytes.len() as u64),
        };
        check_memory(bytes.len() as u64 * 2)?;
        let format = reading_format(format, kind, stated)?;
        let filter = detach(py, || StoredFilter::from_bytes(format.as_ref(), bytes)).map_err(error)?;
        Ok(Self::of(detach(py, || State::read(filter, kind, true))?))
    }

    /// Open a file: of save(), of the program `samebits`, or with the bytes of another program, which need what from_bytes
    /// needs. With mmap, filters that are built at once are read when keys are looked up: no checksum is compared, and the
    /// file must not be truncated. Others are read into memory.
    /// >>> Filter.open("none.filter", mmap=True)
    /// Traceback (most recent call last):
    /// FileNotFoundError: [Errno 2] No such file or directory: 'none.filter'
    #[staticmethod]
    #[pyo3(signature = (path, /, format=None, *, keys=None, mmap=false))]
    fn open(
        py: Python<'_>,
        #[pyo3(from_py_with = path_of)] path: PathBuf,
        format: Option<&str>,
        keys: Option<&str>,
        mmap: bool,
    ) -> PyResult<Self> {
        let kind = keys.map(Kind::named).transpose()?;
        if path.is_dir() {
            return Err(PyIsADirectoryError::new_err(format!(
                "{}: a folder is no filter; FilterSet.open opens a set",
                path.display()
            )));
        }
        let file = StoredFile::open(&path).map_err(error)?;
        let given = match file.header() {
            Some(_) => format.map(StoredFormat::named).transpose().map_err(error)?,
            None => reading_format(format, kind, file.format().cloned())?,
        };
        let access = if mmap { Access::Map } else { Access::Read };
        // Formats that are read into memory in any case are verified.
        let verify = !mmap || file.format().is_some_and(StoredFormat::takes_keys);
        let filter = detach(py, || file.filter(given.as_ref(), Opening { access, verify }));
        let filter = filter.map_err(error)?;
        Ok(Self::of(detach(py, || State::read(filter, kind, !mmap))?))
    }

    /// Read a filter from BF.SCANDUMP: each chunk with its iterator.
    /// >>> seen = Filter(9, format="redisbloom")
    /// >>> Filter.from_redis_chunks(seen.redis_chunks()) == seen
    /// True
    #[staticmethod]
    fn from_redis_chunks(chunks: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = chunks.py();
        let _call = Call::begin(py);
        let pair = |chunk: &Bound<'_, PyAny>| {
            let bytes: Vec<u8> = chunk.get_item(1)?.extract()?;
            Ok((chunk.get_item(0)?.extract()?, bytes))
        };
        let wrong = |_: PyErr| {
            PyTypeError::new_err(
                "chunks must be pairs of an iterator and bytes, as BF.SCANDUMP returns them, got others: use a client that \
                 does not decode responses to str",
            )
        };
        let chunks = chunks.try_iter()?.map(|chunk| pair(&chunk?).map_err(wrong));
        let chunks = chunks.collect::<PyResult<Vec<_>>>()?;
        let wrong = |error: membership_filters::Error| PyValueError::new_err(error.to_string());
        let slices = chunks.iter().map(|(iterator, bytes)| (*iterator, &bytes[..]));
        let chain = redisbloom::BloomFilter::from_chunks(slices).map_err(wrong)?;
        let format = StoredFormat::named("redisbloom").map_err(error)?;
        let filter = StoredFilter::from_bytes(Some(&format), chain.to_redisbloom()).map_err(error)?;
        Ok(Self::of(detach(py, || State::read(filter, None, true))?))
    }

    /// Return "nbytes", "rate", "probe_count" and, for engines, "bits_per_key" of a filter that is not made.
    /// >>> Filter.sizing(1_000_000, 0.01, format="cuckoo")["nbytes"]
    /// 1315880
    #[staticmethod]
    #[pyo3(signature = (capacity, rate=None, *, format="blocked-xxph3", bits_per_key=None, nbytes=None))]
    fn sizing<'py>(
        py: Python<'py>,
        capacity: Count,
        rate: Option<f64>,
        format: &str,
        bits_per_key: Option<f64>,
        nbytes: Option<Count>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let format = StoredFormat::named(format).map_err(error)?;
        let sizing = format
            .sizing(capacity.0, size_of(rate, bits_per_key, nbytes)?)
            .map_err(error)?;
        let dict = PyDict::new(py);
        dict.set_item("nbytes", sizing.bytes)?;
        dict.set_item("rate", sizing.rate)?;
        dict.set_item("probe_count", sizing.probe_count)?;
        dict.set_item("bits_per_key", sizing.bits_per_key)?;
        Ok(dict)
    }

    /// Add a key. True: it was certainly absent.
    /// >>> seen = Filter(9); seen.add("a"), seen.add(b"a")
    /// (True, False)
    fn add(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (py, key) = (key.py(), Key::of(key)?);
        let mut state = self.write(py);
        let kind = state.inserted(key.family())?;
        let is_new = key.with_bytes(kind, |bytes| {
            state.filter.insert(SetKey::Encoded(bytes)).map_err(error)
        })?;
        state.shift(!is_new, false);
        let text = state.overfilled();
        drop(state);
        warn(py, text).map(|()| is_new)
    }

    /// Add keys: of an iterable, a NumPy array, an Arrow array, a Series. Keys before a wrong one may have been added.
    /// >>> seen = Filter(9); seen.update(["a", "b"]); "b" in seen
    /// True
    fn update(&self, keys: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = keys.py();
        each_batch(keys, &|family| self.write(py).inserted(family), &mut |batch| {
            self.alone().insert_many(batch)
        })?;
        let text = self.write(py).overfilled();
        warn(py, text)
    }

    /// Remove a key that was added, from "counting" and "cuckoo". False: it was certainly absent.
    /// >>> seen = Filter(9, format="cuckoo"); seen.add("a"), seen.remove("a"), "a" in seen
    /// (True, True, False)
    fn remove(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (py, key) = (key.py(), Key::of(key)?);
        let mut state = self.write(py);
        let kind = state.queried(key.family())?;
        let was_there = key.with_bytes(kind, |bytes| {
            state.filter.remove(SetKey::Encoded(bytes)).map_err(error)
        })?;
        state.shift(false, was_there);
        Ok(was_there)
    }

    /// Forget the oldest generation of keys, of "rotating". A new filter has two: the keys before the last rotation go.
    /// >>> seen = Filter(9, format="rotating"); seen.add("a"), seen.rotate(), "a" in seen
    /// (True, None, True)
    fn rotate(&self, py: Python<'_>) -> PyResult<()> {
        detach(py, || self.alone().filter.rotate()).map_err(error)
    }

    /// Remove all keys. The kind of key stays.
    /// >>> seen = Filter(9); seen.add("a"), seen.clear(), "a" in seen
    /// (True, None, False)
    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        detach(py, || self.alone().clear())
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (py, key) = (key.py(), Key::of(key)?);
        let state = self.read(py);
        let kind = state.queried(key.family())?;
        key.with_bytes(kind, |bytes| Ok(state.filter.contains(SetKey::Encoded(bytes))))
    }

    /// Return for each key whether it may be in the filter, as a NumPy array (without NumPy, a memoryview).
    /// >>> Filter.build(["a"]).contains_many(["a", "b"])
    /// array([ True, False])
    fn contains_many<'py>(&self, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = keys.py();
        answers(keys, &|family| self.read(py).queried(family), &|batch| {
            self.shared().filter.contains_encoded(batch)
        })
    }

    /// Return a copy.
    /// >>> seen = Filter(9); seen.copy() == seen
    /// True
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        detach(py, || {
            let state = self.shared();
            check_memory(state.filter.bits() / 8)?;
            Ok(Self::of(state.clone()))
        })
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        self.copy(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.copy(py)
    }

    fn __or__(&self, py: Python<'_>, other: &Bound<'_, Self>) -> PyResult<Self> {
        let copy = self.copy(py)?;
        copy.merge(py, other.get())?;
        Ok(copy)
    }

    fn __ior__(&self, py: Python<'_>, other: &Bound<'_, Self>) -> PyResult<()> {
        self.merge(py, other.get())
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, Self>) -> PyResult<bool> {
        let other = other.get();
        if std::ptr::eq(self, other) {
            return Ok(true);
        }
        detach(py, || {
            let outline = |state: &State| {
                (
                    state.kind,
                    state.filter.bits(),
                    state.filter.format().name().to_owned(),
                )
            };
            // One lock at a time: threads that compare both ways would wait for each other.
            let ours = outline(&self.shared());
            let theirs = outline(&other.shared());
            if ours != theirs {
                return Ok(false);
            }
            check_memory(ours.1 / 4)?;
            let ours = self.shared().filter.stored_bytes();
            let theirs = other.shared().filter.stored_bytes();
            Ok(ours == theirs)
        })
    }

    /// Return the bytes that the other program reads, or with header=True those of save(), as pickle does.
    /// >>> len(Filter(1000, 0.03, format="guava").to_bytes())
    /// 926
    #[pyo3(signature = (*, header=false))]
    fn to_bytes<'py>(&self, py: Python<'py>, header: bool) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = detach(py, || {
            let filter = &self.shared().filter;
            // The vector grows by doubling, and is copied.
            check_memory(filter.bits() / 8 * 3)?;
            Ok::<_, PyErr>(if header {
                filter.to_bytes()
            } else {
                filter.stored_bytes()
            })
        });
        Ok(PyBytes::new(py, &bytes?))
    }

    /// Write a file that states format, kind of key and checksum, or without header the bytes of to_bytes(). It appears
    /// when it is complete.
    /// >>> Filter(9).save("seen.filter"); Filter.open("seen.filter")
    /// <samebits.Filter blocked-xxph3, 256 bits, keys undecided, about 0 keys, capacity 9>
    #[pyo3(signature = (path, /, *, header=true))]
    fn save(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = path_of)] path: PathBuf,
        header: bool,
    ) -> PyResult<()> {
        detach(py, || match (header, &self.shared().filter) {
            (true, filter) => filter.save(path, true),
            (false, filter) => filter.save_stored(path, true),
        })
        .map_err(error)
    }

    /// Return the arguments of BF.LOADCHUNK: each iterator and its chunk.
    /// >>> [iterator for iterator, chunk in Filter(9, format="redisbloom").redis_chunks()]
    /// [1, 17]
    fn redis_chunks<'py>(&self, py: Python<'py>) -> PyResult<Vec<(i64, Bound<'py, PyBytes>)>> {
        let chain = detach(py, || self.chain())?;
        let chunks = chain
            .chunks()
            .map(|(iterator, chunk)| (iterator, PyBytes::new(py, &chunk)));
        Ok(chunks.collect())
    }

    /// Return the commands that load the filter under a key, for redis.execute_command(*command).
    /// >>> len(Filter(9, format="redisbloom").redis_commands("seen"))
    /// 3
    fn redis_commands<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Vec<Vec<Bound<'py, PyBytes>>>> {
        let py = key.py();
        let Key::Text(name) = Key::of(key)? else {
            return Err(PyTypeError::new_err(
                "the key in Redis must be a str or bytes, got int",
            ));
        };
        let chain = detach(py, || self.chain())?;
        let bytes = |command: Vec<Vec<u8>>| command.iter().map(|word| PyBytes::new(py, word)).collect();
        Ok(chain.commands(name).map(bytes).collect())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = slf.get().to_bytes(slf.py(), true)?;
        Ok((slf.get_type().getattr("from_bytes")?, (bytes,)))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let state = self.read(py);
        let (name, bits) = (name_of(state.filter.format()), state.filter.bits());
        let mut text = format!(
            "<samebits.Filter {name}, {bits} bits, keys {}",
            state.kind.map_or(UNDECIDED, Kind::name)
        );
        if let Some(keys) = state.quick_len() {
            text += &format!(", about {}", counted(keys, "key"));
        }
        if let Some(capacity) = state.filter.capacity() {
            text += &format!(", capacity {}", grouped(capacity));
        }
        text + ">"
    }

    /// The name of the format, as in formats().
    #[getter]
    fn format(&self, py: Python<'_>) -> String {
        name_of(self.read(py).filter.format()).to_owned()
    }

    /// The kind of key: "text", "int64", "int32" or "utf16"; None before the first key.
    #[getter]
    fn keys(&self, py: Python<'_>) -> Option<&'static str> {
        self.read(py).kind.map(Kind::name)
    }

    /// The number of keys that the filter was made for; None if nobody stated it. See CapacityWarning.
    #[getter]
    fn capacity(&self, py: Python<'_>) -> Option<u64> {
        self.read(py).filter.capacity()
    }

    /// The number of bits.
    #[getter]
    fn bits(&self, py: Python<'_>) -> u64 {
        self.read(py).filter.bits()
    }

    /// The probability that an absent key seems to be in the filter now.
    #[getter]
    fn expected_rate(&self, py: Python<'_>) -> f64 {
        detach(py, || {
            let filter = &self.shared().filter;
            filter.stated_rate().unwrap_or_else(|| filter.expected_rate())
        })
    }

    /// The number of different keys, counted or estimated; None if the bits do not tell it.
    #[getter]
    fn estimated_len(&self, py: Python<'_>) -> Option<u64> {
        detach(py, || {
            let filter = &self.shared().filter;
            // Building a filter counts its keys.
            let counted = filter.stated_rate().and(filter.key_count());
            let counted = counted.filter(|_| !filter.format().takes_keys());
            counted.or_else(|| filter.fill()?.estimated_len)
        })
    }
}
