"""Dask's arrays: kernels over chunks, sums of chunks, and programs that
`kexpr.dask.enable` compiles."""

import functools
import operator
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kexpr as kx

dask = pytest.importorskip("dask", exc_type=ImportError)
da = pytest.importorskip("dask.array", exc_type=ImportError)

import kexpr.dask  # noqa: E402
from kexpr._fuse import Fused, _plan  # noqa: E402
from kexpr._trace import LazyArray  # noqa: E402

RNG = np.random.default_rng(3)
A = RNG.standard_normal((23, 37)).astype("f4")
B = RNG.standard_normal((23, 37))


def chunked(array, chunks=(7, 20)):
    return da.from_array(array, chunks=chunks)


def fused_of(made):
    """The fused functions in the tasks of an array."""
    with kexpr.dask.enable():
        (made,) = dask.optimize(made)
    found = []

    def look(task):
        if isinstance(getattr(task, "func", None), Fused):
            found.append(task.func)
        for part in getattr(task, "args", ()):
            if isinstance(part, dict):
                for one in part.values():
                    look(one)

    for task in dict(made.__dask_graph__()).values():
        look(task)
    return found


def both(make):
    """What a program gives with NumPy, and with kexpr."""
    want = make().compute(scheduler="sync")
    with kexpr.dask.enable():
        return want, make().compute(scheduler="sync")


def agree(make, kernels=1, exact=False):
    want, got = both(make)
    assert type(got) is type(want)
    assert got.dtype == want.dtype and got.shape == want.shape
    if exact:
        np.testing.assert_array_equal(got, want)
    else:
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
    assert len(set(map(id, fused_of(make())))) == kernels


# -- Kernels of collections --


def test_a_call_is_blockwise():
    k = kx.compile("a*b + sin(a)")
    a, b = chunked(A), chunked(B, (10, 11))
    y = k(a, b)
    assert isinstance(y, da.Array) and y.dtype == "f8" and y.shape == A.shape
    np.testing.assert_array_equal(y.compute(), k(A, B))
    np.testing.assert_array_equal(k(a, b=B).compute(), k(A, B))
    np.testing.assert_array_equal(k(a, B[0]).compute(), k(A, B[0]))
    assert k(a, 2.0).dtype == "f4" and k(a, np.float64(2)).dtype == "f8"
    np.testing.assert_array_equal(kx.evaluate("a*2").compute(), A * 2)


def test_several_results():
    k = kx.compile("[a + b, a < b]")
    made = k(chunked(A), chunked(B))
    assert [one.dtype for one in made] == ["f8", "?"]
    for got, want in zip(dask.compute(*made), k(A, B)):
        np.testing.assert_array_equal(got, want)


def test_a_traced_function():
    @kx.jit
    def f(x, w):
        return kx.exp(x) * w
    np.testing.assert_array_equal(f(chunked(A), 2.0).compute(), f(A, 2.0))


def test_map_blocks_and_blockwise():
    k = kx.compile("a*2 + 1")
    a = chunked(A)
    np.testing.assert_array_equal(da.map_blocks(k, a).compute(), k(A))
    assert da.map_blocks(k, a).dtype == "f4"
    k = kx.compile("a*b", "a b")
    made = da.blockwise(k, "ij", a, "ij", chunked(A[0], 20), "j", dtype="f4")
    np.testing.assert_array_equal(made.compute(), k(A, A[0]))


def test_meta_is_quick():
    k = kx.compile("a*b + sin(a)")
    empty = np.empty((0, 0), "f4")
    k(empty, empty)
    start = time.perf_counter()
    for _ in range(100):
        k(empty, empty)
    assert (time.perf_counter() - start) / 100 < 1e-3


def test_tokens():
    a = chunked(A)
    k, same = (kx.compile("a*2 + 1") for _ in range(2))
    assert k(a).name == same(a).name != kx.compile("a*2 + 2")(a).name
    code = ("import kexpr as kx, dask; "
            "print(dask.base.tokenize(kx.compile('a*2 + 1')))")
    other = subprocess.run([sys.executable, "-c", code], check=True,
                           capture_output=True, text=True)
    assert other.stdout.strip() == dask.base.tokenize(k)
    assert len(pickle.dumps(k)) < 500


