"""Functions over pandas' elements and rows: what ``engine=kexpr.jit`` calls."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from ._errors import DTypeError, Unsupported
from ._kernel import compile, options
from ._tables import Arrow, joins_rows
from ._trace import LazyArray, _emit, lazy


class _Columns:
    """Columns as nodes, and what is computed of them."""

    def __init__(self) -> None:
        self.nodes: dict[Any, LazyArray] = {}
        self.arrays: dict[int, Any] = {}  # by the id of a node

    def node(self, series: Any, name: Any) -> LazyArray:
        """The node of a column, whose elements are NumPy's or Arrow's."""
        if name not in self.nodes:
            kind = getattr(series.dtype, "numpy_dtype", series.dtype)
            arrow = hasattr(series.dtype, "pyarrow_dtype")
            if getattr(kind, "kind", "O") not in "biuf" or not (
                    arrow or isinstance(series.dtype, np.dtype)):
                raise DTypeError(f"column {name!r} of type {series.dtype}: only"
                                 " numbers of NumPy or Arrow are compiled")
            node = lazy(np.empty(0, kind) if arrow else series.to_numpy())
            self.nodes[name] = node
            self.arrays[id(node)] = (series.array.__arrow_array__() if arrow
                                     else node._array)
        return self.nodes[name]

    def compute(self, result: Any, index: Any) -> Any:
        """The series of a result that was traced."""
        pandas = importlib.import_module("pandas")
        if isinstance(result, (tuple, list, dict)):
            raise Unsupported("a function that gives several values for a row")
        text, leaves, _ = _emit([lazy(result)])
        if any(id(leaf) not in self.arrays and np.ndim(leaf._array)
               for leaf in leaves.values()):
            raise Unsupported("an array from around a function of rows")
        kernel = compile(text, list(leaves))
        if joins_rows(kernel, *(leaf.dtype for leaf in leaves.values())):
            raise Unsupported("a function of rows or elements that reduces; "
                              "write it over the frame's columns")
        arrays = [self.arrays.get(id(leaf), leaf._array)
                  for leaf in leaves.values()]
        if all(isinstance(one, np.ndarray) for one in arrays):
            return pandas.Series(np.broadcast_to(kernel(*arrays), len(index)),
                                 index)
        arrow = importlib.import_module("pyarrow")
        values = Arrow(kernel)(*(arrow.array(np.atleast_1d(one))
                                 if isinstance(one, np.ndarray) else one
                                 for one in arrays))
        return pandas.Series(values, index,
                             dtype=pandas.ArrowDtype(values.type))


class _Row:
    """A row, as a function of rows sees it: its elements are whole columns, of
    the type that rows of the frame have."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self._columns = _Columns()
        kind = frame.iloc[:0].to_numpy().dtype
        self._kind = kind if kind.kind in "iuf" else None

    def __getitem__(self, name: Any) -> LazyArray:
        series = self._frame[name]
        if series.ndim != 1:
            raise KeyError(f"{name!r} is no single column")
        node = self._columns.node(series, name)
        if self._kind is None or self._kind == node.dtype:
            return node
        return node.astype(self._kind)

    def __getattr__(self, name: str) -> LazyArray:
        if name not in self._frame.columns:
            raise AttributeError(f"a row has no column {name!r}, and no "
                                 "methods in a function that is compiled")
        return self[name]


def map(data: Any, func: Callable[..., Any], args: tuple[Any, ...],
        kwargs: dict[str, Any], decorator: Any, skip_na: bool) -> Any:
    """``Series.map``: a function of elements."""
    columns = _Columns()
    node = columns.node(data, data.name)
    with options(**getattr(decorator, "keywords", {})):
        result = func(node, *args, **kwargs)
        if skip_na and isinstance(data.dtype, np.dtype) and (
                data.dtype.kind == "f"):
            result = np.where(np.isnan(node), node, result)
        return columns.compute(result, data.index)


def apply(data: Any, func: Callable[..., Any], args: tuple[Any, ...],
          kwargs: dict[str, Any], decorator: Any, axis: Any) -> Any:
    """``DataFrame.apply``: a function of rows, or with ``raw=True`` of the
    arrays along an axis."""
    over_rows = axis in (1, "columns")
    if isinstance(data, np.ndarray):
        return np.apply_along_axis(
            decorator(lambda array: func(array, *args, **kwargs)),
            int(over_rows), data)
    if not over_rows:
        raise Unsupported("a function of columns: pass raw=True, and it is "
                          "one of arrays, whose methods are NumPy's")
    row = _Row(data)
    with options(**getattr(decorator, "keywords", {})):
        return row._columns.compute(func(row, *args, **kwargs), data.index)
