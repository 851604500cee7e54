"""Filters that are added to Parquet files: those of the command, and files that stay whole whatever happens."""

import os
import pathlib
import signal
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from samebits import add_bloom_filters, check_bloom_filters, parquet_row_groups

WORDS = [f"word {number * 7_919 % 30_000}" for number in range(30_000)]


@pytest.fixture
def plain(tmp_path):
    table = pa.table({"id": list(range(30_000)), "word": WORDS, "at": [{"x": number} for number in range(30_000)]})
    pq.write_table(table, tmp_path / "plain.parquet", row_group_size=10_000)
    return tmp_path / "plain.parquet"


def command(*arguments):
    return subprocess.run([sys.executable, "-m", "samebits", *map(str, arguments)], check=True, capture_output=True)


def test_same_bytes_as_the_command(plain, tmp_path):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    added = add_bloom_filters(plain, ["id", "at.x"], 0.001, out=ours, always=True)
    options = ["--column", "id", "--column", "at.x", "--rate", "0.1%", "--always"]
    command("parquet", "add", plain, *options, "--out", theirs)
    assert ours.read_bytes() == theirs.read_bytes()
    assert added.written and added.nbytes == ours.stat().st_size and list(added.columns) == ["at.x", "id"]
    of_id = added.columns["id"]
    assert of_id[:4] == (3, 3, 30_000, 30_000) and 0 < of_id.expected_rate <= 0.001
    assert parquet_row_groups(ours, "id", [12_345]) == [1]
    checked = check_bloom_filters(ours)
    assert len(checked) == 6 and {(one.values, one.denied, one.note) for one in checked} == {(10_000, 0, None)}
    assert sum(one.nbytes for one in checked if one.column == "id") < of_id.nbytes


def test_every_kind_of_path(plain, tmp_path):
    expected = None
    for out in (tmp_path / "a", str(tmp_path / "b"), os.fsencode(tmp_path / "c")):
        add_bloom_filters(type(out)(plain) if not isinstance(out, bytes) else os.fsencode(plain), "word", out=out)
        written = pathlib.Path(os.fsdecode(out)).read_bytes()
        assert written == (expected or written)
        expected = written
    add_bloom_filters(plain, iter(["word"]), in_place=True)
    assert plain.read_bytes() == expected
    again = add_bloom_filters(plain, "word", in_place=True, renew=True)
    assert any("unused byte" in note for note in again.notes)


