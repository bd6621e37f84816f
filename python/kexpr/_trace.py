"""Arrays that remember what is to be computed: `jit` and `lazy`.

A `LazyArray` is a node of a graph. Its graph becomes one expression in infix
text, a statement a node, which a kernel is compiled of.
"""

from __future__ import annotations

import functools
import inspect
import linecache
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from . import _core
from ._core import Kernel
from ._errors import (ArgumentError, ArityError, DTypeError, Error,
                      Unsupported)
from ._kernel import Precision, Semantics, compile, operators

_HERE, _NUMPY = os.path.dirname(__file__), os.path.dirname(np.__file__)
_NUMBERS = (bool, int, float)

# NumPy's functions that are operators here.
_SYMBOLS = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/",
    "true_divide": "/", "floor_divide": "//", "remainder": "%", "power": "**",
    "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^",
    "left_shift": "<<", "right_shift": ">>", "less": "<", "less_equal": "<=",
    "greater": ">", "greater_equal": ">=", "equal": "==", "not_equal": "!=",
    "negative": "-", "positive": "+", "invert": "~",
}
# Functions whose second parameter is the axis.
_OVER_AXES = ("sum", "prod", "mean", "var", "std", "max", "min", "amax", "amin",
              "any", "all", "argmax", "argmin", "cumsum", "cumprod")
# Reductions by the ufunc whose `reduce` they are.
_REDUCTIONS = {"add": "sum", "multiply": "prod", "maximum": "amax",
               "minimum": "amin", "logical_and": "all", "logical_or": "any"}


