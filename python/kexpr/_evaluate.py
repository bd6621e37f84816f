"""`evaluate`: a text, and arrays by name."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any

from . import _core
from ._core import Kernel
from ._errors import UnknownName
from ._kernel import Precision, Semantics, Syntax, _context, compile

# Kernels by text, or by text and options; the oldest first.
_kernels: dict[Any, Kernel] = {}
_MOST = 4096
_changes = threading.Lock()
_CONSTANT = re.compile(r"(?<![\w.])(?:e|pi|inf|nan)(?!\w)")

_DOC = """evaluate(text, names=None, /, *, out=None, where=True, \
threads=None, syntax='infix', semantics=None, precision=None)
--

The value of an expression.

Parameters
----------
text : str
    The expression; no `eval` sees it.
names : mapping, optional
    The arrays and numbers by name. Without, they are the caller's variables,
    local ones first.
out, where, threads
    As those of a kernel's call.
syntax, semantics, precision
    As those of `compile`.

Examples
--------
>>> evaluate("a*x + b", {"a": 2.0, "x": np.arange(3.0), "b": 1.0})
array([1., 3., 5.])
"""


def _missing(text: str, name: str) -> UnknownName:
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
    return UnknownName(f"no array is named '{name}'", 3, text,
                       found.span() if found else None)


def _kernel(text: str, syntax: Syntax, semantics: Semantics | None,
            precision: Precision | None,
            spaces: Sequence[Container[Any]] = ()) -> Kernel:
    """The kernel of a text, whose constants are operands where they have a
    value in one of `spaces`."""
    options = (syntax, semantics, precision, _context.get())
    constants = (set(_CONSTANT.findall(text))
                 if syntax == "infix" and isinstance(text, str) else set())
    given = tuple(sorted(name for name in constants
                         if any(name in space for space in spaces)))
    plain = options == ("infix", None, None, None) and not constants
    key: Any = text if plain else (text, given, *options)
    kernel = _kernels.get(key)
    if kernel is None:
        kernel = compile(text, syntax=syntax, semantics=semantics,
                         precision=precision)
        if given:
            kernel = compile(text, [*kernel.operands, *given],
                             semantics=semantics, precision=precision)
        with _changes:
            kernel = _kernels.setdefault(key, kernel)
            while len(_kernels) > _MOST:
                _kernels.pop(next(iter(_kernels)))
    return kernel


def _evaluate(local: Mapping[str, Any] | None, outer: Mapping[str, Any] | None,
              text: str, names: Mapping[str, Any] | None = None, /, *,
              out: Any = None, where: Any = True, threads: int | None = None,
              syntax: Syntax = "infix", semantics: Semantics | None = None,
              precision: Precision | None = None) -> Any:
    """`evaluate`, called from C++ with the caller's variables."""
    spaces = [space for space in (names, local, outer)
              if space is not None] if names is None else [names]
    kernel = _kernel(text, syntax, semantics, precision, spaces)
    arrays = []
    for name in kernel.operands:
        for space in spaces:
            if name in space:
                arrays.append(space[name])
                break
        else:
            raise _missing(text, name)
    return kernel(*arrays, out=out, where=where, threads=threads)


evaluate: Callable[..., Any] = _core.make_evaluate(_kernels, _evaluate, _DOC)
