"""Kernels over columns: by name, of Arrow, polars and DuckDB."""

import inspect
import pickle

import numpy as np
import pytest

import kexpr as kx

AXPY = kx.compile("a*x + b", "a x b")


@kx.jit
def product(a, x):
    return a * x


def test_columns_join_the_batch():
    batch = {"x": np.arange(3.0), "a": np.full(3, 2.0), "b": np.ones(3),
             "other": ["u", "v", "w"]}
    for one in batch.values():
        if isinstance(one, np.ndarray):
            one.flags.writeable = False
    got = AXPY.columns("y")(batch)
    assert [*got] == ["x", "a", "b", "other", "y"] and got["x"] is batch["x"]
    np.testing.assert_array_equal(got["y"], [1, 3, 5])
    both = kx.compile("[a + x, a - x]").columns(["s", "d"])(batch)
    np.testing.assert_array_equal(both["s"] + both["d"], 2 * batch["a"])
    np.testing.assert_array_equal(product.columns("p")(batch)["p"], [0, 2, 4])


def test_columns_of_a_reduction_are_alone():
    got = kx.compile("sum(x)").columns("s")({"x": np.arange(3.0), "y": 1})
    assert [*got] == ["s"] and got["s"].tolist() == [3]


def test_columns_refuse():
    with pytest.raises(kx.ArityError, match="2 names for 1 outputs"):
        AXPY.columns(["y", "z"])({"a": 1, "x": 1, "b": 1})
    with pytest.raises(KeyError, match="b"):
        AXPY.columns("y")({"a": 1, "x": 1})


@pytest.mark.parametrize("kernel", [AXPY, product])
def test_pickles_are_small(kernel):
    columns = pickle.dumps(kernel.columns("y"))
    assert len(columns) < 200
    assert pickle.loads(columns).kernel == kernel
    pytest.importorskip("pyarrow")
    arrow = pickle.dumps(kernel.arrow(scalar=True))
    assert len(arrow) < 200
    assert pickle.loads(arrow).scalar and pickle.loads(arrow).kernel == kernel


# -- Arrow --


@pytest.fixture
def pa():
    return pytest.importorskip("pyarrow")


def expected(function, *columns):
    return [None if None in row else function(*row) for row in zip(*columns)]


@pytest.mark.parametrize("kind", ["int8", "uint16", "int64", "uint64",
                                  "halffloat", "float", "double"])
@pytest.mark.parametrize("start", [0, 1, 8, 13])
def test_arrow_keeps_nulls(pa, kind, start):
    x = [None if i % 3 == 0 else i % 50 for i in range(100)]
    y = [None if i % 7 == 0 else i % 5 for i in range(100)]
    function = kx.compile("x + y").arrow()
    left, right = pa.array(x, kind)[start:], pa.array(y, kind)[:100 - start]
    assert function(left, right).to_pylist() == expected(
        lambda x, y: x + y, x[start:], y)
    assert function(left, left).type == kind
    assert function(left, pa.array([1], kind)).to_pylist() == expected(
        lambda x: x + 1, x[start:])
    assert function(pa.chunked_array([left, left]),
                    pa.chunked_array([right, right])).to_pylist() == 2 * (
                        expected(lambda x, y: x + y, x[start:], y))


def test_arrow_where_nothing_is_null(pa):
    x = pa.array([1.0, float("nan"), 3.0])
    got = kx.compile("x*2").arrow()(x)
    assert got.null_count == 0 and np.isnan(got[1].as_py())
    bools = pa.array([True, False, None, True])
    got = kx.compile("p & ~q").arrow()(bools[1:], bools[:3])
    assert got.to_pylist() == [False, None, None]
    assert kx.compile("p | q").arrow()(bools[:2], bools[:2]).to_pylist() == [
        True, False]
    one = kx.compile("x > y").arrow()(x, pa.array([None], "double"))
    assert one.to_pylist() == [None] * 3 and one.type == pa.bool_()


def test_arrow_reads_arrays_where_they_lie(pa):
    x = np.arange(1000.0)
    from kexpr._tables import _values
    for one in (pa.array(x)[3:], pa.array(x, mask=x > 5)):
        values = _values(one)
        assert values.ctypes.data == one.buffers()[1].address + 8 * one.offset


