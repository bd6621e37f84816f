#!/usr/bin/env python3
# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy, PyTorch and numexpr, where this Python has them, on the work set.

    python3 utils/expression_peers.py OUT.json [SIZE...]

Measures what kexpr-jit-bench measures, E1 to E7, at its sizes (1000, 32000,
1000000 and 64000000 unless others are given), on one thread and on all;
`kexpr-jit-bench --peers OUT.json` adds it to its tables and plots. Each result
is held against NumPy's in f64 first, within 2e-6 of 1 + |x|. NumPy and PyTorch
allocate every result, as they do in use; numexpr writes to an array that is
there. The least of five medians.
"""
import json
import os
import statistics
import sys
import time

import numpy

EXPRESSIONS = {
    "E1": "add(@0,@1)",
    "E2": "add(mul(@0,@1),@2)",
    "E3": "mul(@0,sigmoid(@0))",
    "E4": "sqrt(div(add(mul(@0,2),@1),12))",
    "E5": "add(add(mul(@0,@1),mul(@2,add(add(add(@0,@2),@3),@4))),@5)",
    "E6": "mul(mul(@0,0.5),add(tanh(mul(add(@0,mul(pow(@0,3),0.044715)),"
          "0.79788456)),1))",
    "E7": "add(sin(@0),mul(cos(@1),exp(neg(mul(@0,@0)))))",
}
OPERANDS = {"E1": 2, "E2": 3, "E3": 1, "E4": 2, "E5": 6, "E6": 1, "E7": 2}
SIZES = [1000, 32000, 1000000, 64000000]
TOLERANCE = 2e-6


def formulas(lib, sigmoid):
    """The work set in the words of a library of arrays."""
    return {
        "E1": lambda a, b: a + b,
        "E2": lambda a, b, c: a * b + c,
        "E3": lambda a: a * sigmoid(a),
        "E4": lambda a, b: lib.sqrt((a * 2 + b) / 12),
        "E5": lambda a, b, c, d, e, f: a * b + c * (a + c + d + e) + f,
        "E6": lambda a: a * 0.5 * (
            lib.tanh((a + a ** 3 * 0.044715) * 0.79788456) + 1),
        "E7": lambda a, b: lib.sin(a) + lib.cos(b) * lib.exp(-(a * a)),
    }


class NumPy:
    name, version = "numpy", "NumPy " + numpy.__version__
    threads = [1]

    def __init__(self, threads):
        self.calls = formulas(numpy, lambda x: 1 / (1 + numpy.exp(-x)))

    def prepare(self, name, arrays):
        return lambda: self.calls[name](*arrays)

    def array(self, result):
        return result


class PyTorch:
    name, threads = "pytorch", sorted({1, os.cpu_count()})

    def __init__(self, threads):
        import torch
        self.torch, self.version = torch, "PyTorch " + torch.__version__
        torch.set_num_threads(threads)
        self.calls = formulas(torch, torch.sigmoid)

    def prepare(self, name, arrays):
        tensors = [self.torch.from_numpy(array) for array in arrays]
        return lambda: self.calls[name](*tensors)

    def array(self, result):
        return result.numpy()


class NumExpr:
    name, threads = "numexpr", sorted({1, os.cpu_count()})
    TEXTS = {
        "E1": "a + b", "E2": "a * b + c", "E3": "a / (one + exp(-a))",
        "E4": "sqrt((a * two + b) / twelve)",
        "E5": "a * b + c * (a + c + d + e) + f",
        "E6": "a * half * (tanh((a + a * a * a * cube) * scale) + one)",
        "E7": "sin(a) + cos(b) * exp(-(a * a))",
    }

    def __init__(self, threads):
        import numexpr
        self.numexpr, self.version = numexpr, "numexpr " + numexpr.__version__
        numexpr.set_num_threads(threads)

    def prepare(self, name, arrays):
        # Literals of its own would be f64.
        names = dict(zip("abcdef", arrays)) | {
            key: numpy.float32(value) for key, value in
            dict(one=1, two=2, twelve=12, half=0.5, cube=0.044715,
                 scale=0.79788456).items()}
        out = numpy.empty_like(arrays[0])
        return lambda: self.numexpr.evaluate(self.TEXTS[name], names, out=out)

    def array(self, result):
        return result


def seconds(call):
    """Of one call: the least median of five series of at least 20 ms each."""
    best = float("inf")
    for _ in range(5):
        times, begin = [], time.perf_counter()
        while not times or time.perf_counter() - begin < 0.02:
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
        best = min(best, statistics.median(times))
    return best


def is_close(result, name, arrays):
    exact = formulas(numpy, lambda x: 1 / (1 + numpy.exp(-x)))[name]
    # In pieces: doubles of everything would not fit.
    for begin in range(0, len(result), 1 << 20):
        piece = slice(begin, begin + (1 << 20))
        expected = exact(*[a[piece].astype(numpy.float64) for a in arrays])
        off = numpy.abs(result[piece] - expected)
        if not (off <= TOLERANCE * (1 + numpy.abs(expected))).all():
            return False
    return True


def measure(peer, threads, inputs, size):
    rows = []
    for name, text in EXPRESSIONS.items():
        arrays = [array[:size] for array in inputs[:OPERANDS[name]]]
        call = peer.prepare(name, arrays)
        if not is_close(peer.array(call()), name, arrays):
            sys.exit(f"{peer.name} computes something else for {name}")
        row = {"peer": peer.name, "expression": text, "elements": size,
               "threads": threads, "seconds": seconds(call)}
        rows.append(row)
        print(f"{peer.name:8} {name} {size:9} {threads:3} threads  "
              f"{row['seconds'] * 1e9 / size:9.3f} ns/element", flush=True)
    return rows


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    sizes = [int(size) for size in sys.argv[2:]] or SIZES
    random = numpy.random.default_rng(1)
    inputs = [random.random(max(sizes), numpy.float32) * numpy.float32(1.9) +
              numpy.float32(0.1) for _ in range(6)]
    peers, rows = {}, []
    for kind in (NumPy, PyTorch, NumExpr):
        for threads in kind.threads:
            try:
                peer = kind(threads)
            except ImportError:
                print(kind.name, "is not there")
                break
            peers[peer.name] = peer.version
            for size in sizes:
                rows += measure(peer, threads, inputs, size)
    with open(sys.argv[1], "w") as file:
        json.dump({"peers": peers, "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
