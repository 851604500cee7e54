"""Passes values of Python to the filters of Parquet files, each with its type."""

import datetime
import decimal
import errno
import operator
import os
import stat
import sys
import uuid
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Protocol

from . import _samebits

_MAGIC = b"PAR1", b"PARE"
_TAIL = 64 << 10
_EXACT = decimal.Context(prec=38, traps=[decimal.Inexact])
_SECONDS = {"W": 604_800, "D": 86_400, "h": 3_600, "m": 60}
_FRACTIONS = {"s": 0, "ms": 3, "us": 6, "ns": 9, "ps": 12, "fs": 15, "as": 18}


class _Source(Protocol):
    """An object with the bytes of a file."""

    def read(self, size: int, /) -> Any: ...
    def seek(self, offset: int, whence: int = 0, /) -> Any: ...


def parquet_row_groups(source: str | os.PathLike[str] | _Source, column: str, values: Iterable[Any]) -> list[int]:
    """Return the numbers of the row groups that may contain one of the values, by the Bloom filters in the file.

    The other row groups certainly contain none of them. A row group without a readable filter of the column may
    contain any value.

    `source` is a path, or an object with `read` and `seek`, as files opened by Python, fsspec and pyarrow and
    `io.BytesIO` have them. Three reads suffice for most files: the last 64 KiB, the rest of a longer footer, and the
    filters, of which at most 64 MiB are read at once. The object stays open, at another position, and its errors are
    raised as they are.

    `column` is the path of the column, its parts joined by dots, as in "items.list.element". Values are int, float,
    str, bytes, Decimal, date, datetime, time and UUID, and scalars, arrays and columns of NumPy, Arrow, pandas and
    polars. A datetime must be aware of its time zone if the column is in UTC, and naive otherwise. Bytes, and numbers
    for a column of dates or times, are taken as they are stored. Raise ValueError if a value is none of the column's
    type, or if its stored form is not certain.

    >>> import io, pyarrow.parquet
    >>> table = pyarrow.table({"id": list(range(3000))})
    >>> pyarrow.parquet.write_table(table, "rows.parquet", row_group_size=1000, bloom_filter_options={"id": True})
    >>> parquet_row_groups("rows.parquet", "id", [7, 2500])
    [0, 2]
    >>> with open("rows.parquet", "rb") as file:
    ...     parquet_row_groups(file, "id", [1500])
    [1]
    """
    _check_column(column)
    values = _column_of(values)
    if hasattr(source, "read") and hasattr(source, "seek"):
        names = [getattr(source, name, None) for name in ("name", "path")]
        name = next((name for name in names if isinstance(name, str)), "source")
        return _File(source, name, column).row_groups_of(values)
    if not isinstance(source, (str, bytes, os.PathLike)):
        raise TypeError(f"source must be a path, or have read and seek, got {type(source).__name__}")
    path = _path_of(source)
    with _open(path) as file:
        return _File(file, path, column).row_groups_of(values)


class _File:
    """The columns of one path in an open file."""

    def __init__(self, source: Any, name: str, path: str) -> None:
        size = source.seek(0, os.SEEK_END)
        self.size = operator.index(source.tell() if size is None else size)
        if not 0 <= self.size < 2**63:
            raise ValueError(f"{name}: size must be between 0 and 2^63 - 1, got {self.size}")
        self.source, self.start, self.tail = source, self.size, b""
        self.extend(max(0, self.size - _TAIL))
        length, magic = int.from_bytes(self.tail[-8:-4], "little") + 8, self.tail[-4:]
        if magic == _MAGIC[0] and length <= self.size:
            self.extend(self.size - length)
        parts = [(self.start, self.tail)]
        if magic not in _MAGIC and self.start:
            # The first bytes distinguish a truncated Parquet file from other files.
            parts.append((0, self.read(0, 4)))
        self.columns = _samebits._ParquetColumns(name, self.size, parts, path)
        self.name = name

    def extend(self, start: int) -> None:
        """Keep the end of the file from this place on."""
        if start < self.start:
            self.tail = self.read(start, self.size)
            self.start = start

    def read(self, start: int, end: int) -> bytes:
        """Return bytes of the file. Those of the tail are not read again."""
        if start >= self.start:
            return self.tail[start - self.start : end - self.start]
        head = _read(self.source, start, min(end, self.start))
        return head + self.tail[: end - self.start] if end > self.start else head

    def row_groups_of(self, values: Any) -> list[int]:
        missing = self.columns.missing()
        if missing is not None:
            raise ValueError(f"{self.name}: {missing}")
        return self.row_groups(_samebits._ParquetValues(self.columns, values, _typed))

    def row_groups(self, values: _samebits._ParquetValues) -> list[int]:
        if not len(values):
            return []
        for start, end in self.columns.places():
            self.columns.query(values, start, self.read(start, end))
        return self.columns.row_groups()


