"""Every kind of array, and what is refused."""

import array
import resource

import ml_dtypes
import numpy as np
import pytest

import kexpr as kx

ADD = kx.compile("a + b")


@pytest.mark.parametrize("type", ["f4", "f8", "f2", "i1", "i2", "i4", "i8",
                                  "u1", "u2", "u4", "u8", "Q", "?", ml_dtypes.bfloat16])
def test_types(type):
    a = np.array([0, 1, 1, 0, 1]).astype(type)
    result = ADD(a, a)
    assert result.dtype == a.dtype
    np.testing.assert_array_equal(result, (a + a))


@pytest.mark.parametrize("type", ["c8", "c16", "S3", "U3", "O", "M8[s]",
                                  "f4,f4", "g"])
def test_types_without_meaning_are_refused_by_name(type):
    a = np.zeros(3, type)
    with pytest.raises(kx.DTypeError, match="not supported"):
        ADD(a, a)


def test_any_strides():
    a = np.arange(240, dtype="i4").reshape(4, 5, 12)
    for view in (a[::-1], a[:, ::-2], a[..., ::5], a.T, a[1:3, 2:, 3:-1],
                 np.broadcast_to(a[:, :1], a.shape), a[:, :, ::-1].T):
        np.testing.assert_array_equal(ADD(view, 1), view + 1)
        np.testing.assert_array_equal(ADD(view, view[::-1]),
                                      view + view[::-1])


def test_results_of_arrays_turned_around_lie_forwards():
    a = np.arange(60.0).reshape(3, 20)
    for view in (a[::-1], a[:, ::-1], a.T[::-1], a.T[::-1, ::-1]):
        result = ADD(view, view)
        np.testing.assert_array_equal(result, view + view)
        assert result.strides == (view + view).strides


def test_rests_of_zero_have_the_sign_that_numpy_gives_them():
    a = np.array([-4.0, 4.0, -0.0, 0.0, 6.5, -6.5])
    for divisor in (2.0, -2.0, np.inf, -np.inf):
        rest = kx.compile("a % d")(a, np.full(6, divisor))
        np.testing.assert_array_equal(rest, a % divisor)
        np.testing.assert_array_equal(np.signbit(rest),
                                      np.signbit(a % divisor))


@pytest.mark.parametrize("type", ["i1", "u1", "i2", "i4", "i8"])
def test_divisors_and_multiples(rng, type):
    a, b = (rng.integers(0, 128, 500).astype(type) for _ in range(2))
    if type != "u1":
        a, b = a - 64, b - 64
    for name, known in (("gcd", np.gcd), ("lcm", np.lcm)):
        np.testing.assert_array_equal(kx.compile(f"{name}(a, b)")(a, b),
                                      known(a, b))


@pytest.mark.parametrize("type", ["f2", "f4", "f8"])
def test_numbers_of_a_type(type, rng):
    x = np.concatenate([[0.0, -0.0, np.inf, -np.inf, np.nan],
                        rng.normal(size=500)]).astype(type)
    y = rng.permutation(x)
    with np.errstate(all="ignore"):
        x = np.ldexp(x, rng.integers(-30, 30, x.size))
        np.testing.assert_array_equal(
            kx.evaluate("nextafter(x, y)"), np.nextafter(x, y))
        for n in (rng.integers(-100, 100, x.size), np.int8(-3), 2):
            result = kx.evaluate("ldexp(x, n)")
            np.testing.assert_array_equal(result, np.ldexp(x, n))
            assert result.dtype == x.dtype
    with pytest.raises(kx.DTypeError, match="'y' is f"):
        kx.evaluate("ldexp(x, y)")


def test_neighbours_in_bfloat16(rng):
    x, y = rng.normal(size=(2, 100)).astype(ml_dtypes.bfloat16)
    x[:2], y[2] = 0, x[2]
    np.testing.assert_array_equal(kx.evaluate("nextafter(x, y)"),
                                  np.nextafter(x, y))


