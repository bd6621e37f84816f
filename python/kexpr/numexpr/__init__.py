"""numexpr's interface and rules, on kexpr's engine.

>>> import kexpr.numexpr as ne
>>> import numpy as np
>>> a, b = np.arange(3), np.ones(3)
>>> ne.evaluate("2*a + b")
array([1., 3., 5.])

`install()` makes it what ``import numexpr`` gives in this process;
``python -m kexpr.numexpr app.py`` does so for a program and its children.
"""

from __future__ import annotations

import os

from . import interpreter as interpreter
from . import version as version
from ._install import install, patch, uninstall, unpatch
from .expressions import E
from .interpreter import MAX_THREADS, __BLOCK_SIZE1__, use_vml
from .necompiler import (NumExpr, disassemble, evaluate, re_evaluate,
                         validate)
from .utils import (_init_num_threads, detect_number_of_cores,
                    detect_number_of_threads, get_num_threads,
                    get_vml_num_threads, get_vml_version, set_num_threads,
                    set_vml_accuracy_mode, set_vml_num_threads)

__all__ = [
    "E", "MAX_THREADS", "NumExpr", "detect_number_of_cores",
    "detect_number_of_threads", "disassemble", "evaluate", "get_num_threads",
    "get_vml_num_threads", "get_vml_version", "install", "ncores", "nthreads",
    "patch", "re_evaluate", "set_num_threads", "set_vml_accuracy_mode",
    "set_vml_num_threads", "strict", "uninstall", "unpatch", "use_vml",
    "validate",
]

__version__ = version.version

strict: bool = os.environ.get("KEXPR_NUMEXPR_STRICT", "") not in ("", "0")
"""Whether complex numbers and strings are refused, instead of NumPy's."""

is_cpu_amd_intel: bool = False
ncores: int = detect_number_of_cores()
nthreads: int = _init_num_threads()


def print_versions() -> None:
    """Prints the versions of what is used."""
    import platform

    import numpy

    from .. import __version__ as kexpr_version
    print(f"kexpr {kexpr_version} as numexpr {__version__}, NumPy "
          f"{numpy.__version__}, Python {platform.python_version()}, "
          f"{nthreads} threads, {ncores} processors")
