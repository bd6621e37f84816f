# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions over axes that are formulas: how calls are drawn and written, what
PyTorch computes for them, and how far errors of their tensors take that."""
import math
import typing

import torch
import torch.nn.functional as F

from . import reductions
from .types import Reject

GROUPED = ["group_norm", "instance_norm"]
SCALED = ["layer_norm", "rms_norm"] + GROUPED
LOSSES = "mse_loss l1_loss smooth_l1_loss huber_loss".split()
PAIRS = ["cosine_similarity"] + LOSSES
CLASS_LOSSES = "nll_loss cross_entropy".split()
NAMES = "var std norm normalize".split() + SCALED + PAIRS + CLASS_LOSSES
if not hasattr(F, "rms_norm"):  # before PyTorch 2.4
    NAMES.remove("rms_norm")
ORDERS = [0, 1, 2, 3, 0.5, math.inf, -math.inf]
# Where losses change from squares to distances: PyTorch's name, and values.
LIMITS = {"smooth_l1_loss": ("beta", [None, 0.0, 0.5, 2.0]),
          "huber_loss": ("delta", [None, 0.5, 2.0])}
EPSILONS = {"normalize": 1e-12, "cosine_similarity": 1e-8}


class Settings(typing.NamedTuple):
    """What a call says beside its tensors, written or not."""
    axes: list
    keep: bool = False
    p: float = 2
    eps: float = 1e-5
    limit: float = 1  # or the class that is ignored
    correction: int = 1
    groups: int = None
    weight: bool = False
    bias: bool = False


def written(*parts):
    """Arguments behind a tensor. None at the end is left out; between others it
    stands for what is not there."""
    while parts and parts[-1] is None:
        parts = parts[:-1]
    return "".join(f",{part}" for part in parts)


def draw(rng, name, shape, dtype, operand):
    """Settings, weights, and the call's text behind its tensors; None where
    PyTorch has no such call. `operand` makes a weight of a shape."""
    rank = len(shape)
    axes, text = reductions.draw_axes(rng, rank, True)
    eps = rng.choice([None, None, 0.0, 1e-12, 1e-3, 0.5])
    least = EPSILONS.get(name, 1e-5) if eps is None else eps
    if name in LOSSES:
        limit = rng.choice(LIMITS[name][1]) if name in LIMITS else None
        return (Settings(list(range(rank)),
                         limit=1.0 if limit is None else limit),
                [], written(limit))
    if name in CLASS_LOSSES:
        weight = operand(shape[1:2]) if rng.random() < 0.5 else None
        ignored = rng.choice([None, None, -1, 0, 1])
        return (Settings(list(range(rank)), weight=bool(weight),
                         limit=-100 if ignored is None else ignored),
                [weight] if weight else [],
                written(weight and weight.text, ignored))
    if name in SCALED:
        return draw_scaled(rng, name, shape, operand, (axes, text, eps, dtype))
    if name == "cosine_similarity":
        # Whether a result over one axis that is written out is 0-d, depends on
        # ranks.
        if rank < 2:
            return None
        axes, text = reductions.draw_axis(rng, rank)
        return Settings(axes, eps=least), [], written(text, eps)
    if name == "normalize":
        order = rng.choice([0, 1, 2, 2, 3])
        return (Settings(axes, True, order, least), [],
                written(order, text, eps))
    keep = rng.random() < 0.5
    axes, text = reductions.draw_axes(rng, rank, keep)
    if name == "norm":
        order = rng.choice(ORDERS[:5] if 0 in shape else ORDERS)
        return (Settings(axes, keep, order), [],
                written(order, text, keep or None))
    correction = rng.choice([None, 0, 1])
    text = written(text, keep if correction is not None else keep or None,
                   correction)
    if text == ",None":
        text = rng.choice(["", text])
    return Settings(axes, keep, correction=correction != 0), [], text


def draw_scaled(rng, name, shape, operand, drawn):
    axes, text, eps, dtype = drawn
    rank, groups = len(shape), None
    weight = rng.random() < 0.6
    bias = name != "rms_norm" and rng.random() < 0.5
    if name in GROUPED:
        if rank < 2 + (name == "instance_norm") or 0 in shape:
            return None
        axes, of_weights, text = list(range(1, rank)), shape[1:2], None
        groups = shape[1]
        if name == "group_norm":
            groups = text = rng.choice([n for n in range(1, groups + 1)
                                        if groups % n == 0])
    elif weight or bias or rng.random() < 0.5:
        # PyTorch's weights belong to the last axes.
        count = rng.randint(1, rank)
        axes, of_weights = list(range(rank - count, rank)), shape[rank - count:]
        text = "[" + ",".join(map(str, range(-count, 0))) + "]"
    weights = [operand(of_weights) if has else None for has in (weight, bias)]
    parts = [each and each.text for each in weights]
    text = (written(text) if text is not None else "") + written(
        *parts[:1 if name == "rms_norm" else 2], eps)
    least = eps
    if eps is None:
        least = 1e-5 if name != "rms_norm" else torch.finfo(
            dtype if dtype == torch.float64 else torch.float32).eps
    return (Settings(axes, True, eps=least, groups=groups, weight=weight,
                     bias=bias), [each for each in weights if each], text)


def shape_after(name, shapes, settings):
    shape = shapes[0]
    if name in PAIRS:
        shape = tuple(torch.broadcast_shapes(*shapes))
    if name in SCALED + ["normalize"]:
        return shape
    return reductions.shape_after(name, shape, settings.axes, settings.keep)


def parted(settings, tensors):
    """The tensors, and the weight and bias or None."""
    tensors = list(tensors)
    bias = tensors.pop() if settings.bias else None
    weight = tensors.pop() if settings.weight else None
    return tensors, weight, bias


def apply(name, settings, tensors):
    """What PyTorch computes, in the type of the tensors."""
    (x, *y), weight, bias = parted(settings, tensors)
    axes, p, eps = tuple(settings.axes), settings.p, settings.eps
    kept = {"dim": axes, "keepdim": settings.keep}
    last = list(range(-len(axes), 0))
    try:
        if name in ("var", "std"):
            return getattr(torch, name)(x, correction=settings.correction,
                                        **kept)
        if name == "norm":
            return torch.linalg.vector_norm(x, p, **kept)
        if name == "normalize":
            return F.normalize(x, p, axes, eps)
        if name == "cosine_similarity":
            return F.cosine_similarity(x, *y, *axes, eps)
        if name in LOSSES:
            limit = {LIMITS[name][0]: settings.limit} if name in LIMITS else {}
            return getattr(F, name)(*torch.broadcast_tensors(x, *y), **limit)
        if name in CLASS_LOSSES:
            return getattr(F, name)(x, *y, weight, ignore_index=settings.limit)
        if name == "group_norm":
            return torch.group_norm(x, settings.groups, weight, bias, eps)
        if name == "instance_norm":
            return torch.instance_norm(x, weight, bias, None, None, True, 0.1,
                                       eps, False)
        x = x.movedim(axes, last)
        shape = x.shape[x.dim() - len(axes):]
        x = (F.layer_norm(x, shape, weight, bias, eps) if name == "layer_norm"
             else F.rms_norm(x, shape, weight, eps))
        return x.movedim(last, axes)
    except RuntimeError as error:
        raise Reject(f"{name}: {error}") from error


class Near:
    """What is within e of v. Each operation adds what f64 rounds, in kexpr as
    in the reference; infinities and NaN are exact."""

    def __init__(self, v, e):
        rounded = 2.0**-50 * v.abs().nan_to_num(0.0, 0.0)
        self.v, self.e = v, e + rounded + 5e-324

    def __add__(self, number):
        return Near(self.v + number, self.e)

    def __sub__(self, other):
        return Near(self.v - other.v, self.e + other.e)

    def __mul__(self, other):
        return Near(self.v * other.v, self.v.abs() * other.e
                    + other.v.abs() * self.e + self.e * other.e)

    def __truediv__(self, other):
        v = self.v / other.v
        least = (other.v.abs() - other.e).clamp(min=0)
        return Near(v, (self.e + v.abs() * other.e) / least)

    def __abs__(self):
        return Near(self.v.abs(), self.e)

    def to(self, function):
        """A function that grows from 0 on."""
        v = function(self.v)
        high = function(self.v + self.e) - v
        return Near(v, torch.maximum(
            high, v - function((self.v - self.e).clamp(min=0))))

    def least(self, number):
        return Near(self.v.clamp(min=number), self.e)

    def sum(self, axes):
        v, e, most = (t.sum(dim=axes, keepdim=True)
                      for t in (self.v, self.e, self.v.abs()))
        count = self.v.numel() // max(v.numel(), 1)
        return Near(v, e + 2.0**-50 * count * most)

    def mean(self, axes, correction=0):
        result = self.sum(axes)
        count = self.v.numel() // max(result.v.numel(), 1) - correction
        return Near(result.v / count, result.e / count)


def norm_of(x, p, axes):
    x = abs(x)
    if p == 0:
        unsure = (x.e > 1e-300) & (x.v <= x.e)
        unsure = torch.where(unsure, math.inf, 0.0).sum(dim=axes, keepdim=True)
        return Near((x.v != 0).double().sum(dim=axes, keepdim=True), unsure)
    if math.isinf(p):
        most = torch.amax if p > 0 else torch.amin
        return Near(most(x.v, axes, True), torch.amax(x.e, axes, True))
    return x.to(lambda v: v**p).sum(axes).to(lambda v: v**(1 / p))


def loss_of(name, limit):
    """By the distance of two elements."""
    if name == "mse_loss":
        return lambda d: d * d
    if name == "l1_loss":
        return lambda d: d
    scale = limit if name == "huber_loss" else 1
    return lambda d: scale * torch.where(d < limit, d * d / (2 * limit),
                                         d - limit / 2)


def formula(name, settings, x, y):
    """The above with errors, before weights; axes that are reduced stay."""
    axes = tuple(settings.axes)
    if name in LOSSES:
        return abs(x - y).to(loss_of(name, settings.limit)).mean(axes)
    if name == "cosine_similarity":
        lengths = [norm_of(each, 2, axes).least(settings.eps)
                   for each in (x, y)]
        return (x * y).sum(axes) / (lengths[0] * lengths[1])
    if name in ("norm", "normalize"):
        norm = norm_of(x, settings.p, axes)
        return norm if name == "norm" else x / norm.least(settings.eps)
    centred = x if name == "rms_norm" else x - x.mean(axes)
    if name in ("var", "std"):
        square = (centred * centred).mean(axes, settings.correction)
        return square if name == "var" else square.to(torch.sqrt)
    square = (centred * centred).mean(axes) + settings.eps
    return centred / square.to(torch.sqrt)


def class_bounds(name, settings, x, classes, weight):
    """The loss in f64, how far it spreads, where nothing is known, and the size
    of what it adds up. What classes are is certain."""
    center = apply(name, settings, [value.v for value in (x, classes, weight)
                                    if value])
    index = classes.v.unsqueeze(1)
    e = x.e.gather(1, index)
    if name == "cross_entropy":
        # A logarithm of powers that cancels is off by 2^-50 of 1.
        least = 0.0 if x.dtype == torch.float64 else 2.0**-49
        e = e + torch.amax(x.e, 1, True) + least
        e = e + 2.0**-50 * (x.v - torch.amax(x.v, 1, True)).abs().amax(1, True)
    each = F.log_softmax(x.v, 1) if name == "cross_entropy" else x.v
    counts = index != settings.limit
    loss = Near(each.gather(1, index)[counts], e[counts])
    weights = Near(torch.ones_like(loss.v), torch.zeros_like(loss.v))
    if weight:
        weights = Near(*(t[index][counts] for t in (weight.v, weight.e)))
    product, axes = loss * weights, tuple(range(loss.v.dim()))
    result = product.sum(axes) / weights.sum(axes)
    size = product.v.abs().sum() / weights.v.sum().abs()
    spread = result.e.reshape(())
    skip = (~x.v.isfinite() | x.skip).any() | classes.skip.any()
    skip = skip | (center.isfinite() & ~spread.isfinite())
    spread = torch.where(skip | ~center.isfinite(), 0.0, spread)
    return center, spread, skip, size.nan_to_num(0.0, 0.0)


def bounds(name, settings, values):
    """The result without weights in f64, how far it spreads, and where nothing
    is known."""
    center = apply(name, settings._replace(weight=False, bias=False),
                   [value.v for value in values])
    parts = [torch.broadcast_tensors(*(getattr(value, part)
                                       for value in values))
             for part in ("v", "e", "skip")]
    shape, axes = parts[0][0].shape, tuple(settings.axes)
    if settings.groups:
        shape, axes = (shape[0], settings.groups, -1), (2,)
    v, e, skip = ([t.reshape(shape) for t in part] for part in parts)
    tensors = [Near(*each) for each in zip(v, e)]
    result = formula(name, settings._replace(axes=axes), tensors[0],
                     tensors[-1])

    def somewhere(truths):
        rows = sum(t.sum(dim=axes, keepdim=True) for t in truths) > 0
        return rows.expand(result.v.shape).reshape(center.shape)

    # Infinities, NaN and too few elements have certain results.
    certain = somewhere([~t.isfinite() for t in v])
    count = v[0].numel() // max(v[0].sum(dim=axes).numel(), 1)
    certain = certain | (count <= (name in ("var", "std"))
                         * settings.correction)
    spread = result.e.reshape(center.shape)
    # But how many are not 0 may be unsure beside infinities, too.
    certain = certain & ~(center.isfinite() & spread.isinf())
    spread = torch.where(certain, spread.nan_to_num(0.0, 0.0), spread)
    skip = somewhere(skip) | ~(spread.isfinite())
    return center, torch.where(skip | ~center.isfinite(), 0.0, spread), skip
