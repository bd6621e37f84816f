# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types, truth values, and shapes known late."""
import torch
from torch.nn import functional as F

from .case import case, normal, steps, uniform, whole


@case("masks", lambda: [steps(5, 31), steps(5, 31)])
def masks(x, y):
    return (x == y, x != y, x < y, x <= y, x > y, x >= y, x > 0.5,
            torch.logical_and(x, y), torch.logical_or(x > 0, y > 0),
            torch.logical_xor(x > 0, y > 0), torch.logical_not(x), ~(x > y),
            (x > 0) & (y > 0) | (x < -1))


@case("choices", lambda: [steps(5, 31), steps(5, 31), normal(1, 31)],
      units=[1.5, 0.5, 0, 0, 0, 0, 0, 0, 0, 0, 0])
def choices(x, y, z):
    """Floats chosen by bools, and bools as floats."""
    return (torch.where(x > y, x, y * 0.1), torch.where(x >= 0, z, x * z),
            (x > 0).float() * z, (x <= y).to(torch.float32) - 0.5,
            x.masked_fill(y > 1, -100.0), z.masked_fill(z < 0, float("-inf")),
            torch.where(x > 0, 1.0, 0.0), torch.where(x == 0, y, 2.5),
            torch.where(x != 0, 2.5, y), torch.clamp(x, min=-y.abs(), max=z),
            (x > y) * z)


@case("casts", lambda: [uniform(-100, 100, 3, 37), whole(-90, 90, 3, 37)],
      units=0, exact=False)
def casts(x, n):
    """Casts of f32 to f16 and bf16 are left out: pnnx drops them."""
    return (x.int(), x.to(torch.int64) + n, n.float() * 0.5, x.bool(),
            x.double() * n, x.short(), x.to(torch.uint8), n.to(torch.int8),
            n.type_as(x) / 4, x.long() // 3)


@case("passed_through", lambda: [normal(3, 41)],
      units=[0.5, 0, 0.5, 0, 0, 0])
def passed_through(x):
    """Inputs among the outputs, one value twice, and copies."""
    y = x + 1
    return y, x, y, x.clone() * 2, torch.positive(x), x.contiguous().detach()


@case("output_list", lambda: [normal(3, 41)], units=0.5)
def output_list(x):
    return [x + 1, x * 0.25 - 1]


@case("integers", lambda: [whole(-90, 90, 4, 33, dtype=torch.int32),
                           whole(1, 90, 4, 33, dtype=torch.int32),
                           whole(0, 200, 4, 33, dtype=torch.uint8),
                           whole(-90, 90, 1, 33, dtype=torch.int16)],
      units=0.5)
def integers(x, y, pixel, small):
    return (x * 3 + y, x // y, x % y, x / y, pixel * 2, small - pixel,
            torch.clamp(x, 0, 50), torch.bitwise_or(x, 5),
            torch.bitwise_left_shift(y, 2), torch.bitwise_xor(x, y))


@case("image_bytes", lambda: [whole(0, 256, 1, 3, 11, 13, dtype=torch.uint8)],
      units=1, floor=2.0)
def image_bytes(pixels):
    return (pixels / 255.0 - 0.485) / 0.229


@case("half", lambda: [normal(2, 7, 24, dtype=torch.float16),
                       normal(1, 1, 24, dtype=torch.float16)],
      units=0.51, floor=0.01)
def half(x, y):
    return x * y + 1, (x - y) / 3, x * 0.1 + y


@case("bfloat", lambda: [normal(2, 7, 24, dtype=torch.bfloat16),
                         normal(1, 1, 24, dtype=torch.bfloat16)],
      units=[0.51, 0.51, 1], floor=[0, 0, 2.0])
def bfloat(x, y):
    return x * torch.sigmoid(x), torch.exp(x) * y, F.silu(x) + y


@case("double", lambda: [normal(3, 67, dtype=torch.float64),
                         normal(3, 67, dtype=torch.float64)],
      units=1.5, floor=1.0)
def double(x, y):
    return torch.exp(x) * torch.tanh(y), F.gelu(x) + 0.25, F.silu(x * y)


@case("dynamic", lambda: [normal(2, 5, 6, 8), normal(2, 5, 1, 1)],
      other=lambda: [normal(3, 5, 4, 12), normal(3, 5, 1, 1)],
      units=[2, 1], floor=[0, 1.0], raw=True)
def dynamic(x, gate):
    count = x.size(2) * x.size(3)
    scaled = x * torch.sigmoid(gate) / count
    return scaled, scaled + x.size(3) * 0.5


@case("grid", lambda: [uniform(0, 1, 2, 9, 17), normal(1, 4, 6, 10)],
      other=lambda: [uniform(0, 1, 3, 7, 11), normal(1, 4, 5, 21)],
      units=1, floor=4.0)
def grid(points, image):
    """Coordinates in the pixels of an image whose elements are not read."""
    return points * (image.size(3) - 1) + 0.5, points / image.shape[2] * 2 - 1


@case("broadcast", lambda: [normal(2, 3, 1, 5), normal(4, 1), normal(3, 1, 1),
                            normal(1, 7)], units=1, floor=4.0)
def broadcast(x, y, z, w):
    return (x + y) * z, y - w, x / 3 + z, w * y * w


@case("rank_five", lambda: [normal(2, 3, 2, 5, 3), normal(2, 5, 3),
                            normal(2, 1, 1, 5, 1)], units=[0, 0.5])
def rank_five(x, y, z):
    return torch.max(x, y), x - z


@case("used_twice", lambda: [normal(6, 41), normal(6, 41)],
      units=[2, 1, 1], floor=2.0)
def used_twice(x, y):
    shared = torch.exp(x * 0.5) + y
    return shared * torch.sigmoid(shared), shared - y, shared
