"""Dask's expression arrays, in a process of their own, as Dask reads their
setting once."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("dask.array._array_expr", exc_type=ImportError)

PRELUDE = """
import dask
import dask.array as da
import numpy as np
import kexpr as kx
import kexpr.dask
from kexpr._fuse import Fused

A = np.random.default_rng(3).standard_normal((23, 37))
a = da.from_array(A, chunks=(7, 20))
b = da.from_array(A[0], chunks=20)

def kernels(*made):
    with kexpr.dask.enable():
        made = [one.expr.optimize().__dask_graph__() for one in made]
    return {id(task.func): task.func for graph in made
            for task in graph.values()
            if isinstance(getattr(task, "func", 0), Fused)}

def agree(make, many=1):
    want = make().compute(scheduler="sync")
    with kexpr.dask.enable():
        got = make().compute(scheduler="sync")
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=1e-12)
    assert len(kernels(make())) == many, kernels(make())
    try:
        make().persist(scheduler="sync").compute()
    except AttributeError:  # Dask's own words for what has no meta
        return
    with kexpr.dask.enable():
        kept = make().persist(scheduler="sync")
        np.testing.assert_allclose(kept.compute(), want, rtol=1e-12)
"""

PROGRAMS = {
    "one loop": "agree(lambda: np.sin(a)*2 + a/3)",
    "broadcast": "agree(lambda: (np.sin(b) + 1)*a - a.mean(), 2)",
    "other chunks": "agree(lambda: np.exp(a*2).rechunk(5)*2 + 1, 2)",
    "types": "agree(lambda: (a.astype('f4')*2 + 1).astype('i8') + 1)",
    "a mean between": "agree(lambda: ((a*a + 1).mean(axis=0) + b)*2, 2)",
    "unknown": "agree(lambda: (a*2 + 1).map_blocks(np.sinc)*3 + 1, 2)",
    "a transpose": "agree(lambda: ((a + 1)*2).T*3 + 1, 2)",
    "shared": """
agree(lambda: (lambda t: t.sum() + (t*3 - 1).sum())(np.exp(a)*2 + 1), 3)
""",
    "nothing to do": "agree(lambda: np.exp(a), 0)",
    "numbers": """
made = [kernels(a*n + 1).popitem()[1].text for n in (2.0, 3.0)]
assert made[0] == made[1]
""",
    "several": """
t = np.exp(a)*2 + 1
want = dask.compute(t - a, t*3 + a, scheduler="sync")
with kexpr.dask.enable():
    got = dask.compute(t - a, t*3 + a, scheduler="sync")
    kept = dask.persist(t - a, t*3 + a, scheduler="sync")
for i in range(2):
    np.testing.assert_allclose(got[i], want[i], rtol=1e-12)
    np.testing.assert_allclose(kept[i].compute(), want[i], rtol=1e-12)
""",
    "complex": "agree(lambda: (a*1j + a)*2)",
    "kernels": """
k = kx.compile("x*2 + y")
np.testing.assert_array_equal(k(a, b).compute(), k(A, A[0]))
k = kx.compile("mean(x*y, axis=0)", precision="accurate")
np.testing.assert_array_equal(k(a, b).compute(), k(A, A[0]))
np.testing.assert_array_equal(kexpr.dask.sum(a).compute(),
                              kexpr.dask.sum(a.rechunk(5)).compute())
""",
    "a part without meta": """
def f(x, block_id=None):
    return x + block_id[0]
agree(lambda: (a.map_blocks(f, dtype="f8")*2 + 1)*3)
""",
    "a function that is unlike what is known": """
class Odd(Exception):
    pass
def f(x):
    if not x.size:
        raise Odd
    return x * 2
agree(lambda: (a.map_blocks(f, dtype="f8")*2 + 1)*3)
""",
    "other indices": """
agree(lambda: da.blockwise(np.add, "ij", a, "ij", b, "j", dtype="f8")*2)
agree(lambda: da.blockwise(np.add, "ij", a, "ij", 1.5, None, dtype="f8")*2)
""",
    "a small array once": """
class Counter:
    calls = 0
    def __call__(self, x):
        Counter.calls += x.size > 0
        return np.sinc(x)
