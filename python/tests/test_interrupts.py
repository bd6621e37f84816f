"""Ctrl-C during calls."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import kexpr as kx

# A call of some ten seconds and more on one thread, which gets a signal while
# it runs. It prints how many seconds the signal waited.
CODE = """
import os, signal, sys, threading, time
import numpy as np, kexpr as kx
# Where a shell has put the tests into the background, it is ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
what, threads = sys.argv[1], int(sys.argv[2]) or None
x = np.linspace(0.1, 1, 1 << 25, dtype="f4")
terms = "+".join(f"sin(x*{i} + exp(x))" for i in range(60))
text = f"sum({terms})" if what == "sum" else terms
k = kx.compile(text, tier="interpret" if what == "interpret" else "tiered")
k(x[:10]); k.wait()
if what == "bound":
    b = k.bind(x, out=np.empty_like(x), threads=threads)
    call = lambda: b()
elif what == "rows":
    x = x.reshape(1 << 12, -1)
    k = kx.compile(f"mean({terms}, axis=1)")
    call = lambda: k(x, threads=threads)
else:
    call = lambda: k(x, threads=threads)
def later():
    time.sleep(0.3)
    later.at = time.perf_counter()
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=later).start()
began = time.perf_counter()
try:
    while time.perf_counter() - began < 60:
        call()
except KeyboardInterrupt:
    print(time.perf_counter() - later.at)
    # The kernel is as good as before.
    small = x.ravel()[:100]
    assert np.isfinite(k(x[:2] if what == "rows" else small)).all()
"""

pytestmark = pytest.mark.thread_unsafe(reason="signals are the process's")


@pytest.mark.parametrize("threads", [0, 1])
@pytest.mark.parametrize("what", ["elements", "sum", "rows", "bound",
                                  "interpret"])
def test_a_signal_ends_a_call(what, threads):
    done = subprocess.run([sys.executable, "-c", CODE, what, str(threads)],
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    # A tenth of a second, where nothing else runs.
    assert float(done.stdout) < 2


def test_handlers_run_and_calls_go_on(rng):
    x = rng.random(1 << 22)
    k = kx.compile("+".join(f"sin(x*{i})" for i in range(40)))
    right = k(x)
    calls = []

    def handler(*_):
        # Handlers make calls of their own.
        calls.append(k(x[:1000]))

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
    try:
        end = time.monotonic() + 1
        while time.monotonic() < end:
            np.testing.assert_array_equal(k(x), right)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert calls
    for one in calls:
        np.testing.assert_array_equal(one, right[:1000])


def test_a_handler_that_raises(rng):
    class Late(Exception):
        pass

    def handler(*_):
        raise Late("now")

    x = rng.random(1 << 22)
    k = kx.compile("+".join(f"sin(x*{i})" for i in range(40)))
    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(Late, match="now"):
            while True:
                k(x)
    finally:
        signal.signal(signal.SIGALRM, before)
