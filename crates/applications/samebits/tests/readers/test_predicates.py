"""The guide says which readers query filters for which predicates."""

from pathlib import Path

from predicates import TABLE, table


def test_the_table_in_the_guide():
    guide = Path(__file__).parents[4] / "docs/guides/parquet-files.md"
    assert TABLE.search(guide.read_text())[0] == table()
