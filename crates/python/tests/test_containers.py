"""Every container of keys gives the same filter as its keys one by one, or an error; no key is taken for another."""

import array
import datetime
import decimal
import uuid
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from samebits import Filter

# More than two batches, the last of which is short.
WORDS = [f"{word}{i}" for i in range(1500) for word in ("", "béa", "猫", "a key longer than twelve bytes", "x\0y", "🦀")]
BYTES = [word.encode() for word in WORDS]
NUMBERS = [n for i in range(1500) for n in (i, -i, 127, -128, 30_000 - i, i - 32_768)]


def one_by_one(keys, kind=None):
    filter = Filter(20_000, 1e-6, keys=kind)
    for key in keys:
        filter.add(key)
    return filter


def check(keys, plain):
    filter = Filter(20_000, 1e-6, keys=plain.keys)
    filter.update(keys)
    assert filter == plain


PLAIN = {kind: one_by_one(keys, kind) for kinds, keys in [(("text", "utf16"), WORDS), (("int64", "int32"), NUMBERS)] for kind in kinds}
TEXTS = {
    "list": list, "tuple": tuple, "iterator": iter, "dict": dict.fromkeys, "set": set, "bytes": lambda w: BYTES,
    "text and bytes": lambda w: [k if i % 2 else k.encode() for i, k in enumerate(w)], "numpy U": np.array,
    "numpy S": lambda w: np.array(BYTES), "numpy O": lambda w: np.array(w, object),
    "numpy T": lambda w: np.array(w, np.dtypes.StringDType()), "numpy >U": lambda w: np.array(w).astype(">U40"),
    "numpy, reversed": lambda w: np.array(w[::-1])[::-1], "masked": np.ma.array,
    **{str(t): lambda w, t=t: pa.array(w).cast(t) for t in ("large_string", "string_view", "binary", "large_binary", "binary_view")},
    "arrow": pa.array, "chunked": lambda w: pa.chunked_array([w[:2], [], w[2:]]),
    "sliced": lambda w: pa.array(["skipped", *w, "skipped"]).slice(1, len(w)),
    "arrow dictionary": lambda w: pa.array(w).dictionary_encode(),
    "dictionary chunks": lambda w: pa.chunked_array([pa.array(w[:10]), pa.array(w[10:])]).dictionary_encode(),
    "dictionary, sliced": lambda w: pa.array(["skipped", *w], pa.large_string()).dictionary_encode().slice(1),
    "pandas": pd.Series, "pandas object": lambda w: pd.Series(w, dtype=object),
    "pandas mixed": lambda w: pd.Series([k if i % 2 else k.encode() for i, k in enumerate(w)], dtype=object),
    "pandas category": lambda w: pd.Series(w, dtype="category"), "polars": pl.Series,
    "polars chunks": lambda w: pl.concat([pl.Series(w[:10]), pl.Series(w[10:])], rechunk=False),
    "polars category": lambda w: pl.Series(w, dtype=pl.Categorical),
}
INTEGERS = {
    "list": list, "array": lambda n: array.array("q", n), "pandas": pd.Series, "polars": pl.Series,
    "numpy scalars": lambda n: [np.int16(k) for k in n], "numpy, strided": lambda n: np.repeat(n, 2)[::2],
    **{f"numpy {t}": lambda n, t=t: np.array(n, t) for t in ("i2", "i4", "i8", ">i2", ">i8", "longlong")},
    **{f"arrow {t}": lambda n, t=t: pa.array(n, t) for t in ("int16", "int32", "int64")},
    "pandas nullable": lambda n: pd.Series(n, dtype="Int64"), "arrow dictionary": lambda n: pa.array(n).dictionary_encode(),
}


@pytest.mark.parametrize("kind, key, stored", [("text", "é", b"\xc3\xa9"), ("utf16", "é🦀", b"\xe9\0\x3e\xd8\x80\xdd"),
                                               ("int64", -2, b"\xfe" + b"\xff" * 7), ("int32", 258, b"\2\1\0\0")])
def test_stored_keys(kind, key, stored):
    filter, text = Filter(10, format="guava", keys=kind), Filter(10, format="guava", keys="text")
    filter.add(key), text.add(stored)
    assert filter.to_bytes() == text.to_bytes() and filter.to_bytes() != Filter(10, format="guava").to_bytes()


@pytest.mark.parametrize("kind", ["text", "utf16"])
@pytest.mark.parametrize("make", TEXTS.values(), ids=TEXTS)
def test_texts(make, kind):
    check(make(WORDS), PLAIN[kind])


