# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expression trees whose values have types."""
import math

import torch

from . import reductions, rows
from .types import CASTS, COMPARISONS, Kind, Reject, computed_in, is_exact


class Node:
    """A call, an operand or a literal. `computed` is the type a call computes
    in; `literal` is the value of what Python knows before any tensor runs;
    `axes` are those of a reduction, and whether they stay, or the settings of
    one of rows.NAMES."""

    def __init__(self, text, kind, op=None, args=(), computed=None,
                 literal=None, operand=None, axes=None):
        self.text, self.kind, self.op, self.args = text, kind, op, args
        self.computed, self.literal, self.operand = computed, literal, operand
        self.axes = axes

    def walk(self):
        yield self
        for arg in self.args:
            yield from arg.walk()

    def is_exact(self):
        kinds = [n.kind.dtype for n in self.walk()]
        return (torch.float16 not in kinds and torch.bfloat16 not in kinds
                and all(reductions.is_exact(n.op, n.computed) if n.axes
                        else is_exact(n.op, n.computed, n.args)
                        for n in self.walk() if n.op and n.op not in CASTS))

    def shape(self):
        """Reject where shapes do not broadcast."""
        if self.operand:
            return tuple(self.operand.shape)
        shapes = [arg.shape() for arg in self.args]
        if self.op in rows.NAMES:
            return rows.shape_after(self.op, shapes, self.axes)
        if self.axes:
            return reductions.shape_after(self.op, shapes[0], *self.axes)
        try:
            return tuple(torch.broadcast_shapes(*shapes)) if shapes else ()
        except RuntimeError as error:
            raise Reject("shapes do not broadcast") from error

    def operands(self):
        return {n.operand for n in self.walk() if n.operand}


def from_operand(operand):
    return Node(f"@{operand.index}", operand.kind, operand=operand)


def from_literal(value, text=None):
    return Node(text or spelling(value), Kind(type(value)), literal=value)


def spelling(value):
    return repr(value)


def size(operand, axis):
    extent = operand.shape[axis]
    return from_literal(extent, f"size(@{operand.index},{axis})")


def call(op, args):
    """A call of tensors and literals, at least one a tensor; None where
    PyTorch refuses the types."""
    kinds = tuple(arg.kind for arg in args)
    # From 2^63 on a literal is a u64, which does not promote with bools.
    bools = torch.bool in [kind.dtype for kind in kinds[op == "where":]]
    if bools and any(isinstance(arg.literal, int) and arg.literal >= 2**63
                     for arg in args):
        return None
    # The third argument of add and sub scales the second.
    computed = computed_in(op, kinds[:2] if op in ("add", "sub") else kinds)
    if computed is None:
        return None
    result = torch.bool if op in COMPARISONS else computed
    text = f"{op}({','.join(arg.text for arg in args)})"
    dims = any(kind.dims for kind in kinds)
    return Node(text, Kind(result, dims), op, tuple(args), computed)


def reduction(rng, name, arg):
    """None where PyTorch has no such call."""
    shape = arg.shape()
    dtype = reductions.result_type(name, arg.kind.dtype)
    if dtype is None:
        return None
    axes, keep, text = reductions.settings(rng, name, len(shape))
    dims = bool(reductions.shape_after(name, shape, axes, keep))
    return Node(f"{name}({arg.text}{text})", Kind(dtype, dims), name, (arg,),
                arg.kind.dtype, axes=(axes, keep))


def classes(arg):
    """One along the second axis for each row."""
    kind = Kind(torch.int64, True)
    return Node(f"argmax({arg.text},1)", kind, "argmax", (arg,),
                arg.kind.dtype, axes=([1], False))


def row(rng, name, args, operand):
    """The same for a formula over axes of tensors of one type; `operand` makes
    one more of a shape."""
    shape, dtype = args[0].shape(), args[0].kind.dtype
    try:
        if name in rows.PAIRS:
            shape = torch.broadcast_shapes(*(arg.shape() for arg in args))
    except RuntimeError as error:
        raise Reject("shapes do not broadcast") from error
    drawn = rows.draw(rng, name, shape, dtype, operand)
    if drawn is None:
        return None
    settings, weights, text = drawn
    texts = ",".join(arg.text for arg in args)
    node = Node(f"{name}({texts}{text})", Kind(dtype), name,
                (*args, *weights), dtype, axes=settings)
    node.kind = Kind(dtype, bool(node.shape()))
    return node


def cast(name, arg):
    dtype = CASTS[name]
    return Node(f"{name}({arg.text})", Kind(dtype, arg.kind.dims), name,
                (arg,), dtype)


SCALAR_OPERATORS = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b, "div": lambda a, b: a / b,
    "floor_divide": lambda a, b: a // b,
}


def scalar_call(op, a, b):
    """Literals among themselves follow Python."""
    try:
        value = SCALAR_OPERATORS[op](a.literal, b.literal)
    except (ZeroDivisionError, OverflowError) as error:
        raise Reject("literals") from error
    if isinstance(value, float) and not math.isfinite(value):
        raise Reject("literals")
    return from_literal(value, f"{op}({a.text},{b.text})")


def scalar_int(a):
    return from_literal(int(a.literal), f"int({a.text})")
