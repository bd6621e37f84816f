"""The pass over the layers of Dask's arrays that has its own sums and means
rounded once: their chunks give states, which are merged."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from dask._task_spec import Task  # type: ignore[import, unused-ignore]
from dask.array import chunk  # type: ignore[import, unused-ignore]
from dask.array.core import (  # type: ignore[import, unused-ignore]
    _concatenate2)
from dask.array.reductions import (  # type: ignore[import, unused-ignore]
    mean_agg, mean_chunk, mean_combine)
from dask.blockwise import Blockwise  # type: ignore[import, unused-ignore]
from dask.core import flatten  # type: ignore[import, unused-ignore]
from dask.highlevelgraph import (  # type: ignore[import, unused-ignore]
    HighLevelGraph, MaterializedLayer)
from toolz.functoolz import Compose  # type: ignore[import, unused-ignore]

from .. import _core
from .._core import Kernel
from .._kernel import compile
from ._graph import unwrapped
from ._sums import flat, merged, state_of

# By function of a chunk: the sums of it, in a type that stands for {}.
_TEXTS = {
    (np.sum,): "sum({}(x), axis=(0,), keepdims=True)",
    (np.nansum,): "sum(where(isnan(x), 0, {}(x)), axis=(0,), keepdims=True)",
    (mean_chunk,): "mean({}(x), axis=(0,), keepdims=True)",
    (mean_chunk, chunk.nansum):
        "here = ~isnan(x); [sum(where(here, float64(x), 0), axis=(0,), "
        "keepdims=True), sum(float64(here), axis=(0,), keepdims=True)]",
}


@functools.lru_cache(256)
def _kernel(functions: tuple[Any, ...], dtype: str,
            axis: tuple[int, ...]) -> Kernel:
    text = _TEXTS[functions].replace("(0,)", str(axis)).format(dtype)
    return compile(text, "x", precision="accurate")


def _chunk(x: Any, *, task: Any, functions: tuple[Any, ...], **given: Any
           ) -> Any:
    """A chunk's state; what Dask has of it where there is none."""
    if type(x) is np.ndarray and x.dtype.kind == "f" and x.dtype.itemsize <= 8:
        return state_of(x, kernel=_kernel(
            functions, np.dtype(given["dtype"]).name, tuple(given["axis"])))
    return task(x, **given)


def _aggregate(parts: Any, *, task: Any, is_last: bool, axis: Any,
               keepdims: bool, dtype: Any) -> Any:
    """The state of parts, or their result."""
    if not all(isinstance(one, bytes) for one in flat(parts)):
        return task(parts)
    state = merged(parts)
    if not is_last:
        return state
    total, *counts = _core.finish_sums(state)
    if counts:
        with np.errstate(divide="ignore", invalid="ignore"):
            total = total / counts[0]
    total = total.astype(dtype, copy=False)
    return total if keepdims else total.squeeze(tuple(axis))[()]


def _chunk_task(layer: Any) -> Any:
    """The task of a layer of chunks that gives states; None for others."""
    if not isinstance(layer, Blockwise):
        return None
    function, args, given = unwrapped(layer.task)
    inner = given.pop("sum", None)
    given.pop("numel", None)
    functions = (function,) if inner in (None, chunk.sum) else (function, inner)
    if functions not in _TEXTS or set(given) != {
            "dtype", "axis", "keepdims"} or given["keepdims"] is not True or (
            np.dtype(given["dtype"]).kind != "f" or len(args) != 1):
        return None
    return Task(layer.task.key, _chunk, *args, task=layer.task.func,
                functions=functions, **given)


def _aggregation(layer: Any) -> dict[str, Any] | None:
    """Axes, keepdims and type of a layer that aggregates; None for others."""
    if not isinstance(layer, MaterializedLayer) or not layer.mapping:
        return None
    task = next(iter(layer.mapping.values()))
    if not isinstance(task, tuple) or len(task) != 2:
        return None
    function: Any = task[0]
    given: dict[str, Any] = {}
    if isinstance(function, Compose):
        if getattr(function.first, "func", None) is not _concatenate2 or len(
                function.funcs) != 1:
            return None
        function = function.funcs[0]
        known: tuple[Any, ...] = (np.sum,)
    else:
        known = (mean_combine, mean_agg)
    while isinstance(function, functools.partial):
        given = {**function.keywords, **given}
        function = function.func
    return {name: given.get(name) for name in (
        "axis", "keepdims", "dtype")} if function in known else None


def exact(dsk: Any, keys: Any) -> Any:
    """A graph of layers whose sums and means of floating point are exact until
    their end."""
    if not isinstance(dsk, HighLevelGraph):
        return dsk
    asked = {key[0] if isinstance(key, tuple) else key for key in flatten(keys)}
    aggregations = {name: found for name, layer in dsk.layers.items()
                    if (found := _aggregation(layer)) is not None}
    dependents = dsk.dependents

    @functools.cache
    def may_be_state(name: str) -> bool:
        users = dependents[name]
        return bool(users) and name not in asked and all(
            user in aggregations and (
                "-aggregate-" in user or may_be_state(user)) for user in users)

    layers = dict(dsk.layers)
    for name, layer in dsk.layers.items():
        task = _chunk_task(layer)
        if task is not None and may_be_state(name):
            layers[name] = Blockwise(
                layer.output, layer.output_indices, task, layer.indices,
                layer.numblocks, layer.concatenate, layer.new_axes,
                layer.output_blocks, layer.annotations, layer.io_deps)
    for name, given in aggregations.items():
        is_last = not ("-partial-" in name and may_be_state(name))
        layers[name] = MaterializedLayer({
            key: (functools.partial(_aggregate, task=function,
                                    is_last=is_last, **given), parts)
            for key, (function, parts) in dsk.layers[name].mapping.items()},
            annotations=dsk.layers[name].annotations)
    return HighLevelGraph(layers, dsk.dependencies)
