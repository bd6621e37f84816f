"""Threads, processes, shutdown."""

import asyncio
import multiprocessing
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import kexpr as kx

pytestmark = pytest.mark.thread_unsafe(reason="starts threads and processes")


def test_one_kernel_in_many_threads(rng):
    k = kx.compile("exp(a) * b + sin(a)")
    cases = [(rng.random(n), rng.random(n)) for n in (1, 7, 100, 5000, 70000)]
    expected = [k(a, b) for a, b in cases]
    failures = []

    def work():
        for _ in range(30):
            for (a, b), right in zip(cases, expected):
                if not np.array_equal(k(a, b), right):
                    failures.append(a.shape)

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_results_do_not_depend_on_threads(rng):
    a = rng.random(300_000).astype("f4")
    k = kx.compile("[sum(sin(a)), exp(a)]")
    first = k(a, threads=1)
    for threads in (2, 3, None):
        for one, other in zip(first, k(a, threads=threads)):
            np.testing.assert_array_equal(one, other)


def _child(queue, a):
    queue.put(kx.evaluate("a*2 + sum(a)"))


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes(rng, method):
    a = rng.random(200_000)
    right = kx.evaluate("a*2 + sum(a)")
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    process = context.Process(target=_child, args=(queue, a))
    process.start()
    np.testing.assert_array_equal(queue.get(timeout=120), right)
    process.join(timeout=60)
    assert process.exitcode == 0


def test_many_forks(rng):
    a = rng.random(50_000)
    k = kx.compile("a*3 + 1")
    k(a)
    for _ in range(int(os.environ.get("KEXPR_FORKS", 50))):
        child = os.fork()
        if child == 0:
            os._exit(0 if np.array_equal(k(a), a * 3 + 1) else 1)
        assert os.waitpid(child, 0)[1] == 0


def test_options_belong_to_a_task(rng):
    a = rng.random(100).astype("f4")
    k = kx.compile("exp(a)")

    async def one(precision):
        with kx.options(precision=precision):
            results = []
            for _ in range(5):
                results.append(k(a))
                await asyncio.sleep(0)
        return results

    async def both():
        return await asyncio.gather(one("accurate"), one("fast"))

    accurate, fast = asyncio.run(both())
    for one_result in accurate:
        np.testing.assert_array_equal(one_result, accurate[0])
    assert not np.array_equal(accurate[0], fast[0])


def test_shutdown_with_kernels_alive():
    code = """
import kexpr as kx, numpy as np, threading
k = kx.compile("exp(x)*sin(x)")
k(np.ones(100000, "f4"))
keep = [kx.compile(f"x+{i}") for i in range(50)]
for one in keep: one(np.ones(3))
class Late:
    def __del__(self): k(np.ones(3, "f4"))
late = Late()
b = k.bind(np.ones(3, "f4"))
threading.Thread(target=lambda: [k(np.ones(10, "f4")) for _ in range(100)],
                 daemon=True).start()
"""
    for _ in range(5):
        done = subprocess.run([sys.executable, "-c", code],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_shutdown_while_threads_compute():
    """They come back from a call when the interpreter is gone."""
    code = """
import kexpr as kx, numpy as np, sys, threading, time
def compute():
    x = np.ones(100_000)
    while True: kx.evaluate("sin(x)", {"x": x})
for _ in range(4): threading.Thread(target=compute, daemon=True).start()
time.sleep(0.2)
sys.exit(3)
"""
    for _ in range(5):
        done = subprocess.run([sys.executable, "-c", code],
                              capture_output=True, text=True)
        assert done.returncode == 3, done.stderr


SUB = """
try:
    import kexpr
except ImportError as error:
    assert "main interpreter" in str(error.__cause__), error
else:
    raise SystemError("imported")
"""


def test_subinterpreters_are_refused():
    code = f"""
try: import _interpreters as them
except ImportError: import _xxsubinterpreters as them
failed = them.run_string(them.create(), {SUB!r})
assert not failed, failed
import kexpr
assert kexpr.evaluate("1 + 1") == 2
"""
    done = subprocess.run([sys.executable, "-c", code],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_lock_stays_as_it_was():
    code = """
import sys, sysconfig, kexpr
free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
assert getattr(sys, "_is_gil_enabled", lambda: True)() is not free
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_new_kernel_is_met_by_all_threads_at_once():
    a = np.arange(7)
    for k, right in [(kx.compile("a*a + 1"), a * a + 1),
                     (kx.jit(lambda a: a - 3), a - 3)]:
        start = threading.Barrier(16)
        results = []

        def work():
            start.wait()
            for kind in "bBhHiIlLfd":
                results.append(np.array_equal(k(a.astype(kind)), right
                                              .astype(kind)))

        threads = [threading.Thread(target=work) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(results) == 160 and all(results)
