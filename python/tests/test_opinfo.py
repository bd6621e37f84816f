"""PyTorch's own samples of its elementwise operators, through kexpr."""

import itertools
import os
import warnings

import numpy as np
import pytest

import kexpr as kx

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")
from torch.testing._internal.common_methods_invocations import (  # noqa: E402
    op_db)

TYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16,
         torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8,
         torch.uint16, torch.uint32, torch.uint64,
         torch.bool]
# Names of PyTorch that are other ones here.
NAMES = {"nn.functional.relu": "relu", "nn.functional.silu": "silu",
         "nn.functional.mish": "mish", "nn.functional.hardswish": "hardswish",
         "nn.functional.hardsigmoid": "hardsigmoid",
         "nn.functional.softplus": "softplus", "nn.functional.elu": "elu",
         "nn.functional.selu": "selu",
         "nn.functional.leaky_relu": "leaky_relu",
         "nn.functional.celu": "celu", "nn.functional.hardtanh": "hardtanh",
         "nn.functional.hardshrink": "hardshrink",
         "nn.functional.softshrink": "softshrink",
         "nn.functional.softsign": "softsign", "special.expit": "expit",
         "special.erfc": "erfc", "special.logit": "logit",
         "special.exp2": "exp2", "special.expm1": "expm1",
         "special.log1p": "log1p", "special.xlogy": "xlogy",
         "nn.functional.gelu": "gelu", "true_divide": "div"}
# Units of the last place: what kexpr's own bounds and PyTorch's add up to.
EXACT = {"add", "sub", "mul", "neg", "abs", "sign", "floor", "ceil", "trunc",
         "round", "eq", "ne", "lt", "le", "gt", "ge", "logical_and",
         "logical_or", "logical_xor", "logical_not", "bitwise_and",
         "bitwise_or", "bitwise_xor", "bitwise_not", "maximum", "minimum",
         "relu", "square", "clamp", "nextafter", "nan_to_num", "hardshrink",
         "hardtanh", "copysign", "fmax", "fmin", "frac", "gcd", "lcm",
         "heaviside", "signbit", "isnan", "isinf", "isfinite", "isposinf",
         "isneginf"}


def known() -> dict[str, list[object]]:
    have = {spelling for name, aliases, _, kind, _ in kx._core.operators()
            if kind != "rows" for spelling in [name, *aliases.split()]}
    have -= {"where", "max", "min"}  # which have other arguments there
    found: dict[str, list[object]] = {}
    for op in op_db:
        name = NAMES.get(op.name, op.name)
        if name in have:
            found.setdefault(name, []).append(op)
    return found


def ulps(one, other):
    """The largest distance of finite values, in units of the last place of the
    largest of the row's neighbours."""
    a, b = one.double().numpy(), other.double().numpy()
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if same.all():
        return 0.0
    if not (np.isfinite(a) == np.isfinite(b)).all():
        return float("inf")
    eps = torch.finfo(one.dtype).eps
    tiny = torch.finfo(one.dtype).smallest_normal
    with np.errstate(all="ignore"):
        return float((np.abs(a - b) / (eps * np.maximum(np.abs(b), tiny))
                      )[~same].max())


def samples(op, type):
    if type not in op.supported_dtypes("cpu"):
        return
    try:
        for sample in op.sample_inputs("cpu", type):
            values = [sample.input, *sample.args]
            if sample.kwargs or not all(
                    isinstance(one, (torch.Tensor, bool, int, float))
                    for one in values):
                continue
            if all(not isinstance(one, torch.Tensor) or
                   one.dtype in TYPES for one in values):
                yield values
    except (RuntimeError, NotImplementedError):
        return


def bound(name):
    # Near 0, terms of logaddexp cancel in PyTorch; near 1/2, the logarithm of
    # logit is of a rounded quotient.
    return 0 if name in EXACT else 1e5 if name in ("logaddexp", "logit") else 8


def run(name, values):
    tensors = [one for one in values if isinstance(one, torch.Tensor)]
    words = iter(f"@{i}" for i in range(len(tensors)))
    parts = [next(words) if isinstance(one, torch.Tensor) else repr(one)
             for one in values]
    return kx.compile(f"{name}({','.join(parts)})", syntax="pnnx",
                      tier="interpret")(*tensors)


@pytest.mark.parametrize("name", sorted(known()))
def test_samples(name):
    most = int(os.environ.get("KEXPR_SAMPLES", 20))
    count = 0
    for op, type in itertools.product(known()[name], TYPES):
        for index, values in enumerate(samples(op, type)):
            if index == most:
                break
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    right = op(*values)
                except RuntimeError:
                    continue
            try:
                value = run(name, values)
            except (kx.ArityError, kx.DTypeError, kx.Unsupported) as error:
                # What operators.md says has no meaning here.
                told = str(error)
                assert any(word in told for word in
                           ("takes", "argument", "literal", "overload",
                            "needs")), told
                continue
            told = f"{name} of {values}:\n{right}\n{value}"
            assert value.dtype == right.dtype, told
            assert value.shape == right.shape, told
            if right.dtype.is_floating_point:
                assert ulps(value, right) <= bound(name), told
            else:
                assert torch.equal(value, right), told
            count += 1
    # Those of which PyTorch has samples with other words alone.
    assert count or name in ("elu", "gelu", "leaky_relu", "softplus")
