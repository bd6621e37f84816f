"""Random expressions against NumPy: types, values, shapes and layouts."""

import os
import random
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kexpr as kx

TYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"]
BINARY = ["+", "-", "*", "/", "//", "%", "<", "<=", ">", ">=", "==", "!=",
          "&", "|", "^", "<<", ">>"]
HALF = ["+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!="]
FUNCTIONS = {"minimum": 2, "maximum": 2, "where": 3, "abs": 1, "sqrt": 1,
             "floor": 1, "ceil": 1, "sign": 1, "logical_and": 2,
             "logical_not": 1, "square": 1, "fmod": 2}
# At the root alone, as they are within some units of the last place.
ROOTS = {"exp": 4, "sin": 4, "tanh": 4, "arctan": 4, "log1p": 4, "expm1": 4}
REDUCTIONS = ["sum", "amax", "amin", "any", "all", "mean", "argmax"]


SPECIAL = [np.nan, np.inf, -np.inf, -0.0, 1e300, 1e-310, 2.0**24 + 1]


class Half(Exception):
    """A value of float16 inside an expression, which kexpr rounds once, at the
    end, and NumPy at every step."""


def without_half(function):
    def call(*values, **given):
        result = function(*values, **given)
        if np.asarray(result).dtype == np.float16:
            raise Half
        return result
    return call


NAMES = {name: without_half(getattr(np, name))
         for name in [*FUNCTIONS, *ROOTS, *REDUCTIONS]}
NAMES.update(float32=np.float32, float64=np.float64, int16=np.int16)


