"""Typed trees by NumPy, one operation after the other: what complex numbers
and strings need, and constants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._typed import ASTNode
from .interpreter import allaxes

DTYPES: dict[str, Any] = {
    "b": np.dtype(bool), "i": np.dtype(np.int32), "l": np.dtype(np.int64),
    "f": np.dtype(np.float32), "d": np.dtype(np.float64),
    "c": np.dtype(np.complex128)}

_NAMES = {
    "add": "add", "sub": "subtract", "mul": "multiply", "div": "divide",
    "pow": "power", "mod": "mod", "floordiv": "floor_divide",
    "lshift": "left_shift", "rshift": "right_shift", "and": "bitwise_and",
    "or": "bitwise_or", "xor": "bitwise_xor", "eq": "equal",
    "ne": "not_equal", "gt": "greater", "ge": "greater_equal",
    "neg": "negative", "invert": "invert"}


_OTHERS: dict[str, Callable[..., Any]] = {
    "cast": np.asarray,
    "complex": lambda re, im: re + 1j * im,
    "contains": lambda texts, parts: np.char.find(texts, parts) >= 0,
    "sum": np.sum, "prod": np.prod,
    "min": np.fmin.reduce, "max": np.fmax.reduce}


def _operation(node: ASTNode, values: dict[int, Any]) -> Any:
    name = node.name
    function: Any = _OTHERS.get(name) or getattr(np, _NAMES.get(name, name))
    parts = [values[id(child)] for child in node.arguments]
    axis = node.axis
    if axis is None:
        return function(*parts)
    return function(*parts, axis=None if axis == allaxes else axis)


def compute(root: ASTNode, names: Sequence[str], arrays: Sequence[Any]) -> Any:
    """The value of a typed tree."""
    operands = dict(zip(names, arrays))
    values: dict[int, Any] = {}
    with np.errstate(all="ignore"):
        for node in root.postorderWalk():
            if node.astType == "raw":
                continue
            if node.astType == "op":
                value = _operation(node, values)
            elif node.astType == "variable":
                value = operands[node.value]
            else:
                value = node.value
                if isinstance(value, str):
                    value = value.encode("ascii")
            values[id(node)] = np.asarray(value, DTYPES.get(node.typecode()))
    return values[id(root)]
