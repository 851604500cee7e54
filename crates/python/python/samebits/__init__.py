"""Bloom filters and their relatives, byte for byte those of Guava, Spark, Redis, Parquet, RocksDB and LevelDB."""

from ._parquet import parquet_row_groups
from ._samebits import __version__

__all__ = ["__version__", "parquet_row_groups"]
