# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What PyTorch computes for a tree, in the element types that it has."""
import numpy
import torch
import torch.nn.functional as F

from . import reductions, rows
from .types import (CASTS, COMPARISONS, DTYPES, EXTREMA, SHIFTS, UNSIGNED,
                    WHOLE, Reject)

FUNCTIONS = {name: getattr(torch, name) for name in """sub mul div fmod
    remainder floor_divide maximum minimum neg abs sign floor ceil trunc round
    sin cos tan asin acos atan atan2 eq ne lt le gt ge exp expm1 log log1p log10
    pow square sqrt rsqrt reciprocal logaddexp sinh cosh tanh asinh acosh atanh
    erf sigmoid relu clamp selu where logical_and logical_or logical_xor
    logical_not bitwise_not""".split()}
FUNCTIONS |= {name: getattr(F, name) for name in """silu gelu hardswish
    hardsigmoid softplus mish elu leaky_relu""".split()}
FUNCTIONS |= {
    "add": torch.add, "max": torch.maximum, "min": torch.minimum,
    "and": torch.bitwise_and, "or": torch.bitwise_or,
    "xor": torch.bitwise_xor, "lshift": torch.bitwise_left_shift,
    "rshift": torch.bitwise_right_shift,
}


def literal_tensor(value, dtype):
    """A literal where it meets tensors that compute in `dtype`."""
    if not dtype.is_floating_point and dtype != torch.bool:
        info = torch.iinfo(dtype)
        if not info.min <= value <= info.max:
            raise Reject("a literal out of the range of its type")
    return torch.tensor(value, dtype=dtype)


def signs_differ(a, b):
    """Where two zeros have different signs: PyTorch's vector and scalar loops
    disagree on which is the larger."""
    return (a == 0) & (b == 0) & (torch.signbit(a) != torch.signbit(b))


def check_divisor(op, divisor, dtype):
    """PyTorch raises at 0, and dies of the least number // -1."""
    divisor = torch.as_tensor(divisor).to(dtype)
    if dtype in UNSIGNED:
        divisor = divisor.to(torch.int64)
    if op in WHOLE and not dtype.is_floating_point:
        if (divisor == 0).any() or (dtype.is_signed and (divisor == -1).any()):
            raise Reject("a divisor of 0 or -1")
    if op in SHIFTS:
        width = 8 * torch.empty(0, dtype=dtype).element_size()
        if (divisor < 0).any() or (divisor >= width).any():
            raise Reject("a shift that PyTorch does not define")


def check_extremum(op, args):
    zeros = None
    if op in EXTREMA:
        zeros = signs_differ(args[0], args[1])
    elif op == "relu":
        zeros = signs_differ(args[0], torch.zeros((), dtype=args[0].dtype))
    elif op == "clamp":
        # PyTorch makes no tensor of an integer from 2^63 on.
        bounds = [torch.as_tensor(float(a)) if isinstance(a, int) else
                  torch.as_tensor(a) for a in args[1:]]
        zeros = (signs_differ(args[0], bounds[0])
                 | signs_differ(args[0], bounds[1]))
    if zeros is not None and zeros.any():
        raise Reject("zeros of different signs")


def cast(value, dtype):
    """Out of range, floats become what x86 makes of them: that is what PyTorch
    does too, but not everywhere the same."""
    if not value.dtype.is_floating_point or dtype.is_floating_point:
        return value.to(dtype)
    if dtype == torch.bool:
        return value != 0
    if DTYPES.get("u64") == dtype:
        upper = (value >= 2.0**63) & (value < 2.0**64)
        lower = torch.where(upper, value.double() - 2.0**63, value.double())
        bits = cast(lower, torch.int64) ^ torch.where(upper, -2**63, 0)
        return torch.where(value >= 2.0**64, 0, bits).to(dtype)
    wide = (torch.int64 if dtype in (torch.int64, DTYPES.get("u32"))
            else torch.int32)
    info = torch.iinfo(wide)
    double = value.double().trunc()
    inside = (double >= info.min) & (double < -float(info.min))
    whole = torch.where(inside, double, 0.0).to(wide)
    return torch.where(inside, whole,
                       torch.tensor(info.min, dtype=wide)).to(dtype)


