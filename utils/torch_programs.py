#!/usr/bin/env python3
# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random typed programs, and what PyTorch computes for them.

    python3 utils/torch_programs.py --small --count 700 \\
        --without reductions > unittests/Data/programs.tsv
    python3 utils/torch_programs.py --small --count 700 --reducing --seed 288 \\
        > unittests/Data/reductions.tsv
    python3 utils/torch_programs.py --count 20000 --seed 7 --reducing \\
        --check build/release/unittests/Api/ApiTest

The first two print programs; the third makes them in a temporary file, and the
test reads that. The same arguments give the same programs; seed 288 has each
function over axes for each type that PyTorch gives it. Needs torch, from 2.3
on for u16, u32 and u64, and numpy.

Lines that start with # are comments. Every other line is a program, of four
cells split by tabs:

  class       `exact`: operators that are correctly rounded, or on integers;
              results are compared bit for bit, any NaN equal to any other.
              `approximate`: results are compared within a tolerance.
  expression  as kexpr reads it; a list has several outputs
  operands    split by blanks: type:shape:strides:bytes. Shape and strides are
              numbers split by commas, nothing for rank 0; strides count
              elements. The bytes, in hexadecimal, are all memory from the
              view's first element to its last one, little-endian.
  outputs     split by blanks: type:shape:bytes in an exact program, the bytes
              those of the row-major result. In an approximate one
              type:shape:expected:tolerances, an element of which is, for
              floats, a little-endian f64 without its last two bytes (all eight
              for f64) and the two leading bytes of an f64 as tolerance. Other
              types are exact; a tolerance of infinity says that the element is
              not compared.
"""
import argparse
import collections
import os
import subprocess
import sys
import tempfile

import torch

# The modules lie in the source tree.
sys.dont_write_bytecode = True

from programs.program import Config, generate
from programs.types import DTYPES, NAMES

FEATURES = ["lists", "sizes", "casts", "bools", "reductions"]
FILTER = "Programs.EqualPyTorch"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=700)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--small", action="store_true",
                        help="at most 36 elements a tensor, not 300")
    parser.add_argument("--types", default=",".join(DTYPES),
                        help="the only element types, split by commas")
    parser.add_argument("--without", default="",
                        help="features left out: " + ", ".join(FEATURES))
    parser.add_argument("--reducing", action="store_true",
                        help="only programs with functions over axes")
    parser.add_argument("--check", metavar="TEST",
                        help="run this test program on what was made")
    parser.add_argument("--against-torch", action="store_true",
                        help="count where PyTorch itself leaves the bounds")
    return parser.parse_args()


class Summary:
    def __init__(self):
        self.counts = collections.Counter()
        self.types = collections.Counter()
        self.operators = collections.Counter()
        self.refused = collections.Counter()

    def add(self, program, refused):
        self.counts[program.kind] += 1
        self.counts["elements"] += program.elements
        self.counts["skipped"] += program.skipped
        self.counts["reducing"] += program.reduces
        self.counts["several"] += len(program.outputs) > 1
        self.types.update({NAMES[o.dtype] for o in program.operands})
        self.operators.update({n.op for o in program.outputs for n in o.walk()
                               if n.op})
        self.refused.update(refused)

    def print(self, file):
        c = self.counts
        share = 100 * c["skipped"] / max(c["elements"], 1)
        print(f"{c['exact']} exact and {c['approximate']} approximate programs,"
              f" {c['several']} with several outputs,"
              f" {c['reducing']} with functions over axes", file=file)
        print("programs by operand type:", listing(self.types), file=file)
        print("programs by operator:", listing(self.operators), file=file)
        print(f"{c['elements']} elements, {c['skipped']} of them skipped"
              f" ({share:.1f} %)", file=file)
        print("attempts refused:", listing(self.refused), file=file)


def listing(counter):
    return ", ".join(f"{name} {n}" for name, n in counter.most_common())


def report_misses(program, file):
    misses = program.misses()
    if misses:
        print(f"PyTorch leaves the bounds at {misses} elements:", program.text,
              [NAMES[o.dtype] for o in program.operands], file=file)


def write(options, file):
    torch.set_num_threads(1)
    types = [DTYPES[name] for name in options.types.split(",")]
    features = set(FEATURES) - set(options.without.split(","))
    config = Config(types, 36 if options.small else 300, features,
                    options.reducing)
    summary = Summary()
    print("# Made by utils/torch_programs.py, which says what it means:",
          f"--count {options.count} --seed {options.seed}"
          + " --small" * options.small + " --reducing" * options.reducing,
          file=file)
    for index in range(options.count):
        program, refused = generate(options.seed, index, config)
        print(program.line(), file=file)
        summary.add(program, refused)
        if options.against_torch:
            report_misses(program, sys.stderr)
    file.flush()
    summary.print(sys.stderr)


def main():
    options = arguments()
    if not options.check:
        return write(options, sys.stdout)
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
        write(options, file)
        environment = os.environ | {"KEXPR_PROGRAMS": file.name}
        return subprocess.run([options.check, f"--gtest_filter={FILTER}"],
                              env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
