"""`python -m kexpr.numexpr [--strict] app.py ...` or `-m module ...`: a
program, and its children, whose `import numexpr` gives kexpr.numexpr."""

from __future__ import annotations

import os
import runpy
import sys

import kexpr.numexpr

from ._install import SHADOW


def main(arguments: list[str]) -> int:
    """Runs the program; returns the status of a wrong call."""
    if arguments[:1] == ["--strict"]:
        del arguments[0]
        kexpr.numexpr.strict = True
        os.environ["KEXPR_NUMEXPR_STRICT"] = "1"
    of_module = arguments[:1] == ["-m"]
    if of_module:
        del arguments[0]
    if not arguments or arguments[0].startswith("-"):
        print("usage: python -m kexpr.numexpr [--strict] "
              "(program.py | -m module) [argument...]", file=sys.stderr)
        return 2
    path = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = SHADOW + (os.pathsep + path if path else "")
    sys.path.insert(1, SHADOW)
    kexpr.numexpr.install()
    sys.argv[:] = arguments
    if of_module:
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
        runpy.run_path(arguments[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
