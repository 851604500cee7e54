"""The classes, their errors and threads. These tests need pytest alone."""

import _thread
import copy
import faulthandler
import importlib.util
import os
import pathlib
import pickle
import re
import shutil
import signal
import subprocess
import sys
import threading

import pytest

import samebits
from samebits import Filter, FilterSet

ROOT = pathlib.Path(__file__).parents[3]
DATA = pathlib.Path(__file__).parent / "data"

# A shell makes jobs in the background ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def no_waiting_for_ever():
    """Ends the process if a thread waits for a lock and keeps the GIL, so that no other one goes on."""
    faulthandler.dump_traceback_later(60, exit=True, file=sys.__stderr__)
    yield
    faulthandler.cancel_dump_traceback_later()


def test_answers_without_numpy():
    assert importlib.util.find_spec("numpy") is None
    answers = Filter.build(["a"]).contains_many(["a", "b"])
    assert type(answers) is memoryview and answers.format == "?" and answers.tolist() == [True, False]
    assert Filter(9).contains_many([]).tolist() == []


def test_class():
    seen = Filter(1000)
    assert (seen.format, seen.keys, seen.estimated_len) == ("blocked-xxph3", None, 0)
    assert seen.add("a") and not seen.add(b"a") and "a" in seen and "b" not in seen
    assert seen.keys == "text" and repr(seen) == f"<samebits.Filter blocked-xxph3, {seen.bits} bits, keys text, about 1 key, capacity 1,000>"
    assert 0 < seen.expected_rate < 0.01 and seen.estimated_len == 1
    assert seen != "a" and seen != Filter(1000) and seen.copy() == seen
    with pytest.raises(TypeError, match="unhashable"):
        hash(seen)
    with pytest.raises(TypeError):
        len(seen)
    cargo = (ROOT / "Cargo.toml").read_text()
    assert samebits.__version__ == re.search(r'^version = "(.*)"', cargo, re.M)[1]


def test_copies_are_apart():
    seen = Filter.build(["a"])
    for other in (seen.copy(), copy.copy(seen), copy.deepcopy(seen), seen | Filter.build(["a"])):
        assert other == seen and other is not seen
        other.add("b")
        assert other != seen and "b" in other and "b" not in seen


def test_merging_that_fails_changes_nothing():
    for one, other in [
        (Filter(100, format="guava"), Filter(9999, format="guava", keys="int64")),
        (Filter(100, format="counting"), Filter(100, format="counting", keys="int64")),
    ]:
        before = one.to_bytes(header=True)
        with pytest.raises(ValueError):
            one |= other
        assert one.keys is None and one.to_bytes(header=True) == before and one.add("text")


def check_merging(format):
    keys = [f"key{i}" for i in range(600)]
    one, other, both = (Filter(1000, format=format) for _ in range(3))
    for filter, part in ((one, keys[:300]), (other, keys[300:]), (both, keys)):
        filter.update(part)
    before, union, merged = other.copy(), one | other, one
    merged |= other
    merged |= merged
    assert merged is one and union == merged and other == before and all(one.contains_many(keys))
    assert union == both or format == "rotating"


def test_merging():
    """Every growing format merges or says that it does not."""
    refused = []
    for format in samebits.formats():
        try:
            if format.grows:
                check_merging(format.name)
        except ValueError as error:
            assert "merge" in str(error), error
            refused.append(format.name)
    assert refused == ["counting", "cuckoo", "redisbloom"]
    with pytest.raises(ValueError, match="must be equal"):
        Filter(1000) | Filter(2000)
    with pytest.raises(ValueError, match="alike, guava .*, got spark-v2"):
        Filter(1000, format="guava") | Filter(1000, format="spark-v2")
    with pytest.raises(TypeError):
        Filter(1000) | {"a"}


def test_removal_rotation_clear():
    for format in ("counting", "cuckoo"):
        seen = Filter.build(["a", "b"], format=format)
        assert seen.remove("a") and "a" not in seen and "b" in seen and not seen.remove("c")
        with pytest.raises(TypeError):
            seen.remove(7)
    aging = Filter(100, format="rotating")
    aging.add("a")
    aging.rotate()
    aging.add("b")
    assert "a" in aging and "b" in aging
    aging.rotate()
    assert "a" not in aging and "b" in aging
    aging.clear()
    assert aging.estimated_len == 0 and aging.keys == "text" and "b" not in aging
    for format, change in (("blocked", "remove"), ("ribbon", "add"), ("guava", "remove")):
        with pytest.raises(ValueError, match=f"(?i){format}"):
            getattr(Filter.build(["a"], format=format), change)("a")
    with pytest.raises(ValueError, match="rotating"):
        Filter(9).rotate()


