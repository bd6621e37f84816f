#!/usr/bin/env python3
"""Runs the tests of kexpr under engines of tables, with the versions of
python/hosts.txt, and measures calls in them.

    utils/hosts_tests.py PACKAGE [--latest] [--environment DIRECTORY] [WHAT...]

PACKAGE is a wheel, or the directory of a build that has the package
(build/py/python). The environment is made unless it is there; Spark needs a
Java 17 on the path. WHAT is tests, first (a worker's first task, against
NumPy's), duckdb (a call for 2048 rows) or pandas (a function of rows); all
unless said. Times are of the processor, in one thread, so that other work on
the machine matters less. Exits with 1 where a test fails or is skipped.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import venv
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent
TESTS = ["test_documents.py::test_page_of_engines",
         "test_documents.py::test_docstrings_of_hosts", "test_dask.py",
         "test_dask_expressions.py", "test_engines.py", "test_pandas.py",
         "test_tables.py", "test_xarray.py"]

# A worker has these modules before its first task.
FIRST = """
import threading, pickle, sys, time
sent = sys.argv[1]
start = time.thread_time()
import numpy as np
x = np.ones(1000)
{task}
print(time.thread_time() - start)
"""
NUMPY = "x * x + np.exp(x)"
KEXPR = "pickle.loads(bytes.fromhex(sent))(x)"

DUCKDB = """
import json, sys, time
import duckdb, numexpr, numpy as np, pyarrow as pa
import kexpr as kx

TEXT, CHUNKS = sys.argv[1], 500
numexpr.set_num_threads(1)
kernel = kx.compile(TEXT, "a b c")
by_steps = eval(f"lambda a, b, c: {TEXT}", vars(np))

def columns(arrays):
    return [one.chunk(0).to_numpy() for one in arrays]

def by_numexpr(a, b, c):
    names = dict(zip("abc", columns((a, b, c))))
    return pa.array(numexpr.evaluate(TEXT, names, {}))

def by_numpy(a, b, c):
    return pa.array(by_steps(*columns((a, b, c))))

functions = {"nothing": lambda a, b, c: a, "kexpr": kernel.arrow(),
             "numpy": by_numpy, "numexpr": by_numexpr}
with duckdb.connect() as db:
    db.execute("set threads = 1")
    db.execute("create table t as select random() as a, random() as b, "
               f"random() as c from range({2048 * CHUNKS})")
    for name, function in functions.items():
        db.create_function(name, function, ["DOUBLE"] * 3, "DOUBLE",
                           type="arrow")
    times = {name: [] for name in functions}
    alone = {name: [] for name in functions}
    arrays = [pa.chunked_array([np.random.rand(2048)]) for _ in "abc"]
    for _ in range(15):
        for name, function in functions.items():
            start = time.process_time()
            db.execute(f"select sum({name}(a, b, c)) from t").fetchone()
            middle = time.process_time()
            for _ in range(CHUNKS):
                function(*arrays)
            times[name].append((middle - start) / CHUNKS)
            alone[name].append((time.process_time() - middle) / CHUNKS)
    median = np.median
    print(json.dumps({name: (median(times[name]), median(alone[name]))
                      for name in functions}))
"""

PANDAS = """
import json, time
import numpy as np, pandas as pd
import kexpr as kx

frame = pd.DataFrame(np.random.rand(20_000, 3), columns=["a", "b", "c"])
function = lambda row: np.exp(-row["a"])*row["b"] + row["c"]
ways = {"engine=kexpr.jit": lambda: frame.apply(function, axis=1,
                                                engine=kx.jit),
        "a call for each row": lambda: frame.apply(function, axis=1),
        "by columns": lambda: function(frame)}
times = {name: [] for name in ways}
for _ in range(9):
    for name, way in ways.items():
        start = time.process_time()
        way()
        times[name].append(time.process_time() - start)