def _read(source: Any, start: int, end: int, is_whole: bool = True) -> bytes:
    """Return bytes of an object, unless `is_whole` as far as there are any."""
    source.seek(start)
    parts = []
    while start < end:
        part = source.read(end - start)
        if not isinstance(part, (bytes, bytearray, memoryview)):
            raise TypeError(f"read must return bytes, got {type(part).__name__}: open the source as a binary file")
        got = memoryview(part).nbytes
        if got > end - start:
            raise ValueError(f"read must return at most {end - start} bytes, got {got}")
        if not got:
            if is_whole:
                raise EOFError(f"read must return the bytes from {start} to {end}, got none")
            break
        # The object may use its buffer again.
        parts.append(bytes(part))
        start += got
    return b"".join(parts)


def _open(path: str, filesystem: Any = None) -> Any:
    """Open a plain file. Opening a pipe would wait for its writer."""
    if filesystem is None:
        if not stat.S_ISREG(os.stat(path).st_mode):
            _refuse_folder(path)
            raise OSError(f"{path}: must be a plain file")
        return open(path, "rb", buffering=0)
    if hasattr(filesystem, "open_input_file"):
        return filesystem.open_input_file(path)
    try:
        # A cache would read more than is needed.
        return filesystem.open(path, "rb", cache_type="none")
    except TypeError:
        # Some file systems have no choice of caches.
        return filesystem.open(path, "rb")


def _check_column(column: str) -> None:
    if not isinstance(column, str):
        raise TypeError(f"column must be str, got {type(column).__name__}")


def _path_of(path: Any) -> str:
    text = os.fspath(path) if isinstance(path, os.PathLike) else path
    if isinstance(text, str):
        return text
    hint = ": pass os.fsdecode(path)" if isinstance(text, bytes) else ""
    raise TypeError(f"paths must be str or os.PathLike, got {type(path).__name__}{hint}")


def _column_of(values: Iterable[Any]) -> Any:
    """Return values in a form that can be read more than once, and in other threads."""
    is_one_value = isinstance(values, (str, bytes, bytearray))
    has_parts = getattr(values, "ndim", 1) != 1 and not hasattr(type(values), "columns")
    if is_one_value or has_parts or getattr(values, "nlevels", 1) != 1:
        raise TypeError(f"values must be a list or one column, got {type(values).__name__}")
    column_of: Any = values
    pandas, numpy = sys.modules.get("pandas"), sys.modules.get("numpy")
    if pandas and isinstance(values, (pandas.Series, pandas.Index, pandas.api.extensions.ExtensionArray)):
        column_of = pandas.Series(values)
        # Exported to Arrow, objects would all get one type, and numbers that are none would be nulls.
        if numpy and isinstance(column_of.dtype, numpy.dtype):
            column_of = column_of.to_numpy()
    _samebits._check_values(column_of)
    has_all = any(hasattr(column_of, name) for name in ("__len__", "__arrow_c_stream__", "__arrow_c_array__"))
    if has_all and not hasattr(column_of, "__next__"):
        return column_of
    # Cursors of databases, among others, belong to this thread. An interrupt would wait for `list(column_of)`.
    return [value for value in column_of]


def _typed(values: Any) -> Iterator[Any]:
    """Yield each value with its type, or an Arrow array of it."""
    numpy = sys.modules.get("numpy")
    if numpy and isinstance(values, numpy.ndarray):
        yield from _of_numpy(numpy, values)
        return
    for value in values:
        if numpy and isinstance(value, (numpy.generic, numpy.ndarray)) and not isinstance(value, (str, bytes, float)):
            yield from _of_numpy(numpy, value)
        else:
            # A message needs no more of a long text.
            yield value[:100] if isinstance(value, (str, bytes)) else value, *_given(value)


def _of_numpy(numpy: Any, array: Any) -> Iterator[Any]:
    """Yield the values of an array or a scalar, by its type and unit."""
    if numpy.ma.is_masked(array):
        raise ValueError("values must not be masked, got a masked array: pass values.compressed()")
    dtype = array.dtype
    if dtype.kind not in "iufMSUTO" or array.ndim > 1:
        raise _wrong_type(f"an array of NumPy's {dtype}")
    items = numpy.asarray(array).reshape(-1)
    if dtype.kind == "M":
        unit, count = numpy.datetime_data(dtype)
        count *= _SECONDS.get(unit, 1)
        for item, number in zip(items, items.astype("i8").tolist()):
            if number == -(2**63):
                raise ValueError("values must not be null, got NaT")
            if unit not in _SECONDS and unit not in _FRACTIONS:
                raise ValueError(f"values must be dates or times, got {dtype}: convert them to days first")
            if unit in "WD":
                yield item, "date", number * count // 86_400, 0, False
            else:
                yield item, "timestamp", number * count, _FRACTIONS.get(unit, 0), False
    elif dtype.kind == "f":
        doubles = items.astype("f8")
        if not numpy.array_equal(items, doubles, equal_nan=True):
            raise ValueError("values must be numbers that float64 can store, got more digits")
        for item in doubles.tolist():
            yield item, "float", item, {2: 3, 4: 6}.get(dtype.itemsize, 15), False
    elif dtype.kind == "S":
        for item in items.tolist():
            yield item, "bytes", item, dtype.itemsize, False
    else:
        yield from _typed(items.tolist())


