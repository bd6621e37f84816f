#!/usr/bin/env python3
# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws what CliffsBenchmark measured, beside NumPy and PyTorch.

    build/release/benchmarks/CliffsBenchmark --tsv cliffs.tsv
    python3 utils/cliffs.py cliffs.tsv cliffs.svg

A row is a kernel and a column a class of inputs; the colour and the number are
the time over that of ordinary inputs, the worst of all shares. Functions of
NumPy and PyTorch are measured here, where this Python has them, over the same
inputs, with results written to arrays that are there. Needs matplotlib.
"""
import csv
import sys
import time

import numpy
from matplotlib import colors, pyplot

ELEMENTS, ROUNDS, ENOUGH = 8000, 9, 100e-6
VALUES = {"subnormal": 1e-38, "least": 1.2e-38, "max": 3e38}
OF_SEVERAL = "ln p"  # A class of several operands.


def read(path):
    """Ratios by kernel, class and share, and the domain of every kernel."""
    ratios, domains = {}, {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            shares = ratios.setdefault(row["kernel"], {}).setdefault(
                row["class"], {})
            share = float(row["share"])
            shares[share] = max(shares.get(share, 0), float(row["ratio"]))
            domains[row["kernel"]] = float(row["low"]), float(row["high"])
    return ratios, domains


def calls():
    """Functions of arrays by the name of their kernel, and who has them."""
    for name in ("exp expm1 log log1p log10 sin cos tan arcsin arccos arctan "
                 "sinh cosh tanh arcsinh arccosh arctanh sqrt").split():
        function = getattr(numpy, name)
        yield (name.replace("arc", "a"), "NumPy",
               lambda x, out, f=function: f(x, out=out))
    yield "x / 12", "NumPy", lambda x, out: numpy.divide(x, 12, out=out)
    try:
        import torch
    except ImportError:
        return
    torch.set_num_threads(1)

    def of(call):
        return lambda x, out: call(torch.from_numpy(x), torch.from_numpy(out))
    for name in ("exp expm1 log log1p log10 sin cos tan asin acos atan sinh "
                 "cosh tanh asinh acosh atanh erf sigmoid sqrt rsqrt "
                 "reciprocal").split():
        yield (name, "PyTorch",
               of(lambda x, out, f=getattr(torch, name): f(x, out=out)))
    for name in "silu gelu softplus mish elu hardswish".split():
        yield (name, "PyTorch",
               of(lambda x, _, f=getattr(torch.nn.functional, name): f(x)))
    yield ("x / 12", "PyTorch",
           of(lambda x, out: torch.div(x, 12, out=out)))


def inputs(kind, share, domain):
    """Ordinary numbers, and the same with some share of a class."""
    draw = numpy.random.default_rng(3)
    ordinary = draw.uniform(*domain, ELEMENTS).astype(numpy.float32)
    value = numpy.float32(VALUES[kind] if kind in VALUES else float(kind))
    special = numpy.full(ELEMENTS, value)
    if kind == "subnormal":
        special *= draw.uniform(0, 1, ELEMENTS).astype(numpy.float32)
    return ordinary, numpy.where(draw.uniform(0, 1, ELEMENTS) < share, special,
                                 ordinary)


def ratio(call, ordinary, mixed):
    """Median of the times on `mixed` over that on `ordinary`, in turns."""
    out = numpy.empty_like(ordinary)

    def timed(x, times):
        begin = time.perf_counter()
        for _ in range(times):
            call(x, out)
        return (time.perf_counter() - begin) / times
    timed(ordinary, 1)
    times = 1 + int(ENOUGH / timed(ordinary, 3))
    taken = [(timed(mixed, times), timed(ordinary, times))
             for _ in range(ROUNDS)]
    return numpy.median([a for a, _ in taken]) / numpy.median(
        [b for _, b in taken])


def peers(ratios, domains):
    """Adds what NumPy and PyTorch take, beneath the kernel of the same name."""
    found = {}
    with numpy.errstate(all="ignore"):
        for name, who, call in calls():
            if name in ratios:
                found.setdefault(name, {})[who] = {
                    kind: {share: ratio(call, *inputs(kind, share,
                                                      domains[name]))
                           for share in shares}
                    for kind, shares in ratios[name].items()
                    if kind != OF_SEVERAL}
    for name, own in list(ratios.items()):
        yield name, own
        for who, rows in found.get(name, {}).items():
            yield f"{who} {name}", rows


def draw(rows, path):
    """One cell a kernel and class, on a logarithmic scale of colours."""
    kinds = list(dict.fromkeys(kind for _, row in rows for kind in row))
    table = numpy.array([[max(row[kind].values()) if kind in row else numpy.nan
                          for kind in kinds] for _, row in rows])
    figure, axes = pyplot.subplots(
        figsize=(2.5 + 0.55 * len(kinds), 0.6 + 0.2 * len(rows)),
        layout="constrained")
    axes.imshow(table, aspect="auto", cmap="YlOrRd",
                norm=colors.LogNorm(1, 32, clip=True))
    axes.set_xticks(range(len(kinds)), kinds, fontsize=8)
    axes.set_yticks(range(len(rows)), [name for name, _ in rows], fontsize=8)
    axes.xaxis.tick_top()
    for y, x in numpy.argwhere(numpy.isfinite(table)):
        axes.text(x, y, f"{table[y, x]:.1f}", ha="center", va="center",
                  fontsize=7, color="white" if table[y, x] > 8 else "black")
    axes.set_title("time over that of ordinary inputs, worst of all shares",
                   fontsize=9)
    figure.savefig(path, dpi=120)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    ratios, domains = read(sys.argv[1])
    rows = list(peers(ratios, domains))
    draw(rows, sys.argv[2])
    for name, row in rows:
        print(name, *(f"{kind} {max(shares.values()):.2f}"
                      for kind, shares in row.items()), sep="\t")


if __name__ == "__main__":
    main()
