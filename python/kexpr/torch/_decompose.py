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
_SLOW: Any = torch._C.DispatchKey.CompositeExplicitAutograd


def _var_mean(self: Any, dim: Any = None, *, correction: Any = None,
              keepdim: bool = False) -> Any:
    dims = dim or list(range(self.dim()))
    given = 1 if correction is None else correction
    return (torch.var(self, dims, correction=given, keepdim=keepdim),
            torch.mean(self, dims, keepdim))


@functools.cache
def table(counts: bool) -> dict[Any, Callable[..., Any]]:
    """The decompositions, by overload; dropout's too if it `counts`."""
    known: Any = importlib.import_module("torch._decomp")
    names = [*_NAMES, *(f"{one}_backward" for one in _BACKWARD)]
    made: dict[Any, Callable[..., Any]] = dict(known.get_decompositions(
        [getattr(aten, one) for one in names if hasattr(aten, one)]))
    made[aten.var_mean.correction] = _var_mean
    # Of operators over lists PyTorch's slow path, which is one operator for each
    # element. The scalars of a tensor are not known while a graph is made.
    for full in torch._C._dispatch_get_all_op_names():
        name, _, kind = full.removeprefix("aten::").partition(".")
        if name.startswith("_foreach_") and kind[-3:] != "out" and (
                "addc" not in name or kind != "Tensor"):
            overload = getattr(getattr(aten, name), kind or "default")
            made[overload] = functools.partial(overload._op_dk, _SLOW)
    # Whose slow path writes to a copy.
    made[aten._foreach_zero.default] = lambda given: [
        *map(torch.zeros_like, given)]
    return made | {aten.native_dropout.default: dropout} if counts else made
