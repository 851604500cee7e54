"""No stored key is denied by a mix-up of text and integers, whatever way keys and filters take."""

import itertools
import pickle
import struct
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import xxhash
from hypothesis import Phase, given, settings, strategies as st

import samebits
from samebits import Filter

NAMES = [format.name for format in samebits.formats()]
GROWING = {format.name for format in samebits.formats() if format.grows}
MERGED = GROWING - {"counting", "cuckoo", "redisbloom"}

ALL = [list, tuple, iter, lambda keys: np.array(keys, object), lambda keys: pd.Series(keys, dtype=object), pa.array]
TEXT = [np.array, pd.Series, pl.Series, lambda keys: pa.chunked_array([keys[:1], keys[1:]], pa.large_string())]
BYTES = [np.array, pl.Series, lambda keys: pa.array(keys, pa.binary_view())]
INTEGERS = [np.array, pd.Series, pl.Series, lambda keys: np.array(keys, ">i8"), lambda keys: pa.array(keys, pa.int64())]
# The kind of key, what it is in Python, its containers, and the bytes that are hashed.
KINDS = {
    "text": ("text", ALL + TEXT, st.text(st.characters(codec="utf-8", exclude_characters="\0")), str.encode),
    "bytes": ("text", ALL + BYTES, st.binary().map(lambda key: key + b"."), bytes),
    "utf16": ("utf16", ALL + TEXT, st.text("aé猫😀"), lambda key: key.encode("utf-16-le")),
    "int64": ("int64", ALL + INTEGERS, st.integers(-(2**63), 2**63 - 1), struct.Struct("<q").pack),
    "int32": ("int32", ALL + INTEGERS, st.integers(-(2**31), 2**31 - 1), struct.Struct("<i").pack),
}


def kinds_of(format):
    kinds = ["text", "utf16", "int64", "int32"]
    return kinds[:1] if format == "redisbloom" else kinds[:3] if format.startswith("spark") else kinds


def filled(format, kind, keys, container, way):
    """A filter of keys, which were added one by one, at once, or when it was built."""
    given = kind if kind in ("utf16", "int32") else None
    if format not in GROWING or way == "build":
        return Filter.build(container(keys), bits_per_key=20, format=format, keys=given)
    made = Filter(len(keys), 0.0001, format=format, keys=given)
    if way == "update":
        made.update(container(keys))
    else:
        assert [made.add(key) for key in keys][0]
    return made


def carried(one, way, folder):
    """The filter after it went another way."""
    # Another one may be mapped.
    path = folder / f"filter-{next(NUMBERS)}"
    match way:
        case "bytes":
            return Filter.from_bytes(memoryview(one.to_bytes()), one.format, keys=one.keys)
        case "header":
            return Filter.from_bytes(one.to_bytes(header=True))
        case "file" | "mmap":
            one.save(path)
            return Filter.open(path, mmap=way == "mmap")
        case "raw file" | "raw mmap":
            one.save(str(path), header=False)
            assert path.read_bytes() == one.to_bytes()
            return Filter.open(path, one.format, keys=one.keys, mmap=way == "raw mmap")
        case "pickle":
            return pickle.loads(pickle.dumps(one))
        case "merge" if one.format in MERGED:
            return one | one.copy()
    return one.copy()


def check_denials(one, kind):
    for wrong in [7 if kind in ("text", "utf16") else "7", None, 1.5, True, np.float64(1), ("a",)]:
        for call in (one.__contains__, one.add, lambda key: one.contains_many([key]), lambda key: one.update([key])):
            with pytest.raises(TypeError):
                call(wrong)
    for wrong in ([7, "7"], [b"7", 7], np.array([0.5]), pa.array([True]), pd.Series([1.5]), pl.Series([0.5])):
        with pytest.raises(TypeError):
            one.contains_many(wrong)


NUMBERS = itertools.count()

WAYS = ["bytes", "header", "file", "mmap", "raw file", "raw mmap", "pickle", "copy", "merge"]


# Neither explanations nor further failures are worth their minutes.
QUICKLY = {"deadline": None, "report_multiple_bugs": False, "phases": [Phase.generate, Phase.shrink]}


