"""The function of a graph: kernels of kexpr, and PyTorch's operators between
them."""

from __future__ import annotations

import functools
import importlib
import logging
import operator
from collections import Counter
from collections.abc import Iterable
from math import inf, nan, prod
from typing import Any, NamedTuple

from .. import _core
from .._errors import Error
from ._cache import Code
from ._host import (TYPES, assert_size_stride, data_of, disable_modes,
                    empty_strided, is_tensor, parallel_for, reinterpret,
                    relaid, shape_of, strides_of, torch)
from ._ops import Refused, attribute_of, constant_of, name_of, value_of
from ._regions import (Cut, Region, is_returned, is_view, layout_of, may_be,
                       readers, scatter, view_source, without)

log = logging.getLogger("kexpr.torch")

# From so many elements on the views that one operator reads cost nothing.
_LARGE = 65536


class Options(NamedTuple):
    """What `torch.compile(options=...)` may say."""
    precision: int = 0
    mode: int = 3
    counts: int = 0  # Whether random numbers are hashes of counters.
    threads: int = 1
    rounds: bool = True
    keeps: bool = False


def layout_in(node: Any, base: Any) -> tuple[Any, ...]:
    """Where a value lies in the memory of a tensor."""
    shape, strides, offset = layout_of(node)
    return shape, strides, offset - layout_of(base)[2]


def _symbols_of(sizes: Iterable[Any]) -> set[str]:
    return {str(symbol) for one in sizes
            for symbol in getattr(one, "free_symbols", ())}


class Site:
    """A kernel in the code of a graph, for one set of sizes or for any: text,
    inputs, outputs, how many arguments, options."""

    def __init__(self, *given: Any) -> None:
        self.given = given
        self.symbols = sorted(_symbols_of(
            one for _, offset, _, sizes, strides in [*given[1], *given[2]]
            for one in (offset, *sizes, *strides)))
        self.region = functools.lru_cache(256)(self._region)

    def __reduce__(self) -> Any:
        return Site, self.given

    def _region(self, *values: int) -> Any:
        """The region for these values of the symbols."""
        known = dict(zip(self.symbols, values))

        def numbers(one: Any) -> Any:
            if isinstance(one, (list, tuple)):
                return type(one)(map(numbers, one))
            return one if isinstance(one, (int, str)) else int(one.xreplace(
                {symbol: known[str(symbol)] for symbol in one.free_symbols}))
        text, inputs, outputs, arguments, options = self.given
        threads = options.threads if parallel_for() else 1
        return _core.make_region(
            text, options.precision, options.mode, numbers(inputs),
            numbers(outputs), arguments, threads, data_of,
            parallel_for() if threads != 1 else 0)


class _Kernel:
    """The text of a region, and where its tensors are."""

    def __init__(self, cut: Cut, region: Region) -> None:
        self.cut, self.region = cut, region
        self.elements, self.reduced = next(
            (rows for one in region.nodes if (rows := cut.formulas[one].rows)),
            ((), 0))
        self.row_shape = without(self.elements, self.reduced)
        self.operands: dict[tuple[Any, bool], int] = {}

    def is_row(self, node: Any) -> bool:
        """Whether a value lacks the axes that are reduced. Inside the kernel
        it has them, with an extent of 1."""
        return bool(self.reduced) and len(self.row_shape) < len(
            self.elements) and shape_of(value_of(node)) == self.row_shape

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
        return ";".join([*lines, f"[{','.join(outputs)}]"])

    def _input(self, node: Any, source: Any, names: dict[Any, str]) -> str:
        is_view = node in self.cut.views
        takes_row = self.is_row(source) if is_view else self.is_row(node) and (
            not self.cut.formulas[node].rows)
        if source not in names:
            key = source, takes_row
            return f"@{self.operands.setdefault(key, len(self.operands))}"
        leading = self.reduced & self.reduced + 1 == 0
        if self.is_row(source) != takes_row and not is_view and shape_of(
                value_of(source)) and not (self.is_row(source) and leading):
            raise Refused("rows that are seen along other axes")
        return names[source]


# Operators whose results are always memory of their own.
_OWNERS = {"mm", "addmm", "bmm", "baddbmm", "convolution", "clone"}

# What the text of every function may name.
_NAMES: dict[str, Any] = {
    "torch": torch, "device": torch.device, "inf": inf, "nan": nan,
    "operator": operator, "empty": empty_strided, "relaid": relaid,
    "view": reinterpret, "check": assert_size_stride}


