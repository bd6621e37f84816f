#!/usr/bin/env python3
"""Programs of Dask and xarray with and without `kexpr.dask.enable()`, in turns.

  PYTHONPATH=build/python/python python utils/dask_speed.py [--chunks N]

Two workers of one thread each, chunks of 4e6 elements of float32. Prints, with
the versions of all that ran: time without over time with, of arrays persisted
in memory and of arrays read from zarr; the largest resident memory of workers;
what a second cluster with the same cache on disk compiles; a run whose worker
is killed; and a worker's first task.
"""

import argparse
import importlib.metadata
import logging
import os
import pathlib
import pickle
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import dask
import dask.array as da
import distributed
import numpy as np
import xarray as xr

import kexpr as kx
import kexpr.dask


def vegetation(ds):
    """The enhanced vegetation index of what is no cloud."""
    nir, red, blue = ds.nir, ds.red, ds.blue
    evi = 2.5 * (nir - red) / (nir + 6.0 * red - 7.5 * blue + 1.0)
    return evi.where((blue < 0.2) & (evi > -1) & (evi < 1))


def anomaly(ds):
    """How unusual a value is for its place, between two bounds."""
    t = ds.nir
    score = (t - t.mean("time")) / (t.std("time") + 1e-6)
    return (0.5 * (1 + np.tanh(0.8 * score + 0.04 * score**3))).clip(0.01, 0.99)


def wind_chill(ds):
    """The temperature that wind makes felt."""
    t, v = 40 * ds.nir - 30, 60 * ds.red
    p = v**0.16
    felt = 13.12 + 0.6215 * t - 11.37 * p + 0.3965 * t * p
    return xr.where((t < 10) & (v > 4.8), felt, t)


PROGRAMS = [vegetation, anomaly, wind_chill]


def dataset(count):
    """Three variables of `count` chunks of 4e6 elements."""
    rng = da.random.default_rng(1)
    shape, chunks = (100, 200 * count, 200), (100, 200, 200)
    dims = ("time", "y", "x")
    return xr.Dataset({
        name: (dims, rng.random(shape, chunks=chunks).astype("f4"))
        for name in ("nir", "red", "blue")})


def modes(client, make, rounds):
    """Medians of the seconds without and with kexpr, in turns."""
    times = {False: [], True: []}
    for _ in range(rounds):
        for fused in times:
            with kexpr.dask.enable() if fused else dask.config.set():
                times[fused].append(persisted(client, make))
    return [statistics.median(one) for one in times.values()]


def persisted(client, make):
    """Seconds until a result lies in the workers' memory; it is gone after."""
    before = len(client.who_has())
    made = make()
    start = time.perf_counter()
    kept = made.persist()
    distributed.wait(kept)
    spent = time.perf_counter() - start
    del kept
    while len(client.who_has()) > before:
        time.sleep(0.01)
    return spent


def peaks(client, run):
    """The most that any worker held while something ran, in MiB."""
    def clear():
        pathlib.Path("/proc/self/clear_refs").write_text("5")

    def peak():
        text = pathlib.Path("/proc/self/status").read_text()
        return int(text.partition("VmHWM:")[2].split()[0]) / 1024

    client.run(clear)
    run()
    return max(client.run(peak).values())


def compiled(client):
    return sum(client.run(
        lambda: __import__("kexpr").cache.info()["compiled"]).values())


def cluster():
    return distributed.Client(distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None,
        memory_limit=None))


def survives(client, make):
    """Whether a result is right although a worker is killed on the way."""
    want = make().compute(scheduler="threads")
    with kexpr.dask.enable():
        made = client.compute(make())
        time.sleep(0.2)
        os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)
        np.testing.assert_allclose(made.result(), want, rtol=2e-5, atol=1e-5)


# A worker has Dask, and reads its first task.
FIRST = """
import pickle, sys, time
import dask.array, distributed, numpy as np
x = np.ones((100, 100), "f4")
task = open(sys.argv[1], "rb").read()
start = time.thread_time()
task = pickle.loads(task)
made = task({key: x for key in task.dependencies})
print(time.thread_time() - start)
"""


def first_tasks(folder, rounds):
    """Milliseconds of processor time of a worker's first task, with NumPy and
    with kexpr."""
    variables = {name: value for name, value in os.environ.items()
                 if name != "PYTHONDONTWRITEBYTECODE"}
    x = da.ones((2000, 2000), chunks=2000, dtype="f4").persist(
        scheduler="sync")
    y = 2.5 * (x - 0.2) / (x + 6 * x * x - 7.5 * x + 1)
    files = [f"{folder}/numpy", f"{folder}/kexpr"]
    for file in files:
        # Not together with the data.
        with dask.config.set({"optimization.fuse.active": False}), (
                kexpr.dask.enable() if "kexpr" in file else dask.config.set()):
            (made,) = dask.optimize(y)
        (task,) = [one for key, one in dict(made.__dask_graph__()).items()
                   if key[0] == y.name]
        pathlib.Path(file).write_bytes(pickle.dumps(task))
    times = {file: [] for file in files}
    for _ in range(rounds + 1):
        for file in files:
            times[file].append(1000 * float(subprocess.run(
                [sys.executable, "-c", FIRST, file], check=True,
                env=variables, capture_output=True, text=True).stdout))
    return [statistics.median(one[1:]) for one in times.values()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--chunks", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    for name in ("kexpr", "dask", "distributed", "xarray", "zarr", "numpy"):
        version = (kx.__version__ if name == "kexpr"
                   else importlib.metadata.version(name))
        print(name, version)
    logging.getLogger("distributed").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["KEXPR_CACHE_DIR"] = f"{folder}/code"
        for turn in ("first", "second"):
            with cluster() as client:
                ds = dataset(given.chunks).persist()
                distributed.wait(ds)
                with kexpr.dask.enable():
                    for program in PROGRAMS:
                        persisted(client, lambda: program(ds))
                print(turn, "cluster:", compiled(client),
                      "kernels compiled by its workers")
        print("first task, ms: NumPy {:.1f}, kexpr {:.1f}".format(
            *first_tasks(folder, given.rounds)))
        with cluster() as client:
            survives(client, lambda: vegetation(dataset(2)).data)
            print("a worker was killed: the result is right")
        with cluster() as client:
            ds = dataset(given.chunks).persist()
            distributed.wait(ds)
            stored = f"{folder}/ds.zarr"
            ds.to_zarr(stored, zarr_format=2)
            for program in PROGRAMS:
                made = program(ds)
                want = made.compute()
                with kexpr.dask.enable():
                    got = made.compute()
                np.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-5)
                times = modes(client, lambda: made, given.rounds)
                print(f"{program.__name__}: in memory "
                      f"{times[0] / times[1]:.2f}", end="", flush=True)
                read = program(xr.open_zarr(stored))
                times = modes(client, lambda: read, max(3, given.rounds // 2))
                print(f", zarr {times[0] / times[1]:.2f}", end="")
                peak = []
                for fused in (False, True):
                    with kexpr.dask.enable() if fused else dask.config.set():
                        peak.append(peaks(client, lambda: persisted(
                            client, lambda: made)))
                print(f", peak {peak[0]:.0f} and {peak[1]:.0f} MiB")


if __name__ == "__main__":
    main()
