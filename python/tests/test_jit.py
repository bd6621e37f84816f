"""Functions of Python, and lazy arrays."""

import inspect
import pickle

import numpy as np
import pytest

import kexpr as kx


@kx.jit
def gelu(x, w, b):
    t = x*w + b
    return 0.5 * t * (1 + kx.erf(t / 2**0.5))


def test_a_function_is_one_kernel(rng):
    x = rng.random(20).astype("f4")
    result = gelu(x, x, 0.5)
    t = x*x + np.float32(0.5)
    expected = [0.5 * v * (1 + np.vectorize(__import__("math").erf)(v / 2**0.5))
                for v in t.astype("f8")]
    np.testing.assert_allclose(result, expected, rtol=1e-6)
    assert result.dtype == np.float32
    assert gelu.text.count("x * w") == 1


def test_one_trace_for_each_combination_of_types():
    seen = []

    @kx.jit
    def f(x, y):
        seen.append((x.dtype, y.dtype))
        return x + y

    for n in range(5):
        f(np.ones(n, "f4"), np.ones(n, "f4"))
        f(np.ones((n, 2), "f4"), np.ones((n, 2), "f4"))
    f(np.ones(2), np.ones(2, "f4"))
    assert len(seen) == 2 and seen[1] == (np.dtype("f8"), np.dtype("f4"))


def test_operators_and_functions_of_numpy(rng):
    a, b = rng.random(9) + 0.5, rng.random(9) + 0.5
    i = np.arange(9)

    def every(a, b, i):
        return [a + b, a - b, a * b, a / b, a // b, a % b, a**b, -a, +a,
                abs(-a), a < b, a <= b, a > b, a >= b, a == b, a != b, i & 3,
                i | 3, i ^ 3, i << 2, i >> 1, ~i, 2 - a, 2 / a, 3 & i,
                np.sin(a), np.exp(a), np.maximum(a, b), np.where(a > b, a, b),
                np.clip(a, 0.6, 1.0), np.sqrt(a), np.arctan2(a, b),
                a.sum(), a.mean(), a.max(), a.min(), np.sum(a), np.mean(a),
                np.amax(a), a.astype("f4"), np.rint(a)]

    traced = kx.jit(lambda a, b, i: every(a, b, i))
    for index, (one, other) in enumerate(zip(traced(a, b, i),
                                             every(a, b, i))):
        np.testing.assert_allclose(one, other, rtol=1e-14, err_msg=str(index))
        if isinstance(other, np.ndarray):
            assert one.dtype == other.dtype, index


def test_what_is_around_is_frozen():
    scale, table = 2.0, np.arange(5.0)

    @kx.jit
    def f(x):
        return scale * x + table

    np.testing.assert_array_equal(f(np.ones(5)), 2 + table)
    scale = 3.0
    np.testing.assert_array_equal(f(np.ones(5)), 2 + table)
    out = np.empty(5)
    np.testing.assert_array_equal(f.bind(np.ones(5), out=out)(), 2 + table)


def test_loops_over_values_unroll():
    @kx.jit
    def power(x):
        result = 1.0
        for _ in range(5):
            result = result * x
        return result

    np.testing.assert_array_equal(power(np.array([2.0, 3.0])), [32, 243])


def test_several_results(rng):
    @kx.jit
    def both(a, b):
        return a + b, a - b

    a, b = rng.random(4), rng.random(4)
    s, d = both(a, b)
    np.testing.assert_array_equal(s, a + b)
    np.testing.assert_array_equal(d, a - b)
    outs = np.empty(4), np.empty(4)
    assert both(a, b, out=outs)[0] is outs[0]


def test_values_are_not_there_while_tracing():
    for body in (lambda x: x if x > 0 else -x, lambda x: float(x),
                 lambda x: [v for v in x], lambda x: x[0], lambda x: len(x)):
        with pytest.raises(TypeError, match="no truth value"):
            kx.jit(body)(np.ones(3))


def test_errors_name_the_line_of_the_function():
    @kx.jit
    def wrong(x):
        y = x * 2
        return y | 1

    with pytest.raises(kx.DTypeError) as caught:
        wrong(np.ones(3))
    note = "\n".join(caught.value.__notes__)
    assert "test_jit.py" in note and "y | 1" in note and "wrong" in note


def test_names_of_parameters_may_be_those_of_values():
    @kx.jit
    def f(t0, x0, t):
        return t0 * x0 + t0 * t - np.arange(3.0)

    np.testing.assert_array_equal(f(1.0, np.ones(3), 2.0), 3 - np.arange(3.0))


def test_constant_results():
    assert kx.jit(lambda x: 5)(np.ones(3)) == 5
    np.testing.assert_array_equal(kx.jit(lambda x: x)(np.ones(3)), np.ones(3))


def test_parameters_are_positional():
    for function in (lambda *x: x, lambda x=1: x, lambda **x: x):
        with pytest.raises(kx.ArgumentError, match="positional|default"):
            kx.jit(function)


def test_pickled_by_name():
    assert pickle.loads(pickle.dumps(gelu)) is gelu