@pytest.mark.parametrize("kind", ["int64", "int32"])
@pytest.mark.parametrize("make", INTEGERS.values(), ids=INTEGERS)
def test_integers(make, kind):
    check(make(NUMBERS), PLAIN[kind])


@pytest.mark.parametrize("make", [list, iter, np.array, pa.array, lambda k: pa.chunked_array([k]), pa.DictionaryArray.from_arrays])
@pytest.mark.parametrize("keys", [WORDS, list(range(-4500, 4500))], ids=["texts", "integers"])
def test_answers_are_in_order(make, keys):
    filter, inserted = one_by_one(keys[::3]), set(keys[::3])
    arguments = (range(len(keys)), keys) if make is pa.DictionaryArray.from_arrays else (keys,)
    answers = [bool(answer) for answer in filter.contains_many(make(*arguments))]
    # At this rate, no absent key has a wrong answer.
    assert answers == [key in inserted for key in keys]


@pytest.mark.parametrize("make", [np.array, pa.array], ids=["numpy", "arrow"])
@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_unsigned(make, bits):
    keys = [0, 1, 2 ** min(bits, 63) - 1]
    check(make(keys, f"uint{bits}"), one_by_one(keys))


def test_other_texts():
    check(pa.array([b"abcd", b"efgh"], pa.binary(4)), one_by_one([b"abcd", "efgh"]))
    check(np.array([b"a\0b", b"c\0\0"]), one_by_one([b"a\0b", b"c"]))
    check(np.zeros(2, [("text", "S0")])["text"], one_by_one([""]))


EMPTY = [[], (), {}, iter(()), np.array([], "U"), np.array([], "i8"), pa.array([]), pa.array([], "string"), pa.chunked_array([], "string"),
         pd.Series([], dtype=object), pl.Series([]), pl.Series([], dtype=pl.Categorical), pa.array([], pa.dictionary("int8", "string"))]


@pytest.mark.parametrize("keys", EMPTY, ids=lambda keys: type(keys).__name__)
def test_empty(keys):
    filter = Filter(10)
    filter.update(keys)
    assert filter == Filter(10) and filter.keys is None and len(filter.contains_many(keys)) == 0


