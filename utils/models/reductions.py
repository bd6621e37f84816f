# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions, softmaxes and norms of every type that PNNX writes."""
import torch
from torch import nn
from torch.nn import functional as F

from .case import case, normal, uniform


@case("sums", lambda: [normal(3, 5, 33), normal(2, 4, 6, 7)], units=1,
      floor=1.0)
def sums(x, y):
    return (torch.sum(x, dim=-1), torch.sum(x, dim=(0, 2), keepdim=True),
            torch.sum(x), torch.mean(x, dim=1), torch.mean(y, dim=(2, 3)),
            torch.mean(y, dim=(2, 3), keepdim=True),
            torch.prod(x, dim=1, keepdim=True), torch.logsumexp(x, dim=(1,)),
            torch.logsumexp(y, dim=(1, 3), keepdim=True))


@case("scans", lambda: [normal(3, 5, 33), uniform(0.5, 1.5, 2, 4, 6, 7)],
      units=1, floor=1.0)
def scans(x, y):
    return (torch.cumsum(x, dim=-1), torch.cumsum(F.relu(x), dim=0),
            torch.cumprod(y, dim=1), torch.softmax(torch.cumsum(y, 2), 2),
            x - torch.cumsum(x, dim=1) * 0.5)


@case("extremes", lambda: [normal(3, 5, 33), normal(2, 4, 6, 7)], units=0)
def extremes(x, y):
    values, indices = torch.max(y, dim=1)
    least, _ = torch.min(y, dim=-1, keepdim=True)
    return (torch.amax(x, dim=(0, 2)), torch.amin(y, dim=-1, keepdim=True),
            torch.max(x), torch.min(x), values, indices, least,
            torch.argmax(x, dim=1), torch.argmin(x, dim=-1, keepdim=True),
            torch.argmax(y))


@case("moments", lambda: [normal(3, 5, 33) + 10, normal(2, 4, 6, 7)], units=1,
      floor=1e-3)
def moments(x, y):
    return (torch.var(x, dim=-1, unbiased=True), torch.std(y, dim=(2, 3),
                                                           unbiased=False),
            torch.std(x, dim=1, unbiased=True, keepdim=True),
            torch.norm(x, p=2, dim=-1), torch.norm(y, p=1, dim=(1, 2),
                                                   keepdim=True),
            torch.norm(y, p="fro", dim=(2, 3)),
            F.normalize(x, dim=-1), F.normalize(y, p=1.0, dim=1, eps=1e-6))


@case("softmaxes", lambda: [normal(3, 5, 33, scale=4),
                            normal(2, 4, 6, 7, scale=4)], units=2)
