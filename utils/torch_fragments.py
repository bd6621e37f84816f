"""Fragments of models, losses and optimizers that torch_backend.py runs."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class RmsNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        mean = x.pow(2).mean(-1, keepdim=True)
        return x * torch.rsqrt(mean + 1e-6) * self.weight


def heads(x, count):
    return x.view(*x.shape[:2], count, -1).transpose(1, 2)


class Llama(nn.Module):
    """A layer: rotary embedding, attention, SiLU gate."""

    def __init__(self, width=256, count=8, inner=688):
        super().__init__()
        self.count = count
        self.q, self.k, self.v, self.o = (
            nn.Linear(width, width, bias=False) for _ in range(4))
        self.gate, self.up = (nn.Linear(width, inner, bias=False)
                              for _ in range(2))
        self.down = nn.Linear(inner, width, bias=False)
        self.norms = nn.ModuleList(RmsNorm(width) for _ in range(2))
        size = width // count
        speed = 1 / 10000 ** (torch.arange(0, size, 2) / size)
        angle = torch.outer(torch.arange(512.), speed).repeat(1, 2)
        self.register_buffer("cos", angle.cos())
        self.register_buffer("sin", angle.sin())

    def turned(self, x):
        a, b = x.chunk(2, -1)
        length = x.shape[-2]
        return (x * self.cos[:length]
                + torch.cat((-b, a), -1) * self.sin[:length])

    def forward(self, x):
        y = self.norms[0](x)
        q, k, v = (heads(one(y), self.count)
                   for one in (self.q, self.k, self.v))
        y = F.scaled_dot_product_attention(self.turned(q), self.turned(k), v,
                                           is_causal=True)
        x = x + self.o(y.transpose(1, 2).reshape(x.shape))
        y = self.norms[1](x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Gpt2(nn.Module):
    """A block with attention and tanh-GELU written out."""

    def __init__(self, width=256, count=8, dropout=0.1):
        super().__init__()
        self.count, self.width = count, width
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.qkv, self.o = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = (nn.Linear(width, 4 * width),
                              nn.Linear(4 * width, width))
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(512, 512).tril().bool())

    def forward(self, x):
        q, k, v = (heads(one, self.count) for one in
                   self.qkv(self.norms[0](x)).split(self.width, 2))
        length = x.shape[1]
        w = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        w = w.masked_fill(~self.mask[:length, :length],
                          torch.finfo(w.dtype).min)
        w = self.dropout(torch.softmax(w, -1))
        y = (w @ v).transpose(1, 2).reshape(x.shape)
        x = x + self.dropout(self.o(y))
        h = self.up(self.norms[1](x))
        h = 0.5 * h * (1 + torch.tanh(math.sqrt(2 / math.pi)
                                      * (h + 0.044715 * h.pow(3))))
        return x + self.dropout(self.down(h))


class BasicBlock(nn.Module):
    """ResNet's."""

    def __init__(self, channels=64):
        super().__init__()
        self.convs = nn.ModuleList(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False)
            for _ in range(2))
        self.norms = nn.ModuleList(nn.BatchNorm2d(channels) for _ in range(2))

    def forward(self, x):
        y = F.relu(self.norms[0](self.convs[0](x)))
        return F.relu(self.norms[1](self.convs[1](y)) + x)


