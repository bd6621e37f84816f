"""Elementwise operations of a task graph as kernels.

A host that runs NumPy's functions one after the other hands over a sub-graph of
them. Its functions are called with lazy arrays, and what these remember is a
`Fused`: one task, which knows the functions still, for arrays that kexpr does
not compute.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ._core import Kernel
from ._errors import Error
from ._kernel import compile
from ._trace import _NUMBERS, LazyArray, _literal

_OPERATORS = {getattr(operator, name) for name in (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "neg", "pos",
    "abs", "invert", "and_", "or_", "xor", "lshift", "rshift", "lt", "le", "eq",
    "ne", "gt", "ge")}


@functools.cache
def _computes(function: np.ufunc) -> bool:
    """Whether a function of NumPy is one of kexpr's by the same name."""
    name = function.__name__
    if (getattr(np, name, None) is not function or function.nout != 1
            or function.signature is not None):
        return False
    try:
        arrays = [LazyArray("", (), None, f"x{i}")
                  for i in range(function.nin)]
        compile(_text(_steps(function(*arrays), arrays), function.nin)[0])
    except (Error, TypeError):
        return False
    return True


def is_known(function: Any) -> bool:
    """Whether a function of arrays goes element by element, and kexpr computes
    it."""
    try:
        if function in _OPERATORS or function in (np.where, np.clip):
            return True
    except TypeError:  # no hash
        return False
    return isinstance(function, np.ufunc) and _computes(function)


def call(function: Callable[..., Any], *args: Any,
         **given: Any) -> LazyArray | None:
    """What a known function gives for lazy arrays; None where that is nothing
    that kexpr computes."""
    try:
        result = function(*args, **given)
    except (Error, TypeError):
        return None
    return result if isinstance(result, LazyArray) else None


def is_power(function: Any) -> bool:
    """Whether the second of its arguments is an exponent. Of integers NumPy
    refuses some that kexpr has values for."""
    return function in (operator.pow, np.power)


class Step(NamedTuple):
    """An operation: its text, with holes for the values of these numbers, of
    which the operands are the first."""
    form: str
    parts: tuple[int, ...]


def _steps(result: LazyArray, operands: Iterable[LazyArray]) -> tuple[
        Step, ...]:
    """The operations that lead from operands to a result."""
    places = {id(one): place for place, one in enumerate(operands)}
    steps: list[Step] = []
    first = len(places)
    pending = [result]
    while pending:
        node = pending[-1]
        missing = [part for part in node._parts if isinstance(part, LazyArray)
                   and id(part) not in places]
        if missing and id(node) not in places:
            pending.extend(missing[::-1])
            continue
        pending.pop()
        if id(node) in places:
            continue
        words, parts = [], []
        for part in node._parts:
            if isinstance(part, LazyArray):
                parts.append(places[id(part)])
                words.append("{}")
            else:
                words.append(_literal(part))
        places[id(node)] = first + len(steps)
        steps.append(Step(node._form.format(*words), tuple(parts)))
    return tuple(steps)


def _text(steps: tuple[Step, ...], operands: int, wanted: int = -1,
          ready: frozenset[int] = frozenset()) -> tuple[str, list[int]]:
    """The text of a value, and the numbers of those that it is made of: of
    operands, and of others that are `ready`."""
    wanted = operands + len(steps) - 1 if wanted < 0 else wanted
    lines: dict[int, str] = {}
    leaves: list[int] = []
    words: dict[int, str] = {}
    pending = [wanted]
    while pending:
        one = pending[-1]
        if one in words:
            pending.pop()
            continue
        if one < operands or (one in ready and one != wanted):
            words[one] = f"x{len(leaves)}"
            leaves.append(one)
            continue
        step = steps[one - operands]
        missing = [part for part in step.parts if part not in words]
        if missing:
            pending.extend(missing[::-1])
            continue
        words[one] = f"t{len(lines)}"
        lines[one] = step.form.format(*(words[part] for part in step.parts))
    last = lines.pop(wanted)
    return "\n".join([*(f"{words[one]} = {line}"
                        for one, line in lines.items()), last]), leaves


@functools.lru_cache(4096)
def _kernel(text: str, operands: int) -> Kernel:
    return compile(text, [f"x{i}" for i in range(operands)])


class Call(NamedTuple):
    """A call of a kernel: of these values, giving that one."""
    kernel: Kernel
    parts: list[int]
    value: int


