"""Compiled graphs as PyTorch's cache of AOTAutograd keeps them."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import pathlib
import pickle
from collections.abc import Callable
from typing import Any

from .. import _core
from ._host import OutputCode, torch


@functools.cache
def _sources() -> str:
    """What all that writes and reads entries is."""
    here = pathlib.Path(__file__).parent
    texts = (one.read_bytes() for one in sorted(here.glob("*.py")))
    return hashlib.sha256(b"".join(texts)).hexdigest()


class Code(OutputCode):  # type: ignore[misc]
    """The function of a graph: text, the values that its names have, and what
    makes a function of both. It holds for any processor."""

    def __init__(self, source: str, names: dict[str, Any],
                 make: Callable[[str, dict[str, Any]], Any]) -> None:
        self.source, self.names, self.make = source, names, make
        self.call = make(source, names)
        # Of each one's own dictionary, which is all that wrappers copy.
        self.call._boxed_call = self._boxed_call = True

    def __call__(self, args: list[Any]) -> Any:
        return self.call(args)

    def __reduce__(self) -> Any:
        return Code, (self.source, self.names, self.make)

    def prepare_for_serialization(self) -> None:
        """Refuses what the cache cannot keep. Its keys know no values of
        tensors."""
        try:
            if any(map(torch.is_tensor, self.names.values())):
                raise TypeError("a graph with constants")
            pickle.dumps(self)
        except Exception as error:
            raise importlib.import_module(
                "torch._functorch._aot_autograd.autograd_cache"
            ).BypassAOTAutogradCache(f"kexpr: {error}") from error

    def post_compile(self, *_: Any) -> None:
        """Nothing is left to do once it is read."""


@contextlib.contextmanager
def caching(options: Any) -> Any:
    """While it is entered, graphs that are compiled are kept, under keys that
    no other backend and no other options have."""
    config: Any = importlib.import_module("torch.compiler.config")
    autograd: Any = importlib.import_module("torch._functorch.config")
    tag = (config.cache_key_tag, _core.__version__, _sources(), *options)
    # The backward graph is compiled with the forward one, as both are an entry.
    with config.patch(cache_key_tag=f"kexpr {tag}"), autograd.patch(
            bundled_autograd_cache=True, force_non_lazy_backward_lowering=True):
        yield
