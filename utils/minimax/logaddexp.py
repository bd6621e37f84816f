#!/usr/bin/env python3
# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the tables and the coefficients of lib/Ops/LogSums.h, lowest degree
first, with the largest error as a power of two.

    python3 utils/minimax/logaddexp.py

Needs mpmath.
"""
import mpmath
from mpmath import mpf

mpmath.mp.prec = 200

ENTRIES = 32


def hexadecimal(c):
    digits, exponent = float(c).hex().split("p")
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    return f"{digits}p{int(exponent)}"


def show(title, numbers):
    print(title)
    print("  " + ", ".join(map(hexadecimal, numbers)))


def inverses():
    """Multiples of 2^-27 near the inverses of the middles of 32 parts of [1, 2],
    and minus their logarithms as multiples of 2^-53, of all such numbers less
    than 2^-11 away those with the nearest to one. Logarithms of neighbours are
    sums of a series, in whole multiples of 2^-120."""
    unit, found, worst, off = 27, [], 0, 0
    for j in range(ENTRIES):
        middle = int(mpmath.nint(mpf(2)**unit * 64 / (65 + 2 * j)))
        base = int(mpmath.nint(mpmath.log(mpf(middle) / 2**unit) * 2**120))
        step = 2**120 // middle
        best = None
        for k in range(-2**16, 2**16):
            d = k * step
            term, log = d, base + d
            for i in range(2, 8):
                term = -(term * d >> 120)
                log += term // i
            rest = abs((log + 2**66) % 2**67 - 2**66)
            if best is None or rest < best[0]:
                best = rest, middle + k
        c = mpf(best[1]) / 2**unit
        log = mpmath.nint(-mpmath.log(c) * 2**53) / 2**53
        worst = max(worst, abs(log + mpmath.log(c)))
        off = max(off, abs(c * (1 + mpf(j) / ENTRIES) - 1),
                  abs(c * (1 + mpf(j + 1) / ENTRIES) - 1))
        found.append((c, log))
    print(f"logarithms off by 2 ^ {float(mpmath.log(worst, 2)):.1f}")
    show("inverses", [c for c, _ in found])
    show("logs", [log for _, log in found])
    return off


def polynomial(title, function, low, high, degree, weight):
    """That of Chebyshev's nodes; `weight` makes of its errors those that
    count."""
    low, high = mpf(low), mpf(high)
    nodes = [(low + high) / 2 + (high - low) / 2
             * mpmath.cos(mpmath.pi * (k + mpf(1) / 2) / (degree + 1))
             for k in range(degree + 1)]
    matrix = mpmath.matrix([[x**e for e in range(degree + 1)] for x in nodes])
    exact = mpmath.lu_solve(matrix, mpmath.matrix([function(x) for x in nodes]))
    rounded = [mpf(float(c)) for c in exact]
    worst = 0
    for i in range(500):
        x = low + (high - low) * (i + mpf(1) / 2) / 500
        error = mpmath.polyval(rounded[::-1], x) - function(x)
        worst = max(worst, abs(error * weight(x)))
    show(f"{title}, error 2 ^ {float(mpmath.log(worst, 2)):.1f}", rounded)


def main():
    off = inverses()
    print("f up to", float(off))
    polynomial("(ln(1 + f) - f + f^2 / 2) / f^3",
               lambda f: (mpmath.log1p(f) - f + f * f / 2) / f**3,
               -off, off, 7, lambda f: f**3)
    last = mpf("0.6932")
    polynomial("(z / 24 - ln(sinh(r / 2) / (r / 2))) / z^2, z = r^2",
               lambda z: (z / 24 - mpmath.log(
                   2 * mpmath.sinh(mpmath.sqrt(z) / 2) / mpmath.sqrt(z)))
               / z**2, 0, last**2, 6, lambda z: z**2)
    polynomial("(e^x - 1) / x", lambda x: mpmath.expm1(x) / x, -last, 0, 7,
               lambda x: 1)
    rest = mpf(1) / 24 - mpf(1 / 24)
    show("1/24 and the rest", [1 / 24, rest])


if __name__ == "__main__":
    main()
