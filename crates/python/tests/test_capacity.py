"""A filter with many more keys than it was made for warns, once, and no other filter does."""

import contextlib
import inspect
import pickle
import re
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

import samebits
from samebits import CapacityWarning, Filter

GROWING = {format.name for format in samebits.formats() if format.grows}
WARNING = sorted(GROWING - {"cuckoo", "redisbloom"})
MERGED = sorted(set(WARNING) - {"counting"})
SIZES = [{}, {"rate": 0.001}, {"bits_per_key": 12}, {"nbytes": 5000}]
KEYS = 3000


@contextlib.contextmanager
def caught():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


@contextlib.contextmanager
def silent():
    with warnings.catch_warnings(action="error"):
        yield


def overfill(one, start=KEYS):
    """Adds new keys until the filter warns. Returns the warning and the number of all keys."""
    for end in range(start, 10 * KEYS):
        with caught() as found:
            one.add(end)
        if found:
            return found[0], end + 1
    raise AssertionError("no warning")


@pytest.mark.parametrize("format", WARNING)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_filter_warns_once(format, size):
    stated = size.get("rate", 0.01) if not size.keys() - {"rate"} else Filter.sizing(KEYS, format=format, **size)["rate"]
    one = Filter(KEYS, format=format, **size)
    with silent():
        for _ in range(20):
            one.update(np.arange(KEYS))
        assert [one.add(key) for key in range(KEYS)] == [False] * KEYS
    found, keys = overfill(one)
    assert 2 * stated < one.expected_rate < 4 * stated, keys
    assert issubclass(found.category, CapacityWarning) and issubclass(CapacityWarning, UserWarning)
    about, made_for, rate, intended = re.fullmatch(
        r"the filter contains about ([\d,]+) keys and was made for ([\d,]+): its false-positive rate is now ([\d.]+) %, more "
        r"than twice the intended ([\d.]+) %; .*larger capacity.*",
        str(found.message),
    ).groups()
    assert abs(int(about.replace(",", "")) / keys - 1) < 0.06 and made_for == "3,000"
    assert float(rate) == pytest.approx(100 * one.expected_rate, rel=0.05)
    assert float(intended) == pytest.approx(100 * stated, rel=0.1)
    with silent():
        one.update(range(10 * KEYS))
        one.copy().add("more" if one.keys == "text" else -1)


@pytest.mark.parametrize("format", MERGED + ["leveldb", "rocksdb", "parquet", "split-block-xxph3"])
def test_merging(format):
    parts = [range(KEYS), range(KEYS, 2 * KEYS)]
    same = {"capacity": KEYS} if format in GROWING else {}
    one, other = (Filter.build(part, 0.01, format=format, **same) for part in parts)
    with silent():
        both = one | one.copy()
        both |= one
    with caught() as found:
        both |= other
        both |= other
    assert len(found) == 1 and both.expected_rate > 0.05
    assert re.search("about (5,9|6,0).. keys and was made for 3,000: .* intended 1.00 %", str(found[0].message))
    with pytest.warns(CapacityWarning):
        one | other


def test_the_warning_names_the_line():
    one, other, third = (Filter.build(range(KEYS), capacity=9) for _ in range(3))
    with caught() as found:
        line = inspect.currentframe().f_lineno
        one.add(-1)
        other.update([-1])
        third |= one
    assert [(each.filename, each.lineno - line) for each in found] == [(__file__, 1), (__file__, 2), (__file__, 3)]


def test_who_does_not_warn():
    with silent():
        Filter(KEYS, format="redisbloom").update(map(str, range(9 * KEYS)))
        with pytest.raises(ValueError, match="slots"):
            Filter(KEYS, format="cuckoo").update(range(9 * KEYS))
        Filter(KEYS, 0.6).update(range(9 * KEYS))  # no rate is twice as high
        for format in WARNING:
            raw = Filter.build(range(KEYS), format=format).to_bytes()
            one = Filter.from_bytes(raw, format, keys="int64")
            one.update(range(9 * KEYS))
            assert one.capacity is None
            assert Filter.from_bytes(one.to_bytes(header=True)).capacity is None
        Filter.build(range(9 * KEYS), capacity=KEYS)


