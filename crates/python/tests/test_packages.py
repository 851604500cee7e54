"""A placeholder for the tests of behaviour, which use these packages."""


def test_packages_are_there():
    import duckdb, hypothesis, numpy, pandas, polars, pyarrow, pyspark, redis  # noqa: E401, F401
