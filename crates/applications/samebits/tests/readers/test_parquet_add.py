"""`samebits parquet add` on files of pyarrow, DuckDB and Spark: only filters are new, and readers skip row groups by them.

`cargo xtask test` runs it with the packages in `target/python` and `target/python-tools`, and finds `samebits` in `target/debug`.
"""

import datetime
import decimal
import json
import os
import struct
import subprocess
import tempfile
import uuid
from itertools import accumulate
from pathlib import Path

import duckdb
import hypothesis
import hypothesis.strategies as st
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.functions import col, lit

UTC, NOON = datetime.timezone.utc, datetime.datetime(2020, 1, 1, 12)
DAY, SECOND = datetime.date(1970, 1, 1), datetime.timedelta(seconds=61)
GROUPS, ROWS = 3, 200
# Value k of a column is in row group k % GROUPS, so least and greatest values of the row groups tell nothing.
KS = [row * GROUPS + group for group in range(GROUPS) for row in range(ROWS)]
ENCODED = {
    "PLAIN": ["int32", "text"], "DELTA_BINARY_PACKED": ["int32", "int64"], "DELTA_LENGTH_BYTE_ARRAY": ["text"],
    "DELTA_BYTE_ARRAY": ["text", "fixed5"], "BYTE_STREAM_SPLIT": ["int32", "int64", "float", "double", "fixed5"],
}
TYPES = {
    "int32": (pa.int32(), lambda k: k * 5 - 999), "int64": (pa.int64(), lambda k: k * 2**40), "float": (pa.float32(), lambda k: k / 4 + 1),
    "double": (pa.float64(), lambda k: k * 0.1 + 0.1), "text": (pa.string(), lambda k: f"é{k:05}"), "fixed": (pa.binary(5), b"%05d".__mod__),
    "binary": (pa.binary(), b"\xff%d".__mod__), "date32": (pa.date32(), lambda k: DAY + datetime.timedelta(k * 7)),
    "date64": (pa.date64(), lambda k: DAY + datetime.timedelta(k * 5)), "int8": (pa.int8(), lambda k: k % 256 - 128),
    "int16": (pa.int16(), lambda k: k * 9), "uint8": (pa.uint8(), lambda k: k % 256), "uint16": (pa.uint16(), lambda k: 2**16 - 1 - k),
    "uint32": (pa.uint32(), lambda k: 2**32 - 1 - k), "uint64": (pa.uint64(), lambda k: 2**64 - 1 - k),
    **{f"timestamp {u}{z or ''}": (pa.timestamp(u, z), lambda k: NOON + k * SECOND) for u in ("s", "ms", "us") for z in (None, "UTC")},
    **{f"decimal {t.precision}": (t, lambda k, t=t: decimal.Decimal(k - 99).scaleb(-t.scale))
       for t in (pa.decimal128(7, 2), pa.decimal128(15, 3), pa.decimal128(38, 10))},
}  # fmt: skip
# Types that Spark reads no file with.
RARE = {
    "uuid": (pa.uuid(), lambda k: uuid.UUID(int=k << 100 | k).bytes),
    **{str(t): (t, lambda k, n=n: k * n + n) for t, n in [(pa.time32("ms"), 1001), (pa.time64("us"), 10**6 + 1), (pa.time64("ns"), 7000)]},
    **{f"timestamp ns{z or ''}": (pa.timestamp("ns", z), lambda k: NOON + k * SECOND) for z in (None, "UTC")},
}
NESTED = {
    "struct": pa.array([{"a": {"b": f"x{k:04}", "c": k}} if k % 5 else None for k in KS]),
    "list": pa.array([None if k % 11 == 0 else [k * 9 + i for i in range(k % 4)] for k in KS]),
    "lists": pa.array([[[k], [], None, [k + 1, None]] if k % 3 else [] for k in KS]),
    "map": pa.array([[(f"key {k}", k), ("other", None)] if k % 9 else [] for k in KS], pa.map_(pa.string(), pa.int32())),
    "structs": pa.array([[{"a": k, "b": "y" * (k % 3)}] * (k % 3) for k in KS]),
    "nulls": pa.array([k if k % 7 else None for k in KS]), "few": pa.array([f"few {k % 5}" for k in KS]),
    "group of nulls": pa.array([None if k % GROUPS == 1 else k for k in KS]), "all nulls": pa.nulls(len(KS), pa.int64()),
    "a.b": pa.array(KS), "`'\"é": pa.array(KS), "text required": pa.array([f"é{k}" for k in KS]),
}  # fmt: skip
SQL = {
    "tinyint": "k % 100", "smallint": "k", "int": "k * 7919", "bigint": "k * 7919", "utinyint": "k % 100", "usmallint": "k", "uinteger": "k",
    "ubigint": "(18446744073709551615::hugeint - k)", "real": "k * 0.1", "double": "k * 0.1", "decimal(9, 2)": "-k / 100", "decimal(18, 3)": "k / 7",
    "decimal(38, 3)": "k / 7", "varchar": "'é' || k", "blob": "'x' || k", "date": "date '1970-01-01' + k::int", "time": "time '00:00:01' + to_seconds(k)",
    "uuid": "md5('a' || k)", "json": "'[' || k || ']'", "int[]": "[k, k + 1]", "struct(a int, b varchar)": "{'a': k, 'b': 'x' || k}",
    "map(varchar, int)": "map {'x' || k: k}", "timestamptz": "timestamptz '1999-01-01 00:00:00+01' + to_seconds(k)",
    **{type: "timestamp '1999-01-01' + to_seconds(k)" for type in ("timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns")},
}  # fmt: skip


