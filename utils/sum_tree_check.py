#!/usr/bin/env python3
# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds kexpr's sums and means against utils/sum_tree.py, bit for bit.

    python3 utils/sum_tree_check.py build/release/tools/kexpr-run

Exit status: 0 equal; 1 different; 77 without NumPy.
"""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

try:
    import numpy as np
except ImportError:
    print("there is no NumPy")
    sys.exit(77)

import sum_tree

COUNTS = [1, 2, 31, 32, 33, 63, 64, 65, 2047, 2048, 2049, 4095, 4096, 10241,
          14337]


def computed(run, text, x, folder):
    source, target = (os.path.join(folder, name + ".npy") for name in "xy")
    np.save(source, x)
    subprocess.run([run, text, source, "-o", target], check=True,
                   stdout=subprocess.DEVNULL)
    return np.load(target)


def main():
    run, random, wrong = sys.argv[1], np.random.default_rng(1), 0
    np.seterr(all="ignore")
    with tempfile.TemporaryDirectory() as folder:
        for count in COUNTS:
            sizes = np.exp(8 * random.standard_normal((3, count)))
            numbers = random.standard_normal((3, count)) * sizes
            for dtype in (np.float32, np.float64, np.int64):
                x = (numbers * 1e12 if dtype == np.int64 else numbers)
                x = x.astype(dtype)
                wanted = [("sum(@0,-1)", sum_tree.row_sum)]
                if dtype != np.int64:
                    wanted.append(("mean(@0,-1)", sum_tree.row_mean))
                for text, function in wanted:
                    got = computed(run, text, x, folder)
                    expected = np.array([function(row) for row in x])
                    if got.tobytes() != expected.tobytes():
                        wrong += 1
                        print(text, dtype.__name__, count, got, expected)
    print("sums and means differ" if wrong else "sums and means are equal")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
