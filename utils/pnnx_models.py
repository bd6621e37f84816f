#!/usr/bin/env python3
# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small networks as PNNX writes them, and what PyTorch computes for them.

    python3 utils/pnnx_models.py unittests/Data/pnnx

writes there, for each network of utils/models/,

    NAME.pnnx.param, NAME.pnnx.bin   what pnnx made of it
    NAME.raw.pnnx.param, ....bin     of some, before constants were folded
    NAME.in0.npy...                  its inputs
    NAME.out0.npy...                 PyTorch's outputs: where they are floats,
                                     those of the network in f64, of the same
                                     inputs

and NAME.other.in0.npy... for a second set of shapes, where axes are dynamic.
bf16, which NumPy does not have, is i2. The list of all is models.json:

    inputs    element types
    outputs   `type`, and where it is one of floats, how far off a result may
              be: `units` in the last place, of the exact one or of `floor`,
              whichever is larger; and how far off PyTorch's own is
    raw       whether there are raw files
    dynamic   whether there is a second set
    exact     whether outputs are in f64; if not, the network names its types,
              and they are as it gave them

Needs torch (Debian: python3-torch), numpy and pnnx (`pip install pnnx`), which
is started as a program: `--pnnx` names another one.
"""
import argparse
import copy
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy
import torch

# The modules lie in the source tree.
sys.dont_write_bytecode = True

from models import activations, blocks, elementary, reductions, typed  # noqa: F401
from models.case import CASES

TYPES = {
    torch.float32: "f32", torch.float64: "f64", torch.float16: "f16",
    torch.bfloat16: "bf16", torch.int8: "i8", torch.uint8: "u8",
    torch.int16: "i16", torch.int32: "i32", torch.int64: "i64",
    torch.bool: "bool",
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--pnnx", help="the converter, a program")
    return parser.parse_args()


def converter(given):
    """The program, and its version if it is that of the Python package."""
    if given:
        return given, "unknown"
    import pnnx  # its import starts nothing
    return pnnx.EXEC_PATH, pnnx.__version__


def shapes(inputs):
    return ",".join(f"[{','.join(map(str, x.shape))}]{TYPES[x.dtype]}"
                    for x in inputs)


def convert(program, script, case, level):
    options = [f"inputshape={shapes(case.inputs)}", f"optlevel={level}"]
    if case.other:
        options.append(f"inputshape2={shapes(case.other)}")
    subprocess.run([program, script, *options], check=True, cwd=script.parent,
                   capture_output=True)


def export(program, case, folder):
    """The files of the network."""
    with tempfile.TemporaryDirectory() as scratch:
        script = pathlib.Path(scratch) / f"{case.name}.pt"
        with torch.no_grad():
            traced = torch.jit.trace(case.module, tuple(case.inputs),
                                     strict=False)
        traced.save(str(script))
        for level, suffix in ((2, ""), (1, ".raw"))[:2 if case.raw else 1]:
            convert(program, script, case, level)
            for kind in ("param", "bin"):
                shutil.move(script.with_suffix(f".pnnx.{kind}"),
                            folder / f"{case.name}{suffix}.pnnx.{kind}")


def save(path, tensor):
    tensor = tensor.detach().contiguous()
    if tensor.dtype == torch.bfloat16:
        tensor = tensor.view(torch.int16)
    numpy.save(path, tensor.numpy())


def outputs_of(module, inputs):
    with torch.no_grad():
        result = module(*inputs)
    return [result] if isinstance(result, torch.Tensor) else list(result)


def exact_outputs(case, inputs):
    """Of the network in f64, where that makes a difference."""
    torch.set_default_dtype(torch.float64)
    try:
        return outputs_of(copy.deepcopy(case.module).double(),
                          [x.double() if x.is_floating_point() else x
                           for x in inputs])
    finally:
        torch.set_default_dtype(torch.float32)


def last_place(dtype, value):
    """The unit of the last place of numbers of this size."""
    info = torch.finfo(dtype)
    _, exponent = numpy.frexp(numpy.maximum(value, info.tiny))
    return numpy.ldexp(info.eps, exponent - 1)


def largest_error(native, exact, floor):
    """In units of the last place."""
    finite = exact.isfinite()
    got, exact = native[finite].double().numpy(), exact[finite].numpy()
    unit = last_place(native.dtype, numpy.maximum(abs(exact), floor))
    return round(float((abs(got - exact) / unit).max()), 2)


def each(value, count):
    return value if isinstance(value, list) else [value] * count


def write_arrays(case, inputs, stem):
    """Inputs and outputs, and what models.json says of the latter."""
    native = outputs_of(case.module, inputs)
    exact = exact_outputs(case, inputs) if case.exact else native
    for i, x in enumerate(inputs):
        save(f"{stem}.in{i}.npy", x)
    entries = []
    for i, y in enumerate(native):
        entries.append({"type": TYPES[y.dtype]})
        if y.is_floating_point():
            units = each(case.units, len(native))[i]
            floor = each(case.floor, len(native))[i]
            entries[i] |= {"units": units, "floor": floor,
                           "torch": largest_error(y, exact[i], floor)}
        expected = exact[i] if y.is_floating_point() else y
        save(f"{stem}.out{i}.npy", expected)
    return entries


def write(program, case, folder):
    """The files of a case, and its entry in models.json."""
    for old in folder.glob(f"{case.name}.*"):
        old.unlink()
    export(program, case, folder)
    entry = {"name": case.name, "raw": case.raw, "dynamic": bool(case.other),
             "exact": case.exact,
             "inputs": [TYPES[x.dtype] for x in case.inputs],
             "outputs": write_arrays(case, case.inputs, folder / case.name)}
    if case.other:
        write_arrays(case, case.other, folder / f"{case.name}.other")
    return entry


def forget(folder, listed):
    """Removes the files of networks that are no more."""
    if not listed.exists():
        return
    for model in json.loads(listed.read_text())["models"]:
        if model["name"] not in {case.name for case in CASES}:
            for old in folder.glob(f"{model['name']}.*"):
                old.unlink()


def main():
    options = arguments()
    options.folder.mkdir(exist_ok=True)
    program, version = converter(options.pnnx)
    listed = options.folder / "models.json"
    forget(options.folder, listed)
    models = [write(program, case, options.folder) for case in CASES]
    page = {"torch": torch.__version__, "pnnx": version}
    lines = ",\n".join("  " + json.dumps(model) for model in models)
    head = json.dumps(page)[:-1]
    listed.write_text(f'{head}, "models": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