@pytest.mark.parametrize("type", ["f4", "f2", "u1", "?"])
def test_indices_along_an_axis(type, rng):
    x = rng.random((3, 1, 5)).astype(type)
    for axis in (0, 1, 2, -1):
        result = kx.evaluate(f"iota(x, axis={axis})")
        assert result.dtype == "i8"
        np.testing.assert_array_equal(result, np.indices(x.shape)[axis])
    y = np.broadcast_to(x, (3, 4, 5))
    np.testing.assert_array_equal(
        kx.evaluate("y * (iota(y, axis=1) + 1)"),
        y * (np.indices(y.shape)[1] + 1))


def test_fields_of_records():
    records = np.zeros(9, [("flag", "i1"), ("x", "f8"), ("n", "i2")])
    records["x"] = np.arange(9)
    np.testing.assert_array_equal(ADD(records["x"], 1), np.arange(9) + 1.0)
    kx.compile("x*2")(records["x"], out=records["x"])
    np.testing.assert_array_equal(records["x"], 2 * np.arange(9))


def test_swapped_and_unaligned():
    swapped = np.arange(5).astype(">i4")
    np.testing.assert_array_equal(ADD(swapped, 1), np.arange(5) + 1)
    unaligned = np.zeros(41, "u1")[1:].view("f8")
    np.testing.assert_array_equal(ADD(unaligned, 1), np.ones(5))


@pytest.mark.parametrize("count, alignment",
                         [(1 << 13, 64), (1 << 20, 2 << 20)])
def test_memory_of_large_results(count, alignment):
    a = np.arange(count) * 1.0
    result = ADD(a, a)
    assert result.ctypes.data % alignment == 0
    for size in (2 * count, 10):
        result.resize(size, refcheck=False)
        assert result.ctypes.data % 64 == 0
        np.testing.assert_array_equal(result[:10], 2 * a[:10])


def test_memory_of_results_is_used_again():
    def faults():
        return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt

    a = np.ones(1_000_000)
    for _ in range(10):
        ADD(a, a, threads=1)
    before = faults()
    for _ in range(20):
        ADD(a, a, threads=1)
    assert faults() - before < 2000  # 8,000, if each call mapped its own


def test_read_only_inputs():
    a = np.arange(3.0)
    a.flags.writeable = False
    np.testing.assert_array_equal(ADD(a, a), 2 * a)


def test_numbers_are_weak_and_scalars_are_not():
    a = np.ones(3, "f4")
    assert ADD(a, 2.5).dtype == "f4"
    assert ADD(a, np.float64(2.5)).dtype == "f8"
    assert ADD(np.ones(3, "i1"), 3).dtype == "i1"
    assert ADD(np.ones(3, "i4"), 2.5).dtype == "f8"
    assert ADD(True, 2) == 3
    with pytest.raises(kx.ArgumentError, match="int64"):
        ADD(a, 2**70)


def test_buffers_lists_and_protocols():
    class WithArray:
        def __array__(self, dtype=None, copy=None):
            return np.arange(3.0)

    class WithDlpack:
        def __dlpack__(self, **given):
            return np.arange(3.0).__dlpack__()

        def __dlpack_device__(self):
            return (1, 0)

    for other in (array.array("d", [0, 1, 2]), [0.0, 1.0, 2.0], WithArray(),
                  WithDlpack(), memoryview(np.arange(3.0))):
        np.testing.assert_array_equal(ADD(other, 1), np.arange(3.0) + 1)


def test_other_devices_are_refused():
    class OnGpu:
        def __dlpack__(self, **given):
            raise AssertionError

        def __dlpack_device__(self):
            return (2, 1)

    with pytest.raises(kx.Unsupported, match="OnGpu on device 1"):
        ADD(OnGpu(), 1)


def test_masked_arrays_are_refused():
    masked = np.ma.array([1, 2], mask=[0, 1])
    with pytest.raises(kx.Unsupported, match="masked"):
        ADD(masked, 1)


def test_what_is_no_array():
    for other in (None, "text", object(), {}, 1j):
        with pytest.raises((TypeError, ValueError)):
            ADD(other, 1)


def test_ranks():
    a = np.zeros((1,) * 16)
    assert ADD(a, 1).shape == a.shape
    with pytest.raises(kx.ShapeError, match="17 axes"):
        ADD(np.zeros((1,) * 17), 1)
