"""xarray's objects: expressions over the variables of a Dataset.

>>> import xarray as xr, kexpr.xarray
>>> ds = xr.Dataset({"a": ("x", [1.0, 2.0]), "b": ("x", [3.0, 4.0])})
>>> kexpr.xarray.evaluate("a*b + 1", ds).values
array([4., 9.])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import xarray as xr  # type: ignore[import, unused-ignore]

from ._core import Kernel
from ._errors import Unsupported
from ._evaluate import _kernel, _missing
from ._kernel import Precision, is_elementwise

__all__ = ["evaluate"]


def _call(kernel: Kernel, *arrays: Any) -> Any:
    result = kernel(*arrays)
    if not is_elementwise(kernel):
        raise Unsupported("functions over axes of xarray's objects; use the "
                          "methods of the result, which know dimensions")
    return result


def apply(kernel: Kernel, values: Sequence[Any],
          keep_attrs: bool | str | None = None) -> Any:
    """A kernel of xarray's objects, arrays and numbers, by xarray's rules."""
    return xr.apply_ufunc(
        _call, kernel, *values, dask="allowed", keep_attrs=keep_attrs,
        join=xr.get_options()["arithmetic_join"],
        output_core_dims=[()] * kernel.outputs)


def evaluate(text: str, ds: Mapping[Any, Any], /, *,
             keep_attrs: bool | str | None = None,
             precision: Precision | None = None, **others: Any) -> Any:
    """The value of an expression whose names are variables.

    Parameters
    ----------
    text : str
        The expression, element by element.
    ds : Dataset, or mapping
        What names stand for: its variables and coordinates, with Dask's arrays
        inside or any others.
    keep_attrs : bool or str, optional
        As that of `xarray.apply_ufunc`.
    precision : {'default', 'accurate', 'fast'}, optional
        As that of `compile`.
    **others
        Arrays and numbers by name, before those of `ds`.

    Returns
    -------
    DataArray
        Dimensions and coordinates are those that xarray's arithmetic gives; a
        tuple where the text has several results.
    """
    kernel = _kernel(text, "infix", None, precision, (others, ds))
    values = []
    for name in kernel.operands:
        if name not in others and name not in ds:
            raise _missing(text, name)
        values.append(others[name] if name in others else ds[name])
    return apply(kernel, values, keep_attrs)
