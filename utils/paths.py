#!/usr/bin/env python3
# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many functions and files one reads to follow three paths.

    utils/paths.py                   # this tree
    utils/paths.py a187bfb .         # release 1.0.0 against it
    utils/paths.py --list            # the functions, in order of file

    compile   Engine::compile of add(mul(@0,@1),@2), to an address
    run       a warm Kernel::run of 16 floats
    network   PnnxModel::load and PnnxGraph::create of a network, interpreted

callgrind runs each on an unoptimised build and says which functions are
entered. Those of lib/ and include/kexpr count, those of LLVM and the standard
library do not. Instances of a template are one function, as are overloads in
one file; a lambda is part of the function it is in. Constructors, destructors
and operators that the compiler writes are not counted. What happens once in a
process, such as loading LLVM, has happened before; --cold has it on the path.

A tree is a directory or a commit of this repository; what is built stays in
build/paths. Needs valgrind (a package of Debian) besides utils/deps.sh.
"""
import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NETWORK = ROOT / "unittests/Data/pnnx/residual_tail.pnnx"
PATHS = ("compile", "run", "network")
OPTIONS = ("-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0 -g1",
           "-DKEXPR_QUICK_BUILD=OFF", "-DKEXPR_BUILD_TESTS=OFF",
           "-DKEXPR_BUILD_TOOLS=OFF", "-DKEXPR_BUILD_BENCHMARKS=OFF")


def run(*command, **options):
    result = subprocess.run(command, capture_output=True, text=True, **options)
    if result.returncode:
        sys.exit(" ".join(map(str, command)) + "\n" + result.stdout +
                 result.stderr)
    return result.stdout


def build(tree):
    """The source directory of a tree, and the driver built against it."""
    if pathlib.Path(tree).is_dir():
        source = pathlib.Path(tree).resolve()
        folder = ROOT / "build/paths" / source.name
        folder.mkdir(parents=True, exist_ok=True)
    else:
        commit = run("git", "-C", ROOT, "rev-parse", "--short",
                     f"{tree}^{{commit}}").strip()
        folder = ROOT / "build/paths" / commit
        source = folder / "source"
        if not source.exists():
            source.mkdir(parents=True)
            run("git", "-C", ROOT, "archive", "-o", folder / "source.tar", commit)
            run("tar", "-xf", folder / "source.tar", "-C", source)
    out = folder / "build"
    run("cmake", "-G", "Ninja", "-S", source, "-B", out, *OPTIONS)
    run("cmake", "--build", out, "--target", "kexpr_static")
    backend = out / "lib/kexpr"
    run("g++", "-std=c++17", "-O0", "-g1", f"-I{source}/include",
        f"-I{out}/include", ROOT / "utils/paths/driver.cpp", "-o",
        folder / "driver", next(out.rglob("libkexpr.a")), "-ltbb", "-lzip",
        "-ldl", "-pthread", f"-Wl,-rpath,{backend}")
    return source, folder / "driver"


def plain(name):
    """A function's name without parameters, template arguments and lambdas:
    `a::B<int>::c(int)::{lambda()#1}::operator()() const` is `a::B::c`."""
    name = name.split("::{lambda", 1)[0].split("'", 1)[0]
    if name.startswith("decltype"):  # What it returns.
        depth, at = 1, name.index("(") + 1
        while depth:
            depth += {"(": 1, ")": -1}.get(name[at], 0)
            at += 1
        name = name[at:].strip()
    name = re.sub(r"\[abi:\w+\]|\(anonymous namespace\)::", "", name)
    operator = re.search(r"\boperator ?(\(\)|<=>|<<|>>|->|<=?|>=?)", name)
    if operator:  # The brackets of this one are its name.
        mark = f"operator\0{len(operator[1])}"
        name = name.replace(operator[0], mark, 1)
    kept, depth = [], 0
    for i, c in enumerate(name):
        if c == "<":
            depth += 1
        elif c == ">":
            depth -= 1
        elif c == "(" and depth == 0:
            break
        elif depth == 0:
            kept.append(c)
    name = "".join(kept)
    if operator:
        name = name.replace(mark, "operator" + operator[1])
    # Function templates are listed with what they return.
    name = re.sub(r"^.* (?=\S*$)", "", name) if "operator " not in name else name
    return re.sub(r"^kexpr::|\bv\d::", "", name)


def is_written(name, text):
    """Whether a function is in the source, in whose line `text` it begins; one
    that the compiler adds begins where its class does."""
    return not name.startswith(("_GLOBAL_", "__static_init")) and \
        "= default" not in text and \
        not re.match(r"\s*(struct|class|union)\b[^()]*$", text)


def entered(profile, source):
    """{file: {function: line}} of a profile of callgrind."""
    found = collections.defaultdict(dict)
    own = re.compile(rf"{re.escape(str(source))}/((?:lib|include/kexpr)/.*)")
    file = name = None
    for line in profile.splitlines():
        key, _, value = line.partition("=")
        if key == "fl":
            file = own.fullmatch(os.path.normpath(value))
        elif key == "fn":
            name = value
        elif name and line[:1].isdigit():  # The first line of costs.
            number = int(line.split()[0])
            if file and is_written(
                    name, (source / file[1]).read_text().splitlines()[number - 1]):
                found[file[1]].setdefault(plain(name), number)
            name = None
    return found


def trace(path, source, driver, *arguments):
    """What `entered` finds for one of the paths."""
    profile = driver.parent / f"{path}.callgrind"
    run("valgrind", "--tool=callgrind", "--collect-atstart=no", "--demangle=no",
        f"--toggle-collect=*path{path.title()}*", "--compress-strings=no",
        "--compress-pos=no", f"--callgrind-out-file={profile}", driver, path,
        NETWORK, *arguments)
    # The demangler of valgrind does not know all of C++20.
    return entered(run("c++filt", input=profile.read_text()), source)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("trees", nargs="*", default=[str(ROOT)])
    parser.add_argument("--list", action="store_true", help="the functions, too")
    parser.add_argument("--cold", action="store_true",
                        help="the first of its kind in a process")
    args = parser.parse_args()
    if not shutil.which("valgrind"):
        sys.exit("valgrind is missing; run: sudo apt-get install valgrind")
    rows = []
    for tree in args.trees:
        source, driver = build(tree)
        for path in PATHS:
            if path == "network" and \
                    not (source / "include/kexpr/PnnxGraph.h").exists():
                continue
            found = trace(path, source, driver, *["cold"] * args.cold)
            functions = sum(map(len, found.values()))
            rows.append(f"{tree:20} {path:8} {functions:9} {len(found):5}")
            if args.list:
                print(f"{tree}: {path}")
                for file in sorted(found):
                    print(f"  {file}")
                    for name, line in sorted(found[file].items(),
                                             key=lambda item: item[1]):
                        print(f"    {line:4} {name}")
    print(f"{'tree':20} {'path':8} functions files")
    print("\n".join(rows))


if __name__ == "__main__":
    main()