def _user_frame() -> tuple[str, int] | None:
    """File and line of the innermost frame outside the package and NumPy."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith((_HERE, _NUMPY)):
            return name, frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return None


def _literal(value: Any) -> str:
    """A number of Python, or a NumPy scalar with its type, in infix."""
    if isinstance(value, np.generic):
        if value.dtype.kind not in "biuf" or value.dtype.itemsize > 8:
            raise DTypeError(f"numbers of type {value.dtype} are not supported")
        return f"{value.dtype.name}({_literal(value.item())})"
    # Names of operands may be `inf` and `nan`.
    text = {"nan": "(1e999 - 1e999)", "inf": "1e999", "-inf": "-1e999"}.get(
        repr(value), repr(value))
    return f"({text})" if text.startswith("-") else text


class LazyArray(NDArrayOperatorsMixin):
    """An array that is not computed yet.

    Operators, NumPy's functions and the methods here give others; `compute`,
    `np.asarray` and DLPack's protocol compute one, in one loop. Nothing is
    remembered of what was computed.
    """

    __slots__ = ("_form", "_parts", "_array", "_name", "_where", "_types",
                 "_is_traced")

    def __hash__(self) -> int:
        return id(self)

    def __init__(self, form: str, parts: tuple[Any, ...], array: Any = None,
                 name: str | None = None, dtype: Any = None) -> None:
        self._form = form  # "({} + {})", of statements
        self._parts = parts
        self._array = array
        self._name = name
        self._types = dtype
        self._where = _user_frame() if parts else None
        # Whether it depends on an argument of a traced function.
        self._is_traced: bool = array is None and not parts or any(
            isinstance(part, LazyArray) and part._is_traced for part in parts)

    # -- Computing --

    def compute(self, out: Any = None, threads: int | None = None) -> Any:
        """The array."""
        text, leaves, _ = _emit([self])
        if any(leaf._array is None for leaf in leaves.values()):
            raise Unsupported("an argument of a traced function has no values "
                              "yet")
        kernel = compile(text, list(leaves))
        return kernel(*(leaf._array for leaf in leaves.values()), out=out,
                      threads=threads)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if copy is False:
            raise ValueError("a lazy array is computed into a new one")
        return np.asarray(self.compute(), dtype=dtype)

    def __dlpack__(self, **given: Any) -> Any:
        return np.asarray(self.compute()).__dlpack__(**given)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        if self._types is None:
            text, leaves, _ = _emit([self])
            self._types = compile(text, list(leaves)).result_type(
                *(leaf.dtype for leaf in leaves.values()))
        return self._types

    @property
    def text(self) -> str:
        """What is to be computed."""
        return _emit([self])[0]

    def __repr__(self) -> str:
        return f"<kexpr.LazyArray {self.text!r}>"

    # -- What would need values --

    def _refuse(self) -> NoReturn:
        raise TypeError(
            "a lazy array has no truth value, length or items: use `&`, `|` "
            "and `~` for `and`, `or` and `not`, np.where for `if`, and "
            "compute() for values")

    def __bool__(self) -> bool:
        self._refuse()

    def __float__(self) -> float:
        self._refuse()

    def __int__(self) -> int:
        self._refuse()

    def __index__(self) -> int:
        self._refuse()

    def __len__(self) -> int:
        self._refuse()

    def __iter__(self) -> Iterator[Any]:
        self._refuse()

    def __getitem__(self, key: Any) -> Any:
        self._refuse()

    # -- NumPy's protocols --

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any,
                        **given: Any) -> Any:
        name = ufunc.__name__
        out = given.pop("out", (None,))[0]
        numpy_s: Any = getattr(np, name, None)
        if numpy_s is not ufunc:
            return NotImplemented  # some other library's
        if method == "reduce" and name in _REDUCTIONS:
            given.setdefault("axis", 0)
            result = _call(_REDUCTIONS[name], inputs, given)
        elif method != "__call__" or given or ufunc.nout != 1:
            return NotImplemented
        elif name in _SYMBOLS:
            form = f"({{}} {_SYMBOLS[name]} {{}})" if ufunc.nin == 2 else (
                f"({_SYMBOLS[name]}{{}})")
            result = _node(form, inputs)
        else:
            result = _call(name, inputs, {})
        # In-place operators give the name to another node.
        return result if out is None or isinstance(out, LazyArray) else (
            result.compute(out=out))

    def __array_function__(self, function: Any, types: Any, args: Any,
                           given: Any) -> Any:
        name = function.__name__
        if getattr(np, name, None) is not function or name == "copyto" or (
                name == "where" and len(args) != 3):
            return NotImplemented
        if name in _OVER_AXES and len(args) == 2:
            args, given = args[:1], {"axis": args[1], **given}
        return _call(name, args, given)

    # -- Methods of arrays --

    def astype(self, dtype: Any) -> LazyArray:
        """The elements in another type."""
        return _call(np.dtype(dtype).name, (self,), {})

    def clip(self, min: Any = None, max: Any = None) -> LazyArray:
        """The elements, held between two bounds."""
        return _call("clip", (self, min, max), {})

    def sum(self, axis: Any = None, *, keepdims: bool = False) -> LazyArray:
        """NumPy's `sum` over axes, as are the next ones."""
        return self._reduce("sum", axis, keepdims)

    def prod(self, axis: Any = None, *, keepdims: bool = False) -> LazyArray:
        """The product."""
        return self._reduce("prod", axis, keepdims)

    def mean(self, axis: Any = None, *, keepdims: bool = False) -> LazyArray:
        """The mean."""
        return self._reduce("mean", axis, keepdims)

    def var(self, axis: Any = None, *, ddof: float = 0,
            keepdims: bool = False) -> LazyArray:
        """The variance."""
        return self._reduce("var", axis, keepdims, ddof=ddof)

    def std(self, axis: Any = None, *, ddof: float = 0,
            keepdims: bool = False) -> LazyArray:
        """The standard deviation."""
        return self._reduce("std", axis, keepdims, ddof=ddof)

    def max(self, axis: Any = None, *, keepdims: bool = False) -> LazyArray:
        """The largest element."""
        return self._reduce("amax", axis, keepdims)

    def min(self, axis: Any = None, *, keepdims: bool = False) -> LazyArray:
        """The smallest element."""
        return self._reduce("amin", axis, keepdims)

    def any(self, axis: Any = None, *, keepdims: bool = False) -> LazyArray:
        """Whether any element is true."""
        return self._reduce("any", axis, keepdims)

    def all(self, axis: Any = None, *, keepdims: bool = False) -> LazyArray:
        """Whether all elements are true."""
        return self._reduce("all", axis, keepdims)

    def _reduce(self, name: str, axis: Any, keepdims: bool,
                **given: Any) -> LazyArray:
        return _call(name, (self,), {"axis": axis,
                                     "keepdims": keepdims or None, **given})


def _node(form: str, parts: Iterable[Any]) -> LazyArray:
    """A node of parts that are lazy, or become so."""
    known: list[Any] = []
    for part in parts:
        if isinstance(part, LazyArray) or type(part) in _NUMBERS:
            known.append(part)
        elif isinstance(part, np.generic):
            known.append(part)
        else:
            known.append(lazy(part))
    return LazyArray(form, tuple(known))