def test_what_is_refused():
    a = chunked(A)
    with pytest.raises(kx.Unsupported, match="softmax"):
        kx.compile("softmax(a, axis=-1)")(a)
    with pytest.raises(kx.Unsupported, match="that are its results"):
        kx.compile("sum(a + mean(a))")(a)
    with pytest.raises(kx.Unsupported, match="that are its results"):
        kx.compile("m = mean(a); [m, sum(a - m)]")(a)
    with pytest.raises(kx.Unsupported, match="out="):
        kx.compile("a + 1")(a, out=A)
    with pytest.raises(kx.Unsupported, match="Dask"):
        kx.compile("a + 1").bind(a)


# -- Sums --


@pytest.mark.parametrize("text", [
    "sum(a*b)", "mean(a*b, axis=0)", "sum(a, axis=-1, keepdims=True)",
    "mean(a)", "[sum(a, axis=1), mean(exp(a), axis=1)]"])
@pytest.mark.parametrize("chunks", [(23, 37), (7, 20), (1, 5)])
def test_sums_depend_on_no_chunks(text, chunks):
    k, accurate = kx.compile(text), kx.compile(text, precision="accurate")
    every = {"a": A, "b": B}
    arrays = [every[name] for name in k.operands]
    got = dask.compute(k(*(chunked(one, chunks) for one in arrays)))[0]
    want = accurate(*arrays)
    if not isinstance(want, tuple):
        got, want = (got,), (want,)
    for one, other in zip(got, want):
        assert one.dtype == other.dtype and one.shape == other.shape
        assert one.tobytes() == other.tobytes()


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=5), st.booleans(),
       st.sampled_from(["f2", "f4", "f8", "i4"]), st.integers(0, 2**32))
def test_sum_and_mean(chunks, keepdims, dtype, seed):
    rng = np.random.default_rng(seed)
    array = (rng.standard_normal((sum(chunks), 3)) * 100).astype(dtype)
    x = da.from_array(array, chunks=(tuple(chunks), 2))
    for axis in (None, 0, -1):
        got = kexpr.dask.mean(x, axis, keepdims=keepdims).compute()
        axes = (0, 1) if axis is None else axis
        want = kx.compile(f"mean(x, axis={axes}, keepdims={keepdims})",
                          precision="accurate")(array)
        np.testing.assert_array_equal(got, want)
        assert got.dtype == want.dtype
        np.testing.assert_allclose(
            kexpr.dask.sum(x, axis, keepdims=keepdims).compute(),
            array.sum(axis, keepdims=keepdims, dtype="f8"), rtol=2e-3,
            atol=1e-2 if dtype == "f2" else 1e-4)


@pytest.mark.parametrize("chunks", [(23, 37), (7, 20), (1, 5)])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4"])
def test_dasks_own_sums(chunks, dtype):
    array = (A * 50).astype(dtype)
    x = chunked(array, chunks)
    holes = da.where(x > 0, x, np.array(np.nan, array.dtype)
                     if dtype != "i4" else 0)
    there = np.where(array > 0, array, 0).astype("f8")
    with kexpr.dask.enable(exact_sums=True):
        for axis in (None, 0, -1):
            axes = (0, 1) if axis is None else axis
            for name in ("sum", "mean"):
                got = getattr(x, name)(axis=axis).compute()
                want = getattr(array, name)(axis=axis)
                assert got.dtype == want.dtype and type(got) is type(want)
                if dtype != "i4":
                    want = kx.compile(f"{name}(x, axis={axes})",
                                      precision="accurate")(array)
                np.testing.assert_array_equal(got, want)
            got = da.nansum(holes, axis=axis, keepdims=True).compute()
            np.testing.assert_allclose(got, there.sum(axis, keepdims=True),
                                       rtol=1e-6)
            got = da.nanmean(holes, axis=axis).compute()
            np.testing.assert_allclose(
                got, np.nanmean(holes.compute(scheduler="sync"), axis=axis,
                                dtype="f8"), rtol=1e-6)
        assert x.max().compute() == array.max()
        np.testing.assert_allclose(x.std().compute(), array.std(), rtol=1e-5)
        made = (x * 2 + 1).sum(axis=0) + x.map_blocks(
            np.sum, axis=0, keepdims=True,
            chunks=((1,) * x.numblocks[0], x.chunks[1])).sum(axis=0)
        np.testing.assert_allclose(made.compute(), (array * 3 + 1).sum(axis=0),
                                   rtol=1e-4)
        masked = da.from_array(np.ma.masked_less(array, 0), chunks=chunks)
        assert masked.sum().compute() == pytest.approx(there.sum(), rel=1e-5)