def test_redis():
    seen = Filter(10, 0.01, format="redisbloom")
    seen.update(f"key{i}" for i in range(100))
    chunks = seen.redis_chunks()
    assert len(chunks) > 2 and Filter.from_redis_chunks(map(list, chunks)) == seen
    commands = seen.redis_commands("name")
    assert [command[-2:] for command in commands[:-1]] == [[b"%d" % at, chunk] for at, chunk in chunks]
    assert b"name" in commands[-1] and commands == seen.redis_commands(b"name")
    new = lambda: Filter(9, format="redisbloom", keys="int64")
    for wrong in (lambda: seen.add(7), lambda: seen.redis_commands(7), new, lambda: Filter.build([7], format="redisbloom")):
        with pytest.raises(TypeError, match="str|text"):
            wrong()
    with pytest.raises(ValueError, match="redisbloom"):
        Filter(9).redis_chunks()
    for damaged in ([], chunks[:-1], chunks[1:], [(1, b"\xff" * 80)]):
        with pytest.raises(ValueError):
            Filter.from_redis_chunks(damaged)


def test_sizing():
    for format in samebits.formats():
        sizes = {"bits_per_key": 12} if format.name == "ribbon" else {"rate": 0.01}
        size = Filter.sizing(10_000, format=format.name, **sizes)
        assert set(size) == {"nbytes", "rate", "probe_count", "bits_per_key"}
        assert 0 < size["rate"] < 0.02 and 5 < size["nbytes"] * 8 / 10_000 < 100, (format, size)
    for size in ({"rate": 0.001}, {"nbytes": 4096}, {"bits_per_key": 16}):
        assert len(Filter(1000, **size).to_bytes()) == Filter.sizing(1000, **size)["nbytes"]
    assert Filter(1000) == Filter(1000, 0.01) and Filter(1000, nbytes=4096).bits == 32_512
    assert Filter.build(["a"], capacity=1000) == Filter.build(["a"], capacity=1000) != Filter.build(["a"])
    with pytest.raises(TypeError, match="one of"):
        Filter(10, 0.1, nbytes=9)
    assert Filter.build(["a"], format="spark-v2", seed=7) != Filter.build(["a"], format="spark-v2")


def test_errors(tmp_path):
    missing = tmp_path / "none"
    with pytest.raises(FileNotFoundError, match="none"):
        Filter.open(missing)
    with pytest.raises(OSError):
        Filter(9).save(missing / "deeper")
    with pytest.raises(IsADirectoryError, match="FilterSet.open"):
        Filter.open(tmp_path)
    with pytest.raises(ValueError) as listing:
        Filter(10, format="bloom")
    names = [name for format in samebits.formats() for name in (format.name, *format.aliases)]
    assert len(names) == len(set(names)) == 37
    assert all(format.name in str(listing.value) for format in samebits.formats())
    assert all(Filter.sizing(100, format=name, bits_per_key=20)["nbytes"] for name in names)
    with pytest.raises(ValueError, match='"utf16"'):
        Filter(10, keys="utf8")
    for rate in (0, 1, 2.0, -1, float("nan")):
        with pytest.raises(ValueError, match="rate"):
            Filter(10, rate)
    with pytest.raises(MemoryError, match="allocator refused"):
        Filter(10**15, format="cuckoo")
    with pytest.raises(ValueError, match="at most 2 GiB, got 1000000000000000 keys"):
        Filter(10**15)
    with pytest.raises(ValueError, match="2\\^64 - 1, got -1"):
        Filter(-1)
    seen = Filter(10)
    with pytest.raises(UnicodeEncodeError):
        seen.add("\ud800")
    for wrong in ("word", b"word", bytearray(b"word"), memoryview(b"word")):
        for call in (seen.update, seen.contains_many, Filter.build):
            with pytest.raises(TypeError, match="pass a list"):
                call(wrong)
    with pytest.raises(TypeError):
        seen.update(7)
    with pytest.raises(TypeError, match="got both"):
        seen.contains_many(["a"] * 4096 + [7])
    with pytest.raises(ValueError, match="2\\^63"):
        seen.add(2**63)
    with pytest.raises(ValueError, match="2\\^31"):
        Filter(10, keys="int32").update([0, 2**31])
    with pytest.raises(ValueError, match="UTF-8"):
        Filter(10, keys="utf16").add(b"\xff")


