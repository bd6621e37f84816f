# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One program: its outputs evaluated, and the line it is written as."""
import random

import torch

from . import bounds, exact
from .generator import Generator
from .types import NAMES, NARROW, Reject

ATTEMPTS = 300


class Config:
    """What programs may be made of: element types, elements of a tensor at
    most, features among lists, sizes, casts, bools and reductions, and whether
    all have functions over axes."""

    def __init__(self, types, limit, features, reducing=False):
        self.types, self.limit, self.features = types, limit, features
        self.reducing = reducing

    def has(self, feature):
        return feature in self.features


def raw(tensor):
    """The bytes of its elements, in order."""
    tensor = tensor.contiguous()
    if tensor.dtype in NARROW:
        tensor = tensor.view(torch.int16)
    return tensor.numpy().tobytes()


def numbers(values):
    return ",".join(map(str, values))


def tolerance(e, skip):
    """The first two bytes of an f64 that is not less."""
    e = torch.where(skip, float("inf"), e).contiguous()
    bits = e.view(torch.int64)
    # A finite error must not round up to infinity.
    bits = torch.minimum((bits + (1 << 48) - 1) >> 48,
                         torch.where(e.isinf(), 0x7ff0, 0x7fef))
    return bits.to(torch.int16).numpy().tobytes()


def leading_bytes(v, count):
    words = raw(v)
    return b"".join(words[i + 8 - count:i + 8] for i in range(0, len(words), 8))


def output_cell(result):
    """`type:shape:expected`, and `:tolerance` where there is one."""
    if isinstance(result, torch.Tensor):
        return ":".join([NAMES[result.dtype], numbers(result.shape),
                         raw(result).hex()])
    v, dtype = result.v, result.dtype
    if not dtype.is_floating_point:
        expected = raw(v)
    else:
        expected = leading_bytes(v, 8 if dtype == torch.float64 else 6)
    return ":".join([NAMES[dtype], numbers(v.shape), expected.hex(),
                     tolerance(result.e, result.skip).hex()])


class Program:
    def __init__(self, outputs, operands):
        self.outputs = outputs
        self.reduces = any(n.axes for o in outputs for n in o.walk())
        self.kind = ("exact" if all(o.is_exact() for o in outputs)
                     else "approximate")
        named = {n for o in outputs for n in o.operands()}
        text = ",".join(o.text for o in outputs)
        # An operand may be named in a size alone, or not at all.
        last = max(o.index for o in operands
                   if o in named or f"@{o.index}," in text)
        self.operands = operands[:last + 1]
        self.text = f"[{text}]" if len(outputs) > 1 else text
        known = {}
        with_bounds = self.kind != "exact"
        evaluate = bounds.evaluate if with_bounds else exact.evaluate
        self.results = [evaluate(o, known) for o in outputs]
        sizes = [r.v.numel() if with_bounds else r.numel()
                 for r in self.results]
        self.elements = sum(sizes)
        self.skipped = with_bounds and sum(
            int(r.skip.sum()) for r in self.results)
        if 2 * self.skipped > self.elements:
            raise Reject("more than half is skipped")

    def operand_cell(self, operand):
        operand.view()
        return ":".join([NAMES[operand.dtype], numbers(operand.shape),
                         numbers(operand.strides), raw(operand.buffer).hex()])

    def line(self):
        return "\t".join([
            self.kind, self.text,
            " ".join(self.operand_cell(o) for o in self.operands),
            " ".join(output_cell(r) for r in self.results)])

    def misses(self):
        """Elements where PyTorch in the program's own types leaves the bounds;
        None where it has no such types."""
        types = {n.kind.dtype for o in self.outputs for n in o.walk()}
        if self.kind == "exact" or types & set(NARROW):
            return None
        known = {}
        count = 0
        for node, result in zip(self.outputs, self.results):
            try:
                got = exact.evaluate(node, known)
            except Reject:
                return None
            v = got.double()
            same = ((v == result.v) | (v.isnan() & result.v.double().isnan())
                    | ((v - result.v.double()).abs() <= result.e))
            count += int((~same & ~result.skip).sum())
        return count


def generate(seed, index, config):
    """Program `index` of a run; the same for the same arguments."""
    refused = {}
    for attempt in range(ATTEMPTS):
        rng = random.Random(f"{seed}:{index}:{attempt}")
        narrow_only = not set(config.types) - set(NARROW)
        exactly = index % 5 < 2 and not narrow_only
        try:
            types = [t for t in config.types if not exactly or t not in NARROW]
            if config.reducing and not exactly:
                # Most functions over axes take floats alone.
                types = types + 2 * [t for t in types if t.is_floating_point]
            inner = Config(types, config.limit, config.features,
                           config.reducing)
            generator = Generator(rng, inner, exactly)
            program = Program(generator.outputs(), generator.operands)
            if config.reducing and not program.reduces:
                raise Reject("no function over axes")
            return program, refused
        except Reject as reject:
            why = str(reject)[:40]
            refused[why] = refused.get(why, 0) + 1
    raise SystemExit(f"program {index}: nothing fits after {ATTEMPTS} attempts:"
                     f" {refused}")
