"""Filters that other software wrote, bit for bit. Each test counts what it compared."""

import hashlib
import json
import pathlib
import struct
from collections import Counter

import pytest
from samebits import Filter

CRATES = pathlib.Path(__file__).parents[2]
APPLICATIONS = CRATES / "applications/membership-filters/tests/data"
ENGINES = CRATES / "filters/filter-policy/tests/data"


def rows(path):
    return [json.loads(line) for line in path.open()]


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def digits(answers):
    return "".join(str(int(answer)) for answer in answers)


def hexadecimal(answers):
    """The answers as hexadecimal digits, the first of four in the highest bit."""
    bits = digits(answers)
    return "".join(f"{int(bits[at : at + 4], 2):x}" for at in range(0, len(bits), 4))


def guava_keys(row):
    """The kind of the keys in a row, and the key of a number."""
    signed = lambda number: struct.unpack("q", struct.pack("Q", number % 2**64))[0]
    return {
        "key+i": ("text", lambda i: f"key{i}"),
        "i": ("int32", lambda i: i),
        "i*0x9E3779B97F4A7C15 wrapping i64": ("int64", lambda i: signed(i * 0x9E3779B97F4A7C15)),
        "u32 LE bytes of i": ("text", lambda i: i.to_bytes(4, "little")),
        "U+952E + decimal i": ("utf16" if "unencoded" in row["funnel"] else "text", lambda i: f"\u952e{i}"),
    }[row["keys"]]


@pytest.mark.filterwarnings("ignore::samebits.CapacityWarning")
def test_guava():
    """Guava's streams; filters are sized as by Guava 33.4, which differs from 31.1 for capacities of 0 and 1."""
    same = lambda row: (row["strategy"], row["funnel"], row["n"], row["fpp"], row["inserted"])
    newer = {same(row): row for row in rows(APPLICATIONS / "guava/newer/filters_that_differ.jsonl")}
    counted = Counter()
    for row in rows(APPLICATIONS / "guava/filters.jsonl"):
        row = newer.get(same(row), row)
        kind, key = guava_keys(row)
        present = [key(i) for i in range(row["inserted"])]
        if "hex" in row:
            stream = bytes.fromhex(row["hex"])
            got = Filter.from_bytes(stream, "guava", keys=kind)
            assert all(got.contains_many(present)), row
            assert digits(got.contains_many([key(1_000_000 + j) for j in range(100)])) == row["absent"], row
            assert got.to_bytes() == stream and got.expected_rate >= 0.999 * row["expected_fpp"]
            counted["read"] += 1
        if row["strategy"] == "MURMUR128_MITZ_64":
            made = Filter(row["n"], row["fpp"], format="guava", keys=kind)
            changed = [made.add(key) for key in present[:64]]
            if row["put_changed"]:
                assert digits(changed) == row["put_changed"], row
                counted["added"] += 1
            made.update(present[64:])
            assert sha256(made.to_bytes()) == row["sha256"], row
            counted[kind] += 1
    assert counted == {"read": 180, "added": 48, "text": 68, "int32": 12, "int64": 12, "utf16": 12}


def test_spark():
    take = {"long": int, "string": str, "binary": bytes.fromhex}
    keys = {}
    for row in rows(APPLICATIONS / "spark/elements.jsonl"):
        keys[row["kind"]] = [[take[row["kind"]](key) for key in row[which]] for which in ("keys", "absent")]
    counted = Counter()
    for row in rows(APPLICATIONS / "spark/filters.jsonl"):
        present, absent = keys[row["kind"]]
        present = present[: row["count"]]
        stream = bytes.fromhex(row["stream"])
        kind = "int64" if row["kind"] == "long" else "text"
        got = Filter.from_bytes(stream, keys=kind)
        assert all(got.contains_many(present)) and digits(got.contains_many(absent)) == row["answers"], row
        assert got.to_bytes() == stream
        bits_per_key = row["num_bits_asked"] / row["expected_items"]
        made = Filter(row["expected_items"], format=got.format, seed=row["seed"], bits_per_key=bits_per_key)
        made.update(present)
        assert made.to_bytes() == stream and made == got
        counted[row["version"], made.keys] += 1
    assert counted == {(1, "int64"): 5, (1, "text"): 10, (2, "int64"): 7, (2, "text"): 14}