def test_other_reductions_are_dasks():
    k = kx.compile("a*2")
    assert k(chunked(A)).max().compute() == (A * 2).max()


# -- Programs that need no change --


def evi(a, b):
    return da.where((a - b) / (a + b + 9) > 0.1, np.sin(a) * 2.0,
                    da.clip(b, 0, 1)) ** 2


def test_one_kernel():
    agree(lambda: evi(chunked(A), chunked(B)))


def test_types_are_numpys():
    a = chunked(A)
    for make in (lambda: (a * 2 + 1) / 3, lambda: (a * np.float64(2) + 1),
                 lambda: -abs(a.astype("i4")) // 3 + 1,
                 lambda: (a > 0) & ~(a < 1),
                 lambda: (a.astype("u1") % 7 << 1).astype("f8")):
        agree(make, exact=True)


def test_numbers_share_a_kernel():
    texts = {one.text for number in (1.5, 2.5)
             for one in fused_of(chunked(A) * number + number)}
    assert len(texts) == 1


def test_smaller_arrays_are_computed_once():
    row = chunked(B[0], 20)
    agree(lambda: np.exp(np.sin(row) * 2) * chunked(A) + 1)
    agree(lambda: np.sqrt(chunked(A).var() + 1) * chunked(A) + 1)
    r, x = (LazyArray("", (), None, name) for name in "rx")
    fused = Fused(np.exp(np.sin(r) * 2) * x + np.cos(x), [r, x], None)
    texts = [[call.kernel.text for call in _plan(fused.steps, 2, shapes)]
             for shapes in (None, ((37,), (7, 37)), ((), (37,)))]
    assert list(map(len, texts)) == [1, 2, 2] and texts[1] == texts[2]
    assert "exp" in texts[1][0] and "exp" not in texts[1][1]


def test_beside_what_is_unknown():
    a, b = chunked(A), chunked(B)

    def double(x):
        return x * 2

    agree(lambda: (a * 2 + 1).map_blocks(double) * 3 + b, kernels=2)
    agree(lambda: a - (a * 2 + 1).mean(axis=0) * 3 + b, kernels=2)
    agree(lambda: np.spacing(a + b * 2), kernels=1)
    agree(lambda: da.frompyfunc(double, 1, 1)(a * 2 + 1).astype("f8"),
          kernels=1)


def test_arrays_that_stay_with_numpy():
    masked = da.from_array(np.ma.masked_less(A, 0), chunks=(7, 20))
    want, got = both(lambda: masked * 2 + 1)
    assert isinstance(got, np.ma.MaskedArray)
    np.testing.assert_array_equal(got.filled(9), want.filled(9))
    for dtype in ("c16", "O", "g", "M8[s]"):
        array = (A * 100).astype("i8").astype(dtype)
        one = np.ones((), "i8").astype("m8[s]" if dtype[0] == "M" else dtype)
        want, got = both(lambda: chunked(array) + one + one)
        np.testing.assert_array_equal(got, want)


def test_powers_of_integers():
    base, power = chunked(np.arange(6), 3), chunked(np.arange(-3, 3), 3)
    with kexpr.dask.enable(), pytest.raises(ValueError, match="negative"):
        (base * 2 ** power + 1).compute(scheduler="sync")
    agree(lambda: base ** 3 + 1, exact=True)
    agree(lambda: base.astype("f8") ** chunked(B[0, :6], 3) + 1)


