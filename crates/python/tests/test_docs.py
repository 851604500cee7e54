"""The examples of the documents run, and the annotations are those of the code."""

import doctest
import inspect
import pathlib
import pydoc
import re
import shutil
import subprocess
import sys

import samebits
from samebits import Filter, FilterSet

HERE = pathlib.Path(__file__).parent


def test_readme(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"```python\n(.*?)```", (HERE.parent / "README.md").read_text(), re.S)
    assert examples
    for code in examples:
        exec(compile(code, "README.md", "exec"), {"__name__": "example"})


def test_docstrings(tmp_path, monkeypatch):
    """Every class, function and method has an example that runs."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(HERE / "data/users", "users")
    functions = {name: getattr(samebits, name) for name in samebits.__all__ if name != "__version__"}
    documented = functions.copy()
    for owner in (Filter, FilterSet):
        names = [name for name in vars(owner) if not name.startswith("_")]
        documented.update({f"{owner.__name__}.{name}": getattr(owner, name) for name in names})
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    missing = []
    for name, member in documented.items():
        text = inspect.getdoc(member) or ""
        example = doctest.DocTestParser().get_doctest(text, dict(functions), name, None, 0)
        if callable(member) and not example.examples:
            missing.append(name)
        runner.run(example)
    assert missing == []
    assert runner.failures == 0 and runner.tries > 20
    for owner in (Filter, FilterSet):
        assert len(pydoc.plain(pydoc.render_doc(owner)).splitlines()) <= 170


PROGRAM = """
import io
import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
from samebits import (
    Filter, FilterSet, add_bloom_filters, check_bloom_filters, formats, parquet_files, parquet_row_groups
)

seen: Filter = Filter(1000, 0.01, format="guava", keys="int64")
new: bool = seen.add(7)
seen.update(np.arange(10))
seen.update(pa.array([1, 2]))
seen.update(i for i in range(10))
Filter.build(["a", b"b"], bits_per_key=10, format="ribbon").contains_many(np.array(["a"])).sum()
both: Filter = seen | seen.copy()
both |= seen
kind: str | None = both.keys
stored: bytes = both.to_bytes(header=True)
assert Filter.from_bytes(bytearray(stored)) == both and 7 in both
both.save("seen.filter")
count: int | None = Filter.open("seen.filter", mmap=True).estimated_len
size: int = Filter.sizing(1000)["nbytes"]
chunks: list[tuple[int, bytes]] = Filter(9, format="redisbloom").redis_chunks()
Filter.from_redis_chunks(iter(chunks))
names: list[str] = [format.name for format in formats() if format.grows]
groups: list[int] = parquet_row_groups("rows.parquet", "id", [7]) if len(names) > 99 else []
if len(names) > 99:
    groups = parquet_row_groups(open("rows.parquet", "rb"), "id", [7]) or parquet_row_groups(io.BytesIO(), "id", [7])
    files: dict[str, list[int] | None] = parquet_files("lake", "id", iter([7]), threads=2, on_error="keep")
    rate: float = add_bloom_filters("rows.parquet", ["id"], in_place=True).columns["id"].expected_rate
    denied: list[int | None] = [one.denied for one in check_bloom_filters(b"rows.parquet")]
users: FilterSet = FilterSet.open("users")
number: int = len(users) + users.shards + int(3 in users)
"""
WRONG = ["Filter('9')", "Filter(9).add(1.5)", "Filter(9, keys='u8')", "Filter.build([None])", "class F(Filter): ..."]


def test_annotations(tmp_path, monkeypatch):
    """Mypy accepts a program that runs and refuses wrong lines."""
    shutil.copytree(HERE / "data/users", tmp_path / "users")
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "wrong.py").write_text("from samebits import Filter\n" + "\n".join(WRONG) + "\n")
    monkeypatch.chdir(tmp_path)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir=/dev/null", "program.py", "wrong.py"]
    checked = subprocess.run(command, capture_output=True, text=True)
    assert re.findall(r"^(\w+)\.py:(\d+): error", checked.stdout, re.M) == [
        ("wrong", str(line)) for line in range(2, 2 + len(WRONG))
    ], checked.stdout
    exec(compile(PROGRAM, "program.py", "exec"), {"__name__": "program"})
