# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions in f64, and where a small error of an argument is not a small
error of the result."""
import numpy
import torch

from .exact import FUNCTIONS, signs_differ

SELU_ALPHA = 1.6732632423543772848170429916717
SELU_SCALE = 1.0507009873554804934193349852946
LOG_2 = 0.69314718055994530941723212145818


def fmod(a, b):
    # PyTorch's vector loop gives up on large quotients.
    with numpy.errstate(all="ignore"):
        rest = numpy.fmod(a.numpy(), b.numpy())
    return torch.from_numpy(numpy.asarray(rest))


def remainder(a, b):
    rest = fmod(a, b)
    return torch.where((rest != 0) & ((rest < 0) != (b < 0)), rest + b, rest)


def floor_divide(a, b):
    rest = fmod(a, b)
    quotient = (a - rest) / b
    quotient = quotient - ((rest != 0) & ((rest < 0) != (b < 0))).double()
    whole = torch.floor(quotient)
    whole = whole + (quotient - whole > 0.5).double()
    whole = torch.where(quotient == 0, torch.copysign(quotient, a / b), whole)
    return torch.where(b == 0, a / b, whole)


def elu(x, alpha):
    return torch.where(x > 0, x, alpha * torch.expm1(x.clamp(max=1)))


def log1p(x):
    return torch.where(x > 1e300, torch.log(x), torch.log1p(x))


def area(function):
    """asinh or acosh, whose squares overflow in PyTorch."""
    def at(x):
        large = torch.copysign(torch.log(x.abs()) + LOG_2, x)
        return torch.where((x > 1e100) | ((x < -1e100) &
                                          (function is torch.asinh)),
                           large, function(x))
    return at


def sixth(x):
    return (x + 3).clamp(0, 6) / 6


# Those that PyTorch computes in a way that loses digits, in f64 too.
EXACTER = {
    "fmod": fmod,
    "remainder": remainder,
    "floor_divide": floor_divide,
    "log1p": log1p,
    "asinh": area(torch.asinh),
    "acosh": area(torch.acosh),
    "gelu": lambda x: x * 0.5 * torch.special.erfc(x * -0.5**0.5),
    "elu": elu,
    "selu": lambda x: SELU_SCALE * elu(x, SELU_ALPHA),
    "leaky_relu": lambda x, slope: torch.where(x > 0, x, x * slope),
    "hardswish": lambda x: x * sixth(x),
    "hardsigmoid": sixth,
    "softplus": lambda x: torch.where(x > 20, x,
                                      torch.log1p(torch.exp(x.clamp(max=21)))),
    "clamp": lambda x, low, high: torch.minimum(torch.maximum(x, low), high),
}
REFERENCES = FUNCTIONS | EXACTER


def near_zero(value):
    """Where a value may be zero, or on either side of it."""
    return (value.e > 0) & (value.v.abs() <= 2 * value.e)


def whole_quotient(a, b):
    """Where the whole part of a quotient is not certain."""
    error = (a.e + (a.v / b.v).abs() * b.e) / b.v.abs() * 1.01
    quotient = a.v / b.v
    sure = torch.floor(quotient - error) == torch.floor(quotient + error)
    uncertain = (a.e > 0) | (b.e > 0)
    return (uncertain & (~sure | ~(error < 0.25))) | near_zero(a) | near_zero(b)


def power(a, b):
    negative = (a.v < 0) & (b.e > 0)
    # 1 to any power is 1, and so is any number to the power of 0.
    limit = (((a.e > 0) & ~b.v.isfinite())
             | (near_zero(b) & ~a.v.isfinite()))
    return near_zero(a) | negative | limit


def atan2_cut(y, x):
    return near_zero(y) & ((x.v - x.e < 0) | near_zero(x))


def coarse(limit):
    return lambda x: x.e > limit


def huge(x):
    """hardswish multiplies by 6 before it divides."""
    return (x.v.abs() > 1e37) & x.v.isfinite()


def zeros(a, b):
    return signs_differ(a.v, b.v)


# Operator to the elements at which its result is not certain.
GUARDS = {
    "div": lambda a, b: near_zero(b), "reciprocal": near_zero,
    "rsqrt": near_zero, "pow": power, "atan2": atan2_cut,
    "sin": coarse(0.05), "cos": coarse(0.05),
    # Where e^x alone overflows, in f64.
    "sinh": lambda x: (x.v.abs() > 709) & (x.v.abs() < 711),
    "cosh": lambda x: (x.v.abs() > 709) & (x.v.abs() < 711),
    "tan": lambda x: 8 * x.e > x.v.cos().abs(),
    "silu": coarse(0.05), "gelu": coarse(0.05), "mish": coarse(0.05),
    "hardswish": lambda x: coarse(0.05)(x) | huge(x),
    "clamp": lambda x, low, high: zeros(x, low) | zeros(x, high),
    "relu": lambda x: (x.v == 0) & x.v.signbit(),
}
GUARDS |= {op: whole_quotient for op in ("fmod", "remainder", "floor_divide")}
GUARDS |= {op: zeros for op in ("maximum", "minimum", "max", "min")}
# Their results are right or wrong by a whole unit.
STEPS = {"floor", "ceil", "trunc", "round", "sign"}