def ways(one, folder):
    """The filter after it went some ways that keep its header."""
    one.save(folder / "one")
    yield from (pickle.loads(pickle.dumps(one)), one.copy(), Filter.from_bytes(one.to_bytes(header=True)))
    yield from (Filter.open(folder / "one"), Filter.open(folder / "one", mmap=True), one | one.copy())


@pytest.mark.parametrize("format", MERGED)
def test_files_and_pickles(format, tmp_path):
    """What was stated stays, and not the number of keys at that time but the capacity counts."""
    for rate in (None, 0.001):
        some = Filter(KEYS, rate, format=format)
        with silent():
            some.update(range(KEYS // 10))
        for one in ways(some, tmp_path):
            assert one.capacity == KEYS
            with silent():
                one.update(range(KEYS))
            overfill(one)
            assert 2 < one.expected_rate / (rate or 0.01) < 4


def test_capacity(tmp_path):
    assert [Filter(1000, format=format).capacity for format in sorted(GROWING)] == [1000] * len(GROWING)
    for format in samebits.formats():
        one = Filter.build(["a", "b", "a", "c"], format=format.name)
        assert one.capacity == 3 and Filter.from_bytes(one.to_bytes(header=True)).capacity == 3
    assert Filter.build(list("abc"), capacity=100).capacity == 100 and Filter.build(list("abc"), nbytes=999).capacity == 3
    assert Filter.build([]).capacity is None and Filter(10, nbytes=1000).capacity == 10
    assert Filter.from_redis_chunks(Filter(9, format="redisbloom").redis_chunks()).capacity is None
    (tmp_path / "keys").write_text("a\nb\n")
    build = [sys.executable, "-m", "samebits", "build", "--keys", "keys", "--out"]
    for options, capacity in (["one"], 2), (["two", "--capacity", "99"], 99), (["three", "--raw"], None):
        subprocess.run(build + options, check=True, cwd=tmp_path)
        assert Filter.open(tmp_path / options[0], keys="text").capacity == capacity


def test_repr():
    assert repr(Filter(1000)).endswith("keys undecided, about 0 keys, capacity 1,000>")
    assert repr(Filter.build(["a"], format="ribbon")).endswith("keys text, about 1 key, capacity 1>")
    assert repr(Filter.from_bytes(Filter.build(["a"]).to_bytes())).endswith("keys text, about 1 key>")


def test_errors_come_after_the_keys():
    one, other = Filter(100), Filter.build(range(5000), capacity=100)
    with silent():
        with pytest.raises(CapacityWarning):
            one.update(range(5000))
        one.update([-1])
        assert one.contains_many(range(5000)).all() and one.add(-1) is False
        merged = Filter(100)
        with pytest.raises(CapacityWarning):
            merged |= other
        assert merged == other
        with pytest.raises(CapacityWarning):
            other.add(9999)
        assert 9999 in other


def test_threads_and_hooks():
    one = Filter(KEYS)
    raised = []

    def add(thread):
        try:
            for key in range(thread, 8 * KEYS, 4):
                one.add(key)
        except CapacityWarning as error:
            raised.append(error)

    with silent():
        threads = [threading.Thread(target=add, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(raised) == 1

    other, shown = Filter(9), []
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, *_: shown.append(other.add(-1) or other.copy())
        other.update(range(KEYS))
    assert len(shown) == 1 and -1 in other


def test_rotating_and_cleared_filters():
    rotating, cleared = Filter(KEYS, format="rotating"), Filter(KEYS)
    with silent():
        for generation in range(9):
            rotating.update(range(generation * KEYS, (generation + 1) * KEYS))
            rotating.rotate()
            cleared.update(range(KEYS))
            cleared.clear()
    with pytest.warns(CapacityWarning, match="rotate"):
        rotating.update(range(9 * KEYS))
    with pytest.warns(CapacityWarning):
        cleared.update(range(2 * KEYS))
