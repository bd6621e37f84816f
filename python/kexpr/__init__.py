"""Expressions as fused, vectorised machine code.

>>> import numpy as np, kexpr as kx
>>> x = np.linspace(-2, 2, 5, dtype=np.float32)
>>> a, b = 2, np.float32(0.5)
>>> kx.evaluate("where(x > 0, a*x + b, exp(x))")
array([0.13533528, 0.36787945, 1.        , 2.5       , 4.5       ],
      dtype=float32)
"""

from typing import TYPE_CHECKING

from . import _core
from ._core import BoundKernel, Kernel, __version__
from ._errors import (ArgumentError, ArityError, CompileError, DTypeError,
                      Error, ExpressionError, FileError, OverlapError,
                      ShapeError, UnknownName, Unsupported)
from ._evaluate import evaluate
from ._kernel import cache, compile, explain, operators, options, warm

if TYPE_CHECKING:
    from ._trace import LazyArray, jit, lazy

__all__ = [
    "ArgumentError", "ArityError", "BoundKernel", "CompileError", "DTypeError",
    "Error", "ExpressionError", "FileError", "Kernel", "LazyArray",
    "OverlapError", "ShapeError", "UnknownName", "Unsupported", "__version__",
    "cache", "compile", "evaluate", "explain", "jit", "lazy", "operators",
    "options", "pandas", "pnnx", "warm",
]


_MODULES = ("_trace", "dask", "numexpr", "pandas", "pnnx", "torch", "xarray")


# Most processes need no more of the package than what is imported above.
def __getattr__(name: str) -> object:
    if name in _MODULES:
        import importlib
        return importlib.import_module(f"kexpr.{name}")
    from . import _trace
    found: object = (getattr(_trace, name) if name in __all__
                     else _trace.function(name))
    if found is None:
        raise AttributeError(f"module 'kexpr' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__} - {"TYPE_CHECKING"})
