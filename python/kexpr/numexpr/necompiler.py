"""numexpr's `necompiler`: texts and arrays to results, on kexpr's kernels."""

from __future__ import annotations

import contextvars
import os
import sys
import threading
import weakref
from collections.abc import Mapping, Sequence
from types import FrameType
from typing import Any

import numpy as np

from . import interpreter
from ._program import Program
from ._program import disassemble as disassemble
from ._text import stringToExpression
from ._typed import (ASTNode, expressionToAST, kind_to_typecode, sigPerms,
                     typecode_to_kind, typeCompileAst)
from .expressions import (default_kind, double, int_, kind_to_type, long_,
                          type_to_kind)

type_to_typecode: dict[Any, str] = {
    type_: kind_to_typecode[kind] for type_, kind in type_to_kind.items()}
type_to_typecode[float] = "f"
default_type = kind_to_type[default_kind]
scalar_constant_kinds: list[str] = list(kind_to_typecode)
use_vml = False

context_info: list[tuple[str, tuple[Any, ...], Any]] = [
    ("optimization", ("none", "moderate", "aggressive"), "aggressive"),
    ("truediv", (False, True, "auto"), "auto"),
]


def getContext(kwargs: Mapping[str, Any],
               _frame_depth: int = 1) -> dict[str, Any]:
    """The options of an expression. 'truediv' says nothing any more: `/` is
    Python 3's."""
    given = dict(kwargs)
    context = {}
    for name, allowed, default in context_info:
        value = given.pop(name, default)
        if value not in allowed:
            raise ValueError(f"'{name}' must be one of {allowed}")
        context[name] = False if value == "auto" else value
    if given:
        raise ValueError(f"Unknown keyword argument '{given.popitem()[0]}'")
    return context


def getType(a: Any) -> Any:
    """The type that an expression sees of an array."""
    kind, size = a.dtype.kind, a.dtype.itemsize
    if kind == "b":
        return bool
    if kind in "iu":
        return long_ if size > 4 or (kind == "u" and size == 4) else int_
    if kind == "f":
        return double if size > 4 else float
    if kind == "c":
        return complex
    if kind == "S":
        return bytes
    if kind == "U":
        raise ValueError("NumExpr 2 does not support Unicode as a dtype.")
    raise ValueError(f"unknown type {a.dtype.name}")


def getInputOrder(ast: ASTNode,
                  input_order: Sequence[str] | None = None) -> list[ASTNode]:
    """The variables of a tree: sorted, or in a given order."""
    variables = {node.value: node for node in ast.allOf("variable")}
    if input_order and set(input_order) != set(variables):
        raise ValueError(f"input names ({input_order}) don't match those found "
                         f"in expression ({set(variables)})")
    return [variables[name] for name in input_order or sorted(variables)]


def getExprNames(text: str, context: Mapping[str, Any],
                 sanitize: bool = True) -> tuple[list[str], bool]:
    """The names in a text, and whether it uses VML."""
    ast = expressionToAST(stringToExpression(text, {}, context, sanitize))
    return [node.value for node in getInputOrder(ast)], False


def NumExpr(ex: Any, signature: Sequence[tuple[str, Any]] = (),
            sanitize: bool = True, **kwargs: Any) -> Program:
    """The compiled expression of a text, or of nodes such as ``2*E.a``.

    `signature` has the names and types of variables in the order of the
    arrays of a call.
    """
    context = getContext(kwargs)
    types = dict(signature)
    if isinstance(ex, str):
        ex = stringToExpression(ex, types, context, sanitize)
    ast = expressionToAST(ex)
    if ast.astType != "op":
        ast = ASTNode("op", ast.astKind, "copy", (ast,))
    ast = typeCompileAst(ast)
    order = getInputOrder(ast, [name for name, _ in signature])
    names = tuple(node.value for node in order)
    codes = "".join(type_to_typecode[types.get(name, default_type)]
                    for name in names)
    return Program(ast, names, codes)


# -- Evaluation ---------------------------------------------------------------


class _Expression:
    """A text and options: its names, and a program for each combination of
    the arrays' types."""

    def __init__(self, text: str, context: dict[str, Any],
                 sanitize: bool) -> None:
        self.text, self.context, self.sanitize = text, context, sanitize
        self.names = getExprNames(text, context, sanitize)[0]
        # What a call needs, by types: the kernel, if nothing but it is
        # needed, and the program.
        self.calls: dict[tuple[Any, ...], tuple[Any, Program]] = {}

    def call_for(self, arrays: Sequence[Any]) -> tuple[Any, Program]:
        """The entry of `calls` for these arrays."""
        dtypes = tuple([array.dtype for array in arrays])
        found = self.calls.get(dtypes)
        if found is None:
            signature = [(name, getType(array))
                         for name, array in zip(self.names, arrays)]
            program = NumExpr(self.text, signature, self.sanitize,
                              **self.context)
            found = program.kernel_for(dtypes), program
            _keep(self.calls, dtypes, found)
        return found


_MOST = 4096  # texts, and types of one text
_expressions: dict[Any, _Expression] = {}
_changes = threading.RLock()
# Another thread may hold it when this one forks.
os.register_at_fork(after_in_child=lambda: globals().update(
    _changes=threading.RLock()))

# What `re_evaluate` does again: an expression, and the options of the call.
_last: contextvars.ContextVar[tuple[Any, ...] | None] = contextvars.ContextVar(
    "kexpr.numexpr.last", default=None)


def _keep(cache: dict[Any, Any], key: Any, value: Any) -> None:
    """Enters something, and drops what has been there longest."""
    with _changes:
        cache[key] = value
        while len(cache) > _MOST:
            del cache[next(iter(cache))]


