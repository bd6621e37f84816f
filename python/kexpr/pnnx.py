"""Networks that PNNX wrote."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from . import _core
from ._errors import ArityError


class Port(NamedTuple):
    """An input or output of a network, and what the file says of it."""
    name: str
    dtype: Any
    shape: tuple[int, ...] | None


class Network:
    """A network ready to run (`load`). Several threads may share one, which
    then run one after the other."""

    def __init__(self, impl: _core.Network) -> None:
        self._impl = impl
        self.inputs: tuple[Port, ...] = tuple(
            Port(*port) for port in impl.inputs())
        self.outputs: tuple[Port, ...] = tuple(Port(*port) for port in impl.outputs())

    def run(self, *arrays: Any, threads: int = 0, **named: Any) -> Any:
        """The outputs for these inputs, in the order of the file or by name.

        Returns
        -------
        array, or dict of arrays by name where there are several outputs.
        """
        if len(arrays) > len(self.inputs):
            raise ArityError(f"{len(arrays)} arrays for {len(self.inputs)} "
                             "inputs")
        given = {port.name: array for port, array in zip(self.inputs, arrays)}
        for name, array in named.items():
            if name in given:
                raise ArityError(f"input {name!r} is given twice")
            given[name] = array
        results = self._impl.run(given, threads)
        return next(iter(results.values())) if len(results) == 1 else results

    def __call__(self, *arrays: Any, threads: int = 0, **named: Any) -> Any:
        """The same as `run`."""
        return self.run(*arrays, threads=threads, **named)

    @property
    def steps(self) -> list[dict[str, Any]]:
        """What a run does: the operators that each kernel or layer computes."""
        return self._impl.steps()

    def __repr__(self) -> str:
        return (f"<kexpr.pnnx.Network {[port.name for port in self.inputs]} -> "
                f"{[port.name for port in self.outputs]}>")


def load(param: str | os.PathLike[str],
         bin: str | os.PathLike[str] | None = None, *,
         layers: Mapping[str, Callable[[dict[str, Any]],
                                       Callable[..., Any]]] | None = None,
         fuse: bool = True) -> Network:
    """Reads a network.

    Parameters
    ----------
    param : path
        ``<name>.pnnx.param``.
    bin : path, optional
        The file of constants; ``<name>.pnnx.bin`` beside it if it is there.
    layers : mapping, optional
        What computes the types of operators that kexpr does not: a function
        that gets an operator (a dict with 'type', 'name', 'parameters' and
        'attributes') and returns a function of arrays.
    fuse : bool
        Whether operators merge into kernels; the bits are the same.
    """
    path = os.fspath(param)
    if bin is None:
        guess = path.removesuffix(".param") + ".bin"
        bin = guess if os.path.exists(guess) else ""
    return Network(_core.Network(path, os.fspath(bin), dict(layers or {}),
                                 fuse))
