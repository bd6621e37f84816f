# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What stands between the matrix products of known networks."""
import torch
from torch import nn
from torch.nn import functional as F

from .case import case, normal, uniform


def trained(norm):
    """A normalisation with statistics as after training."""
    with torch.no_grad():
        norm.running_mean.normal_(0, 0.5)
        norm.running_var.uniform_(0.3, 3)
        if norm.affine:
            norm.weight.uniform_(0.5, 1.5)
            norm.bias.normal_(0, 0.5)
    return norm


@case("residual_tail", lambda: [normal(2, 6, 7, 9), normal(2, 6, 7, 9)],
      units=1, floor=4.0)
class ResidualTail(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = trained(nn.BatchNorm2d(6))

    def forward(self, x, shortcut):
        return torch.relu(self.norm(x) + shortcut)


@case("batch_norms", lambda: [normal(3, 8, 13), normal(5, 8),
                              normal(1, 4, 3, 5, 7)], units=1, floor=4.0)
class BatchNorms(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = trained(nn.BatchNorm1d(8))
        self.plain = trained(nn.BatchNorm1d(8, affine=False, eps=1e-3))
        self.cube = trained(nn.BatchNorm3d(4))

    def forward(self, x, y, z):
        return self.rows(x), F.silu(self.plain(y)), self.cube(z)


@case("silu_gate", lambda: [normal(2, 9, 32, scale=2), normal(2, 9, 32)],
      units=2)
def silu_gate(gate, up):
    """The gated block of Llama."""
    return F.silu(gate) * up


@case("squeeze_excite", lambda: [normal(2, 6, 9, 11),
                                 normal(2, 6, 1, 1, scale=2)], units=2)
def squeeze_excite(x, squeezed):
    return x * torch.sigmoid(squeezed), F.hardsigmoid(squeezed) * x


@case("layer_scale", lambda: [normal(2, 8, 7, 7), normal(2, 8, 7, 7)],
      units=1, floor=4.0)
class LayerScale(nn.Module):
    """ConvNeXt's, and an image's normalisation."""

    def __init__(self):
        super().__init__()
        self.gamma = nn.Parameter(uniform(0.1, 1, 8, 1, 1))
        self.register_buffer("mean", uniform(-0.5, 0.5, 8, 1, 1))
        self.register_buffer("std", uniform(0.5, 2, 8, 1, 1))
        self.register_buffer("temperature", torch.tensor(0.7))
        self.scale = nn.Parameter(torch.full((1,), 1.25))

    def forward(self, x, branch):
        mixed = x + self.gamma * branch
        return mixed, ((x - self.mean) / self.std) * self.temperature, \
            branch * self.scale


@case("ada_norm", lambda: [normal(1, 23, 16), normal(1, 1, 16),
                           normal(1, 1, 16)], units=1, floor=4.0)
def ada_norm(x, scale, shift):
    return x * (scale + 1) + shift


@case("box_decode", lambda: [normal(1, 2, 105), normal(1, 2, 105),
                             uniform(0, 13, 2, 105), uniform(8, 32, 105),
                             uniform(5, 90, 2, 1)], units=2, floor=64.0)
def box_decode(xy, wh, grid, stride, anchor):
    """YOLO's, with the slices as inputs."""
    return ((torch.sigmoid(xy) * 2 - 0.5 + grid) * stride,
            (torch.sigmoid(wh) * 2) ** 2 * anchor)


@case("mixer", lambda: [normal(2, 11, 16), normal(2, 11, 16), normal(16),
                        uniform(0.1, 2, 16)], units=2, floor=4.0)
def mixer(x, previous, mix, decay):
    """RWKV's time mixing, without its products."""
    mixed = x * mix + previous * (1 - mix)
    weight = torch.exp(-torch.exp(decay))
    return mixed, torch.square(F.relu(mixed)), previous * weight + mixed


@case("attention_bias", lambda: [normal(4, 3, 9, 9), normal(1, 3, 9, 9),
                                 normal(4, 1, 9, 9, scale=30)],
      units=1, floor=64.0, raw=True)
def attention_bias(scores, bias, mask):
    """Swin's bias and mask, and the scores capped as in Gemma."""
    biased = scores * 0.17677669529663687 + bias + mask
    return biased, torch.tanh(biased / 50.0) * 50.0


@case("rms_tail", lambda: [normal(2, 7, 32), uniform(0.2, 3, 2, 7, 1)],
      units=2.5)
class RmsTail(nn.Module):
    """What follows the mean of squares in RMSNorm."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(uniform(0.5, 1.5, 32))

    def forward(self, x, mean_square):
        return x * torch.rsqrt(mean_square + 1e-5) * self.weight