@pytest.mark.filterwarnings("ignore::samebits.CapacityWarning")
@settings(derandomize=True, database=None, max_examples=300, **QUICKLY)
@given(st.data(), st.sampled_from(sorted(KINDS)), st.sampled_from(NAMES))
def test_ways(tmp_path_factory, data, name, format):
    """Every key is found through every container, and by filters that went any way."""
    kind, containers, key, hashed = KINDS[name]
    if kind not in kinds_of(format):
        with pytest.raises((TypeError, ValueError), match="text|long"):
            Filter(9, format=format, keys=kind)
        return
    folder = tmp_path_factory.getbasetemp()
    keys = data.draw(st.lists(key, min_size=1, max_size=20, unique=True))
    container, way = data.draw(st.sampled_from(containers)), data.draw(st.sampled_from(["add", "update", "build"]))
    one = filled(format, kind, keys, container, way)
    other = carried(one, data.draw(st.sampled_from(WAYS)), folder)
    other = carried(other, data.draw(st.sampled_from(WAYS)), folder)
    assert (other.keys, other.format, other.bits) == (kind, format, one.bits) and other == one
    for container in containers:
        assert all(other.contains_many(container(keys))), container
    more = data.draw(st.lists(key, max_size=50))
    answers = list(one.contains_many(more))
    assert answers == list(other.contains_many(more)) == [key in other for key in more]
    if format == "guava" or format not in GROWING:
        # These hash bytes, and do not store of which kind they are.
        bytes_of = lambda kind, keys: filled(format, kind, keys, list, "update").to_bytes()
        assert bytes_of("text", [hashed(key) for key in keys]) == bytes_of(kind, keys)
    check_denials(other, kind)
    if format in GROWING:
        other.update(more)
        assert all(other.contains_many(more + keys))
    else:
        with pytest.raises(ValueError, match="all keys at once"):
            other.update(more or keys)


CODE = """if True:
    import pickle, sys
    made = pickle.load(sys.stdin.buffer)
    assert all(all(one.contains_many(keys)) for one, keys in made)
    sys.stdout.buffer.write(pickle.dumps([(one.keys, one.format, one.to_bytes()) for one, _ in made]))
"""


