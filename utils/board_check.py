#!/usr/bin/env python3
"""Makes code of the benchmark expressions and of some networks ahead of time,
runs it by a build without LLVM, for another processor under its emulator, and
compares the bits with those of this machine.

    utils/board_check.py TOOLS BOARD_RUN CPU [EMULATOR...]

TOOLS has kexpr-aot and kexpr-run of this machine, BOARD_RUN is kexpr-run of the
board, CPU the board's.
"""

import array
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parent.parent
NETWORKS = ("squeeze_excite", "residual_norms", "log_mel")


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True,
                          text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout


def bits(path):
    """The contents of a .npy file; all NaNs of f32 are one, as their signs are
    not part of a result."""
    data = path.read_bytes()
    start = 10 + int.from_bytes(data[8:10], "little")
    if b"'<f4'" not in data[:start]:
        return data
    words = array.array("I", data[start:])
    return data[:start], [word if word & 0x7fffffff <= 0x7f800000 else "NaN"
                          for word in words]


def calls():
    """Name, what kexpr-aot is told, and what kexpr-run is."""
    for path in sorted((ROOT / "benchmarks/expressions").glob("*.tsv")):
        for line in path.read_text().splitlines():
            if not line or line.startswith("#"):
                continue
            name, text, *shapes = line.split("\t")
            count = 1 + max(map(int, re.findall(r"@(\d+)", text)))
            shapes = shapes[0].split(";") if shapes else ["1000"] * count
            yield name, (line,), [text, *(
                f"rand:{i}:f32[{shape.replace('x', ',')}]"
                for i, shape in enumerate(shapes))]
    for name in NETWORKS:
        net = ROOT / f"unittests/Data/pnnx/{name}"
        inputs = sorted(net.parent.glob(f"{name}.in*.npy"))
        yield name, ("--pnnx", f"{net}.pnnx.param"), [
            "--pnnx", f"{net}.pnnx.param", *inputs]


def main():
    tools, board, cpu, *emulator = sys.argv[1:]
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        lists = [made[0] for _, made, _ in calls() if len(made) == 1]
        (folder / "list.tsv").write_text("\n".join(lists) + "\n")
        networks = [word for _, made, _ in calls() if len(made) > 1
                    for word in made]
        run(f"{tools}/kexpr-aot", f"--mcpu={cpu}", "-o", folder / "code",
            "--list", folder / "list.tsv", *networks)
        count = 0
        for name, _, call in calls():
            results = []
            for command in ([f"{tools}/kexpr-run"],
                            [*emulator, board, "--cache", folder / "code"]):
                out = folder / f"{len(results)}.npy"
                said = run(*command, *call, "-o", out, "--stats")
                results.append(bits(out))
            missed = not re.search(r"disk +[1-9]\d* hits, 0 misses", said)
            differs = results[0] != results[1]
            if missed or differs:
                faults += 1
                print(f"{name}: " + ("other bits" if differs else
                                     "code was missing") + "\n" + said)
            count += 1
    print(f"{count} expressions and networks, {faults} faults")
    return faults > 0


if __name__ == "__main__":
    sys.exit(main())
