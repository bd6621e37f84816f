# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trees in f64, with a bound on how far any correct result may be off.

A value is v with an error of e at most. A call's error is how far its function
spreads over its arguments and their errors, twice, and what rounding to its
type and the function's own error add. Results in f16 and bf16 may be rounded
after every operator, as PyTorch does, or once at the end. Where an error does
not bound the result (it may fall on either side of a step, overflow, or divide
by zero or not) the element is skipped. Integers are exact or skipped."""
import itertools

import torch

from . import exact, reductions, rows
from .reference import GUARDS, REFERENCES, STEPS
from .types import (CASTS, COMPARISONS, CORRECT, FORMATS, LOGICAL, NARROW,
                    Reject, documented_ulps, is_known)

ULPS = documented_ulps()
SLACK = 1.01


class Value:
    """`v` is f64 where `dtype` is a float, else of that type itself."""

    def __init__(self, dtype, v, e=None, skip=None):
        self.dtype, self.v = dtype, v
        self.e = torch.zeros_like(v, dtype=torch.float64) if e is None else e
        self.skip = (torch.zeros_like(v, dtype=torch.bool) if skip is None
                     else skip)


def round_to(v, dtype):
    """Rounded once to `dtype`; but f16 and bf16 are f32 within a kernel."""
    return v if dtype == torch.float64 else v.float().double()


def power_of_two(exponent):
    """2^exponent from -1074 on, in f64; torch.ldexp knows the range of f32."""
    half = exponent.div(2, rounding_mode="floor")
    factors = [(part + 1023 << 52).view(torch.float64)
               for part in (half, exponent - half)]
    return factors[0] * factors[1]


def unit(v, dtype):
    """A unit in the last place of a `dtype` of this size."""
    digits, least = FORMATS[dtype]
    exponent = torch.frexp(v.clamp(max=1e308))[1] - 1
    exponent = torch.where(v > 0, exponent, least).clamp(min=least)
    return power_of_two(exponent.long() - digits + 1)


def rounding(v, dtype):
    """The error of rounding v to f16 or bf16, where that may happen."""
    if dtype not in NARROW:
        return torch.zeros_like(v)
    exactly = (v.float().to(dtype).double() == v) | ~v.isfinite()
    return torch.where(exactly, 0.0, 0.5 * SLACK * unit(v.abs(), dtype))


def in_range(value):
    """What passes the range of its type becomes infinite, or is skipped where
    it may not, or where f16 would be and f32 is not."""
    dtype, v, e = value.dtype, value.v, value.e
    most = torch.finfo(dtype).max
    over = v.isfinite() & (v.abs() + e > most)
    sure = v.isfinite() & (v.abs() - e > most * (1 + 1e-6))
    if dtype in NARROW:
        sure = torch.zeros_like(sure)
    # The references lose digits among subnormal f64.
    lost = (v != 0) & (v.abs() < 1e-300) if dtype == torch.float64 else False
    v = torch.where(sure, torch.copysign(torch.full_like(v, float("inf")), v),
                    v)
    e = torch.where(v.isfinite(), e, 0.0)
    return Value(dtype, v, e, value.skip | (over & ~sure) | lost)


def convert(value, dtype):
    """A value, or a literal, where it meets a call that computes in `dtype`."""
    if not isinstance(value, Value):
        v = round_to(torch.tensor(float(value), dtype=torch.float64), dtype)
        return in_range(Value(dtype, v, rounding(v, dtype)))
    if value.dtype == dtype:
        return value
    v, e = value.v.double(), value.e
    # Wide integers pass f32 by way of f64 only where f64 holds them.
    if value.dtype == torch.int64 and dtype != torch.float64:
        v = value.v.float().double()
    if dtype != torch.float64:
        exactly = e == 0
        error = e + 0.5 * SLACK * unit(v.abs() + e, torch.float32)
        e = torch.where(exactly | ~v.isfinite(), 0.0, error)
        v = torch.where(exactly, round_to(v, dtype), v)
        e = e + rounding(v, dtype)
    return in_range(Value(dtype, v, e, value.skip))


def corners(function, args):
    """The function's value and how far it spreads; NaN where it may be no
    number, or infinite, and may not."""
    center = function(*(arg.v for arg in args))
    if not any(arg.e.any() for arg in args):
        return center, torch.zeros_like(center)
    offsets = [(-1, 0, 1) if arg.e.any() else (0,) for arg in args]
    spread = torch.zeros_like(center)
    for corner in itertools.product(*offsets):
        value = function(*(arg.v + k * arg.e for arg, k in zip(args, corner)))
        same = (value == center) | (value.isnan() & center.isnan())
        distance = torch.where(same, 0.0, (value - center).abs())
        spread = torch.maximum(spread, distance)
    return center, torch.where(spread.isinf(), float("nan"), 2 * spread)


def own_error(op, dtype, center, spread):
    """What a call adds to the spread over its arguments."""
    size = center.abs() + spread
    precise = torch.float64 if dtype == torch.float64 else torch.float32
    ulp = ULPS[op][precise == torch.float64]
    if op not in CORRECT:
        # PyTorch's own functions, and the f64 that these values are.
        ulp = max(ulp, 2) + 2 * (precise == torch.float64)
    own = SLACK * ulp * unit(size, precise)
    certain = spread == 0
    if op in CORRECT:
        own = torch.where(certain, 0.0, own)
    elif op == "floor_divide":
        own = torch.where(certain & (center.abs() < 2**20), 0.0, own)
    if dtype in NARROW:
        half = 0.5 * SLACK * unit(size, dtype)
        exactly = certain & (own == 0)
        own = torch.where(exactly, rounding(center, dtype), own + half)
    return own


def call_float(op, dtype, args):
    args = [convert(arg, dtype) for arg in args]
    skip = torch.zeros((), dtype=torch.bool)
    for arg in args:
        skip = skip | arg.skip
    if op in GUARDS:
        skip = skip | GUARDS[op](*args)
    center, spread = corners(REFERENCES[op], args)
    if op in CORRECT:
        center = torch.where(spread == 0, round_to(center, dtype), center)
    elif op == "logaddexp":
        spread = spread + 2.0**-50 * torch.maximum(args[0].v.abs(),
                                                   args[1].v.abs())
    elif op == "gelu":
        # What erfc makes of the rounding of its argument.
        spread = spread + 2.0**-52 * center.abs() * (args[0].v**2 + 4)
    skip = skip | spread.isnan()
    if op in STEPS:
        skip = skip | (spread != 0)
    spread = torch.where(center.isfinite() & ~skip, spread, 0.0)
    e = spread + own_error(op, dtype, center, spread)
    return in_range(Value(dtype, center, torch.where(center.isfinite(), e, 0.0),
                          skip | torch.zeros_like(center, dtype=torch.bool)))


def compare(op, dtype, a, b):
    a, b = convert(a, dtype), convert(b, dtype)
    error = (a.e + b.e) * SLACK
    unsure = (error > 0) & ((a.v - b.v).abs() <= error)
    return Value(torch.bool, REFERENCES[op](a.v, b.v), None,
                 a.skip | b.skip | unsure)


def call_whole(op, dtype, args):
    skip = torch.zeros((), dtype=torch.bool)
    for arg in args:
        if isinstance(arg, Value):
            skip = skip | arg.skip
    values = [arg.v if isinstance(arg, Value) else arg for arg in args]
    divisor = args[-1]
    if (op in exact.WHOLE + exact.SHIFTS and isinstance(divisor, Value)
            and divisor.skip.any()):
        raise Reject("a divisor that is not certain")
    result = exact.apply(op, dtype, values)
    return Value(result.dtype, result, None,
                 skip | torch.zeros_like(result, dtype=torch.bool))


def cast(value, dtype):
    if dtype.is_floating_point:
        return convert(value, dtype)
    if not value.dtype.is_floating_point:
        return Value(dtype, value.v.to(dtype), None, value.skip)
    if dtype == torch.bool:
        unsure = (value.e > 0) & (value.v.abs() <= value.e)
        return Value(dtype, value.v != 0, None, value.skip | unsure)
    low, high = (value.v - value.e).trunc(), (value.v + value.e).trunc()
    sure = (low == high) & (value.v.abs() < 2.0**31)
    whole = torch.where(sure, value.v, 1.0).to(torch.int64)
    return Value(dtype, whole.to(dtype), None, value.skip | ~sure)


def choose(dtype, condition, args):
    """Of the two, the one that is not chosen does not matter."""
    x, y = (convert(arg, dtype) for arg in args)
    c = condition.v
    return Value(dtype, *(torch.where(c, a, b) for a, b in
                          ((x.v, y.v), (x.e, y.e))),
                 condition.skip | torch.where(c, x.skip, y.skip))


def reduce_exactly(name, value, axes, keep):
    """What is one of the elements, or asks for their truth: certain where
    errors change none of it."""
    result = reductions.apply(name, value.v, axes, keep)
    skip = reductions.apply("any", value.skip, axes, keep)
    if not value.dtype.is_floating_point:
        return Value(result.dtype, result, None, skip)
    if name in ("amax", "amin"):
        error = value.e.amax(dim=axes, keepdim=keep)
        return Value(value.dtype, result, error, skip)
    unsure = value.e > 0
    if name in ("any", "all"):
        unsure = unsure & (value.v.abs() <= value.e)
    unsure = reductions.apply("any", unsure, axes, keep)
    return Value(result.dtype, result, None, skip | unsure)


def reduce(node, value):
    name, (axes, keep) = node.op, node.axes
    if reductions.is_exact(name, value.dtype):
        return reduce_exactly(name, value, axes, keep)
    center, spread, skip = reductions.bounds(name, value, axes, keep,
                                             value.dtype)
    return rounded(name, value.dtype, center, spread, skip,
                   center.abs() + spread)


def row(node, args):
    """A formula over axes; a weight and bias meet what it is without."""
    name, settings, dtype = node.op, node.axes, node.kind.dtype
    tensors, weight, bias = rows.parted(settings, args)
    if name in rows.CLASS_LOSSES:
        return rounded(name, dtype, *rows.class_bounds(name, settings,
                                                       *tensors, weight))
    center, spread, skip = rows.bounds(name, settings, tensors)
    size = center.abs() + spread
    if weight or bias:
        # What is subnormal between is rounded as such.
        parts = [Value(dtype, center, spread + 2.0**-149)]
        for part, missing in (weight, 1.0), (bias, 0.0):
            part = part or convert(missing, dtype)
            if settings.groups:  # one a channel
                axes = [-1] + [1] * (center.dim() - 2)
                part = Value(dtype, *(t.reshape(axes) for t in
                                      (part.v, part.e, part.skip)))
            parts.append(part)
            skip = skip | part.skip
        center, spread = corners(lambda n, w, b: n * w + b, parts)
        terms = parts[0].v * parts[1].v, parts[2].v, center
        size = torch.stack(torch.broadcast_tensors(*terms)).abs().amax(0)
        size = size + spread
        skip = skip | spread.isnan()
    return rounded(name, dtype, center, spread, skip, size)


def rounded(name, dtype, center, spread, skip, size):
    """What a function over axes adds, by the size of its terms; in the middle
    of a kernel its results are rounded, too."""
    precise = torch.float64 if dtype == torch.float64 else torch.float32
    wide = dtype == torch.float64
    # The reference is an f64, too.
    own = SLACK * (ULPS[name][wide] + 2 * wide) * unit(size, precise)
    if dtype in NARROW:
        own = own + 0.5 * SLACK * unit(size, dtype)
    e = torch.where(center.isfinite(), spread + own, 0.0)
    return in_range(Value(dtype, center, e, skip))


def call(node, args):
    op, dtype = node.op, node.computed
    if op in rows.NAMES:
        return row(node, args)
    if node.axes:
        return reduce(node, args[0])
    if op in CASTS:
        return cast(args[0], dtype)
    if op in LOGICAL:
        args = [cast(arg, torch.bool) if isinstance(arg, Value) else arg
                for arg in args]
    if op == "where" and dtype.is_floating_point:
        return choose(dtype, args[0], args[1:])
    if op in ("add", "sub") and len(args) == 3 and dtype.is_floating_point:
        product = call_float("mul", dtype, args[1:])
        return call_float(op, dtype, [args[0], product])
    if not dtype.is_floating_point:
        return call_whole(op, dtype, args)
    if op in COMPARISONS:
        return compare(op, dtype, *args)
    if (op == "pow" and not isinstance(args[1], Value)
            and is_known(node.args[1])):
        exponent = args[1]
        return power_by_literal(dtype, args[0], exponent)
    return call_float(op, dtype, args)


def power_by_literal(dtype, base, exponent):
    """Some exponents have their own meaning at -0 and -inf, so the reference
    must see the literal."""
    base = convert(base, dtype)
    if exponent in (2, 3):
        square = call_float("mul", dtype, [base, base])
        return square if exponent == 2 else call_float("mul", dtype,
                                                       [square, base])
    if exponent == -2:
        return call_float("reciprocal", dtype,
                          [call_float("mul", dtype, [base, base])])
    same = {1: "leaky_relu", 0.5: "sqrt", -0.5: "rsqrt", -1: "reciprocal"}
    if exponent in same:
        args = [base, 1.0] if exponent == 1 else [base]
        return call_float(same[exponent], dtype, args)
    return call_float("pow", dtype, [base, exponent])


def evaluate(node, known):
    """The `Value` of a tree; a literal is itself."""
    if node.literal is not None:
        return node.literal
    if node not in known:
        if node.operand:
            view = node.operand.view()
            wide = view.dtype.is_floating_point
            known[node] = Value(view.dtype, view.double() if wide else view)
        else:
            known[node] = call(node, [evaluate(a, known) for a in node.args])
    return known[node]
