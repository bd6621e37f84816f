#!/usr/bin/env python3
"""Times `evaluate` of numexpr and of kexpr.numexpr in one process, in turns.

    PYTHONPATH=build/python utils/numexpr_speed.py [--threads N] [size...]

Prints how many times numexpr's time is kexpr's: medians of calls that
alternate, after kexpr's code is optimised.
"""

import argparse
import statistics
import time

import numexpr
import numpy as np

import kexpr.numexpr

TEXTS = ["a*b + c", "2*a + 3*b*c", "a < b", "where(a > b, a, c)", "sin(a)",
         "exp(-a) + log1p(b)", "sqrt(a**2 + b**2)", "(a > 1) & (b < 2)",
         "f*2 + 1", "i*3 // 2", "tanh(a)*arctan2(b, c)", "a**3 - 2*a**2",
         "sum(a*b)", "sum(a)"]


def ratio(text: str, names: dict[str, object], rounds: int,
          calls: int) -> float:
    """numexpr's time over kexpr's."""
    times: dict[object, list[float]] = {numexpr: [], kexpr.numexpr: []}
    for module in times:
        for _ in range(5):
            module.evaluate(text, names, {})
    time.sleep(0.1)  # the code is made in the background
    for _ in range(rounds):
        for module, all_times in times.items():
            begin = time.perf_counter()
            for _ in range(calls):
                module.evaluate(text, names, {})
            all_times.append(time.perf_counter() - begin)
    first, second = map(statistics.median, times.values())
    return first / second


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("sizes", type=int, nargs="*",
                        default=[100, 10_000, 1_000_000])
    given = parser.parse_args()
    for module in (numexpr, kexpr.numexpr):
        module.set_num_threads(given.threads)
    rng = np.random.default_rng(1)
    print("elements", *given.sizes, sep="\t")
    every = []
    for text in TEXTS:
        row = []
        for size in given.sizes:
            names = {name: rng.random(size) * 3 for name in "abc"}
            names["f"] = names["a"].astype(np.float32)
            names["i"] = (names["a"] * 1000).astype(np.int32)
            calls = max(1, 200_000 // size) if size > 1000 else 1000
            row.append(ratio(text, names, 15, calls))
        every.append(row)
        print(text, *(f"{one:.1f}" for one in row), sep="\t", flush=True)
    print("median", *(f"{statistics.median(column):.1f}"
                      for column in zip(*every)), sep="\t")


if __name__ == "__main__":
    main()
