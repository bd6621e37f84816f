#!/usr/bin/env python3
# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kexpr and its peers on the work set and on functions, in one run.

    python3 utils/function_peers.py LIBKEXPR.so [--elements N] [--threads N]
                                    [NAME...]

Nanoseconds an element of f32, 32,000 elements in cache and one thread unless
told otherwise: medians of 11 rounds in which all sides take turns; in brackets
the largest error there, in units in the last place of what PyTorch computes in
f64. What a call costs is part of it. Results go to arrays that are there where a
library can, as kexpr's do. Sides: kexpr at the default and the fast precision,
PyTorch eager and compiled, JAX, Numba (fastmath), numexpr, NumPy, Dr.Jit and
Halide, those that this Python has, it needs PyTorch; and, on one thread, what
clang 19 makes of the loops of C++ in tools/Bench/PlainLoops.cpp, of Eigen's
arrays and, for functions, of a loop over glibc's vector functions (4 ulp). Names
are rows: E1 to E7, exp...
"""
import argparse
import ctypes
import functools
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

OPTIONS = argparse.ArgumentParser(add_help=False)
OPTIONS.add_argument("--elements", type=int, default=32000)
OPTIONS.add_argument("--threads", type=int, default=1)
# What the libraries read when they are imported.
THREADS = OPTIONS.parse_known_args()[0].threads
for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS",
                 "NUMEXPR_NUM_THREADS", "HL_NUM_THREADS"):
    os.environ[variable] = str(THREADS)

import numpy
import torch

from expression_peers import EXPRESSIONS, OPERANDS, NumExpr, formulas

ROUNDS, ENOUGH = 11, 2e-3
torch.set_num_threads(THREADS)
F = torch.nn.functional
# Text, operands' range, and the function of PyTorch, of NumPy, of JAX.
FUNCTIONS = {
    name: (f"{name}(@0)", domain, getattr(torch, name))
    for name, domain in {
        "exp": (-10, 10), "expm1": (-10, 10), "log": (0, 100),
        "log1p": (-1, 100), "log10": (0, 100), "sin": (-10, 10),
        "cos": (-10, 10), "tan": (-10, 10), "asin": (-1, 1), "acos": (-1, 1),
        "atan": (-10, 10), "sinh": (-10, 10), "cosh": (-10, 10),
        "tanh": (-5, 5), "asinh": (-10, 10), "acosh": (1, 10),
        "atanh": (-1, 1), "erf": (-4, 4), "sigmoid": (-10, 10),
        "sqrt": (0, 100), "rsqrt": (0, 100)}.items()}
FUNCTIONS |= {name: (f"{name}(@0)", (-5, 5), getattr(F, name))
              for name in ("silu", "gelu", "softplus", "mish", "hardswish")}


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("type", ctypes.c_int32),
                ("rank", ctypes.c_uint32),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64))]


class CompileOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("mode", ctypes.c_int32),
                ("precision", ctypes.c_int32), ("rest", ctypes.c_void_p * 5)]


class RunOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("max_threads", ctypes.c_uint32),
                ("stores", ctypes.c_int32), ("tile_elements", ctypes.c_int64),
                ("stay_awake_us", ctypes.c_int64)]


class Kexpr:
    """Calls of kexpr by its C API."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.engine = ctypes.c_void_p()
        self.check(self.library.kexpr_engine_create(
            None, ctypes.byref(self.engine), None))

    @staticmethod
    def check(code):
        if code != 0:
            sys.exit(f"kexpr says {code}")

    def prepare(self, text, arrays, precision=0, out=None):
        kernel, bound = ctypes.c_void_p(), ctypes.c_void_p()
        options = CompileOptions(16, 0, precision)
        self.check(self.library.kexpr_engine_compile(
            self.engine, text.encode(), ctypes.byref(options),
            ctypes.byref(kernel), None))
        out = numpy.empty_like(arrays[0]) if out is None else out
        views = [Tensor(array.ctypes.data, 1, array.ndim,
                        (ctypes.c_int64 * array.ndim)(*array.shape), None)
                 for array in (*arrays, out)]
        # Threads of others wait awake, too.
        run = RunOptions(ctypes.sizeof(RunOptions), THREADS, 0, 0, 10_000)
        self.check(self.library.kexpr_kernel_bind(
            kernel, (Tensor * len(arrays))(*views[:-1]),
            ctypes.c_size_t(len(arrays)), ctypes.byref(views[-1]),
            ctypes.c_size_t(1), ctypes.byref(run), ctypes.byref(bound), None))
        # Short rows have code of their own later.
        self.library.kexpr_engine_settle(self.engine)
        call = self.library.kexpr_bound_run
        # The call keeps what it writes to.
        return lambda: call(bound, None) or out, lambda: out


