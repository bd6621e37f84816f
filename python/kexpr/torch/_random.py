"""Random numbers that are hashes of counters, instead of drawn in turn."""

from __future__ import annotations

import importlib
import math
from typing import Any

from .._kernel import compile as _compile
from ._host import aten, torch

# Two rounds of a hash of 32 bits whose constants are Wellons' (lowbias32), each
# behind a half of the key.
_SHIFTED = "xor({{last}},rshift({{last}},{}))".format
_ROUND = [_SHIFTED(16), "mul({last},2146121005)", _SHIFTED(15),
          "mul({last},2221713035)", _SHIFTED(16)]
HASH = ["xor(torch.uint32(add({2},{3})),torch.uint32({0}))", *_ROUND,
        "xor({last},torch.uint32({1}))", *_ROUND, "torch.int({last})"]


def listed(steps: list[str], parts: list[str], begin: int) -> list[str]:
    """Lines of a kernel, the first of which has a number, of steps that have
    {0}, {1}... where parts stand, and {last} for the value before."""
    return [f"%{at} = {one.format(*parts, last=f'%{at - 1}')}"
            for at, one in enumerate(steps, begin)]


def _described(*given: Any) -> Any:
    return torch.empty_like(given[4], dtype=torch.int32)


def _computed(*given: Any) -> Any:
    lines = listed(HASH, ["@0", "@1", "@2", "@3"], 0)
    kernel = _compile(";".join([*lines, f"%{len(lines) - 1}"]), syntax="pnnx")
    return _described(*given).copy_(kernel(*given[:4]))


importlib.import_module("torch.library").custom_op(
    "kexpr_torch::random", _computed, mutates_args=(), schema="(Tensor first, "
    "Tensor second, Tensor rows, Tensor columns, Tensor like) -> Tensor"
).register_fake(_described)


def dropout(self: Any, p: float, train: Any) -> Any:
    """`native_dropout` by 32 bits for each element, of its number and of a key
    that PyTorch's generator draws. The number is the sum of one of a row and
    one of a column, which stay in the cache."""
    shape, at, inner = self.shape, self.dim(), 1
    while at and isinstance(inner, int) and inner < 512:
        at -= 1
        inner *= shape[at]
    if not (train and 0 < p < 1 and 0 < self.numel() < 2**31
            and self.is_cpu and self.is_floating_point()):
        return NotImplemented  # As PyTorch has it.
    key = aten.randint.low(-2**31, 2**31, [2], dtype=torch.int32)
    rows = torch.arange(0, math.prod(shape[:at]) * inner, inner,
                        dtype=torch.int32)
    columns = torch.arange(inner, dtype=torch.int32)
    bits = torch.ops.kexpr_torch.random(
        key[0], key[1], rows.view(*shape[:at], *(1,) * (self.dim() - at)),
        columns.view(*(1,) * at, *shape[at:]), self)
    mask = bits >= round(p * 2**32) - 2**31
    return self * mask * (1 / (1 - p)), mask