count = Counter()
agree(lambda: (b.map_blocks(count, dtype="f8")*2 + 1)*a + 1, 2)
layers = kernels((np.exp(b)*2 + 1)*a + 1)
assert len(layers) == 2
""",
    "a kernel in map_blocks": """
k = kx.compile("x*2 + 1")
with kexpr.dask.enable():
    graph = a.map_blocks(k).expr.optimize().__dask_graph__()
assert any(getattr(task, "kwargs", {}).get("threads") == 1
           for task in graph.values())
""",
    "many arrays": """
import time
def seconds(many):
    made = [(a + i)*2 - i for i in range(many)]
    start = time.process_time()
    dask.base.collections_to_expr(made).optimize().__dask_graph__()
    return time.process_time() - start
with kexpr.dask.enable():
    seconds(10)
    few, lots = seconds(20), seconds(200)
assert lots < 40*few, (few, lots)
t = np.exp(a)*2 + 1
with kexpr.dask.enable():
    made = dask.compute(*(t*i - 1 for i in range(30)), scheduler="sync")
for i, one in enumerate(made):
    np.testing.assert_allclose(one, (np.exp(A)*2 + 1)*i - 1, rtol=1e-12)
""",
    "what kexpr cannot do": """
from kexpr.dask import _expressions
def fails(*args):
    raise ZeroDivisionError
_expressions.Subgraph = fails
agree(lambda: np.sin(a)*2 + a/3, 0)
""",
    "disabled": """
with kexpr.dask.enable():
    pass
assert not any(isinstance(getattr(task, "func", 0), Fused) for task in
               (a*2 + 1).expr.optimize().__dask_graph__().values())
""",
    "exact sums": """
try:
    kexpr.dask.enable(exact_sums=True)
except kx.Unsupported as error:
    assert "expression arrays" in str(error)
else:
    raise AssertionError
""",
    "random programs": """
rng = np.random.default_rng(1)
done = 0
for _ in range(60):
    values = [a, b, a*0.5]
    for _ in range(rng.integers(2, 12)):
        x, y = (values[i] for i in rng.integers(len(values), size=2))
        values.append([
            lambda: x + y, lambda: np.maximum(x, y*2), lambda: np.tanh(x),
            lambda: x*0.5 - 1, lambda: x - x.mean(axis=0, keepdims=True),
            lambda: x.astype("f4"), lambda: x.map_blocks(np.sinc), lambda: (x > 0)*y,
            lambda: x.rechunk(11),
        ][rng.integers(9)]())
    wanted = values[-3:]
    try:
        want = dask.compute(*wanted, scheduler="sync")
    except NotImplementedError:  # Dask's own words for some that are rechunked
        continue
    done += 1
    with kexpr.dask.enable():
        got = dask.compute(*wanted, scheduler="sync")
    for one, other in zip(got, want):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)
assert done > 20, done
""",
    "workers": """
distributed = __import__("distributed")
if __name__ == "__main__":
    with distributed.Client(n_workers=2, threads_per_worker=1,
                            dashboard_address=None) as client:
        with kexpr.dask.enable():
            got = (np.sin(a)*2 + a/3).compute()
            both = client.persist([np.cos(a)*2 + 1, np.cos(a)*3 - 1])
            np.testing.assert_allclose(both[1].compute(), np.cos(A)*3 - 1)
            kept = (np.sin(a)*2 + a/3).persist().compute()
    np.testing.assert_allclose(got, np.sin(A)*2 + A/3, rtol=1e-12)
    np.testing.assert_allclose(kept, np.sin(A)*2 + A/3, rtol=1e-12)
""",
    "xarray": """
try:
    import xarray as xr
except ImportError:
    raise SystemExit
ds = xr.Dataset({"u": (("x", "y"), a), "v": (("y",), b)})
made = ds.assign(w=np.sin(ds.u)*2 + ds.v, z=ds.u*2 - ds.v)
want = made.compute()
with kexpr.dask.enable():
    xr.testing.assert_allclose(made.compute(), want)
    xr.testing.assert_allclose(made.persist().compute(), want)
""",
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_program(program, tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PRELUDE + PROGRAMS[program])
    made = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=300,
        env={**os.environ, "DASK_ARRAY__QUERY_PLANNING": "True"}, check=False)
    assert made.returncode == 0, made.stderr[-2000:]
