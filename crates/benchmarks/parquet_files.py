"""Measures how long a Bloom filter for one column of a Parquet file takes: added by `samebits`, or with the file written
anew by pyarrow or DuckDB.

The file has a column of UUIDs as text, and five others. Every program gets the same processors, works in a process of its
own, keeps the compression, and ends when its file is on the disk. Caches are not dropped. Run it on an idle machine with the
packages `duckdb`, `numpy` and `pyarrow`:

    python3 crates/benchmarks/parquet_files.py target/release/samebits [--rows 100000000] [--folder FOLDER]
"""

import argparse
import os
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

GROUP, RATE = 1_000_000, 0.01


def write(path, compression, rows):
    """Writes the file, whose values follow from the seed 1."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    draw, writer = np.random.default_rng(1), None
    digits = np.frombuffer(b"0123456789abcdef", np.uint8)
    pages = pa.array([f"/shop/{name}/{number}" for name in ("list", "item", "cart") for number in range(300)])
    for start in range(0, rows, GROUP):
        count = min(GROUP, rows - start)
        text = np.full((count, 36), ord("-"), np.uint8)
        places = [place for place in range(36) if place not in (8, 13, 18, 23)]
        text[:, places] = digits[draw.integers(0, 16, (count, 32), np.uint8)]
        ends = pa.py_buffer(np.arange(0, 36 * count + 1, 36, dtype=np.int32))
        columns = {
            "id": pa.StringArray.from_buffers(count, ends, pa.py_buffer(text)),
            "time": pa.array(1_700_000_000_000_000 + (start + np.arange(count)) * 997, pa.timestamp("us", "UTC")),
            "user": pa.array(draw.zipf(1.2, count) % 5_000_000),
            "page": pages.take(pa.array(draw.integers(0, len(pages), count))),
            "price": pa.array(draw.integers(99, 99_999, count) / 100),
            "status": pa.array(draw.choice(np.array([200, 304, 404, 500], np.int32), count)),
        }
        table = pa.table(columns)
        writer = writer or pq.ParquetWriter(path, table.schema, compression=compression)
        writer.write_table(table, row_group_size=GROUP)
    writer.close()


def rewrite_pyarrow(source, target, compression, threads):
    """Writes the file anew, a row group at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    pa.set_cpu_count(threads)
    with pq.ParquetFile(source) as file:
        filters = {"id": {"ndv": file.metadata.row_group(0).num_rows, "fpp": RATE}}
        with pq.ParquetWriter(target, file.schema_arrow, compression=compression, bloom_filter_options=filters) as writer:
            for group in range(file.num_row_groups):
                writer.write_table(file.read_row_group(group), row_group_size=GROUP)


def rewrite_duckdb(source, target, compression, threads):
    """Writes the file anew. DuckDB makes filters only where all values are in a dictionary."""
    import duckdb

    options = f"format parquet, compression {compression}, row_group_size {GROUP}, dictionary_size_limit {GROUP}"
    options += f", bloom_filter_false_positive_ratio {RATE}"
    duckdb.sql(f"set threads = {threads}")
    duckdb.sql(f"copy (from '{source}') to '{target}' ({options})")


def check(target, size):
    """Prints the part of row groups that have a filter, and what was added to the file, in per cent."""
    import pyarrow.parquet as pq

    metadata = pq.read_metadata(target)
    chunks = [metadata.row_group(group).column(0) for group in range(metadata.num_row_groups)]
    filters = sum(chunk.bloom_filter_offset is not None for chunk in chunks)
    print(f"{filters} of {len(chunks)} | {(os.path.getsize(target) / int(size) - 1) * 100:+.1f} %")


def run(*command):
    """Runs a command on the chosen processors; returns seconds and peak memory in MiB."""
    start = time.perf_counter()
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, command
    return time.perf_counter() - start, used.ru_maxrss / 1024


def output(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("samebits", help="the program, in a release build")
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--rounds", type=int, default=3, help="of which the least time and memory are printed")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=Path(), help="on the disk to measure, with room for two files")
    options = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.threads])
    source, target = options.folder / "source.parquet", options.folder / "target.parquet"
    add = [options.samebits, "parquet", "add", source, "--column", "id", "--rate", RATE, "--out", target]
    ours = output(options.samebits, "--version")
    processor = next(line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name"))
    disk = output("df", "--output=source,fstype", options.folder).splitlines()[1]
    print(f"{options.rows} rows, {options.threads} threads, {processor.split(': ')[1]}, {' '.join(disk.split())}\n")
    print("| file | program | seconds | peak MiB | row groups with a filter | longer by |\n|---|---|---:|---:|---:|---:|")
    for compression in ("snappy", "zstd"):
        run(sys.executable, __file__, "write", source, compression, options.rows)
        size = source.stat().st_size
        anew = [source, target, compression, options.threads]
        commands = {f"{ours}": add} | {
            f"{name} {version(name)}": [sys.executable, __file__, f"rewrite_{name}", *anew] for name in ("pyarrow", "duckdb")
        }
        measured, checked = {name: [] for name in commands}, {}
        for _ in range(options.rounds):
            for name, command in commands.items():
                measured[name].append(run(*command))
                checked[name] = output(sys.executable, __file__, "check", target, size)
                target.unlink()
        for name, rounds in measured.items():
            seconds, memory = map(min, zip(*rounds, strict=True))
            print(f"| {compression}, {size / 1e9:.2f} GB | {name} | {seconds:.1f} | {memory:.0f} | {checked[name]} |", flush=True)
        source.unlink()


if len(sys.argv) > 1 and sys.argv[1] in ("write", "rewrite_pyarrow", "rewrite_duckdb", "check"):
    words = [int(word) if word.isdigit() else word for word in sys.argv[2:]]
    globals()[sys.argv[1]](*words)
    if sys.argv[1] != "check":
        # `samebits` does so, too.
        os.fsync(os.open(words[0 if sys.argv[1] == "write" else 1], os.O_RDONLY))
else:
    main()