def test_errors(plain, tmp_path):
    before, other = plain.read_bytes(), tmp_path / "other"
    other.write_bytes(b"theirs")
    for error, text, path, columns, options in [
        (ValueError, "one of out and in_place", plain, "id", {}),
        (ValueError, "one of out and in_place", plain, "id", {"out": tmp_path / "new", "in_place": True}),
        (ValueError, "with out only", plain, "id", {"in_place": True, "replace": True}),
        (ValueError, "columns must name", plain, [], {"in_place": True}),
        (ValueError, "nothing", plain, ["id", "nothing"], {"in_place": True}),
        (ValueError, "rate", plain, "id", {"in_place": True, "rate": 2.0}),
        (MemoryError, "plain.parquet: column id", plain, "id", {"in_place": True, "memory": 10}),
        (ValueError, "in_place=True", plain, "id", {"out": plain, "replace": True}),
        (ValueError, "other", other, "id", {"in_place": True}),
        (FileNotFoundError, "missing", tmp_path / "missing", "id", {"in_place": True}),
        (FileNotFoundError, "folder", plain, "id", {"out": tmp_path / "folder" / "new"}),
        (FileExistsError, "other", plain, "id", {"out": other}),
        (IsADirectoryError, tmp_path.name, tmp_path, "id", {"in_place": True}),
        (TypeError, "columns must be text, got 7", plain, [7], {"in_place": True}),
        (TypeError, "columns must be text, got b'id'", plain, b"id", {"in_place": True}),
        (TypeError, "rate must be a number, got '1%'", plain, "id", {"in_place": True, "rate": "1%"}),
        (TypeError, "in_place must be True or False, got None", plain, "id", {"in_place": None}),
        (TypeError, "in_place must be True or False, got 'no'", plain, "id", {"in_place": "no"}),
        (ValueError, "max_bytes must be between", plain, "id", {"in_place": True, "max_bytes": -1}),
    ]:
        with pytest.raises(error, match=text):
            add_bloom_filters(path, columns, **options)
    assert plain.read_bytes() == before and other.read_bytes() == b"theirs"
    with pytest.raises(ValueError, match="other"):
        check_bloom_filters(other)
    with pytest.raises(FileNotFoundError):
        check_bloom_filters(tmp_path / "missing")
    add_bloom_filters(plain, "id", out=tmp_path / "new", always=True)
    with pytest.raises(MemoryError, match="new: column id"):
        check_bloom_filters(tmp_path / "new", memory=10)
    os.remove(tmp_path / "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "plain.parquet"]


def test_tables_that_record_their_files_are_noted(plain, tmp_path):
    (tmp_path / "_delta_log").mkdir()
    [note] = [note for note in add_bloom_filters(plain, "word", in_place=True).notes if "Delta" in note]
    assert note.startswith(f"{tmp_path / '_delta_log'}: ")


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows has no such permissions")
def test_a_folder_without_permission(plain, tmp_path):
    """A user who is not root may not write into the folder, and the error has the system's number and the file's name."""
    script = (
        "import os, samebits, sys\n"
        "if os.geteuid() == 0: os.setuid(65534)\n"
        "try: samebits.add_bloom_filters(sys.argv[1], 'word', in_place=True)\n"
        "except PermissionError as error: print(error.errno, error.filename)\n"
    )
    for folder in [tmp_path, *tmp_path.parents][:3]:
        folder.chmod(0o755)
    plain.chmod(0o644)
    tmp_path.chmod(0o555)
    done = subprocess.run([sys.executable, "-c", script, plain], capture_output=True, text=True)
    tmp_path.chmod(0o755)
    assert done.stdout == f"13 {plain}\n", done.stderr


def test_a_denied_value_is_shown(plain):
    before = plain.read_bytes()
    add_bloom_filters(plain, "id", in_place=True, always=True)
    # The first filter follows the data, where the footer was.
    start = len(before) - 8 - int.from_bytes(before[-8:-4], "little")
    file = bytearray(plain.read_bytes())
    file[start + 40 : start + 400] = bytes(360)
    plain.write_bytes(file)
    first, *others = check_bloom_filters(plain)
    assert first.denied > 0 and first.first_denied and not any(one.denied for one in others)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
@pytest.mark.parametrize("options", [{"in_place": True}, {"out": "new"}])
def test_a_file_that_cannot_grow(plain, tmp_path, options):
    """The limit of a file's length ends writing as a full disk does, at some byte."""
    before = plain.read_bytes()
    script = (
        "import resource, samebits, sys\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), -1))\n"
        f"samebits.add_bloom_filters(sys.argv[1], 'word', **{options})\n"
    )
    for limit in 0, 100_000, len(before), len(before) + 1_000:
        done = subprocess.run([sys.executable, "-c", script, plain, str(limit)], cwd=tmp_path, capture_output=True)
        assert done.returncode == 1 and b"OSError: [Errno 27] " in done.stderr, done.stderr
        assert plain.read_bytes() == before
        assert [path.name for path in tmp_path.iterdir()] == ["plain.parquet"]


LOOP = """
import sys, threading, samebits
def add():
    while True:
        samebits.add_bloom_filters(sys.argv[1], "word", in_place=True, renew=True)
if sys.argv[2] == "daemon":
    threading.Thread(target=add, daemon=True).start()
    print("begun", flush=True)
    threading.Event().wait(0.3)
else:
    print("begun", flush=True)
    try:
        add()
    except KeyboardInterrupt:
        sys.exit(7)
"""


WAYS = [("daemon", 0)]
if sys.platform != "win32":
    WAYS += [("interrupt", 7), ("kill", -signal.SIGKILL)]


@pytest.mark.parametrize(("way", "code"), WAYS)
def test_the_file_stays_whole(plain, tmp_path, way, code):
    command = [sys.executable, "-c", LOOP, plain, way]
    restore = lambda: signal.signal(signal.SIGINT, signal.default_int_handler)  # noqa: E731
    restore = None if sys.platform == "win32" else restore
    with subprocess.Popen(command, stdout=subprocess.PIPE, preexec_fn=restore) as process:
        assert process.stdout.readline().strip() == b"begun"
        if way != "daemon":
            try:
                process.wait(0.4)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT if way == "interrupt" else signal.SIGKILL)
        assert process.wait(30) == code
    assert pq.read_table(plain).column("word").to_pylist() == WORDS
    assert all(one.denied == 0 for one in check_bloom_filters(plain))
    if way == "interrupt":
        assert [path.name for path in tmp_path.iterdir()] == ["plain.parquet"]
