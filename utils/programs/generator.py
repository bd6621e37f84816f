# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random trees. Types are known while a tree grows, so that nearly all of them
mean something."""
import torch

from . import reductions, rows, tree
from .operands import Operand, common_shape, operand_shape
from .types import (BITS, CASTS, COMPARISONS, DTYPES, EXTREMA, LOGICAL,
                    PARAMETERS, SHIFTS, WHOLE, Reject, is_exact)

UNARY = """neg abs sign floor ceil trunc round square sqrt
    reciprocal relu rsqrt exp expm1 log log1p log10 sin cos tan asin acos atan
    sinh cosh tanh asinh acosh atanh erf sigmoid silu gelu hardswish hardsigmoid
    softplus mish selu elu leaky_relu bitwise_not logical_not""".split()
BINARY = ("add sub mul div pow".split() * 3 + ["atan2", "logaddexp"] + EXTREMA
          + COMPARISONS + BITS + SHIFTS + WHOLE + LOGICAL[:3])
FLOATS = [0.5, 2.0, 0.1, -1.5, 3.0, 0.25, 1e-3, -0.75, 10.0, 1.702, 0.044715]
STYLES = ["plain", "plain", "unit", "positive", "special"]


class Generator:
    """Grows the outputs of one program."""

    def __init__(self, rng, config, exact):
        self.rng, self.config, self.exact = rng, config, exact
        self.limit = config.limit
        self.common = common_shape(rng, self.limit)
        self.most = rng.randint(1, 4)
        self.operands = []
        self.grown = []
        count = rng.choices([1, 2, 3, len(config.types)], [4, 4, 2, 1])[0]
        self.palette = rng.sample(config.types, min(count, len(config.types)))

    def outputs(self):
        count = 1
        if "lists" in self.config.features and self.rng.random() < 0.15:
            count = self.rng.randint(2, 3)
        total = self.rng.randint(1, 9)
        outputs = [self.grow(max(1, total // count)) for _ in range(count)]
        for output in outputs:
            output.shape()
        return outputs

    def new_operand(self, dtype=None, style=None, shape=None):
        rng = self.rng
        dtype = dtype or rng.choice(self.palette)
        style = style or rng.choice(STYLES)
        operand = Operand(rng, len(self.operands), dtype,
                          operand_shape(rng, self.common)
                          if shape is None else list(shape), self.limit, style)
        self.operands.append(operand)
        return tree.from_operand(operand)

    def leaf(self):
        full = len(self.operands) == self.most
        if self.operands and (full or self.rng.random() < 0.35):
            return tree.from_operand(self.rng.choice(self.operands))
        return self.new_operand()

    def literal(self, floating=None):
        rng = self.rng
        chance = rng.random()
        if floating is None:
            known = [o for o in self.operands if o.shape]
            if chance < 0.12 and known and self.config.has("sizes"):
                return self.size(rng.choice(known))
            if chance < 0.16 and self.config.has("bools"):
                return tree.from_literal(rng.random() < 0.5)
            floating = rng.random() < 0.5
        if floating:
            return tree.from_literal(rng.choice(FLOATS))
        large = [2**63, 2**64 - 1] if DTYPES.get("u64") in self.palette else []
        return tree.from_literal(rng.choice([1, 2, 3, 5, 7, 10, -1, -2, 0]
                                            + large))

    def size(self, operand):
        rank = len(operand.shape)
        value = tree.size(operand, self.rng.randrange(-1, rank))
        if self.rng.random() < 0.5:
            other = tree.from_literal(self.rng.choice([1, 2, 3, 0.5]))
            op = self.rng.choice(list(tree.SCALAR_OPERATORS))
            pair = self.rng.sample([value, other], 2)
            value = tree.scalar_call(op, *pair)
            if isinstance(value.literal, float) and self.rng.random() < 0.5:
                value = tree.scalar_int(value)
        return value

    def grow(self, budget):
        """A tree of about `budget` calls."""
        rng = self.rng
        if budget <= 0:
            return self.leaf()
        if self.grown and rng.random() < 0.05:
            return rng.choice(self.grown)
        chance = rng.random()
        share = 0.5 if self.config.reducing else 0.3
        if self.config.has("reductions") and rng.random() < share:
            node = self.reduction(self.grow(budget - 1))
        elif chance < 0.4:
            node = self.unary(self.grow(budget - 1))
        elif chance < 0.5:
            node = self.ternary(budget - 1)
        else:
            node = self.binary(budget - 1)
        self.grown.append(node)
        return node

    def fits(self, node):
        return (node and node.kind.dtype in self.config.types
                and node.computed in self.config.types
                and (not self.exact
                     or is_exact(node.op, node.computed, node.args)))

    def first_that_fits(self, calls):
        """Of lazily made calls, the first PyTorch has and the class allows."""
        for make in calls:
            node = make()
            if self.fits(node):
                return node
        raise Reject("nothing fits")

    def reduction(self, arg):
        rng = self.rng
        if not arg.kind.dims:
            raise Reject("a reduction of a number")
        names = reductions.NAMES + rows.NAMES
        for name in rng.sample(names, len(names)):
            if name not in rows.NAMES:
                node = tree.reduction(rng, name, arg)
            elif self.exact or not arg.kind.dtype.is_floating_point:
                continue
            else:
                node = self.row(name, arg)
            if (node and node.kind.dtype in self.config.types
                    and (not self.exact
                         or reductions.is_exact(name, node.computed))):
                return node
        raise Reject("nothing fits")

    def row(self, name, arg):
        dtype, args = arg.kind.dtype, [arg]
        if name in rows.PAIRS:
            known = [node for node in self.grown if node.kind.dtype == dtype]
            args.append(self.rng.choice(known) if known
                        and self.rng.random() < 0.5
                        else self.new_operand(dtype))
        if name in rows.CLASS_LOSSES:
            shape = arg.shape()
            if len(shape) < 2 or 0 in shape:
                return None
            args.append(tree.classes(self.new_operand(dtype, shape=shape)))
        return tree.row(self.rng, name, args,
                        lambda shape: self.new_operand(dtype, shape=shape))

    def unary(self, arg):
        rng = self.rng
        if self.config.has("casts") and rng.random() < 0.3:
            names = [name for name, dtype in CASTS.items()
                     if dtype in self.config.types]
            return tree.cast(rng.choice(names), arg)
        return self.first_that_fits(
            lambda op=op: tree.call(op, [arg, *self.parameters(op)])
            for op in rng.sample(UNARY, len(UNARY)))

    def parameters(self, op):
        return [self.literal(floating=True)] if op in PARAMETERS else []

    def binary(self, budget):
        rng = self.rng
        share = rng.randint(0, budget)
        left = self.grow(share)
        if budget == share and rng.random() < 0.35:
            right = self.literal()
        else:
            right = self.grow(budget - share)
        if rng.random() < 0.25 and not left.kind.literal:
            left, right = right, left
        ops = rng.sample(BINARY, len(BINARY))
        return self.first_that_fits(
            lambda op=op: self.pair(op, left, right) for op in ops)

    def pair(self, op, left, right):
        node = tree.call(op, [left, right])
        if not self.fits(node) or node.computed.is_floating_point:
            if op == "pow" and not left.kind.literal and self.exact:
                return tree.call(op, [left, tree.from_literal(
                    self.rng.choice([2, 3, 0.5, 1, 2.0]))])
            return node
        style = {"lshift": "shift", "rshift": "shift", "pow": "exponent"}
        if op in WHOLE or op in style:
            right = self.whole(op, node.computed, style.get(op, "divisor"))
            if left.kind.literal and right.kind.literal:
                raise Reject("literals alone")
            return tree.call(op, [left, right])
        return node

    def whole(self, op, dtype, style):
        """The second argument of an operator that not all integers suit."""
        rng = self.rng
        if len(self.operands) < self.most and rng.random() < 0.6:
            return self.new_operand(dtype, style)
        width = 8 * torch.empty(0, dtype=dtype).element_size()
        choices = {"shift": [0, 1, 3, width - 1], "exponent": [0, 1, 2, 3, 4],
                   "divisor": [2, 3, 7, 10]}[style]
        if style == "divisor" and dtype.is_signed:
            choices += [-2, -3]
        return tree.from_literal(rng.choice(choices))

    def choice(self, budget):
        """One of two values, by a bool."""
        condition = self.grow(budget // 3)
        if condition.kind.dtype != torch.bool:
            condition = tree.call(self.rng.choice(COMPARISONS),
                                  [condition, tree.from_literal(0)])
        values = [self.grow(budget // 3), self.literal()
                  if self.rng.random() < 0.2 else self.grow(budget // 3)]
        self.rng.shuffle(values)
        return self.first_that_fits(
            [lambda: tree.call("where", [condition, *values])])

    def ternary(self, budget):
        rng = self.rng
        if torch.bool in self.config.types and rng.random() < 0.5:
            return self.choice(budget)
        first = self.grow(budget // 2)
        if rng.random() < 0.4:
            dtype = first.kind.dtype
            low, high = sorted(self.literal(
                floating=dtype.is_floating_point and rng.random() < 0.7).literal
                for _ in range(2))
            return self.first_that_fits([lambda: tree.call(
                "clamp", [first, tree.from_literal(low),
                          tree.from_literal(high)])])
        second = self.grow(budget - budget // 2)
        floating = (first.kind.dtype.is_floating_point
                    or second.kind.dtype.is_floating_point)
        factor = tree.from_literal(
            rng.choice(FLOATS if floating else [1, 2, 3, 5]))
        node = tree.call("add", [first, second])
        if node is None or node.computed == torch.bool:
            raise Reject("bools have no factor")
        return self.first_that_fits(
            lambda op=op: tree.call(op, [first, second, factor])
            for op in rng.sample(["add", "sub"], 2))
