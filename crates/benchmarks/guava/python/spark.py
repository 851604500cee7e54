"""Asks Spark itself about Bloom filters: spark.py CASES ANSWERS

CASES and ANSWERS are files with a JSON object on each line. The answer to a case comes from
org.apache.spark.util.sketch.BloomFilter through py4j; that to a data frame from df.stat.bloomFilter. Streams are in
hexadecimal.
"""

import json
import sys

from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "2")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")
jvm = spark._jvm
BloomFilter = jvm.org.apache.spark.util.sketch.BloomFilter
VERSIONS = jvm.java.lang.Class.forName("org.apache.spark.util.sketch.BloomFilter$Version").getEnumConstants()

# For each kind of element: its value from JSON, and the methods that take it.
KINDS = {
    "long": (int, "putLong", "mightContainLong"),
    "string": (str, "putString", "mightContainString"),
    "binary": (bytes.fromhex, "putBinary", "mightContainBinary"),
}


def stream(bloom):
    out = jvm.java.io.ByteArrayOutputStream()
    bloom.writeTo(out)
    return bytes(out.toByteArray()).hex()


def read(text):
    return BloomFilter.readFrom(bytearray.fromhex(text))


def is_refused(text):
    try:
        read(text)
    except Exception:  # py4j's, for any exception of Java
        return True
    return False


def answer(case):
    if "refused" in case:
        return {"refused": [is_refused(text) for text in case["refused"]]}
    if "data_frame" in case:
        items, rate, rows = case["data_frame"], case["rate"], case["rows"]
        frame = spark.range(rows).selectExpr("id * 3 as id")
        return {"stream": stream(frame._jdf.stat().bloomFilter("id", items, rate))}
    value, put, might_contain = KINDS[case["kind"]]
    theirs = BloomFilter.create(VERSIONS[case["version"] - 1], case["items"], case["bits"], case["seed"])
    changed = [getattr(theirs, put)(value(key)) for key in case["keys"]]
    ours = read(case["stream"])
    answers = [getattr(ours, might_contain)(value(key)) for key in case["asked"]]
    result = {
        "stream": stream(theirs),
        "changed": changed,
        "again": stream(ours),
        "answers": answers,
        "rate": theirs.expectedFpp(),
    }
    theirs.mergeInPlace(read(case["other"]))
    return result | {"merged": stream(theirs)}


with open(sys.argv[1], encoding="utf-8") as cases, open(sys.argv[2], "w", encoding="utf-8") as answers:
    for line in cases:
        print(json.dumps(answer(json.loads(line))), file=answers)
spark.stop()