class Coder:
    """Writes the function of a graph."""

    def __init__(self, module: Any, options: Options) -> None:
        self.module, self.options = module, options
        self.cut = Cut(module.graph, options)
        self.names: dict[Any, str] = {}
        self.globals: dict[str, Any] = {}
        self.sites: dict[str, Site] = {}
        self.operators: set[str] = set()  # Lines that name them.
        # Line, names that it takes and names that it makes.
        self.lines: list[tuple[str, set[str], list[str]]] = []
        self.taken: set[str] = set()
        self.hints: dict[str, Any] = {}  # By symbol that has a name.
        self.report: list[str] = []
        # In how many regions nodes are still to be computed.
        self.waiting: Counter[Any] = Counter()
        # Nodes whose memory is the graph's, and copies into inputs that are
        # still to be made.
        self.owners: set[Any] = set()
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
        off, as views are."""
        taken, self.taken = self.taken, set()
        pending = [node]
        while pending:
            last = pending.pop()
            if last in self.names:
                continue
            base, view = self.view(last)
            needed = [one for one in ([base] if view else last.all_input_nodes)
                      if one not in self.names and constant_of(last) is None]
            if needed:
                pending += [last, *needed]
            elif view:
                self.define(last, f"view({self.use(self.names[base])}{view})")
            else:
                self.emit(last)
        self.taken = taken
        return self.use(self.names[node])

    def render(self, value: Any) -> str:
        if isinstance(value, torch.fx.Node):
            return self.node(value)
        if isinstance(value, (list, tuple)):
            inner = "".join(f"{self.render(one)}, " for one in value)
            return f"[{inner}]" if isinstance(value, list) else f"({inner})"
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key!r}: {self.render(one)}"
                                   for key, one in value.items()) + "}"
        if value is None or isinstance(value, (int, float, str, torch.dtype,
                torch.memory_format, torch.layout, torch.device)):
            return repr(value)
        return self.constant(value)

    def function(self, target: Any) -> str:
        name = str(target).replace(".", "_")
        if not isinstance(target, torch._ops.OpOverload) or (
                not name.isidentifier()):
            return self.constant(target)
        # PyTorch's own functions of Python take half as long to call.
        family = name_of(target).partition(".")[0]
        is_direct = target.namespace == "aten" and (
            family in _OWNERS or torch.Tag.pointwise in target.tags
        ) and isinstance(getattr(torch, family, None), type(len))
        path = family if is_direct else f"ops.{target}"
        self.operators.add(f"{name} = torch.{path}\n")
        return name

    # -- Nodes of PyTorch ----------------------------------------------------

    def define(self, node: Any, text: str) -> None:
        """Gives a value a name, and that the value of a text."""
        name = self.names[node] = f"v{len(self.names)}"
        self.line(f"{name} = {text}", [name])

    def emit(self, node: Any) -> None:
        """Computes a value that is no view."""
        if node.target is scatter:
            return self.put(node)
        if node.op == "get_attr":
            return self.define(node, self.constant(attribute_of(node)))
        if constant_of(node) is not None and (made := self.empty(node)):
            self.owners.add(node)
            return self.define(node, f"{made}.fill_({constant_of(node)!r})")
        arguments = [self.render(one) for one in node.args] + [
            f"{key}={self.render(one)}" for key, one in node.kwargs.items()]
        self.define(node, f"{self.function(node.target)}"
                          f"({', '.join(arguments)})")
        self.check(node)
        if name_of(node.target) in _OWNERS:
            self.owners.add(node)

    def check(self, node: Any) -> None:
        """Has a tensor that kernels read, here or in the backward graph, the
        strides that it should have."""
        if not is_tensor(value_of(node)) or view_source(node) or not any(
                one in self.cut.formulas or one.op == "output"
                or view_source(one) for one in node.users):
            return
        if layout := self.sizes(*layout_of(node)[:2]):
            name = self.use(self.names[node])
            self.line(f"try: check({name}, {layout})\n  except "
                      f"AssertionError: {name} = relaid({name}, {layout})")

    def empty(self, node: Any) -> str:
        """Memory for a value, as text; nothing where its sizes have no
        name."""
        layout = self.sizes(*layout_of(node)[:2])
        return layout and f"empty({layout}, {value_of(node).dtype})"

    def sizes(self, *lists: tuple[Any, ...]) -> str:
        """Lists of sizes as text; nothing where a symbol has no name."""
        symbols = _symbols_of(one for sizes in lists for one in sizes)
        if not symbols <= self.hints.keys():
            return ""
        self.taken |= symbols
        if not symbols:
            return ", ".join(map(repr, lists))
        printer = importlib.import_module(
            "torch.utils._sympy.printers").PythonPrinter()
        return ", ".join("(" + "".join(
            f"{printer.doprint(one)}, " for one in sizes) + ")"
            for sizes in lists)

    def view(self, node: Any) -> tuple[Any, str]:
        """What a chain of views is of, and as text what makes it at once;
        nothing where PyTorch's views are to do that."""
        base = self.memory_of(node, self.names)
        if base is node or reinterpret is None:
            return base, ""
        *lists, offset = layout_in(node, base)
        layout = isinstance(offset, int) and self.sizes(*lists)
        return base, f", {layout}, {offset}" if layout else ""

    # -- Kernels -------------------------------------------------------------

    def memory_of(self, node: Any, known: Any) -> Any:
        """The node whose memory a value is in: one that is known, or is no
        view."""
        while node not in known and (source := view_source(node)) is not None:
            node = source
        return node

    def is_lone(self, region: Region, kernel: _Kernel) -> bool:
        """Whether a region is one operator that PyTorch's own is as fast as:
        it neither writes in place nor reads views of few elements."""
        size = prod(shape_of(value_of(region.outputs[0])))
        return len({*region.nodes} - self.cut.views) == 1 and not (
            isinstance(size, int) and size < _LARGE and not kernel.reduced
            and any(self.memory_of(one, self.names) is not one
                    for one, _ in kernel.operands)
            or any(self.in_place(one, region, kernel)
                   for one in region.outputs))

    def try_kernel(self, region: Region) -> None:
        kernel = _Kernel(self.cut, region)
        text = kernel.text()
        if self.is_lone(region, kernel):
            raise Refused("one operator")
        arguments: dict[Any, int] = {}
        inputs, outputs = [], []

        def lay(node: Any, base: Any, fill: int | None) -> tuple[Any, ...]:
            shape, strides, offset = layout_in(node, base)
            if fill is not None:  # A row.
                shape = kernel.full(shape, 1)
                strides = kernel.full(strides, fill)
            return (arguments.setdefault(base, len(arguments)), offset,
                    TYPES[value_of(node).dtype], shape, strides)
        for node, is_row in kernel.operands:
            base = self.memory_of(node, self.names)
            if value_of(base).dtype != value_of(node).dtype:
                raise Refused("a view of another type")
            inputs.append(lay(node, base, 0 if is_row else None))
        targets = {node: self.in_place(node, region, kernel)
                   for node in region.outputs}
        for node, target in targets.items():
            target = target or node
            outputs.append(lay(target.meta.get("kexpr_place", target), target,
                               1 if kernel.is_row(node) else None))
        site = Site(text, inputs, outputs, len(arguments), self.options)
        if not self.hints.keys() >= {*site.symbols}:
            raise Refused("sizes that have no name")
        try:
            made = site.region(*(int(self.hints[one]) for one in site.symbols))
        except (Error, ValueError, TypeError) as error:
            raise Refused(str(error).split("\n")[0]) from None
        # Of others sizes and what may share memory are known together.
        if not site.symbols:
            self.reuse(region, kernel, made, targets)
        self.write_kernel(region, site, arguments, targets)

    def reuse(self, region: Region, kernel: _Kernel, made: Any,
              targets: dict[Any, Any]) -> None:
        """Has results written to where operands are that are not read later."""
        sources = [source for source, _ in kernel.operands]
        roots = [self.memory_of(source, self.owners) for source in sources]
        # An input's memory is that of the copy into it.
        free = [root in self.owners and roots.count(root) == 1
                and self.names[root][0] != "a"
                and not self.is_read_later(root, region) for root in roots]
        for i, node in enumerate(region.outputs):
            for k, source in enumerate(sources):
                if free[k] and targets[node] is None and may_be(
                        node, source) and made.may_share(i, k) and (
                        layout_of(source) == layout_of(node)):
                    self.node(source)
                    targets[node], free[k] = source, False

    def write_kernel(self, region: Region, site: Site, arguments: Any,
                     targets: dict[Any, Any]) -> None:
        for base in arguments:
            if base.target is scatter and base not in self.names:
                self.claim(base, region)
            elif base not in self.names and base not in region.outputs:
                self.node(base)
        for node in region.outputs:
            target = targets[node]
            if target is None or (
                    self.memory_of(target, self.owners) in self.owners):
                self.owners.add(node)
            if target is None:
                self.define(node, self.empty(node))
            else:
                self.names[node] = self.names[target]
                if target.op == "placeholder":
                    self.targets.difference_update(node.users)
        given = ", ".join(self.use(self.names[base]) for base in arguments)
        name = f"k{len(self.sites)}"
        self.sites[name] = site
        sizes = ", ".join(map(self.use, site.symbols))
        self.line(f"{name}({sizes})({given})" if sizes else f"{name}({given})")
        self.report.append(f"{name}: {site.given[0]}")

    def is_read_later(self, node: Any, region: Region,
                      besides: Any = ()) -> bool:
        """Whether others than a region read a value's memory after it ran, or
        may do so by a view that is not followed."""
        return any(
            is_view(user) or user not in besides and constant_of(user) is None
            and self.waiting.get(user, 1) > (user in region.nodes)
            for user in readers(node))

    def in_place(self, node: Any, region: Region, kernel: _Kernel) -> Any:
        """Where a value may be written to at once: an input that it would be
        copied to at the end, or a scatter that it is the part of."""
        users = [*node.users]
        into = users[0] if users[0].target is scatter else None
        copies = [one for one in users if one in self.targets or one is into]
        if len(copies) != 1 or kernel.reduced or (
                {*users} - {*region.nodes, *copies}):
            return None
        base = copies[0].args[0]
        target = into or base
        value, place = value_of(node), value_of(target)
        layout = layout_in(target.meta.get("kexpr_place", target), target)
        if not is_tensor(place) or place.dtype != value.dtype or (
                shape_of(value) != layout[0] or 0 in layout[1]) or any(
                    self.memory_of(one, (base,)) is base
                    and layout_in(one, base) != layout
                    for one, _ in kernel.operands):
            return None
        if into is not None:
            is_known = base in self.names or constant_of(base) is not None
            return into if is_known and users == [into] and (
                into.args[1] is node is not base) else None
        return None if self.is_read_later(base, region, copies) else base

    # -- Parts of tensors ----------------------------------------------------

    def may_take(self, node: Any, region: Region) -> bool:
        """Whether a scatter may be made in the memory of its tensor, which the
        graph has or is to write to at its end."""
        base = node.args[0]
        copies = [one for one in self.cut.epilogue if one.args[0] is base]
        last = copies[0].args[1] if copies else None
        while last is not None and last.target is scatter and not (
                is_returned(last) or {*self.cut.epilogue} - {*copies} & {
                    *readers(last)}):
            last = last.args[0]
        return (base in self.owners or last is base) and (
            strides_of(value_of(base)) == strides_of(value_of(node))
            and not self.is_read_later(base, region, [node, *copies]))

    def claim(self, node: Any, region: Region) -> None:
        """Names the memory of a scatter's result."""
        base = self.node(node.args[0])
        if self.may_take(node, region):
            self.names[node] = base
        else:
            self.define(node, f"{self.empty(node)}.copy_({base})")
        self.owners.add(node)

    def put(self, node: Any) -> None:
        """Puts the part of a scatter into its tensor."""
        self.claim(node, Region([node], [], False))
        part, place = node.args[1], self.node(node.meta["kexpr_place"])
        is_number = constant_of(part) is not None and (
            value_of(part).dtype == value_of(node).dtype)
        self.line(f"{place}.fill_({constant_of(part)!r})" if is_number else
                  f"{place}.copy_({self.node(part)})")

    def region(self, region: Region) -> None:
        if region.is_kernel:
            try:
                self.try_kernel(region)
            except Refused as why:
                names = ", ".join(str(one.target) for one in region.nodes)
                self.report.append(f"PyTorch's: {names} ({why})")
                region = region._replace(is_kernel=False)
        for node in () if region.is_kernel else region.nodes:
            if not (node in self.names or view_source(node) or is_view(node)
                    and isinstance(value_of(node), (list, tuple))):
                self.emit(node)
        self.waiting.subtract(region.nodes)

    # -- The whole -----------------------------------------------------------

    def begin(self) -> None:
        for node in self.module.graph.nodes:
            if node.op == "placeholder":
                self.names[node] = f"a{len(self.names)}"
        names = list(self.names.values())
        self.line(f"[{', '.join(names)}] = args", names)
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
        name = str(expression)
        if not expression.is_symbol or name in self.hints or (
                not value.node.has_hint()):
            return
        self.hints[name] = value.node.hint
        self.use(text.partition(".")[0])
        self.line(f"{name} = {text}")

    def code(self) -> Code:
        self.begin()
        regions = self.cut.regions()
        self.waiting = Counter(node for region in regions
                               for node in region.nodes)
        for region in regions:
            self.region(region)
        for copy in self.cut.epilogue:
            if copy in self.targets and (self.names.get(copy.args[1])
                                         != self.names[copy.args[0]]):
                self.emit(copy)
            else:
                self.names[copy] = self.names[copy.args[0]]
        self.line(f"return {self.render(self.cut.nodes[-1].args[0])}")
        source = self.source()
        log.debug("%s\n%s", source, "\n".join(self.report))
        return Code(source, self.globals | self.sites, _function)

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
                          if last[name] == at and name not in self.hints)
            if dead and at + 1 < len(self.lines):
                lines.append(f"  del {', '.join(dead)}")
        return "".join(sorted(self.operators)) + "\n".join(lines) + "\n"


def _function(source: str, names: dict[str, Any]) -> Any:
    with disable_modes():
        space = _NAMES | {
            name: one if not isinstance(one, Site) else one.region
            if one.symbols else one.region() for name, one in names.items()}
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
