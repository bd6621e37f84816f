#!/usr/bin/env python3
# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kexpr and libraries of Python on reductions, softmaxes and norms, in one run.

    python3 utils/reduction_peers.py LIBKEXPR.so [WORD...]

Microseconds of a call on one thread, f32: medians of 11 rounds in which all
sides take turns, and in brackets the largest error, in units in the last place
of what NumPy computes in f64 (of the normalised element or the bias, whichever
is larger, where both are added). No side is timed whose result is off by a
hundredth. Sides: kexpr, PyTorch eager and compiled, JAX, ONNX Runtime, numexpr
and NumPy, those that this Python has; it needs PyTorch. Memory that a result
had is kept for the next one, so that none waits for pages of the system. Words
choose rows by parts of their names, as `softmax` or `L2`.
"""
import os
import sys

# Before the first allocation: no mappings, and nothing is given back.
KEEP = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40)}
if not KEEP.items() <= os.environ.items():
    os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | KEEP)

from function_peers import Kexpr, keeping, load_jax, medians

import numpy
import torch

F, ROWS = torch.nn.functional, []
SUM_SIZES = {"L1": 4096, "L2": 1 << 17, "L3": 1 << 21, "memory": 1 << 26}


class Row:
    """What a row computes: `text` for kexpr, a function of PyTorch's tensors, one
    of (library, *arrays) for JAX and NumPy, a node of ONNX, a text of numexpr;
    shapes of further operands, and the one of them that is a bias."""

    def __init__(self, name, shape, text, in_torch, in_numpy, onnx=None,
                 numexpr=None, operands=(), bias=None):
        self.name, self.shape, self.text = name, shape, text
        self.in_torch, self.in_numpy = in_torch, in_numpy
        self.onnx, self.numexpr = onnx, numexpr
        self.operands, self.bias = operands, bias
        ROWS.append(self)


def softmax(lib, x, axis):
    powers = lib.exp(x - lib.max(x, axis, keepdims=True))
    return powers / lib.sum(powers, axis, keepdims=True)


def log_softmax(lib, x, axis):
    off = x - lib.max(x, axis, keepdims=True)
    return off - lib.log(lib.sum(lib.exp(off), axis, keepdims=True))


def layer_norm(lib, x, weight, bias):
    off = x - lib.mean(x, -1, keepdims=True)
    return off / lib.sqrt(lib.mean(off * off, -1, keepdims=True)
                          + 1e-5) * weight + bias


def rms_norm(lib, x, weight):
    return x / lib.sqrt(lib.mean(x * x, -1, keepdims=True) + 1e-5) * weight


def over_axes(place, shape, axes, names):
    """Rows of sum, mean, norm and amax."""
    whole = len(axes) == len(shape)
    arguments = f"{[*axes]}".replace(" ", "")
    sums = {
        "sum": (torch.sum, lambda lib, x: lib.sum(x, axes), "ReduceSum",
                "sum(a{})"),
        "mean": (torch.mean, lambda lib, x: lib.mean(x, axes), "ReduceMean",
                 None),
        "norm": (torch.linalg.vector_norm,
                 lambda lib, x: lib.sqrt(lib.sum(x * x, axes)), "ReduceL2",
                 None),
        "amax": (torch.amax, lambda lib, x: lib.max(x, axes), "ReduceMax",
                 "max(a{})")}
    for name in names:
        function, in_numpy, onnx, numexpr = sums[name]
        # numexpr reduces one axis, or all, and does nothing to the result.
        if numexpr and len(axes) == 1:
            numexpr = numexpr.format("" if whole else f", axis={axes[0]}")
        Row(f"{name} {place}", shape,
            f"{name}(@0,{'2,' if name == 'norm' else ''}{arguments})",
            lambda x, f=function: f(x, dim=axes), in_numpy,
            (onnx, dict(keepdims=0), axes), numexpr)


ROW_SHAPES = {"L2": (128, 1024), "memory": (1 << 14, 1024),
              "long rows": (64, 1 << 16), "rows of 16 L2": (1 << 13, 16),
              "rows of 64 L2": (1 << 11, 64), "rows of 128 L2": (1 << 10, 128),
              "rows of 16 memory": (1 << 21, 16)}


def rows():
    for level, size in SUM_SIZES.items():
        over_axes(level, (size,), (0,), ("sum", "mean", "norm", "amax"))
    for place, shape in ROW_SHAPES.items():
        weight, columns = ((shape[1],), (shape[1],)), shape[1]
        Row(f"softmax {place}", shape, "softmax(@0,-1)",
            lambda x: torch.softmax(x, -1), lambda lib, x: softmax(lib, x, -1),
            ("Softmax", dict(axis=-1)))
        Row(f"log_softmax {place}", shape, "log_softmax(@0,-1)",
            lambda x: torch.log_softmax(x, -1),
            lambda lib, x: log_softmax(lib, x, -1),
            ("LogSoftmax", dict(axis=-1)))
        Row(f"layer_norm {place}", shape, "layer_norm(@0,-1,@1,@2,1e-5)",
            lambda x, w, b, n=columns: F.layer_norm(x, (n,), w, b, 1e-5),
            layer_norm, ("LayerNormalization", dict(axis=-1, epsilon=1e-5)),
            operands=weight, bias=2)
        Row(f"rms_norm {place}", shape, "rms_norm(@0,-1,@1,1e-5)",
            lambda x, w, n=columns: F.rms_norm(x, (n,), w, 1e-5), rms_norm,
            ("RMSNormalization", dict(axis=-1, epsilon=1e-5)),
            operands=weight[:1])
    for place, shape in {"columns of L2": (256, 512),
                         "columns of memory": (4096, 8192),
                         "short columns": (20, 6400),
                         "few columns": (6400, 20)}.items():
        over_axes(place, shape, (0,), ("sum", "amax"))
        Row(f"softmax {place}", shape, "softmax(@0,0)",
            lambda x: torch.softmax(x, 0), lambda lib, x: softmax(lib, x, 0),
            ("Softmax", dict(axis=0)))
    images = (8, 32, 256, 256)
    over_axes("NCHW over 0,2,3", images, (0, 2, 3), ("mean",))
    Row("softmax NCHW channels", images, "softmax(@0,1)",
        lambda x: torch.softmax(x, 1), lambda lib, x: softmax(lib, x, 1),
        ("Softmax", dict(axis=1)))
    for length in (3, 8, 16, 64):
        for place, size in (("L3", 1 << 21), ("memory", 1 << 25)):
            over_axes(f"rows of {length} {place}", (size // length, length),
                      (1,), ("sum", "amax"))


def onnx_call(row, arrays, out):
    import onnx
    import onnxruntime
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    operator, attributes, *axes = row.onnx
    names, constants = [f"x{i}" for i in range(len(arrays))], []
    inputs = [helper.make_tensor_value_info(name, kind, array.shape)
              for name, array in zip(names, arrays)]
    if axes:
        names.append("axes")
        constants.append(helper.make_tensor(
            "axes", onnx.TensorProto.INT64, [len(axes[0])], axes[0]))
    graph = helper.make_graph(
        [helper.make_node(operator, names, ["y"], **attributes)], "row", inputs,
        [helper.make_tensor_value_info("y", kind, out.shape)], constants)
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                           ["CPUExecutionProvider"])
    binding, value = session.io_binding(), onnxruntime.OrtValue
    result = value.ortvalue_from_numpy(out)
    for i, array in enumerate(arrays):
        binding.bind_ortvalue_input(f"x{i}", value.ortvalue_from_numpy(array))
    binding.bind_ortvalue_output("y", result)
    return lambda: session.run_with_iobinding(binding), result.numpy


def sides(row, arrays, shape, kexpr):
    """Who computes a row: its name, and makers of a call and its result."""
    def new():
        return numpy.empty(shape, numpy.float32)
    tensors = [torch.from_numpy(array) for array in arrays]
    yield "kexpr", lambda: kexpr.prepare(row.text, arrays, out=new())
    yield "torch", lambda: keeping(lambda: row.in_torch(*tensors))

    def inductor():
        torch._dynamo.reset()
        compiled = torch.compile(row.in_torch, dynamic=False)
        return keeping(lambda: compiled(*tensors))
    yield "inductor", inductor

    def jax():
        jax = load_jax()
        xla = jax.jit(lambda *x: row.in_numpy(jax.numpy, *x))
        values = [jax.numpy.asarray(array) for array in arrays]
        return keeping(lambda: xla(*values).block_until_ready())
    yield "jax", jax
    yield "onnx", lambda: onnx_call(row, arrays, new())

    def numexpr():
        import numexpr
        names = {"a": arrays[0]}
        return keeping(lambda: numexpr.evaluate(row.numexpr, names))
    if row.numexpr:
        yield "numexpr", numexpr
    yield "numpy", lambda: keeping(lambda: row.in_numpy(numpy, *arrays))


def print_row(row, kexpr):
    random = numpy.random.default_rng(1)
    arrays = [random.standard_normal(shape, numpy.float32) + numpy.float32(0.5)
              for shape in (row.shape, *row.operands)]
    expected = row.in_numpy(numpy, *(a.astype(numpy.float64) for a in arrays))
    size = numpy.abs(expected)
    if row.bias is not None:
        added = arrays[row.bias].astype(numpy.float64)
        size = numpy.maximum(numpy.abs(expected - added), numpy.abs(added))
    unit = numpy.exp2(numpy.frexp(size)[1].clip(-125) - 24.0)
    calls, errors = {}, {}
    for side, make in sides(row, arrays, expected.shape, kexpr):
        try:
            call, result = make()
            call()
        except Exception as error:
            print(f"{row.name}: no {side}:", str(error).split("\n")[0][:200],
                  file=sys.stderr)
            continue
        off = numpy.abs(numpy.asarray(result()).reshape(expected.shape)
                        - expected)
        if not (off <= 0.01 * (1 + size)).all():
            print(f"{row.name}: {side} is wrong by {off.max():.3g}",
                  file=sys.stderr)
            if side == "kexpr":
                sys.exit(1)
            continue
        calls[side], errors[side] = call, float((off / unit).max())
    times = medians(calls)
    peers = {side: time for side, time in times.items() if side != "kexpr"}
    fastest = min(peers, key=peers.get)
    print(row.name, *(f"{side} {time * 1e6:.1f} ({errors[side]:.2g})"
                      for side, time in times.items()),
          f"x{times['torch'] / times['kexpr']:.2f} of torch",
          f"x{peers[fastest] / times['kexpr']:.2f} of {fastest}",
          sep="\t", flush=True)


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    rows()
    kexpr, words = Kexpr(sys.argv[1]), sys.argv[2:]
    for row in ROWS:
        if not words or any(word in row.name for word in words):
            print_row(row, kexpr)


if __name__ == "__main__":
    main()
