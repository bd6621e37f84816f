"""What all tests share, and the list of what may be skipped."""

import pathlib

import numpy as np
import pytest

HERE = pathlib.Path(__file__).parent
SKIPS = [tuple(line.split(": ", 1))
         for line in (HERE / "skips.txt").read_text().splitlines()
         if line and not line.startswith("#")]

skipped = set()


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def is_listed(name, reason):
    return any((name == test or name.startswith((f"{test}::", f"{test}[")))
               and reason.startswith(start) for test, start in SKIPS)


def note(report):
    if report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(
            report.longrepr, tuple) else str(report.longrepr)
        skipped.add((report.nodeid.rpartition("tests/")[2],
                     reason.removeprefix("Skipped: ")))


def pytest_runtest_logreport(report):
    note(report)


def pytest_collectreport(report):
    note(report)


def unlisted():
    return sorted(one for one in skipped if not is_listed(*one))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    if unlisted() and exitstatus in (pytest.ExitCode.OK,
                                     pytest.ExitCode.NO_TESTS_COLLECTED):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter):
    for name, reason in unlisted():
        terminalreporter.write_line(
            f"SKIPPED, and not in skips.txt: {name}: {reason}", red=True)
