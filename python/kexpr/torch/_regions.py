"""How a graph is cut: which nodes become kernels, in which order."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, NamedTuple

from .. import _core
from ._host import aten, is_tensor, plain, shape_of, strides_of, torch
from ._ops import Formula, constant_of, fold, formula_of, name_of, value_of


class Region(NamedTuple):
    """Nodes in order, and those of them whose values others take. A kernel has
    formulas for all of them; otherwise there is one node, which is
    PyTorch's."""
    nodes: list[Any]
    outputs: list[Any]
    is_kernel: bool


def view_source(node: Any) -> Any:
    """The node that this one is a view of, if kexpr can read it there."""
    value = value_of(node)
    if node.op != "call_function" or not is_tensor(value) or not node.args:
        return None
    source, maker = node.args[0], node
    if node.target is operator.getitem:
        source, maker = source.args[0] if source.args else None, source
    elif name_of(node.target) in ("", "as_strided", "copy_"):
        return None
    seen: Any = value_of(source) if isinstance(source, torch.fx.Node) else None
    # The example of a node whose place another took has other memory.
    same = is_tensor(seen) and seen.dtype == value.dtype and (
        is_view(maker) or value.untyped_storage()._cdata
        == seen.untyped_storage()._cdata)
    return source if same else None


def layout_of(node: Any) -> tuple[Any, ...]:
    value = value_of(node)
    return shape_of(value), strides_of(value), *plain([value.storage_offset()])


def without(shape: tuple[Any, ...], axes: int) -> tuple[Any, ...]:
    return tuple(one for axis, one in enumerate(shape) if not axes >> axis & 1)


def ones_at(shape: tuple[Any, ...], axes: int) -> tuple[Any, ...]:
    return tuple(1 if axes >> axis & 1 else one
                 for axis, one in enumerate(shape))


def is_view(node: Any) -> bool:
    """Whether an operator gives a view, whatever memory its example has."""
    return getattr(node.target, "is_view", False) or (
        node.target is operator.getitem)


def readers(node: Any) -> Iterable[Any]:
    """The nodes that read a value's memory, through views too, which are made
    where they are taken."""
    pending = [node]
    while pending:
        node = pending.pop()
        for user in reversed(node.users):
            views = [one for one in (user, *user.users)
                     if view_source(one) is node]
            if not views:
                yield user
            pending += views


def _is_same(one: Any, other: Any) -> bool:
    """Whether nodes are one, or views of one that are written alike."""
    while one is not other:
        if one.target is not other.target or not is_view(one) or (
                one.args[1:] != other.args[1:] or one.kwargs != other.kwargs):
            return False
        one, other = one.args[0], other.args[0]
    return True


_SCATTERED = {"slice_scatter": aten.slice.Tensor,
              "select_scatter": aten.select.int}


def is_returned(node: Any) -> bool:
    users = [*node.users]
    for user in users:
        users += user.users if is_view(user) else ()
    return any(user.op == "output" for user in users)


def may_be(node: Any, source: Any) -> bool:
    """Whether a node's value may be the memory of another one's. What is
    returned must not be a view, nor an input, nor returned twice."""
    return source.op == "call_function" and not (
        is_returned(node) and (is_view(source) or is_returned(source))) and (
            strides_of(value_of(node)) == strides_of(value_of(source)))


def scatter(*_: Any) -> None:
    """A tensor with a part put into it: the operator of nodes that
    `gather_scatters` makes."""


def gather_scatters(nodes: list[Any]) -> list[Any]:
    """Makes one node of those that put a part into a part, and so on, of a
    tensor, of which `kexpr_place` is the part; none if it was there, as at the
    end of `x[1:] += y`."""
    gone: set[Any] = set()
    for node in reversed(nodes):
        part, place, views = node, node.args and node.args[0], []
        value = value_of(node)
        while part not in gone and (part is node or len(part.users) == 1):
            view = _SCATTERED.get(name_of(part.target))
            if view and not part.kwargs and (
                    part is node or _is_same(part.args[0], place)):
                place = node.graph.call_function(view, (place, *part.args[2:]))
                place.meta["val"] = value = view(
                    value, *torch.fx.node.map_arg(part.args[2:], value_of))
                views.append(place)
            elif not views or name_of(part.target) not in ("copy", "alias"):
                break
            gone.add(part)
            part = part.args[1 if view else -1]
        if views and _is_same(part, place) and may_be(node, node.args[0]) and (
                layout_of(node) == layout_of(node.args[0])):
            node.replace_all_uses_with(node.args[0])
        elif views:
            gone.remove(node)
            node.target, node.args = scatter, (node.args[0], part)
            node.meta["kexpr_place"] = place
            views[0].args = (node, *views[0].args[1:])
    for node in reversed(nodes):
        if node in gone:
            node.graph.erase_node(node)
    return [one for one in nodes if one not in gone]


