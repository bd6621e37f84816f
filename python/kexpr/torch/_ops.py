"""Operators of PyTorch as formulas of kexpr."""

from __future__ import annotations

import functools
import itertools
import operator
import re
from collections.abc import Callable
from math import isfinite
from typing import Any, NamedTuple

from .._kernel import _PRECISIONS
from ._host import TYPES, is_tensor, shape_of, strides_of, torch


_ACCURATE, _FAST = map(_PRECISIONS.index, ("accurate", "fast"))
# PyTorch's own formulas of f32, which are faster than kexpr's and have nearly
# the bits of eager mode.
_SINGLE = {
    "sigmoid": "div(1,add(1,exp(neg({self}))))",
    "silu": "div({self},add(1,exp(neg({self}))))",
    "gelu": "mul(mul(0.5,{self}),add(1,erf(mul({self},0.7071067811865476))))"}


class Formula(NamedTuple):
    """What a node of a graph computes. `inputs` are nodes; the text has {0},
    {1}... where they stand."""
    text: str
    inputs: tuple[Any, ...]
    operations: int
    # Of a reduction: the extents and axes, as bits, that it goes over.
    rows: tuple[tuple[Any, ...], int] | None = None


# Operators in kexpr's text, by what PyTorch calls them. Words in braces are the
# operator's arguments. The arguments take the type of the result first.
_SAME = {name: f"{name}({{self}})" for name in """
abs acos acosh asin asinh atan atanh ceil cos cosh erf erfc exp exp2 expm1
floor frac log log10 log1p log2 neg reciprocal relu round rsqrt sigmoid sign
silu sin sinh sqrt tan tanh trunc mish hardswish hardsigmoid bitwise_not
deg2rad rad2deg
""".split()} | {name: f"{name}({{self}},{{other}})" for name in """
maximum minimum fmax fmin atan2 hypot logaddexp
""".split()} | {
    "sgn": "sign({self})", "clone": "{self}", "_to_copy": "{self}",
    "convert_element_type": "{a}", "copy": "{src}",
    "leaky_relu": "leaky_relu({self},{negative_slope})",
    "hardtanh": "minimum(maximum({self},{min_val}),{max_val})",
    "fma": "fma({a},{b},{c})", "xlogy.Tensor": "xlogy({self},{other})",
    "clamp_min": "maximum({self},{min})", "clamp_max": "minimum({self},{max})",
} | {f"{name}.{kind}": text for kind in ("Tensor", "Scalar") for name, text in {
    "mul": "mul({self},{other})", "div": "div({self},{other})",
    "bitwise_and": "and({self},{other})", "bitwise_or": "or({self},{other})",
    "bitwise_xor": "xor({self},{other})", "clamp_min": "maximum({self},{min})",
    "clamp_max": "minimum({self},{max})", "lerp": "lerp({self},{end},{weight})",
    "__rshift__": "rshift({self},{other})",
    "masked_fill": "where({mask},{value},{self})"}.items()}
# The arguments take the type that they promote to.
_COMPARED = {name: f"{name}({{self}},{{other}})" for name in """
eq ne lt le gt ge logical_and logical_or logical_xor
""".split()} | {name: f"{name}({{self}})" for name in """
isnan isinf isfinite isposinf isneginf logical_not
""".split()}
# Over axes; PyTorch's arguments `dim` and `keepdim` are looked at besides.
_OVER_AXES = set("sum mean amax amin any all prod argmax argmin var".split())
_ALONG_AXIS = {"_softmax": "softmax", "_log_softmax": "log_softmax",
               "cumsum": "cumsum", "cumprod": "cumprod"}

# Results are among the arguments, or bool, and need no rounding.
_EXACT = re.compile(r"(where|relu|neg|abs|maximum|minimum|fmax|fmin|sign|amax"
                    r"|amin|clamp|floor|ceil|trunc|round)\(|\{")
# Arguments that take numbers and tensors of no axes in f32 where others first
# round them to the 16 bits of the result.
_WIDE = {"mul": ["other"], "div": ["other"], "floor_divide": ["other"],
         "leaky_relu": ["negative_slope"], "elu": ["alpha"],
         "softplus": ["beta", "threshold"], "lerp.Scalar": ["weight"]}
_HALF = (torch.float16, torch.bfloat16)
_CHEAP = set("""
add sub mul neg abs maximum minimum fma where relu and or xor eq ne lt le gt ge
logical_and logical_or logical_not bitwise_not isnan square rshift
""".split())

CONSTANTS = {"full", "full_like", "scalar_tensor", "zeros", "ones",
             "zeros_like", "ones_like", "new_full", "new_zeros", "new_ones"}


