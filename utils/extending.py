#!/usr/bin/env python3
# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Extends a copy of the tree as the documents say, and nothing else in it.

    utils/extending.py
    utils/extending.py --check   # only finds where the additions go

adds the operator and the reduction of docs/adding-an-operator.md, and a row of
the lowering table (docs/graphs.md) that uses the operator, to a copy in
build/extending. Each is one file, or one row of one, with its name in a list.
Then the tests over the tables must pass, and kexpr-ops must know both. What a
layer of a host needs, nothing of kexpr, is shown by docs/examples/flip.cpp.

The copy keeps its build: a second run compiles what changed.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COPY = ROOT / "build/extending"
# As deep as those of the tree itself: ccache knows most of what is compiled.
BUILD = COPY / "build/release"

# What the additions are taken from, and what they go into.
CHANGED = ["docs/adding-an-operator.md", "lib/Ops/Operators.h",
           "lib/Ops/Reductions.h", "lib/Graph/LoweringTable.cpp",
           "unittests/Pnnx/GraphLoweringTest.cpp"]
OPERATOR_FILE = """\
//===- Ops/{name}.h - An operator of the documents -----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_{upper}_H
#define KEXPR_OPS_{upper}_H

{code}
#endif // KEXPR_OPS_{upper}_H
"""
ROW = '    {{"F.made_up nn.MadeUp", "input slope=0.25", "",\n' \
    '     "mul({name}({{input}}),{{slope}})"}},\n'
MEANING = '    {"F.made_up nn.MadeUp", "slope=0.5",\n' \
    '     X(0.5 * x / (1 + std::fabs(x)))},\n'


def insert(text, before, new):
    """`text` with `new` in front of what the pattern `before` matches first."""
    match = re.search(before, text)
    if not match:
        sys.exit(f"nothing looks like {before}")
    return text[:match.start()] + new + text[match.start():]


def block(page, start):
    """The first fenced block of code of a page that begins with some text."""
    for found in re.findall(r"```cpp\n(.*?)```", page, re.DOTALL):
        if found.startswith(start):
            return found
    return sys.exit(f"no block begins with {start}")


def added(files, base, table):
    """A struct of the page in a file of its own, and its name in the list of a
    table, with how expressions spell it."""
    code = block(files["docs/adding-an-operator.md"],
                 f'#include "Ops/{base}.h"')
    name = re.search(r"struct (\w+)", code)[1]
    text = insert(files[table], '\n#include <', f'#include "Ops/{name}.h"\n')
    return {f"lib/Ops/{name}.h": OPERATOR_FILE.format(
                name=name, upper=name.upper(), code=code),
            table: insert(text, r">;\n\n/// These and", f", {name}")
            }, re.search(r'\.name = "(\w+)"', code)[1]


def extended(files):
    """The files with the additions that the documents ask for."""
    new, spelling = added(files, "Operator", "lib/Ops/Operators.h")
    reduction, its_spelling = added(files, "Reduction", "lib/Ops/Reductions.h")
    new.update(reduction)
    # The lowering: a row, and one in the table of its test.
    for file, table, row in (
            ("lib/Graph/LoweringTable.cpp", "LoweringRow Lowerings",
             ROW.format(name=spelling)),
            ("unittests/Pnnx/GraphLoweringTest.cpp", "Meaning Meanings",
             MEANING)):
        head, rows = files[file].split(table, 1)
        new[file] = head + table + insert(rows, r"};\n", row)
    return {**files, **new}, spelling, its_spelling


def copy(files):
    """Makes COPY hold these files; those that are right keep their times."""
    for path in list(COPY.rglob("*")):
        if path.is_file() and BUILD not in path.parents and \
                path.relative_to(COPY).as_posix() not in files:
            path.unlink()
    for name, text in files.items():
        path = COPY / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = text.encode("utf-8", "surrogateescape")
        if not path.exists() or path.read_bytes() != data:
            path.write_bytes(data)
            path.chmod((ROOT / name).stat().st_mode
                       if (ROOT / name).exists() else 0o644)


def run(*command):
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                            stderr=subprocess.STDOUT)
    if result.returncode:
        sys.exit(" ".join(map(str, command)) + "\n" + result.stdout)
    return result.stdout


def main():
    checks = sys.argv[1:] == ["--check"]
    listed = CHANGED if checks else run(
        "git", "-C", ROOT, "ls-files", "--cached", "--others",
        "--exclude-standard").splitlines()
    files, spelling, reduction = extended(
        {name: (ROOT / name).read_bytes().decode("utf-8", "surrogateescape")
         for name in listed if (ROOT / name).is_file()})
    if checks:
        return
    copy(files)
    run("cmake", "-G", "Ninja", "-S", COPY, "-B", BUILD,
        "-DCMAKE_BUILD_TYPE=Release", "-DKEXPR_BUILD_BENCHMARKS=OFF")
    run("cmake", "--build", BUILD, "--target", "OpsTest", "PnnxGraphTest",
        "AccuracyTest", "CodeGenTest", "kexpr-ops")
    for program, tests in (("Ops/OpsTest", "*"),
                           ("Pnnx/PnnxGraphTest", "GraphLowering*"),
                           ("CodeGen/CodeGenTest", "*EveryReduction*"),
                           ("Tools/AccuracyTest", f"*/{spelling}_*")):
        # Generated reports have rows for the operator now.
        log = run("env", "KEXPR_BLESS=1", BUILD / "unittests" / program,
                  f"--gtest_filter={tests}")
        print(program, re.findall(r".*PASSED.*", log)[-1].split("] ")[1])
    page = run(BUILD / "tools/kexpr-ops", "--markdown")
    for name in (spelling, reduction):
        if f"`{name}`" not in page:
            sys.exit(f"kexpr-ops does not list {name}")


if __name__ == "__main__":
    main()
