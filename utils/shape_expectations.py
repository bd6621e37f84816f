#!/usr/bin/env python3
# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Python computes for every listed shape or constant.

Reads unittests/Data/expressions.tsv and prints unittests/Data/shapes.tsv:

    python3 utils/shape_expectations.py > unittests/Data/shapes.tsv

The first line holds the shapes of @0, @1...; every other line is an expression
of the class shape-or-constant and its value as kexpr spells it.
"""
import pathlib
import re

SHAPES = [(2, 130, 56, 57), (5, 384, 8, 9), (3, 6, 7, 8),
          (9, 4, 8, 11)]
NAMES = {
    "size": lambda shape, axis: shape[axis],
    "int": int,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "floor_divide": lambda a, b: a // b,
}


def spell(value):
    if isinstance(value, list):
        return "[" + ",".join(map(spell, value)) + "]"
    return str(value)


def main():
    data = pathlib.Path(__file__).parent.parent / "unittests" / "Data"
    print("\t".join(",".join(map(str, shape)) for shape in SHAPES))
    for line in (data / "expressions.tsv").read_text().splitlines():
        kind, text = line.split("\t")[:2]
        if kind == "shape-or-constant":
            python = re.sub(r"@(\d+)", r"SHAPES[\1]", text)
            print(text, spell(eval(python, {"SHAPES": SHAPES, **NAMES})),
                  sep="\t")


if __name__ == "__main__":
    main()
