# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions and functions over axes: which there are, how they are written,
and what PyTorch computes for them."""
import numpy
import torch

from .types import UNSIGNED, Reject

EXACT = "any all argmax argmin amax amin".split()
SUMS = "sum prod cumsum cumprod".split()
FLOATING = "mean softmax log_softmax softmin logsumexp".split()
NAMES = EXACT + SUMS + FLOATING
SCANS = "cumsum cumprod".split()
ROWS = "softmax log_softmax softmin".split() + SCANS


def result_type(name, dtype):
    """The type of a result; None where there is no such call."""
    floating = dtype.is_floating_point
    if name in ("any", "all"):
        return torch.uint8 if dtype == torch.uint8 else torch.bool
    if name in ("argmax", "argmin"):
        return None if dtype == torch.bool else torch.int64
    if name in FLOATING:
        return dtype if floating else None
    return torch.int64 if name in SUMS and not floating else dtype


def is_exact(name, dtype):
    return name in EXACT or not dtype.is_floating_point


def draw_axis(rng, rank):
    """One axis, and how it is written."""
    axis = rng.randrange(rank)
    return [axis], f"{axis - rank if rng.random() < 0.5 else axis}"


def draw_axes(rng, rank, keep, count=None):
    """The same of several, or of `count`, or all."""
    axes = sorted(rng.sample(range(rank), count or rng.randint(1, rank)))
    written = [axis - rank if rng.random() < 0.5 else axis for axis in axes]
    text = ",".join(map(str, written))
    # A result over all axes is 0-d; whether one over axes that are written out
    # is, depends on ranks.
    if (len(axes) == rank and not keep) or rng.random() < 0.2:
        axes, text = list(range(rank)), "None"
    elif len(axes) > 1 or (not count and rng.random() < 0.5):
        text = f"[{text}]"
    return axes, text


def settings(rng, name, rank):
    """Axes, whether they stay, and how both are written."""
    if name in ROWS:
        axes, text = draw_axis(rng, rank)
        return axes, True, f",{text}"
    keep = rng.random() < 0.5
    axes, text = draw_axes(rng, rank, keep,
                           1 if name in ("argmax", "argmin") else None)
    text = f",{text},{keep}" if keep or rng.random() < 0.5 else f",{text}"
    return axes, keep, text


def shape_after(name, shape, axes, keep):
    if name in ROWS:
        return shape
    return tuple(1 if k in axes else extent for k, extent in enumerate(shape)
                 if keep or k not in axes)


def one_by_one(function, x, axes, keep):
    for axis in sorted(axes, reverse=True):
        x = function(x, dim=axis, keepdim=keep)
    return x


def apply(name, x, axes, keep):
    """In the type of x, or that of the result."""
    if any(x.shape[axis] == 0 for axis in axes) and name in EXACT[2:]:
        raise Reject("no elements")
    if x.dtype in UNSIGNED and name in ("amax", "amin"):
        return torch.as_tensor(numpy.asarray(getattr(x.numpy(), name[1:])(
            axis=tuple(axes), keepdims=keep)))
    if x.dtype in UNSIGNED and name not in ("argmax", "argmin"):
        x = x.to(torch.int64)  # sums wrap
    if name in ("amax", "amin"):
        zeros = torch.signbit(x[x == 0]) if x.is_floating_point() else x[:0]
        if zeros.numel() and zeros.any() != zeros.all():
            raise Reject("zeros of different signs")
        return getattr(torch, name)(x, dim=axes, keepdim=keep)
    if name in ("argmax", "argmin"):
        # PyTorch says nothing of ties; NumPy takes the first.
        axis = axes[0] if len(axes) == 1 else None
        if axis is None and keep:
            flat = apply(name, x.reshape(-1), [0], False)
            return flat.reshape([1] * x.dim())
        x = x.reshape(-1) if axis is None else x
        found = getattr(x.numpy(), name)(axis=axis or 0, keepdims=keep)
        return torch.as_tensor(found, dtype=torch.int64)
    if name in ("any", "all", "prod"):
        return one_by_one(getattr(torch, name), x, axes, keep)
    if name in SCANS:
        return getattr(torch, name)(x, axes[0] if x.dim() else 0)
    if name in ROWS:
        x = -x if name == "softmin" else x
        function = torch.log_softmax if name == "log_softmax" else torch.softmax
        return function(x, axes[0])
    return getattr(torch, name)(x, dim=axes, keepdim=keep)


def bounds(name, value, axes, keep, dtype):
    """The result over f64, how far it spreads, and where nothing is known."""
    v, e = value.v, value.e

    def total(x):
        if name in SCANS:
            return torch.cumsum(x, axes[0])
        return x.sum(dim=axes, keepdim=keep or name in ROWS)

    center = apply(name, v, axes, keep)
    skip = total(value.skip.long()) > 0
    count = 1
    for axis in axes:
        count *= v.shape[axis]
    reference = 2.0**-50 * (count + 2)
    if (name in ROWS and name not in SCANS) or name == "logsumexp":
        most = total(e)
        if name in ("softmax", "softmin"):
            # PyTorch rounds the distance to the largest, an exponent.
            steep = 2.0**-52 * center.clamp(min=5e-324).log().abs()
            spread = center * (torch.expm1(2 * most) + reference + steep)
        else:
            spread = 2 * most + reference * (1 + center.abs())
    elif name in ("prod", "cumprod"):
        skip = skip | (total((e > 0).long()) > 0)
        spread = center.abs() * reference
        # Partial products of the reference may leave f64.
        logs = torch.where(v == 0, 0.0, v.abs().log2().abs())
        skip = skip | (total(logs) > 900)
    else:
        spread = total(e) + total(v.abs()) * reference
        spread = spread / count if name == "mean" and count else spread
        # Infinite where terms are not.
        skip = skip | (total(v.abs()).isinf() & (total(v.isinf().long()) == 0))
    spread = torch.where(center.isfinite(), spread, 0.0)
    skip = skip | spread.isnan() | spread.isinf()
    return center, torch.where(skip, 0.0, spread), skip
