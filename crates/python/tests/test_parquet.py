"""Row groups of files by pyarrow and DuckDB: no stored value is denied, and most others are."""

import datetime
import decimal
import uuid
import zoneinfo

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from samebits import Filter, parquet_row_groups

UTC, BERLIN = datetime.timezone.utc, zoneinfo.ZoneInfo("Europe/Berlin")
DAY, NOON = datetime.date(1970, 1, 1), datetime.datetime(2020, 1, 1, 12)
ROWS = range(300)
NANOSECONDS = pa.array([1_577_880_000_000_000_000 + i for i in ROWS])
DATES = [DAY + datetime.timedelta(13 * i) for i in ROWS]
ARROW = {
    "a.b": pa.array([i * 3 for i in ROWS]),
    **{f"int{n}": pa.array([i % 250 - 125 for i in ROWS], f"int{n}") for n in (8, 16, 32, 64)},
    **{f"uint{n}": pa.array([2**n - 1 - i % 250 for i in ROWS], f"uint{n}") for n in (8, 16, 32, 64)},
    **{f"float{n}": pa.array(np.arange(300, dtype=f"f{n // 8}") / 10) for n in (16, 32, 64)},
    **{f"text {type}": pa.array([f"é{i}" for i in ROWS]).cast(type) for type in ("string", "large_string", "string_view")},
    "dictionary": pa.array([f"x{i}" for i in ROWS]).dictionary_encode(),
    "binary": pa.array([b"\xff%d" % i for i in ROWS]),
    **{f"fixed {n}": pa.array([b"%0*d" % (n, i) for i in ROWS], pa.binary(n)) for n in (4, 16)},
    "uuid": pa.array([uuid.UUID(int=i << 100 | i).bytes for i in ROWS], pa.uuid()),
    "date32": pa.array(DATES), "date64": pa.array(DATES, pa.date64()), "old date": pa.array([DAY - 36 * (day - DAY) for day in DATES]),
    **{str(t): pa.array([i * step for i in ROWS], t)
       for t, step in [(pa.time32("s"), 60), (pa.time32("ms"), 1001), (pa.time64("us"), 1_000_001), (pa.time64("ns"), 1_000)]},
    **{f"timestamp {unit} {zone}": pa.array([NOON + i * datetime.timedelta(seconds=61) for i in ROWS], pa.timestamp(unit, zone))
       for unit in ("s", "ms", "us", "ns") for zone in (None, "UTC", "Asia/Kolkata")},
    "nanoseconds": NANOSECONDS.cast(pa.timestamp("ns")), "nanoseconds UTC": NANOSECONDS.cast(pa.timestamp("ns", "UTC")),
    **{str(t): pa.array([decimal.Decimal(i - 99).scaleb(-t.scale) for i in ROWS], t)
       for t in (pa.decimal32(7, 2), pa.decimal64(15, 3), pa.decimal128(38, 10), pa.decimal256(60, 2))},
    "struct": pa.array([{"b": {"c": f"x{i}"}} for i in ROWS]), "list": pa.array([[i * 3, i * 3 + 1] for i in ROWS]),
    "nulls": pa.array([i if i % 7 else None for i in ROWS]),
}
PATHS = {"struct": "struct.b.c", "list": "list.list.element"}
INNER = {"struct": lambda value: value["b"]["c"].as_py(), "list": lambda value: value[0]}
SQL = {
    "int": "i * 7919 - 10000", "ubigint": "(18446744073709551615::hugeint - i)", "hugeint": "i * 7 - 1000", "real": "i * 0.1",
    "double": "i * 0.1", "decimal(9, 2)": "-i / 100", "decimal(18, 3)": "i / 7", "decimal(38, 3)": "i / 7",
    "varchar": "'é' || i", "blob": "'x' || i", "date": "date '1582-10-15' + (i * 99)::int",
    "time": "time '00:00:01' + to_microseconds(i * 1000003)", "timetz": "(time '00:00:01' + to_seconds(i * 3))::timetz",
    "uuid": "md5('a' || i)", "json": "'[' || i || ']'",
    **{type: "timestamp '1999-01-01' + to_seconds(i * 61)" for type in ("timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns")},
    "timestamptz": "timestamptz '1999-01-01 00:00:00.000001+01' + to_seconds(i * 61)",
}


