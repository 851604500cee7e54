"""Fails a run in which a test was skipped, since what the tests need is installed.

It imports no other package, because `test_plain.py` runs where there is none.
"""


def pytest_sessionfinish(session):
    """Fails the run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = 1
