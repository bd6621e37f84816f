#!/usr/bin/env python3
"""Runs numexpr's own tests, and those of pandas that use numexpr, unchanged,
on kexpr.numexpr, and compares the counts.

    pip install -r python/hosts.txt pytest hypothesis
    PYTHONPATH=build/python utils/numexpr_tests.py [--latest] [numexpr] [pandas]

The environment has kexpr, pytest, hypothesis and the versions of
python/hosts.txt; others are refused without --latest. pandas' tests run with
numexpr, too: what passes there has to pass on kexpr.
"""

import argparse
import collections
import importlib.metadata
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent
PYTEST = ["-m", "pytest", "-q", "--tb=line", "-W", "ignore", "-p",
          "no:cacheprovider"]

PATCHED = ["-c", """if True:
    import runpy, sys
    import kexpr.numexpr
    kexpr.numexpr.patch()
    del sys.argv[1]  # -m
    runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
"""]


def check_versions(hosts: list[str]) -> bool:
    """Whether hosts have the versions of python/hosts.txt."""
    fine = True
    for line in (ROOT / "python/hosts.txt").read_text().splitlines():
        name, _, wanted = line.partition("==")
        if name not in hosts:
            continue
        found = importlib.metadata.version(name)
        print(f"{name} {found}" + ("" if found == wanted else
                                   f", instead of {wanted}"))
        fine = fine and found == wanted
    return fine


def run(paths: list[str], before: list[str]) -> dict[str, str]:
    """What became of each test: 'passed', 'skipped' or 'failed'."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.xml")
        subprocess.run([sys.executable, *before, *PYTEST,
                        f"--junitxml={report}", *paths], cwd=folder,
                       stdout=subprocess.DEVNULL)
        cases = xml.parse(report).iter("testcase")
        results = {}
        for case in cases:
            name = f"{case.get('classname')}::{case.get('name')}"
            kinds = {child.tag for child in case}
            results[name] = ("failed" if kinds & {"failure", "error"} else
                             "skipped" if "skipped" in kinds else "passed")
        return results


def show(what: str, results: dict[str, str]) -> collections.Counter[str]:
    """Prints the counts and what failed."""
    counts = collections.Counter(results.values())
    print(f"{what}: " + ", ".join(f"{counts[kind]} {kind}" for kind in (
        "passed", "skipped", "failed")), flush=True)
    return counts


def tests_of(name: str, *parts: str) -> str:
    """A folder or file of an installed package."""
    spec = importlib.util.find_spec(name)
    return os.path.join(os.path.dirname(spec.origin), "tests", *parts)


def numexpr() -> bool:
    """numexpr's own tests: with NumPy for strings and complex numbers, without,
    and with numexpr for them."""
    paths = [tests_of("numexpr")]
    counts = show("numexpr", run(paths, ["-m", "kexpr.numexpr"]))
    strict = show("numexpr, strict",
                  run(paths, ["-m", "kexpr.numexpr", "--strict"]))
    patched = show("numexpr, patched", run(paths, PATCHED))
    return (counts["failed"] == patched["failed"] == 0
            and strict["failed"] <= 38
            and strict["passed"] >= 5140)


def pandas() -> bool:
    """pandas' tests with numexpr and with kexpr."""
    paths = [tests_of("pandas", "test_expressions.py"),
             tests_of("pandas", "computation", "test_eval.py")]
    theirs = run(paths, [])
    show("pandas with numexpr", theirs)
    ours = run(paths, ["-m", "kexpr.numexpr"])
    show("pandas with kexpr", ours)
    worse = [name for name, result in theirs.items()
             if result == "passed" and ours.get(name) != "passed"]
    for name in worse:
        print(f"  {name}: passed, now {ours.get(name, 'not run')}")
    return not worse


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--latest", action="store_true",
                        help="with whatever versions are installed")
    parser.add_argument("hosts", nargs="*", default=["numexpr", "pandas"])
    given = parser.parse_args()
    if not check_versions(given.hosts) and not given.latest:
        return 1
    fine = [{"numexpr": numexpr, "pandas": pandas}[one]()
            for one in given.hosts]
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
