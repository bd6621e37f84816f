"""Kernels: how they are made, what they say of themselves, and options."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import importlib
import operator
import re
import sys
from collections.abc import (Callable, Iterable, Iterator, Mapping,
                             Sequence)
from typing import Any, Literal, NamedTuple

from . import _core
from ._core import BoundKernel, Kernel
from ._errors import ArgumentError, ExpressionError

Precision = Literal["default", "accurate", "fast"]
Tier = Literal["tiered", "optimized", "baseline", "interpret"]
Syntax = Literal["infix", "pnnx"]
Semantics = Literal["numpy", "torch"]

_PRECISIONS = ("default", "accurate", "fast")
_TIERS = ("optimized", "baseline", "interpret", "tiered")
_SYNTAXES = ("pnnx", "infix")
_SEMANTICS = ("numpy", "torch")


def _number(names: Sequence[str], name: str, what: str) -> int:
    try:
        return names.index(name)
    except ValueError:
        raise ArgumentError(
            f"{what} {name!r}; it is one of {', '.join(names)}") from None


def _listed(names: Any, what: str) -> list[Any] | None:
    if isinstance(names, str):
        return names.split()
    if not isinstance(names, Iterable) or isinstance(names, (bytes, type)):
        if names is None:
            return None
        raise ArgumentError(f"{what} are a str or a sequence, one for each "
                            f"operand, not {names!r}")
    return list(names)


def _check_text(text: Any) -> None:
    if not isinstance(text, str):
        raise ArgumentError("an expression is a str, not "
                            f"{type(text).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ExpressionError("a surrogate, which is no character", 1, text,
                              (error.start, error.end)) from None


def _check_names(names: Sequence[Any]) -> None:
    for name in names:
        if not isinstance(name, str) or re.search("[\ud800-\udfff]", name):
            raise ArgumentError(f"an operand's name is text, not {name!r}")


class _Context(NamedTuple):
    """Options of a context; the first two are what calls look at."""
    threads: int | None = None
    precision: int | None = None
    semantics: Semantics | None = None


_context: contextvars.ContextVar[_Context | None] = contextvars.ContextVar(
    "kexpr.options", default=None)


def compile(text: str, operands: str | Sequence[str] | None = None, *,
            dtypes: str | Sequence[Any] | None = None,
            syntax: Syntax = "infix", semantics: Semantics | None = None,
            precision: Precision | None = None,
            tier: Tier = "tiered") -> Kernel:
    """The kernel of an expression.

    Parameters
    ----------
    text : str
        The expression.
    operands : str or sequence of str, optional
        The names of the operands in the order of the arrays of a call; in
        that of their first appearance unless given.
    dtypes : str or sequence, optional
        The element type of each operand. Without, the kernel takes arrays of
        any types, and is compiled when it first meets them.
    syntax : {'infix', 'pnnx'}
        What `text` is: Python's operators over named operands, or calls over
        ``@0``, ``@1``, as PNNX writes them.
    semantics : {'numpy', 'torch'}, optional
        Whose rules say the types of results: those of NumPy for infix, of
        PyTorch for PNNX's text unless given.
    precision : {'default', 'accurate', 'fast'}, optional
        How exactly functions are computed.
    tier : {'tiered', 'optimized', 'baseline', 'interpret'}
        'tiered' answers at once and compiles in the background; the bits are
        the same.

    Examples
    --------
    >>> k = compile("a*x + b", "a x b")
    >>> k(2.0, np.arange(3.0), 1.0)
    array([1., 3., 5.])
    """
    _check_text(text)
    names = _listed(operands, "operands")
    _check_names(names or ())
    return _make(text, names, dtypes, syntax, semantics, precision, tier)


def _make(text: str, operands: Sequence[str] | None, dtypes: Any,
          syntax: Syntax, semantics: Semantics | None,
          precision: Precision | None, tier: Tier,
          tracer: Any = None) -> Kernel:
    """`compile`, or `jit` where there is a tracer."""
    context = _context.get() or _Context()
    if syntax == "pnnx" and semantics == "numpy":
        raise ArgumentError("PNNX's text has PyTorch's semantics; infix text "
                            "may have NumPy's")
    if precision is None:
        chosen = context.precision or 0
    else:
        chosen = _number(_PRECISIONS, precision, "precision")
    semantics = semantics or context.semantics or (
        "numpy" if syntax == "infix" else "torch")
    return _core.make_kernel(
        text, operands, chosen, _number(_TIERS, tier, "tier"),
        _listed(dtypes, "dtypes"), _number(_SYNTAXES, syntax, "syntax"),
        _number(_SEMANTICS, semantics, "semantics"), tracer)


@contextlib.contextmanager
def options(*, threads: int | None = None, precision: Precision | None = None,
            semantics: Semantics | None = None) -> Iterator[None]:
    """Options of all calls in a block, of this thread or asyncio task alone.

    Parameters
    ----------
    threads : int, optional
        Threads that a call runs on at most; 1 stays on the calling one.
    precision : {'default', 'accurate', 'fast'}, optional
        Instead of that of the kernels.
    semantics : {'numpy', 'torch'}, optional
        For what is compiled in the block.

    What is None stays as it was. Results have the same bits for any number of
    threads.
    """
    if threads is not None:
        threads = operator.index(threads)
        if not 0 < threads < 65536:
            raise ArgumentError(f"threads={threads}")
    if semantics is not None:
        _number(_SEMANTICS, semantics, "semantics")
    _core.set_context(_context)
    before = _context.get() or _Context()
    token = _context.set(_Context(
        before.threads if threads is None else threads,
        before.precision if precision is None else _number(
            _PRECISIONS, precision, "precision"),
        before.semantics if semantics is None else semantics))
    try:
        yield
    finally:
        _context.reset(token)


# -- What kernels say of themselves ------------------------------------------


def _fact(name: str, doc: str) -> property:
    return property(lambda self: _core.facts(self)[name], doc=doc)


def _dump(self: Kernel, stage: str = "asm") -> str | bytes:
    """A stage on the way to machine code, of the types last compiled for.

    Parameters
    ----------
    stage : str
        'tokens', 'ast', 'rpn', 'graph', 'dot', 'plan', 'llvm', 'llvm-opt',
        'mir', 'asm', 'obj' (bytes) or 'explain'.
    """
    return _core.dump(self, stage)


def _result_type(self: Kernel, *dtypes: Any) -> Any:
    """The type of the result for operands of these types; a tuple of them
    where there are several outputs."""
    types = _core.result_types(self, dtypes)
    return types[0] if len(types) == 1 else types


def _batch(self: Kernel, calls: Iterable[Sequence[Any]],
           **named: Any) -> list[Any]:
    """The results of many calls, each a sequence of arrays."""
    return [self(*arrays, **named) for arrays in calls]


def _arrow(self: Kernel, *, scalar: bool = False) -> Callable[..., Any]:
    """A function of Arrow arrays, one for each operand, that gives an array.

    What is null in an operand is null in the result. Functions over rows, as
    `mean`, take the rows that are null in none.

    Parameters
    ----------
    scalar : bool
        Whether the kernel reduces a batch to one number.
    """
    from ._tables import Arrow
    return Arrow(self, scalar)


def _columns(self: Kernel, out: str | Sequence[str]) -> Callable[
        [Mapping[str, Any]], dict[str, Any]]:
    """A function of a batch, a mapping of names to arrays, that gives it with
    the results besides; without it, where they are numbers.

    Parameters
    ----------
    out : str or sequence of str
        The names of the results. Operands are found by theirs.
    """
    from ._tables import Columns
    return Columns(self, out)


def _polars(self: Kernel, *columns: Any, **given: Any) -> Any:
    """An expression of polars.

    Parameters
    ----------
    *columns : expressions or names
        One for each operand; the columns of their names unless given.
    **given
        Options of `polars.map_batches`: `return_dtype`, `is_elementwise`, and
        `returns_scalar` where the kernel reduces.
    """
    from ._tables import polars
    return polars(self, *columns, **given)


def _repr(self: Kernel) -> str:
    names = ", ".join(_core.names(self))
    try:
        facts = _core.facts(self)
    except ArgumentError:
        return f"<kexpr.Kernel {_core.text(self)!r} ({names})>"
    types = ", ".join(map(str, facts["dtypes"]))
    results = ", ".join(map(str, facts["output_dtypes"]))
    return (f"<kexpr.Kernel {_core.text(self)!r} ({names}: {types}) -> "
            f"{results}, {facts['tier']}, {facts['code_size']} B>")


def _repr_html(self: Kernel) -> str:
    import html  # where there is no notebook, it only takes time

    from . import _html
    rows = [("operands", html.escape(", ".join(_core.names(self))))]
    try:
        facts = _core.facts(self)
    except ArgumentError:
        rows.append(("types", "those of its first call"))
    else:
        types = ", ".join(map(str, facts["dtypes"]))
        results = ", ".join(map(str, facts["output_dtypes"]))
        spent = ", ".join(f"{name} {1e3 * time:.2f} ms"
                          for name, time in facts["times"].items() if time)
        rows += [("types", html.escape(f"{types} \u2192 {results}")),
                 ("tier", f"{facts['tier']}, {facts['code_size']} bytes"),
                 ("an element", f"{facts['operations']} operations"),
                 ("compilation", spent or "none was needed")]
    return (f"<div><b>kexpr.Kernel</b>{_html.code(_core.text(self))}"
            f"{_html.table(rows)}</div>")


def _state(self: Kernel) -> tuple[Any, ...]:
    tracer = _core.tracer(self)
    return ("" if tracer else _core.text(self), _core.names(self),
            _core.precision(self),
            _core.mode(self), tuple(str(one) for one in _core.fixed_types(self)),
            _core.syntax(self), _core.semantics(self), tracer)


def _reduce(self: Kernel) -> tuple[Any, ...]:
    """Kernels are pickled as text and options, traced ones as the name that
    leads to them, or to their function."""
    tracer = _core.tracer(self)
    if tracer is not None:
        name = tracer.function.__module__, tracer.function.__qualname__
        try:
            if _named(*name) is self:
                return _main(self) or (_named, name)
        except (ImportError, AttributeError):
            pass
    return _load, _state(self)


def _main(self: Kernel) -> tuple[Any, ...] | None:
    """How a traced function of the program itself is pickled for workers of a
    cluster, which are other programs: by the pickler that their engine brought
    for such functions."""
    *state, tracer = _state(self)
    if tracer.function.__module__ != "__main__":
        return None
    for name in ("pyspark.cloudpickle", "ray.cloudpickle", "cloudpickle"):
        if name in sys.modules:
            function = sys.modules[name].dumps(tracer.function)
            return _load_main, (function, *state)
    return None


def _load_main(function: bytes, *state: Any) -> Kernel:
    import pickle

    from ._trace import Tracer
    return _load(*(*state, Tracer(pickle.loads(function))))


def _named(module: str, name: str) -> Any:
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _load(text: str, names: tuple[str, ...], precision: int, mode: int,
          types: tuple[str, ...], syntax: int, semantics: int,
          tracer: Any) -> Kernel:
    return _core.make_kernel(text, names, precision, mode, types or None,
                             syntax, semantics, tracer)


def _settled(self: Kernel) -> Kernel:
    """Waits until there is the best code for what was called so far."""
    _core.settle()
    return self


class _OfFunction:
    """An attribute that kernels have of the function that they trace, and
    neither other kernels nor their class have."""

    def __init__(self, find: Callable[[Any], Any]) -> None:
        self._find = find

    def __get__(self, kernel: Kernel | None, owner: Any = None) -> Any:
        tracer = None if kernel is None else _core.tracer(kernel)
        if tracer is None:
            raise AttributeError("no traced function")
        return self._find(tracer.function)


def _finish_class() -> None:
    """Gives `Kernel`, whose calls are C++, what need not be fast."""
    members: dict[str, Any] = {
        "text": property(_core.text, doc="The expression."),
        "operands": property(_core.names, doc="The names of the operands."),
        "outputs": property(_core.output_count, doc="How many results."),
        "precision": property(lambda self: _PRECISIONS[_core.precision(self)],
                              doc="How exactly functions are computed."),
        "canonical": _fact("canonical", "The expression in PNNX's calls, with "
                           "all casts, for the types last compiled for."),
        "tier": _fact("tier", "What runs it now: 'interpreter', 'baseline' or "
                      "'optimized'."),
        "times": _fact("times", "Seconds of each part of the compilation."),
        "code_size": _fact("code_size", "Bytes of machine code."),
        "operations": _fact("operations", "Primitive operations an element."),
        "dtypes": _fact("dtypes", "The types last compiled for."),
        "dtype": property(lambda self: _core.facts(self)["output_dtypes"][0],
                          doc="The type of the first result."),
        "dump": _dump,
        "result_type": _result_type,
        "batch": _batch,
        "arrow": _arrow,
        "columns": _columns,
        "polars": _polars,
        "explain": lambda self: explain(self),
        "wait": _settled,
        "__wrapped__": _OfFunction(lambda function: function),
        "__repr__": _repr,
        "_repr_html_": _repr_html,
        "__reduce__": _reduce,
        "__eq__": lambda self, other: (
            _state(self) == _state(other) if isinstance(other, Kernel)
            else NotImplemented),
        "__hash__": lambda self: hash(_state(self)),
        "__copy__": lambda self: self,
        "__deepcopy__": lambda self, memo: self,
        "__dask_tokenize__": _state,
    }
    for name, member in members.items():
        setattr(Kernel, name, member)


_finish_class()


class Explanation(str):
    """Why a kernel takes the time it takes; tables in notebooks."""

    def _repr_html_(self) -> str:
        from . import _html
        return _html.explanation(self)


def explain(kernel: Kernel | str, *arrays: Any) -> Explanation:
    """The shape of a kernel's loop, and what LLVM predicts of it, for the
    types last compiled for, or for those of `arrays`."""
    one = compile(kernel) if isinstance(kernel, str) else kernel
    if arrays:
        one(*arrays)
    return Explanation(_core.dump(one, "explain"))


def operators() -> Mapping[str, str]:
    """All operators and functions over axes: name to meaning. Other names of
    one come after it."""
    table = _core.operators()
    docs = {name: doc for name, _, doc, _, _ in table}
    return {one: docs.get(one, doc) for name, aliases, doc, _, _ in table
            for one in (name, *re.findall(r"\w+", aliases))}


@functools.cache
def _names_over_axes() -> frozenset[str]:
    return frozenset(name for name, _, _, types, _ in _core.operators()
                     if types == "rows")


def _over_axes(canonical: str) -> int:
    return sum(name in _names_over_axes()
               for name in re.findall(r"[a-z_0-9]+(?=\()", canonical))


def is_elementwise(kernel: Kernel) -> bool:
    """Whether a kernel that was called has no functions over axes, so that it
    may be called with parts of its arrays."""
    return not _over_axes(_core.facts(kernel)["canonical"])


def are_outermost(kernel: Kernel) -> bool:
    """Whether the functions over axes of a kernel that was called are as many
    as its results, and none is within another, if each result is one."""
    shared, _, results = _core.facts(kernel)["canonical"].rpartition(";")
    return not _over_axes(shared) and (
        _over_axes(results) == _core.output_count(kernel))


def warm(texts: str | Iterable[str], dtypes: Any = None,
         **given: Any) -> None:
    """Compiles an expression, or several, for operands of these types, so that
    the cache has them: in the process, and where ``KEXPR_CACHE_DIR`` names a
    directory, on disk for others."""
    if dtypes is None:
        raise ArgumentError("dtypes= is missing: what to compile for")
    for text in [texts] if isinstance(texts, str) else texts:
        compile(text, dtypes=dtypes, tier="optimized", **given)


class _Cache:
    """The kernels of the process."""

    def info(self) -> dict[str, Any]:
        """What the cache holds and did; 'disk' is empty, or why the directory
        for machine code is not used."""
        return _core.cache_facts()

    def __repr__(self) -> str:
        return f"<kexpr.cache {self.info()}>"


cache: _Cache = _Cache()
