"""`import numexpr` as this package, and kexpr under an installed numexpr."""

from __future__ import annotations

import importlib
import importlib.machinery
import os
import sys
import threading
from types import ModuleType
from typing import Any

from . import (_text, expressions, interpreter, necompiler, utils,
               version)
from ._program import Program

_MODULES = (expressions, interpreter, necompiler, utils, version)

# What `python -m kexpr.numexpr` puts before other directories.
SHADOW = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_shadow")

_lock = threading.RLock()
_replaced: dict[str, ModuleType] | None = None  # while installed
_changes: list[tuple[Any, str, Any]] = []  # of pandas, to be undone
_patched: list[tuple[Any, str, Any]] = []  # of numexpr


def _package() -> Any:
    return sys.modules[__package__]


def _set(undo: list[tuple[Any, str, Any]], where: Any, name: str,
         value: Any) -> None:
    undo.append((where, name, getattr(where, name)))
    setattr(where, name, value)


def _undo(changes: list[tuple[Any, str, Any]]) -> None:
    while changes:
        setattr(*changes.pop())


def _installed_folder() -> str | None:
    """Where an installed numexpr lies, whose tests stay importable."""
    path = [one for one in sys.path if os.path.abspath(one) != SHADOW]
    spec = importlib.machinery.PathFinder.find_spec("numexpr", path)
    return os.path.dirname(spec.origin) if spec and spec.origin else None


def install(min_elements: int | None = None) -> None:
    """Makes `import numexpr` give this package, in all threads.

    What was imported before is seen to: modules that hold numexpr run on
    kexpr by `patch`, and pandas uses this package.

    Parameters
    ----------
    min_elements : int, optional
        How large an array pandas gives to numexpr in its own arithmetic; a
        million unless given, for numexpr takes long to begin.
    """
    global _replaced
    with _lock:
        if _replaced is None:
            _replaced = {name: module for name, module in sys.modules.items()
                         if name == "numexpr" or name.startswith("numexpr.")}
            for name in _replaced:
                del sys.modules[name]
            for module in _MODULES:
                name = module.__name__.rpartition(".")[2]
                sys.modules[f"numexpr.{name}"] = module
            sys.modules["numexpr"] = package = _package()
            folder = _installed_folder()
            if folder and folder not in package.__path__:
                package.__path__.append(folder)
            # The package of SHADOW is here while it is imported itself.
            held = _replaced.get("numexpr")
            if hasattr(held, "necompiler"):
                _patch(held)
        _change_pandas(min_elements)


def uninstall() -> None:
    """Undoes `install`: `import numexpr` gives what it gave before."""
    global _replaced
    with _lock:
        if _replaced is None:
            return
        for name in [name for name in sys.modules
                     if name == "numexpr" or name.startswith("numexpr.")]:
            del sys.modules[name]
        sys.modules.update({name: module for name, module in _replaced.items()
                            if name != "numexpr" or hasattr(module,
                                                            "necompiler")})
        sys.path[:] = [one for one in sys.path
                       if os.path.abspath(one) != SHADOW]
        del _package().__path__[1:]
        _replaced = None
        unpatch()
        _undo(_changes)
        expressions_of_pandas = _pandas("expressions")
        if expressions_of_pandas:
            expressions_of_pandas.set_use_numexpr(
                expressions_of_pandas.NUMEXPR_INSTALLED)


def _pandas(name: str) -> Any:
    return sys.modules.get(f"pandas.core.computation.{name}")


def _change_pandas(min_elements: int | None) -> None:
    """Lets pandas, if it is imported, use what `import numexpr` gives now."""
    if min_elements is not None:
        importlib.import_module("pandas")
    check, users = _pandas("check"), _pandas("expressions")
    if not check or not users:
        return
    _set(_changes, check, "NUMEXPR_INSTALLED", True)
    _set(_changes, users, "NUMEXPR_INSTALLED", True)
    if not hasattr(users, "ne"):
        users.ne = None
    _set(_changes, users, "ne", _package())
    if min_elements is not None:
        _set(_changes, users, "_MIN_ELEMENTS", min_elements)
    users.set_use_numexpr(True)


def patch() -> None:
    """Lets the installed numexpr run what kexpr computes on kexpr; strings
    and complex numbers stay with it, and so do its own objects."""
    with _lock:
        numexpr = importlib.import_module("numexpr")
        if numexpr is not _package():
            _patch(numexpr)


def _patch(numexpr: Any) -> None:
    if _patched:
        return
    theirs = numexpr.necompiler
    compiled = theirs.NumExpr

    def NumExpr(ex: Any, signature: Any = (), sanitize: bool = True,
                **kwargs: Any) -> Any:
        try:
            program = necompiler.NumExpr(ex, signature, bool(sanitize),
                                         **kwargs)
        except NotImplementedError:
            program = None
        if isinstance(program, Program) and program.is_compiled:
            return program
        return compiled(ex, signature, sanitize, **kwargs)

    def stringToExpression(s: str, types: Any, context: Any,
                           sanitize: bool = True) -> Any:
        return _text.stringToExpression(s, types, context, bool(sanitize),
                                        numexpr.expressions)

    listed = theirs.disassemble

    def disassemble(nex: Any) -> Any:
        ours = isinstance(nex, Program)
        return necompiler.disassemble(nex) if ours else listed(nex)

    for module in (theirs, numexpr):
        _set(_patched, module, "NumExpr", NumExpr)
        _set(_patched, module, "disassemble", disassemble)
    _set(_patched, theirs, "stringToExpression", stringToExpression)
    # Programs are kept by thread; without them all are compiled again.
    for cache in ("_names_cache", "_numexpr_cache"):
        _set(_patched, theirs, cache, threading.local())


def unpatch() -> None:
    """Undoes `patch`."""
    with _lock:
        _undo(_patched)