class Maker:
    """Makes a random expression and its arrays from one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.shape = tuple(self.random.choice([1, 2, 3, 7])
                           for _ in range(self.random.randrange(4)))
        self.arrays: dict[str, object] = {}

    def array(self, type: object = "", special: bool = True) -> str:
        name = f"v{len(self.arrays)}"
        shape = tuple(1 if self.random.random() < 0.2 else n
                      for n in self.shape[self.random.choice([0, 0, 0, 1]):])
        type = type or self.random.choice(TYPES)
        wide = self.numbers.integers(-9, 10, [2 * n for n in shape])
        if type not in TYPES[:-2]:
            wide = np.array(wide * 0.75)
            if special and self.random.random() < 0.3:
                wide[self.numbers.random(wide.shape) < 0.3] = (
                    self.random.choice(SPECIAL))
        with np.errstate(over="ignore"):
            array = wide.astype(type)
        for axis in range(array.ndim):
            cut = self.random.choice([slice(0, None, 2), slice(None, None, -2),
                                      slice(0, shape[axis])])
            array = array[(slice(None),) * axis + (cut,)]
        if array.ndim > 1 and self.random.random() < 0.2:
            array = np.asfortranarray(array)
        self.arrays[name] = array if array.ndim else array[()]
        return name

    def number(self) -> str:
        """A number in the text, or one that is passed."""
        value = self.random.choice([2, 3, -1, 0.5, 7, 1.5, 100, True])
        if self.random.random() < 0.5:
            return f"({value})"
        name = f"v{len(self.arrays)}"
        self.arrays[name] = value
        return name

    def node(self, depth: int) -> str:
        kind = self.random.random()
        if depth == 0 or kind < 0.1:
            return self.array()
        if kind < 0.6:
            # Of numbers alone, Python computes: see docs/infix.md.
            parts = [self.node(depth - 1), self.node(depth - 1)]
            if kind < 0.25:
                parts[self.random.randrange(2)] = self.number()
            return f"({parts[0]} {self.random.choice(BINARY)} {parts[1]})"
        if kind < 0.68:
            return f"({self.random.choice('-+~')}{self.node(depth - 1)})"
        if kind < 0.74:
            # NumPy's conversions of NaN and infinity are the processor's.
            name = self.random.choice(["float32", "int16"])
            return f"{name}({self.array(special=False)})"
        name = self.random.choice(list(FUNCTIONS))
        parts = [self.node(depth - 1) for _ in range(FUNCTIONS[name])]
        return f"{name}({', '.join(parts)})"

    def expression(self) -> tuple[str, int, str]:
        """The text, the units of the last place allowed, and of what: the sum
        of magnitudes, as terms may cancel, or the value where it is empty."""
        text, ulps, terms = self.node(self.random.randrange(1, 4)), 0, ""
        kind = self.random.random()
        if kind < 0.15:
            name = self.random.choice(list(ROOTS))
            text, ulps = f"{name}({text})", ROOTS[name]
        elif kind < 0.2:
            text, ulps = f"{text} ** {self.node(1)}", 4
        elif kind < 0.4:
            name = self.random.choice(REDUCTIONS)
            axis = self.random.choice(["", ", axis=-1", ", axis=0"])
            if name in ("sum", "mean"):
                terms = f"{name}(abs(float64({text})){axis})"
            text, ulps = f"{name}({text}{axis})", 64
        return text, ulps, terms


def numpy_value(text: str, arrays: dict[str, object]) -> object:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(text, {**NAMES, **arrays})


def same(one: np.ndarray, other: np.ndarray, ulps: int,
         terms: object) -> bool:
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if one.dtype.kind != "f":
        return np.array_equal(one, other)
    if ulps == 0:
        return np.array_equal(one, other, equal_nan=True)
    with np.errstate(all="ignore"):
        size = np.maximum(np.maximum(np.abs(other), np.abs(one)),
                          np.asarray(terms, other.dtype))
        scale = np.spacing(size)
        near = np.abs(one - other) <= ulps * scale
    return bool(np.all(near | (one == other)
                       | (np.isnan(one) & np.isnan(other))))


def check(seed: int) -> None:
    maker = Maker(seed)
    text, ulps, terms = maker.expression()
    try:
        right = np.asarray(numpy_value(text, maker.arrays))
    except Half:
        return
    except Exception as error:
        right = error
    try:
        value = np.asarray(kx.evaluate(text, maker.arrays))
    except kx.Error as error:
        value = error
    told = f"seed {seed}: {text}\n{maker.arrays}\n{right!r}\n{value!r}"
    if isinstance(right, Exception):
        # NumPy looks at the powers that an array holds.
        assert isinstance(value, kx.Error) or isinstance(
            right, ValueError), told
        return
    if right.dtype not in map(np.dtype, TYPES):
        return
    if isinstance(value, kx.Error):
        # What the documents name.
        assert isinstance(value, kx.Unsupported) or "uint64" in str(
            value), told
        return
    size = numpy_value(terms, maker.arrays) if terms else 0
    assert same(value, right, ulps, size), told


def check_half(seed: int) -> None:
    """One operator over halves, which both compute in f32 and round."""
    maker = Maker(seed)
    type = maker.random.choice(["f2", "bf16"])
    dtype = pytest.importorskip("ml_dtypes").bfloat16 if type == "bf16" else type
    a, b = maker.array(dtype), maker.array(dtype)
    kind = maker.random.random()
    ulps = 0
    if kind < 0.4:
        text = f"{a} {maker.random.choice(HALF)} {b}"
    elif kind < 0.6 and type == "f2":
        text = f"{a} {maker.random.choice('+-*/')} {maker.number()}"
    elif kind < 0.8:
        name = maker.random.choice(list(ROOTS))
        text, ulps = f"{name}({a})", 1
    else:
        name = maker.random.choice(["minimum", "maximum", "sqrt", "abs",
                                    "floor", "ceil", "square"])
        text = f"{name}({', '.join([a, b][:FUNCTIONS[name]])})"
    names = {name: getattr(np, name) for name in [*FUNCTIONS, *ROOTS]}
    with np.errstate(all="ignore"):
        right = np.asarray(eval(text, {**names, **maker.arrays}))
    value = np.asarray(kx.evaluate(text, maker.arrays))
    told = f"seed {seed}: {text}\n{maker.arrays}\n{right!r}\n{value!r}"
    assert value.dtype == right.dtype and value.shape == right.shape, told
    if value.dtype != bool:
        one, other = (array.view("i2").astype(int) for array in (value, right))
        near = np.abs(one - other) <= ulps
        assert np.all(near | (value == right)
                      | (np.isnan(value) & np.isnan(right))), told
    else:
        assert np.array_equal(value, right), told


def check_output(seed: int) -> None:
    """An output with any strides, over the memory of the operands or not, of
    which a mask takes a part."""
    maker = Maker(seed)
    base = maker.numbers.random(4 * 7 * 9 * 3)

    def view() -> np.ndarray:
        whole = base if maker.random.random() < 0.6 else base.copy()
        begin = maker.random.randrange(200)
        array = whole[begin:begin + 4 * 7 * 9].reshape(4, 7, 9)
        array = array.transpose(maker.random.sample(range(3), 3))
        return array[maker.random.choice([slice(3), slice(2, None, -1)]), :3,
                     3::-1]

    a, b, out = view(), view(), view()
    mask = maker.random.choice([True, maker.numbers.random(out.shape) < 0.5])
    text = maker.random.choice(["a*b + 1", "where(a > b, a, -b)",
                                "a - sum(b, axis=1, keepdims=True)"])
    right = out.copy()
    np.copyto(right, eval(text, {"a": a.copy(), "b": b.copy(), "sum": np.sum,
                                 "where": np.where}), where=mask)
    assert kx.compile(text)(a, b, out=out, where=mask) is out
    np.testing.assert_allclose(out, right, rtol=1e-15, atol=1e-15,
                               err_msg=f"seed {seed}: {text}")


@settings(max_examples=int(os.environ.get("KEXPR_EXAMPLES", 2000)),
          deadline=None, database=None, derandomize=True,
          suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32))
def test_random_expressions(seed):
    check(seed)
    check_half(seed)
    check_output(seed)


@pytest.mark.skipif("KEXPR_SEEDS" not in os.environ,
                    reason="by hand: KEXPR_SEEDS=100000")
def test_many_random_expressions():
    failed = []
    for seed in range(int(os.environ["KEXPR_SEEDS"])):
        try:
            check(seed)
            check_half(seed)
            check_output(seed)
        except AssertionError as error:
            failed.append(error)
    assert not failed, f"{len(failed)} differ; the first:\n{failed[0]}"
