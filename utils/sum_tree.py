#!/usr/bin/env python3
# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sum and mean as docs/types.md defines them, bit for bit, in NumPy alone.

    python3 utils/sum_tree.py sum x.npy   # over the last axis, as hexadecimal
"""
import sys
from fractions import Fraction

import numpy as np

LANES, BLOCK = 32, 2048


def add(a, b):
    """Two sums as one; in f64 the second part is what roundings lost."""
    high = a[0] + b[0]
    if len(a) == 1:
        return (high,)
    part = high - a[0]
    return high, (a[1] + b[1]) + ((a[0] - (high - part)) + (b[0] - part))


def of_block(elements, is_pair):
    """The sum of a block: its lanes in order, then these by halves."""
    zeros = np.zeros(LANES, elements.dtype)
    lanes = (zeros, zeros) if is_pair else (zeros,)
    for first in range(0, len(elements), LANES):
        row = elements[first:first + LANES]
        old = tuple(part[:len(row)] for part in lanes)
        new = add(old, (row, np.zeros_like(row))[:len(lanes)])
        lanes = tuple(np.concatenate([n, part[len(row):]])
                      for n, part in zip(new, lanes))
    while len(lanes[0]) > 1:
        half = len(lanes[0]) // 2
        lanes = add(tuple(part[:half] for part in lanes),
                    tuple(part[half:] for part in lanes))
    return tuple(part[0] for part in lanes)


def tree(elements, is_pair):
    """Neighbours of as many blocks become one; the rest from the right."""
    stack = []
    for first in range(0, max(len(elements), 1), BLOCK):
        level, state = 0, of_block(elements[first:first + BLOCK], is_pair)
        while stack and stack[-1][0] == level:
            level, state = level + 1, add(stack.pop()[1], state)
        stack.append((level, state))
    state = stack.pop()[1]
    while stack:
        state = add(stack.pop()[1], state)
    return state


def total(state):
    """The sum that a state is of; nothing is known to be lost of infinities."""
    both = state[0] + state[-1] if len(state) == 2 else state[0]
    return state[0] if np.isnan(both) else both


def row_sum(x):
    """The sum of a vector; of integers and bools in i64, which wraps."""
    if x.dtype.kind != "f":
        return tree(x.astype(np.int64), False)[0]
    return x.dtype.type(total(tree(x.astype(np.float64),
                                   x.dtype == np.float64)))


def row_mean(x):
    """The mean of a vector: its sum in f64, divided there. Of f64 what is left of
    the sum is divided as well."""
    state, count = tree(x.astype(np.float64), x.dtype == np.float64), len(x)
    mean = total(state) / np.float64(count)
    if len(state) == 2 and np.isfinite(mean):
        # A fused multiply-add: the exact number, rounded once.
        left = float(Fraction(state[0]) - Fraction(mean) * count)
        mean += (np.float64(left) + state[1]) / np.float64(count)
    return x.dtype.type(mean)


if __name__ == "__main__":
    np.seterr(all="ignore")
    values = np.load(sys.argv[2])
    function = {"sum": row_sum, "mean": row_mean}[sys.argv[1]]
    for line in values.reshape(-1, values.shape[-1]):
        print(np.array([function(line)]).tobytes().hex())