def run_all(works):
    """Run functions in threads, none of which fails."""
    done = []
    threads = [threading.Thread(target=lambda work=work: done.append(work())) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == len(works)


def test_threads():
    shared, alone = Filter(100_000), Filter(100_000)
    keys = [[f"{part}/{i}" for i in range(10_000)] for part in range(8)]

    def work(part):
        for start in range(0, 10_000, 1000):
            shared.update(keys[part][start : start + 1000])
            assert all(key in shared for key in keys[part][start : start + 10])
            assert all(shared.contains_many(keys[part][: start + 1000]))
        assert (shared | shared.copy()).estimated_len > 9000

    run_all([lambda part=part: work(part) for part in range(8)])
    alone.update(sum(keys, []))
    assert shared == alone


def test_threads_merge_both_ways():
    one, other = Filter.build(["a"], capacity=10_000), Filter.build(["b"], capacity=10_000)

    def work(ours, theirs):
        for _ in range(200):
            ours |= theirs
            theirs |= ours
            ours == theirs

    run_all([lambda: work(one, other), lambda: work(other, one)] * 2)
    assert one == other and "a" in other and "b" in one


class Index:
    """A key whose number is computed by Python code while other threads run."""

    def __init__(self, run):
        self.run = run

    def __index__(self):
        self.run()
        return 7


def test_keys_that_run_code():
    shared = Filter(100)
    other_thread = Index(lambda: threading.Event().wait(0.002))
    run_all([lambda: [shared.add(other_thread) for _ in range(5)]] * 4)
    assert 7 in shared
    same_filter = Index(lambda: shared.update([8]))
    shared.add(same_filter)
    shared.update([same_filter])
    assert same_filter in shared and all(shared.contains_many([same_filter, 8]))

    def fail():
        raise LookupError("mine")

    for call in (shared.add, shared.__contains__, lambda key: shared.update([key])):
        with pytest.raises(LookupError, match="mine"):
            call(Index(fail))


def test_lists_that_change():
    keys = list(range(50_000))
    keys[100] = Index(keys.clear)
    shared = Filter(100_000)
    shared.update(keys)
    assert all(shared.contains_many([*range(100), 7, *range(101, 4096)])) and shared.estimated_len < 5000


def test_threads_decide_the_kind_once():
    for format in ("blocked-xxph3", "guava", "counting") * 30:
        seen, wins = Filter(1000, format=format), []

        def update(keys):
            try:
                seen.update(keys)
                wins.append(keys)
            except TypeError:
                pass

        run_all([lambda: update(["a", "b"]), lambda: update([1, 2])])
        assert len(wins) == 1 and all(seen.contains_many(wins[0])) and pickle.loads(pickle.dumps(seen)) == seen


def test_processes_that_are_forked():
    """A child of a process that has built filters builds them, too: of more keys than are sorted by one thread."""
    keys = range(150_000)
    ours = Filter.build(keys, format="ribbon")
    if hasattr(os, "fork"):
        child = os.fork()
        if child == 0:
            os._exit(0 if Filter.build(keys, format="ribbon") == ours else 1)
        assert os.waitpid(child, 0)[1] == 0


EXIT = """
import threading, time
from samebits import Filter
seen, keys = Filter(100_000), [str(number) for number in range(10_000)]
def work():
    while True:
        seen.update(str(number) for number in range(10_000))
        seen.contains_many(keys)
        seen.copy(), "a" in seen
slowly = lambda: seen.update(time.sleep(0.002) or "row" for _ in iter(int, 1))
threading.Thread(target=slowly, daemon=True).start()
[threading.Thread(target=work, daemon=True).start() for _ in range(4)]
time.sleep(0.1)
"""


def test_exit_while_threads_go_on():
    """The interpreter ends while daemon threads are in calls, also where several processes share the processors."""
    for _ in range(3):
        ran = [subprocess.Popen([sys.executable, "-c", EXIT], stderr=subprocess.PIPE) for _ in range(4)]
        assert [(process.communicate()[1], process.returncode) for process in ran] == [(b"", 0)] * 4


SUBINTERPRETER = """
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters
try:
    kept = interpreters.create()
    interpreters.run_string(kept, "import samebits; samebits.Filter(9).update(['a'])")
except Exception:
    pass  # Newer versions of Python refuse the import.
"""


def test_exit_after_a_subinterpreter():
    assert subprocess.run([sys.executable, "-c", SUBINTERPRETER], capture_output=True, timeout=30).stderr == b""


MEMORY = """
import copy, pickle, resource, samebits, sys
one, other, keys = samebits.Filter(10**8), samebits.Filter(9), [str(number) for number in range(500_000)]
calls = [one.copy, one.to_bytes, lambda: one | one, lambda: pickle.dumps(one), lambda: copy.copy(one)]
for format in ("ribbon", "binaryfuse", "guava", "leveldb", "blocked-xxph3"):
    calls.append(lambda format=format: samebits.Filter.build(keys, format=format))
pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * 4096 + int(sys.argv[1]),) * 2)
for call in calls[: 10 if int(sys.argv[1]) < 2**21 else 7]:
    try:
        call()
    except MemoryError:
        print("MemoryError")
print(one == other)
"""


def test_memory_that_is_refused():
    """Where the system can bound the memory of a process."""
    for room, refused in ((1 << 20, 10), (10 << 20, 7), (13 << 20, 7)) if sys.platform == "linux" else ():
        ran = subprocess.run([sys.executable, "-c", MEMORY, str(room)], capture_output=True, text=True)
        assert ran.stdout == "MemoryError\n" * refused + "False\n", (room, ran.stdout, ran.stderr)


def test_interrupts():
    """Ctrl-C stops a call with keys without end."""

    def without_end():
        while True:
            yield "key"

    seen, many = Filter(100), ["key"] * 10_000_000 + ["last"]
    for call in (seen.update, lambda _: seen.update(many), seen.contains_many, Filter.build):
        with pytest.raises(KeyboardInterrupt):
            threading.Timer(0.05, _thread.interrupt_main).start()
            call(without_end())
    assert "key" in seen and "last" not in seen


def test_handlers_of_signals_raise_what_they_raise():
    before = signal.signal(signal.SIGINT, lambda *_: {}["of a handler"])
    keys, stopped = [b"%d" % number for number in range(400_000)], 0
    for tries in range(12):
        timer = threading.Timer(0.02 * tries, _thread.interrupt_main)
        try:
            timer.start()
            Filter.build(keys, format="cuckoo")
            timer.join()
        except KeyError:
            stopped += 1
    signal.signal(signal.SIGINT, before)
    assert stopped >= 6


def test_set(tmp_path):
    folder = tmp_path / "users"
    shutil.copytree(DATA / "users", folder)
    for mmap in (False, True):
        users = FilterSet.open(folder, mmap=mmap)
        assert (len(users), users.shards, users.keys, users.format) == (100, 2, "int64", "split-block-xxph3")
        assert all(users.contains_many(range(0, 300, 3))) and sum(users.contains_many(range(1, 3000, 3))) < 20
        assert list(users.contains_many(range(50))) == [i in users for i in range(50)]
        for wrong in ("3", b"3", None, 3.0, True):
            for call in (users.__contains__, lambda key: users.contains_many([key])):
                with pytest.raises(TypeError):
                    call(wrong)
        assert not users.reload()
    # The manifest comes last.
    for newer in sorted((DATA / "users-later").iterdir(), reverse=True):
        shutil.copy(newer, folder)
    assert len(users) == 100 and users.reload() and not users.reload()
    assert len(users) == 200 and all(users.contains_many(range(0, 600, 3)))
    words = ROOT / "crates/applications/filter-sets/tests/data/golden.set"
    fruit = FilterSet.open(str(words))
    assert fruit.keys == "text" and list(fruit.contains_many(["apple", b"plum", "pear"])) == [True, True, False]
    shutil.copytree(words, folder, dirs_exist_ok=True)
    with pytest.raises(ValueError, match="kind"):
        users.reload()
    assert 597 in users


def test_damaged_set(tmp_path):
    with pytest.raises(FileNotFoundError):
        FilterSet.open(tmp_path)
    shutil.copytree(DATA / "users", tmp_path, dirs_exist_ok=True)
    shard = sorted(tmp_path.glob("*.filter"))[1]
    intact = shard.read_bytes()
    changed = intact[:-1] + bytes([intact[-1] ^ 1])
    for damaged, mmap in ((changed, False), (intact[:-1], False), (intact[:-1], True)):
        shard.write_bytes(damaged)
        with pytest.raises(ValueError, match=shard.name):
            FilterSet.open(tmp_path, mmap=mmap)


def samebits_command(*arguments):
    return subprocess.run([sys.executable, "-m", "samebits", *arguments], capture_output=True, check=False)


def test_command(tmp_path):
    done = samebits_command("--version")
    assert (done.returncode, done.stdout) == (0, f"samebits {samebits.__version__}\n".encode())
    done = samebits_command("size", "--keys", "many")
    assert done.returncode == 2 and b'got "many"' in done.stderr
    # macOS and Windows refuse such a name.
    name = b"\xff\xfe" if sys.platform == "linux" else b"keys"
    keys, out = os.path.join(os.fsencode(tmp_path), name), os.path.join(os.fsencode(tmp_path), b"filter")
    pathlib.Path(os.fsdecode(keys)).write_bytes(b"apple\n")
    done = samebits_command("build", "--keys", os.fsdecode(keys), "--format", "guava", "--out", os.fsdecode(out))
    assert done.returncode == 0, done.stderr
    assert "apple" in Filter.from_bytes(pathlib.Path(os.fsdecode(out)).read_bytes(), format="guava")


def test_command_starts_alone():
    code = "import sys, samebits.__main__; sys.exit(bool({'numpy', 'pyarrow', 'asyncio'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
