"""Sums and means over the chunks of Dask's arrays, which are rounded once, at
the end, and so depend on no chunks."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import dask.array as da  # type: ignore[import, unused-ignore]
import numpy as np

from .. import _core
from .._core import Kernel
from .._errors import Unsupported
from .._kernel import _load, _state, are_outermost, compile, options

_ACCURATE = 1


def _accurate(kernel: Kernel) -> Kernel:
    """The kernel, at the precision whose sums have states."""
    state = list(_state(kernel))
    state[2] = _ACCURATE
    return _load(*state)


def state_of(*arrays: Any, kernel: Kernel) -> bytes:
    """What the sums of a kernel are of chunks."""
    with options(threads=1):
        return _core.sum_state(kernel, *arrays)


def flat(parts: Any) -> Iterator[Any]:
    """What is in nested lists."""
    if isinstance(parts, list):
        for part in parts:
            yield from flat(part)
    else:
        yield parts


def _same(state: bytes, axis: Any, keepdims: Any) -> bytes:
    return state


def merged(parts: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """One state of those in nested lists; Dask asks with empty arrays, too."""
    if isinstance(parts, np.ndarray):
        return parts
    first, *rest = flat(parts)
    return _core.merge_sums(first, rest)


def _finished(parts: Any, axis: Any, keepdims: Any, output: int = 0) -> Any:
    state = merged(parts, axis, keepdims)
    return (_core.finish_sums(state)[output][()] if isinstance(state, bytes)
            else state)


def _axes_of(shape: tuple[int, ...], sizes: list[int]) -> tuple[
        tuple[int, ...], bool]:
    """The axes that a result of this shape lacks, and whether it has axes of
    one element instead, where all sizes differ and none is 1."""
    axes = tuple(axis for axis, size in enumerate(sizes) if size not in shape)
    return axes, len(shape) == len(sizes)


def reduced(kernel: Kernel, values: list[Any]) -> Any:
    """A kernel of sums, of arrays or numbers."""
    one = _accurate(kernel)
    full = np.broadcast_shapes(*(getattr(one, "shape", ()) for one in values))
    axes = tuple(range(len(full)))
    # Small arrays tell which axes are left.
    sizes = [2 + axis for axis in axes]
    samples = [np.ones([size if extent == all_of_it else 1
                        for size, extent, all_of_it
                        in zip(sizes[len(full) - value.ndim:], value.shape,
                               full[len(full) - value.ndim:])], value.dtype)
               if isinstance(value, da.Array) else value for value in values]
    results = one(*samples)
    many = isinstance(results, tuple)
    every = results if many else (results,)
    shapes = {np.shape(result) for result in every}
    _core.sum_state(one, *samples)
    if not are_outermost(one):
        raise Unsupported("over Dask's chunks a kernel has no function over "
                          "axes but sums and means that are its results")
    if len(shapes) > 1:
        raise Unsupported("sums over several axes in one kernel over Dask's "
                          "chunks")
    over, keepdims = _axes_of(shapes.pop(), sizes)
    indexed: list[Any] = []
    for value in values:
        indexed += [value, axes[len(axes) - value.ndim:]
                    if isinstance(value, da.Array) else None]
    states = da.blockwise(state_of, axes, *indexed, kernel=one,
                          token="kexpr-sums",
                          meta=np.empty((0,) * len(axes), object))
    made = tuple(da.reduction(
        states, _same, functools.partial(_finished, output=i), axis=over,
        keepdims=keepdims, dtype=result.dtype, combine=merged,
        concatenate=False, meta=np.empty((0,) * len(axes), result.dtype))
        for i, result in enumerate(map(np.asarray, every)))
    return made if many else made[0]


def _over(name: str, x: Any, axis: Any, keepdims: bool) -> Any:
    x = da.asanyarray(x)
    # Dask's own are exact of integers, and all there is of other types.
    if not x.ndim or x.dtype.kind not in "biuf" or (
            name == "sum" and x.dtype.kind != "f"):
        return getattr(x, name)(axis=axis, keepdims=keepdims)
    axes = tuple(range(x.ndim)) if axis is None else (
        np.lib.array_utils.normalize_axis_tuple(axis, x.ndim))
    kernel = compile(f"{name}(x, axis={axes}, keepdims={keepdims})", "x",
                     precision="accurate")
    kernel(np.ones((1,) * x.ndim, x.dtype))
    return reduced(kernel, [x])


def sum(x: Any, axis: int | tuple[int, ...] | None = None, *,
        keepdims: bool = False) -> Any:
    """The sum of an array of Dask, as one kernel of the precision 'accurate'
    gives it for the array in one piece, bit for bit.

    Parameters
    ----------
    x : dask.array.Array
        The array, of any chunks.
    axis : int or tuple of int, optional
        Over which axes; over all unless given.
    keepdims : bool
        Whether these stay, with one element.
    """
    return _over("sum", x, axis, keepdims)


def mean(x: Any, axis: int | tuple[int, ...] | None = None, *,
         keepdims: bool = False) -> Any:
    """The mean, as `sum` is the sum: one division of the exact sum, rounded
    once."""
    return _over("mean", x, axis, keepdims)