def combine(op, dtype, args):
    """add and sub with a factor: rounded after the product, as after the
    sum. PyTorch's vector loop fuses the two."""
    a, b, factor = (torch.as_tensor(arg).to(dtype) for arg in args)
    return apply(op, dtype, [a, apply("mul", dtype, [b, factor])])


def root(x):
    """Correctly rounded, which PyTorch 2.15's is not in f32."""
    x = x if x.is_floating_point() else x.float()
    if x.dtype not in (torch.float32, torch.float64):
        return torch.sqrt(x)
    with numpy.errstate(invalid="ignore"):
        return torch.as_tensor(numpy.asarray(numpy.sqrt(x.numpy())))


FUNCTIONS["sqrt"] = root
FUNCTIONS["pow"] = lambda x, y: (
    root(x) if not isinstance(y, torch.Tensor) and y == 0.5
    else torch.pow(x, y))

# NumPy's, of unsigned integers for which PyTorch has none.
WRAPPING = {name: getattr(numpy, name) for name in """fmod remainder
    floor_divide maximum minimum sign square where""".split()}
WRAPPING |= {
    "add": numpy.add, "sub": numpy.subtract, "mul": numpy.multiply,
    "max": numpy.maximum, "min": numpy.minimum, "neg": numpy.negative,
    "pow": numpy.power, "clamp": numpy.clip, "and": numpy.bitwise_and,
    "or": numpy.bitwise_or, "xor": numpy.bitwise_xor,
    "bitwise_not": numpy.invert, "lshift": numpy.left_shift,
    "rshift": numpy.right_shift, "eq": numpy.equal, "ne": numpy.not_equal,
    "lt": numpy.less, "le": numpy.less_equal, "gt": numpy.greater,
    "ge": numpy.greater_equal,
} | {name: lambda x: x for name in "abs floor ceil trunc round relu".split()}


def apply_unsigned(op, dtype, args):
    """A call that PyTorch lacks for unsigned integers: of others, which they
    are made first, or NumPy's."""
    args = [a if not isinstance(a, torch.Tensor) or (op == "where" and k == 0)
            else a.to(dtype) for k, a in enumerate(args)]
    if dtype not in UNSIGNED:
        return FUNCTIONS[op](*args)
    arrays = [a.numpy() if isinstance(a, torch.Tensor) else a for a in args]
    with numpy.errstate(all="ignore"):
        return torch.as_tensor(numpy.asarray(WRAPPING[op](*arrays)))


def apply(op, dtype, args):
    """One call. `args` are tensors and Python numbers; `dtype` is what it
    computes in."""
    if op in ("add", "sub") and len(args) == 3:
        return combine(op, dtype, [a if isinstance(a, torch.Tensor)
                                   else literal_tensor(a, dtype) for a in args])
    by_number = {"pow": 1, "clamp": 1, "elu": 1, "leaky_relu": 1}.get(op, 3)
    args = [a if isinstance(a, torch.Tensor) or k >= by_number
            else literal_tensor(a, dtype) for k, a in enumerate(args)]
    for number in args[by_number:]:
        if not isinstance(number, torch.Tensor):
            literal_tensor(number, dtype)
    if op in WHOLE + SHIFTS:
        check_divisor(op, args[1], dtype)
    if dtype not in UNSIGNED:
        check_extremum(op, args)
    try:
        return FUNCTIONS[op](*args)
    except RuntimeError as error:
        if "not implemented for 'UInt" in str(error):
            return apply_unsigned(op, dtype, args)
        raise Reject(f"{op}: {error}") from error


def evaluate(node, known):
    """The value of a tree; `known` keeps what was computed."""
    if node.literal is not None:
        return node.literal
    if node in known:
        return known[node]
    if node.operand:
        result = node.operand.view()
    else:
        args = [evaluate(arg, known) for arg in node.args]
        if node.op in rows.NAMES:
            result = rows.apply(node.op, node.axes, args)
        elif node.axes:
            result = reductions.apply(node.op, args[0], *node.axes)
        elif node.op in CASTS:
            result = cast(args[0], node.computed)
        else:
            result = apply(node.op, node.computed, args)
    expected = torch.bool if node.op in COMPARISONS else node.kind.dtype
    assert result.dtype == expected, (node.text, result.dtype, expected)
    known[node] = result
    return result
