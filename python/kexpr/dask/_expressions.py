"""The same for Dask's expression arrays (`array.query-planning`), whose
expressions are fused before they become tasks."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from dask import _expr  # type: ignore[import, unused-ignore]
from dask._expr import (  # type: ignore[import, unused-ignore]
    Expr, _ExprSequence)
from dask._task_spec import (  # type: ignore[import, unused-ignore]
    Task, TaskRef)
from dask.array._array_expr._blockwise import (  # type: ignore
    Blockwise)
from dask.array._array_expr._expr import (  # type: ignore
    ArrayExpr)

from .._core import Kernel
from .._trace import _NUMBERS
from ._graph import Subgraph, rewritten

# Several expressions, each an operand; Dask before 2026.7 has the first alone.
_SEQUENCES = (_ExprSequence, *filter(None, [
    getattr(_expr, "CompositeExpr", None)]))

# An expression beside another one of its name, of which Dask has one.
_new: Any = Expr.__new__


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
            or len(set(one.out_ind)) < len(one.out_ind)):
        return None
    parts: list[Any] = []
    found: dict[Any, Any] = {}
    for place, (part, axes) in enumerate(zip(one.args[::2], one.args[1::2])):
        key: Any = (one._name, place)
        if isinstance(part, ArrayExpr):
            # Axes are counted from the last, as NumPy does.
            ndim = len(part.chunks)
            if axes is None or ndim > len(one.out_ind) or tuple(axes) != tuple(
                    one.out_ind)[len(one.out_ind) - ndim:]:
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
        return _new(cls, *args, **given)


class Plan:
    """The tasks of expressions that are computed together, by the name of the
    expression, and what these need."""

    def __init__(self, outputs: list[Any]) -> None:
        self.outputs = outputs

    def __reduce__(self) -> Any:
        return Plan, (self.outputs,)

    @functools.cached_property
    def layers(self) -> dict[str, tuple[dict[Any, Any], list[Any]]]:
        ordered = _all(self.outputs)
        try:
            return dict(self._fused(ordered))
        except Exception:  # What Dask computes without, it computes with.
            return {one._name: _plain(one) for one in ordered}

    def _fused(self, ordered: list[Any]) -> Iterator[Any]:
        values: dict[Any, Any] = {}
        tasks = {one._name: task for one in ordered
                 if (task := _task(one, values)) is not None}
        graph = Subgraph(tasks, {key: value for key, value in values.items()
                                 if type(value) in _NUMBERS})
        # Whose loop it is computed in; None for more than one's, and for an
        # array of fewer chunks, which each of the others' would compute again.
        owner: dict[str, str | None] = {one._name: None
                                        for one in self.outputs}
        for one in reversed(ordered):
            name = one._name
            if name not in graph.traced or owner[name] is None:
                owner[name] = name
            for part in one.dependencies():
                loop = owner[name] if name in graph.traced and (
                    part.numblocks == one.numblocks) else None
                if owner.setdefault(part._name, loop) != loop:
                    owner[part._name] = None
        roots = {name for name in graph.traced if owner[name] == name}
        for one in reversed(ordered):
            made = None
            if one._name in roots:
                made, inside = graph.root(one._name, roots)
                # Without a kernel, what would have been inside is computed.
                roots |= inside.keys() if made is None else set()
            if made is None:
                if one._name in roots or one._name not in graph.traced:
                    yield one._name, _plain(one)
                continue
            args = [values[part.key] for part in made.args]
            pairs = [(part, _axes(len(part.chunks)) if isinstance(
                part, ArrayExpr) else None) for part in args]
            loop = Loop(made.func, _axes(len(one.out_ind)), one._name, None,
                        None, None, {}, False, None, None, {},
                        *(word for pair in pairs for word in pair))
            yield one._name, (loop._layer(), [
                part for part in args if isinstance(part, ArrayExpr)])


def _plain(one: Any) -> tuple[dict[Any, Any], list[Any]]:
    """What Dask has of an expression, with kernels on one thread."""
    layer = one._layer()
    if isinstance(getattr(one, "func", None), Kernel):
        layer = {key: rewritten(task, {}) for key, task in layer.items()}
    return layer, one.dependencies()


class Kernels(ArrayExpr):  # type: ignore[misc, unused-ignore]
    """An expression whose elementwise parts are kernels, with the name, the
    chunks and the keys of the expression, by the plan of all outputs."""

    _parameters = ["made", "plan"]

    def __new__(cls, *args: Any, **given: Any) -> Any:
        return _new(cls, *args, **given)

    def __reduce__(self) -> Any:
        return Kernels, (self.made, self.plan)

    def __dask_tokenize__(self) -> Any:
        return self.made.deterministic_token

    @functools.cached_property
    def _name(self) -> str:
        return str(self.made._name)

    @functools.cached_property
    def chunks(self) -> Any:
        return self.made.chunks

    @functools.cached_property
    def _meta(self) -> Any:
        return self.made._meta

    @functools.cached_property
    def dtype(self) -> Any:
        return self.made.dtype

    def dependencies(self) -> list[Any]:
        return []

    def _itself(self, *args: Any, **given: Any) -> Any:
        return self

    simplify = lower_once = lower_completely = rewrite = _itself

    @functools.cached_property
    def _tasks(self) -> dict[Any, Any]:
        tasks: dict[Any, Any] = {}
        pending = [self.made]
        done: set[str] = set()
        while pending:
            name = pending.pop()._name
            if name not in done:
                done.add(name)
                layer, parts = self.plan.layers[name]
                tasks.update(layer)
                pending.extend(parts)
        return tasks

    def _layer(self) -> dict[Any, Any]:
        return self._tasks


def fused(made: Any) -> Any:
    """What Dask has optimised, with kernels."""
    plan = Plan([])

    def planned(one: Any) -> Any:
        if isinstance(one, _SEQUENCES):
            return type(one)(*map(planned, one.operands))
        if not isinstance(one, ArrayExpr) or isinstance(one, Kernels):
            return one
        plan.outputs.append(one)
        return Kernels(one, plan)
    return planned(made)


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