def _given(value: Any) -> tuple[Any, ...]:
    """Return the type of an object of Python, and the value in parts."""
    match value:
        case str():
            return "text", value, 0, False
        case bytes():
            return "bytes", value, len(value), False
        case int() if not isinstance(value, bool):
            if value.bit_length() > 127:
                raise ValueError("values must be between -2^127 and 2^127 - 1, got a larger int")
            return "number", value, 0, False
        case float():
            return "float", value, 15, False
        case decimal.Decimal() if value.is_finite():
            try:
                # This drops zeros at the end, of which there may be many.
                value = _EXACT.normalize(value)
            except decimal.Inexact:
                reason = "values must have at most 38 digits, got a Decimal of more or of a large exponent"
                raise ValueError(reason) from None
            exponent = value.as_tuple().exponent
            return "number", int(value.scaleb(-exponent, _EXACT)), -exponent, False
        case decimal.Decimal():
            return "float", float(value), 15, False
        case datetime.datetime() | datetime.time():
            return _time(value)
        case datetime.date():
            return "date", value.toordinal() - 719_163, 0, False
        case uuid.UUID():
            return "uuid", value.bytes, 0, False
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow and isinstance(value, pyarrow.Scalar):
        return (pyarrow.repeat(value, 1),)
    raise _wrong_type(type(value).__name__)


def _time(value: Any) -> tuple[Any, ...]:
    """Return a time of day or a time, whose class may have nanoseconds."""
    # A time that is none differs from itself.
    if value != value:
        raise ValueError("values must not be null, got NaT")
    offset = value.utcoffset()
    if offset is None and value.tzinfo is not None:
        raise ValueError(f"values must be times of one offset from UTC, got {value}: it depends on the day")
    clock = datetime.timedelta(0, value.second, value.microsecond, 0, value.minute, value.hour)
    microseconds = (clock - (offset or datetime.timedelta())) // datetime.timedelta(microseconds=1)
    if isinstance(value, datetime.time):
        return "time", microseconds % 86_400_000_000, 6, offset is not None
    try:
        days = value.toordinal() - 719_163
    except NotImplementedError:
        raise ValueError(f"values must be in the years 1 to 9999, got {value}") from None
    nanoseconds = (days * 86_400_000_000 + microseconds) * 1_000 + getattr(value, "nanosecond", 0)
    return "timestamp", nanoseconds, 9, offset is not None


def _wrong_type(got: str) -> TypeError:
    return TypeError(f"values must be numbers, text, bytes, dates, times or UUIDs, got {got}")


class ColumnFilters(NamedTuple):
    """The filters that were added to a column.

    >>> ColumnFilters(row_groups=2, filters=1, values=9, different=8, nbytes=47, expected_rate=0.003).filters
    1
    """

    row_groups: int
    """The number of row groups."""
    filters: int
    """The number of row groups that got a filter."""
    values: int
    """The number of values in all row groups, without nulls."""
    different: int
    """The sum of the different values of each row group."""
    nbytes: int
    """The length of all filters with their headers."""
    expected_rate: float
    """The mean false-positive rate of the filters."""


class AddedFilters(NamedTuple):
    """The filters that were added to a file.

    >>> AddedFilters(written=False, nbytes=0, columns={}, notes=["no filter was added"]).written
    False
    """

    written: bool
    """False if no column got a filter and the file in place stays as it is."""
    nbytes: int
    """The size of the file that was written."""
    columns: dict[str, ColumnFilters]
    """The columns by their paths."""
    notes: list[str]
    """What is worth knowing: row groups without a filter, higher rates than wanted, lost owners."""


class CheckedFilter(NamedTuple):
    """A filter that was compared with the values of its row group.

    >>> CheckedFilter("id", 0, 32, 0.01, values=9, denied=0, first_denied=None, note=None).denied
    0
    """

    column: str
    """The path of the column."""
    row_group: int
    """The number of the row group, from 0."""
    nbytes: int | None
    """The length of the bit set; None if the filter is damaged."""
    expected_rate: float | None
    """The probability that an absent value matches."""
    values: int | None
    """The number of values, without nulls; None if they were not read."""
    denied: int | None
    """The number of values that the filter denies: readers lose their rows."""
    first_denied: str | None
    """The first of these values."""
    note: str | None
    """The reason why the filter or the values were not read."""