def test_shapes_in_numpys_words():
    a = da.map_blocks(lambda: A[:3, :3], dtype="f4", chunks=((3,), (3,)))
    b = da.map_blocks(lambda: A[:2, :3], dtype="f4", chunks=((3,), (3,)))
    with kexpr.dask.enable(), pytest.raises(ValueError, match="broadcast"):
        (a * 2 + b).compute(scheduler="sync")


def test_zero_dimensions():
    a = da.from_array(np.float32(2)) * 3 + 1
    want, got = both(lambda: a)
    assert got == want and got.dtype == want.dtype
    agree(lambda: a * chunked(B) + 1)


def test_enable_and_disable():
    made = chunked(A) * 2 + 1
    setting = kexpr.dask.enable()
    assert dask.config.get("array_optimize") is kexpr.dask.optimize
    kexpr.dask.disable()
    kexpr.dask.disable()
    assert dask.config.get("array_optimize", None) is None
    assert made.compute().shape == A.shape
    del setting
    with dask.config.set(array_optimize=functools.partial(
            kexpr.dask.optimize)):
        kexpr.dask.disable()
        assert dask.config.get("array_optimize") is not None


def test_one_trace_for_all_chunks(monkeypatch):
    from kexpr.dask import _graph
    seen = []
    class Counted(_graph.Subgraph):
        def __init__(self, *given):
            seen.append(1)
            super().__init__(*given)
    monkeypatch.setattr(_graph, "Subgraph", Counted)
    fused_of(chunked(A, (1, 1)) * 2 + 1)
    assert len(seen) == 1


def test_kernels_in_tasks_take_one_thread():
    k = kx.compile("a*2 + 1")
    with kexpr.dask.enable():
        (made,) = dask.optimize(da.map_blocks(k, chunked(A)))
    tasks = [task for task in dict(made.__dask_graph__()).values()
             if getattr(task, "func", None) is k]
    assert all(task.kwargs["threads"] == 1 for task in tasks)


NUMBERS = st.sampled_from([2, 3.5, True, np.float32(1.5), np.int16(3)])
BINARY = st.sampled_from([operator.add, operator.sub, operator.mul,
                          operator.lt, operator.ge, np.maximum, np.hypot,
                          operator.truediv])
UNARY = st.sampled_from([operator.abs, np.sqrt, np.cos, np.isfinite,
                         operator.pos, np.square, np.floor])


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_random_programs(data):
    kinds = ["f4", "f8", "i4", "u1", "?"]
    leaves = []
    for _ in range(3):
        array = (A * 3).astype(data.draw(st.sampled_from(kinds)))
        if data.draw(st.booleans()):
            array = array[0]
        leaves.append((chunked(array, 10), array))
    values = list(leaves)
    for _ in range(data.draw(st.integers(2, 8))):
        x = data.draw(st.sampled_from(values))
        if data.draw(st.booleans()):
            function = data.draw(UNARY)
            arguments = [x]
        else:
            function = data.draw(BINARY)
            y = data.draw(st.sampled_from(values))
            if data.draw(st.booleans()):
                number = data.draw(NUMBERS)
                y = (number, number)
            arguments = [x, y]
        try:
            with np.errstate(all="ignore"):
                want = function(*(one for _, one in arguments))
                got = function(*(one for one, _ in arguments))
        except (TypeError, OverflowError):
            continue
        values.append((got, want))
    got, want = values[-1]
    with kexpr.dask.enable(), np.errstate(all="ignore"):
        got = got.compute(scheduler="sync")
    assert got.dtype == want.dtype
    if want.dtype.kind == "b" or any(one.dtype == "f2" for _, one in values):
        # A last place decides, or float16 is rounded at the end alone.
        assert got.shape == want.shape
    else:
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


