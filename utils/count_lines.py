#!/usr/bin/env python3
# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lines of code of lib and tools: neither blank nor comment alone.

    utils/count_lines.py                     # the files as they are here
    utils/count_lines.py a187bfb .           # release 1.0.0 against them
    utils/count_lines.py --rooms main HEAD   # a row for each folder of lib, too

A tree is a directory, or a commit of this repository. C, C++, HTML, CSS and
JavaScript count. A line that has code and a comment is code.
"""
import argparse
import collections
import io
import pathlib
import re
import subprocess
import tarfile

SUFFIXES = {".h", ".cpp", ".c", ".html", ".css", ".js"}
FOLDERS = ("lib", "tools")
ROOT = pathlib.Path(__file__).resolve().parent.parent


def files_of(tree):
    """(path, text) of each source of a tree."""
    if pathlib.Path(tree).is_dir():
        for folder in FOLDERS:
            for path in pathlib.Path(tree, folder).rglob("*"):
                if path.suffix in SUFFIXES:
                    yield path.relative_to(tree).as_posix(), path.read_text()
        return
    archive = subprocess.run(["git", "-C", str(ROOT), "archive", tree, *FOLDERS],
                             check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        for file in files:
            if file.isfile() and pathlib.Path(file.name).suffix in SUFFIXES:
                yield file.name, files.extractfile(file).read().decode()


def lines_of_code(name, text):
    """How many lines have more than blanks and comments. What looks like a
    comment within a line, as in "http://", is part of the line."""
    block = r"^[ \t]*<!--.*?-->" if name.endswith(".html") else \
        r"^[ \t]*/\*.*?\*/"
    text = re.sub(block, "", text, flags=re.DOTALL | re.MULTILINE)
    line = r"\s*$" if name.endswith(".css") else r"\s*(//.*)?$"
    return sum(not re.match(line, each) for each in text.split("\n"))


def count(tree):
    """Lines by folder: `lib`, `lib/Ops`..."""
    lines = collections.Counter()
    for name, text in files_of(tree):
        folder, room = name.split("/")[:2]
        code = lines_of_code(name, text)
        lines[folder] += code
        if "." not in room:
            lines[f"{folder}/{room}"] += code
    return lines


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("trees", nargs="*", default=[str(ROOT)])
    parser.add_argument("--rooms", action="store_true",
                        help="also the folders of lib and tools")
    args = parser.parse_args()
    counts = [count(tree) for tree in args.trees]
    rows = sorted(set().union(*counts)) if args.rooms else FOLDERS
    width = max(map(len, args.trees)) + 2
    print(" " * 16 + "".join(f"{tree:>{max(width, 8)}}" for tree in args.trees))
    for row in rows:
        print(f"{row:16}" + "".join(f"{lines[row]:{max(width, 8)},}"
                                    for lines in counts))


if __name__ == "__main__":
    main()