FAILING = type("Failing", (), {"__index__": lambda self: 1 // 0})()
DAY = datetime.date(2020, 1, 1)
OBJECTS = [
    (None, TypeError), (1.5, TypeError), (True, TypeError), (np.True_, TypeError), (np.float64(1), TypeError), ({}, TypeError),
    (FAILING, ZeroDivisionError), (2**63, ValueError), (-(2**63) - 1, ValueError), ("\ud800", UnicodeEncodeError),
    (bytearray(b"a"), TypeError),
]
COLUMNS = [
    (1.5, "float"), (True, "bool"), (DAY, "date"), (datetime.datetime(2020, 1, 1), "timestamp"), (decimal.Decimal(1), "decimal"),
    ([1], "list"), ({"a": "x"}, "column"), (datetime.timedelta(1), "duration"), (datetime.time(1), "time"),
]
NULLABLE = [
    lambda k: pa.array(k).dictionary_encode(), lambda k: pa.DictionaryArray.from_arrays(range(5002), k),
    lambda k: pd.Series(k, dtype="category"), lambda k: pa.chunked_array([k[:9], k[9:]]),
]
REFUSED = [
    *[(keys, TypeError, "one key") for keys in ("abc", b"abc", bytearray(b"abc"), memoryview(b"abc"))],
    (7, TypeError, "iterable"), (None, TypeError, "iterable"),
    *[(keys, TypeError, "both") for keys in (["a", 7], [7, "a"], WORDS[:8192] + [7], NUMBERS[:8192] + [b"a"], pd.Series(["a", 7], dtype=object))],
    *[([key], error, None) for key, error in OBJECTS], *[(pa.array([key]), TypeError, f"(?i){name}") for key, name in COLUMNS],
    *[(pa.chunked_array([], pa.array([key]).type), TypeError, f"(?i){name}") for key, name in COLUMNS],
    *[(np.array(k, d), TypeError, "NumPy") for k, d in [([1.5], "f8"), ([], "f4"), ([True], "?"), ([1j], "c16"), ([DAY], "M8[D]"), ([1], "m8[s]"), ([(1, 2)], "i4,i4")]],
    (np.array([["a"]]), TypeError, "dimension"), (np.array("a"), TypeError, "dimension"),
    (np.array([2**63], "u8"), ValueError, "2\\^63"), (np.array(["a\ud800"]), ValueError, "surrogate"),
    (np.ma.array([1, 2], mask=[0, 1]), TypeError, None), (pa.array([2**63], "uint64"), ValueError, "2\\^63"),
    (pc.run_end_encode(pa.array(["a", "a"])), TypeError, "RunEnd"),
    *[(table({"a": ["x"]}), TypeError, "one of its columns") for table in (pa.table, pa.record_batch, pd.DataFrame, pl.DataFrame)],
    *[(make(["a"] * 5000 + ["b", None]), ValueError, "row 5001") for make in (pa.array, pd.Series, pl.Series, *NULLABLE)],
    *[(make([None, None]), ValueError, "row 0") for make in (pa.array, pl.Series)],
    (pd.Series([1, None], dtype="Int64"), ValueError, "row 1"), (pd.DataFrame({"a": ["x", 1]}), Exception, "a"),
]


@pytest.mark.parametrize("keys, error, text", REFUSED)
def test_refused(keys, error, text):
    with pytest.raises(error, match=text):
        Filter(10).update(keys)
    with pytest.raises(error, match=text):
        Filter(10).contains_many(keys)


OTHERS = [
    ("int32", 2**31, ValueError), ("int32", -(2**31) - 1, ValueError), ("utf16", b"\xff", ValueError), ("text", 1, TypeError),
    ("int32", "a", TypeError), ("int64", b"a", TypeError), ("utf16", 1, TypeError),
]


@pytest.mark.parametrize("kind, key, error", OTHERS)
def test_refused_by_kind(kind, key, error):
    filter = Filter(10, keys=kind)
    for call, keys in [(filter.add, key), (filter.__contains__, key), (filter.update, [key]), (filter.contains_many, pa.array([key]))]:
        with pytest.raises(error):
            call(keys)


def test_capsules():
    """Capsules that were consumed before, and wrong ones, are errors."""
    stream, (schema, values) = pa.chunked_array([["a"]]).__arrow_c_stream__(), pa.array(["a"]).__arrow_c_array__()
    new_schema, new_values = pa.array(["a"]).__arrow_c_array__()
    check(SimpleNamespace(__arrow_c_stream__=lambda: stream), one_by_one(["a"]))
    check(SimpleNamespace(__arrow_c_array__=lambda: (schema, values)), one_by_one(["a"]))
    for wrong in (stream, schema, 7):
        with pytest.raises((ValueError, TypeError)):
            Filter(10).update(SimpleNamespace(__arrow_c_stream__=lambda: wrong))
    for wrong in ((schema, values), (schema, new_values), (new_schema, values), (1, 2), 3):
        with pytest.raises((ValueError, TypeError)):
            Filter(10).update(SimpleNamespace(__arrow_c_array__=lambda: wrong))


def test_changes_meanwhile():
    """A list that a key empties, and an iterator that fails: what was taken before is in the filter."""

    class Emptying:
        def __index__(self):
            keys.clear()
            return 7

    keys, numbers, texts = [Emptying(), *range(9000)], Filter(9000), Filter(9000)
    numbers.update(keys)
    assert keys == [] and numbers.contains_many([7, *range(4095)]).all()
    with pytest.raises(ZeroDivisionError):
        texts.update(f"{1 // (5000 - i)}/{i}" for i in range(9000))
    assert texts.contains_many([f"0/{i}" for i in range(4096)]).all()


def test_arrays_whose_bytes_are_not_their_values():
    """Extension types are iterated: polars' objects are addresses, and others have a meaning of their own."""
    for keys in (["a", "b"], [1, 2]):
        one = Filter.build(pl.Series(keys, dtype=pl.Object))
        assert one == Filter.build(keys) and one.contains_many(pl.Series(keys, dtype=pl.Object)).all()
    ids = [uuid.UUID(int=number) for number in range(3)]
    for keys in (pl.Series(ids, dtype=pl.Object), pa.array([id.bytes for id in ids], pa.uuid()), pd.Series(ids),
                 pd.Series(pd.period_range("2026", periods=3, freq="D")), pa.chunked_array([pa.array([id.bytes for id in ids], pa.uuid())])):
        with pytest.raises(TypeError):
            Filter.build(keys)
    for indices in ([0, 2], [0, -1]):
        wrong = pa.DictionaryArray.from_arrays(pa.array(indices, pa.int32()), pa.array(["a", "b"]), safe=False)
        with pytest.raises(ValueError, match="must be below 2"):
            Filter.build(wrong)