def add_bloom_filters(
    path: str | bytes | os.PathLike[Any],
    columns: str | Iterable[str],
    rate: float = 0.01,
    *,
    out: str | bytes | os.PathLike[Any] | None = None,
    in_place: bool = False,
    replace: bool = False,
    renew: bool = False,
    always: bool = False,
    max_bytes: int | None = None,
    memory: int | None = None,
) -> AddedFilters:
    """Add Bloom filters of columns to a Parquet file, as `samebits parquet add` does: the data are copied as they are.

    `columns` are the paths of columns, their parts joined by dots. One of `out`, the path of a new file, and `in_place`
    must be given. The new file appears when it is complete; mode, owner and Hadoop's checksum files are kept. `replace`
    replaces a file at `out`, `renew` filters that exist; `always` adds filters where a smaller dictionary has all
    values. A bit set has at most `max_bytes`, by default 128 MiB, and the work takes at most `memory` bytes, by default
    512 MiB. Raise ValueError if the file, a column or a number is refused, MemoryError if `memory` does not suffice, and
    OSError if the system fails.

    >>> import pyarrow.parquet
    >>> table = pyarrow.table({"id": list(range(3000))})
    >>> pyarrow.parquet.write_table(table, "plain.parquet", row_group_size=1000)
    >>> added = add_bloom_filters("plain.parquet", "id", out="with-filters.parquet", always=True)
    >>> added.columns["id"].filters
    3
    >>> parquet_row_groups("with-filters.parquet", "id", [2500])
    [2]
    """
    for name, flag in {"in_place": in_place, "replace": replace, "renew": renew, "always": always}.items():
        if not isinstance(flag, bool):
            raise TypeError(f"{name} must be True or False, got {flag!r}")
    if in_place == (out is not None):
        raise ValueError("one of out and in_place must be given")
    if in_place and replace:
        raise ValueError("replace must be given with out only")
    if isinstance(rate, str):
        raise TypeError(f"rate must be a number, got {rate!r}")
    names = [columns] if isinstance(columns, (str, bytes)) else list(columns)
    if not names:
        raise ValueError("columns must name a column, got none")
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"columns must be text, got {name!r}")
    limits = _limit("max_bytes", max_bytes), _limit("memory", memory)
    source = _file(path)
    target = None if out is None else os.fsdecode(out)
    if target is not None:
        folder = os.path.dirname(target) or os.curdir
        if not os.path.isdir(folder):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), folder)
        if os.path.lexists(target) and not replace:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target)
        _refuse_folder(target)
        if os.path.realpath(source) == os.path.realpath(target):
            raise ValueError(f"out must be another file than path, got {target}: give in_place=True instead")
    written, nbytes, added, notes = _samebits._add_bloom_filters(
        source, names, rate, target, (replace, renew, always), limits
    )
    return AddedFilters(written, nbytes, {name: ColumnFilters(*of_column) for name, of_column in added}, notes)


def check_bloom_filters(
    path: str | bytes | os.PathLike[Any], *, memory: int | None = None
) -> list[CheckedFilter]:
    """Compare the Bloom filters of a Parquet file with all values of their columns, as `samebits parquet check` does.

    A filter that is damaged, or whose values are, has a note and no number of denied values. Raise ValueError if the
    footer is damaged, MemoryError if `memory`, by default 512 MiB, does not suffice, and OSError if the system fails.

    >>> import pyarrow.parquet
    >>> table = pyarrow.table({"id": list(range(3000))})
    >>> pyarrow.parquet.write_table(table, "ids.parquet", bloom_filter_options={"id": True})
    >>> [(filter.column, filter.values, filter.denied) for filter in check_bloom_filters("ids.parquet")]
    [('id', 3000, 0)]
    """
    filters = []
    memory = _limit("memory", memory)
    for column, group, nbytes, rate, checked, note in _samebits._check_bloom_filters(_file(path), memory):
        values, denied, first = checked or (None, None, None)
        filters.append(CheckedFilter(column, group, nbytes, rate, values, denied, first, note))
    return filters


def _limit(name: str, number: int | None) -> int | None:
    if number is not None and not 0 <= number < 2**64:
        raise ValueError(f"{name} must be between 0 and 2^64 - 1, got {number}")
    return number


def _file(path: str | bytes | os.PathLike[Any]) -> str:
    """Return the path of a file that is there."""
    source = os.fsdecode(path)
    os.stat(source)
    _refuse_folder(source)
    return source


def _refuse_folder(path: str) -> None:
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
