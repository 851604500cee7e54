//! The class `FilterSet`.

use std::path::PathBuf;

use filter_sets::{Access, FilterSet, Opening, SetKey};
use pyo3::prelude::*;

use crate::exit::detach;
use crate::keys::{Family, Key, Kind, answers};
use crate::{error, path_of, state};

/// A folder of filters, each of the keys of a shard, as `samebits build --shards`, Spark's executors and Rust programs write
/// it. It is queried while it is replaced.
///
/// >>> users = FilterSet.open("users")
/// >>> len(users), 3 in users, 4 in users
/// (100, True, False)
#[pyclass(frozen, module = "samebits", name = "FilterSet")]
pub(crate) struct PyFilterSet {
    set: FilterSet,
    kind: Kind,
}

impl PyFilterSet {
    fn queried(&self, family: Family) -> PyResult<Kind> {
        self.kind.check(family, "").map(|()| self.kind)
    }
}

#[pymethods]
impl PyFilterSet {
    /// Open the set of a folder. Mapped shards are read when keys are looked up, and their checksums are not compared.
    /// >>> FilterSet.open("users", mmap=True)
    /// <samebits.FilterSet split-block-xxph3, 2 shards, keys int64>
    #[staticmethod]
    #[pyo3(signature = (folder, /, *, mmap=false))]
    fn open(py: Python<'_>, #[pyo3(from_py_with = path_of)] folder: PathBuf, mmap: bool) -> PyResult<Self> {
        let access = if mmap { Access::Map } else { Access::Read };
        let verify = !mmap;
        let set = detach(py, || FilterSet::open(folder, Opening { access, verify }));
        let set = set.map_err(error)?;
        // A set has keys of one kind, also when it is replaced.
        let kind = state::kind_in(&set.generation().shards()[0])?;
        Ok(Self { set, kind })
    }

    /// Answer from what the folder has now. True: that is another set than before.
    /// >>> FilterSet.open("users").reload()
    /// False
    fn reload(&self, py: Python<'_>) -> PyResult<bool> {
        detach(py, || self.set.reload()).map_err(error)
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let key = Key::of(key)?;
        let kind = self.queried(key.family())?;
        key.with_bytes(kind, |bytes| Ok(self.set.contains(SetKey::Encoded(bytes))))
    }

    /// Return for each key whether it may be in the set, as a NumPy array (without NumPy, a memoryview).
    /// >>> FilterSet.open("users").contains_many([3, 4])
    /// array([ True, False])
    fn contains_many<'py>(&self, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        answers(keys, &|family| self.queried(family), &|batch| {
            self.set
                .contains_many(batch.iter().map(|key| SetKey::Encoded(key)))
        })
    }

    /// Return the number of different keys.
    fn __len__(&self) -> usize {
        usize::try_from(self.set.generation().manifest().len()).unwrap_or(usize::MAX)
    }

    fn __repr__(&self) -> String {
        let (format, shards, keys) = (self.format(), self.shards(), self.kind.name());
        format!("<samebits.FilterSet {format}, {shards} shards, keys {keys}>")
    }

    /// The name of the format, as in formats().
    #[getter]
    fn format(&self) -> String {
        state::name_of(self.set.generation().shards()[0].format()).to_owned()
    }

    /// The kind of key: "text", "int64", "int32" or "utf16".
    #[getter]
    const fn keys(&self) -> &'static str {
        self.kind.name()
    }

    /// The number of shards.
    #[getter]
    fn shards(&self) -> usize {
        self.set.generation().shards().len()
    }
}
