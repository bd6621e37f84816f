"""numexpr's interface: values, kinds, errors, texts from anybody, and how it
takes numexpr's place. numexpr's own tests run by utils/numexpr_tests.py."""

import gc
import os
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import kexpr
import kexpr.numexpr as ne
from kexpr.numexpr import necompiler

A = np.arange(5.0)
F = A.astype(np.float32)
I = np.arange(5, dtype=np.int32)
L = np.arange(5)
M = A > 2
NAMES = {"a": A, "f": F, "i": I, "l": L, "m": M, "x": A}


def value(text, **given):
    return ne.evaluate(text, NAMES, {}, **given)


@pytest.mark.parametrize("text, dtype", [
    ("f*2", "f4"), ("f*2.0", "f8"), ("i*2", "i4"), ("i*l", "i8"),
    ("i/2", "f8"), ("sin(i)", "f8"), ("sin(f)", "f4"), ("i+2**40", "i8"),
    ("m+m", "?"), ("a > f", "?"), ("abs(i)", "f8"), ("sum(i)", "i4"),
    ("f**2", "f4"), ("ones_like(i)", "i4"), ("2", "i4"), ("1.5", "f8"),
    ("where(m, 1, 2)", "i4"), ("nextafter(f, 1)", "f8"), ("conj(f)", "c16"),
    ("i+m", "i4"), ("round(i)", "i4"), ("isnan(f)", "?")])
def test_kinds(text, dtype):
    assert value(text).dtype == np.dtype(dtype)