def is_ordered(node: Any) -> bool:
    """Whether a node must stay behind others of this kind: random numbers, and
    what may have effects."""
    target = node.target
    if not isinstance(target, torch._ops.OpOverload):
        return isinstance(target, torch._ops.HigherOrderOperator)
    return (target.namespace not in ("aten", "prims")
            or torch.Tag.nondeterministic_seeded in target.tags
            or "assert" in target._schema.name or node.is_impure())


class Cut:
    """The regions of a graph. `formulas` has one for each node that kexpr can
    compute; `epilogue` the copies into inputs at the end."""

    def __init__(self, graph: Any, options: Any) -> None:
        self.options = options
        self.formulas: dict[Any, Formula] = {}
        # Formulas that see the rows of a reduction with or without their axes.
        self.views: set[Any] = set()
        self._rows: dict[Any, tuple[tuple[Any, ...], int]] = {}
        # Nodes as they are without views that change nothing.
        self.same: dict[Any, Any] = {}
        self.epilogue = dict.fromkeys(
            node for node in graph.nodes if name_of(node.target) == "copy_"
            and node.args[0].op == "placeholder"
            and all(user.op == "output" for user in node.users))
        self.nodes = [one for one in graph.nodes if one not in self.epilogue]

    def is_possible(self) -> bool:
        """Whether nodes may be moved: none of them writes to what others
        read."""
        return all(
            node.op in ("placeholder", "get_attr", "output")
            or node.op == "call_function" and not (
                isinstance(node.target, torch._ops.OpOverload)
                and node.target._schema.is_mutable
                or "mutation" in str(node.target)) for node in self.nodes)

    def _lower(self, node: Any) -> Formula | None:
        source = view_source(node)
        if source is not None:
            return self._row_view(node, self.same[source])
        formula = formula_of(node, self.options)
        if formula is None:
            return None
        formula = formula._replace(
            inputs=tuple(self.same[one] for one in formula.inputs))
        shape = shape_of(value_of(node))
        if formula.rows:
            self._rows[node] = formula.rows
        else:
            for one in formula.inputs:
                rows = self._rows.get(one)
                if rows and shape in (without(*rows), ones_at(*rows)):
                    self._rows[node] = rows
        return formula

    def _row_view(self, node: Any, source: Any) -> Formula | None:
        rows = self._rows.get(source)
        if not rows or source not in self.formulas:
            return None
        both = {without(*rows), ones_at(*rows)}
        if {shape_of(value_of(node)), shape_of(value_of(source))} != both:
            return None
        self.views.add(node)
        self._rows[node] = rows
        return Formula("{0}", (source,), 0)

    def regions(self) -> list[Region]:
        """The regions in an order in which they may run."""
        self.nodes = gather_scatters(self.nodes)
        numbers: dict[Any, int] = {}
        extents: dict[Any, int] = {}
        shapes: list[tuple[int, ...]] = []
        units: list[tuple[Any, ...]] = []
        made: list[Any] = []

        def encode(shape: tuple[Any, ...]) -> tuple[int, ...]:
            # What is not known gets a number that is no extent.
            return tuple(one if isinstance(one, int) else
                         extents.setdefault(one, (1 << 40) + len(extents))
                         for one in shape)

        def number(node: Any) -> int:
            if node not in numbers:
                numbers[node] = len(shapes)
                one = value_of(node)
                shapes.append(encode(shape_of(one)) if is_tensor(one) else ())
            return numbers[node]

        last: int | None = None  # What nodes that stay in order hand on.
        for node in self.nodes:
            source = view_source(node)
            is_same = source and layout_of(source) == layout_of(node)
            self.same[node] = self.same[source] if is_same else node
            fold(node)
            if node.op != "call_function" or constant_of(node) is not None:
                continue
            formula = self._lower(node)
            if formula is not None:
                self.formulas[node] = formula
                rows = formula.rows and (encode(formula.rows[0]),
                                         formula.rows[1])
                units.append(([number(one) for one in formula.inputs],
                              [number(node)], formula.operations, rows))
            else:
                inputs = [number(one) for one in node.all_input_nodes
                          if constant_of(one) is None]
                outputs = [number(node)]
                if is_ordered(node):
                    if last is not None:
                        inputs.append(last)
                    last = len(shapes)
                    shapes.append(())
                    outputs.append(last)
                units.append((inputs, outputs, None, None))
            made.append(node)
        ends = [one for node in [*self.epilogue, self.nodes[-1]]
                for one in node.all_input_nodes]
        taken = {*ends, *(self.same.get(one, one) for one in ends)}
        nodes = {at: node for node, at in numbers.items()}
        found = [numbers[one] for one in taken if one in numbers]
        return [Region([made[unit] for unit in region],
                       [nodes[one] for one in outputs if one in nodes],
                       made[region[0]] in self.formulas)
                for region, outputs in _core.make_regions(shapes, units, found)]