def _word(value: Any) -> str:
    """Axes and other settings, as they are written."""
    if isinstance(value, (tuple, list)):
        return f"({' '.join(_word(one) + ',' for one in value)})"
    if isinstance(value, np.generic):
        value = value.item()
    if value is not None and type(value) not in (*_NUMBERS, str):
        raise Unsupported(f"an argument of type {type(value).__name__}")
    return repr(value).replace("{", "{{").replace("}", "}}")


def _call(name: str, parts: Iterable[Any], given: dict[str, Any]) -> LazyArray:
    """A call by name; what is no array is part of the text."""
    arrays: list[Any] = []
    words: list[str] = []
    for part in parts:
        if part is None or isinstance(part, (tuple, list)):
            words.append(_word(part))
        else:
            words.append("{}")
            arrays.append(part)
    for key, value in given.items():
        if value is None or value is np._NoValue:
            continue
        if key == "where" and value is True:
            continue
        if key in ("initial", "where"):
            raise Unsupported(f"'{key}=' of a function over axes")
        if isinstance(value, (LazyArray, np.ndarray)):
            words.append(f"{key}={{}}")
            arrays.append(value)
        else:
            words.append(f"{key}={_word(value)}")
    return _node(f"{name}({', '.join(words)})", arrays)


def lazy(array: Any) -> LazyArray:
    """An array, as a node that operators and NumPy's functions build on.

    >>> (lazy(np.arange(3.0)) * 2 + 1).compute()
    array([1., 3., 5.])
    """
    if isinstance(array, LazyArray):
        return array
    kept = array if hasattr(array, "__dlpack__") else np.asarray(array)
    return LazyArray("", (), kept, dtype=getattr(kept, "dtype", None))


def _prefix(letter: str, taken: Iterable[str]) -> str:
    """What names begin with that none of `taken` begins with."""
    while any(name.startswith(letter) for name in taken):
        letter += "_"
    return letter


def _emit(outputs: list[LazyArray], names: dict[int, str] | None = None,
          many: bool = False) -> tuple[str, dict[str, LazyArray],
                                       list[LazyArray]]:
    """The text of a graph, its leaves that have no name, by name, and the node
    of each statement."""
    words = dict(names or {})  # what stands for a node, by id
    value, leaf = (_prefix(letter, words.values()) for letter in "tx")
    leaves: dict[str, LazyArray] = {}
    statements: list[str] = []
    nodes: list[LazyArray] = []

    def word(part: Any) -> str:
        return words[id(part)] if isinstance(part, LazyArray) else _literal(
            part)

    pending = outputs[::-1]
    while pending:
        node = pending[-1]
        missing = [part for part in node._parts
                   if isinstance(part, LazyArray) and id(part) not in words]
        if missing:
            pending.extend(missing[::-1])
            continue
        pending.pop()
        if id(node) in words:
            continue
        if node._form:
            words[id(node)] = f"{value}{len(nodes)}"
            statements.append(words[id(node)] + " = "
                              + node._form.format(*map(word, node._parts)))
            nodes.append(node)
        else:
            words[id(node)] = f"{leaf}{len(leaves)}"
            leaves[words[id(node)]] = node
    results = [word(output) for output in outputs]
    if many:
        statements.append(f"[{', '.join(results)}]")
    elif statements and outputs[0] is nodes[-1]:
        statements[-1] = statements[-1].partition(" = ")[2]
    else:
        statements.append(results[0])
    return "\n".join(statements), leaves, nodes


