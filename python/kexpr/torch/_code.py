"""The function of a graph: kernels of kexpr, and PyTorch's operators between
them."""

from __future__ import annotations

import importlib
import logging
import operator
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from .. import _core
from .._errors import Error
from ._cache import Code
from ._host import (TYPES, assert_size_stride, data_of, disable_modes,
                    empty_strided, is_tensor, parallel_for, relaid, shape_of,
                    strides_of, torch)
from ._ops import constant_of
from ._regions import (Cut, Region, layout_of, value_of, view_source, without)

log = logging.getLogger("kexpr.torch")


class Options(NamedTuple):
    """What `torch.compile(options=...)` may say."""
    precision: int = 0
    mode: int = 3
    threads: int = 1
    rounds: bool = True


class _Refused(Exception):
    """The nodes of a region are PyTorch's."""


class Site:
    """A kernel in the code of a graph, for one set of sizes or for any."""

    def __init__(self, text: str, inputs: list[Any], outputs: list[Any],
                 arguments: int, options: Options) -> None:
        self.text, self.inputs, self.outputs = text, inputs, outputs
        self.arguments, self.options = arguments, options
        self.symbols = sorted({str(one) for one in self._sizes()
                               for one in one.free_symbols})
        self.known: dict[Any, Any] = {}

    def _sizes(self) -> list[Any]:
        return [one for spec in [*self.inputs, *self.outputs]
                for one in (*spec[3], *spec[4], spec[1])
                if not isinstance(one, int)]

    def __reduce__(self) -> Any:
        return Site, (self.text, self.inputs, self.outputs, self.arguments,
                      self.options)

    def region(self, values: dict[str, int]) -> Any:
        def given(one: Any) -> int:
            return one if isinstance(one, int) else int(
                one.xreplace({symbol: values[str(symbol)]
                              for symbol in one.free_symbols}))

        def spec(one: Any) -> Any:
            at, offset, name, sizes, strides = one
            return (at, given(offset), name, tuple(map(given, sizes)),
                    tuple(map(given, strides)))
        threads = self.options.threads if parallel_for() else 1
        return _core.make_region(
            self.text, self.options.precision, self.options.mode,
            [spec(one) for one in self.inputs],
            [spec(one) for one in self.outputs], self.arguments, threads,
            data_of, parallel_for() if threads != 1 else 0)

    def __call__(self, *values: int) -> Any:
        """The region for these values of the symbols."""
        region = self.known.get(values)
        if region is None:
            if len(self.known) >= 256:
                self.known.clear()
            region = self.region(dict(zip(self.symbols, values)))
            self.known[values] = region
        return region


class _Kernel:
    """The text of a region, and where its tensors are."""

    def __init__(self, cut: Cut, region: Region) -> None:
        self.cut, self.region = cut, region
        rows = [cut.formulas[one].rows for one in region.nodes
                if cut.formulas[one].rows]
        self.elements, self.reduced = rows[0] if rows and rows[0] else ((), 0)
        self.row_shape = without(self.elements, self.reduced)
        self.operands: dict[tuple[Any, bool], int] = {}

    def is_row(self, node: Any) -> bool:
        """Whether a value lacks the axes that are reduced. Inside the kernel
        it has them, with an extent of 1."""
        return bool(self.reduced) and (
            shape_of(value_of(node)) == self.row_shape
            and len(self.row_shape) < len(self.elements))

    def full(self, shape: tuple[Any, ...], fill: Any) -> tuple[Any, ...]:
        """A shape, or strides, with the axes that a row lacks."""
        given = list((fill,) * (len(self.row_shape) - len(shape)) + shape)
        return tuple(fill if self.reduced >> axis & 1 else given.pop(0)
                     for axis in range(len(self.elements)))

    def text(self) -> str:
        names: dict[Any, str] = {}
        lines = []
        for node in self.region.nodes:
            formula = self.cut.formulas[node]
            parts = [self._input(node, one, names) for one in formula.inputs]
            names[node] = f"%{len(names)}"
            lines.append(f"{names[node]} = {formula.text.format(*parts)}")
        outputs = [names[one] for one in self.region.outputs]
        result = outputs[0] if len(outputs) == 1 else f"[{','.join(outputs)}]"
        return ";".join([*lines, result])

    def _input(self, node: Any, source: Any, names: dict[Any, str]) -> str:
        is_view = node in self.cut.views
        takes_row = self.is_row(source) if is_view else self.is_row(node) and (
            not self.cut.formulas[node].rows)
        if source not in names:
            key = source, takes_row
            return f"@{self.operands.setdefault(key, len(self.operands))}"
        leading = self.reduced & self.reduced + 1 == 0
        if self.is_row(source) != takes_row and not is_view and not (
                shape_of(value_of(source)) == () or
                self.is_row(source) and leading):
            raise _Refused("rows that are seen along other axes")
        return names[source]


