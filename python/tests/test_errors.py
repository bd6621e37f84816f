"""Errors of calls speak of operands by the user's names."""

import errno
import pickle
import traceback

import numpy as np
import pytest

import kexpr as kx

X, W = np.zeros(3), np.zeros(4)


def told(error):
    """All that an exception says, notes too."""
    return "\n".join([str(error), *getattr(error, "__notes__", [])])


def refused(kind, call):
    with pytest.raises(kind) as caught:
        call()
    text = told(caught.value)
    assert "@" not in text, text
    return text


def test_shapes_of_infix_text():
    for call in (lambda: kx.compile("x * w")(X, W),
                 lambda: kx.compile("x * w").bind(X, W),
                 lambda: kx.evaluate("x * w", {"x": X, "w": W}),
                 lambda: kx.compile("x * w", "x w")(w=W, x=X),
                 lambda: kx.compile("[x, w * x]", semantics="torch")(X, W)):
        assert "operand 'w' of shape [4]" in refused(kx.ShapeError, call)


def test_places_of_infix_text():
    text = refused(kx.ShapeError,
                   lambda: kx.compile("1 + mean(x, axis=1)")(X))
    assert text.endswith("  1 + mean(x, axis=1)\n      ^~~~~~~~~~~~~~~")
    text = refused(kx.DTypeError, lambda: kx.compile("x + (x & w)")(X, X))
    assert "'x' is f64" in text


def test_shapes_and_types_of_functions():
    @kx.jit
    def add(first, second):
        return first + second

    text = refused(kx.ShapeError, lambda: add(X, W))
    assert "operand 'second'" in text and "add" in text

    @kx.jit
    def both(first, second):
        t = first + 1
        return t & second

    assert "return t & second" in refused(kx.DTypeError, lambda: both(X, X))

    @kx.jit
    def mean(first):
        t = first + 1
        return kx.mean(t, axis=3)

    assert "return kx.mean(t, axis=3)" in refused(kx.ShapeError,
                                                  lambda: mean(X))


def test_lazy_arrays():
    refused(kx.ShapeError, lambda: (kx.lazy(X) + kx.lazy(W)).compute())


def test_names_of_pnnx_text():
    k = kx.compile("add(@0,@1)", "p q", syntax="pnnx")
    assert "operand 'q'" in refused(kx.ShapeError, lambda: k(X, W))
    with pytest.raises(kx.ShapeError, match="operand @1 of"):
        kx.compile("add(@0,@1)", syntax="pnnx")(X, W)
    k = kx.compile("and(@0,@1)", "p q", syntax="pnnx")
    with pytest.raises(kx.DTypeError, match="operand 'p' is f64"):
        k(X, X)


def test_arrays_that_cannot_be_read():
    k = kx.compile("x * w")
    bad = np.zeros(3, complex)
    assert "operand 'w': arrays" in refused(kx.DTypeError, lambda: k(X, bad))
    assert "operand 'w': " in refused(kx.DTypeError, lambda: k(X, w=["a"]))
    assert "operand 'w'" in refused(kx.ArgumentError, lambda: k(X, 2**70))
    assert "operand 'x': masked" in refused(kx.Unsupported,
                                            lambda: k(np.ma.array(X), X))


def test_outputs_that_cannot_be_written():
    k = kx.compile("x * w")
    assert "out: arrays" in refused(
        kx.DTypeError, lambda: k(X, X, out=np.zeros(3, complex)))
    assert "out: " in refused(kx.ShapeError, lambda: k(X, X, out=np.zeros(2)))
    assert "out: " in refused(kx.DTypeError,
                              lambda: k(X, X, out=np.zeros(3, int)))
    both = kx.compile("[x, w]")
    assert "out[1]: " in refused(
        kx.DTypeError, lambda: both(X, X, out=(X, np.zeros(3, complex))))


def test_overlap_of_arrays(rng):
    x = rng.random(16)
    right = x[:8] + x[8:]
    kx.compile("x + w")(x[:8], x[8:], out=x[4:12])
    np.testing.assert_array_equal(x[4:12], right)


def test_texts_of_pnnx_have_one_semantics():
    with pytest.raises(kx.ArgumentError, match="PyTorch's semantics"):
        kx.compile("add(@0,@1)", syntax="pnnx", semantics="numpy")
    with kx.options(semantics="numpy"):
        kx.compile("add(@0,@1)", syntax="pnnx")


def test_files_have_the_system_s_number(tmp_path):
    with pytest.raises(kx.FileError) as caught:
        kx.pnnx.load(tmp_path / "none.param")
    assert caught.value.errno == errno.ENOENT
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.errno, str(again)) == (errno.ENOENT, str(caught.value))


def test_carets_of_texts_of_several_lines():
    text = "\n  t = x + 1\n  t +* 2"
    with pytest.raises(kx.ExpressionError) as caught:
        kx.compile(text)
    error = caught.value
    assert (error.lineno, error.offset, error.text) == (3, 6, "  t +* 2")
    shown = "".join(traceback.format_exception_only(error))
    assert "line 3\n    t +* 2\n       ^\n" in shown
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.lineno, again.text, again.span) == (
        str(error), 3, error.text, error.span)


def test_carets_are_under_whole_names():
    with pytest.raises(kx.UnknownName) as caught:
        kx.evaluate("max(xa, 1e5) + a", {"xa": X})
    assert caught.value.span == (15, 16)


@pytest.mark.parametrize("kind, match, call", [
    (kx.ArgumentError, "a str, not int", lambda: kx.compile(3)),
    (kx.ArgumentError, "a str, not bytes", lambda: kx.compile(b"x")),
    (kx.ArgumentError, "a str, not int", lambda: kx.evaluate(3)),
    (kx.ExpressionError, "surrogate", lambda: kx.evaluate("x + \ud800")),
    (kx.ArgumentError, "name is text, not 1",
     lambda: kx.compile("a*b", [1, 2])),
    (kx.ArgumentError, "name is text", lambda: kx.compile("a", ["\ud800"])),
    (kx.ArgumentError, "operands are a str", lambda: kx.compile("a", 5)),
    (kx.DTypeError, "'f9' is no type", lambda: kx.compile("a", dtypes="f9")),
    (kx.DTypeError, "'f9' is no type",
     lambda: kx.compile("a").result_type("f9")),
    (kx.ArgumentError, "dtypes are a str",
     lambda: kx.compile("a", dtypes=np.float32)),
    (kx.ArgumentError, "operand 'x': an integer",
     lambda: kx.evaluate("x + 1", {"x": 2**100})),
    (kx.ArgumentError, "dtypes= is missing", lambda: kx.warm(["a + 1"])),
])
def test_arguments_of_other_types(kind, match, call):
    with pytest.raises(kind, match=match):
        call()


def test_classes_are_those_of_the_package():
    for name in kx.__all__:
        one = getattr(kx, name)
        if isinstance(one, type) and issubclass(one, kx.Error):
            assert one.__module__ == "kexpr"
            assert type(pickle.loads(pickle.dumps(one("word")))) is one
    with pytest.raises(kx.UnknownName) as caught:
        kx.compile("sinn(x)")(X)
    shown = traceback.format_exception_only(caught.value)[0]
    assert shown.startswith("kexpr.UnknownName: unknown function 'sinn'")