def filters(*arguments):
    return subprocess.run(["samebits", "parquet", *map(str, arguments)], capture_output=True, text=True)


def thrift(data):
    """Returns a struct of Thrift's compact protocol as a list of (id, type, value), with values of any type."""
    place = 0

    def take(count):
        nonlocal place
        place += count
        return data[place - count : place]

    def number():
        byte = take(1)[0]
        return byte if byte < 128 else byte % 128 + 128 * number()

    def value(type):
        if type in (9, 10):
            size, inner = divmod(take(1)[0], 16)
            return inner, [value(inner) for _ in range(number() if size == 15 else size)]
        if type == 11:
            count = number()
            key, inner = divmod(take(1)[0], 16) if count else (0, 0)
            return key, inner, [(value(key), value(inner)) for _ in range(count)]
        if type == 12:
            fields, id = [], 0
            while byte := take(1)[0]:
                delta, type = divmod(byte, 16)
                id = id + delta if delta else (lambda n: n >> 1 ^ -(n & 1))(number())
                fields.append((id, type, None if type in (1, 2) else value(type)))
            return fields
        return number() if type in (4, 5, 6) else take(number() if type == 8 else {1: 1, 2: 1, 3: 1, 7: 8, 13: 16}[type])

    return value(12)


def encode(type, value):
    def number(n):
        return bytes([n]) if n < 128 else bytes([n % 128 + 128]) + number(n // 128)

    if type in (9, 10):
        return bytes([0xF0 + value[0]]) + number(len(value[1])) + b"".join(encode(value[0], item) for item in value[1])
    if type == 11:
        items = [encode(inner, item) for pair in value[2] for inner, item in zip(value[:2], pair)]
        return number(len(value[2])) + (bytes([value[0] * 16 + value[1]]) if items else b"") + b"".join(items)
    if type == 12:
        made, last = b"", 0
        for id, type, item in value:
            made += bytes([(id - last) * 16 + type]) if 0 < id - last < 16 else bytes([type]) + number(id * 2)
            made, last = made + encode(type, item), id
        return made + b"\0"
    return number(value) if type in (4, 5, 6) else (number(len(value)) if type == 8 else b"") + (value or b"")


def footer(path):
    """Returns the bytes before the footer, and the footer."""
    data = path.read_bytes()
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    assert data[-4:] == b"PAR1"
    return data[:start], thrift(data[start:-8])


def field(fields, id):
    return next((value for known, _, value in fields if known == id), None)


def chunks(path):
    metadata = pq.read_metadata(path)
    return [metadata.row_group(group).column(i) for group in range(metadata.num_row_groups) for i in range(metadata.num_columns)]


def paths(path):
    """Returns the columns that can have filters: decimals in bytes cannot."""
    schema = pq.ParquetFile(path).schema
    columns = [schema.column(number) for number in range(len(schema))]
    return [c.path for c in columns if c.logical_type.type != "DECIMAL" or not c.physical_type.endswith("BYTE_ARRAY")]


def add(files, out, columns, *options):
    """Adds filters to the columns of all files, which go to the folder `out`."""
    out.mkdir(exist_ok=True)
    chosen = [word for column in columns for word in ("--column", column)]
    target = out if len(files) > 1 else out / files[0].name
    done = filters("add", *files, *chosen, "--rate", "0.1%", "--always", "--out", target, *options)
    assert done.returncode == 0, done.stderr + done.stdout
    return [out / file.name for file in files]


def compare(before, after, columns):
    """Checks that filters of the columns are all that is new, and that every chunk with values has one."""
    (old, expected), (new, fields) = footer(before), footer(after)
    assert new.startswith(old), after
    places = []
    for group in field(fields, 4)[1]:
        for chunk in field(group, 1)[1]:
            metadata = field(chunk, 3)
            added = [(id, type) for id, type, _ in metadata if id in (14, 15)]
            if ".".join(part.decode() for part in field(metadata, 3)[1]) in columns and added:
                assert added == [(14, 6), (15, 5)]
                places.append((field(metadata, 14) // 2, field(metadata, 15) // 2))
                metadata[:] = [item for item in metadata if item[0] not in (14, 15)]
    assert fields == expected, after
    # Filters follow the data and each other without gaps.
    assert [offset for offset, _ in places] == list(accumulate((length for _, length in places[:-1]), initial=len(old))), after
    assert len(new) == sum(places[-1]), after
    for chunk in chunks(after):
        if chunk.path_in_schema in columns and chunk.bloom_filter_offset is None:
            assert not chunk.statistics or chunk.statistics.num_values == 0, (after, chunk.path_in_schema)


@pytest.fixture(scope="module")
def db():
    with duckdb.connect() as db:
        yield db.execute("set threads = 1; set timezone = 'UTC'")


@pytest.fixture(scope="module")
def spark():
    options = {"spark.ui.enabled": False, "spark.sql.session.timeZone": "UTC", "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS"}
    with SparkSession.builder.master("local[1]").config(map=options).getOrCreate() as spark:
        spark.sparkContext.setLogLevel("OFF")
        yield spark


@pytest.fixture(scope="module")
def readers(db, spark):
    return {
        "pyarrow": lambda path: pq.read_table(path).to_pylist(),
        "DuckDB": lambda path: db.sql(f"select * from '{path}'").fetchall(),
        "Polars": lambda path: pl.read_parquet(path).rows(),
        "Spark": lambda path: spark.read.parquet(str(path)).collect(),
    }


def table(types, **nested):
    """Returns a table with all columns, also once for each encoding."""
    made = {name: pa.array([value(k) for k in KS], type) for name, (type, value) in types.items()}
    for encoding, names in ENCODED.items():
        made |= {f"{encoding} {name}": made[name] for name in names if name in made}
    made = pa.table(made | nested)
    fields = [field.with_nullable("required" not in field.name) for field in made.schema]
    return made.cast(pa.schema(fields, {"key": "value", "é": ""}))


def write(table, path, **options):
    encodings = {name: name.split()[0] for name in table.column_names if name.split()[0] in ENCODED}
    dictionary = [name for name in table.column_names if name not in encodings]
    options = {"use_dictionary": dictionary, "dictionary_pagesize_limit": 500, "write_batch_size": 16, "data_page_size": 600} | options
    pq.write_table(table, path, row_group_size=ROWS, column_encoding=encodings, **options)


def check(before, after, columns, readers, refused=()):
    for old, new in zip(before, after, strict=True):
        compare(old, new, columns)
        for name, rows in readers.items():
            if (name, old.stem.split()[0]) not in refused:
                assert repr(rows(new)) == repr(rows(old)), (name, new)
    assert filters("check", *after).returncode == 0
    # A filter without a bit.
    chunk, data = chunks(after[-1])[0], bytearray(after[-1].read_bytes())
    end, bitset = chunk.bloom_filter_offset + chunk.bloom_filter_length, 1 << chunk.bloom_filter_length.bit_length() - 1
    data[end - bitset : end] = bytes(bitset)
    after[-1].write_bytes(data)
    done = filters("check", *after)
    assert done.returncode == 1 and columns[0] in done.stdout, done.stderr


def test_pyarrow(readers, tmp_path):
    """Every compression, encoding, version of pages, type and nesting."""
    common, before = table(TYPES, **NESTED), []
    for number, compression in enumerate(["none", "snappy", "gzip", "brotli", "zstd", "lz4"]):
        for version in ("1.0", "2.0"):
            options = {"compression": compression, "data_page_version": version, "write_page_index": number % 2 == 0,
                       "write_page_checksum": number % 3 == 0, "store_decimal_as_integer": number % 2 == 1,
                       "sorting_columns": [pq.SortingColumn(3)], "use_content_defined_chunking": number == 4}  # fmt: skip
            before.append(tmp_path / f"{compression} {version}.parquet")
            write(common, before[-1], **options)
    after = add(before, tmp_path / "out", paths(before[0]))
    # Spark has no decoder for Brotli.
    check(before, after, paths(before[0]), readers, [("Spark", "brotli")])
    # Encodings of fixed lengths are unknown to all readers but pyarrow.
    for types, names in [(RARE, ("pyarrow", "DuckDB", "Polars")), ({"fixed5": TYPES["fixed"]}, ("pyarrow",))]:
        before, some = [tmp_path / "some.parquet"], table(types)
        write(some, before[0])
        after = add(before, tmp_path / "out", some.column_names, "--replace")
        check(before, after, some.column_names, {name: readers[name] for name in names})


def test_duckdb(readers, db, tmp_path):
    before, values = [], ", ".join(f'({value})::{type} as "{type}"' for type, value in SQL.items())
    for compression in ("uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4", "lz4_raw"):
        for version in ("v1", "v2"):
            before.append(tmp_path / f"{compression} {version}.parquet")
            options = f"compression {compression}, parquet_version {version}, row_group_size 2048, write_bloom_filter false"
            db.sql(f"copy (select {values} from range(2500) t(k)) to '{before[-1]}' (format parquet, {options})")
    after = add(before, tmp_path / "out", paths(before[0]))
    check(before, after, paths(before[0]), {name: readers[name] for name in ("pyarrow", "DuckDB")})


def test_spark(readers, spark, tmp_path):
    before, rows = [], spark.range(2000).selectExpr(
        "id", "cast(id as int) i", "cast(id as short) s", "cast(id / 7 as float) f", "id / 7 as d", "concat('é', id) t", "cast(concat('x', id) as binary) b",
        "date_add(date'1970-01-01', cast(id as int)) day", "timestamp_seconds(id * 61) at", "cast(id / 7 as decimal(9, 2)) d9",
        "cast(id / 7 as decimal(18, 3)) d18", "cast(id / 7 as decimal(38, 5)) d38", "array(id, null) l", "map(concat('x', id), id) m",
        "named_struct('a', if(id % 3 = 0, null, id)) n", "concat('few ', id % 5) few", "array(named_struct('a', id)) ls",
    )  # fmt: skip
    for compression in ("none", "snappy", "gzip", "zstd", "lz4", "lz4_raw"):
        for version in ("PARQUET_1_0", "PARQUET_2_0"):
            folder = tmp_path / f"{compression} {version}"
            spark.conf.set("spark.sql.parquet.writeLegacyFormat", compression == "gzip")
            options = {"parquet.writer.version": version, "parquet.block.size": 60_000, "parquet.page.size": 2000}
            rows.coalesce(1).write.options(compression=compression, **options).parquet(str(folder))
            before.append(next(folder.glob("*.parquet")).rename(folder.with_suffix(".parquet")))
    # The old format has other names.
    for some in (before[:4] + before[6:], before[4:6]):
        check(some, add(some, tmp_path / "out", paths(some[0])), paths(some[0]), readers)


def test_checksums(spark, tmp_path):
    """Spark reads files whose checksums it wrote, after they were replaced."""
    spark.range(2000).repartition(3).write.parquet(str(tmp_path / "lake"))
    *others, one = (tmp_path / "lake").glob("*.parquet")
    for inputs, target in [([tmp_path / "lake"], ["--in-place"]), ([others[0]], ["--out", one, "--replace"])]:
        done = filters("add", *inputs, "--column", "id", "--always", "--renew", *target)
        assert done.returncode == 0 and f".{one.name}.crc were written anew" in done.stderr, done.stderr
        assert len(spark.read.parquet(str(tmp_path / "lake")).collect()) >= 1000
    one.with_name(f".{one.name}.crc").write_bytes(others[0].with_name(f".{others[1].name}.crc").read_bytes())
    with pytest.raises(Exception, match="ChecksumException"):
        spark.read.parquet(str(one)).collect()


def duckdb_scan(db, path, condition):
    """Returns the numbers of rows that DuckDB finds, and of row groups that it reads."""
    profile = path.with_suffix(".json")
    db.execute(f"set enable_profiling = 'json'; set profiling_output = '{profile}'")
    rows = len(db.execute(f"select 1 from '{path}' where {condition}").fetchall())
    db.execute("set enable_profiling = 'no_output'")
    return rows, json.loads(profile.read_text())["query"]["total_row_groups_scanned"]


def spark_scan(spark, path, condition):
    """Returns the numbers of rows that Spark finds, and of row groups that it reads, which have `ROWS` rows each."""
    found = spark.read.parquet(str(path)).where(condition)
    rows, plans = len(found.collect()), [found._jdf.queryExecution().executedPlan()]
    while not (plan := plans.pop()).nodeName().startswith("Scan"):
        plans += [plan.children().apply(i) for i in range(plan.children().size())]
    return rows, plan.metrics().apply("numOutputRows").value() // ROWS


def test_skipping(db, spark, tmp_path):
    """Row groups that have other values between the least and the greatest are skipped, by filters alone; no other is."""
    row, skipped = ROWS + 134, {"DuckDB": set(), "Spark": set()}

    def compare_scans(reader, name, files, scan):
        before, after = map(scan, files)
        rows = 2 if "int8" in name else 1
        assert before == (rows, GROUPS) and after[0] == rows, (reader, name, before, after)
        if after[1] == rows:
            skipped[reader].add(name)

    for types, nested in [(RARE, {}), (TYPES, {"struct": NESTED["struct"]})]:
        before = tmp_path / f"{len(types)}.parquet"
        write(table(types, **nested), before, use_dictionary=[], store_decimal_as_integer=True)
        files = before, *add([before], tmp_path / "out", paths(before))
        relation = db.sql(f"select columns(*) from '{before}' limit 1 offset {row}")
        values = db.sql("select columns(*)::varchar from relation").fetchall()[0]
        for name, type, value in zip(relation.columns, relation.types, values, strict=True):
            condition = f"\"{name}\" = '{value}'::{type}" if name != "struct" else f"struct.a.b = 'x{KS[row]:04}'"
            compare_scans("DuckDB", name, files, lambda path: duckdb_scan(db, path, condition))
    rows = spark.read.parquet(str(before))
    for name, value, field in zip(rows.columns, rows.collect()[row], rows.schema, strict=True):
        condition = col("struct.a.b") == value.a.b if name == "struct" else col(name) == lit(value).cast(field.dataType)
        if name.split()[0] not in ENCODED:
            compare_scans("Spark", name, files, lambda path: spark_scan(spark, path, condition))
    # Spark queries only filters of types that it writes itself.
    others = {"fixed", "uint8", "uint16", "uint32", "uint64", "timestamp s", "timestamp ms", "timestamp us", "decimal 38"}
    assert {*TYPES, *RARE, "struct"} - skipped["DuckDB"] == {"decimal 38"}
    assert {*TYPES, "struct"} - skipped["Spark"] == others


@pytest.mark.parametrize("type", ["f4", "f8"])
def test_zeros_and_nans(type, db, spark, tmp_path):
    """Filters change no answer on numbers that are equal and have other bits, though Spark looks up those of the query."""
    signed, payload = np.array([-1, 0x7FC00001 if type == "f4" else 0x7FF8000000000001], f"i{type[1:]}").view(type)
    stored = [-0.0, 0.0, signed, payload]
    before, values = tmp_path / "t.parquet", np.array([[-3, number, 7] for number in stored], type).ravel()
    pq.write_table(pa.table({"c": values}), before, row_group_size=3, use_dictionary=False, write_statistics=False)
    after, found = add([before], tmp_path / "out", ["c"])[0], []
    assert {number.tobytes() for number in pq.read_table(after)["c"].to_numpy()} >= {signed.tobytes(), payload.tobytes()}
    for query in (0.0, -0.0, float("nan")):
        for path in (before, after):
            rows = spark.read.parquet(str(path))
            found.append(rows.where(col("c") == lit(query).cast(rows.schema[0].dataType)).count())
            found.append(len(db.execute(f"select 1 from '{path}' where c = '{query}'::float{type[1:]}").fetchall()))
    assert found == [2] * 12


UNKNOWN = [(1, None), (2, None), (3, b"a"), (4, 1), (5, 300), (6, 2**60), (7, b"12345678"), (8, b"text"), (9, (5, [1, 2])), (10, (8, [b"t"])),
           (11, (0, 0, [])), (11, (8, 5, [(b"key", 7)])), (12, [(1, 5, 3), (40, 1, None), (2, 8, b"")])]  # fmt: skip
FIELD = st.tuples(st.sampled_from([18, 100, 30_000]), st.sampled_from(UNKNOWN)).map(lambda field: (field[0], *field[1]))


@hypothesis.settings(deadline=None, derandomize=True, max_examples=100)
@hypothesis.given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 99), st.integers(0, 99), FIELD), min_size=1))
def test_fields_of_later_versions(fields):
    """Unknown fields of every type stay, wherever they are."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.parquet"
        rows = pa.table({"c": [*KS, None], "text": [*map(str, KS), "7"]})
        with pq.ParquetWriter(path, rows.schema, write_page_index=True) as writer:
            # Chunks of the last row group have no place.
            for some in (rows[:400], rows[400:], rows[:0]):
                writer.write_table(some)
        data, root = footer(path)
        groups = field(root, 4)[1]
        parts = [part for group in groups for part in field(group, 1)[1]]
        levels = [[root], groups, parts, [field(part, 3) for part in parts]]
        for level, index, place, unknown in fields:
            struct = levels[level][index % len(levels[level])]
            struct.insert(place % (len(struct) + 1), unknown)
        encoded = encode(12, root)
        path.write_bytes(data + encoded + len(encoded).to_bytes(4, "little") + b"PAR1")
        after = add([path], path.with_suffix(""), ["c", "text"])[0]
        compare(path, after, ["c", "text"])
        assert pq.read_table(after).equals(pq.read_table(path))


class Keys(pe.KmsClient):
    """Leaves keys as they are."""

    def wrap_key(self, key, name):
        return key.hex().encode()

    def unwrap_key(self, key, name):
        return bytes.fromhex(key.decode())


def refuse(path, column):
    done = filters("add", path, "--column", column, "--out", path.with_name("out"))
    assert done.returncode == 2 and os.listdir(path.parent) == [path.name], done.stderr


@pytest.mark.parametrize("options", [{}, {"plaintext_footer": True}])
def test_encrypted(options, tmp_path):
    factory = pe.CryptoFactory(lambda _: Keys())
    configuration = pe.EncryptionConfiguration(footer_key="foot", column_keys={"key": ["secret"]}, **options)
    properties = factory.file_encryption_properties(pe.KmsConnectionConfig(), configuration)
    pq.write_table(pa.table({"secret": KS, "open": KS}), tmp_path / "t.parquet", encryption_properties=properties)
    refuse(tmp_path / "t.parquet", "secret")
    refuse(tmp_path / "t.parquet", "open")


# Readers would look up other bytes than those of FLOAT16 and of decimals in bytes.
REFUSED = {"bool": pa.array([True]), "int96": pa.array([NOON]), "float16": pa.array(np.arange(2, dtype="f2")),
           "decimal128": pa.array([1, 2]).cast(pa.decimal128(30, 2)), "decimal256": pa.array([1, 2]).cast(pa.decimal256(60, 2))}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, tmp_path):
    pq.write_table(pa.table({"c": REFUSED[name]}), tmp_path / "t.parquet", use_deprecated_int96_timestamps=True)
    refuse(tmp_path / "t.parquet", "c")
