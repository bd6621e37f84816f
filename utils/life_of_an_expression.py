#!/usr/bin/env python3
# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/life-of-an-expression.md from what kexpr-dump prints.

    python3 utils/life_of_an_expression.py build/release/tools/kexpr-dump

With --check it writes nothing, and fails if the page is not current. nodejs
draws what is quoted of the tool's own page.
"""
import argparse
import html
import pathlib
import re
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "life-of-an-expression.md"
PICTURE = PAGE.with_suffix(".svg")
EXPRESSION = "add(sin(@0),mul(cos(@1),exp(neg(mul(@0,@0)))))"
CPU = "znver3"


class Dump:
    """What kexpr-dump says of the expression."""

    def __init__(self, tool):
        self.tool = tool

    def __call__(self, stage):
        words = [self.tool, EXPRESSION, "--emit=" + stage, "--mcpu=" + CPU,
                 "--no-measure"]
        return subprocess.run(words, check=True, capture_output=True,
                              text=True).stdout


def between(text, first, last):
    """The lines from one that matches `first` to the next that matches
    `last`."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if re.search(first, line))
    end = next(i for i in range(start + 1, len(lines))
               if re.search(last, lines[i]))
    return lines[start:end + 1]


def matching(lines, pattern, most):
    """The first lines that match, of which there are some."""
    found = [line for line in lines if re.search(pattern, line)]
    assert found, pattern
    return found[:most] + ([f"... and {len(found) - most} more"]
                   if len(found) > most else [])


def box(stage, lines):
    text = lines if isinstance(lines, str) else "\n".join(lines) + "\n"
    cpu = f" --mcpu={CPU}" if stage in ("llvm", "mir", "asm", "explain") else ""
    return f"```text\n$ kexpr-dump \"$E\" --emit={stage}{cpu}\n{text}```\n"


def number(text, pattern):
    return re.search(pattern, text).group(1)


def of_operator(lines, name):
    """Lines of IR whose value is of an operator."""
    return matching(lines, rf"^\s*%{name}\b", 7)


def syntax(dump):
    tree = dump("ast").splitlines()
    tokens = dump("tokens").splitlines()
    rpn = dump("rpn").splitlines()
    deepest = max(int(line.split()[-1]) for line in rpn)
    return f"""## A text becomes a tree

The lexer cuts the text into {len(tokens)} tokens, each with its range, so that
an error can point at it. The parser makes a tree of them, children before
parents, without recursion: no depth of brackets overflows a stack.

{box("ast", tree)}
In reverse Polish order the same tree is a program for a machine with a stack of
{deepest} values. That is how a framework would evaluate it, with a tensor in memory
for every value. Nothing of that happens here.
"""


def semantics(dump):
    graph = dump("graph")
    plan = dump("plan").splitlines()
    values = sum(line.startswith("%") for line in plan)
    return f"""## The tree becomes a graph

Names, arities and types are checked against the one table of operators. Equal
values become one: `@0` stands three times in the text and once in the graph,
which has {values} values. Rewrites happen here, but only those that keep every
bit.

{box("graph", graph)}
![The graph as a drawing](life-of-an-expression.svg)

The plan adds the access pattern of each operand, and how much work an
element is. It is all that machine code depends on, so new shapes run the same
code.

{box("plan", plan[-4:])}"""


def intermediate(dump):
    loop, optimized = (between(dump(stage), r"^vector.loop:", r"^tail.check:")
                       for stage in ("llvm", "llvm-opt"))
    return f"""## The graph becomes LLVM IR

One loop over whole vectors, written as vectors: nobody has to find them again.
A value is called after its operator and step. Here is what `exp` became, a
range reduction and a polynomial; sin and cos each have more.

{box("llvm", of_operator(loop, "exp"))}
The loop computes the fast way of each operator alone. Each says where that
would be wrong (sin of huge arguments, exp that overflows), all masks are one
question, and where its answer is yes the step is done again by the tail, which
has both ways.

{box("llvm", matching(loop, r"rare", 5))}
The passes over IR find little to do: {len(loop)} lines of the loop become
{len(optimized)} (`--emit=llvm-opt`), as the OR of all lanes is written out.

"""


def machine(dump):
    text = dump("asm")
    loop = between(text, r"# vector.loop$", r"# redo$")
    whole = [line for line in loop if line.startswith("\t")
             and not line.startswith("\t.") and "jmp" not in line]
    sample = matching(dump("mir").splitlines(), r"VFMADD", 2)
    return f"""## IR becomes instructions

Instruction selection, scheduling and register allocation are LLVM's;
`--print-after` shows what each of its passes made. At the end there are
instructions and registers of the machine:

{box("mir", sample)}
Every instruction keeps its source location, also where LLVM moved it,
and what it loads for an operator has the location of that operator. In the assembly the
location is a column: the line of the expression, written one operator a line, and
the operator.

{box("asm", whole[:20] + ["..."] + whole[-7:])}
The same locations are in the line tables that perf and gdb read
([profiling](profiling.md)).

"""


