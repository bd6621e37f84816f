"""PyTorch's own samples of its elementwise operators, through kexpr. All of
them, over 8,000, by KEXPR_SAMPLES=1000000."""

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
         "nn.functional.threshold": "threshold",
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
# What follows the operands of a call, in this order.
KEYWORDS = {"clamp": ["min", "max"],
            "elu": ["alpha"], "celu": ["alpha"],
            "leaky_relu": ["negative_slope"],
            "softplus": ["beta", "threshold"],
            "threshold": ["threshold", "value"],
            "hardtanh": ["min_val", "max_val"], "hardshrink": ["lambd"],
            "softshrink": ["lambd"], "logit": ["eps"],
            "nan_to_num": ["nan", "posinf", "neginf"]}
# Units of the last place: what kexpr's own bounds and PyTorch's add up to.
EXACT = {"add", "sub", "mul", "neg", "abs", "sign", "floor", "ceil", "trunc",
         "round", "eq", "ne", "lt", "le", "gt", "ge", "logical_and",
         "logical_or", "logical_xor", "logical_not", "bitwise_and",
         "bitwise_or", "bitwise_xor", "bitwise_not", "maximum", "minimum",
         "relu", "square", "clamp", "nextafter", "nan_to_num", "hardshrink",
         "hardtanh", "copysign", "fmax", "fmin", "frac", "gcd", "lcm",
         "heaviside", "signbit", "isnan", "isinf", "isfinite", "isposinf",
         "isneginf"}


# Near 0, terms of logaddexp cancel in PyTorch; near 1/2, the logarithm of logit
# is of a rounded quotient.
LEAST = {"logaddexp": 1, "logit": 1}


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


def ulps(one, other, least=0.0):
    """The largest distance of finite values, in units of the last place, of
    those below `least` in its units."""
    a, b = one.double().numpy(), other.double().numpy()
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if same.all():
        return 0.0
    if not (np.isfinite(a) == np.isfinite(b)).all():
        return float("inf")
    eps = torch.finfo(one.dtype).eps
    tiny = max(torch.finfo(one.dtype).smallest_normal, least)
    with np.errstate(all="ignore"):
        return float((np.abs(a - b) / (eps * np.maximum(np.abs(b), tiny))
                      )[~same].max())


def arguments(name, sample):
    """What a call is given, in order; None where kexpr has no word for it."""
    given = dict(sample.kwargs)
    values = [sample.input, *sample.args]
    for word in KEYWORDS.get(name, []):
        if not given:
            break
        if word not in given:
            return None
        values.append(given.pop(word))
    # PyTorch casts limits to the type of integers.
    if (name in ("hardtanh", "threshold")
            and not sample.input.is_floating_point()):
        return None
    tensors = [one for one in values if isinstance(one, torch.Tensor)]
    if not tensors or any(one.dtype not in TYPES for one in tensors):
        return None
    # Its divisors of the least number are negative, for |x| is.
    if name in ("gcd", "lcm") and any(
            one.numel() and one.min() == torch.iinfo(one.dtype).min < 0
            for one in tensors if not one.is_floating_point()):
        return None
    # It multiplies by 2^y, which is 0 or infinite before the product is.
    if name == "ldexp" and any(one.numel() and one.double().abs().max() > 126
                               for one in tensors[1:]):
        return None
    fine = not given and all(
        isinstance(one, (bool, int, float, torch.Tensor)) for one in values)
    return values if fine else None


def samples(name, op, type):
    if type not in op.supported_dtypes("cpu"):
        return
    for inputs in (op.sample_inputs, op.reference_inputs):
        try:
            for sample in inputs("cpu", type):
                values = arguments(name, sample)
                if values is not None:
                    yield sample, values
        except (RuntimeError, NotImplementedError):
            continue


def run(name, values):
    tensors = [one for one in values if isinstance(one, torch.Tensor)]
    words = iter(f"@{i}" for i in range(len(tensors)))
    parts = [next(words) if isinstance(one, torch.Tensor) else repr(one)
             for one in values]
    return kx.compile(f"{name}({','.join(parts)})", syntax="pnnx",
                      tier="interpret")(*tensors)


@pytest.mark.parametrize("name", sorted(known()))
def test_samples(name, record_property):
    most = int(os.environ.get("KEXPR_SAMPLES", 20))
    count = 0
    for op, type in itertools.product(known()[name], TYPES):
        for sample, values in itertools.islice(samples(name, op, type), most):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    right = op(sample.input, *sample.args, **sample.kwargs)
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
                most_apart = 0 if name in EXACT else 8
                assert ulps(value, right, LEAST.get(name, 0)) <= most_apart, told
            else:
                assert torch.equal(value, right), told
            count += 1
    record_property("samples", count)
    # PyTorch's samples of it have a word that kexpr has not.
    assert count or name == "gelu"