def load_jax():
    """JAX, which starts as many threads as there are CPUs that it may run on,
    whatever flags say."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(allowed)[:THREADS])
    try:
        import jax
        jax.config.update("jax_platforms", "cpu")
        jax.numpy.zeros(1).block_until_ready()
    finally:
        os.sched_setaffinity(0, allowed)
    return jax


def keeping(call):
    """A call, and what has its last result."""
    kept = [None]

    def run():
        kept[0] = call()
    return run, lambda: numpy.asarray(kept[0])


def sides(name, arrays, kexpr):
    """Who computes a row: its name, a call, and what has the result."""
    is_expression = name in EXPRESSIONS
    text = EXPRESSIONS[name] if is_expression else FUNCTIONS[name][0]
    for side, precision in (("kexpr", 0), ("fast", 2)):
        yield side, *kexpr.prepare(text, arrays, precision)
    tensors = [torch.from_numpy(array) for array in arrays]
    eager = (formulas(torch, torch.sigmoid)[name] if is_expression
             else FUNCTIONS[name][2])
    yield "torch", *keeping(lambda: eager(*tensors))
    try:
        compiled = torch.compile(eager, dynamic=False)
        compiled(*tensors)
        yield "inductor", *keeping(lambda: compiled(*tensors))
    except Exception as error:
        print("no inductor:", str(error).splitlines()[0], file=sys.stderr)
    try:
        jax = load_jax()
        function = (formulas(jax.numpy, jax.nn.sigmoid)[name] if is_expression
                    else getattr(jax.numpy, name, None) or
                    getattr(jax.lax, name, None) or getattr(jax.nn, name, None))
        if function:
            xla = jax.jit(function)
            values = [jax.numpy.asarray(array) for array in arrays]
            yield "jax", *keeping(lambda: xla(*values).block_until_ready())
    except ImportError:
        pass
    try:
        import numba
        ufunc = getattr(numpy, name.replace("asin", "arcsin").replace(
            "acos", "arccos").replace("atan", "arctan"), None)
        names = ", ".join("abcdef"[:len(arrays)])
        body = (NUMBA[name] if is_expression else
                f"np.{ufunc.__name__}(a[i])" if ufunc else None)
        if body:
            scope = {"np": numpy, "g": numpy.float32}
            scope["each"] = range if THREADS == 1 else numba.prange
            exec(f"def loop({names}, out):\n"
                 f"  for i in each(out.size):\n    out[i] = {body}\n", scope)
            jitted = numba.njit(fastmath=True,
                                parallel=THREADS > 1)(scope["loop"])
            out = numpy.empty_like(arrays[0])
            yield "numba", lambda: jitted(*arrays, out), lambda: out
    except ImportError:
        pass
    try:
        if is_expression:
            yield "numexpr", *keeping(NumExpr(THREADS).prepare(name, arrays))
    except ImportError:
        pass
    call = (formulas(numpy, lambda x: 1 / (1 + numpy.exp(-x)))[name]
            if is_expression else ufunc)
    if call and THREADS == 1:
        yield "numpy", *keeping(lambda: call(*arrays))
    yield from drjit_side(name, arrays)
    yield from halide_side(name, arrays)
    if THREADS == 1:
        yield from compiled_sides(name, arrays)


def in_words_of(library, name, **more):
    """A row as a function of a library's arrays, or None."""
    if name in EXPRESSIONS:
        return formulas(library, more["sigmoid"])[name]
    return more.get(name) or getattr(library, name, None)


