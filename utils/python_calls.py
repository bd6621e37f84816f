#!/usr/bin/env python3
"""What a call from Python takes: kexpr beside NumPy and those peers that are
installed, in one process and in turns.

  utils/python_calls.py [ELEMENTS]      16 unless said; a table on standard output

Medians of eleven rounds; results are compared before anything is timed.
"""

import importlib
import statistics
import sys
import timeit

import numpy as np

import kexpr as kx
from kexpr import _core

count = int(sys.argv[1]) if len(sys.argv) > 1 else 16
rng = np.random.default_rng(1)
a, b, c = (rng.random(count).astype("f4") for _ in range(3))
o = np.empty_like(a)
k = kx.compile("a*b + c", "a b c")
k(a, b, c)
_core.settle()
bound = k.bind(a, b, c, out=o)
calls = {
    "np.add(a, b, out=o)": lambda: np.add(a, b, out=o),
    "np.add(a, b)": lambda: np.add(a, b),
    "a*b + c by NumPy": lambda: a * b + c,
    "k(a, b, c, out=o)": lambda: k(a, b, c, out=o),
    "k(a, b, c)": lambda: k(a, b, c),
    "bound()": lambda: bound(),
    "evaluate('a*b + c')": lambda: kx.evaluate("a*b + c"),
}


def peer(name, make):
    try:
        modules = [importlib.import_module(one) for one in name.split()]
    except ImportError:
        return
    calls[modules[0].__name__] = make(*modules)


def numba(module):
    function = module.vectorize(["f4(f4,f4,f4)"])(lambda a, b, c: a * b + c)
    return lambda: function(a, b, c, out=o)


def jax(module, numpy):
    function = module.jit(lambda a, b, c: a * b + c)
    x, y, z = map(numpy.asarray, (a, b, c))
    return lambda: function(x, y, z).block_until_ready()


def torch(module):
    x, y, z = map(module.from_numpy, (a, b, c))
    module.set_num_threads(1)
    return lambda: module.addcmul(z, x, y)


def drjit(module, llvm):
    x, y, z = (llvm.Float(one) for one in (a, b, c))
    function = module.freeze(lambda a, b, c: a * b + c)

    def call():
        result = function(x, y, z)
        module.eval(result)
        module.sync_thread()
        return result.numpy()
    return call


peer("numexpr", lambda module: lambda: module.evaluate("a*b + c"))
peer("numba", numba)
peer("jax jax.numpy", jax)
peer("torch", torch)
peer("drjit drjit.llvm", drjit)

for name, call in calls.items():
    if not name.startswith("np.add"):
        np.testing.assert_allclose(np.asarray(call()), a * b + c, rtol=1e-6,
                                   err_msg=name)
numbers = {name: max(1, int(0.02 / (timeit.timeit(call, number=20) / 20)))
           for name, call in calls.items()}
times = {name: [] for name in calls}
for _ in range(11):
    for name, call in calls.items():
        times[name].append(timeit.timeit(call, number=numbers[name])
                           / numbers[name])
base = statistics.median(times["np.add(a, b, out=o)"])
print(f"{count} elements, f32\n\n| call | us | of np.add(a, b, out=o) |\n|---|---|---|")
for name, every in times.items():
    time = statistics.median(every)
    print(f"| `{name}` | {1e6 * time:.3f} | {time / base:.2f} |")
