"""`python -m kexpr EXPRESSION [name=]a.npy... [-o out.npy]`."""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

from ._errors import Error
from ._kernel import compile


def _value(text: str) -> Any:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return np.load(text, mmap_mode="r", allow_pickle=False)


def main(arguments: list[str] | None = None) -> int:
    """The tool; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m kexpr", description="Evaluates an expression over .npy "
        "files and numbers.")
    parser.add_argument("expression", help="such as 'a*x + b'")
    parser.add_argument("operands", nargs="*", metavar="[NAME=]FILE|NUMBER")
    parser.add_argument("-o", "--output", help=".npy file of the result")
    parser.add_argument("--syntax", choices=("infix", "pnnx"), default="infix")
    parser.add_argument("--semantics", choices=("numpy", "torch"))
    parser.add_argument("--precision",
                        choices=("default", "accurate", "fast"))
    parser.add_argument("--explain", action="store_true",
                        help="say why it takes the time it takes")
    given = parser.parse_args(arguments)
    try:
        kernel = compile(given.expression, syntax=given.syntax,
                         semantics=given.semantics, precision=given.precision)
        arrays: list[Any] = []
        named: dict[str, Any] = {}
        for operand in given.operands:
            name, equals, value = operand.partition("=")
            if equals and name.isidentifier():
                named[name] = _value(value)
            else:
                arrays.append(_value(operand))
        results = kernel(*arrays, **named)
        if given.explain:
            print(kernel.explain())
        every = results if isinstance(results, tuple) else (results,)
        if given.output:
            np.save(given.output, every[0] if len(every) == 1 else every)
    except (Error, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if not given.output:
        for result in every:
            print(result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