def name_of(target: Any) -> str:
    """"add.Tensor" of an operator of ATen or prims, else empty."""
    if not isinstance(target, torch._ops.OpOverload) or (
            target.namespace not in ("aten", "prims")):
        return ""
    name = target._schema.name.partition("::")[2]
    overload = target._overloadname
    return name if overload == "default" else f"{name}.{overload}"


def fits(value: Any, dtype: Any) -> bool:
    """Whether a number is one of a type, or is rounded to one."""
    if dtype.is_floating_point:
        return not isfinite(value) or abs(value) <= torch.finfo(dtype).max
    info = dtype != torch.bool and torch.iinfo(dtype)
    return isinstance(value, int) and (
        info.min <= value <= info.max if info else value in (0, 1))


def literal(value: Any, dtype: Any = None) -> str:
    """A number of Python; `dtype` is one that it is rounded to."""
    if dtype is not None and not fits(value, dtype):
        raise Refused  # PyTorch wraps it, takes it as it is, or raises.
    return repr(torch.tensor(value, dtype=dtype).item() if dtype in _HALF
                else value)


def value_of(node: Any) -> Any:
    """The example of a node's value; None of other arguments."""
    return getattr(node, "meta", {}).get("val")


def constant_of(node: Any) -> Any:
    """The number that all elements of a node's result are; None where they are
    not known to be one. `fold` has put it there."""
    return getattr(node, "meta", {}).get("kexpr_constant")


def attribute_of(node: Any) -> Any:
    """What a node of the graph's own names, as constants are."""
    return operator.attrgetter(node.target)(node.graph.owning_module)


def fold(node: Any) -> None:
    """Notes the number that a node's result is made of."""
    name = name_of(node.target)
    family = name.partition(".")[0]
    if family in CONSTANTS:
        value: Any = 0 if "zeros" in family else 1 if "ones" in family else (
            arguments_of(node).get("s" if family == "scalar_tensor"
                                   else "fill_value"))
    elif family == "lift_fresh_copy" and node.args[0].op == "get_attr":
        tensor = attribute_of(node.args[0])
        value = tensor.item() if tensor.numel() == 1 else None
    elif (name in _SAME or family in _COMPARED or family in (
            "add", "sub", "pow")) and family != "clone":
        given = {one: constant_of(one) for one in node.all_input_nodes}
        if not given or None in given.values():
            return
        tensors = {one: torch.full((), number, dtype=value_of(one).dtype)
                   for one, number in given.items()}
        value = node.target(
            *torch.fx.node.map_arg(node.args, tensors.__getitem__),
            **torch.fx.node.map_arg(node.kwargs, tensors.__getitem__)).item()
    else:
        return
    result = value_of(node)
    if isinstance(value, (bool, int, float)) and is_tensor(result) and (
            fits(value, result.dtype)):
        node.meta["kexpr_constant"] = value


def arguments_of(node: Any) -> dict[str, Any]:
    """All arguments of a node by name."""
    known = node.target._schema.arguments
    return {one.name: one.default_value for one in known
            if one.has_default_value()} | dict(node.kwargs) | {
        one.name: value for one, value in zip(known, node.args)}


class Refused(Exception):
    """The node is PyTorch's."""


def formula_of(node: Any, options: Any) -> Formula | None:
    """That of a node; None where PyTorch computes it. With `options.rounds`,
    values of 16 bits are rounded after each operator, as PyTorch does."""
    result = value_of(node)
    if not is_tensor(result) or 0 in shape_of(result):
        return None
    try:
        return _Node(node, result, options).formula()
    except Refused:
        return None


