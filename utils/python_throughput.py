#!/usr/bin/env python3
"""Throughput from Python beside that from C++: the same texts, arrays and
threads in one process and in turns.

  utils/python_throughput.py BUILD [ELEMENTS...]

BUILD is a build with the shared library (target `libkexpr.so`), against which a
caller in C++ is compiled; 1e6 to 1e7 elements unless said. Kernels run on one
thread and on all. Medians of ratios: each pair of calls is made at one time.
"""

import ctypes
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import kexpr as kx
from kexpr import _core

CALLER = r"""
#include "kexpr/kexpr.h"
#include <chrono>
#include <cstdio>

using namespace kexpr;

static Engine engine;

extern "C" void *make(const char *text, int wide) {
  const auto type = wide ? DType::F64 : DType::F32;
  CompileOptions options;
  options.operandTypes.assign(3, type);
  options.syntax = Syntax::Infix;
  options.operandNames = {"a", "b", "c"};
  auto kernel = engine.compile(text, options);
  if (!kernel)
    std::puts(kernel.error().message().c_str());
  return kernel ? new Kernel(*kernel) : nullptr;
}

extern "C" double run(void *kernel, void **data, long count, unsigned threads) {
  const auto type = static_cast<Kernel *>(kernel)->outputType(0);
  const Shape shape{count};
  const TensorView inputs[] = {
      {data[0], type, shape}, {data[1], type, shape}, {data[2], type, shape}};
  const TensorView output(data[3], type, shape);
  RunOptions options;
  options.maxThreads = threads;
  const auto start = std::chrono::steady_clock::now();
  const auto status = static_cast<Kernel *>(kernel)->run(inputs, {&output, 1},
                                                         options);
  const std::chrono::duration<double> passed =
      std::chrono::steady_clock::now() - start;
  return status ? passed.count() : -1;
}
"""
TEXTS = ["a*b + c", "where(a > b, a, c) / 2", "silu(a)*b + c",
         "exp(-(a*a)) * b + tanh(c)"]


def load(build: Path) -> ctypes.CDLL:
    root = Path(__file__).resolve().parent.parent
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "caller.cpp"), Path(folder, "caller.so")
        source.write_text(CALLER)
        where = build.resolve() / "lib" / "Api"
        subprocess.run(
            ["c++", "-std=c++17", "-O2", "-shared", "-fPIC", "-o", library,
             source, f"-I{root}/include", f"-I{build.resolve()}/include",
             f"-L{where}", f"-Wl,-rpath,{where}", "-lkexpr"], check=True)
        caller = ctypes.CDLL(str(library))
    caller.make.restype = ctypes.c_void_p
    caller.run.restype = ctypes.c_double
    return caller


def measure(caller: ctypes.CDLL, text: str, type: str, count: int,
            threads: int) -> tuple[float, float]:
    """Seconds of a call from C++, and what one from Python takes of them."""
    arrays = [np.random.default_rng(1).random(count).astype(type)
              for _ in range(3)] + [np.empty(count, type)]
    a, b, c, o = arrays
    kernel = ctypes.c_void_p(caller.make(text.encode(), type == "f8"))
    pointers = (ctypes.c_void_p * 4)(*(one.ctypes.data for one in arrays))
    k = kx.compile(text, "a b c", tier="optimized")

    def native() -> float:
        return caller.run(kernel, pointers, ctypes.c_long(count), threads)

    def python() -> float:
        start = time.perf_counter()
        k(a, b, c, out=o, threads=threads)
        return time.perf_counter() - start

    sides = [native, python]
    for _ in range(20):
        for side in sides:
            side()
    _core.settle()
    times: dict[object, list[float]] = {side: [] for side in sides}
    for _ in range(max(40, min(1000, int(2e8 / count)))):
        random.shuffle(sides)
        for side in sides:
            times[side].append(side())
    ratios = [p / n for p, n in zip(times[python], times[native])]
    return statistics.median(times[native]), statistics.median(ratios)


def main() -> None:
    caller = load(Path(sys.argv[1]))
    counts = [int(one) for one in sys.argv[2:]] or [10**6, 3 * 10**6, 10**7]
    ratios = []
    print("| text | type | elements | threads | C++, ms | Python / C++ |")
    print("|---|---|---|---|---|---|")
    for count in counts:
        for text in TEXTS:
            for type in ("f4", "f8"):
                for threads in sorted({1, os.cpu_count() or 1}):
                    time, ratio = measure(caller, text, type, count, threads)
                    print(f"| `{text}` | {type} | {count} | {threads} | "
                          f"{1e3 * time:.3f} | {ratio:.3f} |", flush=True)
                    ratios.append(ratio)
    print(f"\nmedian {statistics.median(ratios):.3f} of {len(ratios)} cases")


main()
