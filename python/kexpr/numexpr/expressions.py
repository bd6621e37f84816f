"""The nodes that expressions are built of: numexpr's, by its own rules for
kinds and constants."""

from __future__ import annotations

import math
import operator
import threading
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from . import interpreter

__all__ = ["E"]

# A method of nodes, or a function of nodes and constants.
Operation = Callable[..., Any]

double = np.double
int_ = np.int32
long_ = np.int64

default_kind = "double"
type_to_kind: dict[Any, str] = {
    bool: "bool", int_: "int", long_: "long", float: "float",
    double: "double", complex: "complex", bytes: "bytes", str: "str"}
kind_to_type: dict[str, Any] = {
    kind: type_ for type_, kind in type_to_kind.items()}
kind_rank: tuple[str, ...] = (
    "bool", "int", "long", "float", "double", "complex", "none")
scalar_constant_types: tuple[type, ...] = (
    bool, int_, int, float, double, complex, bytes, str)

max_int32 = 2147483647
min_int32 = -max_int32 - 1


class Expression:
    """`E.name` is a variable of kind double."""

    def __getattr__(self, name: str) -> VariableNode:
        if name.startswith("_"):
            raise AttributeError(name)
        return VariableNode(name, default_kind)


E = Expression()


class Context(threading.local):
    """Options of the expression that the thread builds."""
    optimization = "none"


_context = Context()


def get_optimization() -> str:
    """'none', 'moderate' or 'aggressive'."""
    return _context.optimization


def isConstant(ex: Any) -> bool:
    """Whether this is a constant scalar of an allowed type."""
    return isinstance(ex, scalar_constant_types)


def allConstantNodes(args: Sequence[Any]) -> bool:
    """Whether all are constant nodes."""
    return all(isinstance(one, ConstantNode) for one in args)


def ophelper(f: Operation) -> Operation:
    """A function of nodes as one of nodes and constants."""

    def function(*args: Any) -> Any:
        nodes = [ConstantNode(one) if isConstant(one) else one for one in args]
        for node in nodes:
            if not isinstance(node, ExpressionNode):
                raise TypeError(f"unsupported object type: {type(node)}")
        return f(*nodes)

    function.__name__ = f.__name__
    function.__doc__ = f.__doc__
    return function


def commonKind(nodes: Sequence[Any]) -> str:
    """The kind of an operation over these."""
    kinds = [node.astKind for node in nodes]
    strings = kinds.count("bytes") + kinds.count("str")
    if 0 < strings < len(kinds):
        raise TypeError("strings can only be operated with strings")
    return "bytes" if strings else max(kinds, key=kind_rank.index)


def bestConstantType(x: Any) -> Any:
    """The type of a constant. Those of NumPy keep theirs, integers of Python
    are 64 bits wide where 32 cannot hold them."""
    for types, best in (((bytes, str), bytes), ((bool, np.bool_), bool),
                        (np.int64, long_), (double, double),
                        (np.float32, float)):
        if isinstance(x, types):
            return best
    if isinstance(x, (int, np.integer)):
        return int_ if min_int32 <= x <= max_int32 else long_
    for converter in (float, complex):
        try:
            y = converter(x)
        except (TypeError, ValueError, OverflowError):
            continue
        if y == x or y != y:
            return converter
    return None


def getKind(x: Any) -> str:
    """The kind of a constant."""
    return type_to_kind[bestConstantType(x)]


def binop(opname: str, reversed: bool = False,
          kind: str | None = None) -> Operation:
    """A method for an operator of Python."""
    opfunc = getattr(operator, f"__{opname}__")

    @ophelper
    def operation(self: Any, other: Any) -> Any:
        if reversed:
            self, other = other, self
        if allConstantNodes([self, other]):
            return ConstantNode(opfunc(self.value, other.value))
        return OpNode(opname, (self, other), kind=kind)

    return operation


# Functions of integers that stay integers; others give doubles.
_OF_INTEGERS = ("copy", "abs", "ones_like", "round", "sign")


def func(func: Any, minkind: str | None = None,
         maxkind: str | None = None) -> Operation:
    """A function by NumPy's: constants are computed by it at once."""
    name: str = func.__name__

    @ophelper
    def function(*args: Any) -> Any:
        if allConstantNodes(args):
            return ConstantNode(func(*[one.value for one in args]))
        kind = commonKind(args)
        if kind in ("int", "long"):
            kind = kind if name in _OF_INTEGERS else "double"
        elif kind in kind_rank:
            if minkind:
                kind = max(kind, minkind, key=kind_rank.index)
            if maxkind:
                kind = min(kind, maxkind, key=kind_rank.index)
        elif minkind or maxkind:
            raise ValueError(f"'{kind}' is not in {kind_rank}")
        return FuncNode(name, args, kind)

    return function