def test_functions_over_rows_leave_nulls_out(pa):
    x = pa.array([1.0, None, 3.0])
    assert kx.compile("x - mean(x)").arrow()(x).to_pylist() == [-1, None, 1]
    assert kx.compile("x - amax(x)").arrow()(pa.nulls(2, "double")
                                             ).to_pylist() == [None, None]
    total = kx.compile("sum(x*y)").arrow(scalar=True)
    assert total(x, pa.array([5.0, 1.0, 2.0])) == pa.scalar(11.0)
    assert total(x[:0], x[:0]) == pa.scalar(None, "double")
    assert total(x[1:2], x[1:2]) == pa.scalar(None, "double")


@pytest.mark.parametrize("text, scalar, error, message", [
    ("sum(x)", False, kx.ShapeError, "without scalar=True"),
    ("x + 1", True, kx.ShapeError, "an array where scalar=True"),
    ("[x, x]", False, kx.ArityError, "2 outputs for one Arrow array"),
    ("x + y", False, kx.ArityError, "operand 'y' is missing")])
def test_arrow_refuses(pa, text, scalar, error, message):
    function = kx.compile(text).arrow(scalar=scalar)
    with pytest.raises(error, match=message):
        function(pa.array([1.0, 2.0]))
    for other in (pa.array(["a"]), pa.array([1], pa.timestamp("s")),
                  pa.nulls(3)):
        with pytest.raises(kx.DTypeError, match="Arrow arrays of type"):
            function(other)


def test_arrow_says_what_it_takes(pa):
    signature = inspect.signature(AXPY.arrow())
    assert [*signature.parameters] == ["a", "x", "b"]
    assert signature.return_annotation is pa.Array
    pnnx = kx.compile("add(@0,@1)", syntax="pnnx").arrow(scalar=True)
    assert len(inspect.signature(pnnx).parameters) == 2
    assert inspect.signature(pnnx).return_annotation is pa.Scalar


# -- polars and DuckDB --


@pytest.fixture
def frame(pa):
    pl = pytest.importorskip("polars")
    return pl.DataFrame({"a": [1.0, None, 3.0], "x": [1, 2, None],
                         "g": [1, 2, 2], "s": ["u", "v", "w"]})


def test_polars(frame):
    pl = pytest.importorskip("polars")
    got = frame.with_columns(
        y=product.polars(is_elementwise=True),
        z=AXPY.polars("a", pl.col("x") + 1, pl.lit(2.0)),
        w=kx.compile("float32(a) > 2").polars())
    assert got["y"].to_list() == [1, None, None]
    assert got["z"].to_list() == [4, None, None]
    assert got["w"].to_list() == [False, None, True]
    lazy = frame.lazy().select(kx.compile("float32(x)").polars())
    assert lazy.collect_schema()["x"] == pl.Float32
    for engine in ("streaming", "in-memory"):
        assert lazy.collect(engine=engine)["x"].to_list() == [1, 2, None]
    assert frame.clear().select(product.polars()).height == 0
    with pytest.raises(kx.DTypeError, match="of type large_string"):
        frame.select(product.polars("a", "s", return_dtype=pl.Float64))


def test_polars_aggregates(frame):
    total = kx.compile("sum(a*x)", "a x").polars(returns_scalar=True)
    grouped = frame.group_by("g", maintain_order=True).agg(y=total)
    assert grouped["y"].to_list() == [1, None]
    assert frame.select(y=total)["y"].to_list() == [1]
    top = kx.compile("a - amax(a)").polars()
    assert frame.select(y=top.over("g"))["y"].to_list() == [0, None, 0]


def test_duckdb(pa):
    duckdb = pytest.importorskip("duckdb")
    kernel = kx.compile("a*b + 1", "a b")
    with duckdb.connect() as connection:
        connection.execute("set threads = 2")
        for name, handling in (("plain", "default"), ("nulls", "special")):
            connection.create_function(
                name, kernel.arrow(), ["DOUBLE", "DOUBLE"], "DOUBLE",
                type="arrow", null_handling=handling)
        connection.execute("create table t as select i::double as a, case when "
                           "i % 3 = 0 then null else i / 7 end as b from "
                           "range(300000) r(i)")
        for name in ("plain", "nulls"):
            assert connection.execute(
                f"select count({name}(a, b)), count(*) filter ({name}(a, b) is "
                "distinct from a*b + 1) from t").fetchone() == (200000, 0)
