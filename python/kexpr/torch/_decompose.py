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
_log_softmax_backward_data _softmax_backward_data _prelu_kernel
_prelu_kernel_backward addcdiv_ addcmul_ aminmax binary_cross_entropy
binary_cross_entropy_backward binary_cross_entropy_with_logits celu celu_
elu_backward gelu_backward glu_backward hardsigmoid_backward hardswish_backward
hardtanh_backward huber_loss huber_loss_backward l1_loss leaky_relu_backward
log_sigmoid_backward log_sigmoid_forward logit logit_backward mish_backward
mse_loss mse_loss_backward native_dropout_backward native_layer_norm
native_layer_norm_backward _native_batch_norm_legit
_native_batch_norm_legit_functional _native_batch_norm_legit_no_training
native_batch_norm native_batch_norm_backward native_group_norm
native_group_norm_backward _fused_rms_norm _fused_rms_norm_backward
rrelu_with_noise_backward selu selu_ sigmoid_backward silu_backward
smooth_l1_loss smooth_l1_loss_backward soft_margin_loss
soft_margin_loss_backward softplus_backward softshrink_backward hardshrink
hardshrink_backward softshrink square special_entr special_log_ndtr
special_xlog1py tanh_backward threshold threshold_ threshold_backward
nan_to_num std heaviside sinc fill logsumexp linalg_vector_norm
""".split()

_FOREACH = """
abs acos add addcdiv addcmul asin atan ceil clamp_max clamp_min cos cosh div erf
erfc exp expm1 floor frac lerp log log10 log1p log2 maximum minimum mul neg pow
reciprocal round rsqrt sigmoid sign sin sinh sqrt sub tan tanh trunc
""".split()


def _var_mean(self: Any, dim: Any = None, *, correction: Any = None,
              keepdim: bool = False) -> Any:
    dims = dim or list(range(self.dim()))
    given = 1 if correction is None else correction
    return (torch.var(self, dims, correction=given, keepdim=keepdim),
            torch.mean(self, dims, keepdim=keepdim))


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
    get_decompositions: Any = importlib.import_module(
        "torch._decomp").get_decompositions
    packets = [getattr(aten, name) for name in _NAMES if hasattr(aten, name)]
    made: dict[Any, Callable[..., Any]] = dict(get_decompositions(packets))
    made[aten.var_mean.correction] = _var_mean
    for name in _FOREACH:
        packet = getattr(aten, f"_foreach_{name}", None)
        function = getattr(torch, {"clamp_min": "maximum",
                                   "clamp_max": "minimum"}.get(name, name))
        for overload in packet.overloads() if packet is not None else ():
            # The scalars of a tensor are not known while a graph is made.
            if not overload.endswith("out") and not (
                    name.startswith("addc") and overload == "Tensor"):
                made[getattr(packet, overload)] = _each(function)
    return made | {aten.native_dropout.default: dropout} if counts else made
