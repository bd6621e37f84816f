"""What is taken apart before the graph is cut."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

from ._host import aten, torch
from ._random import dropout

# Decomposed as PyTorch says. Random numbers are not among them, nor what kexpr
# has itself, or PyTorch computes faster.
_NAMES = """
_log_softmax_backward_data _softmax_backward_data _prelu_kernel addcdiv_
addcmul_ aminmax binary_cross_entropy binary_cross_entropy_with_logits celu
celu_ huber_loss log_sigmoid_forward logit mse_loss native_layer_norm
_native_batch_norm_legit _native_batch_norm_legit_functional
_native_batch_norm_legit_no_training native_batch_norm native_group_norm
_fused_rms_norm selu selu_ smooth_l1_loss soft_margin_loss hardshrink softshrink
special_entr special_log_ndtr special_xlog1py threshold threshold_ nan_to_num
std heaviside sinc fill logsumexp linalg_vector_norm
""".split()
_BACKWARD = """
_prelu_kernel binary_cross_entropy elu gelu glu hardsigmoid hardswish hardtanh
huber_loss leaky_relu log_sigmoid logit mish mse_loss native_dropout
native_layer_norm native_batch_norm native_group_norm _fused_rms_norm
rrelu_with_noise sigmoid silu smooth_l1_loss soft_margin_loss softplus tanh
threshold
""".split()


def _var_mean(self: Any, dim: Any = None, *, correction: Any = None,
              keepdim: bool = False) -> Any:
    dims = dim or list(range(self.dim()))
    given = 1 if correction is None else correction
    return (torch.var(self, dims, correction=given, keepdim=keepdim),
            torch.mean(self, dims, keepdim))


def _each(operator: Any) -> Callable[..., Any]:
    """An operator over lists as one over each element."""
    def run(*given: Any, **named: Any) -> Any:
        if operator in (torch.addcmul, torch.addcdiv) and len(given) == 4:
            *given, named["value"] = given  # type: ignore[assignment]
        lists = list, tuple
        count = next(len(one) for one in given if isinstance(one, lists))

        def at(one: Any, i: int) -> Any:
            return one[i] if isinstance(one, lists) else one
        return [operator(*(at(one, i) for one in given),
                         **{name: at(one, i) for name, one in named.items()})
                for i in range(count)]
    return run


@functools.cache
def table(counts: bool) -> dict[Any, Callable[..., Any]]:
    """The decompositions, by overload; dropout's too if it `counts`."""
    known: Any = importlib.import_module("torch._decomp")
    names = [*_NAMES, *(f"{one}_backward" for one in _BACKWARD)]
    made: dict[Any, Callable[..., Any]] = dict(known.get_decompositions(
        [getattr(aten, one) for one in names if hasattr(aten, one)]))
    made[aten.var_mean.correction] = _var_mean
    for name in (one.removeprefix("_foreach_") for one in dir(torch)
                 if one.startswith("_foreach_")):
        function = {"clamp_min": torch.maximum, "clamp_max": torch.minimum}.get(
            name, getattr(torch, name, None))
        packet = getattr(aten, f"_foreach_{name}")
        for overload in packet.overloads() if function and name[-1] != "_" and (
                name not in ("clone", "max", "mm", "norm")) else ():
            # The scalars of a tensor are not known while a graph is made.
            if not overload.endswith("out") and not (
                    name.startswith("addc") and overload == "Tensor"):
                made[getattr(packet, overload)] = _each(function)
    return made | {aten.native_dropout.default: dropout} if counts else made
