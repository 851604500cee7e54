"""Passes values of Python to the filters of Parquet files."""

import datetime
import decimal
import os
import uuid
from collections.abc import Iterable
from typing import Any

from . import _samebits


def parquet_row_groups(path: str | os.PathLike[str], column: str, values: Iterable[Any]) -> list[int]:
    """Return the numbers of the row groups that may contain one of the values, by the Bloom filters in the file.

    The other row groups certainly contain none of them. A row group without a readable filter of the column may
    contain any value.

    `column` is the path of the column, its parts joined by dots, as in "items.list.element". Values are int, float,
    str, bytes, Decimal, date, datetime, time and UUID, and scalars, arrays and columns of NumPy, Arrow, pandas and
    polars. A datetime must be aware of its time zone if the column is in UTC, and naive otherwise. Bytes, and numbers
    for a column of dates or times, are taken as they are stored. Raise ValueError if a value is none of the column's
    type, or if its stored form is not certain.

    >>> import pyarrow.parquet
    >>> table = pyarrow.table({"id": list(range(3000))})
    >>> pyarrow.parquet.write_table(table, "rows.parquet", row_group_size=1000, bloom_filter_options={"id": True})
    >>> parquet_row_groups("rows.parquet", "id", [7, 2500])
    [0, 2]
    """
    is_one_value = isinstance(values, (str, bytes, bytearray))
    if is_one_value or hasattr(values, "columns") or getattr(values, "ndim", 1) != 1:
        raise TypeError(f"values must be a list or one column of values, got {type(values).__name__}")
    items: Any = values
    # Items of polars have no nanoseconds.
    if type(items).__module__.startswith("polars.") and str(items.dtype).startswith(("Date", "Time")):
        return _samebits.parquet_row_groups(path, column, [(str(item),) for item in items.dt.to_string("iso")])
    return _samebits.parquet_row_groups(path, column, [_given(item) for item in items])


def _given(value: Any) -> str | bytes | tuple[str]:
    """Return text and bytes as they are, and other values as people write them."""
    if hasattr(value, "as_py"):
        value = value.as_py()
    if hasattr(value, "dtype"):
        # The items of dates have no nanoseconds.
        if value.dtype.kind == "M":
            return (str(value),)
        # Some would be integers.
        value = value if value.dtype.kind == "m" else value.item()
    match value:
        case str():
            # Surrogates are no text.
            value.encode()
            return value
        case bytes():
            return value
        case bool():
            pass
        case int():
            return (str(int(value)),)
        case float():
            return (repr(float(value)),)
        case decimal.Decimal():
            return (format(value, "f"),)
        case datetime.datetime(tzinfo=datetime.tzinfo()):
            try:
                return (value.astimezone(datetime.timezone.utc).isoformat(),)
            except OverflowError:
                raise ValueError(f"values must be in the years 1 to 9999 in UTC, got {value}") from None
        case datetime.time(tzinfo=datetime.tzinfo()):
            if value.utcoffset() is None:
                raise ValueError(f"values must be times of one offset from UTC, got {value}: it depends on the day")
            moment = datetime.datetime.combine(datetime.date(2000, 1, 1), value)
            return (f"{moment.astimezone(datetime.timezone.utc).time().isoformat()}Z",)
        case datetime.date() | datetime.time():
            return (value.isoformat(),)
        case uuid.UUID():
            return (str(value),)
    raise TypeError(
        f"values must be numbers, text, bytes, dates, times or UUIDs, got {type(value).__name__}"
    )
