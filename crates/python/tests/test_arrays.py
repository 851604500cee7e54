"""A placeholder for the tests of arrays, which also run under AddressSanitizer."""


def test_packages_are_there():
    import duckdb, hypothesis, numpy, pandas, polars, pyarrow, pyspark, redis, samebits  # noqa: E401, F401
