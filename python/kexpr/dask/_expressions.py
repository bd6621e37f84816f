"""The same for Dask's expression arrays (`array.query-planning`), whose
expressions are fused before they become tasks."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from dask._expr import (  # type: ignore[import, unused-ignore]
    CompositeExpr, Expr, _ExprSequence)
from dask._task_spec import Task, TaskRef  # type: ignore[import, unused-ignore]
from dask.array._array_expr._blockwise import (  # type: ignore[import, unused-ignore]
    Blockwise)
from dask.array._array_expr._expr import (  # type: ignore[import, unused-ignore]
    ArrayExpr)

from .._trace import _NUMBERS
from ._graph import Subgraph


def _axes(ndim: int) -> tuple[int, ...]:
    """The indices of an array whose axes are counted from the last."""
    return tuple(range(ndim))[::-1]


def _all(expressions: Any) -> list[Any]:
    """Expressions, and all that they depend on, before what depends on it."""
    done: dict[str, Any] = {}
    pending = list(expressions)
    while pending:
        one = pending[-1]
        missing = () if one._name in done else [
            part for part in one.dependencies() if part._name not in done]
        if missing:
            pending.extend(missing)
            continue
        pending.pop()
        done.setdefault(one._name, one)
    return list(done.values())


def _task(one: Any, outside: dict[Any, Any]) -> Task | None:
    """An expression as a task of whole arrays; None where chunks are not made
    of the chunks of the same place. `outside` gets its arrays and numbers."""
    if (not isinstance(one, Blockwise) or one.new_axes or one.adjust_chunks
            or tuple(one.out_ind) != _axes(one.ndim)):
        return None
    parts: list[Any] = []
    found: dict[Any, Any] = {}
    for place, (part, axes) in enumerate(zip(one.args[::2], one.args[1::2])):
        key = (one._name, place)
        if isinstance(part, ArrayExpr):
            if axes is None or tuple(axes) != _axes(part.ndim):
                return None
            key = part._name
        elif axes is not None:
            return None
        elif type(part) not in _NUMBERS and not isinstance(part, np.generic):
            parts.append(part)
            continue
        found[key] = part
        parts.append(TaskRef(key))
    outside.update(found)
    return Task(one._name, one.func, *parts, **one.kwargs)


class Loop(Blockwise):  # type: ignore[misc, unused-ignore]
    """Elementwise operations in one, by the name of the last of them."""

    def __new__(cls, *args: Any, **given: Any) -> Any:
        # Dask has one expression a name.
        return Expr.__new__(cls, *args, **given)


class Kernels(ArrayExpr):  # type: ignore[misc, unused-ignore]
    """An expression whose elementwise parts are kernels. It has the name, the
    chunks and the keys of the expression, which is its first operand; the
    others are computed at the same time."""

    _parameters = ["made"]

    def __new__(cls, *args: Any, **given: Any) -> Any:
        return Expr.__new__(cls, *args, **given)

    @functools.cached_property
    def _name(self) -> str:
        return str(self.made._name)

    @functools.cached_property
    def chunks(self) -> Any:
        return self.made.chunks

    @functools.cached_property
    def _meta(self) -> Any:
        return self.made._meta

    def dependencies(self) -> list[Any]:
        return []

    def _layers(self) -> Iterator[Any]:
        ordered = _all(self.operands)
        values: dict[Any, Any] = {}
        tasks = {one._name: task for one in ordered
                 if (task := _task(one, values)) is not None}
        graph = Subgraph(tasks, {key: value for key, value in values.items()
                                 if type(value) in _NUMBERS})
        # Whose loop it is computed in; None for more than one's.
        owner: dict[str, str | None] = {one._name: None
                                        for one in self.operands}
        for one in reversed(ordered):
            name = one._name
            if name not in graph.traced or owner[name] is None:
                owner[name] = name
            for part in one.dependencies():
                loop = owner[name] if name in graph.traced else None
                if owner.setdefault(part._name, loop) != loop:
                    owner[part._name] = None
        roots = {name for name in graph.traced if owner[name] == name}
        pending = [self.made]
        done: set[str] = set()
        while pending:
            one = pending.pop()
            if one._name in done:
                continue
            done.add(one._name)
            parts = one.dependencies()
            made = None
            if one._name in roots:
                made, inside = graph.root(one._name, roots)
                # Without a kernel, what would have been inside is computed.
                roots |= inside.keys() if made is None else set()
            if made is None:
                yield one._layer()
            else:
                names = [part.key for part in made.args]
                args = [values[name] for name in names]
                parts = [part for part in args if isinstance(part, ArrayExpr)]
                pairs = [(part, _axes(part.ndim) if isinstance(part, ArrayExpr)
                          else None) for part in args]
                yield Loop(
                    made.func, _axes(one.ndim), one._name, None, one.dtype,
                    None, {}, False, None, one._meta, {},
                    *(word for pair in pairs for word in pair))._layer()
            pending.extend(parts)

    def _layer(self) -> dict[Any, Any]:
        made: dict[Any, Any] = {}
        for layer in self._layers():
            made.update(layer)
        return made


def fused(made: Any) -> Any:
    """What Dask has optimised, with kernels."""
    if isinstance(made, Kernels):
        return made
    if isinstance(made, ArrayExpr):
        return Kernels(made)
    if isinstance(made, (_ExprSequence, CompositeExpr)):
        arrays = [one for one in made.operands if isinstance(one, ArrayExpr)
                  and not isinstance(one, Kernels)]
        return type(made)(*(
            Kernels(one, *(other for other in arrays if other is not one))
            if any(one is array for array in arrays)
            else fused(one) if isinstance(one, Expr) else one
            for one in made.operands))
    return made


def install(is_enabled: Callable[[], bool]) -> None:
    """Has Dask's optimisation of expressions end with `fused` where it is
    enabled. There is no setting for that."""
    def with_kernels(optimize: Any) -> Any:
        @functools.wraps(optimize)
        def wrapper(self: Any, *args: Any, **given: Any) -> Any:
            made = optimize(self, *args, **given)
            return fused(made) if is_enabled() else made
        return wrapper
    for kind in (Expr, ArrayExpr):
        kind.optimize = with_kernels(kind.optimize)
