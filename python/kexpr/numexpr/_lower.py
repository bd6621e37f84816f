"""Typed trees as kexpr's infix text, with every conversion written out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._errors import Unsupported
from ._typed import ASTNode
from .interpreter import allaxes

# By the letter of a kind; complex numbers are those without imaginary part.
_CASTS = {"b": "bool", "i": "int32", "l": "int64", "f": "float32",
          "d": "float64", "c": "float64"}

_FORMS = {
    "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "div": "{} / {}",
    "pow": "{} ** {}", "mod": "{} % {}", "floordiv": "{} // {}",
    "lshift": "{} << {}", "rshift": "{} >> {}", "and": "{} & {}",
    "or": "{} | {}", "xor": "{} ^ {}", "eq": "{} == {}", "ne": "{} != {}",
    "gt": "{} > {}", "ge": "{} >= {}", "neg": "-{}", "invert": "~{}",
    "where": "where({}, {}, {})", "copy": "{}", "cast": "{cast}({})",
    "ones_like": "{cast}(where({0} == {0}, 1, 1))",
    "imag": "{cast}(where({0} == {0}, 0, 0))", "real": "{}",
    "conjugate": "{}", "round": "rint({})", "absolute": "abs({})",
    "sum": "{cast}(sum({}{axis}))", "prod": "{cast}(prod({}{axis}))",
    "min": "amin({}{axis})", "max": "amax({}{axis})"}

# What numexpr computes for floats: of NaN, reductions take no notice.
_FLOAT_FORMS = {
    "mod": "{0} - floor({0} / {1}) * {1}", "floordiv": "floor({} / {})",
    "min": "where(all(isnan({0}){axis}), nan, amin(fmin({0}, inf){axis}))",
    "max": "where(all(isnan({0}){axis}), nan, amax(fmax({0}, -inf){axis}))"}
_INTEGER_FORMS = {
    "div": "where({1} == 0, 0, trunc_divide({0}, {1}))",
    "pow": "where({1} < 0, where({0} == 0, 0, trunc_divide(1, {0})), "
           "{0} ** maximum({1}, 0))",
    "round": "{}"}

# What is known of complex numbers: those without an imaginary part come from
# floats, of which `conj` makes them.
_OF_REALS = {"add", "sub", "mul", "eq", "ne", "neg", "copy", "conjugate",
             "cast", "real", "imag", "ones_like", "where", "sum", "prod"}

# The neighbour of {0} towards {1}, by sums that round to it (S. Rump and
# others, Computing predecessor and successor in rounding to nearest, 2009).
_NEIGHBOUR = """\
{t}a = abs({0})
{t}s = {cast}(where({0} < {1}, 1, -1))
{t}m = {down!r} * ({0} * {up!r} + {t}s * ({phi!r} * ({t}a * {up!r})))
{t}f = where({t}a < {low!r}, {0} + {t}s * {tiny!r}, {t}m)
{t}g = where({t}a < {high!r}, {t}f, {0} + {t}s * ({phi!r} * {t}a))
{t}h = where({0} == 0, {t}g, copysign(where(isinf({0}), {most!r}, {t}g), {0}))
{t} = where(isnan({0}) | isnan({1}), {0} + {1}, where({0} == {1}, {1}, {t}h))"""


def _neighbour_numbers(dtype: Any) -> dict[str, float]:
    """The numbers of `_NEIGHBOUR`, by half the distance of 1 to the next."""
    info = np.finfo(dtype)
    u, tiny = float(info.epsneg), float(info.smallest_subnormal)
    return {"up": 1 / u, "down": u, "tiny": tiny, "phi": u * (1 + 2 * u),
            "low": tiny / u, "high": tiny / u / u / 2,
            "most": float(info.max)}


_NUMBERS = {"f": _neighbour_numbers(np.float32),
            "d": _neighbour_numbers(np.float64)}


def lower(root: ASTNode, names: Sequence[str]) -> str:
    """The text of a typed tree, whose variables are `x0`, `x1`... in the order
    of `names`. Complex numbers and strings are refused."""
    writer = _Writer({name: f"x{i}" for i, name in enumerate(names)})
    for node in root.postorderWalk():
        if node.astType != "raw":
            writer.write(node)
    return "\n".join([*writer.lines, writer.words[id(root)]])


def _refuse(kind: str) -> Unsupported:
    what = "complex numbers" if kind == "c" else "strings"
    return Unsupported(f"{what} are not computed by kexpr")


class _Writer:
    """One statement for each node, so that what is shared is written once."""

    def __init__(self, operands: dict[str, str]) -> None:
        self._operands = operands
        self.lines: list[str] = []
        self.words: dict[int, str] = {}  # what stands for a node
        self._literals: set[str] = set()

    def write(self, node: ASTNode) -> None:
        """The statements of a node whose children are written."""
        kind = node.typecode()
        if kind == "s":
            raise _refuse(kind)
        if node.astType == "constant":
            self.words[id(node)] = word = _literal(kind, node.value)
            self._literals.add(word)
        elif node.astType == "variable":
            if kind == "c":
                raise _refuse(kind)
            self._state(node, f"{_CASTS[kind]}({self._operands[node.value]})")
        else:
            self._operation(node, kind)

    def _state(self, node: ASTNode, text: str) -> None:
        self.words[id(node)] = word = f"t{len(self.words)}"
        self.lines.append(f"{word} = {text}")

    def _operation(self, node: ASTNode, kind: str) -> None:
        name, of = node.name, node.children[0].typecode()
        if "c" in (kind, of) and name not in _OF_REALS:
            raise _refuse("c")
        axis = "" if node.axis in (None, allaxes) else f", axis={node.axis}"
        words = [self.words[id(child)] for child in node.arguments]
        if name == "nextafter":
            self._neighbour(node, kind, words)
            return
        special = _FLOAT_FORMS if of in "fd" else (
            _INTEGER_FORMS if of in "il" else {})
        form = special.get(name) or _FORMS.get(name) or (
            f"{name}({', '.join(['{}'] * len(words))})")
        text = form.format(*words, cast=_CASTS[kind], axis=axis)
        typed = words[1:] if name == "where" else words
        if kind != "b" and self._literals.issuperset(typed):
            text = f"{_CASTS[kind]}({text})"  # numbers have no type of theirs
        self._state(node, text)

    def _neighbour(self, node: ASTNode, kind: str, words: list[str]) -> None:
        cast = _CASTS[kind]
        for i, other in enumerate(reversed(words)):
            if words[i] in self._literals:
                words[i] = f"{cast}(where({other} == {other}, {words[i]}, 0))"
        word = f"t{len(self.words)}"
        self.words[id(node)] = word
        self.lines += [f"{word}x = {words[0]}", f"{word}y = {words[1]}",
                       _NEIGHBOUR.format(f"{word}x", f"{word}y", t=word,
                                         cast=cast, **_NUMBERS[kind])]


def _literal(kind: str, value: Any) -> str:
    """A number as infix text has it."""
    if kind == "b":
        return str(bool(value))
    if kind in "il":
        number = int(value)
        if not -2**63 <= number < 2**63:
            raise OverflowError("Python int too large to convert to C long")
        return str(number) if number > -2**63 else f"({number + 1} - 1)"
    value = complex(value)
    if value.imag or value.imag != value.imag:
        raise _refuse("c")
    return repr(float(np.float32(value.real)) if kind == "f" else value.real)
