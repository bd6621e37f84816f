"""What of PyTorch the backend stands on. Names that PyTorch calls private are
looked for once, here, and stand-ins serve where they are gone."""

from __future__ import annotations

import ctypes
import functools
import importlib
import os
from typing import Any

# A checker of types must not need PyTorch.
torch: Any = importlib.import_module("torch")
aten: Any = torch.ops.aten

_guards: Any = getattr(getattr(torch._C, "_dynamo", None), "guards", None)
# While it is entered, tensors are real ones, though a graph is being made.
disable_modes: Any = importlib.import_module(
    "torch.utils._python_dispatch")._disable_current_modes


# What AOTAutograd's cache keeps, and says that a compiler makes it.
OutputCode: Any = getattr(importlib.import_module(
    "torch._inductor.output_code"), "OutputCode", object)
_schemas: Any = importlib.import_module(
    "torch._functorch._aot_autograd.schemas")
Serializable: Any = getattr(_schemas, "SerializableAOTDispatchCompiler", None)


def _assert_size_stride(tensor: Any, size: Any, stride: Any) -> None:
    if tensor.size() != size or tensor.stride() != stride:
        raise AssertionError("other strides")


empty_strided: Any = getattr(
    _guards, "_empty_strided_cpu", lambda size, stride, dtype:
    torch.empty_strided(size, stride, dtype=dtype))
# A view by sizes, strides and how much further it begins; None if it is gone.
reinterpret: Any = getattr(_guards, "_reinterpret_tensor", None)
assert_size_stride: Any = getattr(_guards, "assert_size_stride",
                                  _assert_size_stride)
# The address of a C function from a tensor to its memory, or 0.
data_of: int = getattr(_guards, "_torchinductor_pyobject_tensor_data_ptr", 0)


def relaid(tensor: Any, size: Any, stride: Any) -> Any:
    """A tensor whose strides are others than its operator was said to give."""
    return empty_strided(tuple(size), tuple(stride), tensor.dtype).copy_(tensor)


@functools.cache
def parallel_for() -> int:
    """The address of `torch_parallel_for`, which runs tasks on PyTorch's own
    threads; 0 where PyTorch has none."""
    library = os.path.join(os.path.dirname(torch.__file__), "lib",
                           "libtorch_cpu.so")
    try:
        function = ctypes.CDLL(library).torch_parallel_for
    except (OSError, AttributeError):
        return 0
    return ctypes.cast(function, ctypes.c_void_p).value or 0


# kexpr's names of element types. Those of casts to them are PyTorch's.
TYPES: dict[Any, str] = {torch.uint8: "u8", torch.bool: "bool"} | {
    getattr(torch, one): one.replace("float", "f").replace("int", "i")
    for one in ("float32", "float64", "float16", "bfloat16", "int8", "int16",
                "int32", "int64")}


def plain(sizes: Any) -> tuple[Any, ...]:
    return tuple(one if isinstance(one, int) else one.node.expr
                 for one in sizes)


def shape_of(tensor: Any) -> tuple[Any, ...]:
    """Ints, and expressions of sympy, which compare without a guard."""
    return plain(tensor.shape)


def strides_of(tensor: Any) -> tuple[Any, ...]:
    return plain(tensor.stride())


def is_tensor(value: Any) -> bool:
    """Whether kexpr can compute with tensors like this one."""
    return (isinstance(value, torch.Tensor) and value.device.type == "cpu"
            and value.layout is torch.strided and value.dtype in TYPES
            and not value.is_neg() and value.dim() <= 12)