class _Node:
    """The lowering of one node."""

    def __init__(self, node: Any, result: Any, options: Any) -> None:
        self.node, self.result, self.options = node, result, options
        self.name = name_of(node.target)
        self.family = self.name.partition(".")[0]
        self.wide = _WIDE.get(self.family, _WIDE.get(self.name, []))
        self.inputs: list[Any] = []
        self.rows: tuple[tuple[Any, ...], int] | None = None
        # Whether values of 16 bits are to be PyTorch's.
        self.rounds = options.rounds and result.dtype in _HALF

    def formula(self) -> Formula:
        text = self.text(arguments_of(self.node) if self.name else {})
        result = self.result
        if self.rows is None:
            shapes = [shape_of(value_of(one)) for one in self.inputs]
            # Numbers have no shape that a result could take.
            if not shapes or _broadcast(shapes) != list(shape_of(result)):
                raise Refused
        if any(size != 1 and step == 0 for size, step
               in zip(shape_of(result), strides_of(result))):
            raise Refused
        work = sum(1 if one in _CHEAP else 20
                   for one in re.findall(r"[a-z_0-9]+(?=\()", text))
        if self.rounds and not _EXACT.match(text):
            text = f"{result.dtype}({text})"
        return Formula(text, tuple(self.inputs), work, self.rows)

    # -- Arguments -----------------------------------------------------------

    def argument(self, value: Any, dtype: Any, is_wide: bool = False) -> str:
        """An argument, in a type unless that is None."""
        tensor = value_of(value)
        if is_wide and dtype in _HALF and (tensor is None or (
                self.rounds and is_tensor(tensor) and tensor.dim() == 0)):
            dtype = torch.float32
        if isinstance(value, (bool, int, float)):
            return literal(value, dtype)
        constant = constant_of(value)
        if constant is not None:
            if tensor.dtype not in TYPES:
                raise Refused
            return f"{dtype or tensor.dtype}({literal(constant, tensor.dtype)})"
        if not is_tensor(tensor) or 0 in shape_of(tensor):
            raise Refused
        if value not in self.inputs:
            self.inputs.append(value)
        text = f"{{{self.inputs.index(value)}}}"
        if dtype is None or tensor.dtype == dtype:
            return text
        return f"{dtype}({text})"

    def fill(self, template: str, given: dict[str, Any], dtype: Any) -> str:
        """A template with its arguments in a type."""
        def one(match: re.Match[str]) -> str:
            name = match[1]
            kind = torch.bool if name in ("condition", "mask") else dtype
            return self.argument(given[name], kind, name in self.wide)
        return re.sub(r"\{(\w+)\}", one, template)

    # -- Operators -----------------------------------------------------------

    def text(self, given: dict[str, Any]) -> str:
        name, family = self.name, self.family
        own = (_ACCURATE,) if family == "gelu" else (_ACCURATE, _FAST)
        if family in _SINGLE and self.options.precision not in own and (
                given.get("approximate", "none") == "none"
                and self.result.dtype != torch.float64):
            return self.fill(_SINGLE[family], given, self.result.dtype)
        if name in _SAME and not (self.rounds and family == "xlogy"):
            return self.fill(_SAME[name], given, self.result.dtype)
        if family in _COMPARED and self.result.dtype == torch.bool:
            return self.compared(_COMPARED[family], given)
        if family in _OVER_AXES:
            return self.over_axes(family, given)
        if family in _ALONG_AXIS:
            return self.along_axis(_ALONG_AXIS[family], given)
        special: Callable[..., str] | None = getattr(self, f"on_{family}", None)
        if special is None or not name:
            raise Refused
        return special(given, self.result.dtype)

    def compared(self, template: str, given: dict[str, Any]) -> str:
        if self.family.startswith("logical_"):
            return self.fill(template, given, None)
        dtype = torch.result_type(*torch.fx.node.map_arg(
            [given["self"], given.get("other", given["self"])], value_of))
        if dtype not in TYPES:
            raise Refused
        return self.fill(template, given, dtype)

    def reduced(self, value: Any, dims: Any) -> str:
        """Sets the rows of a reduction over axes; returns these as text."""
        shape = shape_of(value_of(value))
        rank = len(shape)
        if rank == 0 or not self.inputs:
            raise Refused
        if isinstance(dims, int):
            dims = [dims]
        axes = sorted({dim % rank for dim in dims or range(rank)})
        self.rows = shape, sum(1 << axis for axis in axes)
        return f"[{','.join(map(str, axes))}]"

    def over_axes(self, function: str, given: dict[str, Any]) -> str:
        source = given["self"]
        wide = given.get("dtype") or (
            self.result.dtype if function in ("sum", "mean", "prod", "var")
            else value_of(source).dtype)
        if (wide not in TYPES or function in ("argmax", "argmin")
                and value_of(source).dtype == torch.bool):
            raise Refused
        value = self.argument(source, wide)
        axes = self.reduced(source, given.get("dim"))
        if function in ("argmax", "argmin"):
            axes = "None" if given.get("dim") is None else axes[1:-1]
        if function == "var":
            correction = given.get("correction", given.get("unbiased", 1))
            correction = 1 if correction is None else correction
            if correction != int(correction):
                raise Refused
            return f"var({value},{axes},True,{int(correction)})"
        return f"{function}({value},{axes},True)"

    def along_axis(self, function: str, given: dict[str, Any]) -> str:
        value = self.argument(given["self"], self.result.dtype)
        axes = self.reduced(given["self"], given["dim"])
        return f"{function}({value},{axes[1:-1]})"

    # -- Operators with a rule of their own ----------------------------------

    def on_div(self, given: dict[str, Any], dtype: Any) -> str:
        mode, other = given.get("rounding_mode"), given["other"]
        function = {"floor": "floor_divide", "trunc": "trunc_divide",
                    None: self.family}[mode]
        # PyTorch raises where the divisor is 0, and rounds quotients of 16
        # bits.
        if not dtype.is_floating_point and (not isinstance(other, int) or (
                other == 0 or function == "div")) or (
                self.rounds and function[-7:] == "_divide" and (
                    getattr(value_of(other), "shape", ()))):
            raise Refused
        if function == "trunc_divide" and dtype.is_floating_point:
            return self.fill("trunc(div({self},{other}))", given, dtype)
        return self.fill(f"{function}({{self}},{{other}})", given, dtype)

    on_floor_divide = on_remainder = on_fmod = on_div

    def on_add(self, given: dict[str, Any], dtype: Any) -> str:
        function = self.family.removeprefix("r")
        both, alpha = [given["self"], given["other"]], given.get("alpha", 1)
        # PyTorch rounds products of 16 bits where it computes no vectors, and
        # raises where bools are taken off or are factors.
        if type(alpha) not in (int, float) or self.rounds and alpha != 1 or (
                function == "sub" and any(isinstance(one, bool) or getattr(
                    value_of(one), "dtype", 0) == torch.bool for one in both)):
            raise Refused
        x, y = (self.argument(one, dtype) for one in both[
            ::1 if self.family == function else -1])
        if dtype.is_floating_point and alpha != 1:
            factor = literal(alpha if function == "add" else -alpha, dtype)
            return f"fma({y},{factor},{x})"
        factor = "" if alpha == 1 else f",{literal(alpha, dtype)}"
        return f"{function}({x},{y}{factor})"

    on_sub = on_rsub = on_add

    def on_pow(self, given: dict[str, Any], dtype: Any) -> str:
        base, exponent = given["self"], given["exponent"]
        # Of 16 bits PyTorch rounds a square, or vectors alone.
        if not dtype.is_floating_point and (
                type(exponent) is not int or exponent < 0) or (
                self.rounds and dtype == torch.bfloat16 and (
                    constant_of(exponent) or exponent) in (3, -2, -0.5)):
            raise Refused
        x, y = self.argument(base, dtype), self.argument(exponent, dtype)
        if exponent == 2:
            return f"mul({x},{x})"
        return f"pow({x},{y})"

    def on_where(self, given: dict[str, Any], dtype: Any) -> str:
        known = constant_of(given["condition"])
        if known is not None:
            return self.argument(given["self" if known else "other"], dtype)
        return self.fill("where({condition},{self},{other})", given, dtype)

    def on_clamp(self, given: dict[str, Any], dtype: Any) -> str:
        text = self.argument(given["self"], dtype)
        for function, one in (("maximum", "min"), ("minimum", "max")):
            if given[one] is not None:
                text = f"{function}({text},{self.argument(given[one], dtype)})"
        return text

    def _plus_scaled(self, template: str, given: dict[str, Any],
                     dtype: Any) -> str:
        # A product of two constants would be rounded to 16 bits.
        if (not dtype.is_floating_point or constant_of(given["tensor1"])
                or type(value := given["value"]) not in (int, float)
                or not fits(value, dtype)):
            raise Refused
        scaled = "{tensor1}" if value == 1 else f"mul({{tensor1}},{value!r})"
        return self.fill(template.replace("scaled", scaled), given, dtype)

    on_addcmul = functools.partialmethod(
        _plus_scaled, "fma(scaled,{tensor2},{self})")
    on_addcdiv = functools.partialmethod(
        _plus_scaled, "add({self},div(scaled,{tensor2}))")

    def on_gelu(self, given: dict[str, Any], dtype: Any) -> str:
        x = self.argument(given["self"], dtype)
        if given["approximate"] == "none":
            return f"gelu({x})"
        inner = (f"mul(0.7978845608028654,"
                 f"fma(mul(0.044715,{x}),mul({x},{x}),{x}))")
        return f"mul(mul(0.5,{x}),add(1,tanh({inner})))"

    def on_elu(self, given: dict[str, Any], dtype: Any) -> str:
        if given["scale"] != 1 or given["input_scale"] != 1:
            raise Refused
        return self.fill("elu({self},{alpha})", given, dtype)

    def on_softplus(self, given: dict[str, Any], dtype: Any) -> str:
        is_plain = given["beta"] == 1 and given["threshold"] == 20
        return self.fill("softplus({self})" if is_plain else
                         "softplus({self},{beta},{threshold})", given, dtype)


def _broadcast(shapes: list[Any]) -> list[Any]:
    axes = itertools.zip_longest(*map(reversed, shapes), fillvalue=1)
    return [next((one for one in sizes if one != 1), 1) for sizes in axes][::-1]

