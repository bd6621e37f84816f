"""Networks of PNNX."""

import gc
import pathlib
import weakref

import numpy as np
import pytest

import kexpr as kx

DATA = pathlib.Path(__file__).parents[2] / "unittests/Data/pnnx"
PARAM = """7767517
4 3
pnnx.Input a 0 1 x
pnnx.Input b 0 1 y
pnnx.Expression c 2 1 x y z expr=add(mul(@0,@1),2)
pnnx.Output d 1 0 z
"""


@pytest.fixture
def param(tmp_path):
    path = tmp_path / "net.pnnx.param"
    path.write_text(PARAM)
    return path


def test_a_network_runs(param, rng):
    net = kx.pnnx.load(param)
    assert [port.name for port in net.inputs] == ["a", "b"]
    x, y = (rng.random((2, 3)).astype("f4") for _ in range(2))
    for result in (net.run(x, y), net(a=x, b=y), net.run(x, b=y)):
        np.testing.assert_array_equal(result, x * y + 2)
    assert "add(mul(@0,@1),2)" in [step["expression"] for step in net.steps]


def test_shapes_may_change_while_others_are_read(param):
    x = np.ones((4, 8), "f4")

    class Reshapes:
        def __array__(self, dtype=None, copy=None):
            x.shape = (32,)
            return np.ones(32, "f4")

    np.testing.assert_array_equal(kx.pnnx.load(param).run(x, Reshapes()),
                                  np.full(32, 3.0))


def test_layers_of_python(tmp_path, rng):
    path = tmp_path / "net.pnnx.param"
    path.write_text(PARAM.replace(
        "pnnx.Output d 1 0 z", "my.Layer e 1 1 z w scale=3 "
        "#z=(2,3)f32 #w=(2,3)f32\npnnx.Output d 1 0 w").replace("4 3", "5 4"))

    def make(op):
        scale = float(op["parameters"]["scale"])
        return lambda z: z * scale

    x = rng.random((2, 3)).astype("f4")
    net = kx.pnnx.load(path, layers={"my.Layer": make})
    np.testing.assert_array_equal(net(x, x), (x * x + 2) * 3)
    with pytest.raises(kx.UnknownName, match="my.Layer"):
        kx.pnnx.load(path)

    def fails(op):
        def forward(z):
            raise RuntimeError("no luck")
        return forward

    with pytest.raises(RuntimeError, match="no luck"):
        kx.pnnx.load(path, layers={"my.Layer": fails})(x, x)


def test_errors(param, tmp_path):
    net = kx.pnnx.load(param)
    with pytest.raises(kx.ArityError):
        net.run(1, 2, 3)
    with pytest.raises(kx.ArityError):
        net.run(np.zeros(3, "f4"))
    with pytest.raises(kx.ArgumentError):
        net.run(np.zeros(3, "f4"), nonsense=1)
    with pytest.raises(OSError):
        kx.pnnx.load(tmp_path / "none.param")
    (tmp_path / "bad.param").write_text("7767517\n1 1\nwhat")
    with pytest.raises(SyntaxError, match="line"):
        kx.pnnx.load(tmp_path / "bad.param")


def test_networks_in_cycles_are_collected(tmp_path, rng):
    path = tmp_path / "net.pnnx.param"
    path.write_text(PARAM.replace(
        "pnnx.Output d 1 0 z", "my.Layer e 1 1 z w #z=(2,3)f32 #w=(2,3)f32\n"
        "pnnx.Output d 1 0 w").replace("4 3", "5 4"))

    class Owner:
        def __init__(self):
            self.net = kx.pnnx.load(path, layers={"my.Layer": self.make})

        def make(self, op):
            return self.layer

        def layer(self, z):
            return z + len(self.net.inputs)

    owner = Owner()
    x = rng.random((2, 3)).astype("f4")
    np.testing.assert_array_equal(owner.net(x, x), x * x + 4)
    gone = weakref.ref(owner)
    gc.collect()
    assert gone() is not None
    np.testing.assert_array_equal(owner.net(x, x), x * x + 4)
    del owner
    gc.collect()
    assert gone() is None
