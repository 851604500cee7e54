"""Measures filters of Python side by side: nanoseconds per key, the least of several rounds, in one process.

Keys are strings of 17 to 50 bytes, drawn by Python's Mersenne Twister from the seed 1; filters are for all of them at 1 %.
Run it on an idle machine with the packages `samebits`, `numpy`, `pyarrow`, `rbloom`, `fastbloom-rs`, `pybloom-live` and
`xxhash`:

    python3 crates/python/benches/compare.py [KEYS [ROUNDS]]
"""

import platform
import random
import sys
import threading
import time
from importlib.metadata import version
from pathlib import Path

import fastbloom_rs
import numpy as np
import pyarrow as pa
import pybloom_live
import rbloom
import xxhash

import samebits
from samebits import Filter

KEYS = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 7
RATE = 0.01
COLUMNS = ["build, list", "build, Arrow", "in", "many, list", "many, Arrow", "many, int64", "wrong, %"]


def strings(prefix):
    draw, letters = random.Random(1), "abcdefghijklmnopqrstuvwxyz0123456789"
    heads = (f"{prefix}{number:09}" for number in range(KEYS))
    return [head + "".join(draw.choices(letters, k=draw.randint(1, 34))) for head in heads]


def times(run, make=lambda: None, rounds=ROUNDS):
    """Return the least time of a run on what is made anew, in nanoseconds per key."""
    best = float("inf")
    for _ in range(rounds):
        made = make()
        start = time.perf_counter()
        run(made)
        best = min(best, time.perf_counter() - start)
    return best / KEYS * 1e9


def one_by_one(filled):
    return [key in filled for key in ABSENT]


def ours(name):
    make = lambda: Filter(KEYS, RATE, format=name)
    filled, integers = make(), make()
    filled.update(PRESENT)
    integers.update(NUMBERS)
    return {
        "build, list": times(lambda made: made.update(PRESENT), make),
        "build, Arrow": times(lambda made: made.update(PRESENT_ARROW), make),
        "in": times(lambda _: one_by_one(filled)),
        "many, list": times(lambda _: filled.contains_many(ABSENT)),
        "many, Arrow": times(lambda _: filled.contains_many(ABSENT_ARROW)),
        "many, int64": times(lambda _: integers.contains_many(NUMBERS)),
        "wrong, %": filled.contains_many(ABSENT).mean() * 100,
    }


def built(name):
    filled = Filter.build(PRESENT, RATE, format=name)
    return {
        "build, list": times(lambda _: Filter.build(PRESENT, RATE, format=name)),
        "build, Arrow": times(lambda _: Filter.build(PRESENT_ARROW, RATE, format=name)),
        "in": times(lambda _: one_by_one(filled)),
        "many, list": times(lambda _: filled.contains_many(ABSENT)),
        "many, Arrow": times(lambda _: filled.contains_many(ABSENT_ARROW)),
        "wrong, %": filled.contains_many(ABSENT).mean() * 100,
    }


def other(make, build, loop=one_by_one, many=None, rounds=ROUNDS):
    filled = make()
    build(filled)
    many = many or loop
    return {
        "build, list": times(build, make, rounds),
        "in": times(lambda _: loop(filled), rounds=rounds),
        "many, list": times(lambda _: many(filled), rounds=rounds),
        "wrong, %": sum(map(bool, loop(filled))) / KEYS * 100,
    }


def each(add):
    for key in PRESENT:
        add(key)


def threads(name, count):
    """Return the time per key of so many threads, each of which asks for all keys in batches of 10,000."""
    filled = Filter.build(PRESENT, RATE, format=name)
    batches = [ABSENT_ARROW.slice(start, 10_000) for start in range(0, KEYS, 10_000)]

    def run(_):
        workers = [threading.Thread(target=lambda: list(map(filled.contains_many, batches))) for _ in range(count)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    return times(run) / count


def savable_hash(key):
    return xxhash.xxh3_128_intdigest(key.encode()) - 2**127


PRESENT, ABSENT = strings("present"), strings("absent")
PRESENT_ARROW, ABSENT_ARROW = pa.array(PRESENT), pa.array(ABSENT)
NUMBERS = np.arange(KEYS, dtype=np.int64) * 1_000_003
ROWS = {f"`{name}`": ours(name) for name in ("blocked-xxph3", "guava", "spark")}
ROWS |= {f"`{name}`": built(name) for name in ("split-block-xxph3", "parquet", "rocksdb")}
ROWS[f"rbloom {version('rbloom')}, which cannot be saved"] = other(
    lambda: rbloom.Bloom(KEYS, RATE), lambda made: made.update(PRESENT)
)
ROWS["rbloom with XXH3, which can"] = other(
    lambda: rbloom.Bloom(KEYS, RATE, savable_hash), lambda made: made.update(PRESENT)
)
ROWS[f"fastbloom-rs {version('fastbloom-rs')}"] = other(
    lambda: fastbloom_rs.FilterBuilder(KEYS, RATE).build_bloom_filter(),
    lambda made: made.add_str_batch(PRESENT),
    lambda made: [made.contains(key) for key in ABSENT],
    lambda made: made.contains_str_batch(ABSENT),
)
ROWS[f"pybloom-live {version('pybloom-live')}"] = other(
    lambda: pybloom_live.BloomFilter(KEYS, RATE), lambda made: each(made.add), rounds=1
)
processor = next(line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name"))
print(f"{KEYS} keys, {processor.split(': ')[1]}, Python {platform.python_version()}, samebits {samebits.__version__}\n")
print("| ns per key | " + " | ".join(COLUMNS) + " |\n|---|" + "---:|" * len(COLUMNS))
for row, figures in ROWS.items():
    cells = (f"{figures[c]:.2f}" if c == "wrong, %" else f"{figures[c]:.0f}" if c in figures else "" for c in COLUMNS)
    print(f"| {row} | " + " | ".join(cells) + " |")
for count in (1, 2):
    print(f"\n{count} threads that ask `blocked-xxph3`, Arrow: {threads('blocked-xxph3', count):.1f} ns per key in all")