def drjit_side(name, arrays):
    try:
        import drjit
        import drjit.llvm
    except ImportError:
        return
    drjit.set_thread_count(THREADS - 1)
    call = in_words_of(drjit, name, sigmoid=lambda x: 1 / (1 + drjit.exp(-x)),
                       silu=lambda x: x / (1 + drjit.exp(-x)))
    if not call:
        return
    call = drjit.freeze(lambda *values, call=call: call(*values))
    values = [drjit.llvm.Float(array) for array in arrays]
    drjit.eval(values)

    def run():
        result = call(*values)
        drjit.eval(result)
        drjit.sync_thread()
        return result
    yield "drjit", *keeping(run)


def halide_side(name, arrays):
    try:
        import halide
    except ImportError:
        return
    call = in_words_of(halide, name,
                       sigmoid=lambda x: halide.f32(1) / (halide.f32(1) +
                                                          halide.exp(-x)),
                       silu=lambda x: x / (halide.f32(1) + halide.exp(-x)),
                       rsqrt=lambda x: halide.f32(1) / halide.sqrt(x))
    if not call:
        return
    x, inner = halide.Var("x"), halide.Var("inner")
    inputs = [halide.Buffer(array) for array in arrays]
    loop = halide.Func("loop")
    try:
        loop[x] = call(*(each[x] for each in inputs))
    except (TypeError, halide.HalideError):
        return
    target = halide.get_host_target()
    lanes = target.natural_vector_size(halide.Float(32))
    if THREADS > 1:
        loop.split(x, x, inner, 65536).parallel(x).vectorize(inner, lanes)
    else:
        loop.vectorize(x, lanes)
    loop.compile_jit(target)
    out = numpy.empty_like(arrays[0])
    result = halide.Buffer(out)
    yield "halide", lambda: loop.realize(result) or out, lambda: out


PLAIN = """
#include "Bench/PlainLoops.cpp"
using namespace kexpr::tools;
#define ROW(name) \\
  extern "C" void eigen_##name(std::int64_t n, float *out, const float *const *in) { \\
    Out(out, n) = In(in[0], n).name(); } \\
  extern "C" void libmvec_##name(std::int64_t n, float *__restrict out, \\
                                 const float *const *in) { \\
    const float *__restrict x = in[0]; \\
    for (std::int64_t i = 0; i < n; ++i) out[i] = std::name(x[i]); }
ROW(exp) ROW(expm1) ROW(log) ROW(log1p) ROW(log10) ROW(sin) ROW(cos) ROW(tan)
ROW(asin) ROW(acos) ROW(atan) ROW(sinh) ROW(cosh) ROW(tanh) ROW(asinh) ROW(acosh)
ROW(atanh) ROW(sqrt)
extern "C" void eigen_sigmoid(std::int64_t n, float *out, const float *const *in) {
  Out(out, n) = In(in[0], n).logistic(); }
extern "C" void eigen_rsqrt(std::int64_t n, float *out, const float *const *in) {
  Out(out, n) = In(in[0], n).rsqrt(); }
extern "C" PlainLoop cpp(int row) { return handWrittenLoops().loops[row]; }
extern "C" PlainLoop eigen(int row) { return eigenLoops()->loops[row]; }
"""


@functools.cache
def compile_plain():
    """The loops of C++ and of Eigen; None without clang 19 or Eigen."""
    tools = pathlib.Path(__file__).resolve().parent.parent / "tools"
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "plain.cpp")
        source.write_text(PLAIN)
        try:
            subprocess.run(
                ["clang++-19", "-std=c++20", "-O3", "-march=native", "-shared",
                 "-fPIC", "-ffp-contract=fast", "-fno-math-errno",
                 "-fveclib=libmvec", "-DKEXPR_HAS_EIGEN", "-DNDEBUG",
                 '-DKEXPR_PLAIN_FLAGS=""', f"-I{tools}",
                 "-I/usr/include/eigen3", str(source), "-o",
                 f"{folder}/plain.so", "-lmvec", "-lm"],
                check=True, capture_output=True, text=True)
        except FileNotFoundError:
            return None
        return ctypes.CDLL(f"{folder}/plain.so")


