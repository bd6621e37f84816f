# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random operands: shapes, the way they lie in memory, and values."""
import math

import torch

from .types import NARROW, UNSIGNED, Kind

EXTENTS = [1, 2, 3, 5, 7, 8, 16, 17]


def common_shape(rng, limit):
    """What operands broadcast to: rank 0..6, at most `limit` elements."""
    rank = rng.choices(range(7), [2, 8, 8, 6, 4, 2, 2])[0]
    shape = [rng.choice(EXTENTS) for _ in range(rank)]
    while math.prod(shape) > limit:
        axis = rng.randrange(rank)
        shape[axis] = rng.choice([e for e in EXTENTS if e < shape[axis]] or [1])
    if rank and rng.random() < 0.04:
        shape[rng.randrange(rank)] = 0
    return shape


def operand_shape(rng, common):
    """A shape that broadcasts to `common`."""
    chance = rng.random()
    if chance < 0.5:
        return list(common)
    if chance < 0.6:
        return []
    shape = common[rng.randint(0, len(common)):]
    return [1 if rng.random() < 0.25 else extent for extent in shape]


def strides_of(rng, shape, limit):
    """Row-major, transposed, with gaps, repeated, or some of it together."""
    order, step = list(range(len(shape))), 1
    chance = rng.random()
    if chance > 0.55:
        rng.shuffle(order)
    strides = [0] * len(shape)
    for axis in reversed(order):
        if chance > 0.55 and rng.random() < 0.25:
            step *= 2
        strides[axis] = step
        step *= max(shape[axis], 1)
    if chance > 0.8:
        strides = [0 if rng.random() < 0.4 else s for s in strides]
    if 1 + reach(shape, strides) > 2 * limit:
        return list(torch.empty(shape).stride())
    return strides


def reach(shape, strides):
    return sum((e - 1) * s for e, s in zip(shape, strides) if e)


def special(rng, dtype):
    """Where float operators go wrong."""
    info = torch.finfo(dtype)
    return rng.choice([0.0, math.inf, math.nan, info.max, info.tiny,
                       info.tiny / 4, info.eps, 1 + info.eps, 0.5, 1.5, 2.5,
                       1e-3, 255.0, 256.0, 2.0**31, 2.0**63, 3e9, 65504.0]
                      ) * rng.choice([1, -1])


def float_value(rng, dtype, style):
    if style in ("divisor", "exponent", "shift"):
        return float(rng.choice([-3, -2, 0.5, 1, 2, 3, 5]))
    if style == "unit":
        return rng.uniform(-1, 1)
    if style == "positive":
        return abs(rng.gauss(0, 3)) + 0.01
    chance = rng.random()
    if style == "special" and chance < 0.3:
        return special(rng, dtype)
    if chance < 0.5:
        return float(rng.randint(-6, 6))
    scale = 10.0**rng.randint(-3, 3) if style == "special" else 2.0
    return rng.gauss(0, 1) * scale


def int_value(rng, dtype, style):
    info = torch.iinfo(dtype)
    if style == "divisor":
        return rng.choice([1, 2, 3, 5, 7, 10] + [-2, -3, -7] * (info.min < 0))
    if style == "exponent":
        return rng.choice([0, 1, 2, 3, 4, 5] + [-1, -2] * (info.min < 0))
    if style == "shift":
        return rng.randint(0, 7)
    if style == "special" and rng.random() < 0.4:
        return rng.choice([info.min, info.min + 1, info.max, info.max - 1,
                           rng.randint(info.min, info.max)])
    wide = 5 if style in ("unit", "positive") else 100
    return rng.randint(max(info.min, -wide), wide)


class Operand:
    """`@index`: a view into a buffer that starts at the view's first element.
    Its values are drawn when they are first asked for: until then its style
    may follow from where the expression uses it."""

    def __init__(self, rng, index, dtype, shape, limit, style):
        self.rng, self.index, self.dtype, self.style = rng, index, dtype, style
        self.shape = shape
        self.strides = strides_of(rng, shape, limit)
        self.kind = Kind(dtype, bool(shape))
        self.buffer = None

    def value(self):
        if self.dtype == torch.bool:
            return self.rng.randrange(2)
        draw = float_value if self.dtype.is_floating_point else int_value
        return draw(self.rng, self.dtype, self.style)

    def view(self):
        if self.buffer is None:
            empty = math.prod(self.shape) == 0
            size = 0 if empty else 1 + reach(self.shape, self.strides)
            wide = self.dtype.is_floating_point
            drawn = [self.value() for _ in range(size)]
            if self.dtype in UNSIGNED:  # the bits, as those of i64
                drawn = [v - (v >> 63 << 64) for v in drawn]
            values = torch.tensor(drawn,
                                  dtype=torch.float64 if wide else torch.int64)
            if self.dtype in NARROW:
                values = values.float()
            self.buffer = values.to(self.dtype)
        return self.buffer.as_strided(self.shape, self.strides)