def check(path, column, rows):
    """Queries values of every row group, given as a list of (row, value), and returns the part that was skipped."""
    metadata, first, groups = pq.read_metadata(path), 0, []
    for group in range(metadata.num_row_groups):
        groups.append(range(first, first := first + metadata.row_group(group).num_rows))
    skipped = 0
    for row, value in rows:
        found = parquet_row_groups(path, column, [value])
        assert any(row in groups[group] for group in found), (value, found)
        skipped += len(groups) - len(found)
    return skipped / len(rows) / (len(groups) - 1)


@pytest.mark.parametrize("name", ARROW)
def test_pyarrow(name, tmp_path):
    path, column, values = tmp_path / "t.parquet", PATHS.get(name, name), ARROW[name]
    for options in ({}, {"store_decimal_as_integer": True, "write_time_adjusted_to_utc": True}):
        pq.write_table(pa.table({name: values}), path, row_group_size=100, bloom_filter_options={column: True}, **options)
        rows = [(i, INNER.get(name, lambda value: value)(value)) for i, value in enumerate(values) if value.is_valid]
        # Bytes repeat in all groups.
        assert check(path, column, rows) > (0 if "int" in name else 0.95)


@pytest.mark.parametrize("type", SQL)
def test_duckdb(type, tmp_path):
    path = tmp_path / "t.parquet"
    with duckdb.connect() as db:
        db.sql("set threads = 1; set timezone = 'Asia/Kolkata'")
        options = "format parquet, row_group_size 2048, dictionary_size_limit 9999"
        db.sql(f"copy (select ({SQL[type]})::{type} as c from range(6144) t(i)) to '{path}' ({options})")
        values = [value for value, in db.sql(f"select c from '{path}'").fetchall()]
    # DuckDB writes filters for some of the row groups, and none for decimals of 16 bytes.
    assert check(path, "c", list(enumerate(values))[::101]) >= (0 if "38" in type else 0.1)


@pytest.mark.parametrize("make", [list, pa.chunked_array, pd.Series, pl.Series, pa.Array.to_pylist, lambda a: a.to_numpy(False)])
@pytest.mark.parametrize("name", ["int64", "float32", "binary", "uuid", "date32", "time64[ns]", "nanoseconds", "decimal128(38, 10)"])
def test_containers(make, name, tmp_path):
    path, values = tmp_path / "t.parquet", ARROW[name]
    pq.write_table(pa.table({name: values}), path, row_group_size=100, bloom_filter_options={name: True})
    for group in range(3):
        assert group in parquet_row_groups(path, name, make(values[group * 100 :][:1]))


ID, AMSTERDAM = uuid.UUID(int=2**100 + 7), datetime.timezone(datetime.timedelta(minutes=19, seconds=32))
FORMS = [
    (pa.array([ID.bytes_le], pa.uuid()), [ID, ID.bytes, str(ID)], [uuid.UUID(int=8)]),
    (pa.array([ID.bytes_le], pa.binary(16)), [ID.bytes_le], [ID.bytes]),
    (pa.array([b"text"]), ["text", b"text"], ["7"]), (pa.array([b"text"], pa.binary(4)), ["text", "74657874"], ["none"]),
    (pa.array([NOON], pa.timestamp("us", "UTC")), [(NOON + AMSTERDAM.utcoffset(None)).replace(tzinfo=AMSTERDAM)], []),
    (pa.array([DAY]), ["1970-01-01", 0, NOON.replace(1970, hour=0), np.datetime64(0, "D")], [DAY.replace(year=1971)]),
    (pa.array([0.1]), ["0.1", decimal.Decimal("0.1")], [0.2]),
]


@pytest.mark.parametrize("column, present, absent", FORMS)
def test_forms(column, present, absent, tmp_path):
    pq.write_table(pa.table({"c": column}), tmp_path / "t.parquet", bloom_filter_options={"c": True})
    for values, groups in [*[([value], [0]) for value in present], (absent, [])]:
        assert parquet_row_groups(tmp_path / "t.parquet", "c", values) == groups, values