@ophelper
def where_func(a: Any, b: Any, c: Any) -> Any:
    """`where`; a constant condition chooses at once."""
    if isinstance(a, ConstantNode):
        return b if a.value else c
    return FuncNode("where", [a, b, c])


def encode_axis(axis: Any) -> RawNode:
    """The axis of a reduction."""
    if isinstance(axis, ConstantNode):
        axis = axis.value
    if axis is None:
        axis = interpreter.allaxes
    elif axis < 0:
        raise ValueError("negative axis are not supported")
    elif axis > 254:
        raise ValueError("cannot encode axis")
    return RawNode(axis)


def gen_reduce_axis_func(name: str) -> Operation:
    """A reduction."""

    def _func(a: Any, axis: Any = None) -> Any:
        number = encode_axis(axis)
        if isConstant(a):
            a = ConstantNode(a)
        if isinstance(a, ConstantNode):
            return a
        return FuncNode(name, [a, number], kind=a.astKind)

    return _func


@ophelper
def contains_func(a: Any, b: Any) -> Any:
    """Whether strings contain others."""
    return FuncNode("contains", [a, b], kind="bool")


def _reciprocal(a: Any, b: Any) -> Any:
    """The constant that a/b multiplies by; None where it divides."""
    if (get_optimization() != "none" and isinstance(b, ConstantNode)
            and a.astKind == b.astKind and b.value != 0
            and a.astKind in ("float", "double", "complex")):
        return ConstantNode(1. / b.value)
    return None


@ophelper
def div_op(a: Any, b: Any) -> Any:
    """Python 2's division."""
    inverse = _reciprocal(a, b)
    return OpNode("div", [a, b]) if inverse is None else (
        OpNode("mul", [a, inverse]))


@ophelper
def truediv_op(a: Any, b: Any) -> Any:
    """`/`: of integers and bools, it gives doubles."""
    inverse = _reciprocal(a, b)
    if inverse is not None:
        return OpNode("mul", [a, inverse])
    kind = commonKind([a, b])
    return OpNode("div", [a, b], kind=(
        "double" if kind in ("bool", "int", "long") else kind))


@ophelper
def rtruediv_op(a: Any, b: Any) -> Any:
    """`/` from the right."""
    return truediv_op(b, a)


def _of_multiplications(a: Any, x: float) -> Any:
    """a**x, where 2*x is an integer, as multiplications and a square root."""
    count, half = divmod(int(abs(2 * x)), 2)
    result = None
    power = a
    while count:
        if count & 1:
            result = power if result is None else OpNode("mul",
                                                         [result, power])
        count >>= 1
        if count:
            power = OpNode("mul", [power, power])
    if half:
        kind = a.astKind
        root = OpNode("sqrt", [a],
                      "double" if kind in ("int", "long") else kind)
        result = root if result is None else OpNode("mul", [result, root])
    if result is None:
        result = OpNode("ones_like", [a])
    return truediv_op(ConstantNode(1), result) if x < 0 else result


@ophelper
def pow_op(a: Any, b: Any) -> Any:
    """`**`; small constant exponents become multiplications."""
    if not isinstance(b, ConstantNode) or not isinstance(
            b.value, (int, float, np.integer, np.floating)):
        return OpNode("pow", [a, b])
    x: Any = b.value
    if a.astKind in ("int", "long") and b.astKind in ("int", "long") and x < 0:
        raise ValueError(
            "Integers to negative integer powers are not allowed.")
    optimization = get_optimization()
    if optimization == "aggressive" and abs(x) <= 50 and 2 * x == math.floor(
            2 * x):
        return _of_multiplications(a, x)
    if optimization != "none":
        if x == -1:
            return OpNode("div", [ConstantNode(1), a])
        if x == 0:
            return OpNode("ones_like", [a])
        if x == 0.5:
            kind = a.astKind
            return FuncNode("sqrt", [a], kind=(
                "double" if kind in ("int", "long") else kind))
        if x == 1:
            return a
        if x == 2:
            return OpNode("mul", [a, a])
    return OpNode("pow", [a, b])


def _functions() -> dict[str, Operation]:
    """By the names of texts, with the least and greatest kind of results."""
    table: dict[str, Operation] = {
        "copy": func(np.copy), "ones_like": func(np.ones_like),
        "where": where_func, "contains": contains_func,
        "abs": func(np.absolute, "float"),
        "ceil": func(np.ceil, "float", "double"),
        "floor": func(np.floor, "float", "double"),
        "real": func(np.real, "double", "double"),
        "imag": func(np.imag, "double", "double"),
        "complex": func(complex, "complex"), "conj": func(np.conj, "complex")}
    for name in ("sqrt sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh "
                 "arccosh arctanh fmod arctan2 log log1p log10 log2 exp "
                 "expm1").split():
        table[name] = func(getattr(np, name), "float")
    for name in ("hypot nextafter copysign maximum minimum round trunc sign "
                 "isnan isfinite isinf signbit").split():
        table[name] = func(getattr(np, name), "double")
    for name in ("sum", "prod", "min", "max"):
        table[name] = gen_reduce_axis_func(name)
    return table


