"""Values in every form in which other libraries have them: a stored one is found, or refused, and never denied."""

import _thread
import datetime
import decimal
import enum
import itertools
import random
import resource
import signal
import threading
import time
import uuid
import zoneinfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from samebits import Filter, FilterSet, parquet_row_groups

RANDOM, DAY = random.Random(92), 86_400
D, UTC, MONROVIA = decimal.Decimal, datetime.timezone.utc, zoneinfo.ZoneInfo("Africa/Monrovia")


def many(make, type):
    return pa.array([make() for _ in range(60)], type)


def bits(width):
    numbers = np.array([RANDOM.getrandbits(width) for _ in range(60)], f"u{width // 8}").view(f"f{width // 8}")
    return pa.array(numbers[~np.isnan(numbers)])


def moments(unit, zone, per_second):
    # Until 1972, Liberia was 44 minutes and 30 seconds west.
    return many(lambda: RANDOM.randrange(-70 * 365 * DAY * per_second, 2 * 365 * DAY * per_second), pa.timestamp(unit, zone))


UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
STORED = {
    **{f"{u}int{n}": many(lambda: RANDOM.getrandbits(n) - (0 if u else 2 ** (n - 1)), f"{u}int{n}") for u in ("", "u") for n in (8, 16, 32, 64)},
    **{f"float{n}": bits(n) for n in (16, 32, 64)},
    **{f"timestamp {u} {zone}": moments(u, zone, n) for u, n in UNITS.items() for zone in (None, "UTC", "Africa/Monrovia")},
    **{f"time {u}": many(lambda: RANDOM.randrange(DAY * UNITS[u]), t) for u, t in [("ms", pa.time32("ms")), ("us", pa.time64("us")), ("ns", pa.time64("ns"))]},
    "date": many(lambda: RANDOM.randrange(-141_427, 100_000), pa.date32()),
    **{str(t): many(lambda: D(RANDOM.randrange(-10**t.precision, 10**t.precision)).scaleb(-t.scale, decimal.Context(60)), t)
       for t in (pa.decimal32(7, 2), pa.decimal64(18, 4), pa.decimal128(18, 4), pa.decimal128(38, 18), pa.decimal256(38, 0))},
    "uuid": many(lambda: RANDOM.randbytes(16), pa.uuid()),
    **{f"bytes {t}": many(lambda: RANDOM.randbytes(RANDOM.randrange(15)).ljust(16, b"\0"), t) for t in (pa.binary(16), pa.binary())},
    "bytes": many(lambda: RANDOM.randbytes(2) + bytes(RANDOM.randrange(3)), pa.binary()),
    "text": many(lambda: f"é{RANDOM.random()}", pa.string()),
}


def of_pandas(array):
    return pd.Series(array, dtype=pd.ArrowDtype(array.type))


# Those of the first have all that is stored.
EXACT = {
    "array": lambda a: a, "scalar": list, "chunked": lambda a: pa.chunked_array([a[:0], a]), "dictionary": pa.Array.dictionary_encode,
    "pandas": of_pandas, "index": lambda a: pd.Index(of_pandas(a)), "extension": lambda a: of_pandas(a).array,
}
OTHERS = {
    "polars": lambda a: pl.Series(pl.from_arrow(a)), "polars items": lambda a: list(pl.from_arrow(a)),
    "NumPy": lambda a: a.to_numpy(False), "NumPy scalars": lambda a: list(a.to_numpy(False)), "Series": pa.Array.to_pandas,
    "objects": lambda a: a.to_pandas().astype(object), "Series items": lambda a: list(a.to_pandas()), "pandas index": lambda a: pd.Index(a.to_pandas()),
    "Python": pa.Array.to_pylist, "bytes": lambda a: np.array([bytes(memoryview(v)) for v in a.to_pylist()], "S16"), "longdouble": lambda a: np.array(a.to_numpy(False), np.longdouble),
    "float": lambda a: [float(v) for v in a.to_pylist()], "int": lambda a: [int(v) for v in a.to_pylist() if {v: True}[int(v)]], "text": lambda a: [str(v) for v in a.to_pylist()],
    "int of UUIDs": lambda a: [v.as_py().int for v in a], "Decimal": lambda a: [D(v) for v in a.to_pylist()], "dictionaries": lambda a: list(a.dictionary_encode()),
}


