"""Compiled expressions: what `NumExpr` returns."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _kernel
from .._core import Kernel
from .._errors import Unsupported
from . import interpreter
from ._lower import lower
from ._numpy import DTYPES, compute
from ._typed import ASTNode

# Arrays of these reach kernels as they are.
_TAKEN = {np.dtype(name) for name in (
    "bool", "int8", "uint8", "int16", "int32", "int64", "float16", "float32",
    "float64")}


class Program:
    """An expression for inputs of given types. Any number of threads may call
    one."""

    def __init__(self, ast: ASTNode, names: tuple[str, ...],
                 codes: str) -> None:
        self.input_names: tuple[str, ...] = names
        self.signature: bytes = codes.encode()
        self._ast = ast
        # Of a reduction; `allaxes` for all of them.
        self.axis: int | None = ast.axis
        self._result = DTYPES.get(ast.typecode())
        self._kernel: Kernel | None = None
        self._refused: Unsupported | None = None
        if names:
            try:
                self._kernel = self._compile()
            except Unsupported as error:
                self._refused = error
                self._check_strict()

    def _compile(self) -> Kernel:
        return _kernel.compile(
            lower(self._ast, self.input_names),
            [f"x{i}" for i in range(len(self.input_names))],
            semantics="numpy", precision="default")

    def _check_strict(self) -> None:
        if self._refused and sys.modules[__package__].strict:
            raise self._refused

    @property
    def is_compiled(self) -> bool:
        """Whether kexpr computes it."""
        return self._kernel is not None

    def kernel_for(self, dtypes: Sequence[Any]) -> Kernel | None:
        """The kernel, if it may be called with arrays of these types and
        nothing more needs to be seen to."""
        plain = self._kernel is not None and self._result != DTYPES["c"]
        return self._kernel if plain and all(
            dtype in _TAKEN for dtype in dtypes) else None

    def large_result(self, arrays: Sequence[Any]) -> Any:
        """Memory for the result in the common case, or None."""
        shape = arrays[0].shape
        if self.axis is not None or not all([
                one.shape == shape and one.flags.c_contiguous
                for one in arrays]):
            return None
        return np.empty(shape, self._result)

    def __call__(self, *args: Any, out: Any = None, order: str = "K",
                 casting: Any = "safe", ex_uses_vml: bool = False) -> Any:
        """The result for these arrays, in the order of `input_names`."""
        if len(args) != len(self.input_names):
            raise ValueError("number of inputs doesn't match program")
        self._check_strict()
        arrays = [self._input(i, arg, casting) for i, arg in enumerate(args)]
        if self.axis is not None and not self.is_axis_of(arrays):
            empty = [one.shape for one in arrays if one.size == 0]
            if not empty:
                raise ValueError("reduction axis is out of bounds")
            return np.empty(empty[0], self._result)
        if out is not None:
            self._check_out(out, casting)
        if self._kernel is None:
            return self._deliver(
                compute(self._ast, self.input_names, arrays), out, order,
                casting)
        threads = interpreter.limit
        if out is not None and type(out) is np.ndarray and (
                out.dtype in _TAKEN and self._result in _TAKEN
                and np.can_cast(self._result, out.dtype, "same_kind")):
            return self._kernel(*arrays, out=out, threads=threads)
        return self._deliver(self._kernel(*arrays, threads=threads), out,
                             order, casting)

    run = __call__

    def _input(self, i: int, arg: Any, casting: Any) -> Any:
        array = np.asarray(arg)
        want = DTYPES.get(chr(self.signature[i]))
        if want is None or array.dtype == want:
            return array
        if not np.can_cast(array.dtype, want, casting):
            raise TypeError(
                f"Iterator operand {i + 1} dtype could not be cast from "
                f"{array.dtype!r} to {want!r} according to the rule "
                f"{casting!r}")
        return array if array.dtype in _TAKEN else array.astype(want)

    def is_axis_of(self, arrays: Sequence[Any]) -> bool:
        """Whether there is something to reduce."""
        if not all([one.size for one in arrays]):
            return False
        return self.axis == interpreter.allaxes or any(
            [one.ndim > self.axis for one in arrays])

    def _check_out(self, out: Any, casting: Any) -> None:
        if not isinstance(out, np.ndarray):
            raise ValueError("out keyword parameter is not an array")
        if out.size != 1 and not self.input_names:
            raise ValueError(
                "output for a constant expression must have size 1")
        if out.size != 1 and self.axis == interpreter.allaxes:
            raise ValueError(
                "out argument must have size 1 for a full reduction")
        if not out.flags.writeable:
            raise ValueError("output array is read-only")
        if self._result is not None and not np.can_cast(
                self._result, out.dtype, casting):
            raise TypeError(
                "Iterator requested dtype could not be cast from "
                f"{self._result!r} to {out.dtype!r}, the operand 0 dtype, "
                f"according to the rule {casting!r}")

    def _deliver(self, result: Any, out: Any, order: Any,
                 casting: Any) -> Any:
        result = np.asarray(result, self._result)
        if out is None:
            return np.asarray(result, order=order)
        np.copyto(out, result, casting=casting)
        return out

    @property
    def constants(self) -> tuple[Any, ...]:
        """The numbers of the expression, in the order of their registers."""
        return tuple(value for _, value in _constants(self._ast))

    @property
    def tempsig(self) -> bytes:
        """The kinds of what is between inputs and the result."""
        return "".join(
            node.typecode() for node in self._ast.postorderWalk()
            if node.astType == "op" and node is not self._ast).encode()

    @property
    def fullsig(self) -> bytes:
        """The kinds of the result, the inputs, the constants and the rest."""
        constants = "".join(code for code, _ in _constants(self._ast))
        return (self._ast.typecode().encode() + self.signature
                + constants.encode() + self.tempsig)

    @property
    def program(self) -> bytes:
        """What kexpr runs, as infix text; empty where NumPy computes."""
        return self._kernel.text.encode() if self._kernel else b""

    def __reduce__(self) -> Any:
        return Program, (self._ast, self.input_names, self.signature.decode())


def _constants(ast: ASTNode) -> list[tuple[str, Any]]:
    """Letters of kinds and values, each once, sorted."""
    found = {(node.typecode(), node.value): node
             for node in ast.allOf("constant")}
    every = sorted(found, key=lambda one: (
        found[one].astKind, one[1] if one[0] != "c" else (
            complex(one[1]).real, complex(one[1]).imag)))
    return [(code, _converted(code, value)) for code, value in every]


def _converted(code: str, value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("ascii")
    return {"b": bool, "c": complex}.get(code, (
        DTYPES[code].type if code in DTYPES else bytes))(value)


def disassemble(nex: Program) -> list[list[Any]]:
    """The operations of an expression as numexpr lists them: name, register
    of the result, and what it takes."""
    return _Listing(nex).rows


class _Listing:
    """Registers: `r` of the result and inputs, `c` of constants, `t` of
    others. One whose value has no further use is taken again."""

    def __init__(self, nex: Program) -> None:
        root = nex._ast
        self._names = {name: f"r{i + 1}[{name}]"
                       for i, name in enumerate(nex.input_names)}
        first = 1 + len(self._names)
        self._constants = {key: f"c{first + i}[{key[1]}]"
                           for i, key in enumerate(_constants(root))}
        self._first = first + len(self._constants)
        nodes = [one for one in root.postorderWalk() if one.astType == "op"]
        self._registers = self._assigned(nodes)
        self.rows: list[list[Any]] = []
        for node in nodes:
            row = [node.value, self._word(node),
                   *(self._word(one) for one in node.children)]
            self.rows.append(row + [None] * (4 - len(row)))
            if len(row) > 4:
                self.rows.append([b"noop", None, None, None])

    def _assigned(self, nodes: list[ASTNode]) -> dict[int, int]:
        """The register of each operation, by id."""
        users: dict[int, set[int]] = {id(one): set() for one in nodes}
        for node in nodes:
            for one in node.children:
                if one.astType == "op":
                    users[id(one)].add(id(node))
        slots: dict[int, int] = {}  # by id; equal ones share a register
        free: dict[str, list[int]] = {}
        count = 0
        for node in nodes:
            for one in {id(one): one for one in node.children
                        if one.astType == "op"}.values():
                users[id(one)].discard(id(node))
                if not users[id(one)]:
                    free.setdefault(one.typecode(), []).append(slots[id(one)])
            same = free.get(node.typecode())
            if same and (node is not nodes[-1] or node.axis is None):
                slots[id(node)] = same.pop()
            else:
                slots[id(node)] = count
                count += 1
        result = slots[id(nodes[-1])]
        others = {slot: self._first + i for i, slot in enumerate(
            slot for slot in range(count) if slot != result)}
        return {key: others.get(slot, 0) for key, slot in slots.items()}

    def _word(self, node: ASTNode) -> Any:
        if node.astType == "raw":
            return None if node.value == interpreter.allaxes else node.value
        if node.astType == "variable":
            return self._names[node.value].encode()
        if node.astType == "constant":
            code = node.typecode()
            return self._constants[code, _converted(code, node.value)].encode()
        number = self._registers[id(node)]
        return f"{'t' if number else 'r'}{number}".encode()
