"""Kernels over the columns of tables, as other engines call them: arrays by
name, Arrow's arrays, and expressions of polars."""

from __future__ import annotations

import functools
import importlib
import inspect
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _core
from ._core import Kernel
from ._errors import ArityError, DTypeError, ShapeError


class Columns:
    """A function of a batch, which is columns by name: what
    `Kernel.columns` gives."""

    def __init__(self, kernel: Kernel, out: str | Sequence[str]) -> None:
        self.kernel = kernel
        self.out = (out,) if isinstance(out, str) else tuple(out)

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, Any]:
        results = self.kernel(*(batch[name] for name in self.kernel.operands))
        every = results if isinstance(results, tuple) else (results,)
        if len(every) != len(self.out):
            raise ArityError(f"{len(self.out)} names for {len(every)} outputs")
        named = dict(zip(self.out, every))
        if all(np.ndim(one) == 0 for one in every):
            return {name: np.reshape(one, 1) for name, one in named.items()}
        return {**batch, **named}


@functools.cache
def _elements() -> dict[int, np.dtype[Any]]:
    """The types of elements by the numbers of Arrow types."""
    arrow = importlib.import_module("pyarrow")
    names = ("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 "
             "float32 float64")
    return {arrow.from_numpy_dtype(name).id: np.dtype(name)
            for name in names.split()}


def _flat(column: Any) -> Any:
    """An array of Arrow in one piece."""
    if not hasattr(column, "num_chunks"):
        return column
    return (column.chunk(0) if column.num_chunks == 1
            else column.combine_chunks())


def _values(column: Any) -> np.ndarray[Any, Any]:
    """The elements, where they lie; what is null is anything."""
    dtype = _elements().get(column.type.id)
    if dtype is None:
        raise DTypeError(f"Arrow arrays of type {column.type} are not "
                         "supported")
    if dtype.kind == "b":  # bits
        column = column.cast("uint8")
    if not len(column):
        return np.empty(0, dtype)
    return np.frombuffer(column.buffers()[1], dtype, len(column),
                         column.offset * dtype.itemsize)


def joins_rows(kernel: Kernel, *dtypes: Any) -> bool:
    """Whether a row's result depends on others, for operands of these types."""
    kernel.result_type(*dtypes)
    called = re.findall(r"\w+(?=\()", _core.facts(kernel)["canonical"])
    return not {name for name, _, _, kind, _ in _core.operators()
                if kind == "rows"}.isdisjoint(called)


class Arrow:
    """A function of Arrow's arrays: what `Kernel.arrow` gives."""

    def __init__(self, kernel: Kernel, scalar: bool = False) -> None:
        arrow = importlib.import_module("pyarrow")
        self.kernel, self.scalar = kernel, scalar
        # DuckDB and Spark ask how many columns there are, Spark for types.
        names = [name if name.isidentifier() else f"_{i}"
                 for i, name in enumerate(kernel.operands)]
        result = arrow.Scalar if scalar else arrow.Array
        self.__annotations__ = {**dict.fromkeys(names, arrow.Array),
                                "return": result}
        self.__signature__ = inspect.Signature(
            [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY,
                               annotation=arrow.Array) for name in names],
            return_annotation=result)
        self._arrow = arrow
        self._joins: bool | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Arrow, (self.kernel, self.scalar)

    def __repr__(self) -> str:
        return f"<{self.kernel!r} over Arrow's arrays>"

    def __call__(self, *columns: Any) -> Any:
        arrays = [_flat(column) for column in columns]
        operands = [_values(column) for column in arrays]
        nulls = [column for column in arrays if column.null_count]
        if not nulls:
            return self._compute(operands)
        valid = self._valid(nulls, max(map(len, operands)))
        if self._joins is None:
            self._joins = joins_rows(self.kernel,
                                     *(one.dtype for one in operands))
        if not self._joins:
            return self._compute(operands, valid)
        # What is null is no element of a sum.
        kept = valid.to_numpy(zero_copy_only=False)
        result = self._compute([one[kept] if len(one) == len(kept) else one
                                for one in operands])
        if self.scalar:
            return result
        places = np.where(kept, np.cumsum(kept) - 1, 0)
        return result.take(self._arrow.array(places, mask=~kept))

    def _valid(self, columns: Sequence[Any], rows: int) -> Any:
        """Where none is null, as new bools of Arrow; a column that is shorter
        is a single null for all rows."""
        compute = importlib.import_module("pyarrow.compute")
        return functools.reduce(compute.and_, [
            column.is_valid() if len(column) == rows
            else self._arrow.repeat(False, rows) for column in columns],
            self._arrow.repeat(True, rows))

    def _compute(self, operands: Sequence[Any], valid: Any = None) -> Any:
        arrow = self._arrow
        if not all(map(len, operands)):  # no rows are null, as in SQL
            kind = arrow.from_numpy_dtype(
                self.kernel.result_type(*(one.dtype for one in operands)))
            return arrow.scalar(None, kind) if self.scalar else arrow.nulls(
                0, kind)
        result = self.kernel(*operands)
        if isinstance(result, tuple):
            raise ArityError(f"{len(result)} outputs for one Arrow array")
        if self.scalar != (result.ndim == 0):
            raise ShapeError("an array where scalar=True" if self.scalar else
                             "a number for all rows, without scalar=True")
        if self.scalar:
            return arrow.array(result.reshape(1))[0]
        kind = arrow.from_numpy_dtype(result.dtype)
        elements = (arrow.array(result).buffers()[1]
                    if result.dtype.kind == "b" else arrow.py_buffer(result))
        bits = None if valid is None else valid.buffers()[1]
        return arrow.Array.from_buffers(kind, len(result), [bits, elements])


def polars(kernel: Kernel, *columns: Any, **given: Any) -> Any:
    """`Kernel.polars`."""
    arrow = importlib.import_module("pyarrow")
    module = importlib.import_module("polars")
    function = Arrow(kernel, given.get("returns_scalar", False))

    def call(series: Sequence[Any]) -> Any:
        result = function(*(one.to_arrow() for one in series))
        if function.scalar:
            result = arrow.array([result], result.type)
        return module.from_arrow(result)

    return module.map_batches(list(columns or kernel.operands), call, **given)