def compiled_sides(name, arrays):
    library = compile_plain()
    if not library:
        return
    for side in ("cpp", "eigen", "libmvec"):
        if name in EXPRESSIONS:
            if side == "libmvec":
                continue
            choose = getattr(library, side)
            choose.restype = ctypes.c_void_p
            loop = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p,
                                    ctypes.c_void_p)(
                choose([*EXPRESSIONS].index(name)))
        else:
            loop = getattr(library, f"{side}_{name}", None)
        if loop:
            yield side, *loop_call(loop, arrays)


def loop_call(loop, arrays):
    out = numpy.empty_like(arrays[0])
    inputs = (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))
    count, to = ctypes.c_int64(out.size), ctypes.c_void_p(out.ctypes.data)
    # The call keeps what it reads and writes.
    return lambda: loop(count, to, inputs) or (arrays, out), lambda: out

NUMBA = {
    "E1": "a[i] + b[i]", "E2": "a[i] * b[i] + c[i]",
    "E3": "a[i] / (g(1) + np.exp(-a[i]))",
    "E4": "np.sqrt((a[i] * g(2) + b[i]) / g(12))",
    "E5": "a[i] * b[i] + c[i] * (a[i] + c[i] + d[i] + e[i]) + f[i]",
    "E6": "a[i] * g(0.5) * (np.tanh((a[i] + a[i] * a[i] * a[i] * g(0.044715))"
          " * g(0.79788456)) + g(1))",
    "E7": "np.sin(a[i]) + np.cos(b[i]) * np.exp(-(a[i] * a[i]))",
}


def exact(name, arrays):
    tensors = [torch.from_numpy(array).double() for array in arrays]
    call = (formulas(torch, torch.sigmoid)[name] if name in EXPRESSIONS
            else FUNCTIONS[name][2])
    return call(*tensors).numpy()


def ulps(result, expected, least=0):
    """The largest error in units in the last place of f32, of `least` where the
    result is smaller."""
    exponent = numpy.frexp(numpy.maximum(abs(expected), least))[1].clip(-125)
    off = numpy.abs(result.astype(numpy.float64) - expected)
    return float(numpy.nanmax(off / numpy.exp2(exponent - 24.0)))


def timed(call, times):
    """Seconds of a call that finds its operands where the last one left them, and
    its threads awake, those of the side before asleep: OpenMP's may look for work
    for 200 ms."""
    if THREADS > 1:
        time.sleep(0.25)
    warm = time.perf_counter() + (0.01 if THREADS > 1 else 0)
    call()
    while time.perf_counter() < warm:
        call()
    begin = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - begin) / times


def medians(calls):
    """Seconds of each call, in rounds in which all take turns."""
    repeats = {side: 1 + int(ENOUGH / timed(call, 2))
               for side, call in calls.items()}
    rounds = [{side: timed(call, repeats[side])
               for side, call in calls.items()} for _ in range(ROUNDS)]
    return {side: statistics.median(r[side] for r in rounds) for side in calls}


def row(name, kexpr, elements):
    random = numpy.random.default_rng(1)
    low, high = (0.1, 2) if name in EXPRESSIONS else FUNCTIONS[name][1]
    arrays = [random.uniform(low, high, elements).astype(numpy.float32)
              for _ in range(OPERANDS.get(name, 1))]
    found, expected = {}, exact(name, arrays)
    for side, call, result in sides(name, arrays, kexpr):
        call()
        # E7 is a sum that cancels.
        found[side] = call, ulps(numpy.asarray(result()), expected,
                                 least=name == "E7")
    times = medians({side: call for side, (call, _) in found.items()})
    print(name, *(f"{side} {times[side] * 1e9 / elements:.3f} ({error:.2f})"
                  for side, (_, error) in found.items()), sep="\t", flush=True)


def main():
    parser = argparse.ArgumentParser(
        parents=[OPTIONS], description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_intermixed_args()
    kexpr = Kexpr(options.library)
    for name in options.names or [*EXPRESSIONS, *FUNCTIONS]:
        row(name, kexpr, options.elements)


if __name__ == "__main__":
    main()