class SqueezeExcite(nn.Module):
    """MobileNetV3's block."""

    def __init__(self, channels=32, inner=96):
        super().__init__()
        self.into = nn.Conv2d(channels, inner, 1, bias=False)
        self.depth = nn.Conv2d(inner, inner, 3, padding=1, groups=inner,
                               bias=False)
        self.less = nn.Conv2d(inner, inner // 4, 1)
        self.more = nn.Conv2d(inner // 4, inner, 1)
        self.out = nn.Conv2d(inner, channels, 1, bias=False)
        self.norms = nn.ModuleList(
            nn.BatchNorm2d(one) for one in (inner, inner, channels))

    def forward(self, x):
        y = F.hardswish(self.norms[0](self.into(x)))
        y = F.hardswish(self.norms[1](self.depth(y)))
        gate = F.relu(self.less(F.adaptive_avg_pool2d(y, 1)))
        gate = F.hardsigmoid(self.more(gate))
        return x + self.norms[2](self.out(y * gate))


class Lstm(nn.Module):
    def __init__(self, width=256):
        super().__init__()
        self.x, self.h = (nn.Linear(width, 4 * width) for _ in range(2))

    def forward(self, x, h, c):
        for _ in range(3):
            i, f, g, o = (self.x(x) + self.h(h)).chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        return h, c


class Vae(nn.Module):
    def __init__(self):
        super().__init__()
        self.into, self.out = nn.Linear(784, 400), nn.Linear(400, 784)
        self.mean, self.spread = (nn.Linear(400, 20) for _ in range(2))
        self.back = nn.Linear(20, 400)

    def forward(self, x):
        h = F.relu(self.into(x))
        mean, spread = self.mean(h), self.spread(h)
        z = mean + torch.randn_like(mean) * torch.exp(0.5 * spread)
        seen = torch.sigmoid(self.out(F.relu(self.back(z))))
        loss = F.binary_cross_entropy(seen, x, reduction="sum")
        return loss - 0.5 * torch.sum(1 + spread - mean.pow(2) - spread.exp())


class FocalLoss(nn.Module):
    def forward(self, x, t):
        p = torch.sigmoid(x)
        loss = F.binary_cross_entropy_with_logits(x, t, reduction="none")
        right = p * t + (1 - p) * (1 - t)
        return ((0.25 * t + 0.75 * (1 - t)) * loss * (1 - right) ** 2).mean()


class DiceLoss(nn.Module):
    def forward(self, x, t):
        p, t = torch.sigmoid(x).flatten(1), t.flatten(1)
        return (1 - (2 * (p * t).sum(1) + 1) / (p.sum(1) + t.sum(1) + 1)).mean()


class HuberLoss(nn.Module):
    def forward(self, x, t):
        return F.smooth_l1_loss(x, t, beta=0.5) + F.huber_loss(x, t)


class CrossEntropy(nn.Module):
    def __init__(self, width=128, words=8000):
        super().__init__()
        self.weight = nn.Linear(width, words, bias=False)

    def forward(self, x, t):
        return F.cross_entropy(self.weight(x), t, label_smoothing=0.1)


def fragments():
    """Modules and their arguments, by name."""
    torch.manual_seed(1)
    r = torch.randn
    return {
        "encoder": (nn.TransformerEncoderLayer(
            256, 8, 1024, activation="gelu", batch_first=True),
            (r(8, 64, 256),)),
        "llama": (Llama(), (r(4, 128, 256),)),
        "gpt2": (Gpt2(), (r(4, 128, 256),)),
        "resnet": (BasicBlock(), (r(4, 64, 28, 28),)),
        "se": (SqueezeExcite(), (r(4, 32, 56, 56),)),
        "lstm": (Lstm(), (r(64, 256), r(64, 256), r(64, 256))),
        "vae": (Vae(), (torch.rand(128, 784),)),
        "mlp": (nn.Sequential(nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 64),
                              nn.Tanh(), nn.Linear(64, 1)), (r(256, 64),)),
        "focal": (FocalLoss(), (r(64, 1024), torch.rand(64, 1024).round())),
        "dice": (DiceLoss(), (r(8, 128, 128), torch.rand(8, 128, 128).round())),
        "huber": (HuberLoss(), (r(64, 1024), r(64, 1024))),
        "cross entropy": (CrossEntropy(),
                          (r(256, 128), torch.randint(0, 8000, (256,)))),
    }


def horner(x, *coefficients):
    result = coefficients[-1]
    for one in coefficients[-2::-1]:
        result = result * x + one
    return result


def seawater(s, t, p):
    """The density of seawater (UNESCO 1981) of salinity, degrees Celsius and
    bar: 1062.53817 at 35, 25 and 1000."""
    root = s.sqrt()
    surface = (horner(t, 999.842594, 6.793952e-2, -9.09529e-3, 1.001685e-4,
                      -1.120083e-6, 6.536332e-9)
               + s * horner(t, 0.824493, -4.0899e-3, 7.6438e-5, -8.2467e-7,
                            5.3875e-9)
               + s * root * horner(t, -5.72466e-3, 1.0227e-4, -1.6546e-6)
               + 4.8314e-4 * s * s)
    secant = (horner(t, 19652.21, 148.4206, -2.327105, 1.360477e-2,
                     -5.155288e-5)
              + s * horner(t, 54.6746, -0.603459, 1.09987e-2, -6.167e-5)
              + s * root * horner(t, 7.944e-2, 1.6483e-2, -5.3009e-4))
    a = (horner(t, 3.239908, 1.43713e-3, 1.16092e-4, -5.77905e-7)
         + s * horner(t, 2.2838e-3, -1.0981e-5, -1.6078e-6)
         + 1.91075e-4 * s * root)
    b = (horner(t, 8.50935e-5, -6.12293e-6, 5.2787e-8)
         + s * horner(t, -9.9348e-7, 2.0816e-8, 9.1697e-10))
    return surface / (1 - p / (secant + p * (a + p * b)))


def mixing(t, s, mask):
    """One step of diffusion along surfaces of equal density, on a grid of
    x, y, z: differences of neighbours, slopes that are tapered, fluxes."""
    density = -0.15 * t + 0.78 * s
    down = (density[..., 1:] - density[..., :-1]).clamp(max=-1e-6)
    result = t
    for axis in (0, 1):
        a, b = ((slice(None),) * axis + (one,)
                for one in (slice(1, None), slice(None, -1)))
        across = density[a] - density[b]
        vertical = 0.5 * (down[a] + down[b])
        slope = -across[..., 1:] / vertical
        taper = 0.5 * (1 + torch.tanh((1e-2 - slope.abs()) / 1e-3))
        both = (mask[a] * mask[b])[..., 1:]
        step = (t[a] - t[b])[..., 1:]
        deep = 0.5 * ((t[..., 1:] - t[..., :-1])[a]
                      + (t[..., 1:] - t[..., :-1])[b])
        flux = both * taper * (step + slope * deep)
        inner = (slice(None),) * axis + (slice(1, -1), ...,)
        place = (*inner[:-1], *(slice(None),) * (1 - axis), slice(1, None))
        moved = result.clone()
        moved[place] += 0.1 * (flux[a] - flux[b])
        result = moved
    return result


def oceans(size):
    """Functions of f64 as ocean models have them, and arguments of `size`^3
    elements."""
    def rand(low, high):
        return low + (high - low) * torch.rand(
            (size, size, size), dtype=torch.float64)
    torch.manual_seed(3)
    t, s = rand(0, 30), rand(30, 40)
    return {"equation of state": (seawater, (s, t, rand(0, 1000))),
            "mixing": (mixing, (t, s, rand(0, 1).round()))}


def optimizers():
    """Makers of optimizers, by name."""
    return {
        "Adam": lambda p: torch.optim.Adam(p, foreach=False),
        "AdamW, foreach": lambda p: torch.optim.AdamW(p, foreach=True),
        "SGD": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
        "RMSprop": lambda p: torch.optim.RMSprop(p, centered=True,
                                                 momentum=0.9),
    }
