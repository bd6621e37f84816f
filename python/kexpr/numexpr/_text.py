"""Texts as trees of nodes. Python's own parser reads them, and nothing runs
them: what is no arithmetic over names and numbers is refused."""

from __future__ import annotations

import ast
import functools
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from . import expressions

_MOST_CHARACTERS = 1 << 20
_MOST_BITS = 4096  # of a constant integer on the way to a smaller one

_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.Pow: operator.pow,
    ast.LShift: operator.lshift, ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
    ast.BitXor: operator.xor}
_COMPARISONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Eq: operator.eq, ast.NotEq: operator.ne}
_UNARY: dict[type, Callable[[Any], Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.inv,
    ast.Not: operator.not_}

# What the text of a forbidden construct has outside of quotes, where it is no
# Python at all.
_forbidden = re.compile(r"[;:\[]|(^|\W)__\w+__($|\W)")
_quoted = re.compile(r"'[^']*'|\"[^\"]*\"")


class _Forbidden(Exception):
    """Refused, whatever its value."""


def stringToExpression(s: str, types: Mapping[str, Any],
                       context: Mapping[str, Any], sanitize: bool = True,
                       nodes: Any = expressions) -> Any:
    """The tree of a text, whose variables have these types.

    `nodes` is the module whose nodes it is built of.
    """
    forbidden = ValueError(f"Expression {s} has forbidden control characters.")
    if len(s) > _MOST_CHARACTERS:
        raise ValueError(f"an expression of {len(s)} characters")
    try:
        tree = _parsed(s)
    except SyntaxError:
        if sanitize and _forbidden.search(_quoted.sub("", s)):
            raise forbidden from None
        raise
    try:
        with _Options(nodes, context):
            result = _Builder(types, nodes).value(tree)
    except _Forbidden:
        raise forbidden from None
    if nodes.isConstant(result):
        return nodes.ConstantNode(result)
    if not isinstance(result, nodes.ExpressionNode):
        raise TypeError(f"unsupported expression type: {type(result)}")
    return result


@functools.lru_cache(maxsize=8)
def _parsed(s: str) -> ast.expr:
    """Python's tree of a text: its names are asked for first, and then its
    kinds."""
    return ast.parse(s, "<expr>", "eval").body


class _Options:
    """The options of a text, in the place where nodes look them up."""

    def __init__(self, nodes: Any, context: Mapping[str, Any]) -> None:
        self._of = nodes._context
        self._optimization = context.get("optimization", "none")

    def __enter__(self) -> None:
        self._before = getattr(self._of, "optimization", "none")
        self._of.optimization = self._optimization

    def __exit__(self, *error: Any) -> None:
        self._of.optimization = self._before


class _Builder:
    """Applies operators to nodes, from the leaves up, without recursion."""

    def __init__(self, types: Mapping[str, Any], nodes: Any) -> None:
        self._types = types
        self._nodes = nodes

    def value(self, tree: ast.expr) -> Any:
        """The node or constant of a tree of Python."""
        pending: list[tuple[ast.expr, list[ast.expr] | None]] = [(tree, None)]
        values: list[Any] = []
        while pending:
            tree, parts = pending.pop()
            if parts is not None:
                first = len(values) - len(parts)
                values[first:] = [self._apply(tree, values[first:])]
                continue
            parts = _parts(tree)
            if parts:
                pending.append((tree, parts))
                pending.extend((part, None) for part in reversed(parts))
            else:
                values.append(self._apply(tree, []))
        return values[0]

    def _apply(self, tree: ast.expr, parts: list[Any]) -> Any:
        if isinstance(tree, ast.Name):
            return self._variable(tree.id)
        if isinstance(tree, ast.Constant):
            return tree.value
        if isinstance(tree, ast.BinOp):
            return self._binary(tree.op, parts[0], parts[1])
        if isinstance(tree, ast.UnaryOp):
            return _UNARY[type(tree.op)](parts[0])
        if isinstance(tree, ast.Compare):
            return _compare(tree.ops, parts)
        if isinstance(tree, ast.BoolOp):
            return _choose(isinstance(tree.op, ast.Or), parts)
        if isinstance(tree, ast.IfExp):
            return parts[1] if parts[0] else parts[2]
        if isinstance(tree, ast.Attribute):
            return getattr(parts[0], tree.attr)
        assert isinstance(tree, ast.Call)
        return self._call(tree, parts)

    def _binary(self, op: ast.operator, left: Any, right: Any) -> Any:
        """An operator. That of two constants is Python's, within bounds, for
        a short text could ask for more than the machine has."""
        nodes = self._nodes
        if isinstance(left, (str, bytes)) or isinstance(right, (str, bytes)):
            if not isinstance(left, nodes.ExpressionNode):
                if nodes.isConstant(right):
                    raise TypeError(
                        "strings can only be operated with strings")
                left = nodes.ConstantNode(left)  # `%` formats nothing
        if type(left) in (bool, int) and type(right) in (bool, int):
            bits = {ast.Pow: left.bit_length() * max(right, 0),
                    ast.LShift: left.bit_length() + max(right, 0),
                    ast.Mult: left.bit_length() + right.bit_length()}
            if bits.get(type(op), 0) > _MOST_BITS:
                raise OverflowError(
                    "Python int too large to convert to C long")
        return _BINARY[type(op)](left, right)

    def _variable(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise _Forbidden
        type_ = self._types.get(name, self._nodes.double)
        return self._nodes.VariableNode(name, self._nodes.type_to_kind[type_])

    def _call(self, tree: ast.Call, parts: list[Any]) -> Any:
        name = tree.func.id  # type: ignore[attr-defined]
        function = self._nodes.functions.get(name)
        if function is None:
            self._variable(name)  # may be a forbidden one
            raise TypeError("'VariableNode' object is not callable")
        count = len(tree.args)
        words = [word.arg or "" for word in tree.keywords]
        return function(*parts[:count], **dict(zip(words, parts[count:])))


def _parts(tree: ast.expr) -> list[ast.expr]:
    """What a tree is made of; what has no place in an expression is
    refused."""
    if isinstance(tree, ast.BinOp) and type(tree.op) in _BINARY:
        return [tree.left, tree.right]
    if isinstance(tree, ast.UnaryOp):
        return [tree.operand]
    if isinstance(tree, ast.Compare) and all(
            type(op) in _COMPARISONS for op in tree.ops):
        return [tree.left, *tree.comparators]
    if isinstance(tree, ast.BoolOp):
        return tree.values
    if isinstance(tree, ast.IfExp):
        return [tree.test, tree.body, tree.orelse]
    if isinstance(tree, ast.Attribute) and tree.attr in ("real", "imag"):
        return [tree.value]
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and all(
            word.arg for word in tree.keywords):
        return [*tree.args, *(word.value for word in tree.keywords)]
    if not isinstance(tree, (ast.Name, ast.Constant)):
        raise _Forbidden
    return []


def _compare(ops: list[ast.cmpop], parts: list[Any]) -> Any:
    """Comparisons. A chain asks whether its first ones are true, which only
    constants know."""
    result: Any = True
    for op, left, right in zip(ops, parts, parts[1:]):
        result = result and _COMPARISONS[type(op)](left, right)
    return result


def _choose(wanted: bool, parts: list[Any]) -> Any:
    """`and` and `or`."""
    for part in parts[:-1]:
        if bool(part) is wanted:
            return part
    return parts[-1]
