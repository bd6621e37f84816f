"""Trees without operators, and the choice of operations by kinds."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from . import interpreter
from .expressions import kind_rank

typecode_to_kind = {
    "b": "bool", "i": "int", "l": "long", "f": "float", "d": "double",
    "c": "complex", "n": "none", "s": "str"}
kind_to_typecode = {kind: code for code, kind in typecode_to_kind.items()} | {
    "bytes": "s"}

_CODES = "".join(kind_to_typecode[kind] for kind in kind_rank[:-1])
REDUCTIONS = ("sum", "prod", "min", "max")


class ASTNode:
    """A node that compares as a value.

    `name` is the operation of a typed node, whose `value` has the kinds, too.
    """
    cmpnames: list[str] = ["astType", "astKind", "value", "children"]

    def __init__(self, astType: str = "generic", astKind: str = "unknown",
                 value: Any = None, children: Sequence[Any] = ()) -> None:
        self.astType = astType
        self.astKind = astKind
        self.value = value
        self.children: tuple[Any, ...] = tuple(children)
        self.name = value if astType == "op" else ""

    @property
    def arguments(self) -> list[ASTNode]:
        """The children that are arrays."""
        return [one for one in self.children if one.astType != "raw"]

    @property
    def axis(self) -> int | None:
        """The axis of a reduction."""
        return self.children[-1].value if self.name in REDUCTIONS else None

    def key(self) -> tuple[Any, ...]:
        """What two nodes are compared by."""
        return (self.astType, self.astKind, self.value, self.children)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ASTNode) and self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.key())

    def __str__(self) -> str:
        return (f"AST({self.astType}, {self.astKind}, {self.value}, "
                f"{self.children})")

    def typecode(self) -> str:
        """The letter of the kind."""
        return kind_to_typecode[self.astKind]

    def postorderWalk(self) -> Iterator[ASTNode]:
        """Each node once, after its children."""
        seen: set[int] = set()
        pending = [(self, False)]
        while pending:
            node, ready = pending.pop()
            if ready:
                yield node
            elif id(node) not in seen:
                seen.add(id(node))
                pending.append((node, True))
                pending.extend((one, False) for one in reversed(node.children))

    def allOf(self, *astTypes: str) -> Iterator[ASTNode]:
        """The nodes of some types."""
        return (node for node in self.postorderWalk()
                if node.astType in astTypes)


def _rebuilt(root: Any, build: Any) -> ASTNode:
    """What `build` makes of each node and of its children's; once for each,
    for expressions share nodes."""
    built: dict[int, ASTNode] = {}
    pending = [root]
    while pending:
        node = pending[-1]
        missing = [one for one in node.children if id(one) not in built]
        if missing:
            pending.extend(reversed(missing))
            continue
        pending.pop()
        if id(node) not in built:
            built[id(node)] = build(node, [built[id(one)]
                                           for one in node.children])
    return built[id(root)]


def expressionToAST(ex: Any) -> ASTNode:
    """The tree of an expression, which compares as a value."""
    return _rebuilt(ex, lambda node, children: ASTNode(
        node.astType, node.astKind, node.value, children))


def sigPerms(s: str) -> Iterator[str]:
    """The kinds that these may be cast to, the nearest first."""
    return map("".join, itertools.product(*(
        _CODES[_CODES.index(one):] if one in _CODES else one for one in s)))


def typeCompileAst(ast: ASTNode) -> ASTNode:
    """The tree with an operation for its kinds at each node, and casts."""
    return _rebuilt(ast, _typed)


def _typed(node: ASTNode, children: list[ASTNode]) -> ASTNode:
    if node.astType != "op":
        return node
    have = "".join(one.typecode() for one in children)
    result = node.typecode()
    value, want = _operation(node.value, result, have)
    children = [_cast(one, code) for one, code in zip(children, want)]
    if value.startswith(b"func_"):
        number = interpreter.funccodes[f"{node.value}_{result}{want}".encode()]
        children.append(ASTNode("raw", "none", number))
    typed = ASTNode("op", node.astKind, value, children)
    typed.name = node.value
    return typed


def _operation(name: str, result: str, have: str) -> tuple[bytes, str]:
    """The operation for these kinds, and those that it takes."""
    for want in sigPerms(have):
        code = f"{name}_{result}{want}".encode()
        if code in interpreter.opcodes:
            return code, want
    for want in sigPerms(have):
        if f"{name}_{result}{want}".encode() in interpreter.funccodes:
            return f"func_{result}{want}n".encode(), want
    raise NotImplementedError(
        f"couldn't find matching opcode for '{name}_{result}{have}'")


def _cast(node: ASTNode, code: str) -> ASTNode:
    if node.typecode() == code:
        return node
    kind = typecode_to_kind[code]
    if node.astType == "constant":
        return ASTNode("constant", kind, node.value)
    cast = ASTNode("op", kind, f"cast_{code}{node.typecode()}".encode(),
                   [node])
    cast.name = "cast"
    return cast
