"""What numexpr's extension module tells of itself: which operations there are
for which types, and the number of threads."""

from __future__ import annotations

import itertools
import os
import sys

use_vml = False
allaxes = 255  # the axis of a reduction over all of them
maxdims = 64
__BLOCK_SIZE1__ = 1024


def _max_threads() -> int:
    text = os.environ.get("NUMEXPR_MAX_THREADS", "")
    return int(text) if text else 64


MAX_THREADS = _max_threads()


def _signatures(table: str) -> dict[bytes, int]:
    """Numbers for 'name name: types types' lines, as `add_ddd`."""
    lines = (line.split(":") for line in table.strip().splitlines())
    every = (f"{name}_{types}".encode() for names, kinds in lines
             for name, types in itertools.product(names.split(),
                                                  kinds.split()))
    return {name: number for number, name in enumerate(every)}


# The result first: b(ool) i(nt32) l(ong, int64) f(loat32) d(ouble) c(omplex)
# s(tring), and n for what is no array.
opcodes: dict[bytes, int] = {b"noop": 0} | {
    name: number + 1 for name, number in _signatures("""
    copy: bb ii ll ff dd cc ss
    invert: bb ii ll
    and or xor: bbb iii lll
    eq ne: bbb bii bll bff bdd bss bcc
    gt ge: bii bll bff bdd bss
    cast: ib li fi fl di dl df ci cl cf cd
    ones_like neg: ii ll ff dd cc
    add sub mul div: iii lll fff ddd ccc
    pow mod floordiv: iii lll fff ddd
    lshift rshift: iii lll
    where: bbbb ibii lbll fbff dbdd cbcc
    sqrt: ff dd
    real imag: dc
    complex: cdd
    contains: bss
    func: ffn fffn ddn dddn ccn cccn bdn bfn bcn iin lln
    sum prod: iin lln ffn ddn ccn
    min max: iin lln ffn ddn
""").items()}

funccodes: dict[bytes, int] = _signatures("""
    sqrt sin cos tan arcsin arccos arctan sinh cosh tanh: ff dd cc
    arcsinh arccosh arctanh log log1p log10 log2 exp expm1: ff dd cc
    absolute conjugate sign round: ff dd cc
    ceil floor trunc: ff dd
    fmod arctan2 hypot nextafter copysign maximum minimum: fff ddd
    pow: ccc
    isnan isfinite isinf: bf bd bc
    signbit: bf bd
    sign round absolute: ii ll
""")

# What is told, and what calls are held to; None is what kexpr takes by itself.
_threads = 1
limit: int | None = None


def _get_num_threads() -> int:
    return _threads


def _set_num_threads(number: int) -> int:
    """Returns the number before; -1, with a line to stderr, where it cannot
    be, as numexpr."""
    global _threads, limit
    if not 0 < number <= MAX_THREADS:
        why = "must be a positive integer" if number <= 0 else (
            'cannot be larger than environment variable '
            f'"NUMEXPR_MAX_THREADS" ({MAX_THREADS})')
        print(f"Error.  nthreads {why}", file=sys.stderr)
        return -1
    before = _threads
    _threads = limit = number
    return before
