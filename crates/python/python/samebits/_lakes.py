"""Finds the files of a folder, a pattern or a list, and queries their filters in several threads."""

import collections
import errno
import fnmatch
import operator
import os
import queue
import re
import stat
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

from . import _samebits
from ._parquet import _MAGIC, _check_column, _column_of, _File, _open, _path_of, _read, _typed


def parquet_files(
    source: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    column: str,
    values: Iterable[Any],
    *,
    filesystem: Any = None,
    threads: int = 8,
    on_error: Literal["raise", "keep"] = "raise",
) -> dict[str, list[int] | None]:
    """Return the Parquet files that may contain one of the values, each with the numbers of its row groups.

    Other files certainly contain none of the values. `column` and `values` are those of `parquet_row_groups`; an
    iterator of values is read once. The files are in the order of their paths, or in that of the list.

    `source` is a folder, a pattern as "lake/*/2025-*.parquet", in which `**` matches any number of folders, or a list
    of files. A folder, and a pattern that matches a folder, stand for all Parquet files in it and in its folders: those
    named `.parquet`, and others that begin like one. Names that begin with a dot or an underscore are left out unless
    they name a partition, as in "_day=1", or the pattern has such a name; links to folders are not followed, except by
    pyarrow's file systems.

    `filesystem` is one of pyarrow or fsspec; by default, files are local. `threads` files are read at a time, and each
    thread may need 64 MiB for filters. With a file system that is not safe for threads, as fsspec's "filecache", pass
    `threads=1`.

    Raise the error of a file that cannot be read, with a note that names the file. With `on_error="keep"`, such a file
    is returned with all of its row groups, or with None for all if their number is unknown. Raise ValueError if a file
    lacks the column or has it with another type, and FileNotFoundError if the pattern matches nothing.

    >>> import os, pyarrow.parquet
    >>> os.mkdir("lake")
    >>> for day in range(3):
    ...     table = pyarrow.table({"id": list(range(day * 1000, day * 1000 + 1000))})
    ...     pyarrow.parquet.write_table(table, f"lake/{day}.parquet", bloom_filter_options={"id": True})
    >>> found = parquet_files("lake", "id", [1500, 2500])
    >>> {os.path.basename(path): groups for path, groups in found.items()}
    {'1.parquet': [0], '2.parquet': [0]}
    """
    _check_column(column)
    if on_error not in ("raise", "keep"):
        raise ValueError(f'on_error must be "raise" or "keep", got {on_error!r}')
    if operator.index(threads) < 1:
        raise ValueError(f"threads must be at least 1, got {threads}")
    if filesystem is not None and not any(hasattr(filesystem, name) for name in ("open", "open_input_file")):
        raise TypeError(f"filesystem must be one of pyarrow or fsspec, got {type(filesystem).__name__}")
    values = _column_of(values)
    # The first file with the column: its path, its types, and the values in the forms for all files.
    first: list[tuple[str, str, Any]] = []
    lock = threading.Lock()

    def query(path: str, is_named: bool) -> Any:
        """Return row groups, or the reason why the column is missing."""
        groups, is_kept = None, on_error == "keep"
        try:
            with _open(path, filesystem) as opened:
                if not is_named and _read(opened, 0, 4, is_whole=False) not in _MAGIC:
                    return []
                file = _File(opened, path, column)
                groups, missing = list(range(file.columns.all_row_groups)), file.columns.missing()
                if missing is not None or not groups:
                    return missing or []
                # Wrong values and wrong types are errors even if unreadable files are kept.
                is_kept = False
                with lock:
                    if not first:
                        first.append((path, file.columns.types, _samebits._ParquetValues(file.columns, values, _typed)))
                other, types, read = first[0]
                if types != file.columns.types:
                    reason = f"column {column!r} must have one type, got {file.columns.types}, and {types} in {other}"
                    raise ValueError(f"{path}: {reason}")
                is_kept = on_error == "keep"
                return file.row_groups(read)
        except Exception as error:
            if is_kept:
                return groups
            error.add_note(f"in {path}")
            raise

    files = _files(source, filesystem)
    found: dict[str, Any] = {}
    lacking: dict[str, str] = {}
    for path, groups in _in_threads(query, files, threads):
        found[path] = groups
        if isinstance(groups, str):
            lacking[path] = groups
        # A file that has the column is worth waiting for, but not long.
        if lacking and (first or len(lacking) > threads):
            break
    for path, reason in lacking.items():
        raise ValueError(f"{path}: {reason}" + (f"; {first[0][0]} has it" if first else ""))
    return {path: found[path] for path in files if found[path] != []}


def _in_threads(work: Callable[..., Any], items: dict[str, Any], threads: int) -> Iterator[tuple[str, Any]]:
    """Yield the results of the work as they come, or raise its error.

    Neither an interrupt nor the end of the process waits for these threads. It would wait for those of
    `concurrent.futures`, however long the network takes.
    """
    todo, done = collections.deque(items.items()), queue.SimpleQueue[tuple[str, Any, BaseException | None]]()

    def run() -> None:
        while todo:
            try:
                key, item = todo.popleft()
            except IndexError:
                return
            try:
                done.put((key, work(key, item), None))
            except BaseException as error:
                done.put((key, None, error))

    try:
        for _ in range(min(threads, len(items))):
            threading.Thread(target=run, daemon=True).start()
        for _ in items:
            while True:
                try:
                    # Without a limit, Windows would not see Ctrl-C.
                    key, result, error = done.get(timeout=0.1)
                    break
                except queue.Empty:
                    pass
            if error is not None:
                raise error
            yield key, result
    finally:
        todo.clear()


