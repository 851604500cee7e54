"""Runs a program for WASI: wasi.py PROGRAM ARGUMENTS... It sees the whole file system, as a test does elsewhere."""

import os
import sys

from wasmtime import Engine, ExitTrap, Linker, Module, Store, WasiConfig

wasi = WasiConfig()
wasi.argv = sys.argv[1:]
wasi.env = list(os.environ.items())
wasi.inherit_stdout()
wasi.inherit_stderr()
wasi.preopen_dir("/", "/")
engine = Engine()
store = Store(engine)
store.set_wasi(wasi)
linker = Linker(engine)
linker.define_wasi()
program = linker.instantiate(store, Module.from_file(engine, sys.argv[1]))
try:
    program.exports(store)["_start"](store)
except ExitTrap as end:
    sys.exit(end.code)
