"""The pass over the graphs of Dask's arrays that makes kernels of elementwise
tasks."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any

from dask._task_spec import (  # type: ignore[import, unused-ignore]
    Alias, DataNode, GraphNode, Task, TaskRef, _execute_subgraph)
from dask.array import chunk  # type: ignore[import, unused-ignore]
from dask.array.core import (  # type: ignore[import, unused-ignore]
    _enforce_dtype)

from .. import _fuse
from .._core import Kernel
from .._errors import Error
from .._fuse import Fused, Tasks
from .._trace import _NUMBERS, LazyArray


def unwrapped(task: Any) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """Function, arguments and keywords of a task, without partial ones."""
    function, args, given = task.func, task.args, dict(task.kwargs)
    while isinstance(function, functools.partial):
        args = (*function.args, *args)
        given = {**function.keywords, **given}
        function = function.func
    return function, args, given


def _flat(tasks: Mapping[Any, Any]) -> dict[Any, Any]:
    """Tasks, and those of their sub-graphs beside them."""
    made: dict[Any, Any] = {}
    pending = list(tasks.values())
    while pending:
        task = pending.pop()
        if not isinstance(task, Task) or task.func is not _execute_subgraph:
            made[task.key] = task
            continue
        inner, result, names, *values = task.args
        subs = {key: (task.key, key) for key in inner}
        subs[result] = task.key
        subs.update((name, value.key if isinstance(value, TaskRef) else value)
                    for name, value in zip(names, values))
        pending.extend(one.substitute(subs, key=subs[key])
                       for key, one in inner.items())
    return made


class Subgraph:
    """Tasks by key, and the elementwise ones of them as lazy arrays.

    Parameters
    ----------
    tasks : mapping
        The tasks. Keys that they depend on may be outside.
    constants : mapping
        Numbers, and None, that keys outside stand for.
    """

    def __init__(self, tasks: Mapping[Any, Any],
                 constants: Mapping[Any, Any]) -> None:
        self.tasks = tasks
        self.constants = constants
        self.values: dict[Any, LazyArray] = {}
        self.traced: set[Any] = set()
        self.powers: set[Any] = set()
        for key in self._sorted():
            value = self._trace(key)
            if value is not None:
                self.values[key] = value
                self.traced.add(key)

    def _sorted(self) -> Iterator[Any]:
        """The keys, each after what it depends on."""
        done: set[Any] = set()
        pending = list(self.tasks)
        while pending:
            key = pending[-1]
            missing = () if key in done else [
                one for one in self.tasks[key].dependencies
                if one in self.tasks and one not in done]
            if missing:
                pending.extend(missing)
                continue
            pending.pop()
            if key not in done:
                done.add(key)
                yield key

    def _value(self, key: Any) -> LazyArray:
        """What a key is; a leaf where it was not traced."""
        return self.values.setdefault(key, LazyArray("", (), None, ""))

    def _argument(self, part: Any, is_exponent: bool) -> Any:
        if isinstance(part, (Alias, TaskRef)):
            key = part.target if isinstance(part, Alias) else part.key
            constant = self.constants.get(key, self)
            # Numbers are operands, so that one kernel serves all of them.
            if constant is None or (is_exponent and type(constant) in _NUMBERS):
                return constant
            return self._value(key)
        return part.value if isinstance(part, DataNode) else part

    def _trace(self, key: Any) -> LazyArray | None:
        """What an elementwise task gives; None for another one."""
        task = self.tasks[key]
        if isinstance(task, Alias):
            return self._value(task.target)
        if not isinstance(task, Task):
            return None
        function, args, given = unwrapped(task)
        dtype = None
        if function is _enforce_dtype:
            dtype = given.pop("enforce_dtype")
            function = given.pop("enforce_dtype_function")
        is_cast = function is chunk.astype
        if not (is_cast or _fuse.is_known(function)) or any(
                isinstance(part, GraphNode)
                and not isinstance(part, (Alias, DataNode))
                for part in (*args, *given.values())):
            return None
        values = tuple(
            self._argument(part, _fuse.is_power(function) and place == 1)
            for place, part in enumerate(args))
        if is_cast:
            dtype = given.pop("astype_dtype")
            result = None if set(given) - {"copy"} else values[0]
        else:
            result = _fuse.call(function, *values, **{
                name: self._argument(part, False)
                for name, part in given.items()})
            if _fuse.is_power(function) and isinstance(values[1], LazyArray):
                self.powers.add(key)
        if result is not None and dtype is not None:
            result = _fuse.call(LazyArray.astype, result, dtype)
        return result

    def rewritten(self, result: Any) -> dict[Any, Any]:
        """The tasks that are left of those that lead to a result."""
        # What is elementwise, and wanted by what is not, is computed.
        roots = self.traced & {result, *(
            one for key in self.tasks if key not in self.traced
            for one in self.tasks[key].dependencies)}
        made: dict[Any, Any] = {}
        pending = [result]
        while pending:
            key = pending.pop()
            if key in made or key not in self.tasks:
                continue
            if key in roots:
                fused, inside = self.root(key, roots)
                made.update(inside if fused is None else {key: fused})
            else:
                made[key] = rewritten(self.tasks[key], {})
            pending.extend(made[key].dependencies)
        return made

    def root(self, root: Any, roots: set[Any]) -> tuple[
            Task | None, dict[Any, Any]]:
        """A task for all that leads to a root, None where that is a single
        operation, and the tasks as they were."""
        inside: dict[Any, Any] = {}
        outside: dict[Any, None] = {}
        pending = [root]
        while pending:
            key = pending.pop()
            if key in inside or key in outside:
                continue
            if key == root or (key in self.traced and key not in roots):
                inside[key] = self.tasks[key]
                pending.extend(sorted(self.tasks[key].dependencies, key=str,
                                      reverse=True))
            else:
                outside[key] = None
        names = tuple(outside)
        try:
            fused = Fused(self.values[root], list(map(self._value, names)),
                          Tasks(inside, root, names),
                          not self.powers.isdisjoint(inside))
        except Error:
            return None, inside
        if len(fused.steps) < 2:
            return None, inside
        return Task(root, fused, *map(TaskRef, names)), inside


def _fused(tasks: Mapping[Any, Any], result: Any, names: Any,
           values: list[Any], memo: dict[Any, Any]) -> dict[Any, Any]:
    """What is left of the tasks of a sub-graph."""
    if not all(isinstance(key, str) for key in tasks):
        # Of one chunk: some of its tasks have what all chunks share.
        return {key: rewritten(task, memo) for key, task in tasks.items()}
    constants = {name: value.value for name, value in zip(names, values)
                 if isinstance(value, DataNode)
                 and (value.value is None or type(value.value) in _NUMBERS)}
    key = (id(tasks), result, *((name, type(value), value)
                                for name, value in constants.items()))
    if key not in memo:
        # With the tasks themselves, so that no others get their address.
        memo[key] = Subgraph(_flat(tasks), constants).rewritten(result), tasks
    made: dict[Any, Any] = memo[key][0]
    return made


def rewritten(task: Any, memo: dict[Any, Any]) -> Any:
    """A task, with kernels for what is elementwise in it.

    `memo` holds what was made of sub-graphs, which all chunks of an array
    share.
    """
    if not isinstance(task, Task):
        return task
    if isinstance(task.func, Kernel) and "threads" not in task.kwargs:
        return Task(task.key, task.func, *task.args, **task.kwargs, threads=1)
    if task.func is not _execute_subgraph:
        return task
    tasks, result, names, *values = task.args
    made = _fused(tasks, result, names, values, memo)
    whole = made[result]
    if len(made) == 1 and isinstance(whole, Task) and isinstance(
            whole.func, Fused):
        given = dict(zip(names, values))
        return Task(task.key, whole.func, *(
            given.get(part.key, part) for part in whole.args),
            _data_producer=task.data_producer)
    return Task(task.key, _execute_subgraph, made, result, names, *values,
                _data_producer=task.data_producer)
