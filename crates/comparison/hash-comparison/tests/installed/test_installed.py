"""The program that the wheel installs, in an empty folder: nothing that it does there needs a clone of the repository.

`HASH_COMPARISON` is the program; without it, the one in the folders of programs is tested. `cargo xtask test` and `check`
install it in the target folder.
"""

import os
import re
import shutil
import subprocess

import pytest

PROGRAM = os.environ.get("HASH_COMPARISON") or shutil.which("hash-comparison")
COMPILER = shutil.which("cc")
QUICK = ["compare", "--quick", "--function", "XXH3", "--function", "FNV-1a-32"]
WORKSPACE = "HASH_COMPARISON_WORKSPACE"
MINE = """
#include <stddef.h>
#include <stdint.h>

uint64_t my_hash(const void *data, size_t length)
{
    const unsigned char *bytes = data;
    uint64_t hash = 7;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ bytes[i]) * 0x9e3779b97f4a7c15;
    return hash;
}
"""


@pytest.fixture
def run(tmp_path):
    """Runs the program in an empty folder; returns its output, and its messages if it fails."""
    environment = {name: value for name, value in os.environ.items() if name != WORKSPACE}

    def run(*arguments, code=0):
        command = [PROGRAM, *arguments]
        ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, encoding="utf-8")
        assert ended.returncode == code, ended.stderr
        return ended.stderr if code else ended.stdout

    return run


@pytest.fixture
def keys(tmp_path):
    (tmp_path / "my-keys.txt").write_text("".join(f"user-{i}\n" for i in range(5000)))
    return ["--keys", "my-keys.txt"]


def test_names_itself_not_the_command_of_a_clone(run):
    assert re.fullmatch(r"hash-comparison \d+\.\d+\.\d+\n", run("--version"))
    for arguments in [["--help"], ["compare", "--help"], ["reproduce", "--help"]]:
        text = run(*arguments)
        assert "hash-comparison" in text
        assert "cargo" not in text


def test_a_file_of_keys_is_measured_and_the_report_is_in_the_current_folder(run, keys, tmp_path):
    output = run(*QUICK, *keys, "--mine", "FNV-1a-32")
    assert " verdict  " in output
    folder = tmp_path / "hash-comparison-report"
    assert output.splitlines()[-1].split(": ")[1] == os.path.join(folder.name, "index.html")
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert f"hash-comparison {' '.join(QUICK)} {' '.join(keys)} --mine FNV-1a-32" in page
    assert "cargo xtask" not in page
    # Draws it again, and keeps what is of no run.
    run("render", folder.name)
    run(*QUICK, *keys, "--out", ".", code=2)


def test_embedded_sets_and_published_figures_are_in_the_program(run, tmp_path):
    assert "app-accounts" in run("list")
    run(*QUICK, "--dataset", "app-accounts", "--out", "report")
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "Published figures beside ours" in page


@pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")
def test_a_function_of_a_shared_library_is_measured(run, keys, tmp_path):
    (tmp_path / "mine.c").write_text(MINE)
    library = tmp_path / "libmine.so"
    subprocess.run([COMPILER, "-O2", "-shared", "-fPIC", "-o", library, tmp_path / "mine.c"], check=True)
    run(*QUICK, *keys, "--own", "./libmine.so:my_hash:64")
    assert ",my_hash," in (tmp_path / "hash-comparison-report" / "collisions.csv").read_text()
    assert "absent" in run(*QUICK, *keys, "--own", "./libmine.so:absent:64", code=2)


def test_what_needs_a_clone_says_so(run, tmp_path):
    assert "is in a clone of the repository only" in run("reproduce", code=2)
    assert list(tmp_path.iterdir()) == []


def test_wrong_arguments_and_files_end_with_2(run):
    assert "my-keys.txt" in run(*QUICK, "--keys", "my-keys.txt", code=2)
    assert "--no-such" in run("compare", "--no-such", code=2)