def test_lazy_arrays_compute_at_the_end(rng):
    a = rng.random((3, 4))
    t = kx.lazy(a) * 2 + np.sin(kx.lazy(a))
    np.testing.assert_allclose(t.compute(), a * 2 + np.sin(a), rtol=1e-15)
    np.testing.assert_array_equal(np.asarray(t), t.compute())
    np.testing.assert_array_equal(np.from_dlpack(t), t.compute())
    assert t.dtype == np.float64
    out = np.empty_like(a)
    assert t.compute(out=out) is out
    assert "sin" in t.text and "sin" in repr(t)
    np.testing.assert_array_equal(np.asarray((t > 1).any(axis=0)),
                                  (t.compute() > 1).any(axis=0))


def test_shared_parts_are_one():
    x = kx.lazy(np.full(3, 1.0))
    for _ in range(40):
        x = x * (2 - x)
    np.testing.assert_array_equal(x.compute(), np.ones(3))
    deep = kx.lazy(np.zeros(3))
    for _ in range(3000):
        deep = deep + 1
    np.testing.assert_array_equal(deep.compute(), np.full(3, 3000.0))


def test_functions_of_arrays_and_lazy_arrays():
    a = np.array([-1.0, 2.0])
    np.testing.assert_allclose(kx.relu(a), [0, 2])
    np.testing.assert_allclose(kx.relu(kx.lazy(a)).compute(), [0, 2])
    assert kx.relu.__doc__
    with pytest.raises(AttributeError):
        kx.nonsense


def test_integers_of_64_bits():
    a = np.array([0, 1, 2**63, 2**64 - 1], np.uint64)
    most = 2**64 - 1
    with np.errstate(over="ignore"):
        for one, other in [
                (kx.jit(lambda x: (x ^ most) // 2**63 + (x == most)),
                 (a ^ np.uint64(most)) // np.uint64(2**63) + (a == most)),
                (kx.jit(lambda x: x + np.uint64(most)), a + np.uint64(most)),
                (kx.jit(lambda x: np.clip(x, -1, most)), a)]:
            np.testing.assert_array_equal(one(a), other, strict=True)
    lowest = np.array([-2**63, 5])
    assert (kx.lazy(lowest) == -2**63).compute().tolist() == [True, False]
    assert (kx.lazy(lowest) < most).compute().all()
    large = kx.evaluate("x * 0xffffffffffffffff", {"x": np.ones(2, "f4")})
    assert large.dtype == "f4" and (large == 2**64).all()
    with pytest.raises(kx.ArgumentError, match="does not fit i64"):
        (kx.lazy(lowest) + most).compute()
    with pytest.raises(kx.ExpressionError, match="beyond 64 bits"):
        (kx.lazy(a) + 2**64).compute()


def test_functions_call_others():
    @kx.jit
    def both(a, b):
        return a + b, a * np.sin(b)

    @kx.jit
    def outer(x):
        total, product = both(x, b=2.0 * x)
        return both(total, 3.0)[0] - both(product, np.arange(3.0))[1]

    x = np.array([1.0, 2.0, 3.0])
    right = 3 * x + 3 - x * np.sin(2 * x) * np.sin(np.arange(3.0))
    np.testing.assert_allclose(outer(x), right, rtol=1e-14)
    assert outer(x.astype("f4")).dtype == "f8"
    np.testing.assert_array_equal(both(kx.lazy(x) + 1, x)[0], x + 1 + x)


def test_other_kernels_in_functions_are_named():
    inner = kx.compile("a * 2")
    with pytest.raises(kx.Unsupported, match=r"the kernel of 'a \* 2'"):
        kx.jit(lambda x: inner(x))(np.ones(3))
    with pytest.raises(kx.Unsupported, match="no values yet"):
        kx.jit(lambda x: inner.bind(x))(np.ones(3))
    with pytest.raises(kx.Unsupported, match="out="):
        kx.jit(lambda x: gelu(x, x, x, out=np.ones(3)))(np.ones(3))


def test_functions_by_their_other_names():
    a, b = np.array([-1.5, 2.5]), np.array([2.0, 3.0])
    assert "expit" in kx.operators() and "fix" in kx.operators()
    np.testing.assert_array_equal(kx.expit(a), kx.sigmoid(a))
    for name, arrays in (("fix", [a]), ("rint", [a]), ("degrees", [a]),
                         ("power", [b, a]), ("mod", [a, b]),
                         ("arctan2", [a, b]), ("clip", [a, -1.0, 1.0])):
        np.testing.assert_allclose(getattr(kx, name)(*arrays),
                                   getattr(np, name)(*arrays), rtol=1e-14)
    for name in ("pi", "lambda", "nonsense", "no name", "_power"):
        assert not hasattr(kx, name)


def test_kernels_show_their_function():
    assert gelu.__name__ == "gelu" and gelu.__wrapped__.__name__ == "gelu"
    assert list(inspect.signature(gelu).parameters) == ["x", "w", "b"]
    plain = kx.compile("x + 1")
    assert plain.__name__ == "kexpr" and not hasattr(plain, "__wrapped__")
    assert not hasattr(kx.Kernel, "__wrapped__")