# Forms of other values than the stored ones: the library drops digits, or the text is Python's for any object.
OTHER_VALUES = {
    "time": {"float", "text"}, "date": {"text"}, "bytes": {"text"}, "time ns": {"polars items", "Series", "Series items", "objects", "pandas index", "Python", "NumPy", "NumPy scalars"},
    "timestamp ns": {"polars items"},
}


@pytest.mark.parametrize("name", STORED)
def test_no_stored_value_is_denied(name, tmp_path):
    column, path = STORED[name], tmp_path / "t.parquet"
    pq.write_table(pa.table({"c": column}), path, bloom_filter_options={"c": {"ndv": 10_000}})
    left_out = set().union(*(forms for prefix, forms in OTHER_VALUES.items() if name.startswith(prefix)))
    for form, make in {**EXACT, **OTHERS}.items():
        for row in range(len(column)) if form not in left_out else ():
            try:
                values = make(column[row : row + 1])
            except BaseException:  # The library has no such form.
                continue
            try:
                assert parquet_row_groups(path, "c", values) == [0], (form, values)
            except ValueError:
                assert form not in EXACT, (form, values)


def ask(tmp_path, column, values, **options):
    pq.write_table(pa.table({"c": column}), tmp_path / "t.parquet", bloom_filter_options={"c": True}, **options)
    return parquet_row_groups(tmp_path / "t.parquet", "c", values)


INTS, NOON, MIDNIGHT = pa.array([7, 2**53 + 1]), datetime.datetime(2020, 1, 1, 12), datetime.datetime(2020, 1, 1)
ID, STAMP = uuid.UUID(int=10**31 + 150 * 10**27), pd.Timestamp(1_577_880_000_123_456_789)
FOUND = [
    *[(INTS, v) for v in ([np.array(7)], [D("7.00")], list(enum.IntEnum("E", "A B C D E F G"))[-1:], pl.Series([2**53 + 1], dtype=pl.Int128),
                          pd.Series([1.5, 2**53 + 1][1:], dtype=object), pd.Series([7], index=[5]), pd.Series(pd.arrays.SparseArray([7])))],
    (pa.array([ID.bytes], pa.uuid()), [ID]), (pa.array([D("1.5")], pa.decimal128(18, 4)), [1.5]),
    (pa.array([STAMP.value], pa.timestamp("ns")), pd.Series([STAMP], dtype=object)), (pa.array([1.5]), [np.float16(1.5)]),
    *[(pa.array([MIDNIGHT.date()]), v) for v in (pl.Series([MIDNIGHT]), [pl.Series([MIDNIGHT])[0]], np.array([MIDNIGHT], "M8[ns]"), pa.array([MIDNIGHT.date()], pa.date64()))],
    (pa.array(["é"]), pl.Series(["é"], dtype=pl.Enum(["é"]))), (pa.array([float("nan")]), pd.Series([float("nan")])), (pa.array([0.0]), [-0.0]),
]


@pytest.mark.parametrize("column, values", FOUND)
def test_found(column, values, tmp_path):
    assert ask(tmp_path, column, values) == [0]