class Tracer:
    """A Python function as the source of a kernel: what `jit` makes."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.names: list[str] = []
        for name, one in inspect.signature(function).parameters.items():
            if one.kind not in (one.POSITIONAL_ONLY,
                                one.POSITIONAL_OR_KEYWORD):
                raise ArgumentError(f"parameter '{name}' of a traced function "
                                    "must be a positional one")
            if one.default is not one.empty:
                raise ArgumentError(f"parameter '{name}' of a traced function "
                                    "has a default value")
            self.names.append(name)
        self._places: dict[str, list[Any]] = {}  # by text, of its lines

    def trace(self, types: tuple[Any, ...]) -> tuple[str, tuple[str, ...],
                                                     tuple[Any, ...]]:
        """Calls the function with arguments of these types. Returns its text,
        the names of all operands, and the arrays of those that the function
        took from around it."""
        arguments = [LazyArray("", (), None, name, dtype)
                     for name, dtype in zip(self.names, types)]
        result = self.function(*arguments)
        many = isinstance(result, (tuple, list))
        outputs = [lazy(one) for one in (result if many else [result])]
        if not outputs:
            raise Unsupported("a traced function that returns nothing")
        names = {id(one): one._name for one in arguments}
        text, leaves, nodes = _emit(outputs, names, many)  # type: ignore
        self._places[text] = [node._where for node in nodes]
        captured = [(name, leaf._array) for name, leaf in leaves.items()]
        if any(array is None for _, array in captured):
            raise Unsupported("an argument of another traced function")
        return (text, (*self.names, *(name for name, _ in captured)),
                tuple(array for _, array in captured))

    def note(self, error: Error) -> None:
        """Adds the user's own line to an error in the text of a trace."""
        text, span = error._where
        if text is None or span is None:
            error.add_note(f"  in {self.function.__qualname__}")
            return
        line = text.count("\n", 0, span[0])
        places = self._places.get(text, [])
        if line >= len(places) or not places[line]:
            return
        name, number = places[line]
        source = linecache.getline(name, number).strip()
        error.add_note(f'  File "{name}", line {number}, in '
                       f"{self.function.__qualname__}\n    {source}")

    def __reduce__(self) -> Any:
        return (Tracer, (self.function,))


def _apply(kernel: Kernel, *arrays: Any, out: Any = None, where: Any = True,
           threads: int | None = None, **named: Any) -> Any:
    """A call of a kernel in a traced function, from C++: part of its graph."""
    tracer = _core.tracer(kernel)
    if tracer is None:
        raise Unsupported(f"the kernel of {kernel.text!r} in a traced function;"
                          " call one that jit made")
    if out is not None or where is not True:
        raise Unsupported("out= and where= of a call in a traced function")
    given = dict(zip(tracer.names, arrays), **named)
    result = tracer.function(*(
        one if type(one) in _NUMBERS or isinstance(one, np.generic)
        else lazy(one) for one in (given[name] for name in tracer.names)))
    return tuple(result) if isinstance(result, list) else result


def jit(function: Callable[..., Any] | None = None, *,
        precision: Precision | None = None,
        semantics: Semantics | None = None) -> Any:
    """A Python function as a kernel: one loop, whatever it computes.

    The function is called once for each combination of element types, never
    for shapes, with arrays that remember what is done to them. Loops over
    Python values unroll; numbers and arrays from around it are what they were
    when it was traced. Other functions of `jit` that it calls become part of
    it, with its options.

    Examples
    --------
    >>> @jit
    ... def gelu(x, w, b):
    ...     t = x*w + b
    ...     return 0.5 * t * (1 + erf(t / np.sqrt(2)))
    """
    if function is None:
        partial: Any = functools.partial(jit, precision=precision,
                                         semantics=semantics)
        partial.__pandas_udf__ = _Engine
        return partial
    from ._kernel import _make
    tracer = Tracer(function)
    return _make("", tracer.names, None, "infix", semantics, precision,
                 "tiered", tracer)


class _Engine:
    """What pandas calls for ``engine=kexpr.jit``."""

    @staticmethod
    def map(**given: Any) -> Any:
        from . import _engine
        return _engine.map(**given)

    @staticmethod
    def apply(**given: Any) -> Any:
        from . import _engine
        return _engine.apply(**given)


setattr(jit, "__pandas_udf__", _Engine)


def _of_numpy(name: str) -> str | None:
    """What a function of NumPy is that infix text has and operators() lacks;
    None where there is none."""
    if name.startswith("_") or not name.isidentifier():
        return None
    try:
        compile(f"{name}()")()
    except ArityError:
        return f"NumPy's `{name}`."
    except Error:
        pass
    return None


def function(name: str) -> Callable[..., Any] | None:
    """The function that infix text has by a name, for arrays and lazy arrays;
    None where there is none."""
    doc = operators().get(name) or _of_numpy(name)
    if doc is None:
        return None

    def call(*arrays: Any, **given: Any) -> Any:
        result = _call(name, arrays, given)
        if any(isinstance(one, LazyArray)
               for one in (*arrays, *given.values())):
            return result
        return result.compute()

    call.__name__ = call.__qualname__ = name
    call.__doc__ = doc
    return call
