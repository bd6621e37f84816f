#!/usr/bin/env python3
# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints unittests/Data/whole_numbers.tsv: calls of whole numbers and what
Python's integers, which are exact, make of them; `refused` where that is none
or leaves 64 bits.

    python3 utils/whole_numbers.py > unittests/Data/whole_numbers.tsv
"""
import random

VALUES = sorted({sign * (2**power + offset)
                 for power in (0, 1, 31, 32, 53, 62, 63)
                 for offset in (-1, 0, 1)
                 for sign in (-1, 1)} | {7, -7, 3037000499, 3037000500})
VALUES = [v for v in VALUES if -2**63 <= v < 2**63]


def fmod(x, y):
    rest = abs(x) % abs(y)
    return -rest if x < 0 else rest


def power(x, y):
    # A negative exponent gives a real number; a large one of anything but 0
    # and 1 leaves 64 bits.
    if y < 0:
        return None
    if y > 64 and abs(x) > 1:
        raise OverflowError
    return x**(y if abs(x) > 1 or y < 2 else 2 - y % 2)


BINARY = {
    'add': lambda x, y: x + y,
    'sub': lambda x, y: x - y,
    'mul': lambda x, y: x * y,
    'floor_divide': lambda x, y: x // y,
    'remainder': lambda x, y: x % y,
    'fmod': fmod,
    'pow': power,
    'maximum': max,
    'minimum': min,
}
UNARY = {
    'neg': lambda x: -x,
    'abs': abs,
    'square': lambda x: x * x,
    'sign': lambda x: (x > 0) - (x < 0),
    'relu': lambda x: max(x, 0),
}


def row(name, function, *arguments):
    try:
        result = function(*arguments)
        if result is None:
            return None
        known = str(result) if -2**63 <= result < 2**63 else 'refused'
    except (OverflowError, ZeroDivisionError):
        known = 'refused'
    return f'{name}({",".join(map(str, arguments))})\t{known}'


def main():
    pairs = [(x, y) for x in VALUES for y in VALUES]
    small = [(x, y) for x in VALUES for y in (2, 3, 31, 62, 63, 64)]
    rows = [row(name, function, x) for name, function in UNARY.items()
            for x in VALUES]
    chosen = random.Random(1)
    for name, function in BINARY.items():
        some = chosen.sample(small if name == 'pow' else pairs, 90)
        rows += [row(name, function, x, y) for x, y in some]
    rows.append(row('sub', BINARY['sub'], 2**53 + 1, 2**53))
    print('\n'.join(each for each in rows if each))


main()