def _files(source: Any, filesystem: Any) -> dict[str, bool]:
    """Return the paths of files, each with False if only its first bytes can tell whether it is a Parquet file."""
    if isinstance(source, Iterable) and not isinstance(source, (str, bytes, os.PathLike)):
        return dict.fromkeys(map(_path_of, source), True)
    root = path = _path_of(source)
    if filesystem is not None and not hasattr(filesystem, "get_file_info"):
        # The paths that are found have no protocol.
        root = path = filesystem._strip_protocol(path).rstrip("/") + "/" * path.endswith("/")
    kind, pattern = _kind(path, filesystem), "**"
    if kind is None and re.search(r"[*?[]", path):
        path = path if filesystem else path.replace(os.sep, "/")
        root, pattern = re.fullmatch(r"((?:[^*?[]*/)?)(.*)", path, re.S).groups()  # type: ignore[union-attr]
    elif kind != "directory":
        # If there is no such file, opening it raises the error.
        return {path: True}
    parts = pattern.split("/")
    is_hidden_too = any(map(_is_hidden, parts))

    def is_wanted(path: str, is_folder: bool = False) -> bool:
        """Return True if a file matches, or if files in a folder may match."""
        names = _relative(path, root).split("/")
        start = "/".join(parts[: len(names)] if is_folder else parts)
        if not is_hidden_too and any(map(_is_hidden, names)):
            return False
        return is_folder and "**" in start or bool(re.fullmatch(_expression(start) + "(/.*)?", "/".join(names), re.S))

    files = sorted(filter(is_wanted, _walk(root, filesystem, is_wanted)))
    if not files and kind is None:
        raise FileNotFoundError(errno.ENOENT, "no file matches", path)
    return {file: file.endswith(".parquet") for file in files}


def _is_hidden(name: str) -> bool:
    """Return True for names that Spark and Hive leave out."""
    return name.startswith(".") or name.startswith("_") and "=" not in name


def _relative(file: str, root: str) -> str:
    """Return the path relative to a folder, or the name alone if the file system spells the folder in another way."""
    # Web servers quote the names of partitions.
    file, root = (path.replace(os.sep, "/").replace("%3D", "=").lstrip("/") for path in (file, root))
    return file[len(root) :].lstrip("/") if file.startswith(root) else file.rsplit("/", 1)[-1]


def _kind(path: str, filesystem: Any) -> str | None:
    if filesystem is None:
        return "directory" if os.path.isdir(path) else "file" if os.path.lexists(path) else None
    if hasattr(filesystem, "get_file_info"):
        return {"Directory": "directory", "NotFound": None}.get(filesystem.get_file_info(path).type.name, "file")
    try:
        return "directory" if path.endswith("/") else filesystem.info(path)["type"]
    except FileNotFoundError:
        return None


def _walk(root: str, filesystem: Any, is_wanted: Callable[[str, bool], bool]) -> Iterator[str]:
    """Yield the files in a folder and the folders in it, which must all be readable."""
    if filesystem is None:
        for folder, folders, names in os.walk(root or os.curdir, onerror=_raise):
            # A pattern without a folder finds names without one.
            folder = folder if root else folder[len(os.curdir) :].lstrip(os.sep)
            folders[:] = [name for name in folders if is_wanted(os.path.join(folder, name), True)]
            yield from filter(_is_plain, (os.path.join(folder, name) for name in names))
    elif hasattr(filesystem, "get_file_info"):
        selector = sys.modules["pyarrow.fs"].FileSelector(root, recursive=True)
        yield from (info.path for info in filesystem.get_file_info(selector) if info.is_file)
    else:
        base = filesystem
        # The innermost may be a wrapper of pyarrow's.
        while hasattr(getattr(base, "fs", None), "_strip_protocol"):
            base = base.fs
        find = getattr(type(base), "_find", type(base).find)
        # Object stores find all files at once. The search that others inherit leaves out folders that it cannot read.
        if find.__module__ not in ("fsspec.spec", "fsspec.asyn"):
            yield from filesystem.find(root)
            return
        found = {root.rstrip("/")}
        for folder in (todo := [root]):
            for info in filesystem.ls(folder, detail=True):
                name = info["name"]
                if info["type"] != "directory":
                    # The local one calls links to folders "other".
                    if info["type"] != "other" or not filesystem.isdir(name):
                        yield name
                elif name.rstrip("/") not in found and is_wanted(name.rstrip("/"), True):
                    found.add(name.rstrip("/"))
                    todo.append(name)


def _raise(error: OSError) -> None:
    raise error


def _is_plain(path: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        return False


def _expression(pattern: str) -> str:
    """Return the regular expression of a pattern."""
    special = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?|\[!?\]?[^\]]*\])", pattern)
    # Sets of letters are translated by Python, with an anchor of two letters at the end.
    others = ["(?!/)" + fnmatch.translate(part)[:-2] if part[:1] == "[" else re.escape(part) for part in parts]
    return "".join(special.get(part, other) for part, other in zip(parts, others))