# What the text of every function may name.
_NAMES: dict[str, Any] = {
    "torch": torch, "device": torch.device, "inf": float("inf"),
    "nan": float("nan"), "operator": operator, "empty": empty_strided,
    "check": assert_size_stride, "relaid": relaid}


class Coder:
    """Writes the function of a graph."""

    def __init__(self, module: Any, options: Options) -> None:
        self.module, self.options = module, options
        self.cut = Cut(module.graph, options.rounds)
        self.names: dict[Any, str] = {}
        self.globals: dict[str, Any] = dict(_NAMES)
        self.sites: dict[str, Site] = {}
        # Line, names that it takes and names that it makes.
        self.lines: list[tuple[str, set[str], list[str]]] = []
        self.taken: set[str] = set()
        self.symbols: dict[str, str] = {}
        self.waiting: dict[Any, int] = {}
        self.hints: dict[str, Any] = {}
        self.report: list[str] = []
        # What was computed by now, and copies into inputs that are still to be
        # made.
        self.done: set[Any] = set()
        self.targets: set[Any] = set(self.cut.epilogue)

    # -- Lines ---------------------------------------------------------------

    def line(self, text: str, makes: Iterable[str] = ()) -> None:
        self.lines.append((text, self.taken, list(makes)))
        self.taken = set()

    def use(self, name: str) -> str:
        self.taken.add(name)
        return name

    def constant(self, value: Any) -> str:
        name = f"c{len(self.globals)}"
        self.globals[name] = value
        return name

    def node(self, node: Any) -> str:
        """The name of a node's value, which is computed here if it was put
        off."""
        if node not in self.names:
            taken, self.taken = self.taken, set()
            self.emit(node)
            self.taken = taken
        return self.use(self.names[node])

    def render(self, value: Any) -> str:
        if isinstance(value, torch.fx.Node):
            return self.node(value)
        if isinstance(value, (list, tuple)):
            inner = "".join(f"{self.render(one)}, " for one in value)
            return f"[{inner}]" if isinstance(value, list) else f"({inner})"
        if isinstance(value, slice):
            parts = (value.start, value.stop, value.step)
            return f"slice({', '.join(map(self.render, parts))})"
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key!r}: {self.render(one)}"
                                   for key, one in value.items()) + "}"
        if value is None or isinstance(value, (
                bool, int, float, str, torch.dtype, torch.memory_format,
                torch.layout, torch.device)):
            return repr(value)
        return self.constant(value)

    def function(self, target: Any) -> str:
        if isinstance(target, torch._ops.OpOverload):
            name = f"torch.ops.{target}"
            parts = name.split(".")
            if all(part.isidentifier() for part in parts):
                short = "_".join(parts[2:])
                if self.globals.setdefault(short, target) is target:
                    return short
        return self.constant(target)

    # -- Nodes of PyTorch ----------------------------------------------------

    def emit(self, node: Any) -> None:
        name = f"v{len(self.names)}"
        self.names[node] = name
        if node.op == "get_attr":
            value: Any = self.module
            for part in node.target.split("."):
                value = getattr(value, part)
            self.line(f"{name} = {self.constant(value)}", [name])
            return
        arguments = [self.render(one) for one in node.args]
        arguments += [f"{key}={self.render(one)}"
                      for key, one in node.kwargs.items()]
        self.line(f"{name} = {self.function(node.target)}"
                  f"({', '.join(arguments)})", [name])
        self.check(node)

    def check(self, node: Any) -> None:
        """Has a tensor that kernels read, here or in the backward graph, the
        strides that it should have."""
        value = value_of(node)
        if not is_tensor(value) or view_source(node) is not None or not any(
                one in self.cut.formulas or one.op == "output"
                or view_source(one) is not None for one in node.users):
            return
        sizes, strides = self.sizes(shape_of(value)), self.sizes(
            strides_of(value))
        if sizes is None or strides is None:
            return
        name = self.use(self.names[node])
        self.line(f"try: check({name}, {sizes}, {strides})\n"
                  f"  except AssertionError: {name} = relaid({name}, {sizes}, "
                  f"{strides})")

    def sizes(self, sizes: tuple[Any, ...]) -> str | None:
        """Sizes as text; None where a symbol of them has no name."""
        if any(str(symbol) not in self.symbols for one in sizes
               if not isinstance(one, int) for symbol in one.free_symbols):
            return None
        for one in sizes:
            if not isinstance(one, int):
                for symbol in one.free_symbols:
                    self.use(self.symbols[str(symbol)])
        if all(isinstance(one, int) for one in sizes):
            return repr(sizes)
        printer = importlib.import_module(
            "torch.utils._sympy.printers").PythonPrinter()
        return "(" + "".join(
            f"{one if isinstance(one, int) else printer.doprint(one)}, "
            for one in sizes) + ")"

    # -- Kernels -------------------------------------------------------------

    def base_of(self, node: Any) -> Any:
        """The node whose memory a kernel reads for a value."""
        while node not in self.names and (
                source := view_source(node)) is not None:
            node = source
        return node

    def try_kernel(self, region: Region) -> None:
        cut = self.cut
        count = sum(node not in cut.views for node in region.nodes)
        if count < 2:
            raise _Refused("one operator")
        kernel = _Kernel(cut, region)
        text = kernel.text()
        arguments: dict[Any, int] = {}
        inputs, outputs = [], []
        for node, is_row in kernel.operands:
            base = self.base_of(node)
            if value_of(base).dtype != value_of(node).dtype:
                raise _Refused("a view of another type")
            shape, strides, offset = layout_of(node)
            begin = layout_of(base)[2]
            if is_row:
                shape = kernel.full(shape, 1)
                strides = kernel.full(strides, 0)
            inputs.append((arguments.setdefault(base, len(arguments)),
                           offset - begin, TYPES[value_of(node).dtype][0],
                           shape, strides))
        targets: dict[Any, Any] = {}
        for node in region.outputs:
            target = self.in_place(node, region, kernel)
            targets[node] = target
            shape, strides, _ = layout_of(target or node)
            if kernel.is_row(node):
                shape = kernel.full(shape, 1)
                strides = kernel.full(strides, 1)
            key = target or node
            outputs.append((arguments.setdefault(key, len(arguments)), 0,
                            TYPES[value_of(node).dtype][0], shape, strides))
        site = Site(text, inputs, outputs, len(arguments), self.options)
        if any(symbol not in self.symbols for symbol in site.symbols):
            raise _Refused("sizes that are not known yet")
        try:
            site(*(int(self.hints[symbol]) for symbol in site.symbols))
        except (Error, ValueError, TypeError) as error:
            raise _Refused(str(error).split("\n")[0]) from None
        self.write_kernel(region, site, arguments, targets)

    def write_kernel(self, region: Region, site: Site,
                     arguments: dict[Any, int], targets: dict[Any, Any]
                     ) -> None:
        made = []
        for base in arguments:
            if base not in self.names and base not in region.outputs:
                self.node(base)
        for node in region.outputs:
            if targets[node] is not None:
                self.names[node] = self.names[targets[node]]
                continue
            name = self.names[node] = f"v{len(self.names)}"
            value = value_of(node)
            sizes = self.sizes(shape_of(value))
            strides = self.sizes(strides_of(value))
            self.line(f"{name} = empty({sizes}, {strides}, {value.dtype})",
                      [name])
            made.append(name)
        given = ", ".join(self.use(self.names[base]) for base in arguments)
        name = f"k{len(self.sites)}"
        self.sites[name] = site
        if site.symbols:
            sizes = ", ".join(self.use(self.symbols[one])
                              for one in site.symbols)
            self.line(f"{name}({sizes})({given})")
        else:
            self.line(f"{name}({given})")
        self.report.append(f"{name}: {site.text}")

    def readers(self, node: Any) -> Iterable[Any]:
        """The nodes that read a value's memory, through views too, which are
        made where they are taken."""
        for user in node.users:
            views = [one for one in (user, *user.users)
                     if view_source(one) is node]
            if not views:
                yield user
            for one in views:
                yield from self.readers(one)

    def in_place(self, node: Any, region: Region, kernel: _Kernel) -> Any:
        """The input that a value may be written to at once, which it would be
        copied to at the end."""
        copies = [one for one in node.users if one in self.targets]
        if len(copies) != 1 or any(
                one not in region.nodes and one not in copies
                for one in node.users) or kernel.reduced:
            return None
        target = copies[0].args[0]
        value, place = value_of(node), value_of(target)
        if not is_tensor(place) or place.dtype != value.dtype or (
                shape_of(place) != shape_of(value)) or 0 in strides_of(place):
            return None
        for user in self.readers(target):
            if user in copies or user in self.done or (
                    constant_of(user) is not None):
                continue
            if user not in region.nodes or self.waiting.get(user, 1) > 1:
                return None
        self.targets.discard(copies[0])
        return target

    def region(self, region: Region) -> None:
        if region.is_kernel:
            try:
                self.try_kernel(region)
            except _Refused as why:
                names = ", ".join(str(one.target) for one in region.nodes)
                self.report.append(f"PyTorch's: {names} ({why})")
                region = region._replace(is_kernel=False)
        if not region.is_kernel:
            for node in region.nodes:
                if node not in self.names and view_source(node) is None:
                    self.emit(node)
        for node in region.nodes:
            self.waiting[node] -= 1
            if not self.waiting[node]:
                self.done.add(node)

    # -- The whole -----------------------------------------------------------

    def begin(self) -> None:
        names: list[str] = []
        for node in self.module.graph.nodes:
            if node.op != "placeholder":
                continue
            name = self.names[node] = f"a{len(names)}"
            names.append(name)
        self.line("".join(f"{one}, " for one in names) + "= args"
                  if names else "pass", names)
        self.line("args.clear()")
        for node, name in list(self.names.items()):
            value = value_of(node)
            if isinstance(value, torch.SymInt):
                self.symbol(value, name)
            elif isinstance(value, torch.Tensor):
                for axis, one in enumerate(value.shape):
                    self.symbol(one, f"{name}.size({axis})")

    def symbol(self, value: Any, text: str) -> None:
        if isinstance(value, int):
            return
        expression = value.node.expr
        if not expression.is_symbol or str(expression) in self.symbols or (
                not value.node.has_hint()):
            return
        name = str(expression)
        self.symbols[name] = name
        self.hints[name] = value.node.hint
        self.use(text.partition(".")[0])
        self.line(f"{name} = {text}")

    def code(self) -> Code:
        self.begin()
        regions = self.cut.regions()
        for region in regions:
            for node in region.nodes:
                self.waiting[node] = self.waiting.get(node, 0) + 1
        for region in regions:
            self.region(region)
        for copy in self.cut.epilogue:
            if copy in self.targets:
                self.emit(copy)
            else:
                self.names[copy] = self.names[copy.args[0]]
        output = next(node for node in self.module.graph.nodes
                      if node.op == "output")
        result = self.render(output.args[0])
        self.line(f"return {result}")
        source = self.source()
        log.debug("%s\n%s", source, "\n".join(self.report))
        names = {name: one for name, one in self.globals.items()
                 if name not in _NAMES}
        return Code(source, names | self.sites, _function)

    def source(self) -> str:
        """The function's text, in which values go when they were used last."""
        last: dict[str, int] = {}
        for at, (_, takes, makes) in enumerate(self.lines):
            for name in (*takes, *makes):
                last[name] = at
        lines = ["def call(args):"]
        for at, (text, takes, makes) in enumerate(self.lines):
            lines.append("  " + text)
            dead = sorted(name for name in {*takes, *makes}
                          if last[name] == at and name not in self.symbols)
            if dead and at + 1 < len(self.lines):
                lines.append(f"  del {', '.join(dead)}")
        return "\n".join(lines) + "\n"


def _function(source: str, names: dict[str, Any]) -> Any:
    with disable_modes():
        space = _NAMES | {
            name: one() if isinstance(one, Site) and not one.symbols else one
            for name, one in names.items()}
    exec(compile(source, "<kexpr.torch>", "exec"), space)
    return space["call"]


def compiled(module: Any, options: Options) -> Code:
    """The function of a graph, which takes its arguments in a list."""
    try:
        # Tensors made meanwhile are to be real ones.
        with disable_modes():
            coder = Coder(module, options)
            if coder.cut.is_possible():
                return coder.code()
    except Exception:  # PyTorch computes what cannot be compiled.
        log.warning("a graph is left to PyTorch", exc_info=True)

    def run(args: list[Any]) -> Any:
        given = list(args)
        args.clear()
        return module(*given)
    return Code("", {}, lambda *_: run)
