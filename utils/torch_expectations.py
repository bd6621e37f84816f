#!/usr/bin/env python3
# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What PyTorch computes for every listed elementwise expression.

Reads unittests/Data/expressions.tsv and prints unittests/Data/torch.tsv:

    python3 utils/torch_expectations.py > unittests/Data/torch.tsv

The first line holds the input values as f32 bit patterns. Element i of operand
@k is value (i * (2k + 1) + 5k) modulo their number. Every other line is an
expression, its results in f32 and its results in f64 from the same f32 inputs,
all as bit patterns. Needs torch (Debian: python3-torch) and numpy.
"""
import math
import pathlib
import re
import struct
import types

import torch

VALUES = [
    0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 3.7, -3.7, 10.25, -7.5, 0.001,
    -0.03, 1e-30, 1e-41, math.inf, -math.inf, math.nan, 100.5, 0.99, 1.01,
    -0.75, 0.25, 1.5, 2.5, -2.5, 6.0, 12345.678, 1e10, -3e20, 88.5, 0.1,
]


def alpha(combine):
    return lambda a, b, k=1: combine(a, k * b)


def tensor_or_number(name):
    """The torch function; its first argument may be a Python number."""
    function = getattr(torch, name)

    def call(*args):
        if not isinstance(args[0], torch.Tensor):
            like = next(a for a in args if isinstance(a, torch.Tensor))
            args = (torch.tensor(args[0], dtype=like.dtype), *args[1:])
        return function(*args)

    return call


def pair(name):
    """A torch function that wants two tensors."""
    function = getattr(torch, name)

    def call(a, b):
        like = a if isinstance(a, torch.Tensor) else b
        tensors = [x if isinstance(x, torch.Tensor)
                   else torch.tensor(x, dtype=like.dtype) for x in (a, b)]
        return function(*tensors)

    return call


UNARY = """abs neg floor ceil trunc round square sqrt rsqrt exp log sin cos tan
asin acos atan reciprocal tanh log10 sign expm1 sinh asinh cosh acosh atanh
log1p erf""".split()

TRUTHS = """eq ne lt le gt ge logical_and logical_or logical_xor logical_not
bitwise_not where""".split()

# Functions of numbers that expression strings of PNNX leave out.
FURTHER_UNARY = """isnan isinf isfinite isposinf isneginf signbit frac exp2 log2
logit deg2rad rad2deg erfc""".split()
FURTHER_BINARY = """copysign fmax fmin hypot xlogy heaviside
nextafter""".split()

NAMES = {name: getattr(torch, name) for name in UNARY + TRUTHS + FURTHER_UNARY}
NAMES |= {
    "add": alpha(lambda a, b: a + b),
    "sub": alpha(lambda a, b: a - b),
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "pow": torch.pow,
    "fmod": tensor_or_number("fmod"),
    "remainder": tensor_or_number("remainder"),
    "floor_divide": tensor_or_number("floor_divide"),
    "maximum": pair("maximum"),
    "minimum": pair("minimum"),
    "max": pair("maximum"),
    "min": pair("minimum"),
    "atan2": pair("atan2"),
    "logaddexp": pair("logaddexp"),
    "trunc_divide": lambda a, b: torch.div(a, b, rounding_mode="trunc"),
    "nan_to_num": torch.nan_to_num,
    "hardshrink": torch.nn.functional.hardshrink,
    "softshrink": torch.nn.functional.softshrink,
    "hardtanh": torch.nn.functional.hardtanh,
    "threshold": torch.nn.functional.threshold,
    "softplus": torch.nn.functional.softplus,
    "lerp": torch.lerp,
    "celu": torch.nn.functional.celu,
    "ldexp": lambda a, n: torch.ldexp(a, torch.tensor(n)),
    "softsign": torch.nn.functional.softsign,
    "inf": math.inf,
    "nan": math.nan,
}
NAMES |= {name: pair(name) for name in FURTHER_BINARY}


def operand(k, dtype):
    count = len(VALUES)
    f32 = torch.tensor([VALUES[(i * (2 * k + 1) + 5 * k) % count]
                        for i in range(count)], dtype=torch.float32)
    return f32.to(dtype)


def evaluate(expression, dtype):
    python = expression.replace("nan.0", "nan")
    used = {int(k) for k in re.findall(r"@(\d+)", python)}
    names = NAMES | {f"operand{k}": operand(k, dtype) for k in used}
    # A cast stands where truth values are to be written as numbers.
    names["torch"] = types.SimpleNamespace(float=lambda x: x.to(dtype))
    # torch imports parts of itself when it calls them.
    builtins = {"__import__": __import__}
    return eval(python.replace("@", "operand"), {"__builtins__": builtins},
                names)


def bits(tensor):
    word, real = "If" if tensor.dtype == torch.float32 else "Qd"
    return " ".join("%x" % struct.unpack("<" + word, struct.pack("<" + real, x))
                    for x in tensor.tolist())


def main():
    data = pathlib.Path(__file__).parent.parent / "unittests" / "Data"
    print(bits(operand(0, torch.float32)))
    for line in (data / "expressions.tsv").read_text().splitlines()[1:]:
        kind, expression, *_ = line.split("\t")
        if kind not in ("elementwise", "truth"):
            continue
        print(expression, bits(evaluate(expression, torch.float32)),
              bits(evaluate(expression, torch.float64)), sep="\t")


if __name__ == "__main__":
    main()
