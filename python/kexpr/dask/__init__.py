"""Dask's arrays: kernels over their chunks, programs that need no change, and
sums that depend on no chunks.

>>> import dask.array as da, kexpr.dask
>>> x = da.ones((4, 4), chunks=2)
>>> with kexpr.dask.enable():
...     y = (da.sin(x) * 2 + x).compute()
"""

from __future__ import annotations

import operator
from contextlib import AbstractContextManager
from typing import Any

import dask  # type: ignore[import, unused-ignore]
import dask.array as da  # type: ignore[import, unused-ignore]
import numpy as np
from dask.array import optimization  # type: ignore[import, unused-ignore]
from dask.utils import ensure_dict  # type: ignore[import, unused-ignore]

from .._core import Kernel
from .._errors import Unsupported
from .._kernel import is_elementwise
from .._trace import _NUMBERS
from . import _exact, _graph, _sums
from ._sums import mean, sum

__all__ = ["disable", "enable", "mean", "optimize", "sum"]

_KEY = "array_optimize"

_HAS_EXPRESSIONS = bool(getattr(da, "ARRAY_EXPR_ENABLED", False))
if _HAS_EXPRESSIONS:
    try:
        from . import _expressions
        _expressions.install(lambda: dask.config.get(_KEY, None) is optimize)
    except (ImportError, AttributeError):  # of an older Dask: NumPy computes
        pass


# -- Programs that need no change ---------------------------------------------


def optimize(dsk: Any, keys: Any, **given: Any) -> dict[Any, Any]:
    """Dask's own optimisation of graphs of arrays, and then kernels for what is
    elementwise in a task."""
    memo: dict[Any, Any] = {}
    made = ensure_dict(optimization.optimize(dsk, keys, **given))
    return {key: _graph.rewritten(task, memo) for key, task in made.items()}


def optimize_exactly(dsk: Any, keys: Any, **given: Any) -> dict[Any, Any]:
    """The same, with Dask's sums and means rounded once."""
    return optimize(_exact.exact(dsk, keys), keys, **given)


def enable(*, exact_sums: bool = False) -> AbstractContextManager[Any]:
    """Has kexpr compute what is elementwise in the tasks of all of Dask's
    arrays, xarray's among them.

    Parameters
    ----------
    exact_sums : bool
        Whether Dask's `sum` and `mean` of floating point, and those that skip
        NaN, are rounded once, and so depend on no chunks. They take longer.

    Returns
    -------
    context manager
        Leaving its block undoes it; so does `disable`.
    """
    if exact_sums and _HAS_EXPRESSIONS:
        raise Unsupported("exact sums of Dask's expression arrays; "
                          "kexpr.dask.sum computes them")
    made: AbstractContextManager[Any] = dask.config.set({
        _KEY: optimize_exactly if exact_sums else optimize})
    return made


def disable() -> None:
    """Leaves tasks to NumPy again."""
    if dask.config.get(_KEY, None) in (optimize, optimize_exactly):
        del dask.config.config[_KEY]


# -- Kernels of collections ---------------------------------------------------


def _call(*arrays: Any, kernel: Kernel) -> Any:
    """A task: on one thread, as Dask has many of them."""
    return kernel(*arrays, threads=1)


def _apply(kernel: Kernel, *arrays: Any, out: Any = None, where: Any = True,
           threads: int | None = None, **named: Any) -> Any:
    """A call of a kernel with collections of Dask, from C++."""
    if out is not None or where is not True:
        raise Unsupported("out= and where= of a call with Dask's collections")
    given = dict(zip(kernel.operands, arrays), **named)
    values = [given[name] for name in kernel.operands]
    if any(type(one).__module__.startswith("xarray.") for one in values):
        from ..xarray import apply
        return apply(kernel, values)
    values = [one if type(one) in _NUMBERS or isinstance(one, np.generic)
              else da.asanyarray(one) for one in values]
    # A single element tells the types of results.
    results = kernel(*(np.ones((1,) * one.ndim, one.dtype)
                       if isinstance(one, da.Array) else one
                       for one in values))
    if not is_elementwise(kernel):
        return _sums.reduced(kernel, values)
    axes = tuple(range(max(getattr(one, "ndim", 0) for one in values)))[::-1]
    indexed: list[Any] = []
    for one in values:
        indexed += [one, axes[len(axes) - one.ndim:]
                    if isinstance(one, da.Array) else None]
    if not isinstance(results, tuple):
        return da.blockwise(_call, axes, *indexed, kernel=kernel,
                            token="kexpr", meta=np.asarray(results))
    every = da.blockwise(_call, axes, *indexed, kernel=kernel, token="kexpr",
                         meta=np.empty((0,) * len(axes), object))
    return tuple(da.blockwise(operator.getitem, axes, every, axes, i, None,
                              token="kexpr", meta=np.asarray(result))
                 for i, result in enumerate(results))
