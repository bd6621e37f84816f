# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types, promotion, and what each operator computes in."""
import functools
import pathlib
import typing

import torch

DTYPES = {
    "f32": torch.float32, "f64": torch.float64, "f16": torch.float16,
    "bf16": torch.bfloat16, "i8": torch.int8, "u8": torch.uint8,
    "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
    "bool": torch.bool,
}
# PyTorch 1.13 has none of these; 2 has casts of them and few operators.
UNSIGNED = tuple(getattr(torch, f"uint{bits}") for bits in (16, 32, 64)
                 if hasattr(torch, f"uint{bits}"))
DTYPES |= {f"u{8 * dtype.itemsize}": dtype for dtype in UNSIGNED}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
NARROW = (torch.float16, torch.bfloat16)
CASTS = {
    "torch.float": torch.float32, "torch.double": torch.float64,
    "torch.half": torch.float16, "torch.bfloat16": torch.bfloat16,
    "torch.uint8": torch.uint8, "torch.int8": torch.int8,
    "torch.short": torch.int16, "torch.int": torch.int32,
    "torch.long": torch.int64, "torch.bool": torch.bool, "int": torch.int64,
} | {str(dtype): dtype for dtype in UNSIGNED}
# Bits of the significand, and the exponent of the least normal number.
FORMATS = {torch.float64: (53, -1022), torch.float32: (24, -126),
           torch.float16: (11, -14), torch.bfloat16: (8, -126)}


class Reject(Exception):
    """This program has no one meaning, or PyTorch refuses it."""


class Kind(typing.NamedTuple):
    """The static type of a value. A literal has a Python type for a dtype."""
    dtype: typing.Any
    dims: bool = False

    @property
    def literal(self):
        return isinstance(self.dtype, type)


def dummy(kind):
    if kind.literal:
        return kind.dtype(1)
    return torch.ones((1,) if kind.dims else (), dtype=kind.dtype)


@functools.lru_cache(None)
def promote(*kinds):
    """The type PyTorch takes for these arguments, at least one a tensor."""
    tensors = sorted(kinds, key=lambda kind: kind.literal)
    result = tensors[0]
    for kind in tensors[1:]:
        dtype = torch.result_type(dummy(result), dummy(kind))
        result = Kind(dtype, result.dims or kind.dims)
    return result.dtype


COMPARISONS = "eq ne lt le gt ge".split()
LOGICAL = "logical_and logical_or logical_xor logical_not".split()
BITS = "and or xor".split()
SHIFTS = "lshift rshift".split()
WHOLE = "fmod remainder floor_divide".split()
EXTREMA = "maximum minimum max min".split()
# Their last arguments are parameters, which do not take part in promotion.
PARAMETERS = {"elu": 1, "leaky_relu": 1}
# Correctly rounded wherever they compute in floating point, so that their
# results do not depend on who computes them.
CORRECT = set("""add sub mul div sqrt reciprocal square neg abs sign floor ceil
    trunc round relu clamp leaky_relu where""".split() + EXTREMA + COMPARISONS)

RULES = {}
for _rule, _names in {
        "numeric": "add mul sign square where",
        "truth": " ".join(LOGICAL),
        "numeric but bool": "neg abs floor ceil trunc round relu sub pow clamp",
        "float": """div sqrt reciprocal rsqrt sin cos tan asin acos atan atan2
            exp expm1 log log1p log10 sinh cosh tanh asinh acosh atanh erf
            sigmoid""",
        "floating": """silu gelu hardswish hardsigmoid softplus mish elu selu
            leaky_relu logaddexp"""}.items():
    RULES |= {name: _rule for name in _names.split()}
RULES |= {name: "numeric" for name in EXTREMA + COMPARISONS}
RULES |= {name: "numeric but bool" for name in WHOLE}
RULES |= {name: "integers or bools" for name in BITS + ["bitwise_not"]}
RULES |= {name: "integers" for name in SHIFTS}


def computed_in(op, kinds):
    """The type that `op` computes in; None where PyTorch has no such call."""
    if op == "where":
        if kinds[0].dtype != torch.bool or all(k.literal for k in kinds[1:]):
            return None
        kinds = kinds[1:]
    if RULES[op] == "truth":
        # PyTorch promotes first, so that a small number may become 0.
        same = len({k.dtype for k in kinds if not k.literal}) == 1
        return torch.bool if same else None
    try:
        dtype = promote(*kinds[:PARAMETERS.get(op, len(kinds))])
    except RuntimeError:  # of unsigned integers and others
        return None
    rule, floating = RULES[op], dtype.is_floating_point
    if op == "square" and dtype == torch.bool:
        return torch.int64
    if op == "sub" and any(k.dtype in (bool, torch.bool) for k in kinds):
        return None
    if dtype == torch.bool and rule in ("numeric but bool", "integers"):
        return None
    if floating and rule in ("integers", "integers or bools"):
        return None
    if not floating and rule == "floating":
        return None
    return torch.float32 if rule == "float" and not floating else dtype


def is_exact(op, dtype, args):
    """Whether every correct implementation gives the same bits."""
    if not dtype.is_floating_point or op in CORRECT:
        return True
    return (op == "pow" and args[1].literal in (1, 2, 3, 0.5)
            and is_known(args[1]))


def is_known(exponent):
    """Whether code is made for it: for sizes it is not."""
    return "size(" not in exponent.text


def documented_ulps():
    """Operators, and functions over axes, to their errors in f32 and f64, from
    docs/operators.md."""
    page = pathlib.Path(__file__).parents[2] / "docs" / "operators.md"
    table = {}
    for line in page.read_text().splitlines():
        # A formula may hold an escaped bar.
        cells = [c.strip() for c in line.replace("\\|", "/").split("|")]
        if len(cells) not in (6, 10) or not cells[1].startswith("`"):
            continue
        names, ulps = cells[1].split(), cells[4]
        if len(cells) == 10:
            names, ulps = names + cells[2].split(), cells[6]
        ulps = [float(text) for text in ulps.split("/")]
        for name in names:
            table[name.strip("`,")] = ulps[0], ulps[-1]
    return table
