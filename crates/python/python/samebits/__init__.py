"""Bloom filters and their relatives, byte for byte those of Guava, Spark, Redis, Parquet, RocksDB and LevelDB."""

from __future__ import annotations

from typing import NamedTuple

from ._lakes import parquet_files
from ._parquet import (
    AddedFilters,
    CheckedFilter,
    ColumnFilters,
    add_bloom_filters,
    check_bloom_filters,
    parquet_row_groups,
)
from ._samebits import Filter, FilterSet, __version__, _formats

__all__ = [
    "AddedFilters",
    "CheckedFilter",
    "ColumnFilters",
    "Filter",
    "FilterSet",
    "Format",
    "__version__",
    "add_bloom_filters",
    "check_bloom_filters",
    "formats",
    "parquet_files",
    "parquet_row_groups",
]


class Format(NamedTuple):
    """A format of filters.

    >>> [format.name for format in formats() if format.grows][:3]
    ['guava', 'guava-envelope', 'blocked']
    """

    name: str
    """The name for the argument `format`."""
    aliases: list[str]
    """Other names of it, the last of which files state."""
    grows: bool
    """True if keys can be added at any time; otherwise a filter is built of all keys at once."""


def formats() -> list[Format]:
    """Return all formats.

    >>> formats()[0]
    Format(name='leveldb', aliases=['leveldb.BuiltinBloomFilter2'], grows=False)
    """
    return [Format(names[0], names[1:], grows) for names, grows in _formats()]
