"""Builds a set of shards on Spark: the same bytes as `samebits build --shards` on one machine.

    spark-submit --master 'local-cluster[2,1,1024]' build_on_spark.py \\
        --keys keys.txt --out users.set --shards 16 --format binaryfuse --rate 1%

`local-cluster` starts two workers, each a process of its own. On YARN and on Kubernetes

- give `--master yarn` or `--master k8s://...` in its place, and `--keys` a path that all executors read (hdfs://, s3a://);
- make OUT a folder that all executors and the driver mount (NFS, CephFS, a persistent volume claim): shards are files there;
- install the program `samebits` in the executors' image, or ship it by `--files samebits --conf
  spark.executorEnv.PATH=...`; pip's `xxhash` too (`--archives environment.tar.gz`, or in the image);
- choose about as many shards as take a tenth of an executor's memory each.

Each key goes to its shard by the function of FORMAT.md; a task pipes the keys of a shard through `samebits build`. A
task that is repeated, since a worker was lost or slow, writes the same bytes under the same name. The manifest is
written last, by the driver: until then readers see the old set.
"""

import argparse
import fcntl
import hashlib
import json
import os
import re
import secrets
import struct
import subprocess
import sys

SCHEMA = "filter-set/2"
SEED = 126892148679795
MANIFEST = "manifest.json"
# The files that builders write beside the manifest.
OWN = re.compile(r"shard-.*\.filter|\.tmp.{6}|building\.jsonl")


def shard_of(key, shards):
    """Returns the shard of a key's bytes."""
    import xxhash

    return xxhash.xxh3_64_intdigest(key, SEED) * shards >> 64


def key_bytes(line, kind):
    """Returns the bytes of a line's key, which are what the shard function hashes.

    A line ends with LF or CR LF, as for `samebits`. Spark does not tell whether the last line has an LF: a CR is dropped there, too.
    """
    line = line.removesuffix(b"\r")
    if kind == "long":
        return int(line).to_bytes(8, "little", signed=True)
    return bytes.fromhex(line.decode()) if kind == "binary" else line


def sync_folder(folder):
    descriptor = os.open(folder, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


def build(number, lines, command):
    """Pipes the lines of a shard through the program, which writes its file, and returns its description of the filter."""
    program = subprocess.Popen(
        [*command, "--shard", str(number), "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        for line in lines:
            program.stdin.write(line + b"\n")
    except BrokenPipeError:
        pass  # The program ended early and printed the reason.
    description = program.communicate()[0]
    if program.returncode:
        raise RuntimeError(f"shard {number}: {command[0]} ended with code {program.returncode}")
    # Rates stay as they were written: Python would format them otherwise.
    return json.loads(description, parse_float="number {}".format)


def lock(folder):
    """Locks the folder against other builders, and returns the lock. Refuses a folder that is no set's."""
    os.makedirs(folder, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(f"error: {folder}: another process is building in this folder")
    names = os.listdir(folder)
    foreign = [name for name in names if not OWN.fullmatch(name)]
    if MANIFEST in names:
        with open(os.path.join(folder, MANIFEST)) as file:
            if f'"schema": "{SCHEMA}"' not in file.read(100):
                sys.exit(f"error: {folder}/{MANIFEST}: is no set's, and is not replaced; give another folder")
    elif foreign:
        sys.exit(f"error: {folder}: contains {foreign[0]!r} and no {MANIFEST}: give an empty folder or a set's")
    return descriptor


def checksum(manifest):
    """Returns the checksum of the contents of the manifest."""
    function, shards = manifest["shard_function"], manifest["shards"]
    lines = [manifest[field] for field in ("schema", "format", "key_kind")]
    lines += [function["hash"], str(function["seed"]), str(len(shards))]
    for shard in shards:
        rate = shard["rate"]
        rate = "null" if rate is None else struct.pack(">d", float(str(rate).removeprefix("number "))).hex()
        lines.append(" ".join(str(shard[field]) for field in ("file", "bytes", "keys", "sha256")) + " " + rate)
    return hashlib.sha256("".join(line + "\n" for line in lines).encode()).hexdigest()


def write_manifest(folder, manifest):
    """Replaces the manifest at once, and removes the shards that no manifest names any more."""
    temporary = os.path.join(folder, f".tmp{secrets.token_hex(3)}")
    with open(temporary, "w") as file:
        file.write(re.sub(r'"number ([^"]*)"', r"\1", json.dumps(manifest, indent=2)) + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, os.path.join(folder, MANIFEST))
    sync_folder(folder)
    named = {shard["file"] for shard in manifest["shards"]}
    for name in os.listdir(folder):
        if OWN.fullmatch(name) and name not in named:
            os.remove(os.path.join(folder, name))


def main():
    parser = argparse.ArgumentParser(description="Builds a set of shards on Spark.")
    parser.add_argument("--keys", required=True, help="text that Spark reads, a key a line")
    parser.add_argument("--out", required=True, help="folder that all workers see")
    parser.add_argument("--shards", type=int, required=True)
    parser.add_argument("--format", default="guava")
    parser.add_argument("--rate", default="1%")
    parser.add_argument("--type", default="line", choices=["line", "long", "string", "binary"])
    parser.add_argument("--samebits", default="samebits", help="the program, where each worker finds it")
    options = parser.parse_args()
    if not 1 <= options.shards <= 4096:
        parser.error("--shards must be 1 to 4096")
    folder, shards, kind = os.path.abspath(options.out), options.shards, options.type
    command = [options.samebits, "build", "--format", options.format, "--rate", options.rate, "--type", kind]
    command += ["--out", folder, "--shards", str(shards)]

    from pyspark.sql import SparkSession

    held = lock(folder)
    spark = SparkSession.builder.appName("build-filter-set").getOrCreate()
    built = (
        # As binary, because a string would change bytes that are no UTF-8. Only a line feed ends a key.
        spark.read.text(options.keys, lineSep="\n")
        .selectExpr("cast(value as binary)")
        .rdd.map(lambda row: bytes(row[0]))
        .map(lambda line: (shard_of(key_bytes(line, kind), shards), line))
        .partitionBy(shards, lambda shard: shard)
        .mapPartitionsWithIndex(lambda number, pairs: [build(number, (line for _, line in pairs), command)])
        .collect()
    )
    spark.stop()
    manifest = {
        "schema": SCHEMA,
        "checksum": "",
        "format": built[0]["format"],
        "key_kind": kind,
        "shard_function": {"hash": "xxh3-64", "seed": SEED},
        "shards": [{field: shard[field] for field in ("file", "bytes", "keys", "sha256", "rate")} for shard in built],
    }
    manifest["checksum"] = checksum(manifest)
    write_manifest(folder, manifest)
    os.close(held)
    print(f"{folder}: {shards} shards, {sum(shard['keys'] for shard in built)} keys", file=sys.stderr)


if __name__ == "__main__":
    main()