@functools.lru_cache(4096)
def _plan(steps: tuple[Step, ...], operands: int,
          shapes: tuple[tuple[int, ...], ...] | None) -> list[Call]:
    """The calls that compute the last step: one, but that values of fewer
    elements than what they are used for are computed by themselves, once for
    each of their elements."""
    ready: set[int] = set()
    last = operands + len(steps) - 1
    if shapes is not None:
        known = list(shapes)
        for step in steps:
            known.append(np.broadcast_shapes(*(known[part]
                                               for part in step.parts)))
        for place, step in enumerate(steps):
            for part in step.parts:
                if part >= operands and known[part] != known[operands + place]:
                    ready.add(part)
    calls = []
    for value in sorted(ready | {last}):
        text, parts = _text(steps, operands, value, frozenset(ready))
        calls.append(Call(_kernel(text, len(parts)), parts, value))
    return calls


def _is_plain(value: Any) -> bool:
    """Whether kexpr computes with it as NumPy does."""
    kind = type(value)
    if kind is np.ndarray or isinstance(value, np.generic):
        return bool(value.dtype.kind in "biuf" and value.dtype.itemsize <= 8)
    if kind is int:
        return bool(-2**63 <= value < 2**63)
    return kind in _NUMBERS


class Tasks:
    """Dask's tasks as a function of the values that they take from outside.
    It is here so that workers need no more of the package."""

    __slots__ = ("tasks", "result", "names")

    def __init__(self, tasks: dict[Any, Any], result: Any,
                 names: tuple[Any, ...]) -> None:
        self.tasks, self.result, self.names = tasks, result, names

    def __call__(self, *arrays: Any) -> Any:
        from dask._task_spec import (  # type: ignore[import, unused-ignore]
            _execute_subgraph)
        return _execute_subgraph(self.tasks, self.result, self.names, *arrays)

    def __reduce__(self) -> Any:
        return Tasks, (self.tasks, self.result, self.names)


class Fused:
    """Operations as one function of what they are made of. It computes them in
    one loop, on one thread, and as they were where there is an array that kexpr
    does not compute with, such as one of complex numbers or masked.

    Parameters
    ----------
    result : LazyArray
        What is computed.
    operands : sequence of LazyArray
        The arguments; any of them may be without use.
    otherwise : callable
        The operations themselves, of the same arguments.
    has_powers : bool
        Whether there are powers that are no numbers.
    """

    __slots__ = ("steps", "used", "otherwise", "has_powers")
    __name__ = "kexpr"  # what Dask shows

    def __init__(self, result: LazyArray, operands: list[LazyArray],
                 otherwise: Callable[..., Any],
                 has_powers: bool = False) -> None:
        steps = _steps(result, operands)
        parts = {part for step in steps for part in step.parts}
        self.used = tuple(i for i in range(len(operands)) if i in parts)
        self.steps = _steps(result, [operands[i] for i in self.used])
        self.otherwise = otherwise
        self.has_powers = has_powers
        compile(self.text)  # what kexpr cannot read is no task

    def __call__(self, *arrays: Any) -> Any:
        values = [arrays[i] for i in self.used]
        if not all(map(_is_plain, values)) or self.has_powers and any(
                isinstance(one, (np.ndarray, np.generic))
                and one.dtype.kind != "f" for one in values):
            return self.otherwise(*arrays)
        shapes = tuple(map(np.shape, values))
        same = len({shape for shape, one in zip(shapes, values)
                    if type(one) not in _NUMBERS}) < 2
        try:
            calls = _plan(self.steps, len(values), None if same else shapes)
            made = dict(enumerate(values))
            for kernel, parts, value in calls:
                made[value] = kernel(*(made[part] for part in parts),
                                     threads=1)
            return made[value]
        except (Error, ValueError):  # NumPy's words for shapes
            return self.otherwise(*arrays)

    @property
    def text(self) -> str:
        """What is computed, where all arrays have the same shape."""
        return _text(self.steps, len(self.used))[0]

    def __repr__(self) -> str:
        return f"<kexpr.Fused {self.text!r}>"

    def __getstate__(self) -> Any:
        return tuple(getattr(self, name) for name in self.__slots__)

    def __setstate__(self, state: Any) -> None:
        for name, value in zip(self.__slots__, state):
            setattr(self, name, value)

    def __dask_tokenize__(self) -> Any:
        return ("kexpr.Fused", self.steps, self.used, self.has_powers)