# -- Workers --


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    distributed = pytest.importorskip("distributed", exc_type=ImportError)
    folder = tmp_path_factory.mktemp("code")
    before = os.environ.get("KEXPR_CACHE_DIR")
    os.environ["KEXPR_CACHE_DIR"] = str(folder)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1,
                                  dashboard_address=":0") as cluster, \
            distributed.Client(cluster) as one:
        yield one
    if before is None:
        del os.environ["KEXPR_CACHE_DIR"]
    else:
        os.environ["KEXPR_CACHE_DIR"] = before


def compiled():
    return kx.cache.info()["compiled"]


def test_workers(client):
    import distributed
    big = RNG.standard_normal((400, 1000))
    x = da.from_array(big, chunks=(100, 500)).persist()
    distributed.wait(x)
    make = lambda: evi(x, x + 1)  # noqa: E731
    want = make().compute()
    with kexpr.dask.enable():
        for _ in range(3):
            np.testing.assert_allclose(make().compute(), want, rtol=1e-12)
        client.run(lambda: kx._core.settle())
        assert os.listdir(os.environ["KEXPR_CACHE_DIR"])
        # New processes find what the first ones made.
        client.restart(timeout=120)
        x = da.from_array(big, chunks=(100, 500)).persist()
        np.testing.assert_allclose(make().compute(), want, rtol=1e-12)
        assert not sum(client.run(compiled).values())
    k = kx.compile("mean(x)", precision="accurate")
    assert kexpr.dask.mean(x).compute() == k(big)
    assert set(client.run(lambda: os.environ["OMP_NUM_THREADS"]).values()) == {
        "1"}


def test_a_worker_is_killed(client):
    big = RNG.standard_normal((400, 1000))
    x = da.from_array(big, chunks=(50, 100))

    def slow(block):
        time.sleep(0.02)
        return block

    make = lambda: evi(x.map_blocks(slow), x + 1)  # noqa: E731
    want = make().compute(scheduler="threads")
    with kexpr.dask.enable():
        made = client.compute(make())
        time.sleep(0.3)
        os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)
        np.testing.assert_allclose(made.result(), want, rtol=1e-12)


@pytest.mark.skipif(not shutil.which("qemu-x86_64"), reason="no qemu-x86_64")
def test_workers_of_two_processors(tmp_path):
    distributed = pytest.importorskip("distributed", exc_type=ImportError)
    variables = {**os.environ, "KEXPR_CACHE_DIR": str(tmp_path / "code"),
                 "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    big = RNG.standard_normal((40, 1000))
    results, counts = [], []
    for _ in range(2):
        with distributed.LocalCluster(n_workers=0, dashboard_address=None) as (
                cluster), distributed.Client(cluster) as client:
            workers = [subprocess.Popen(
                [*emulator, sys.executable, "-m", "distributed.cli.dask_worker",
                 cluster.scheduler_address, "--nworkers", "1", "--nthreads", "1",
                 "--no-nanny", "--no-dashboard", "--name", name,
                 "--local-directory", str(tmp_path)],
                env=variables, stderr=subprocess.DEVNULL)
                for name, emulator in (
                    ("this", []), ("other", ["qemu-x86_64", "-cpu", "Haswell"]))]
            try:
                client.wait_for_workers(2, timeout=240)
                names = {one["name"]: address for address, one in
                         client.scheduler_info(n_workers=-1)["workers"].items()}
                for name in ("this", "other"):
                    # By another name, lest the first result is taken again.
                    x = da.from_array(big, chunks=(20, 1000), name=False)
                    with kexpr.dask.enable():
                        made = client.compute(evi(x, x + 1),
                                              workers=[names[name]])
                    results.append(made.result(timeout=240))
                client.run(lambda: kx._core.settle())
                counts.append(client.run(lambda: kx.cache.info()["compiled"]))
            finally:
                for worker in workers:
                    worker.kill()
                    worker.wait()
    np.testing.assert_allclose(results[0], evi(big, big + 1), rtol=1e-12)
    # The same bits, of code of their own, which is compiled once.
    for one in results[1:]:
        np.testing.assert_array_equal(one, results[0])
    assert all(counts[0].values()) and not any(counts[1].values())
