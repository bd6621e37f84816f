#!/usr/bin/env python3
# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What infix text means to Python, NumPy and PyTorch.

    python3 utils/infix_expectations.py grammar > unittests/Data/infix_grammar.tsv
    python3 utils/infix_expectations.py numpy > unittests/Data/infix_numpy.tsv
    python3 utils/infix_expectations.py torch > unittests/Data/infix_torch.tsv

A line of the first is a random text, and the calls that Python's own parser
makes of it, operands numbered as they appear. A line of the others is a text
over a and b, their types, the type of the result or `error`, and a digest of
its elements (`-` where only the type counts). `int` and `float` are Python
numbers. Digests are FNV-1a, folded to 32 bits, of the elements' bytes, of which
all NaNs are one; zeros of // and % of torch have no sign. Lines that begin with
`#` hold the elements, by type: those of a, of b, and of bases and exponents.
Needs numpy 2 and ml_dtypes, or torch.
"""
import ast
import math
import random
import re
import sys

NAMES = ["a", "b", "c", "x", "yy", "z_1", "\u03b1", "W"]
BINARY = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div",
          ast.FloorDiv: "floor_divide", ast.Mod: "remainder", ast.Pow: "pow",
          ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
          ast.LShift: "lshift", ast.RShift: "rshift"}
COMPARE = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
           ast.Eq: "eq", ast.NotEq: "ne"}
TYPES = ["bool", "i8", "u8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64",
         "u16", "u32", "u64"]
OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "<", "<=", ">", ">=", "==",
             "!=", "&", "|", "^", "<<", ">>"]
INTS = [[0, 1, -1, 2, -3, 7, 100, -128], [1, 2, -2, 3, 0, -7, 9, 4]]
FLOATS = [[0.0, -0.5, 1.5, 2.25, -3.75, 100.0, math.inf, math.nan],
          [1.0, 0.25, -2.0, 3.0, 7.5, -1.25, 4.0, 0.5]]
POWERS = [[0, 1, 2, 3, 4, 1, 2, 5], [0, 1, 2, 3, 2, 5, 0, 1]]
POSITIVE = [[0, 1, 1, 2, 3, 7, 100, 127], [1, 2, 2, 3, 5, 7, 6, 4]]


# The grammar.

def is_bool(node, scope):
    """Whether a value is a bool, if operands are f32."""
    if isinstance(node, ast.Name):
        return is_bool(scope[node.id], scope) if node.id in scope else False
    if isinstance(node, (ast.Compare, ast.BoolOp)):
        return True
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not) or is_bool(node.operand, scope)
    if isinstance(node, ast.BinOp):
        return not isinstance(node.op, ast.Div) and all(
            is_bool(side, scope) for side in (node.left, node.right))
    if isinstance(node, ast.IfExp):
        return is_bool(node.body, scope) and is_bool(node.orelse, scope)
    return False


def calls(node, scope, operands):
    def of(child):
        return calls(child, scope, operands)
    if isinstance(node, ast.Name):
        return (of(scope[node.id]) if node.id in scope
                else f"@{operands.index(node.id)}")
    if isinstance(node, ast.UnaryOp):
        value = of(node.operand)
        name = {ast.Not: "logical_not", ast.USub: "neg",
                ast.Invert: "bitwise_not"}.get(type(node.op))
        return f"{name}({value})" if name else value
    if isinstance(node, ast.BinOp):
        return f"{BINARY[type(node.op)]}({of(node.left)},{of(node.right)})"
    if isinstance(node, ast.BoolOp):
        name = "logical_and" if isinstance(node.op, ast.And) else "logical_or"
        result = of(node.values[0])
        for value in node.values[1:]:
            result = f"{name}({result},{of(value)})"
        return result
    if isinstance(node, ast.Compare):
        left, result = node.left, None
        for op, right in zip(node.ops, node.comparators):
            one = f"{COMPARE[type(op)]}({of(left)},{of(right)})"
            result = f"logical_and({result},{one})" if result else one
            left = right
        return result
    if isinstance(node, ast.IfExp):
        test = of(node.test)
        if not is_bool(node.test, scope):
            test = f"torch.bool({test})"
        return f"where({test},{of(node.body)},{of(node.orelse)})"
    if isinstance(node, ast.Call):
        return f"{node.func.id}({','.join(of(arg) for arg in node.args)})"
    if isinstance(node, (ast.Tuple, ast.List)):
        return "[" + ",".join(of(element) for element in node.elts) + "]"
    raise ValueError(ast.dump(node))


def random_text(rng, depth=0):
    text, length = "", rng.randrange(1, 6 if depth == 0 else 4)
    for place in range(length):
        if place:
            text += rng.choice(
                [" + ", "-", "*", " / ", "//", "%", "**", "<", " <= ", ">",
                 ">=", "==", " != ", "&", " | ", "^", "<<", ">>", " and ",
                 " or ", "**", "*", "<"])
        text += rng.choice([""] * 8 + ["-", "+", "~", "not ", "- -"])
        kind = rng.random()
        if kind < 0.15 and depth < 3:
            text += f"({random_text(rng, depth + 1)})"
        elif kind < 0.22 and depth < 3:
            text += f"exp( {random_text(rng, depth + 1)})"
        elif kind < 0.32 and depth < 3:
            text += (f"{rng.choice(NAMES)} if {random_text(rng, depth + 1)}"
                     f" else {random_text(rng, depth + 1)}")
        else:
            text += rng.choice(NAMES)
    return text


def grammar():
    rng = random.Random(20)
    lines = 0
    while lines < 500:
        text = random_text(rng)
        if rng.random() < 0.15:
            text = f"t = {text}; u = t*{text}; t, u/{rng.choice(NAMES)}"
        elif rng.random() < 0.1:
            text = f"[{text}, {random_text(rng)}]"
        try:
            body = ast.parse(text).body
        except SyntaxError:
            continue
        operands = list(dict.fromkeys(
            word for word in re.findall(r"[^\W\d]\w*", text)
            if word not in ("and", "or", "not", "if", "else", "exp", "t", "u")))
        scope = {}
        for statement in body[:-1]:
            scope[statement.targets[0].id] = statement.value
        result = calls(body[-1].value, scope, operands)
        if len(result) < 400:
            print(f"{text}\t{result}")
            lines += 1


# Types and values.

def digest(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value >> 32 ^ value & 0xFFFFFFFF:08x}"


def print_elements(name, elements):
    print("#", name, *[" ".join(repr(float(x)) for x in each)
                       for each in elements], sep="\t")


def elements_for(op, kind, role, strict):
    """The elements of a (role 0) or b (role 1)."""
    if op == "**":
        return POWERS[role]
    if strict:
        return POSITIVE[role]
    return (FLOATS if "f" in kind else INTS)[role]


def numbers(op):
    return {"int": 3, "float": 2.0 if op == "**" else 2.5}


def pairs():
    for a in TYPES + ["int", "float"]:
        for b in TYPES + ["int", "float"]:
            if a in TYPES or b in TYPES:
                yield a, b


def numpy_lines():
    import ml_dtypes
    import numpy as np
    dtypes = dict(zip(TYPES, [np.bool_, np.int8, np.uint8, np.int16, np.int32,
                              np.int64, np.float16, ml_dtypes.bfloat16,
                              np.float32, np.float64, np.uint16, np.uint32,
                              np.uint64]))
    names = {np.dtype(dtype): name for name, dtype in dtypes.items()}

    def array(op, kind, role):
        if kind not in dtypes:
            return numbers(op)[kind]
        elements = np.array(elements_for(op, kind, role, False))
        return elements.astype(dtypes[kind])

    def line(text, kinds, scope, compares=True):
        try:
            with np.errstate(all="ignore"):
                result = np.asarray(eval(text, {"np": np}, scope))
        except (TypeError, ValueError, OverflowError):
            return print(text.replace("np.", ""), *kinds, "error", "-",
                         sep="\t")
        name = names[result.dtype]
        if compares and name in ("f16", "bf16", "f32", "f64"):
            result = result.copy()
            result[np.isnan(result)] = np.nan
            result = np.where(np.isnan(result), np.abs(result), result)
        print(text.replace("np.", ""), *kinds, name,
              digest(result.tobytes()) if compares else "-", sep="\t")

    for op in OPERATORS:
        for a, b in pairs():
            # bf16 is a type of ml_dtypes, with loops and promotion of its own.
            if "bf16" in (a, b) and (op in ("//", "%", "**")
                                     or "float" in (a, b)):
                continue
            line(f"a {op} b", (a, b),
                 {"a": array(op, a, 0), "b": array(op, b, 1)})
    for kind in TYPES:
        scope = {"a": array("+", kind, 0), "b": array("+", kind, 1)}
        for text in ("-a", "+a", "~a", "np.absolute(a)", "np.sign(a)",
                     "np.isnan(a)", "np.isinf(a)", "np.isfinite(a)",
                     "np.logical_not(a)", "np.where(a > b, a, 2.5)",
                     "np.where(a, 0.1, 2)", "np.where(a, 1, 2)",
                     "np.maximum(a, b)", "np.minimum(a, 1)",
                     "np.clip(a, 0, 2)", "np.clip(a, None, b)",
                     "np.clip(a, -300, 70000)", "np.clip(a, 300, 400)",
                     "np.logical_xor(a, b)", "np.invert(a)"):
            if kind == "bf16" and re.search(r"sign|2\.5|clip", text):
                continue
            line(text, (kind, kind), scope)
        for name in ("floor", "ceil", "trunc", "rint", "round", "square",
                     "sqrt", "sin", "cos", "tan", "arcsin", "arccos", "arctan",
                     "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh",
                     "exp", "expm1", "log", "log1p", "log10", "degrees",
                     "radians", "fabs", "fix", "sum", "prod", "mean", "var",
                     "std", "amax", "amin", "any", "all", "argmax", "argmin"):
            # What ml_dtypes leaves to others, or has in f32.
            if kind == "bf16" and name in ("round", "fix", "degrees", "mean",
                                           "radians", "var", "std", "fabs"):
                continue
            line(f"np.{name}(a)", (kind, kind), scope, False)
        for name in ("cumsum", "cumprod"):
            line(f"np.{name}(a, 0)", (kind, kind), scope, False)
        for other in TYPES:
            if "bf16" in (kind, other):
                continue
            scope["b"] = array("+", other, 1)
            for name in ("arctan2", "logaddexp", "fmod", "maximum"):
                line(f"np.{name}(a, b)", (kind, other), scope, False)


def torch_lines():
    import torch
    dtypes = dict(zip(TYPES, [torch.bool, torch.int8, torch.uint8, torch.int16,
                              torch.int32, torch.int64, torch.float16,
                              torch.bfloat16, torch.float32, torch.float64,
                              torch.uint16, torch.uint32, torch.uint64]))
    names = {dtype: name for name, dtype in dtypes.items()}

    def tensor(op, kind, role):
        if kind not in dtypes:
            return numbers(op)[kind]
        elements = torch.tensor(elements_for(op, kind, role, True))
        return elements.to(dtypes[kind])

    for op in OPERATORS:
        for a, b in pairs():
            # PyTorch refuses a bool beside any type; promotion would not.
            if op == "-" and "bool" in (a, b) and a != b:
                continue
            try:
                result = eval(f"a {op} b", {"a": tensor(op, a, 0),
                                            "b": tensor(op, b, 1)})
            except (RuntimeError, TypeError) as error:
                # Types that promote, and a function that was not written.
                if "not implemented for 'UInt" in str(error):
                    continue
                print(f"a {op} b", a, b, "error", "-", sep="\t")
                continue
            if result.dtype.is_floating_point and op in ("//", "%"):
                result = result + 0
            data = result.contiguous().view(torch.uint8).numpy().tobytes()
            # A number over a tensor is rounded twice, as its reciprocal.
            is_twice = op == "/" and a not in dtypes
            print(f"a {op} b", a, b, names[result.dtype],
                  "-" if is_twice else digest(data), sep="\t")


if __name__ == "__main__":
    if sys.argv[1] == "grammar":
        grammar()
    else:
        strict = sys.argv[1] == "torch"
        print_elements("powers", POWERS)
        print_elements("integers", POSITIVE if strict else INTS)
        print_elements("floats", POSITIVE if strict else FLOATS)
        torch_lines() if strict else numpy_lines()