def _expression(ex: Any, kwargs: dict[str, Any], sanitize: bool | None,
                cached: bool = True) -> _Expression:
    if not isinstance(ex, str):
        raise ValueError("must specify expression as a string")
    key: Any = ex
    if kwargs:
        context = getContext(kwargs)
        key = (ex, *context.values())
    found = _expressions.get(key) if cached else None
    if found is None:
        if sanitize is None:
            sanitize = bool(int(os.environ.get("NUMEXPR_SANITIZE", "1")))
        found = _Expression(ex, getContext(kwargs), sanitize)
        if cached:
            _keep(_expressions, key, found)
    return found


_OPTIMIZED = 1  # of code flags: a function, whose locals are a copy


def _arguments(names: Sequence[str], local_dict: Any, global_dict: Any,
               frame: FrameType) -> list[Any]:
    """The arrays of names, of mappings or else of a caller's variables."""
    given = local_dict is not None
    local = local_dict if given else frame.f_locals
    if global_dict is None:
        global_dict = frame.f_globals
    arrays = []
    for name in names:
        try:
            array = local[name]
        except KeyError:
            array = global_dict[name]
        arrays.append(array if type(array) is np.ndarray
                      else np.asarray(array))
    # Up to Python 3.12 the frame keeps this copy, which would keep arrays
    # alive; whoever else has it keeps it, too.
    if not given and frame.f_code.co_flags & _OPTIMIZED and (
            type(local) is dict and sys.getrefcount(local) <= 3):
        local.clear()
    return arrays


def getArguments(names: Sequence[str], local_dict: Any = None,
                 global_dict: Any = None, _frame_depth: int = 2) -> list[Any]:
    """The arrays of names."""
    return _arguments(names, local_dict, global_dict,
                      sys._getframe(_frame_depth))


# What arrays that reach a kernel as they are need is allowed by these.
_USUAL = ("same_kind", "safe", "unsafe")

# Elements from which on memory for the result is NumPy's, which uses again
# what was freed; kexpr's own is new from the system.
_LARGE = 1 << 19


def _run(expression: _Expression, arrays: list[Any], out: Any, order: str,
         casting: Any) -> Any:
    """The value for these arrays: a call of the kernel where nothing else
    needs to be seen to."""
    try:
        kernel, program = expression.calls[tuple([a.dtype for a in arrays])]
    except KeyError:
        kernel, program = expression.call_for(arrays)
    if kernel is None or out is not None or order != "K" or (
            casting not in _USUAL) or (
                program.axis is not None
                and not program.is_axis_of(arrays)):
        return program(*arrays, out=out, order=order, casting=casting)
    if arrays[0].size >= _LARGE:
        out = program.large_result(arrays)
    if out is not None or interpreter.limit is not None:
        result = kernel(*arrays, out=out, threads=interpreter.limit)
    else:
        result = kernel(*arrays)
    return result if type(result) is np.ndarray else np.asarray(result)


def evaluate(ex: str, local_dict: Any = None, global_dict: Any = None,
             out: Any = None, order: str = "K", casting: Any = "same_kind",
             sanitize: bool | None = None, _frame_depth: int = 3,
             disable_cache: bool = False, **kwargs: Any) -> Any:
    """The value of an expression, element by element.

    Parameters
    ----------
    ex : str
        Such as ``"2*a + 3*b"``. No `eval` sees it.
    local_dict, global_dict : mapping, optional
        The arrays by name; the caller's variables unless given.
    out : ndarray, optional
        Where the result goes.
    order : {'K', 'C', 'F', 'A'}
        The order of the result in memory.
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}
        What conversions inputs and `out` may need.
    sanitize : bool, optional
        Which error texts of other things than expressions raise; they never
        run.
    optimization : {'aggressive', 'moderate', 'none'}
        Whether constant powers become multiplications.
    """
    expression = None if kwargs or disable_cache or type(ex) is not str else (
        _expressions.get(ex))
    if expression is None:
        expression = _expression(ex, kwargs, sanitize, not disable_cache)
    arrays = _arguments(expression.names, local_dict, global_dict,
                        sys._getframe(_frame_depth - 2))
    result = _run(expression, arrays, out, order, casting)
    _last.set((expression, out if out is None else weakref.ref(out), order,
               casting))
    return result


def validate(ex: str, local_dict: Any = None, global_dict: Any = None,
             out: Any = None, order: str = "K", casting: Any = "safe",
             _frame_depth: int = 2, sanitize: bool | None = None,
             **kwargs: Any) -> Exception | None:
    """The exception that `evaluate` would raise, or None; `re_evaluate` may
    follow."""
    try:
        expression = _expression(ex, kwargs, sanitize)
        expression.call_for(_arguments(expression.names, local_dict,
                                       global_dict,
                                       sys._getframe(_frame_depth - 1)))
        _last.set((expression, out if out is None else weakref.ref(out),
                   order, casting))
    except Exception as error:
        return error
    return None


def re_evaluate(local_dict: Any = None, global_dict: Any = None,
                _frame_depth: int = 2) -> Any:
    """The last expression of this thread and context, for the arrays that its
    names have now."""
    last = _last.get()
    if last is None:
        raise RuntimeError(
            "A previous evaluate() execution was not found, please call "
            "`validate` or `evaluate` once before `re_evaluate`")
    expression, out, order, casting = last
    arrays = _arguments(expression.names, local_dict, global_dict,
                        sys._getframe(_frame_depth - 1))
    return _run(expression, arrays, None if out is None else out(), order,
                casting)
