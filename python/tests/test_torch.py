"""Tensors of PyTorch by DLPack's exchange functions."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_numpy import FUNCTIONS, REDUCTIONS, ROOTS, Maker, same

import kexpr as kx

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("type", ["uint16", "uint32", "uint64"])
def test_unsigned_tensors(type):
    kind = getattr(torch, type)
    bits = 8 * kind.itemsize
    a = torch.tensor([0, 1, 3, 2**bits - 1], dtype=kind)
    b = torch.tensor([2**bits - 1, 3, 1, 0], dtype=kind)
    # What PyTorch has for these types; before 2.15 it lacks the maximum.
    for text, function in (("a * a", lambda a, _: a * a),
                           ("a & 6", lambda a, _: a & 6),
                           ("maximum(a, b)", torch.maximum),
                           ("a / b", torch.div), ("a == b", torch.eq),
                           ("sum(a)", lambda a, _: a.sum())):
        try:
            right = function(a, b)
        except NotImplementedError:
            assert torch.__version__ < "2.15" and "maximum" in text
            continue
        given = [a, b] if "b" in text else [a]
        value = kx.compile(text, semantics="torch")(*given)
        assert value.dtype == right.dtype
        assert torch.equal(value, right) or value.dtype.is_floating_point
    value = kx.compile("a + a", semantics="torch")(a)
    assert value.dtype == kind
    assert value.tolist() == [0, 2, 6, 2**bits - 2]
    with pytest.raises(kx.DTypeError, match="promote to no type"):
        kx.compile("a + b", semantics="torch")(a, torch.arange(4))


@pytest.mark.parametrize("type", ["float32", "float64", "float16", "bfloat16",
                                  "int8", "int16", "int32", "int64", "uint8",
                                  "bool"])
def test_tensors_in_tensors_out(type):
    a = torch.tensor([0, 1, 2, 3]).to(getattr(torch, type))
    k = kx.compile("a + a", semantics="torch")
    result = k(a)
    assert isinstance(result, torch.Tensor) and result.dtype == a.dtype
    assert torch.equal(result, a + a)


def test_strides_and_outputs():
    a = torch.rand(4, 6)
    k = kx.compile("a * 2 + b", semantics="torch")
    for view in (a.t(), a[:, ::2], a[1:3], a.unsqueeze(0)):
        assert torch.equal(k(view, view), view * 2 + view)
    out = torch.empty(4, 6)
    assert k(a, a, out=out) is out
    assert torch.equal(out, a * 2 + a)
    whole = torch.empty(6, 4)
    k(a, a, out=whole.t())
    assert torch.equal(whole.t(), a * 2 + a)
    assert torch.equal(k.bind(a, a, out=out)(), a * 2 + a)


def test_results_lie_as_the_tensors_do():
    k = kx.compile("x * 2 + 1", semantics="torch")
    image = torch.rand(2, 3, 4, 5).to(memory_format=torch.channels_last)
    for x in (image, torch.rand(3, 4).t(), torch.rand(3).expand(4, 3)):
        result = k(x)
        assert result.stride() == (x * 2 + 1).stride()
        assert torch.equal(result, x * 2 + 1)
        assert torch.equal(k.bind(x)(), result)
    first, second = kx.compile("[x + 1, sum(x, axis=0)]")(image)
    assert first.is_contiguous(memory_format=torch.channels_last)
    assert torch.allclose(second, image.sum(0))


def test_types_are_pytorch_s_where_asked_for():
    a, i = torch.rand(3), torch.arange(3)
    k = kx.compile("a / i", semantics="torch")
    assert k(i, i).dtype == torch.float32
    assert k(a, torch.tensor(2.0, dtype=torch.float64)).dtype == torch.float32
    assert k(a, 2.0).dtype == torch.float32
    assert kx.evaluate("i / i", {"i": i}).dtype == torch.float64


def test_several_outputs_and_mixed_arrays():
    a = torch.rand(5)
    s, d = kx.compile("[a + b, a - b]", semantics="torch")(a, np.ones(5, "f4"))
    assert torch.equal(s, a + 1) and torch.equal(d, a - 1)


def test_refusals():
    with pytest.raises(Exception, match="grad"):
        kx.compile("a + 1")(torch.rand(3, requires_grad=True))
    with pytest.raises(kx.DTypeError):
        kx.compile("a + 1")(torch.zeros(3, dtype=torch.complex64))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make, match", [
    (lambda x: x.to("meta"), "device meta"),
    (lambda x: x.to_sparse(), "layout torch.sparse_coo"),
    (lambda x: x.to_sparse_csr(), "layout torch.sparse_csr"),
    (lambda x: torch.quantize_per_tensor(x, 0.1, 0, torch.qint8),
     "quantised tensor, of torch.qint8"),
    (lambda x: torch.nested.nested_tensor([x, x]), "nested tensor"),
    (lambda x: torch._subclasses.FakeTensorMode().from_tensor(x),
     "without elements in memory"),
    (lambda x: x.to(torch.complex64), "type torch.complex64"),
])
def test_tensors_without_elements_say_what_they_are(make, match):
    k, x = kx.compile("x + 1"), torch.eye(3)
    kind = kx.DTypeError if "complex" in match else kx.Unsupported
    with pytest.raises(kind, match=f"operand 'x': .*{match}") as caught:
        k(make(x))
    assert "\n" not in str(caught.value)
    with pytest.raises(kind, match=f"out: .*{match}"):
        k(x, out=make(x))


def test_functions_under_vmap_are_refused():
    with pytest.raises(kx.Unsupported, match="vmap"):
        torch.vmap(kx.compile("x + 1"))(torch.rand(2, 3))


def test_no_reference_is_kept():
    import gc
    import weakref
    a = torch.rand(1000)
    gone = weakref.ref(a)
    result = kx.compile("a + 1")(a)
    del a
    gc.collect()
    assert gone() is None and result.shape == (1000,)


def test_where_casts_and_gradients_of_outputs():
    k = kx.compile("x + 1", semantics="torch")
    out = torch.zeros(3)
    k(torch.ones(3), out=out, where=torch.tensor([True, False, True]))
    assert torch.equal(out, torch.tensor([2.0, 0.0, 2.0]))
    with pytest.raises(kx.DTypeError):
        k(torch.ones(3), out=torch.zeros(3, dtype=torch.int32))
    with pytest.raises(kx.Unsupported, match="grad"):
        k(torch.ones(3), out=torch.nn.Parameter(torch.zeros(3)))


def test_lazily_negated_tensors_are_refused():
    n = torch.tensor([1 + 2j, 3 + 4j]).conj().imag
    with pytest.raises(kx.Unsupported, match="resolve_neg"):
        kx.compile("a + 1")(n)
    assert torch.equal(kx.compile("a + 1")(n.resolve_neg()), n + 1)


def test_bfloat16_without_ml_dtypes(monkeypatch):
    import subprocess
    import sys
    code = ("import sys; sys.modules['ml_dtypes'] = None\n"
            "import torch, kexpr as kx\n"
            "a = torch.ones(3).bfloat16()\n"
            "assert torch.equal(kx.compile('a + a')(a), a + a)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr


def test_bound_kernels_see_that_memory_moved():
    k = kx.compile("x + 1", semantics="torch")

    def bind():
        x, out = torch.rand(100), torch.empty(100)
        return x, out, k.bind(x, out=out)

    x, out, bound = bind()
    assert torch.equal(bound(), x + 1)
    x.mul_(2)  # in place, which moves nothing
    assert torch.equal(bound(), x + 1)
    x.resize_(100_000)
    with pytest.raises(kx.ArgumentError, match="bind it again"):
        bound()
    x, out, bound = bind()
    x.data = torch.rand(100)
    with pytest.raises(kx.ArgumentError, match="bind it again"):
        bound()
    x, out, bound = bind()
    out.resize_(0)
    with pytest.raises(kx.ArgumentError, match="bind it again"):
        bound()
    x, out, bound = bind()
    out.set_(torch.rand(100))
    with pytest.raises(kx.ArgumentError, match="bind it again"):
        bound()


def test_bfloat16_into_arrays_of_numpy():
    a = torch.rand(5).bfloat16()
    out = np.zeros(5, "f4")
    assert kx.compile("x + x", semantics="torch")(a, out=out) is out
    np.testing.assert_array_equal(out, (a + a).float().numpy())
    pair = np.zeros(5, "f4"), torch.zeros(5)
    kx.compile("[x + x, -x]", semantics="torch")(a, out=pair)
    np.testing.assert_array_equal(pair[0], (a + a).float().numpy())
    assert torch.equal(pair[1], -a.float())
    with pytest.raises(kx.DTypeError, match="out: "):
        kx.compile("x + x", semantics="torch")(a, out=np.zeros(5, int))
    with pytest.raises(kx.ShapeError, match="out: "):
        kx.compile("x + x", semantics="torch")(a, out=torch.zeros(2))


def root(x):
    """Correctly rounded, which PyTorch's is not in f32."""
    x = x if x.is_floating_point() else x.float()
    return torch.as_tensor(np.sqrt(x.numpy()))


NAMES = {name: getattr(torch, name) for name in [*FUNCTIONS, *ROOTS]}
NAMES.update(sqrt=root, float32=lambda x: x.float(), int16=lambda x: x.short())


@settings(max_examples=2000, deadline=None, database=None, derandomize=True,
          suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32))
def test_random_expressions(seed):
    """What NumPy's test makes, with PyTorch's rules."""
    maker = Maker(seed)
    text, ulps, _ = maker.expression()
    if any(f"{name}(" in text for name in REDUCTIONS):
        return  # Their arguments have other names.
    arrays = {name: torch.from_numpy(np.array(one)) if isinstance(
        one, (np.ndarray, np.generic)) else one
        for name, one in maker.arrays.items()}
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            right = eval(text, {**NAMES, **arrays})
    except (NotImplementedError, RuntimeError, TypeError):
        return
    if not torch.is_tensor(right):
        return
    value = torch.as_tensor(kx.evaluate(text, arrays, semantics="torch"))
    assert value.dtype == right.dtype and value.shape == right.shape
    with np.errstate(all="ignore"):
        assert same(value.numpy(), right.numpy(), 2 * ulps, 0), (
            f"seed {seed}: {text}\n{arrays}\n{right}\n{value}")
