#!/usr/bin/env python3
# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch and NumPy, on one thread, on what BroadcastBenchmark transposes.

    python3 utils/broadcast_peers.py [REPETITIONS]

The expressions are add(@0,@1) and add(mul(@0,@1),@2) of f32, and the last
operand is the one that is transposed. Outputs are there before the time is
taken, and the product has a place of its own. Medians of runs that take turns
with the same on equal contiguous shapes.
"""
import statistics
import sys
import time

import numpy
import torch

torch.set_num_threads(1)

# Name, shape of the operand in memory, order of its axes as it is used.
CASES = [
    ("transposed planes", (8, 256, 56, 56), (0, 1, 3, 2)),
    ("NHWC to NCHW", (8, 56, 56, 256), (0, 3, 1, 2)),
    ("NCHW to NHWC", (8, 256, 56, 56), (0, 2, 3, 1)),
    ("RGB to planes", (32, 256, 256, 3), (0, 3, 1, 2)),
    ("all axes reversed", (186, 186, 186), (2, 1, 0)),
    ("4096x4096 transposed", (4096, 4096), (1, 0)),
]


def expressions(add, mul, place):
    """The patterns as functions of full operands, the last one, an output."""

    def e1(full, last, out):
        add(full[0], last, out=out)

    def e2(full, last, out):
        mul(full[0], full[1], out=place)
        add(place, last, out=out)

    return {"E1": e1, "E2": e2}


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def measure(peer, empty, permute, add, mul, repetitions):
    for name, shape, order in CASES:
        memory = empty(shape)
        last = permute(memory, order)
        full = [empty(tuple(last.shape)) for _ in range(3)]
        out, place = empty(tuple(last.shape)), empty(tuple(last.shape))
        for pattern, run in expressions(add, mul, place).items():
            ours, equal = [], []
            for _ in range(repetitions):
                equal.append(seconds(lambda: run(full, full[2], out)))
                ours.append(seconds(lambda: run(full, last, out)))
            scale = 1e9 / numpy.prod(shape)
            viewed = statistics.median(ours) * scale
            plain = statistics.median(equal) * scale
            print(f"{peer:8} {name:22} {pattern}  {viewed:8.3f} ns/element  "
                  f"{plain:8.3f} equal shapes  {plain / viewed:5.2f}")


def main():
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    random = numpy.random.default_rng(1)
    print("PyTorch", torch.__version__, "NumPy", numpy.__version__)
    measure("PyTorch", torch.rand, lambda t, order: t.permute(order),
            torch.add, torch.mul, repetitions)
    measure("NumPy", lambda shape: random.random(shape, numpy.float32),
            numpy.transpose, numpy.add, numpy.multiply, repetitions)


if __name__ == "__main__":
    main()
