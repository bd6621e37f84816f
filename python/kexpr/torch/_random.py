"""Random numbers that are hashes of counters, instead of drawn in turn."""

from __future__ import annotations

import math
from typing import Any

from ._host import aten, torch


def _mixed(x: Any) -> Any:
    """A hash of 32 bits, whose constants are Wellons' (lowbias32)."""
    for shift, factor in ((16, 2146121005), (15, 2221713035 - 2**32), (16, 1)):
        x = (x ^ x >> shift & 2 ** (32 - shift) - 1) * factor
    return x


def dropout(self: Any, p: float, train: Any) -> Any:
    """`native_dropout` by 32 bits for each element, two hashes of its number
    and of halves of a key that PyTorch's generator draws. The number is the sum
    of one of a row and one of a column, which stay in the cache."""
    shape, at, inner = self.shape, self.dim(), 1
    while at and isinstance(inner, int) and inner < 512:
        at -= 1
        inner *= shape[at]
    if not (train and 0 < p < 1 and 0 < self.numel() < 2**31
            and self.is_cpu and self.is_floating_point()):
        return NotImplemented  # As PyTorch has it.
    key = aten.randint.low(-2**31, 2**31, [2], dtype=torch.int32)
    rows, columns = (torch.arange(0, end, step, dtype=torch.int32) for end, step
                     in ((math.prod(shape[:at]) * inner, inner), (inner, 1)))
    number = rows.view(*shape[:at], *(1,) * (self.dim() - at)) + columns.view(
        *(1,) * at, *shape[at:])
    # It has the tensor's memory format.
    number = torch.zeros_like(self, dtype=torch.int32) + number
    bits = _mixed(_mixed(number ^ key[0]) ^ key[1])
    mask = bits >= round(p * 2**32) - 2**31
    return self * mask * (1 / (1 - p)), mask