def test_redisbloom():
    counted = Counter()
    for row in rows(APPLICATIONS / "redisbloom.jsonl"):
        if "inserted" not in row:
            continue
        keys = [f"key{i:08}" for i in range(row["inserted"])]
        absent = [f"key{100000000 + j:08}/absent" for j in range(400)]
        chunks = row["chunks"]
        if all(length <= 90 for _, length, _ in chunks):
            chain = Filter.from_redis_chunks([(iterator, bytes.fromhex(data)) for iterator, _, data in chunks])
            counted["read"] += 1
        elif row["options"] == ["EXPANSION", "2"]:
            chain = Filter(row["capacity"], row["error"], format="redisbloom")
            chain.update(keys)
            counted["built"] += 1
        else:
            continue
        written = [
            [iterator, len(data), data.hex() if len(data) <= 90 else sha256(data)]
            for iterator, data in chain.redis_chunks()
        ]
        assert written == chunks, row
        assert all(chain.contains_many(keys)) and chain.estimated_len == row["info"][3]
        assert hexadecimal(chain.contains_many(absent)) == row["absent"], row
    assert counted == {"read": 18, "built": 21}


ENGINE_KEYS = {
    "decimal": lambda i: str(i),
    "u32le": lambda i: i.to_bytes(4, "little"),
    "key08": lambda i: f"key{i:08}",
    "highbit6": lambda i: bytes([255, 128 | i & 127, i >> 7 & 255, i >> 15 & 255, 0x9A, 128 | 7 * i & 127]),
}


def test_engines():
    """LevelDB's and RocksDB's filters; the bytes of Ribbon filters depend on the keys' order."""
    counted = Counter()
    for row in rows(ENGINES / "leveldb/policy.jsonl") + rows(ENGINES / "rocksdb/filters.jsonl"):
        engine = "rocksdb" if row.get("format_version") == 5 else "rocksdb-legacy"
        format = {"bloom": engine, "ribbon": "ribbon"}.get(row["policy"], "leveldb")
        if format != "leveldb" and (row.get("no_filter") or row["n"] == 0):
            counted["of no key"] += 1
            continue
        key = ENGINE_KEYS[row["keys"]]
        keys = [key(i) for i in range(row["n"])]
        if "filter_hex" in row:
            got = Filter.from_bytes(bytes.fromhex(row["filter_hex"]), format)
            assert digits(got.contains_many([key(1_000_000 + j) for j in range(200)])) == row["absent"], row
            assert all(got.contains_many(keys)), row
            counted[format, "read"] += 1
        made = Filter.build(keys, format=format, bits_per_key=row["bits_per_key"])
        assert sha256(made.to_bytes()) == row["sha256"], row
        counted[format, "built"] += 1
    built = {("leveldb", "built"): 304, ("rocksdb", "built"): 73, ("rocksdb-legacy", "built"): 76, ("ribbon", "built"): 95}
    read = {("leveldb", "read"): 247, ("rocksdb", "read"): 64, ("rocksdb-legacy", "read"): 61, ("ribbon", "read"): 80}
    assert counted == built | read | {"of no key": 22}


def test_parquet_bits():
    """Bits that pyarrow and DuckDB wrote, read and built again."""
    columns = {
        "i32": ("int32", lambda i: i, lambda j: 1_000_000 + j),
        "i64": ("int64", lambda i: i * 1_000_003, lambda j: j * 1_000_003 + 1),
        "s": ("text", lambda i: f"key{i}", lambda j: f"absent{j}"),
        "d": ("text", lambda i: struct.pack("<d", i * 0.5), lambda j: struct.pack("<d", j + 0.25)),
    }
    counted = Counter()
    for row in rows(ENGINES / "parquet/sbbf.jsonl"):
        kind, key, absent = columns[row["column"]]
        n = int(row["note"].split("ndv=")[1].split()[0]) if "ndv=" in row["note"] else 1000
        keys, bits = [key(i) for i in range(n)], bytes.fromhex(row["bitset_hex"])
        got = Filter.from_bytes(bits, "parquet", keys=kind)
        assert all(got.contains_many(keys)), row
        assert digits(got.contains_many([absent(j) for j in range(100)])) == row["absent"][:100], row
        assert Filter.build(keys, format="parquet", keys=kind, nbytes=len(bits)).to_bytes() == bits
        counted[row["engine"], kind] += 1
    built = {("duckdb", "int32"): 1, ("duckdb", "int64"): 1, ("duckdb", "text"): 2}
    assert counted == built | {("pyarrow", "int32"): 1, ("pyarrow", "int64"): 1, ("pyarrow", "text"): 18}