# The page's own colours, for a picture that stands alone.
STYLE = """<style>
svg { --paper: #ffffff; --ink: #1b1b1b; --soft: #595959; }
.s0 { --c: #0060a8; } .s1 { --c: #c44e00; } .s2 { --c: #00795a; }
.s3 { --c: #9d3f86; } .s4 { --c: #8f6400; } .s5 { --c: #2f8fd0; }
.s6 { --c: #6b6b6b; }
@media (prefers-color-scheme: dark) {
  svg { --paper: #15171a; --ink: #ececec; --soft: #a9adb3; }
  .s0 { --c: #5ab4f5; } .s1 { --c: #ff9052; } .s2 { --c: #3bcfa2; }
  .s3 { --c: #ea9fd3; } .s4 { --c: #e6c04a; } .s5 { --c: #a5d5ff; }
  .s6 { --c: #a2a2a2; }
}
text { font: 12px ui-monospace, monospace; fill: var(--ink); }
.small { font-size: 10px; fill: var(--soft); }
.box { fill: var(--paper); stroke: var(--c); stroke-width: 1.2; rx: 4px; }
.fill { fill: var(--c); }
.leaf .box { stroke-dasharray: 3 2; }
.branch { stroke: var(--soft); fill: none; }
</style>"""


def drawn(page):
    """The page when its scripts have run."""
    return subprocess.run(["node", ROOT / "utils" / "run_page.js"], check=True,
                          input=page, capture_output=True, text=True).stdout


def picture(page):
    """The drawing of the page as a file."""
    drawing = re.search(r'<svg[^>]*as a tree".*?</svg>', page, re.S).group(0)
    drawing = re.sub(r' (?:tabindex|role|data-k)="[^"]*"', "", drawing)
    first, rest = drawing.split(">", 1)
    first = first.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"')
    rest = re.sub(r"(</(?:title|polyline|text|rect|g)>)", r"\1\n", rest)
    return f"{first}>\n{STYLE}\n{rest}\n"


def answer(page):
    """What the page says at the top, paragraph by paragraph."""
    section = page[page.index('id="answer"'):]
    said = re.findall(r"<p>(.*?)</p>", section[:section.index("</div>")], re.S)
    said = [re.sub(r"</?(?:strong|a)\b[^>]*>", "", text) for text in said]
    return [re.sub(r"</?code>", "`", text) for text in said]


def quoted(text):
    return textwrap.fill(html.unescape(text), 80, initial_indent="> ",
                         subsequent_indent="> ", break_on_hyphens=False) + "\n"


def cycles(dump, page):
    text = dump("explain")
    loop = text[text.index("Main loop"):]
    bytes_a_cycle = number(text, r"memory\s+([\d.]+) bytes a cycle")
    return f"""## Instructions take cycles

LLVM has a model of the CPU's units. Run over the loop, it predicts what a step
takes, and what by.

{box("explain", loop)}
## Why it takes the time it takes

`--emit=html` makes a page of all this. Here is how somebody who has never seen
kexpr finds the answer on it, for this expression; the quotes are the page's.

**What is the machine doing?** The first paragraph says how much one turn of the
loop is:

{quoted(answer(page)[0])}
**What does it wait for?** The second names the limit, and the bars beside it
show the others: beginning instructions, the window of what is under way, what
one step waits for from the one before. They are far shorter, so making the
chain of operations shorter would gain nothing.

{quoted(answer(page)[1])}
**Who is it?** The third names the operators, and the table below has a row for
each:

{quoted(answer(page)[2])}
**Why do they need so many?** A click on `sin` in the tree lights up its IR and
its instructions. Three multiply-adds take off the nearest multiple of pi/2, in
three parts, since one float holds too little of it; what they lose is put back.
Then there are two polynomials, because whether the rest wants a sine or a
cosine is known for each lane only afterwards, and a select. `cos` is the same
once more. `exp` is one range reduction and one polynomial. The multiplications
and the addition are next to nothing, and `neg` is nothing: it became part of a
multiply-add.

**Is it memory?** No. At this rate the loop asks for {bytes_a_cycle} bytes a
cycle (`memory`, above); caches deliver ten times that. On the machine that runs
it the page shows that as well: the time that moving the bytes takes, beside the
time measured, in each cache and in memory.

**What would make it faster?** What takes work from those units: wider vectors,
which do twice the work in an instruction; more threads, as memory is not the
limit; no sine at all, where the network allows it. Not another order of the
operands, and not fewer temporary tensors: there are none.

**Can the prediction be wrong?** The page says where. On a Zen 5 with 512-bit
vectors LLVM predicts 58 cycles for a step of 16 elements, and 31 to 34 are
measured: its model of that CPU is that of Zen 4, whose units work two cycles on
512 bits. Under "doubts" the page says so, and how many instructions that
concerns.
"""


def render(dump):
    page = drawn(dump("html"))
    text = f"""# The life of an expression

<!-- Written by utils/life_of_an_expression.py. -->

What becomes of one expression, from its text to cycles, as `kexpr-dump` shows
it ([all it can show](inspection.md)). Every box is what the command in it
prints, or part of that:

```sh
E='{EXPRESSION}'
```

{syntax(dump)}
{semantics(dump)}
{intermediate(dump)}{machine(dump)}{cycles(dump, page)}"""
    return {PAGE: text, PICTURE: picture(page)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool", help="kexpr-dump as it was built")
    parser.add_argument("--check", action="store_true",
                        help="write nothing, and fail if files are not current")
    options = parser.parse_args()
    stale = []
    for path, text in render(Dump(options.tool)).items():
        if options.check:
            current = path.read_text() if path.exists() else ""
            stale += [str(path)] if current != text else []
        else:
            path.write_text(text)
    if stale:
        sys.exit(f"not current: {', '.join(stale)}; run: python3 "
                 "utils/life_of_an_expression.py "
                 "build/release/tools/kexpr-dump")


if __name__ == "__main__":
    main()
