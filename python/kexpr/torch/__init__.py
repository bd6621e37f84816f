"""`torch.compile(f, backend="kexpr")`: fused kernels without a compiler."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

from .._core import Kernel, operators
from .._errors import ArgumentError, Unsupported
from .._evaluate import evaluate as _evaluate
from .._kernel import _PRECISIONS, _TIERS, _number

__all__ = ["backend", "evaluate", "operator"]


def _options(given: Mapping[str, Any]) -> Any:
    from ._code import Options
    from ._host import torch
    known: dict[str, Any] = {
        "precision": "default", "tier": "tiered", "random": "pytorch",
        "threads": 0, "emulate_precision_casts": True, "cache": False}
    for name in given.keys() - known.keys():
        raise ArgumentError(f"option {name!r}; there are {', '.join(known)}")
    known |= given
    for name, names in (("precision", _PRECISIONS), ("tier", _TIERS),
                        ("random", ("pytorch", "counter"))):
        known[name] = _number(names, known[name], name)
    known["threads"] = known["threads"] or torch.get_num_threads()
    return Options._make(known.values())


def backend(module: Any, inputs: Any, *,
            options: Mapping[str, Any] | None = None,
            mode: str | None = None) -> Callable[..., Any]:
    """What `torch.compile` calls with a graph.

    Parameters
    ----------
    options : mapping, optional
        'precision' and 'tier', those of `kexpr.compile`; 'threads', PyTorch's
        unless given; 'emulate_precision_casts', whether values of 16 bits are
        rounded after each operator, as PyTorch does, which is so unless False;
        'random', "counter" for a dropout by hashes of counters, whose numbers
        are not PyTorch's; 'cache', whether AOTAutograd's cache keeps graphs on
        disk, False unless given.
    mode : str, optional
        Has no meaning here.
    """
    import importlib

    from . import _decompose
    from ._cache import Code, caching
    from ._code import compiled
    from ._host import Serializable
    known = _options(options or {})
    if known.keeps and Serializable is None:
        raise Unsupported("cache=True with this version of PyTorch")
    common: Any = importlib.import_module("torch._dynamo.backends.common")
    partitioners: Any = importlib.import_module("torch._functorch.partitioners")

    def compile_graph(graph: Any, _: Any) -> Any:
        code = compiled(graph, known)
        return code if known.keeps else code.call

    maker = Serializable(Code, compile_graph) if known.keeps else compile_graph
    compiler = common.aot_autograd(
        fw_compiler=maker, bw_compiler=maker,
        decompositions=_decompose.table(known.counts),
        partition_fn=partitioners.min_cut_rematerialization_partition,
        keep_inference_input_mutations=True)
    with caching(known) if known.keeps else contextlib.nullcontext():
        result: Callable[..., Any] = compiler(module, inputs)
    return result


def evaluate(text: str, /, **tensors: Any) -> Any:
    """The value of an expression of tensors, with PyTorch's types.

    Tensors that require grad are taken as they are: the result does not.
    """
    given = {name: _detached(one) for name, one in tensors.items()}
    return _evaluate(text, given, semantics="torch")


def _detached(value: Any) -> Any:
    return value.detach() if getattr(value, "requires_grad", False) else value


def operator(name: str, kernel: Kernel) -> Callable[..., Any]:
    """A kernel of elementwise operators with one result as an operator of
    PyTorch, which graphs of `torch.compile` hold as one node.

    Parameters
    ----------
    name : str
        As PyTorch has it: "library::name".
    kernel : Kernel
        One with `semantics="torch"`. The operator has no gradient.
    """
    import importlib

    from ._host import disable_modes, torch
    rows = {one for one, _, _, types, _ in operators() if types == "rows"}
    if kernel.outputs != 1 or any(f"{one}(" in kernel.text for one in rows):
        raise Unsupported("an operator of functions over axes, or with several "
                          "results")
    library: Any = importlib.import_module("torch.library")
    parameters = ", ".join(f"Tensor {one}" for one in kernel.operands)

    def compute(*tensors: Any) -> Any:
        return kernel(*map(_detached, tensors))

    def describe(*tensors: Any) -> Any:
        with disable_modes():  # Its types are those of real tensors.
            made = kernel(*(torch.zeros((1,) * one.dim(), dtype=one.dtype)
                            for one in tensors))
        shape = torch.broadcast_shapes(*(one.shape for one in tensors))
        return torch.empty(shape, dtype=made.dtype)
    made: Any = library.custom_op(name, compute, mutates_args=(),
                                  schema=f"({parameters}) -> Tensor")
    made.register_fake(describe)
    result: Callable[..., Any] = made
    return result