print(json.dumps({name: np.median(every) for name, every in times.items()}))
"""


def environment(folder: pathlib.Path, package: pathlib.Path,
                latest: bool) -> tuple[str, dict[str, str]]:
    """The Python that has the hosts and kexpr, and its variables."""
    python = folder / "bin/python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    wanted = [line for line in
              (ROOT / "python/hosts.txt").read_text().splitlines()
              if line and not line.startswith("#")]
    if latest:
        wanted = ["--upgrade", *(one.partition("==")[0] for one in wanted)]
    pip = [str(python), "-m", "pip", "--quiet", "install"]
    variables = {name: value for name, value in os.environ.items()
                 if not name.startswith(("KEXPR_", "PYTHON"))}
    wanted += ["pytest", "hypothesis"]
    if package.suffix == ".whl":
        subprocess.run([*pip, *wanted, str(package)], check=True)
        # Another wheel of the same version.
        subprocess.run([*pip, "--force-reinstall", "--no-deps", str(package)],
                       check=True)
    else:
        subprocess.run([*pip, *wanted], check=True)
        variables["PYTHONPATH"] = str(package.resolve())
    return str(python), variables


def versions(python: str) -> None:
    """Prints the versions of the hosts."""
    listed = subprocess.run([python, "-m", "pip", "list", "--format=json"],
                            check=True, capture_output=True, text=True)
    names = re.findall(r"^(\w+)", (ROOT / "python/hosts.txt").read_text(),
                       re.M)
    print("Python", ".".join(map(str, sys.version_info[:3])))
    for one in json.loads(listed.stdout):
        if one["name"] in [*names, "numpy"]:
            print(one["name"], one["version"])


def tests(python: str, variables: dict[str, str]) -> bool:
    """The tests, of which none may be skipped."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.xml")
        done = subprocess.run(
            [python, "-m", "pytest", "-q", "-p", "no:cacheprovider",
             f"--junitxml={report}",
             *(str(ROOT / "python/tests" / one) for one in TESTS)],
            env=variables)
        skipped = [case.get("name") for case in xml.parse(report).iter(
            "testcase") if case.find("skipped") is not None]
    for name in skipped:
        print(f"skipped: {name}")
    return done.returncode == 0 and not skipped


def first(python: str, variables: dict[str, str]) -> bool:
    """A worker's first task: import, a kernel from its pickle and the cache on
    disk, result."""
    with tempfile.TemporaryDirectory() as folder:
        variables = {**variables, "KEXPR_CACHE_DIR": folder}
        sent = subprocess.run(
            [python, "-c", "import pickle, kexpr as kx; kx.warm(["
             "'x*x + exp(x)'], dtypes='f8'); print(pickle.dumps(kx.compile("
             "'x*x + exp(x)')).hex())"], env=variables, check=True,
            capture_output=True, text=True).stdout.strip()
        times: dict[str, list[float]] = {NUMPY: [], KEXPR: []}
        for _ in range(41):
            for task, every in times.items():
                done = subprocess.run(
                    [python, "-c", FIRST.format(task=task), sent],
                    env=variables, check=True, capture_output=True, text=True)
                every.append(float(done.stdout))
    apart = statistics.median(ours - theirs for ours, theirs in zip(
        times[KEXPR], times[NUMPY]))
    print(f"first task: {1e3 * apart:.1f} ms after NumPy's, of "
          f"{1e3 * statistics.median(times[NUMPY]):.1f} ms (medians of 41)")
    return True


def duckdb(python: str, variables: dict[str, str]) -> bool:
    """Calls of functions for 2048 rows, in DuckDB and alone."""
    for text in ("a*b + c*0.5", "exp(-a)*b + sqrt(c)"):
        done = subprocess.run([python, "-c", DUCKDB, text], check=True,
                              env={**variables, "KEXPR_NUM_THREADS": "1"},
                              stdout=subprocess.PIPE, text=True)
        for name, (inside, alone) in json.loads(done.stdout).items():
            print(f"duckdb, {text}, {name}: {1e6 * inside:.1f} us for 2048 "
                  f"rows, {1e6 * alone:.1f} us without DuckDB")
    return True


def pandas(python: str, variables: dict[str, str]) -> bool:
    """A function of rows."""
    done = subprocess.run([python, "-c", PANDAS], check=True,
                          env={**variables, "KEXPR_NUM_THREADS": "1"},
                          stdout=subprocess.PIPE, text=True)
    for name, time in json.loads(done.stdout).items():
        print(f"pandas, 20,000 rows, {name}: {1e3 * time:.2f} ms")
    return True


def main() -> int:
    every = {"tests": tests, "first": first, "duckdb": duckdb,
             "pandas": pandas}
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("package", type=pathlib.Path)
    parser.add_argument("--latest", action="store_true",
                        help="the newest versions of the hosts")
    parser.add_argument("--environment", type=pathlib.Path,
                        default=ROOT / "build/hosts")
    parser.add_argument("what", nargs="*", default=list(every),
                        help=", ".join(every))
    given = parser.parse_intermixed_args()
    python, variables = environment(given.environment, given.package,
                                    given.latest)
    versions(python)
    fine = [every[what](python, variables) for what in given.what]
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