def test_headers(tmp_path):
    """Filters of all formats and kinds go to another process, and are refused when they are damaged or misread."""
    made = []
    for format, kind in [(format, kind) for format in NAMES for kind in kinds_of(format)]:
        keys = [f"key{i}" for i in range(500)] if kind in ("text", "utf16") else list(range(-250, 250))
        one = Filter.build(keys, bits_per_key=16, format=format, keys=kind)
        made.append((one, keys))
        stored, path = one.to_bytes(header=True), tmp_path / f"{format}-{kind}"
        for at in (20, 300, len(stored) // 2, len(stored) - 1):
            with pytest.raises(ValueError):
                Filter.from_bytes(stored[:at] + bytes([stored[at] ^ 1]) + stored[at + 1 :])
        one.save(path)
        assert path.read_bytes() == stored
        for read in (lambda **given: Filter.from_bytes(stored, **given), lambda **given: Filter.open(path, **given)):
            assert read(keys=kind, format=format) == one
            with pytest.raises(ValueError, match="leave keys out"):
                read(keys="int64" if kind == "int32" else "int32")
            with pytest.raises(ValueError):
                read(format="bloom64" if format != "bloom64" else "ribbon")
    assert len(made) == 4 * len(NAMES) - 3 - 2
    ran = subprocess.run([sys.executable, "-c", CODE], input=pickle.dumps(made), capture_output=True, check=True)
    assert pickle.loads(ran.stdout) == [(one.keys, one.format, one.to_bytes()) for one, _ in made]


def test_undecided(tmp_path):
    """A filter without a key has no kind until it gets one, whatever way it went."""
    for format in sorted(GROWING - {"redisbloom"}):
        for way in ("header", "file", "mmap", "pickle", "copy", "merge"):
            for key, kind in (("7", "text"), (7, "int64")):
                one = carried(Filter(100, format=format), way, tmp_path)
                assert one.keys is None and "7" not in one and 7 not in one
                other = one.copy()
                one.add(key)
                assert (one.keys, carried(one, way, tmp_path).keys) == (kind, kind) and key in one
                if format in MERGED:
                    assert (one | other).keys == (other | one).keys == kind and key in (other | one)
    assert Filter(9, format="redisbloom").keys == "text" and Filter.build([]).keys is None
    assert Filter.build([], keys="int32").keys == "int32" and Filter.build([], format="ribbon").keys is None
    assert Filter.from_bytes(Filter.build([], format="ribbon").to_bytes(header=True), keys="int64").keys == "int64"
    for wrong in (lambda: Filter(9, keys="int64").update(["a"]), lambda: Filter.build([7], keys="utf16")):
        with pytest.raises(TypeError):
            wrong()


def test_merging_kinds():
    # All bits are 0.
    assert Filter(9, format="guava", keys="int64") != Filter(9, format="guava", keys="int32")
    for format in sorted(MERGED):
        keys = {"text": "a", "utf16": "a", "int64": 7, "int32": 7}
        filters = [Filter.build([keys[kind]], format=format, keys=kind, capacity=9) for kind in kinds_of(format)]
        for one, other in itertools.permutations(filters, 2):
            assert one != other
            with pytest.raises(TypeError, match="one kind of key"):
                one | other


def test_raw_bytes():
    """Bytes that do not say what they are need the kind or the format."""
    with pytest.raises(ValueError, match="longFunnel"):
        Filter.from_bytes(Filter.build([7], format="guava").to_bytes())
    for format in NAMES:
        if format in GROWING:
            continue
        stored = Filter.build(["a"], bits_per_key=16, format=format).to_bytes()
        with pytest.raises(ValueError, match="format"):
            Filter.from_bytes(stored)
        assert Filter.from_bytes(stored, format).keys == "text"
        assert Filter.from_bytes(stored, format, keys="int64").keys == "int64"


def test_redis_has_text_whatever_is_said():
    stored = Filter.build(["a", "b"], format="redisbloom").to_bytes()
    for kind in ("utf16", "int64", "int32"):
        with pytest.raises(TypeError, match="must be text"):
            Filter.from_bytes(stored, keys=kind)
    assert "a" in Filter.from_bytes(stored, keys="text") and "b" in Filter.from_bytes(stored)


def test_guesses_state_nothing():
    """Bytes that do not tell the kind of their keys do not state one after they were saved or merged."""
    for format in ("spark", "blocked-xxph3", "leveldb", "ribbon"):
        guessed = Filter.from_bytes(Filter.build([7, 8], format=format).to_bytes(), format)
        merged = [guessed | guessed.copy()] if format in MERGED else []
        for one in [guessed, guessed.copy(), pickle.loads(pickle.dumps(guessed)), *merged]:
            with pytest.raises(TypeError, match='read it with keys="int64"'):
                7 in one
            assert 7 in Filter.from_bytes(one.to_bytes(header=True), keys="int64")


def test_headers_of_others():
    """A header may call keys as it likes: the bytes tell how they were encoded. One of a filter with keys is not undecided."""
    def renamed(one, name):
        head = bytearray(one.to_bytes(header=True))
        head[176:240] = name.encode().ljust(64, b"\0")
        head[248:256] = xxhash.xxh3_64_intdigest(bytes(head[:248]), 0).to_bytes(8, "little")
        return bytes(head)

    for name in ("line", "user-id", "binary"):
        one = Filter.from_bytes(renamed(Filter.build(["a"], format="counting", keys="utf16"), name))
        assert one.keys == "utf16" and "a" in one and one.contains_many(["a"]).all()
    for key, kind in (("a", "text"), (7, "int64"), (7, "int32"), ("a", "utf16")):
        for format in ("counting", "leveldb", "blocked-xxph3"):
            stored = renamed(Filter.build([key], format=format, keys=kind), "undecided")
            one = Filter.from_bytes(stored, keys=kind)
            assert one.keys == kind and key in one and one.contains_many([key]).all()
            one = Filter.from_bytes(stored)
            if one.keys == kind:
                assert key in one
            elif key == 7:
                with pytest.raises(TypeError):
                    key in one