class ExpressionNode:
    """What Python's operators build trees of."""
    astType = "generic"

    def __init__(self, value: Any = None, kind: str | None = None,
                 children: Sequence[Any] | None = None) -> None:
        self.value = value
        self.astKind: str = "none" if kind is None else kind
        self.children: tuple[Any, ...] = tuple(children or ())

    @property
    def real(self) -> Any:
        """The real part."""
        if isinstance(self, ConstantNode):
            return ConstantNode(complex(self.value).real)
        return OpNode("real", (self,), "double")

    @property
    def imag(self) -> Any:
        """The imaginary part."""
        if isinstance(self, ConstantNode):
            return ConstantNode(complex(self.value).imag)
        return OpNode("imag", (self,), "double")

    def __str__(self) -> str:
        return (f"{type(self).__name__}({self.value}, {self.astKind}, "
                f"{self.children})")

    __repr__ = __str__

    def __neg__(self) -> Any:
        return OpNode("neg", (self,))

    def __invert__(self) -> Any:
        return OpNode("invert", (self,))

    def __pos__(self) -> Any:
        return self

    def __bool__(self) -> bool:
        raise TypeError("You can't use Python's standard boolean operators in "
                        "NumExpr expressions. You should use their bitwise "
                        "counterparts instead: '&' instead of 'and', "
                        "'|' instead of 'or', and '~' instead of 'not'.")

    __hash__: ClassVar[None] = None  # type: ignore[assignment]
    __add__: Operation = binop("add")
    __radd__: Operation = __add__
    __sub__: Operation = binop("sub")
    __rsub__: Operation = binop("sub", reversed=True)
    __mul__: Operation = binop("mul")
    __rmul__: Operation = __mul__
    __truediv__: Operation = truediv_op
    __rtruediv__: Operation = rtruediv_op
    __floordiv__: Operation = binop("floordiv")
    __pow__: Operation = pow_op
    __rpow__: Operation = binop("pow", reversed=True)
    __mod__: Operation = binop("mod")
    __rmod__: Operation = binop("mod", reversed=True)
    __lshift__: Operation = binop("lshift")
    __rlshift__: Operation = binop("lshift", reversed=True)
    __rshift__: Operation = binop("rshift")
    __rrshift__: Operation = binop("rshift", reversed=True)
    __and__: Operation = binop("and")
    __or__: Operation = binop("or")
    __xor__: Operation = binop("xor")
    __gt__: Operation = binop("gt", kind="bool")
    __ge__: Operation = binop("ge", kind="bool")
    __eq__: Operation = binop("eq", kind="bool")
    __ne__: Operation = binop("ne", kind="bool")
    __lt__: Operation = binop("gt", reversed=True, kind="bool")
    __le__: Operation = binop("ge", reversed=True, kind="bool")


class LeafNode(ExpressionNode):
    """A variable or constant."""
    leafNode = True


class VariableNode(LeafNode):
    """A variable."""
    astType = "variable"

    def __init__(self, value: Any = None, kind: str | None = None,
                 children: Any = None) -> None:
        super().__init__(value, kind)


class ConstantNode(LeafNode):
    """A constant. Floats of Python are doubles."""
    astType = "constant"

    def __init__(self, value: Any = None, children: Any = None) -> None:
        kind = getKind(value)
        if kind == "float" and isinstance(value, float):
            kind = "double"
        super().__init__(value, kind)

    def __neg__(self) -> Any:
        return ConstantNode(-self.value)

    def __invert__(self) -> Any:
        return ConstantNode(~self.value)


class RawNode:
    """An integer that is part of an operation, such as an axis."""
    astType = "raw"
    astKind = "none"

    def __init__(self, value: Any) -> None:
        self.value = value
        self.children: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return f"RawNode({self.value})"

    __repr__ = __str__


class OpNode(ExpressionNode):
    """An operation."""
    astType = "op"

    def __init__(self, opcode: str | None = None,
                 args: Sequence[Any] | None = None,
                 kind: str | None = None) -> None:
        if kind is None and args is not None:
            kind = commonKind(args)
        if kind == "bool":
            opcode = {"mul": "and", "add": "or"}.get(opcode or "", opcode)
        super().__init__(opcode, kind, args)


class FuncNode(OpNode):
    """A call of a function."""

    def __init__(self, opcode: str | None = None,
                 args: Sequence[Any] | None = None,
                 kind: str | None = None) -> None:
        if kind is None and args is not None:
            kind = commonKind(args)
        if opcode in ("isnan", "isfinite", "isinf", "signbit"):
            kind = "bool"
        super().__init__(opcode, args, kind)


functions: dict[str, Operation] = _functions()
