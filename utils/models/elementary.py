# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operator that PNNX writes in strings, in formulas that are in use."""
import torch

from .case import case, normal, steps, uniform, whole


@case("readme", lambda: [uniform(0, 4, 3, 7, 11), uniform(0, 4, 3, 7, 11)],
      units=1.5, raw=True)
def readme(x, y):
    return torch.sqrt((2 * x + y) / 12)


@case("rotary", lambda: [normal(2, 3, 5, 8), normal(2, 3, 5, 8),
                         uniform(0, 100, 5, 8)], units=2, floor=1.0)
def rotary(even, odd, angle):
    cosine, sine = torch.cos(angle), torch.sin(angle)
    return even * cosine - odd * sine, odd * cosine + even * sine


@case("spherical", lambda: [normal(7, 31), normal(7, 31), normal(7, 31)],
      units=[1.5, 3, 0.6, 4], floor=[0, 1.0, 0, 0.5])
def spherical(x, y, z):
    """With a margin, for near a pole no angle is exact."""
    radius = torch.sqrt(x * x + y * y + z * z)
    polar = torch.acos(0.9 * z / radius)
    elevation = torch.asin(0.9 * z / radius)
    return radius, polar, torch.atan2(y, x), torch.tan(elevation * 0.5)


@case("slopes", lambda: [uniform(-3, 3, 217), uniform(0.1, 3, 217)],
      units=[1.5, 1], floor=[0, 2.0])
def slopes(x, y):
    return torch.atan(x / y), torch.atan(x) - torch.atan(y)


@case("hyperbolic", lambda: [uniform(-3, 3, 5, 41), uniform(1.05, 9, 5, 41)],
      units=[1, 0.6, 0.6, 4, 2], floor=[8.0, 0, 0, 0, 0])
def hyperbolic(x, y):
    squash = torch.tanh(x)
    return (torch.cosh(x) - torch.sinh(x), torch.asinh(x), torch.acosh(y),
            torch.atanh(squash * 0.9), torch.sinh(x) / torch.cosh(x))


@case("log_mel", lambda: [uniform(0, 9, 1, 20, 13) ** 4,
                          uniform(1, 2, 1, 20, 1)],
      units=1, floor=1.0, raw=True)
def log_mel(power, peak):
    """Whisper's features."""
    spectrum = torch.log10(torch.clamp(power, min=1e-10))
    spectrum = torch.maximum(spectrum, peak - 8.0)
    return (spectrum + 4.0) / 4.0


@case("entropy", lambda: [uniform(0.01, 0.99, 3, 67), normal(3, 67, scale=2)],
      units=[1.5, 0.6, 0.6, 2, 1], floor=[0.5, 0, 0, 0.25, 0])
def entropy(p, logits):
    binary = -(p * torch.log(p) + (1 - p) * torch.log1p(-p))
    return (binary, torch.logaddexp(logits, p), torch.expm1(logits),
            torch.exp(-logits * logits / 2), torch.erf(logits))


@case("quantize", lambda: [normal(4, 9, 11, scale=3)], units=0)
def quantize(x):
    """Steps of a power of two, so that no rounding is in doubt."""
    level = torch.clamp(torch.round(x / 0.125), -16, 15)
    return (level * 0.125, torch.floor(x * 4), torch.ceil(x * 4),
            torch.trunc(x * 4), torch.sign(x) * torch.square(level),
            torch.abs(x) - x)


@case("periods", lambda: [steps(6, 37, scale=4),
                          steps(6, 37).abs() + 0.375], units=[0, 0, 0, 0.5, 0])
def periods(x, y):
    return (torch.fmod(x, y), torch.remainder(x, y),
            torch.floor_divide(x, y), torch.remainder(x, 0.75),
            torch.minimum(torch.maximum(x, -y), y))


@case("powers", lambda: [uniform(0.05, 4, 3, 71), normal(3, 71)],
      units=[0.6, 0.6, 2.5, 2, 1.5])
def powers(x, y):
    return (torch.pow(x, y), 2 ** y, x ** 2.5 * torch.rsqrt(x + 1e-6),
            torch.reciprocal(x) + 1.0 / (x * x), x ** 3)


@case("bits", lambda: [whole(-1000, 1000, 5, 43), whole(0, 256, 5, 43),
                       whole(0, 8, 5, 43)])
def bits(x, y, count):
    return ((x & y) | (x ^ 255), ~x, (y << count) >> 2, x >> count,
            -x * 3 - abs(x), x // 7, x % 7)


@case("extrema", lambda: [steps(4, 53), steps(4, 53)], units=0)
def extrema(x, y):
    return torch.max(x, y) - torch.min(x, y), -torch.max(-x, y)
