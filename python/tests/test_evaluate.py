"""evaluate, errors, and the tool."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import kexpr as kx

outer = np.arange(3.0)


def test_names_come_from_the_caller():
    inner = np.ones(3)
    np.testing.assert_array_equal(kx.evaluate("inner + outer"), outer + 1)
    for _ in range(3):
        np.testing.assert_array_equal(
            (lambda x: kx.evaluate("x * 2"))(inner), 2 * inner)


def test_names_come_from_a_mapping():
    np.testing.assert_array_equal(
        kx.evaluate("a*x + b", {"a": 2, "x": outer, "b": 1.0}), 2 * outer + 1)
    with pytest.raises(kx.UnknownName, match="no array is named 'x'"):
        kx.evaluate("a*x", {"a": 2})
    with pytest.raises(kx.UnknownName):
        kx.evaluate("outer + nowhere")


def test_integers_of_python_fit_what_they_meet():
    small, long = np.arange(3, dtype="i1"), np.arange(3, dtype="u4")
    k = kx.compile("x + n")
    for array, most in (small, 127), (long, 2**32 - 1):
        assert k(array, most).dtype == array.dtype
        out = np.ones_like(array)
        with pytest.raises(kx.ArgumentError, match=f"'n' is {most + 1} and"):
            k(array, most + 1, out=out)
        assert (out == 1).all()
    with pytest.raises(kx.ArgumentError, match="a type of -128 to 127"):
        kx.evaluate("where(x > 1, x, n)", {"x": small, "n": -129})
    with pytest.raises(kx.ArgumentError, match="'n' is -1"):
        kx.jit(lambda x, n: x * n)(long, -1)
    # Comparisons and wider types take any; PyTorch wraps.
    assert kx.evaluate("x < n", {"x": small, "n": 300}).all()
    assert k(small.astype("f4"), 300)[0] == 300
    assert kx.evaluate("x + n", {"x": small, "n": 300},
                       semantics="torch")[0] == 44


def test_options():
    out = np.empty(3)
    assert kx.evaluate("outer + 1", out=out, threads=1) is out
    assert kx.evaluate("a/a", {"a": np.arange(1, 3)},
                       semantics="torch").dtype == "f4"


def test_texts_are_forgotten_in_time():
    for i in range(5000):
        assert kx.evaluate(f"x + {i}", {"x": 1}) == i + 1
    from kexpr import _evaluate
    assert len(_evaluate._kernels) <= _evaluate._MOST


@pytest.mark.parametrize("text, kind, also", [
    ("a +* b", kx.ExpressionError, SyntaxError),
    ("foo(a)", kx.UnknownName, NameError),
    ("sin(a, a)", kx.ArityError, TypeError),
    ("sin(a) | 1.5", kx.DTypeError, TypeError),
    ("a.real", kx.Unsupported, NotImplementedError),
    ("__import__('os')", kx.Unsupported, NotImplementedError),
    ("max(a, 1)", kx.ExpressionError, SyntaxError),
    ("a" * (1 << 21), kx.ExpressionError, SyntaxError),
])
def test_errors(text, kind, also):
    with pytest.raises(kind) as caught:
        kx.evaluate(text, {"a": outer, "b": outer})
    error = caught.value
    assert isinstance(error, also) and isinstance(error, kx.Error)
    assert error.message in str(error) and error.code > 0
    other = pickle.loads(pickle.dumps(error))
    assert type(other) is kind and str(other) == str(error)


def test_carets_stand_under_the_fault():
    with pytest.raises(kx.UnknownName) as caught:
        kx.evaluate("α + sinn(β)", {"α": 1, "β": 2})
    lines = str(caught.value).split("\n")
    assert lines[-1].index("^") == lines[-2].index("sinn")
    assert lines[-1].count("~") == 3
    assert caught.value.span == (4, 8)


def test_syntax_errors_are_shown_by_the_interpreter():
    code = "import kexpr; kexpr.evaluate('1 + * 2')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True,
                          text=True)
    assert "ExpressionError" in done.stderr and "^" in done.stderr
    assert "1 + * 2" in done.stderr


def test_the_tool(tmp_path):
    np.save(tmp_path / "x.npy", outer)
    command = [sys.executable, "-m", "kexpr", "a*x + b", "a=2",
               f"x={tmp_path}/x.npy", "b=1", "-o", f"{tmp_path}/y.npy"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), 2 * outer + 1)
    done = subprocess.run(command[:3] + ["a +"], capture_output=True,
                          text=True)
    assert done.returncode == 1 and done.stderr.startswith("error: ")


def test_importing_says_and_starts_nothing():
    code = ("import numpy, sys, threading; before = set(sys.modules); "
            "import kexpr, os; "
            "print(len(os.listdir('/proc/self/task')))")
    done = subprocess.run([sys.executable, "-X", "importtime", "-c", code],
                          capture_output=True, text=True,
                          env={"OPENBLAS_NUM_THREADS": "1", **__import__("os")
                               .environ})
    assert done.returncode == 0
    assert done.stdout.split() == ["1"], done.stdout


def test_names_of_the_caller_come_before_constants():
    x = np.ones(2)
    for names in ({"e": 5.0, "x": x}, {"x": x, "e": np.float64(5)}):
        np.testing.assert_array_equal(kx.evaluate("e*x + 1", names), [6, 6])
    np.testing.assert_array_equal(kx.evaluate("e*x", {"x": x}), [np.e] * 2)
    e = 3
    np.testing.assert_array_equal(kx.evaluate("x*e"), [3.0, 3.0])
    del e
    np.testing.assert_array_equal(kx.evaluate("x*e"), [np.e] * 2)
    np.testing.assert_array_equal(kx.evaluate("x*1e3"), [1e3] * 2)
    pi, inf = 2.0, 4.0
    np.testing.assert_array_equal(kx.evaluate("x*pi - inf + nan",
                                              {"x": x, "nan": inf}),
                                  [np.pi - np.inf] * 2)
    np.testing.assert_array_equal(kx.evaluate("x*pi - inf"), [-2.0] * 2)


def test_results_of_numbers_have_numpys_types():
    for text, right in (("2/3", 2 / 3), ("pi", np.pi), ("5", 5),
                        ("sqrt(2)", np.sqrt(2)), ("2 > 1", True),
                        ("float32(0.1)", np.float32(0.1)),
                        ("float64(0.1)", 0.1), ("int8(3)", np.int8(3))):
        result = kx.evaluate(text)
        assert result == right and result.dtype == np.asarray(right).dtype
    assert kx.erf(2.0).dtype == "f8" and kx.exp(2).dtype == "f8"
    x = np.zeros(2, "f4")
    assert kx.jit(lambda x: x + kx.erf(0.3))(x).dtype == "f8"
    assert kx.evaluate("x*sqrt(float64(2))", {"x": x}).dtype == "f8"
    assert kx.evaluate("x*sqrt(2)", {"x": x}).dtype == "f4"


def test_the_signature_has_no_module():
    import inspect
    assert list(inspect.signature(kx.evaluate).parameters)[:2] == [
        "text", "names"]


def test_modules_load_when_they_are_asked_for():
    code = ("import sys, kexpr as kx; assert 'kexpr.numexpr' not in sys.modules;"
            "assert kx.numexpr.evaluate('a + 1', {'a': 2}) == 3")
    subprocess.run([sys.executable, "-c", code], check=True)
