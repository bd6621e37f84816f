"""The examples of the documents and of docstrings."""

import doctest
import pathlib

import numpy as np
import pytest

import kexpr
from kexpr import _evaluate, _kernel, _trace

ROOT = pathlib.Path(__file__).parents[2]
OPTIONS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL

pytestmark = pytest.mark.thread_unsafe(reason="doctest is not for threads")


@pytest.mark.parametrize("page", ["docs/python.md", "docs/numexpr.md",
                                  "python/README.md"])
def test_pages(page):
    check(page)


def test_page_of_engines():
    for host in ("pyarrow", "pandas", "duckdb", "polars", "dask", "xarray"):
        pytest.importorskip(host, exc_type=ImportError)
    check("docs/scaling.md")


def check(page):
    failed, run = doctest.testfile(str(ROOT / page), module_relative=False,
                                   optionflags=OPTIONS)
    assert run > 3 and not failed


def test_docstrings_of_hosts():
    pytest.importorskip("dask", exc_type=ImportError)
    pytest.importorskip("xarray", exc_type=ImportError)
    import kexpr.dask
    import kexpr.xarray
    for module in (kexpr.dask, kexpr.xarray):
        assert not doctest.testmod(module, optionflags=OPTIONS).failed


@pytest.mark.parametrize("module", [kexpr, _kernel, _evaluate, _trace])
def test_docstrings(module):
    names = {"np": np, "erf": kexpr.erf,
             **{name: getattr(kexpr, name) for name in kexpr.__all__}}
    text = [module.__doc__ or ""]
    text += [getattr(one, "__doc__", None) or ""
             for one in vars(module).values()
             if getattr(one, "__module__", None) == module.__name__]
    if module is _evaluate:
        text.append(kexpr.evaluate.__doc__)
    test = doctest.DocTestParser().get_doctest(
        "\n\n".join(text), dict(names), module.__name__, None, None)
    assert test.examples or module is _trace
    assert not doctest.DocTestRunner(optionflags=OPTIONS).run(test).failed