REFUSED = [
    *[("int64", v, TypeError) for v in (5, "567", b"567", np.array([[1]]), pd.MultiIndex.from_tuples([(1, 2)]), *(t({"a": [1]}) for t in (pa.table, pd.DataFrame, pl.DataFrame)))],
    *[("int64", [v], TypeError) for v in (None, True, np.True_, pd.NA, [1], datetime.timedelta(1))],
    *[("int64", [v], ValueError) for v in (2**64, 7.0, b"x", DAY, uuid.UUID(int=1), "seven")], ("uint8", [256], ValueError),
    *[("text string", [v], ValueError) for v in (7, uuid.UUID(int=1), "\ud800")],
    *[("fixed 4", [v], ValueError) for v in (7, 12345678, b"123", "1")],
    *[("uuid", [v], ValueError) for v in (b"123", "123", 1.5)], *[("fixed 16", [v], ValueError) for v in (ID, str(ID), ID.hex)], ("decimal128(38, 10)", [decimal.Decimal("1e-11")], ValueError),
    *[("date32", [v], ValueError) for v in (NOON, NOON.replace(hour=0, microsecond=5), NOON.replace(hour=0, tzinfo=UTC), DAY.replace(1582, 10, 14))],
    ("time64[us]", [datetime.time(tzinfo=UTC)], ValueError), ("time64[us]", [datetime.time(12, tzinfo=BERLIN)], ValueError),
    ("timestamp us UTC", [datetime.datetime.min.replace(tzinfo=BERLIN)], ValueError), ("int64", [np.timedelta64(5, "ns")], TypeError),
    ("text string", pl.Series([DAY]), ValueError), ("int64", pl.Series([DAY - DAY]), TypeError), ("timestamp us None", [DAY], ValueError),
    *[("timestamp us None", [v], ValueError) for v in (NOON.replace(tzinfo=UTC), NOON.replace(year=1850), pd.NaT, np.datetime64(1, "ns"))],
    ("timestamp us UTC", [NOON], ValueError), ("missing", [1], ValueError), ("twice", [1], ValueError),
]


@pytest.mark.parametrize("column, values, error", REFUSED)
def test_refused(column, values, error, tmp_path):
    names = [*ARROW, "twice", "twice"]
    pq.write_table(pa.table([*ARROW.values(), pa.nulls(300), pa.nulls(300)], names=names), tmp_path / "t.parquet")
    with pytest.raises(error):
        parquet_row_groups(tmp_path / "t.parquet", column, values)


def test_files(tmp_path):
    """Filters that are missing, empty or damaged deny nothing; files that are missing or damaged are errors."""
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"c": list(ROWS), "nulls": pa.array([None] * 300, pa.int64())}), path, row_group_size=100)
    assert parquet_row_groups(str(path), "c", [-1]) == [0, 1, 2] and parquet_row_groups(path, "c", []) == []
    pq.write_table(pq.read_table(path), path, row_group_size=100, bloom_filter_options={"c": True, "nulls": True})
    assert parquet_row_groups(path, "c", (n for n in (-1, 7, 207))) == [0, 2] and parquet_row_groups(path, "nulls", [1]) == []
    chunk, data = pq.read_metadata(path).row_group(1).column(0), path.read_bytes()
    start, end = chunk.bloom_filter_offset, chunk.bloom_filter_offset + chunk.bloom_filter_length
    for place, changed in [(end - 128, bytes(128)), (start, b"\xff")]:
        path.write_bytes(data[:place] + changed + data[place + len(changed) :])
        assert parquet_row_groups(path, "c", [7]) == [0, 1]
    path.write_bytes(data[:-5])
    for wrong, error in [(path, ValueError), (tmp_path / "none", FileNotFoundError), (tmp_path, OSError)]:
        with pytest.raises(error, match=wrong.name):
            parquet_row_groups(wrong, "c", [1])
    path.write_bytes(data[:1024])
    for read in (lambda: Filter.open(path, "parquet"), lambda: Filter.open(path, "parquet", mmap=True),
                 lambda: Filter.open(path), lambda: Filter.from_bytes(data[:1024], "parquet", keys="int64")):
        with pytest.raises(ValueError, match="parquet_row_groups"):
            read()
    # A row group is left out if no column of the path has the value.
    pq.write_table(pa.table([pa.array([1, 2]), pa.array([3, 4])], names=["c", "c"]), path, bloom_filter_options={"c": True})
    assert [parquet_row_groups(path, "c", [number]) for number in (2, 3, 5)] == [[0], [0], []]
