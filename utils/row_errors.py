#!/usr/bin/env python3
# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors of reductions and of functions over rows, against MPFR.

    python3 utils/row_errors.py LIBKEXPR.so [NAME...]

Prints the table of docs/types.md: of f32, the largest errors in units in the last
place of kexpr at two precisions and of PyTorch, over ordinary rows and rows that
others find hard, and the rows on which PyTorch's is largest. Errors that
docs/types.md excepts are left out on all sides. Names are functions. Needs gmpy2
and torch.
"""
import math
import sys

import gmpy2
import numpy
import torch

from function_peers import Kexpr

gmpy2.get_context().precision = 320
F = torch.nn.functional
LENGTHS, ELEMENTS, EPSILON = (1, 3, 64, 777, 5000), 5000, 1e-5


def spread(low, high):
    return lambda rng, shape: rng.uniform(low, high, shape)


def around(mean, deviation=1):
    return lambda rng, shape: rng.normal(mean, deviation, shape)


def next_to_mean(rng, shape):
    """The mean is a part of a last place above the first element."""
    pairs = (shape[1] - 1) // 2
    x = numpy.zeros(shape)
    x[:, 1:pairs + 1] = numpy.round(rng.uniform(0, 2**22, (shape[0], pairs)))
    x[:, pairs + 1:2 * pairs + 1] = -x[:, 1:pairs + 1]
    x[:, -1] += 1
    return 1.5 + x * 2.0**-23


def one_above(rng, shape):
    """What is below the first element is lost in adding it."""
    x = numpy.full(shape, -36.9)
    x[:, 0] = rng.uniform(-.01, 0, shape[0])
    return x


def little_beside_one(rng, shape):
    x = rng.uniform(-30, -26, shape)
    x[:, 0] = rng.uniform(-.01, 0, shape[0])
    return x


def cancelling(rng, shape):
    x = rng.normal(0, 1, shape)
    return x - x.mean(axis=1, keepdims=True) * (1 - 2.0**-9)


def masked(rng, shape):
    return numpy.where(rng.random(shape) < .5, -1e9, rng.uniform(2, 3, shape))


DATA = {
    "normal": around(0), "uniform from 0 to 1": spread(0, 1),
    "spread over 20": spread(0, 20), "spread over 87": spread(-87, 0),
    "mean / deviation of 1e5": around(1e5), "mean of -1e5": around(-1e5),
    "of many sizes": lambda rng, shape: numpy.exp(rng.normal(0, 4, shape)),
    "tiny": around(0, 1e-20), "large": around(0, 1e15),
    "cancelling": cancelling, "next to the mean": next_to_mean,
    "one above others": one_above, "little beside one": little_beside_one,
    "masked": masked}


def ulps(got, exact, scale):
    """The error of an f32, in units in the last place of a number."""
    if not math.isfinite(got):
        return math.inf
    exponent = max(gmpy2.frexp(scale)[0], -125) if scale else -125
    return float(abs(gmpy2.mpfr(float(got)) - exact) * gmpy2.exp2(24 - exponent))


def total(values):
    return gmpy2.fsum(values)


def mean(x):
    return total(x) / len(x)


def variance(x, less=0):
    middle = mean(x)
    return total((each - middle)**2 for each in x) / (len(x) - less)


def length(x):
    return gmpy2.sqrt(total(each * each for each in x))


def logsumexp(x):
    most = max(x)
    return most + gmpy2.log(total(gmpy2.exp(each - most) for each in x))


def softmax(x):
    whole = logsumexp(x)
    return [gmpy2.exp(each - whole) for each in x]


def log_softmax(x):
    most = max(x)
    others = total(gmpy2.exp(each - most) for each in x) - 1
    return [each - most - gmpy2.log1p(others) for each in x]


def layer_norm(x):
    middle = mean(x)
    size = gmpy2.sqrt(variance(x) + gmpy2.mpfr(EPSILON))
    # An element that the mean is next to has lost too much.
    return [(each - middle) / size
            if abs(each - middle) > abs(middle) * gmpy2.exp2(-45) else None
            for each in x]


def rms_norm(x):
    size = gmpy2.sqrt(total(each * each for each in x) / len(x)
                      + gmpy2.mpfr(EPSILON))
    return [each / size for each in x]


def sums(function):
    def of(x):
        whole = total(x)
        few = abs(whole) < total(map(abs, x)) * gmpy2.exp2(-15)
        return [None if few else function(x)]
    return of


# Text, the meaning of a row, PyTorch's function of rows; an error that is none.
FUNCTIONS = {
    "sum": ("sum(@0,-1)", sums(total), lambda x: x.sum(-1), 0),
    "mean": ("mean(@0,-1)", sums(mean), lambda x: x.mean(-1), 0),
    "var": ("var(@0,-1,False,0)", lambda x: [variance(x)],
            lambda x: x.var(-1, correction=0), 0),
    "std": ("std(@0,-1,False,0)", lambda x: [gmpy2.sqrt(variance(x))],
            lambda x: x.std(-1, correction=0), 0),
    "norm": ("norm(@0,2,-1)", lambda x: [length(x)],
             lambda x: torch.linalg.vector_norm(x, dim=-1), 0),
    "logsumexp": ("logsumexp(@0,-1)", lambda x: [logsumexp(x)],
                  lambda x: x.logsumexp(-1), 2.0**-48),
    "softmax": ("softmax(@0,-1)", softmax, lambda x: x.softmax(-1), 0),
    "log_softmax": ("log_softmax(@0,-1)", log_softmax,
                    lambda x: x.log_softmax(-1), 2.0**-50),
    "layer_norm": ("layer_norm(@0,-1)", layer_norm,
                   lambda x: F.layer_norm(x, x.shape[-1:]), 0),
    "rms_norm": ("rms_norm(@0,-1,None,1e-5)", rms_norm,
                 lambda x: F.rms_norm(x, x.shape[-1:], eps=1e-5), 0),
    "normalize": ("normalize(@0,2,-1)",
                  lambda x: [each / max(length(x), 1e-12) for each in x],
                  lambda x: F.normalize(x, dim=-1), 0)}


def worst(results, exact, least):
    """The largest error over rows, of results laid out like `exact`."""
    most = 0
    for row, wanted in zip(results.reshape(len(exact), -1), exact):
        for got, each in zip(row, wanted):
            if each is not None and not abs(float(got) - each) <= least:
                most = max(most, ulps(got, each, each))
    return most


def errors(kexpr, name):
    """By data: the largest errors of kexpr at both precisions and of PyTorch."""
    text, meaning, in_torch, least = FUNCTIONS[name]
    keeps = len(meaning([gmpy2.mpfr(1)] * 2)) > 1
    found = {}
    for data, draw in DATA.items():
        found[data] = numpy.zeros(3)
        for columns in LENGTHS:
            rng = numpy.random.default_rng(1)
            rows = ELEMENTS // columns
            x = draw(rng, (rows, columns)).astype(numpy.float32)
            exact = [meaning([gmpy2.mpfr(float(each)) for each in row])
                     for row in x]
            shape = (rows, columns) if keeps else rows
            out = numpy.empty(shape, numpy.float32)
            sides = [kexpr.prepare(text, [x], precision, out)[0]().copy()
                     for precision in (0, 1)]
            sides.append(in_torch(torch.from_numpy(x)).numpy())
            found[data] = numpy.maximum(
                found[data], [worst(side, exact, least) for side in sides])
    return found


def main():
    kexpr = Kexpr(sys.argv[1])
    print("| function | `Default` | `Accurate` | PyTorch | on rows |\n"
          "|---|---:|---:|---:|---|")
    for name in FUNCTIONS:
        if len(sys.argv) > 2 and name not in sys.argv[2:]:
            continue
        found = errors(kexpr, name)
        most = numpy.max([*found.values()], axis=0)
        where = max(found, key=lambda data: found[data][2])
        print(f"| `{name}` | {most[0]:.2f} | {most[1]:.3f} | {most[2]:.3g} "
              f"| {where} |", flush=True)


if __name__ == "__main__":
    main()
