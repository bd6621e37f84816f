"""pandas on kexpr: its expressions and arithmetic, and ``engine=kexpr.jit``.
pandas' own tests run by utils/numexpr_tests.py."""

import numpy as np
import pytest

import kexpr as kx
import kexpr.numexpr

pd = pytest.importorskip("pandas")
jit = kx.jit


@pytest.fixture
def texts(monkeypatch):
    """What pandas gave to kexpr, which is enabled during a test."""
    given = []
    evaluate = kexpr.numexpr.evaluate

    def note(text, *arguments, **named):
        given.append(text)
        return evaluate(text, *arguments, **named)

    monkeypatch.setattr(kexpr.numexpr, "evaluate", note)
    kx.pandas.enable(min_elements=100)
    yield given
    kx.pandas.disable()


def frame(count=1000):
    rng = np.random.default_rng(5)
    return pd.DataFrame({"a": rng.random(count), "b": np.arange(count),
                         "c": rng.random(count).astype("f4")})


def test_expressions_and_arithmetic(texts):
    df = frame()
    two = 2.0
    got = df.eval("a*b + @two")
    pd.testing.assert_series_equal(got, pd.Series(
        df.a.to_numpy() * df.b.to_numpy() + 2.0))
    assert len(df.query("a > 0.5 and b < 10")) == (df.a[:10] > 0.5).sum()
    assert pd.eval("df.a + 1").equals(df.a + 1)
    assert len(texts) >= 4
    assert texts[-1] == "left_value + right_value"


def test_disabled_pandas_is_as_before(texts):
    kx.pandas.disable()
    del texts[:]
    df = frame()
    assert (df.a + df.b).equals(pd.Series(df.a.to_numpy() + df.b.to_numpy()))
    assert not texts


def test_other_columns_are_as_in_pandas(texts):
    df = pd.DataFrame({"s": ["x", "y"] * 200, "n": pd.array(
        [1, None] * 200, dtype="Int64"), "t": pd.date_range(
            "2026-01-01", periods=400), "c": pd.Categorical(["u", "v"] * 200)})

    def values():
        yield df.s + df.s
        yield df.s == "y"
        yield df.c == "u"
        yield df.n + 1
        yield df.n > df.n.max()
        yield df.t + pd.Timedelta("1D")
        yield df.query("s == 'y' and t > '2026-01-02'").s

    enabled = list(values())
    kx.pandas.disable()
    for got, expected in zip(enabled, values()):
        pd.testing.assert_series_equal(got, expected)
    assert enabled[3].isna().sum() == 200


@pytest.mark.filterwarnings("ignore:Engine has switched to 'python'")
def test_nulls_of_arrow_are_kept(texts):
    pytest.importorskip("pyarrow")
    series = pd.Series([1.5, None, np.nan] * 100, dtype="double[pyarrow]")
    df = pd.DataFrame({"a": series, "b": np.arange(300)})
    expected = (df.a + df.b).isna()
    assert expected.sum() == 200
    for got in (df.a + df.b, df.eval("a + b")):
        assert got.dtype == series.dtype and got.isna().equals(expected)


@pytest.mark.parametrize("function", [
    lambda row: row["a"] * row["b"] + np.sqrt(row["c"]),
    lambda row: row.b * row.b, lambda row: row["b"] // 7 % 3,
    lambda row: abs(row.a - row.c) ** 2,
    lambda row: (row.a > 0.5) & (row.b > 3), lambda row: 3.0])
def test_rows(function):
    df = frame(20)
    df.index = df.index * 2
    expected = df.apply(function, axis=1)
    for engine in (jit, jit(precision="accurate")):
        pd.testing.assert_series_equal(
            df.apply(function, axis="columns", engine=engine), expected)


def test_rows_have_the_type_of_pandas_rows():
    df = pd.DataFrame({"i": [2**53 + 1], "f": np.float32([0.1])})
    for name in "if":
        expected = df.apply(lambda row: row[name] + 0, axis=1)
        got = df.apply(lambda row: row[name] + 0, axis=1, engine=jit)
        pd.testing.assert_series_equal(got, expected)


def test_elements_and_arrays():
    df = frame(50)
    scale = 3
    pd.testing.assert_series_equal(
        df.a.map(lambda x: scale * x + 1, engine=jit),
        df.a.map(lambda x: scale * x + 1))
    holes = df.a.where(df.b > 3)
    got = holes.map(lambda x: np.where(x > 0.5, 1, 0), na_action="ignore",
                    engine=jit)
    assert got.isna().equals(holes.isna())
    for axis in (0, 1):
        for function in (lambda x: x - x.mean(), lambda x: (x * x).sum()):
            got = df.apply(function, axis=axis, raw=True, engine=jit)
            expected = df.apply(function, axis=axis, raw=True)
            assert got.shape == expected.shape
            np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6)


def test_arguments_of_functions():
    df = frame(9)
    got = df.apply(lambda row, k, plus: row.a * k + plus, axis=1, engine=jit,
                   args=(2,), plus=1)
    pd.testing.assert_series_equal(got, df.a * 2 + 1, check_names=False)


def test_nulls_of_arrow_in_rows():
    pytest.importorskip("pyarrow")
    df = pd.DataFrame({"a": pd.array([1.0, None, 3.0], "double[pyarrow]"),
                       "b": [1, 2, 3], "s": ["x", "y", "z"]})
    got = df.apply(lambda row: row.a * row.b, axis=1, engine=jit)
    assert got.dtype == df.a.dtype and got.isna().tolist() == [0, 1, 0]
    assert got[2] == 9
    assert df.a.map(lambda x: x + 1, engine=jit).isna().tolist() == [0, 1, 0]


@pytest.mark.parametrize("function, error, message", [
    (lambda row: row.s, kx.DTypeError, "column 's' of type"),
    (lambda row: row.n, kx.DTypeError, "column 'n' of type Int64"),
    (lambda row: row.a.sum(), kx.Unsupported, "that reduces"),
    (lambda row: row.a - np.mean(row.a), kx.Unsupported, "that reduces"),
    (lambda row: row.a + np.arange(2), kx.Unsupported, "from around"),
    (lambda row: (row.a, row.a), kx.Unsupported, "several values"),
    (lambda row: row.mean(), AttributeError, "no methods"),
    (lambda row: 1 if row.a else 2, TypeError, "np.where for `if`"),
    (lambda row: row["q"], KeyError, "q")])
def test_what_rows_refuse(function, error, message):
    df = pd.DataFrame({"a": [1.0, 2.0], "s": ["x", "y"],
                       "n": pd.array([1, None], "Int64")})
    with pytest.raises(error, match=message):
        df.apply(function, axis=1, engine=jit)


def test_columns_need_raw():
    with pytest.raises(kx.Unsupported, match="raw=True"):
        frame(3).apply(lambda column: column + 1, engine=jit)
