"""What holds without any other package: it runs on every Python that is there."""

import importlib.util
import tomllib
from pathlib import Path

import samebits


def test_numpy_is_not_there():
    assert importlib.util.find_spec("numpy") is None


def test_version():
    manifest = Path(__file__).parents[3] / "Cargo.toml"
    version = tomllib.loads(manifest.read_text())["workspace"]["package"]["version"]
    assert samebits.__version__ == version
