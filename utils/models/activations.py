# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Activations, as modules and as functions with parameters of their own.

Below about 1e-6 PyTorch's gelu is not exact in f64 either."""
import torch
from torch import nn
from torch.nn import functional as F

from .case import case, normal


@case("activation_modules", lambda: [normal(2, 5, 29, scale=3)],
      units=[0, 0, 1.5, 1.6, 0.6, 0.8, 1, 1, 0.8, 0.6, 0.6, 2, 1.1, 0],
      floor=1e-6)
class Modules(nn.Module):
    def __init__(self):
        super().__init__()
        self.list = nn.ModuleList([
            nn.ReLU(), nn.ReLU6(), nn.LeakyReLU(0.1), nn.ELU(0.8), nn.SELU(),
            nn.SiLU(), nn.Sigmoid(), nn.Tanh(), nn.GELU(), nn.Mish(),
            nn.Softplus(), nn.Hardswish(), nn.Hardsigmoid(),
            nn.Hardtanh(-0.5, 2.0)])

    def forward(self, x):
        return tuple(activation(x) for activation in self.list)


@case("activation_functions", lambda: [normal(2, 5, 29, scale=3)],
      units=[0, 0, 1.5, 0.6, 0.6, 0.8, 1, 1, 0.8, 0.6, 0.6, 2, 1.1, 0, 0, 0, 0],
      floor=1e-6)
def functions(x):
    return (F.relu(x), F.relu6(x), F.leaky_relu(x, 0.2), F.elu(x, 1.5),
            F.selu(x), F.silu(x), F.sigmoid(x), F.tanh(x), F.gelu(x), F.mish(x),
            F.softplus(x), F.hardswish(x), F.hardsigmoid(x),
            F.hardtanh(x, -2.0, 1.5), torch.clamp(x, -1, 1),
            torch.clamp(x, min=0.5), torch.clamp(x, max=0.25))


@case("activation_others", lambda: [normal(2, 5, 29, scale=3)],
      units=[0.5, 0, 1.5, 1, 0, 1, 0, 2, 1.5],
      floor=[0, 0, 0.5, 2.0, 0, 0.5, 0, 0.5, 0])
class Others(nn.Module):
    def __init__(self):
        super().__init__()
        self.channels = nn.PReLU(5, init=0.3)
        self.one = nn.PReLU()
        with torch.no_grad():
            self.channels.weight.uniform_(-0.2, 0.5)

    def forward(self, x):
        return (self.channels(x), self.one(x), F.logsigmoid(x),
                F.tanhshrink(x), F.hardshrink(x, 0.3), F.softshrink(x, 0.3),
                F.threshold(x, 0.1, -2.5), F.celu(x, 1.3), F.softsign(x))


@case("gelu_tanh", lambda: [normal(3, 149, scale=3)], units=3, floor=0.25)
def gelu_tanh(x):
    return F.gelu(x, approximate="tanh")


@case("softplus_beta", lambda: [normal(3, 149, scale=8)], units=2)
def softplus_beta(x):
    return F.softplus(x, beta=2.0, threshold=10.0)


@case("quick_gelu", lambda: [normal(2, 17, 24, scale=3)], units=2, floor=0.25,
      raw=True)
def quick_gelu(x):
    return x * torch.sigmoid(1.702 * x)


@case("gelu_by_hand", lambda: [normal(2, 17, 24, scale=2)],
      units=[0.8, 2, 2.5], floor=[1e-6, 1.0, 1.0])
def gelu_by_hand(x):
    y = 0.5 * x * (1.0 + torch.erf(x / 1.4142135623730951))
    inner = 0.7978845608 * (x + 0.044715 * x * x * x)
    return y, 0.5 * x * (1.0 + torch.tanh(inner)), inner


@case("activations_by_hand", lambda: [normal(2, 17, 24, scale=4)], units=2)
def by_hand(x):
    return (x / (1 + torch.exp(-x)), x * torch.sigmoid(x),
            x * torch.clamp(x + 3, 0, 6) / 6,
            x * torch.tanh(F.softplus(x)), x / (1 + torch.abs(x)))
