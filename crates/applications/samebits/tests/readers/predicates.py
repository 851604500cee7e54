"""Finds which readers query the Bloom filters of Parquet files for which predicates. `python3 predicates.py GUIDE` renews the
table in the guide for Parquet files; a test compares it.

A row group was read if a query fails, or finds other rows, once all its values are destroyed. All row groups have the same least
and greatest values, and no dictionaries, so that filters alone tell them apart.
"""

import datetime
import decimal
import re
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import datafusion
import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

GROUPS, ROWS = 4, 300
# Value k is in row group k % GROUPS; the first and last rows of each are equal.
KS = [k if 0 < k // GROUPS < ROWS - 1 else k // GROUPS * GROUPS for group in range(GROUPS) for k in range(group, GROUPS * ROWS, GROUPS)]
K, SAME, OTHER = 502, 506, 601
DAY, NOON = datetime.date(2001, 1, 1), datetime.datetime(2001, 1, 1, 12)
VALUES = {
    "i": (pa.int64(), lambda k: k * 7), "t": (pa.string(), lambda k: f"id {k:05}"), "d": (pa.date32(), lambda k: DAY + datetime.timedelta(k)),
    "moment": (pa.timestamp("us"), lambda k: NOON + datetime.timedelta(seconds=k)), "p": (pa.decimal128(9, 2), lambda k: decimal.Decimal(k).scaleb(-2)),
    "wide": (pa.decimal128(30, 2), lambda k: decimal.Decimal(k).scaleb(-2)), "f": (pa.float32(), lambda k: k / 4), "g": (pa.float64(), lambda k: k / 8),
    "s": (pa.struct({"a": pa.int64()}), lambda k: {"a": k * 7}), "l": (pa.list_(pa.int64()), lambda k: [k * 7]),
}  # fmt: skip
MOMENT = VALUES["moment"][1](K).isoformat(" ")
# For each predicate: SQL, where readers differ by their names, then expressions of pyarrow and Polars.
PREDICATES = {
    "`=`, integer": (f"i = {K * 7}", lambda c: c("i") == K * 7),
    "`=`, text": (f"t = 'id {K:05}'", lambda c: c("t") == f"id {K:05}"),
    "`IN`, one row group": (f"i IN ({K * 7}, {SAME * 7})", "is_in", [K * 7, SAME * 7]),
    "`OR`, one row group": (f"i = {K * 7} OR i = {SAME * 7}", lambda c: (c("i") == K * 7) | (c("i") == SAME * 7)),
    "`IN`, two row groups": (f"i IN ({K * 7}, {OTHER * 7})", "is_in", [K * 7, OTHER * 7]),
    "field of a struct": ({"DuckDB": f"s.a = {K * 7}", "Spark": f"s.a = {K * 7}", "DataFusion": f"s['a'] = {K * 7}"}, "struct", K * 7),
    "element of a list": ({"DuckDB": f"list_contains(l, {K * 7})", "Spark": f"array_contains(l, {K * 7})", "DataFusion": f"array_has(l, {K * 7})"}, "list", K * 7),
    "value of another type": (f"i = '{K * 7}'", None),
    "cast of the column": (f"CAST(i AS VARCHAR(20)) = '{K * 7}'", "cast", str(K * 7)),
    "date": (f"d = DATE '{VALUES['d'][1](K)}'", lambda c: c("d") == VALUES["d"][1](K)),
    "time, microseconds": ({"Spark": f"moment = TIMESTAMP_NTZ '{MOMENT}'", "": f"moment = TIMESTAMP '{MOMENT}'"}, lambda c: c("moment") == VALUES["moment"][1](K)),
    "decimal, 9 digits": (f"p = {K / 100}", lambda c: c("p") == VALUES["p"][1](K)),
    "decimal, 30 digits": (f"wide = {K / 100}", lambda c: c("wide") == VALUES["wide"][1](K)),
    "float32": ({"Spark": f"f = CAST({K / 4} AS FLOAT)", "": f"f = CAST({K / 4} AS REAL)"}, lambda c: c("f") == K / 4),
    "float64": ({"Spark": f"g = {K / 8}D", "": f"g = CAST({K / 8} AS DOUBLE)"}, lambda c: c("g") == K / 8),
}  # fmt: skip


def sql(name, predicate):
    texts = PREDICATES[predicate][0]
    return texts if isinstance(texts, str) else texts.get(name, texts.get(""))


def of_pyarrow(path, predicate):
    _, made, *values = PREDICATES[predicate]
    if made is None or made == "list":
        return None
    expression = {
        "is_in": lambda: pc.field("i").isin(values[0]), "struct": lambda: pc.field("s", "a") == values[0],
        "cast": lambda: pc.field("i").cast(pa.string()) == values[0],
    }[made]() if isinstance(made, str) else made(pc.field)  # fmt: skip
    return ds.dataset(path).to_table(columns=["i"], filter=expression).num_rows


def of_polars(path, predicate):
    _, made, *values = PREDICATES[predicate]
    if made is None:
        return None
    expression = {
        "is_in": lambda: pl.col("i").is_in(values[0]), "struct": lambda: pl.col("s").struct.field("a") == values[0],
        "list": lambda: pl.col("l").list.contains(values[0]), "cast": lambda: pl.col("i").cast(pl.String) == values[0],
    }[made]() if isinstance(made, str) else made(pl.col)  # fmt: skip
    return pl.scan_parquet(path).filter(expression).select(pl.len()).collect().item()


def of_duckdb(path, predicate):
    with duckdb.connect() as db:
        return db.sql(f"SELECT count(*) FROM '{path}' WHERE {sql('DuckDB', predicate)}").fetchall()[0][0]


def of_datafusion(path, predicate):
    context = datafusion.SessionContext()
    context.register_parquet("t", str(path))
    batches = context.sql(f"SELECT count(*) AS n FROM t WHERE {sql('DataFusion', predicate)}").collect()
    return batches[0].column(0)[0].as_py()


def of_spark(path, predicate):
    session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", False).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session.read.parquet(str(path)).where(sql("Spark", predicate)).count()


READERS = {"pyarrow": of_pyarrow, "DuckDB": of_duckdb, "Polars": of_polars, "Spark": of_spark, "DataFusion": of_datafusion}


def write(folder):
    """Writes a file without filters and one with filters; returns their paths."""
    rows = pa.table({name: pa.array([value(k) for k in KS], type) for name, (type, value) in VALUES.items()})
    plain, filtered = folder / "plain.parquet", folder / "filtered.parquet"
    options = {"row_group_size": ROWS, "use_dictionary": False, "compression": "none", "store_decimal_as_integer": True}
    pq.write_table(rows, plain, **options)
    paths = {column.path: True for column in pq.ParquetFile(plain).schema}
    pq.write_table(rows, filtered, bloom_filter_options=paths, **options)
    return plain, filtered


def destroyed(path, group):
    """Returns the path of a copy whose row group has no readable values."""
    data, metadata = bytearray(path.read_bytes()), pq.read_metadata(path).row_group(group)
    for column in map(metadata.column, range(metadata.num_columns)):
        start = column.data_page_offset
        data[start : start + column.total_compressed_size] = b"\xff" * column.total_compressed_size
    copy = path.with_name(f"{path.stem}-{group}.parquet")
    copy.write_bytes(data)
    return copy


def groups_read(reader, path, predicate):
    """Returns how many row groups a reader reads; `None` if it has no such predicate."""
    try:
        found = reader(path, predicate)
    except Exception:
        return None
    if found is None:
        return None
    count = 0
    for group in range(GROUPS):
        try:
            count += reader(destroyed(path, group), predicate) != found
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            count += 1
    return count


def table():
    """Returns the lines of the table: for each predicate, how many row groups each reader reads of a file with filters."""
    versions = [f"{name} {version(name.lower().replace('spark', 'pyspark'))}" for name in READERS]
    lines = [f"| predicate | {' | '.join(versions)} |", f"|---|{'---:|' * len(READERS)}"]
    with tempfile.TemporaryDirectory() as folder:
        plain, filtered = write(Path(folder))
        for predicate in PREDICATES:
            cells = []
            for name, reader in READERS.items():
                without, used = (groups_read(reader, path, predicate) for path in (plain, filtered))
                # Otherwise something else than filters tells row groups apart.
                assert without in (None, GROUPS), (predicate, name, without)
                cells.append("" if used is None else str(used))
            lines.append(f"| {predicate} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


TABLE = re.compile(r"\| predicate \|.*\n(\|.*\n)*")

if __name__ == "__main__":
    guide, measured = Path(sys.argv[1]), table()
    guide.write_text(TABLE.sub(lambda _: measured, guide.read_text()))