@pytest.mark.parametrize("text, expected", [
    ("2*a + 3*f", 5 * A), ("where(m, a, -a)", np.where(M, A, -A)),
    ("i // 0", 0 * I), ("i % 0", 0 * I), ("a % 3", A % 3),
    ("(i*0 - 7) // (i+2)", -7 // (I + 2)), ("i**l", I ** L),
    ("a**-1.5 > 0", A >= 0),
    ("a**50", A ** 50), ("a**0", A * 0 + 1), ("i << 40", I * 0),
    ("(a > 1) & ~(a > 3)", (A > 1) & ~(A > 3)), ("a.real + a.imag", A),
    ("sum(a, axis=0)", 10.0), ("prod(l+1)", 120), ("min(i)", 0),
    ("real(a*1j)", 0 * A), ("nextafter(a, -1)", np.nextafter(A, -1)),
    ("nextafter(1, a)", np.nextafter(1, A)), ("i**(-i)", [1, 1, 0, 0, 0])])
def test_values(text, expected):
    np.testing.assert_array_equal(value(text), expected)


def test_reductions_take_no_notice_of_nan():
    x = np.array([[np.nan, 2, 1], [np.nan, np.nan, np.nan]])
    np.testing.assert_array_equal(ne.evaluate("min(x, axis=1)"), [1, np.nan])
    assert ne.evaluate("max(x)") == 2
    assert ne.evaluate("sum(x)", {"x": np.empty((0, 3))}).shape == (0, 3)


@pytest.mark.parametrize("text, error, message", [
    ("m - m", NotImplementedError, "opcode for 'sub_bbb'"),
    ("i ** -1", ValueError, "Integers to negative integer powers"),
    ("a and m", TypeError, "You can't use Python's standard boolean"),
    ("0 < a < 1", TypeError, "standard boolean"),
    ("sum(a, axis=-1)", ValueError, "negative axis are not supported"),
    ("sum(a, axis=1)", ValueError, "reduction axis is out of bounds"),
    ("b + 1", KeyError, "b"), ("2 +", SyntaxError, "invalid syntax"),
    ("u + 1", ValueError, "NumExpr 2 does not support Unicode as a dtype."),
    ("t < t", ValueError, r"unknown type datetime64\[D\]"),
    ("nosuch(a)", TypeError, "not callable"),
    ("9**9**9", OverflowError, "too large"),
    ("1 << 10**9", OverflowError, "too large"),
    ("'a' * 10**9", TypeError, "strings"),
    ("2**70 + l", OverflowError, "large")])
def test_errors(text, error, message):
    names = dict(NAMES, u=np.array(["a"]), t=np.array(["2000"], "M8[D]"))
    with pytest.raises(error, match=message):
        ne.evaluate(text, names, {})
    assert isinstance(ne.validate(text, names, {}), (error, type(None)))


@pytest.mark.parametrize("text", [
    "__import__('os').system('false')", "().__class__.__bases__[0]",
    "(3+1).\u1d47it_length()", "(3+1).bit_length()", "a.__array__",
    "lambda: 1", "a[0]", "[x for x in (1,)]", "{1: 2}", "f'{a}'", "(y := 1)",
    "a.real.__class__", "__builtins__", "import os;", "*a", "sin(*a)",
    "sin(**a)", "a if (lambda: 1)() else 2", "os. cpu_count()", "`a`",
    "a; b", "exec('1')", "open('/etc/passwd')", "1 is 1", "1 in a", "(a, a)",
    "sin.__self__", "'%s' % a", "getattr(a, 'T')", "await a", "..."])
@pytest.mark.parametrize("sanitize", [True, False])
def test_what_is_no_expression_never_runs(text, sanitize):
    with pytest.raises((ValueError, TypeError, SyntaxError, KeyError)):
        value(text, sanitize=sanitize)


@pytest.mark.parametrize("text", [
    "(" * 100000, "-" * 300000 + "a", "a+" * 300000 + "a", "a" * (1 << 20),
    "a" * (1 << 20) + "b", "sin(" * 90000, "a**" * 100000 + "2", "not " * 9999,
    "9" * 100000, "\0", "a\0b", "\ud800", "a if a else " * 50000, "'" * 9999])
def test_hostile_texts_end(text):
    with pytest.raises((ValueError, TypeError, SyntaxError, KeyError,
                        RecursionError, MemoryError, OverflowError)):
        value(text)


def test_long_sums_and_shared_powers():
    text = "+".join(f"a*{i}" for i in range(700))
    np.testing.assert_allclose(value(text), A * (699 * 700 // 2))
    np.testing.assert_array_equal(value("((((a**32)**32)**32)**32)*0 + l"),
                                  np.where(A < 2, L, np.nan))
    names = {f"v{i}": A for i in range(100)}
    np.testing.assert_allclose(ne.evaluate("+".join(names), names), 100 * A)


def test_out_casting_and_order():
    out = np.zeros(5, np.float32)
    assert value("a + 1", out=out) is out and out[4] == 5
    with pytest.raises(TypeError, match="according to the rule"):
        value("a + 1", out=np.zeros(5, np.int32))
    assert value("a + .5", out=np.zeros(5, np.uint16),
                 casting="unsafe")[4] == 4
    with pytest.raises(TypeError, match="Iterator operand 1 dtype"):
        ne.evaluate("w", {"w": np.array([1], np.uint64)}, {}, casting="safe")
    with pytest.raises(ValueError):
        value("a + 1", out=np.zeros(4))
    with pytest.raises(ValueError, match="size 1"):
        value("1", out=np.zeros(4))
    x = np.ones((3, 4))
    assert ne.evaluate("x + 1", order="F").flags.f_contiguous
    assert ne.evaluate("x.real", {"x": x.T}).flags.f_contiguous
    assert value("a + 1", out=np.zeros((2, 5))).shape == (2, 5)


def test_types_that_kernels_do_not_take():
    for name in ("u2", "u4", "u8", ">f8", "f2", "g"):
        x = np.array([1, 2, 3], name)
        np.testing.assert_array_equal(ne.evaluate("x * 2"), [2, 4, 6])
    assert ne.evaluate("x", {"x": np.uint32(4)}).dtype == np.int64


def test_strings_and_complex_numbers(monkeypatch):
    z, s = A + 1j, np.array([b"ab", b"b"])
    names = {"z": z, "s": s}
    np.testing.assert_allclose(ne.evaluate("sin(z) + 1", names),
                               np.sin(z) + 1)
    np.testing.assert_array_equal(ne.evaluate("contains(s, b'a')", names),
                                  [True, False])
    monkeypatch.setattr(ne, "strict", True)
    for text in ("sin(z) + 1", "contains(s, b'a')", "s"):
        with pytest.raises(kexpr.Unsupported):
            ne.evaluate(text, names)


def test_names_of_the_caller():
    def inner(k):
        local = locals()
        y = ne.evaluate("A*k")
        assert local["k"] == k
        return y
    np.testing.assert_array_equal(inner(2.0), 2 * A)
    space = {"ne": ne, "c": A}
    exec("d = ne.evaluate('c + 1'); e = c", space)
    assert space["e"] is A


def test_nothing_stays_alive():
    x, out = np.arange(9.0), np.zeros(9)
    seen = weakref.ref(x), weakref.ref(out)
    ne.evaluate("x + 1", out=out)
    del x, out
    gc.collect()
    assert seen[0]() is None and seen[1]() is None


def test_re_evaluate_belongs_to_the_thread():
    x = A
    ne.evaluate("x + 1")
    failed = []

    def other():
        with pytest.raises(RuntimeError):
            ne.re_evaluate()
        ne.evaluate("x * 3", {"x": A})
        failed.append(False)

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    x = A * 2
    np.testing.assert_array_equal(ne.re_evaluate(), x + 1)
    assert failed == [False]


def test_compiled_objects():
    nex = ne.NumExpr("(a + 1)*(a - 1)", [("a", np.int32)])
    assert nex.constants == (1,) and nex.input_names == ("a",)
    assert nex.signature == b"i"
    np.testing.assert_array_equal(nex(I), (I + 1) * (I - 1))
    func = ne.NumExpr(2.0 * ne.E.a + ne.E.b)
    np.testing.assert_array_equal(func.run(A, A), 3 * A)
    assert ne.disassemble(func)[-1][:2] == [b"add_ddd", b"r0"]
    assert necompiler.getExprNames("b*a + where(True, c, d)", {}) == (
        ["a", "b", "c"], False)
    with pytest.raises(ValueError, match="number of inputs"):
        func(A)


def test_threads_of_the_environment(monkeypatch):
    before = ne.get_num_threads()
    assert ne.set_num_threads(2) == before
    x = np.arange(300000.0)
    two = ne.evaluate("sin(x) + sum(x)*0")
    ne.set_num_threads(1)
    np.testing.assert_array_equal(ne.evaluate("sin(x) + sum(x)*0"), two)
    monkeypatch.setenv("NUMEXPR_NUM_THREADS", "3")
    assert ne.utils._init_num_threads() == 3 == ne.get_num_threads()
    monkeypatch.delenv("NUMEXPR_NUM_THREADS")
    assert ne.set_num_threads(10**6) == -1
    ne.utils._init_num_threads()


def python(*arguments, cwd=None):
    return subprocess.run([sys.executable, *arguments], cwd=cwd, text=True,
                          capture_output=True, check=True).stdout.split()


CHILD = """
import subprocess, sys
import numexpr
from numexpr import evaluate
from numexpr.necompiler import getContext
a = 2
print(numexpr.__name__, evaluate("a*3"), *sys.argv[1:])
if len(sys.argv) > 1:
    print(subprocess.check_output([sys.executable, __file__], text=True))
"""


def test_runner(tmp_path):
    program = tmp_path / "app.py"
    program.write_text(CHILD)
    assert python("-m", "kexpr.numexpr", str(program), "x") == [
        "kexpr.numexpr", "6", "x", "kexpr.numexpr", "6"]
    assert python("-m", "kexpr.numexpr", "-m", "app", "x",
                  cwd=tmp_path)[:2] == ["kexpr.numexpr", "6"]


@pytest.mark.thread_unsafe(reason="modules are the process's")
def test_install_and_uninstall():
    before = sys.modules.get("numexpr")
    errors = []

    def work():
        try:
            for _ in range(20):
                ne.install()
                ne.uninstall()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and sys.modules.get("numexpr") is before
    ne.install()
    try:
        import numexpr
        import numexpr.expressions
        assert numexpr is ne and numexpr.expressions is ne.expressions
    finally:
        ne.uninstall()
    assert sys.modules.get("numexpr") is before


def test_patch():
    real = pytest.importorskip("numexpr")
    assert real is not ne
    a = A
    ne.patch()
    try:
        real.evaluate("a*7")
        assert isinstance(real.NumExpr("a*7", [("a", float)]),
                          necompiler.Program)
        z = A * 1j
        np.testing.assert_array_equal(real.evaluate("z*2"), z * 2)
        with pytest.raises(ValueError):
            real.evaluate("a.T", sanitize=False)
    finally:
        ne.unpatch()
    assert not isinstance(real.NumExpr("a*7", [("a", float)]),
                          necompiler.Program)
    np.testing.assert_array_equal(real.evaluate("a*7"), 7 * A)


@pytest.mark.parametrize("first", ["pandas", "kexpr"])
def test_pandas(first):
    pytest.importorskip("pandas")
    lines = ["import pandas as pd",
             "import kexpr.numexpr; kexpr.numexpr.install(min_elements=10)"]
    if first == "kexpr":
        lines.reverse()
    out = python("-c", "\n".join([*lines, """
from pandas.core.computation import expressions
frame = pd.DataFrame({"a": range(100), "b": range(100)})
assert expressions.ne is kexpr.numexpr
expressions.set_test_mode(True)
frame + frame
assert expressions.get_test_result()
print(frame.query("a > 97 & b < 200").a.sum(), frame.eval("a + b").iloc[-1])
kexpr.numexpr.uninstall()
print((frame + frame).a.iloc[-1])
"""]))
    assert out == ["197", "198", "198"]