class Softmaxes(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = nn.Softmax(dim=-1)
        self.channels = nn.Softmax2d()
        self.least = nn.Softmin(dim=1)

    def forward(self, x, y):
        return (self.rows(x), F.softmax(y, dim=1), self.channels(y),
                self.least(y), F.softmin(x, dim=0))


@case("log_softmaxes", lambda: [normal(3, 5, 33, scale=4)], units=2,
      floor=1e-3)
class LogSoftmaxes(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = nn.LogSoftmax(dim=-1)

    def forward(self, x):
        return self.rows(x), F.log_softmax(x, dim=1)


def affine(norm):
    with torch.no_grad():
        norm.weight.uniform_(0.5, 1.5)
        if getattr(norm, "bias", None) is not None:
            norm.bias.normal_(0, 0.5)
    return norm


@case("layer_norms", lambda: [normal(3, 5, 33) * 3 + 1], units=2, floor=1.0)
class LayerNorms(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = affine(nn.LayerNorm(33))
        self.two = affine(nn.LayerNorm((5, 33), eps=1e-3))
        self.plain = nn.LayerNorm(33, elementwise_affine=False)
        self.weight = nn.Parameter(uniform(0.5, 1.5, 33))

    def forward(self, x):
        return (self.last(x), self.two(x), self.plain(x),
                F.layer_norm(x, (33,), self.weight, None, 1e-6))


@case("instance_norms", lambda: [normal(2, 4, 19), normal(2, 4, 6, 7) * 3 + 1,
                                 normal(2, 3, 4, 5, 6)], units=2, floor=1.0)
class InstanceNorms(nn.Module):
    def __init__(self):
        super().__init__()
        self.line = nn.InstanceNorm1d(4)
        self.plane = affine(nn.InstanceNorm2d(4, affine=True))
        self.cube = affine(nn.InstanceNorm3d(3, affine=True, eps=1e-3))
        self.tracked = nn.InstanceNorm2d(4, affine=False,
                                         track_running_stats=True)
        with torch.no_grad():
            self.tracked.running_mean.normal_(0, 0.5)
            self.tracked.running_var.uniform_(0.3, 3)

    def forward(self, x, y, z):
        return self.line(x), self.plane(y), self.cube(z), self.tracked(y)


@case("group_norms", lambda: [normal(2, 6, 5, 7) * 3 + 1, normal(3, 6)],
      units=2, floor=1.0)
class GroupNorms(nn.Module):
    def __init__(self):
        super().__init__()
        self.plane = affine(nn.GroupNorm(2, 6))
        self.plain = nn.GroupNorm(3, 6, eps=1e-3, affine=False)
        self.weight = nn.Parameter(uniform(0.5, 1.5, 6))
        self.bias = nn.Parameter(uniform(-0.5, 0.5, 6))

    def forward(self, x, y):
        return (F.silu(self.plane(x)), self.plain(y),
                F.group_norm(x, 6, self.weight, self.bias),
                self.plain(x))


@case("global_pools", lambda: [normal(2, 4, 19), normal(2, 4, 6, 7),
                               normal(2, 3, 4, 5, 6)], units=1, floor=0.25)
class GlobalPools(nn.Module):
    def __init__(self):
        super().__init__()
        self.line = nn.AdaptiveAvgPool1d(1)
        self.plane = nn.AdaptiveAvgPool2d((1, 1))
        self.cube = nn.AdaptiveAvgPool3d(1)

    def forward(self, x, y, z):
        return (self.line(x), torch.relu(self.plane(y)), self.cube(z),
                F.adaptive_avg_pool2d(y, 1))


@case("masked_attention", lambda: [normal(2, 3, 9, 33, scale=3),
                                   normal(2, 1, 9, 33),
                                   normal(3, 1, 33)], units=8)
def masked_attention(scores, mask, bias):
    """What stands between the two products of attention."""
    return F.softmax(scores * 0.125 + mask + bias, dim=-1)


@case("residual_norms", lambda: [normal(4, 7, 48), normal(4, 7, 48)], units=4,
      floor=2.0)
class ResidualNorms(nn.Module):
    """The norms of transformers: after a sum, whose result stays."""

    def __init__(self):
        super().__init__()
        self.norm = affine(nn.LayerNorm(48))
        self.weight = nn.Parameter(uniform(0.5, 1.5, 48))

    def forward(self, x, branch):
        total = x + branch
        square = torch.mean(total * total, dim=-1, keepdim=True)
        return (total, F.silu(self.norm(total)),
                total * torch.rsqrt(square + 1e-6) * self.weight)


@case("rms_norms", lambda: [normal(4, 7, 48), normal(4, 7, 48)], units=4,
      floor=2.0)
class RmsNorms(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(uniform(0.5, 1.5, 48))
        self.norm = (affine(nn.RMSNorm(48, eps=1e-6))
                     if hasattr(nn, "RMSNorm") else None)

    def forward(self, x, branch):
        total = x + branch
        if self.norm is None:
            return total
        return total, self.norm(total), F.rms_norm(x, (48,), self.weight)


@case("reduced_halves", lambda: [normal(3, 5, 33, dtype=torch.float16)],
      units=[1, 16, 0], exact=False)
def reduced_halves(x):
    return (torch.sum(x, dim=-1, dtype=torch.float32),
            F.softmax(x, dim=-1, dtype=torch.float32),
            torch.amax(x, dim=(1,)))
