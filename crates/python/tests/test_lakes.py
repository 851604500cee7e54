"""Row groups of files that are open, in folders, and behind other file systems: the same as of one local file."""

import concurrent.futures
import http.server
import io
import itertools
import os
import pathlib
import random
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import tracemalloc
import types

import fsspec
import fsspec.implementations.arrow
import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq
import pytest
from samebits import parquet_files, parquet_row_groups


def write(path, start=0, *, columns=1, name="id", type=pa.int64()):
    """Writes four row groups of 250 rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    ids = pa.array(range(start, start + 1000)).cast(type)
    table = pa.table({name: ids, **{f"a long name of a column {i}": ids for i in range(1, columns)}})
    pq.write_table(table, path, row_group_size=250, bloom_filter_options={name: {"fpp": 1e-6}})
    return path


class Source:
    """Bytes with `read` and `seek` alone, which counts the reads."""

    def __init__(self, data, *, most=1 << 62, make=bytes, seek=lambda place: place, size=None):
        self.file, self.most, self.make, self.answer, self.size, self.reads = io.BytesIO(data), most, make, seek, size, []

    def seek(self, offset, whence=0):
        place = self.file.seek(offset, whence)
        return self.answer(place) if self.size is None or whence == 0 else self.size

    def tell(self):
        return self.file.tell()

    def read(self, count):
        self.reads.append((self.file.tell(), count))
        return self.make(self.file.read(min(count, self.most)))


def test_open_files(tmp_path):
    path, memory = write(tmp_path / "t.parquet"), fsspec.filesystem("memory")
    memory.pipe("/t.parquet", data := path.read_bytes())
    for make in [lambda: open(path, "rb"), lambda: open(path, "rb", buffering=0), lambda: io.BytesIO(data), lambda: pa.OSFile(str(path)),
                 lambda: pa.BufferReader(data), lambda: pa.memory_map(str(path)), lambda: memory.open("/t.parquet"), lambda: Source(data, most=7),
                 lambda: fsspec.filesystem("file").open(path), lambda: Source(data, make=bytearray), lambda: Source(data, make=memoryview),
                 lambda: Source(data, seek=lambda place: None)]:
        source = make()
        for value in (5, 305, 999):
            assert parquet_row_groups(source, "id", [value]) == [value // 250]
        assert not getattr(source, "closed", False)


def test_reads(tmp_path):
    """The end is read, then the rest of a long footer, then all filters at once, and nothing twice."""
    for columns, most in [(1, 1), (400, 3)]:
        source = Source(write(tmp_path / "t.parquet", columns=columns).read_bytes())
        assert parquet_row_groups(source, "id", [305]) == [1]
        assert len(source.reads) == most
        places = sorted(source.reads)
        assert all(start + count <= other for (start, count), (other, _) in itertools.pairwise(places))
    chunks = [pq.read_metadata(tmp_path / "t.parquet").row_group(group).column(0) for group in range(4)]
    filters = max(c.bloom_filter_offset + c.bloom_filter_length for c in chunks) - min(c.bloom_filter_offset for c in chunks)
    assert source.reads[2][1] <= filters + 256 and source.reads[0][1] == 65_536


def test_lengths_that_are_not_stated(tmp_path):
    """Older writers state where a filter begins, but not how long it is."""
    path = write(tmp_path / "t.parquet", columns=400)
    data, metadata = path.read_bytes(), pq.read_metadata(path)
    varint = lambda n: (bytes([n & 127 | 128]) + varint(n >> 7)) if n > 127 else bytes([n])
    for group in range(4):
        chunk = metadata.row_group(group).column(0)
        place, length = varint(chunk.bloom_filter_offset * 2), varint(chunk.bloom_filter_length * 2)
        # The length becomes a field that nobody knows.
        field = b"\x16" + place + b"%c" + length
        assert data.count(field % 0x15) == 1
        data = data.replace(field % 0x15, field % 0xC5)
    for value in (5, 305, 999):
        source = Source(data)
        assert parquet_row_groups(source, "id", [value]) == [value // 250] and len(source.reads) == 3


def test_reused_buffers(tmp_path):
    """An object may return the same buffer again and again."""
    pq.write_table(pa.table({"id": range(100_000)}), tmp_path / "t.parquet", row_group_size=25_000, bloom_filter_options={"id": True})
    data = (tmp_path / "t.parquet").read_bytes()
    for most in (1 << 13, 1 << 15, 1 << 16):
        buffer = bytearray(most)

        def reuse(part):
            buffer[: len(part)] = part
            return memoryview(buffer)[: len(part)]

        for value in range(0, 100_000, 997):
            assert value // 25_000 in parquet_row_groups(Source(data, most=most, make=reuse), "id", [value])


def test_wrong_objects(tmp_path):
    data = write(tmp_path / "t.parquet").read_bytes()
    for source, error, text in [
        (Source(data, make=lambda part: "text"), TypeError, "must return bytes, got str: open the source as a binary"),
        (Source(data, make=lambda part: None), TypeError, "got NoneType"), (Source(data, make=lambda part: part + b"+"), ValueError, "at most"),
        (Source(data, most=0), EOFError, "got none"), (Source(data, size=2**62), EOFError, "got none"), (Source(data, size=-5), ValueError, "size"),
        (Source(data, size="9"), TypeError, "."), (Source(b""), ValueError, "source: not a Parquet file"), (Source(data[:-9]), ValueError, "it was cut"),
        (Source(data[:4] + bytes(100_000)), ValueError, "it was cut"), (io.StringIO("text"), TypeError, "got str"),
        (7, TypeError, "path, or have read and seek, got int"), (fsspec.open(str(tmp_path / "t.parquet")), TypeError, "read and seek, got OpenFile"),
    ]:
        with pytest.raises(error, match=text):
            parquet_row_groups(source, "id", [5])
    (closed := io.BytesIO(data)).close()
    with pytest.raises(ValueError, match="closed file"):
        parquet_row_groups(closed, "id", [5])
    for raised in (OSError("no answer"), KeyboardInterrupt(), ConnectionResetError(104, "reset")):
        def fail(_):
            raise raised
        with pytest.raises(type(raised)) as error:
            parquet_row_groups(Source(data, make=fail), "id", [5])
        assert error.value is raised


def test_damage(tmp_path):
    """Damaged files are read or refused, in little memory."""
    data, rng = write(tmp_path / "t.parquet", columns=400).read_bytes(), random.Random(7)
    tracemalloc.start()
    for end in (8, 8, 300, 300, 5_000, 100_000, len(data)) * 40:
        broken = bytearray(data)
        for _ in range(rng.choice((1, 1, 9))):
            broken[-rng.randint(1, end)] = rng.choice((0, 127, 128, 255))
        source = Source(broken)
        try:
            assert set(parquet_row_groups(source, "id", [305])) <= set(range(4))
        except ValueError as error:
            assert str(error).startswith("source: ")
        assert len(source.reads) <= 6 and sum(count for _, count in source.reads) <= len(data) + 2_000
    assert tracemalloc.get_traced_memory()[1] < 20 * len(data)
    tracemalloc.stop()


class Server(http.server.SimpleHTTPRequestHandler):
    """A server of files that answers requests for a range."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        """Prints nothing."""

    def do_GET(self):
        place = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if not place:
            return super().do_GET()
        self.server.requests.append(self.path)
        data = pathlib.Path(self.translate_path(self.path)).read_bytes()
        part = data[int(place[1]) : int(place[2]) + 1]
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {place[1]}-{int(place[1]) + len(part) - 1}/{len(data)}")
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        self.wfile.write(part)


LAKE = ["a.parquet", "day=1/b.parquet", "day=1/_c=2/c", "deep/er/d.parquet", "table.parquet/part-0"]
HIDDEN = ["_x.parquet", ".x.parquet", "day=1/_temporary/x.parquet", ".x/x.parquet"]
PATTERNS = {
    "": LAKE, "/*.parquet": ["a.parquet", "table.parquet/part-0"], "/**/*.parquet": [name for name in LAKE if name != "day=1/_c=2/c"],
    "/[!a-c]*/**/*": LAKE[1:], "/day=?": LAKE[1:3], "/_*.parquet": ["_x.parquet"], "/[d]e*/e?/[!x].parquet": ["deep/er/d.parquet"],
}


@pytest.fixture
def lake(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number, name in enumerate(LAKE + HIDDEN):
        write(tmp_path / "_.lake" / name, number * 1000)
    (tmp_path / "_.lake/notes.txt").write_text("text")
    return "_.lake"


@pytest.mark.parametrize("pattern", PATTERNS)
def test_file_systems(lake, pattern):
    values = [number * 1000 + 305 for number in range(9)]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    server.requests = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    memory = fsspec.filesystem("memory")
    memory.put(lake, "/", recursive=True)
    systems = {
        "local": (None, lake), "arrow": (pa.fs.LocalFileSystem(), lake), "in arrow": (pa.fs.PyFileSystem(pa.fs.FSSpecHandler(memory)), lake),
        "file": (fsspec.filesystem("file"), lake), "memory": (memory, "memory://" + lake),
        "http": (fsspec.filesystem("http", use_listings_cache=False), f"http://127.0.0.1:{server.server_port}/{lake}"),
    }
    for name, (filesystem, folder) in systems.items():
        source = folder + (pattern or "/")
        found = parquet_files(source, "id", iter(values), filesystem=filesystem, threads=3)
        names = [path.replace("%3D", "=").partition("_.lake/")[2] for path in found]
        assert names == sorted(PATTERNS[pattern]) and list(found) == sorted(found), (name, names)
        assert all(1 in groups and len(groups) < 3 for groups in found.values())
        paths = list(found)[::-1]
        assert parquet_files(paths, "id", values, filesystem=filesystem) == found and parquet_files(paths, "id", [-1], filesystem=filesystem) == {}
        with pytest.raises(FileNotFoundError):
            parquet_files(folder + "/missing*", "id", values, filesystem=filesystem)
    # A request for each of these small files, and one for the first bytes of others.
    assert len(server.requests) <= 4 * len(names) + 3
    server.shutdown()
    memory.rm("/" + lake, recursive=True)


def test_file_systems_of_fsspec(lake, tmp_path):
    """Those that wrap others, and those that choose a cache by themselves, find what the local one finds."""
    folder, local, arrow = os.path.abspath(lake), fsspec.filesystem("file"), pa.fs.SubTreeFileSystem("/", pa.fs.LocalFileSystem())
    links = pathlib.Path(lake, "link.parquet"), pathlib.Path(lake, "up")
    for link, target in zip(links, ("deep", "..")):
        link.symlink_to(target)
    found = parquet_files(folder, "id", values := [305, 2305, 3305])
    assert len(found) == 3

    def check(filesystem):
        got = parquet_files(folder, "id", values, filesystem=filesystem)
        assert {"/" + path.lstrip("/"): groups for path, groups in got.items()} == found

    check(local)
    check(fsspec.filesystem("dir", path="/", fs=local))
    # The others follow links to folders, or try to read them.
    for link in links:
        link.unlink()
    check(fsspec.filesystem("blockcache", fs=local, cache_storage=str(tmp_path / "cache")))
    check(fsspec.implementations.arrow.ArrowFSWrapper(arrow))


def test_values_of_this_thread(lake):
    """Values are read in the thread of the caller, to which cursors of databases belong."""
    with sqlite3.connect(":memory:") as db:

        class Ids:
            def __iter__(self):
                return (row[0] for row in db.execute("SELECT 305 UNION SELECT 3305"))

        for values in (Ids(), iter(Ids())):
            assert parquet_files(lake, "id", values) == parquet_files(lake, "id", [305, 3305])
    db.close()


@pytest.mark.parametrize("pattern", ["", "/*/*.parquet", "/**/*.parquet"])
def test_folders_that_cannot_be_read(lake, pattern, monkeypatch):
    """A folder that is not listed is an error, unless it cannot have a file of the pattern."""

    scandir, unreadable = os.scandir, "/deep"

    def refuse(path):
        if str(path).endswith(unreadable):
            raise PermissionError(13, "denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    local = fsspec.filesystem("file")
    systems = None, local, fsspec.filesystem("dir", path=os.getcwd(), fs=local)
    for filesystem in systems:
        with pytest.raises(PermissionError):
            parquet_files(lake + pattern, "id", [5], filesystem=filesystem)
    for unreadable in ("/_temporary", "/.x", *["/er"] * (pattern == "/*/*.parquet")):
        for filesystem in systems:
            parquet_files(lake + pattern, "id", [5], filesystem=filesystem)
    unreadable = "nothing"
    monkeypatch.chdir(lake)
    assert parquet_files("*.parquet", "id", [305]) == {"a.parquet": [1]}
    assert parquet_files("[d]e*/**", "id", [3305]) == {"deep/er/d.parquet": [1]}
    assert parquet_files(".", "id", [305, 3305]) == {"./a.parquet": [1], "./deep/er/d.parquet": [1]}


def test_program(lake):
    """The program finds the same files in a folder."""
    add = ["parquet", "add", lake, "--column", "id", "--in-place", "--renew"]
    run = subprocess.run([sys.executable, "-m", "samebits", *add], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert sorted(parquet_files(lake, "id", range(10_000))) == sorted(f"{lake}/{name}" for name in LAKE)


def test_other_columns(tmp_path):
    paths = [write(tmp_path / f"{number}.parquet", number * 1000) for number in range(20)]
    for number, options in itertools.product((0, 7, 19), ({"name": "other"}, {"type": pa.int32()}, {"type": pa.string()})):
        write(paths[number], number * 1000, **options)
        for threads, on_error in itertools.product((1, 8), ("raise", "keep")):
            with pytest.raises(ValueError) as error:
                parquet_files(tmp_path, "id", ["5"], threads=threads, on_error=on_error)
            text = str(error.value)
            assert len(set(re.findall(r"\d+\.parquet", text))) == 2 and f"{number}.parquet" in text
        write(paths[number], number * 1000)
    with pytest.raises(ValueError, match=r'\d.parquet: column must be known, got "missing": known are id$'):
        parquet_files(tmp_path, "missing", [5])
    # A file without row groups needs no column.
    pq.ParquetWriter(tmp_path / "00.parquet", pa.schema({"other": pa.int64()})).close()
    assert parquet_files(str(tmp_path), "id", iter([5, 19_305])) == {str(paths[0]): [0], str(paths[19]): [1]}


def test_errors(tmp_path):
    good, cut, gone, late = write(tmp_path / "a.parquet"), tmp_path / "b.parquet", tmp_path / "c.parquet", tmp_path / "d.parquet"
    cut.write_bytes(good.read_bytes()[:-1])
    write(late, columns=400)
    for paths, error, name in [([good, cut], ValueError, "b.parquet"), ([gone, good], FileNotFoundError, "c.parquet")]:
        with pytest.raises(error) as raised:
            parquet_files(paths, "id", [-1])
        assert name in str(raised.value) and name in raised.value.__notes__[0]
    assert parquet_files([gone, good, cut], "id", [305], on_error="keep") == {str(gone): None, str(good): [1], str(cut): None}

    class Failing(io.FileIO):
        """A file whose connection breaks before the filters are read."""

        reads = 0

        def read(self, size=-1):
            self.reads += 1
            if self.reads > 2:
                raise ConnectionResetError(104, "the connection broke")
            return super().read(size)

    broken = types.SimpleNamespace(open=lambda path, *_, **__: Failing(path))
    with pytest.raises(ConnectionResetError, match="broke") as raised:
        parquet_files([late], "id", [305], filesystem=broken)
    assert raised.value.__notes__ == [f"in {late}"]
    assert parquet_files([late], "id", [-1], filesystem=broken, on_error="keep") == {str(late): [0, 1, 2, 3]}
    for source, options, error, text in [
        (tmp_path, {"threads": 0}, ValueError, "threads"), (tmp_path, {"threads": 1.5}, TypeError, "float"), (tmp_path, {"on_error": "skip"}, ValueError, "on_error"),
        (tmp_path, {"filesystem": "s3"}, TypeError, "filesystem must be one of pyarrow or fsspec, got str"),
        (tmp_path, {"column": 7}, TypeError, "column must be str"), (b"path", {}, TypeError, "os.fsdecode"), (7, {}, TypeError, "got int"),
        (good, {"values": ["x"], "on_error": "keep"}, ValueError, "whole number"), (good, {"values": 5, "on_error": "keep"}, TypeError, "iterable"),
        (tmp_path / "none", {}, FileNotFoundError, "none"), ([good, 7], {}, TypeError, "got int"),
    ]:
        with pytest.raises(error, match=text):
            parquet_files(source, **{"column": "id", "values": [5], **options})
    assert parquet_files([], "id", [5]) == {} and parquet_files(good, "id", []) == {}


SLOW = """
import sys, threading, time
import fsspec
from samebits import parquet_files

class Slow(fsspec.get_filesystem_class("memory")):
    def open(self, *_, **__):
        sys.stdout.write("open\\n")
        sys.stdout.flush()
        time.sleep(60)

try:
    parquet_files([str(i) for i in range(100)], "id", [1], filesystem=Slow(), threads=3)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_interrupt():
    """An interrupt, and the end of the process, wait for no thread."""
    with subprocess.Popen([sys.executable, "-c", SLOW], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        for _ in range(3):
            assert process.stdout.readline() == "open\n"
        started = time.monotonic()
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=30)
    assert (output, errors, process.returncode) == ("interrupted\n", "", 0) and time.monotonic() - started < 5


def test_threads(tmp_path):
    """Calls in several threads, each of several threads, agree."""
    for number in range(30):
        write(tmp_path / f"{number:02}.parquet", number * 1000)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for value, found in zip(range(0, 30_000, 999), pool.map(lambda value: parquet_files(tmp_path, "id", [value]), range(0, 30_000, 999))):
            assert value % 1000 // 250 in found[os.path.join(tmp_path, f"{value // 1000:02}.parquet")] and len(found) < 3
