# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A network, its inputs, and how far off its results may be."""
import dataclasses
import typing

import torch


@dataclasses.dataclass
class Case:
    """`units` and `floor` are one for each output, or one for all: a float is
    right that is within `units` of the last place of the exact one, or of
    `floor` where that is larger. `other` are inputs of the other shapes that
    pnnx is told of, for dynamic axes. `raw` asks for the strings as they are
    before pnnx folds constants, too. `exact` says whether there is a reference
    in f64: there is none where the network names its types."""
    name: str
    module: torch.nn.Module
    inputs: typing.Sequence[torch.Tensor]
    units: typing.Any = 1
    floor: typing.Any = 0
    other: typing.Sequence[torch.Tensor] = ()
    raw: bool = False
    exact: bool = True


class Function(torch.nn.Module):
    """A function as a network."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


CASES = []


def case(name, inputs, **options):
    """Makes a case of a function, or of a class of networks, that follows.
    `inputs` is called with the seed set."""
    def make(network):
        torch.manual_seed(sum(map(ord, name)))
        is_class = isinstance(network, type)
        module = network() if is_class else Function(network)
        other = options.pop("other", lambda: ())
        CASES.append(Case(name, module.eval(), inputs(), other=other(),
                          **options))
        return network
    return make


def normal(*shape, scale=1.0, dtype=torch.float32):
    return (torch.randn(shape) * scale).to(dtype)


def uniform(low, high, *shape, dtype=torch.float32):
    return (torch.rand(shape) * (high - low) + low).to(dtype)


def whole(low, high, *shape, dtype=torch.int64):
    return torch.randint(low, high, shape).to(dtype)


def steps(*shape, scale=1.0):
    """Multiples of 1/8 of both signs, zeros of both signs among them."""
    x = torch.randint(-40, 41, shape) * (scale / 8)
    return torch.where(torch.rand(shape) < 0.05, torch.tensor(-0.0), x)
