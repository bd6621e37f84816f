#!/usr/bin/env python3
# Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the coefficients of lib/Ops/Fast.h, and of arcsine and arctangent at
the default precision, lowest degree first, with the largest error as a power of
two: relative ones, or those that a weight makes of them. Sollya, which the
scripts beside this one are for, has no command for the rational function of the
tangent. Powers of e and 2 that need a longer polynomial have those of
exp.sollya and erf.sollya.

    python3 utils/minimax/fast.py [name...]

Needs NumPy and mpmath.
"""
import sys

import mpmath
import numpy

mpmath.mp.prec = 120


def single(x):
    return float(numpy.float32(x))


class Fit:
    """P / (1 + Q) of a function on [low, high], by Lawson's weights around
    Loeb's linear problem. `p` and `q` are the exponents of the terms, `fixed`
    coefficients of P that are given; errors are relative unless a `weight` by
    x says otherwise."""

    def __init__(self, function, p, q, low, high, fixed=None, weight=None,
                 points=2500):
        k = numpy.arange(points)
        x = numpy.cos(numpy.pi * (k + 0.5) / points)
        self.x = (low + high) / 2 + (high - low) / 2 * x
        self.f = numpy.array([float(function(mpmath.mpf(t))) for t in self.x])
        self.w = 1 / numpy.abs(self.f) if weight is None else numpy.array(
            [float(weight(mpmath.mpf(t))) for t in self.x])
        self.known_p = dict(fixed or {})
        self.free_p = [e for e in p if e not in self.known_p]
        self.known_q, self.free_q = {}, list(q)
        self.run(150)
        # Each coefficient is rounded in turn; those left make up for it.
        while self.free_p or self.free_q:
            if self.free_q:
                e = self.free_q.pop(0)
                self.known_q[e] = single(self.q[e])
            else:
                e = self.free_p.pop(0)
                self.known_p[e] = single(self.p[e])
            self.run(40)

    def run(self, steps):
        x, f = self.x, self.f
        base = sum(c * x**e for e, c in self.known_p.items()) + 0 * x
        q0 = 1 + sum(c * x**e for e, c in self.known_q.items()) + 0 * x
        lawson = numpy.ones_like(x)
        denominator = q0
        best = None
        for _ in range(steps if self.free_p or self.free_q else 1):
            p, q = dict(self.known_p), dict(self.known_q)
            if self.free_p or self.free_q:
                w = numpy.sqrt(lawson) * self.w / numpy.abs(denominator)
                columns = [x**e for e in self.free_p]
                columns += [-f * x**e for e in self.free_q]
                matrix = numpy.stack(columns, 1) * w[:, None]
                scale = numpy.sqrt((matrix**2).sum(0))
                solution = numpy.linalg.lstsq(
                    matrix / scale, (f * q0 - base) * w, rcond=1e-17)[0] / scale
                p.update(zip(self.free_p, solution))
                q.update(zip(self.free_q, solution[len(self.free_p):]))
            denominator = 1 + sum(c * x**e for e, c in q.items()) + 0 * x
            value = sum(c * x**e for e, c in p.items()) / denominator
            error = numpy.abs(value - f) * self.w
            worst = error.max()
            if best is None or worst < best[0]:
                best = worst, p, q
            lawson *= error + 1e-3 * worst
            lawson /= lawson.max()
        self.worst, self.p, self.q = best

    def show(self, title):
        print(title)
        print("  error 2 ^ %.1f" % numpy.log2(self.worst))
        for name, c in ("", self.p), ("over 1, ", self.q):
            if c:
                print("  " + name + ", ".join(
                    hexadecimal(c[e]) for e in sorted(c)))


def hexadecimal(c):
    digits, exponent = float(c).hex().split("p")
    return digits.rstrip("0").rstrip(".") + "p" + str(int(exponent))


def odd(function):
    """function(x) / x in x^2."""
    return lambda z: function(mpmath.sqrt(z)) / mpmath.sqrt(z)


def parts_below(x, count):
    """x as a sum of so many f32 numbers of its sign, but for a rest."""
    parts = []
    for _ in range(count):
        part = numpy.float32(float(x))
        if abs(mpmath.mpf(float(part))) > abs(x):
            part = numpy.nextafter(part, numpy.float32(0))
        parts.append(float(part))
        x -= mpmath.mpf(float(part))
    return parts


def exponential():
    bound = 0.3469
    return Fit(mpmath.exp, range(6), [], -bound, bound, {0: 1.0})


def exponential_minus_one():
    bound = 0.3469
    return Fit(lambda r: mpmath.expm1(r) / r, range(6), [], -bound, bound,
               {0: 1.0})


def logarithm():
    bound = 1 / 3 + 1e-6
    return Fit(lambda f: mpmath.log1p(f) / f, range(9), [], -bound, bound,
               {0: 1.0})


def logarithm_base_10():
    return Fit(lambda f: mpmath.log1p(f) / f / mpmath.log(10), range(9), [],
               0.7071 - 1 - 1e-6, 0.7071 * 2 - 1 + 1e-6)


def logarithm_base_2():
    """(log2(1 + f) - 2 s / ln 2) / s^3 in s^2, with s = f / (2 + f)."""
    bound = 0.17165
    return Fit(lambda z: (odd(mpmath.atanh)(z) - 1) / z * 2 / mpmath.log(2),
               range(4), [], 1e-9, bound**2)


def logarithm_to_two():
    return Fit(lambda e: mpmath.log1p(e) / e, range(9), [], 1e-30, 1,
               {0: 1.0})


def sine():
    """The last coefficient is a little lower in the end: no sine passes 1."""
    return Fit(odd(mpmath.sin), range(5), [], 1e-30, 1.58**2, {0: 1.0})


def tangent():
    return Fit(odd(mpmath.tan), range(2), [1, 2], 1e-30, 0.787**2, {0: 1.0})


def arctangent():
    return Fit(odd(mpmath.atan), range(8), [], 1e-30, 1, {0: 1.0})


def arctangent_of_eighths():
    """(atan(t) - t) / t^3 in t^2, for what a turn by eighths leaves."""
    return Fit(lambda z: (odd(mpmath.atan)(z) - 1) / z, range(5), [], 1e-9,
               0.25, weight=lambda z: z / odd(mpmath.atan)(z))


def arcsine():
    return Fit(odd(mpmath.asin), range(6), [], 1e-30, 0.25, {0: 1.0})


def hyperbolic_sine():
    return Fit(odd(mpmath.sinh), range(3), [], 1e-30, 0.3469**2, {0: 1.0})


def hyperbolic_cosine():
    return Fit(lambda z: mpmath.cosh(mpmath.sqrt(z)), range(4), [], 1e-30,
               0.3469**2, {0: 1.0})


def error_function_small():
    """erf(a) / a - 1 in a^2."""
    return Fit(lambda z: odd(mpmath.erf)(z) - 1, range(6), [], 1e-9, 1,
               weight=lambda z: 1 / odd(mpmath.erf)(z))


def error_function_large():
    """log2(erfc(a)) / a."""
    return Fit(lambda a: mpmath.log(mpmath.erfc(a), 2) / a, range(5), [], 0.99,
               3.93, weight=lambda a: a * mpmath.erfc(a) * mpmath.log(2))


def normal_tail():
    """e^(a^2 / 2) P(-a) / v in v = 1 / (a + 15 / 4), P the normal distribution,
    up to a = 14.5: beyond, results are 0."""
    def scaled(v):
        a = max(1 / v - 3.75, mpmath.mpf(0))
        return mpmath.erfc(a / mpmath.sqrt(2)) / 2 * mpmath.exp(a * a / 2) / v
    return Fit(scaled, range(9), [], 1 / 18.25, 1 / 3.75, points=900)


def power_of_two():
    return Fit(lambda r: mpmath.mpf(2)**r, range(6), [], -0.501, 0.501,
               {0: 1.0})


FITS = (exponential, exponential_minus_one, logarithm, logarithm_base_10,
        logarithm_base_2, logarithm_to_two, sine, tangent, arctangent,
        arctangent_of_eighths, arcsine, hyperbolic_sine, hyperbolic_cosine,
        error_function_small, error_function_large, normal_tail,
        power_of_two)


def main():
    for fit in FITS:
        if len(sys.argv) == 1 or fit.__name__ in sys.argv[1:]:
            fit().show(fit.__name__)
    print("pi:", *(hexadecimal(c) for c in parts_below(mpmath.pi, 3)))


if __name__ == "__main__":
    main()