UUIDS, INT96 = pa.array([ID.bytes], pa.uuid()), pa.array([NOON], pa.timestamp("ns"))
REFUSED = [
    *[(t, [v]) for t in (UUIDS, UUIDS.storage) for v in (ID.int, D(ID.int), 10**31, float(ID.int), np.float64(1e31))],
    *[(pa.array([v], t), [float(v)]) for v, t in [(D("13012872713442.5482"), pa.decimal128(18, 4)), (D("1.5000000000000000001"), pa.decimal128(38, 19))]],
    *[(pa.array([0.1]), [v]) for v in (np.longdouble("0.1"), D("1e400"), 10**400)], (pa.array([b"a\0"]), np.array([b"a\0", b"abcd"])),
    *[(INTS, v) for v in (pa.array([7, None]), pl.Series([None]), np.ma.array([7], mask=True), [D("7.5")], [D("NaN")], pl.Series([2**100], dtype=pl.Int128))],
    (pa.array([NOON]), [STAMP]), (pa.array([NOON]), np.array([600], "M8[M]")), (pa.array([NOON]), [pd.Timestamp(np.datetime64("12000-01-01", "s"))]),
    (pa.array([MIDNIGHT.date()]), pl.Series([MIDNIGHT.replace(tzinfo=UTC)])), (pa.array([MIDNIGHT.date()]), pa.array([5], pa.int64()).cast(pa.date64())),
    *[(INTS, [v]) for v in (D("1e999999999"), D("1e-999999999"), D("7" * 10**6), 10**1_000_000, "7" * 10**6, b"7" * 10**6)],
]


@pytest.mark.parametrize("column, values", REFUSED, ids=range(len(REFUSED)))
def test_refused(column, values, tmp_path):
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    with pytest.raises(ValueError, match="must be|must have|must not be") as error:
        ask(tmp_path, column, values)
    assert len(str(error.value)) < 400 and time.monotonic() - start < 5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


SEEN = Filter(10)
MESSAGES = [
    *[(lambda v=v: call(v), error, text) for call in (SEEN.update, lambda v: parquet_row_groups(__file__, "c", v)) for v, error, text in [
        (pl.LazyFrame({"a": [7]}), TypeError, "got LazyFrame: collect it, then pass one of its columns"), (pd.DataFrame({"a": [7]}), TypeError, "got DataFrame: pass one")]],
    (lambda: SEEN.update(np.ma.array([7], mask=True)), TypeError, "pass keys.compressed"), (lambda: SEEN.update(pl.Series([[7]])), TypeError, "got lists: pass their items"),
    *[(lambda v=v: Filter.from_redis_chunks(v), TypeError, "chunks must be pairs of an iterator and bytes") for v in ("text", [(1, "text")], [b"text"])],
    *[(lambda call=call: call(b"path"), TypeError, "got bytes: pass os.fsdecode") for call in (Filter.open, SEEN.save, FilterSet.open, lambda p: parquet_row_groups(p, "c", [7]))],
    *[(lambda name=name: Filter(100, format=name), ValueError, f'the format must be known, got "{name}"') for name in ("range", "RangeFilter.SplitTrie1")],
    *[(lambda call=call: call(100, bits_per_key=float("inf")), ValueError, "bits per key must be finite, got inf") for call in (Filter, Filter.sizing)],
]


@pytest.mark.parametrize("call, error, text", MESSAGES, ids=range(len(MESSAGES)))
def test_messages(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_columns_of_other_types(tmp_path):
    with pytest.raises(ValueError, match="must be the 12 stored bytes"):
        ask(tmp_path, INT96, [NOON], use_deprecated_int96_timestamps=True)
    with pytest.raises(TypeError, match="got lists: pass their items"):
        ask(tmp_path, INTS, pa.array([[7]]))
    SEEN.update(pl.Series([7], dtype=pl.Int128))
    assert 7 in SEEN


def test_links_that_lead_nowhere(tmp_path):
    link = tmp_path / "link"
    link.symlink_to("nowhere")
    with pytest.raises(OSError, match="is a link to a file that is not there"):
        Filter(10).save(link)
    assert link.is_symlink() and len(list(tmp_path.iterdir())) == 1


def test_interrupts(tmp_path):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    groups = {"row_group_size": 30}
    for values in (np.arange(10**6, 4 * 10**6), pa.array(range(10**6, 2 * 10**6)), range(10**6, 10**9), itertools.repeat(10**6)):
        ask(tmp_path, pa.array(range(3000)), [1], **groups)
        fired = []
        timer = threading.Timer(0.5, lambda: fired.append(time.monotonic()) or _thread.interrupt_main())
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            parquet_row_groups(tmp_path / "t.parquet", "c", values)
            timer.join()
        assert time.monotonic() - fired[0] < 1
