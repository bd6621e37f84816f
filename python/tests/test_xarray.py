"""xarray's objects: expressions over variables, with Dask inside or not."""

import numpy as np
import pytest

import kexpr as kx

xr = pytest.importorskip("xarray", exc_type=ImportError)

import kexpr.xarray  # noqa: E402

RNG = np.random.default_rng(5)


def dataset():
    return xr.Dataset(
        {"t": (("time", "x"), RNG.standard_normal((6, 4)).astype("f4"),
               {"units": "K"}),
         "w": ("x", RNG.random(4))},
        {"time": np.arange(6), "x": [10.0, 20.0, 30.0, 40.0]})


def test_names_are_variables():
    ds = dataset()
    got = kexpr.xarray.evaluate("where(t > 0, t*w + x, exp(t))", ds)
    want = xr.where(ds.t > 0, ds.t * ds.w + ds.x, np.exp(ds.t))
    xr.testing.assert_allclose(got, want)
    assert got.dims == ("time", "x") and got.dtype == "f8"
    assert kexpr.xarray.evaluate("t*2", ds).dtype == "f4"
    got = kexpr.xarray.evaluate("t*k", ds, k=ds.w[::-1])
    xr.testing.assert_allclose(got, ds.t * ds.w)  # by labels
    assert kexpr.xarray.evaluate("t*2", ds, keep_attrs=True).attrs == {
        "units": "K"}
    with pytest.raises(kx.UnknownName, match="'q'"):
        kexpr.xarray.evaluate("t*q", ds)
    with pytest.raises(kx.Unsupported, match="methods"):
        kexpr.xarray.evaluate("t - mean(t)", ds)


def test_rules_are_xarrays():
    ds = dataset()
    short = ds.w[:2]
    assert kexpr.xarray.evaluate("t + s", ds, s=short).shape == (6, 2)
    with xr.set_options(arithmetic_join="exact"), pytest.raises(ValueError):
        kexpr.xarray.evaluate("t + s", ds, s=short)
    with xr.set_options(keep_attrs=True):
        assert kexpr.xarray.evaluate("t + 1", ds).attrs
    got = kexpr.xarray.evaluate("[t + w, t - w]", ds)
    xr.testing.assert_allclose(got[1], ds.t - ds.w)


def test_dask_inside():
    pytest.importorskip("dask", exc_type=ImportError)
    ds = dataset()
    chunked = ds.chunk(time=4, x=3)
    got = kexpr.xarray.evaluate("t*w + 1", chunked)
    assert got.chunks == ((4, 2), (3, 1))
    xr.testing.assert_allclose(got.compute(), ds.t * ds.w + 1)
    k = kx.compile("a*2 + b", "a b")
    got = k(chunked.t, ds.w)
    assert got.chunks and got.dims == ("time", "x")
    xr.testing.assert_allclose(got.compute(), ds.t * 2 + ds.w)
    got = xr.apply_ufunc(k, chunked.t, 1.0, dask="parallelized",
                         output_dtypes=["f4"])
    xr.testing.assert_allclose(got.compute(), ds.t * 2 + 1)


def test_programs_need_no_change(tmp_path):
    pytest.importorskip("dask", exc_type=ImportError)
    pytest.importorskip("zarr", exc_type=ImportError)
    import kexpr.dask
    dataset().to_zarr(tmp_path / "ds.zarr", zarr_format=2)

    def anomaly():
        ds = xr.open_zarr(tmp_path / "ds.zarr").chunk(time=4, x=3)
        t = ds.t.where(ds.t > -1)
        months = t.groupby((ds.time % 3).rename("month"))
        score = (t - t.mean("time")) / (t.std("time") + 1e-6)
        return xr.Dataset({"score": score.clip(-1, 1).fillna(0) * ds.w,
                           "month": months - months.mean("time")})

    want = anomaly().compute()
    with kexpr.dask.enable():
        got = anomaly().compute()
    xr.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
    assert got.score.attrs == want.score.attrs
