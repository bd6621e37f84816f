//===- Ops/Fast.h - Functions at Precision::Fast --------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// f32 functions within 4 units in the last place, in single precision alone.
/// All arguments take one way; only huge ones of sin, cos and tan, and those of
/// logaddexp that cancel, go the rare way. Polynomials are in
/// utils/minimax/fast.py.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_FAST_H
#define KEXPR_OPS_FAST_H

#include "Ops/Polynomial.h"
#include "Ops/Single.h"

namespace kexpr::ops::fast {

inline constexpr float HalfPi = 0x1.921fb6p0f;
inline constexpr float Pi = 0x1.921fb6p1f;
inline constexpr float Ln2 = 0x1.62e43p-1f;

/// The polynomial of `horner`, with z = x^2: half as many steps in a row, as
/// few in sum.
template <class V> V paired(V, V z, double c) {
  return z.like(static_cast<float>(c));
}
template <class V, class... C>
V paired(V x, V z, double c0, double c1, C... c) {
  V pair = horner(x, c0, c1);
  if constexpr (sizeof...(C) == 0)
    return pair;
  else
    return fma(z, paired(x, z, c...), pair).named("poly");
}

/// A sum of two numbers, the first of which is nearly all.
template <class V> struct Sum { V high, low; };

/// 2^n and r with x = n ln 2 + r, |r| <= ln 2 / 2.
template <class V> struct Reduced { V power, r; };

/// Of Step * x. The power is multiplied by 2^Bias, and r divided by Step. Low:
/// whether ln 2 has a second part; one alone is off by 2^-28.5 |x|.
template <int Bias, bool Low = true, class V>
Reduced<V> reduce(V x, float step = 1) {
  constexpr float rounder = single::FieldRounder + Bias;
  V shifted = fma(x, 0x1.715476p0f * step, rounder);
  V n = shifted - rounder;
  V r = fma(n, -Ln2 / step, x).named("reduced");
  if constexpr (Low)
    r = fma(n, 0x1.05c61p-29f / step, r).named("reduced");
  return {single::powerIn(shifted), r};
}

/// e^(step * r) for |step * r| <= ln 2 / 2, off by 2^-23.4; step is a power of
/// two or the negative of one.
template <class V> V exponential(V r, double step = 1) {
  const double square = step * step, cube = square * step;
  return horner(r, 0x1p0, 0x1.fffff6p-1 * step, 0x1.fffdc4p-2 * square,
                0x1.555a7ep-3 * cube, 0x1.573afap-5 * square * square,
                0x1.0fa1bap-7 * square * cube);
}

/// The same, off by 2^-28.
template <class V> V exponentialLong(V r, double step = 1) {
  const double square = step * step, cube = square * step;
  return horner(r, 0x1p0, step, 0x1.fffffap-2 * square, 0x1.555492p-3 * cube,
                0x1.555a26p-5 * square * square, 0x1.12397cp-7 * square * cube,
                0x1.694c82p-10 * cube * cube);
}

/// (e^r - 1) / r
template <class V> V exponentialSlope(V r, double step = 1) {
  const double square = step * step, cube = square * step;
  return horner(r, step, 0x1.fffffep-2 * square, 0x1.5554b4p-3 * cube,
                0x1.5556f2p-5 * square * square, 0x1.12255ep-7 * square * cube,
                0x1.6b9ca6p-10 * cube * cube);
}

/// e^x - 1; by halves, for 2^n may overflow. At least x, which is the result
/// where Tiny shows.
template <class V> V expm1(V x) {
  V clamped = atLeast(atMost(x - single::Tiny, 89.0f), -18.0f);
  auto [power, r] = reduce<-1>(clamped);
  V half = fma(power, r * exponentialSlope(r), power - 0.5f);
  V result = half + half;
  return select(result < x, x, result);
}

/// e^x - 1 for x <= 0, and anything for others.
template <class V> V expm1BelowZero(V x) {
  auto [power, r] = reduce<0, false>(atLeast(x, -18.0f));
  V m = r * exponentialSlope(r);
  // m + (2^n - 1) (m + 1), with signs that keep -0.
  return fma(-(1.0f - power), m + 1.0f, m);
}

/// 2^-26 (1 + e^-x), so that no x with a result above 0 overflows.
template <class V> V sigmoid(V x) {
  V clamped = atLeast(atMost(x + single::Tiny, 64.0f), -105.0f);
  auto [power, r] = reduce<-26>(clamped, -1.0f);
  return single::timesTwoTo(
      1.0f / fma(power, exponential(r, -1), 0x1p-26f), -26);
}

/// x times the inverse of 2^-30 (1 + e^-x), whose lack of bounds lets -inf give
/// NaN: at the clamp the power is infinite.
template <class V> V silu(V x) {
  auto [power, r] = reduce<-30>(atLeast(x + single::Tiny, -109.5f), -1.0f);
  V inverse = 1.0f / fma(power, exponential(r, -1), 0x1p-30f);
  V result = single::timesTwoTo(abs(x) * inverse, -30);
  return select(x > 32.0f, x, copySign(result, x));
}

/// m / (m + 2) with m = e^2|x| - 1.
template <class V> V tanh(V x) {
  V a = abs(x);
  auto [power, r] = reduce<0, false>(atMost(atLeast(a, single::Tiny), 9.1f), 2);
  V m = fma(power, r * exponentialSlope(r, 2), power - 1.0f);
  V result = m / (m + 2.0f);
  // What is so small that m would be subnormal is its own tangent.
  return copySign(select(result < a, result, a), x);
}

/// a + a q(a^2) up to 1, and 1 - 2^(a q(a)) beyond, the exponent being
/// log2(erfc(a)).
template <class V> V erf(V x) {
  V least = atMost(abs(x), 3.93f), a = atLeast(least, single::Linear);
  V z = a * a;
  V small = fma(least,
                horner(z, 0x1.06eba2p-3, -0x1.812672p-2, 0x1.ce08e8p-4,
                       -0x1.b59f58p-6, 0x1.42345ap-8, -0x1.27045cp-11),
                least);
  V q = paired(a, z, -0x1.a03232p0, -0x1.d9c2c4p-1, -0x1.202364p-3,
               0x1.a2d6d4p-6, -0x1.21633ep-9);
  V shifted = fma(a, q, single::FieldRounder);
  V r = fma(a, q, single::FieldRounder - shifted);
  V p = horner(r, 0x1p0, 0x1.62e42ap-1, 0x1.ebf9bep-3, 0x1.c6b6d8p-5,
               0x1.3cea5cp-7, 0x1.5bdcbep-10);
  V large = fma(-single::powerIn(shifted), p, 1.0f);
  return copySign(select(a > 1.0f, large, small), x);
}

/// 2^40 factor P(-root t), P the normal distribution, for 0 <= root t <= 14.6
/// and step = -root^2 / 2: e^(step t^2) v q(v), v = 1 / (root t + 15 / 4). What
/// v loses goes into the exponent, times the slope of ln(v q(v)) over ln v.
template <class V> V normalTail(V t, V factor, float root, float step) {
  V square = t * t;
  auto [power, r] = reduce<40>(square, step);
  V d = fma(t, root, 3.75f);
  V v = 1.0f / d;
  V lost = fma(-v, fma(t, root, 3.75f - d), fma(-v, d, 1.0f));
  V slope = fma(v, 0x1.12p3f / step, 0x1.5ep-1f / step);
  r = r + fma(lost, slope, fma(t, t, -square));
  V m = r * exponentialSlope(r, step);
  V q = horner(v, 0x1.9893c6p-2, 0x1.7db24cp0, 0x1.594cb6p2, 0x1.988224p3,
               0x1.799e72p6, -0x1.162974p8, 0x1.06daf8p11, -0x1.527cep12,
               0x1.1578e4p12);
  return factor * power * v * fma(q, m, q);
}

/// max(x, 0) - |x| P(-|x|), with the sign of -0.
template <class V> V gelu(V x) {
  V a = atMost(abs(x), 14.6f);
  V tail = normalTail(atLeast(a, single::Linear), a, 1.0f, -0.5f);
  V result = atLeast(x, -0.0f) - single::timesTwoTo(tail, -40);
  return select(x > -Infinity<V>, result, NaN<V>);
}

/// 2 P(-sqrt(2) |x|), and what that leaves of 2 below 0.
template <class V> V erfc(V x) {
  V t = atLeast(atMost(abs(x), 10.3f), single::Linear);
  V tail = normalTail(t, x.like(2), 0x1.6a09e6p0f, -1.0f);
  V result = single::timesTwoTo(tail, -40);
  return select(x < 0, 2.0f - result, result);
}

/// x = (1 + f) 2^-n with 1 + f at least a bound, and below twice that;
/// n in units of 2^23. f is NaN or infinite where x is.
template <class V> struct Split { V f, n; };

inline constexpr std::uint32_t TwoThirds = 0x3f2aaaab, RootHalf = 0x3f3504f3;

/// The power of two that takes a positive number there, or to 2^Shift times
/// that, as bits. For infinity it is one that leaves it infinite.
template <std::uint32_t Bound, int Shift, class V> auto normalizer(V x) {
  constexpr auto highest = static_cast<std::int32_t>(
      Bound + 0x007fffff + 0x3f800000 + (Shift << 23));
  return (highest - x.template bits<std::int32_t>()) & 0x7f800000;
}

/// Of a positive number, 0 or infinity; `scaled` has the sign of x, but no -0.
template <class V> Split<V> split(V x, V &scaled) {
  // By 2^25 below 2^-100 and by 2^-2 elsewhere: so neither the number nor the
  // power that takes it to 1 is subnormal.
  auto isSmall = (x.template bits<std::int32_t>() - 0x0d800000) >> 31;
  auto factor = (isSmall & 0x0d800000) + 0x3e800000;
  scaled = fma(x, factor.template bits<float>(), 0.0f);
  auto power = normalizer<RootHalf, 0>(scaled);
  auto n = power + (factor - 0x7f000000);
  return {fma(scaled, power.template bits<float>(), -1.0f),
          n.template to<float>()};
}

/// The result of a logarithm for which x is positive; NaN where x is negative,
/// of which only the sign is looked at.
template <class V> V unlessNegative(V x, V result) {
  auto sign = x.template bits<std::int32_t>() >> 31;
  return (result.template bits<std::int32_t>() | sign).template bits<float>();
}

/// ln(1 + f) - n 2^-23 ln 2
template <class V> V logarithm(Split<V> of) {
  auto [f, n] = of;
  V z = f * f;
  V tail =
      paired(f, z, -0x1.ffffd6p-2, 0x1.5554fcp-2, -0x1.00145p-2, 0x1.99d3a6p-3,
             -0x1.503882p-3, 0x1.1ea97ep-3, -0x1.3b0e7p-3, 0x1.1f2316p-3);
  return fma(n, -Ln2 * 0x1p-23f, fma(z, tail, f));
}

/// ln(1 + x) of an x that is not subnormal, where `sum` is 1 + x and positive.
/// As the sum has lost low bits of x, only its exponent is used.
template <class V> V logOnePlus(V x, V sum) {
  // Four times the power, for 2^-128 would be subnormal.
  auto bits = normalizer<TwoThirds, 2>(sum);
  auto n = (bits - 0x40800000).template to<float>();
  V power = bits.template bits<float>();
  V f = fma(x * 0.25f, power, fma(power, 0.25f, -1.0f));
  return logarithm(Split<V>{f, n});
}

/// ln(1 + x) for all x: at most x, which is the result where Tiny shows.
template <class V> V log1p(V x) {
  V sum = x + 1.0f;
  V result = logOnePlus(x + single::Tiny, sum);
  result = unlessNegative(sum, select(result > x, x, result));
  return select(sum == 0, -Infinity<V>, result);
}

/// log2(x) of x >= 0, with some 30 bits; with s = f / (2 + f),
/// log(1 + f) = log((1 + s) / (1 - s)) = 2 s + s^3 (2/3 + ...).
template <class V> Sum<V> log2(V x) {
  V scaled = x;
  auto [f, n] = split(x, scaled);
  V d = f + 2.0f;
  V inverse = 1.0f / d;
  V s = f * inverse;
  V rest = fma(-s, f - (d - 2.0f), fma(-s, d, f)) * inverse;
  V z = s * s;
  V tail = paired(z, z * z, 0x1.ec709ep-1, 0x1.27766cp-1, 0x1.a62a64p-2,
                  0x1.50795p-2);
  constexpr float factor = 0x1.715476p1f; // 2 / ln 2
  V high = s * factor;
  V low = fma(s, 0x1.4ae0cp-25f, fma(s, factor, -high));
  // The slope of the whole, 2 / (1 - z), nearly.
  low = fma(rest, fma(z, factor, factor), low);
  low = fma(s * z, tail, low);
  V e = n * -0x1p-23f;
  V sum = e + high;
  low = (e - sum) + high + low;
  V total = sum + low;
  low = (sum - total) + low;
  total = select(x < Infinity<V>, total, x);
  return {select(x == 0, -Infinity<V>, total), low};
}

/// 2^(x + low), with a low that matters between -152 and 130 alone.
template <class V> V exp2(V x, V low) {
  V clamped = atLeast(atMost(x, 130.0f), -152.0f);
  low = select(x == clamped, low, 0.0f);
  V shifted = clamped + PowerRounder<float>;
  V r = (clamped - (shifted - PowerRounder<float>)) + low;
  V p = paired(r, r * r, 0x1p0, 0x1.62e43p-1, 0x1.ebfbd8p-3, 0x1.c6af72p-5,
               0x1.3b309p-7, 0x1.5f0e12p-10, 0x1.3fb5f2p-13);
  return scale(p, shifted);
}

/// |x|^y as 2^(y log2|x|), then the sign that an odd y keeps.
template <class V> V pow(V x, V y) {
  // 1^y and x^0 are 1 for any other argument, NaN and inf included; so are
  // powers of less than Tiny, of which products would be subnormal.
  V a = abs(x);
  V shown = copySign(atLeast(abs(y), single::Tiny), y);
  V exponent = select(a == 1.0f, 0.0f, shown);
  auto [high, low] = log2(select(y == 0, 1.0f, a));
  V product = exponent * high;
  V lost = fma(exponent, low, fma(exponent, high, -product));
  V magnitude = exp2(product, lost);
  auto isInteger = floor(y) == y;
  V half = select(isInteger, y, y.like(0)) * 0.5f;
  auto isOdd = isInteger & (floor(half) != half);
  V result = select(isOdd, copySign(magnitude, x), magnitude);
  auto isNegative = (x < 0) & (x > -Infinity<V>);
  return select(isNegative & ~isInteger, NaN<V>, result);
}

/// (ln(1 + e) - e) / e^2 for 0 <= e <= 1.
template <class V> V logarithmToTwo(V e) {
  return horner(e, -0x1.ffff14p-2, 0x1.5535dep-2, -0x1.fd1368p-3, 0x1.884554p-3,
                -0x1.19af8ep-3, 0x1.44707ap-4, -0x1.eca398p-6, 0x1.5fa0dap-8);
}

/// max(x, 0) + ln(1 + e^-|x|), the latter times 2^26: so scaled all is normal
/// that matters, and at the clamp 0. Tiny shows in no bit.
template <class V> V softplus(V x) {
  V clamped = atMost(abs(x) + single::Tiny, 106.2f);
  auto [power, r] = reduce<26>(clamped, -1.0f);
  V scaled = power * exponential(r, -1);
  V e = fma(scaled, 0x1p-26f, single::Tiny);
  return fma(scaled * fma(e, logarithmToTwo(e), 1.0f), 0x1p-26f,
             atLeast(x, 0.0f));
}

/// The larger of two numbers, and 2^26 times what their ln(e^x + e^y) is more.
template <class V> struct LogSum { V larger, more; };

template <class V> LogSum<V> logaddexp(V x, V y) {
  V larger = select(x < y, y, x), smaller = select(x < y, x, y);
  // With what it loses, for that counts.
  V difference = larger - smaller;
  V part = larger - difference;
  V low = (larger - (difference + part)) + (part - smaller);
  low = select(abs(low) < 0x1p-10f, low, 0.0f); // of infinities it is NaN
  difference = select(x == y, 0.0f, difference);
  // Beyond, the result is the larger; half of `more` is still normal.
  difference = atMost(difference + single::Tiny, 104.0f);
  auto [power, r] = reduce<26>(difference, -1.0f);
  V scaled = power * exponentialLong(r + low, -1);
  V e = fma(scaled, 0x1p-26f, single::Tiny);
  return {larger, fma(e * logarithmToTwo(e), scaled, scaled)};
}

/// tanh(ln(1 + e)) is n / (n + 2) with n = e (e + 2), e = e^x.
template <class V> V mish(V x) {
  // At the clamp the power is 0, which makes NaN of -inf.
  auto [power, r] = reduce<32>(atLeast(x, -110.2f));
  V scaled = power * exponentialLong(r);
  V n = fma(scaled, scaled * 0x1p-32f, scaled + scaled);
  V quotient = abs(x) * n / fma(n, 0x1p-32f, 2.0f);
  V result = copySign(single::timesTwoTo(quotient, -32), x);
  return select(x > 20.0f, x, result);
}

/// sinh and cosh of x, halved. With x = n ln 2 + r and u, v = (2^n +- 2^-n) /
/// 2, sinh(x) = u sinh(r) + v cosh(r) and cosh(x) = u cosh(r) + v sinh(r), in
/// which nothing cancels.
template <class V> struct SinhCosh { V sinh, cosh; };

/// Of a positive number, or one of the size of Tiny.
template <class V> SinhCosh<V> sinhCosh(V x) {
  auto [power, r] = reduce<-2>(atMost(x, 89.5f));
  // 2^-n, but no number below 2^-126.
  auto bits = 0x7d000000 - power.template bits<std::int32_t>();
  V inverse = select(bits < 0, 0, bits).template bits<float>();
  V u = power + inverse, v = power - inverse;
  V z = r * r;
  V s = r * horner(z, 0x1p0, 0x1.5554bp-3, 0x1.1227b8p-7);
  V c = z * horner(z, 0x1p-1, 0x1.5554e6p-5, 0x1.6d4f2p-10);
  return {fma(u, s, v * c) + v, fma(v, s, u * c) + u};
}

/// At least |x|, which is the result where Tiny shows.
template <class V> V sinh(V x) {
  V a = abs(x), half = sinhCosh(a - single::Tiny).sinh;
  V result = half + half;
  return copySign(select(result < a, a, result), x);
}

template <class V> V cosh(V x) {
  V half = sinhCosh(abs(x) + single::Tiny).cosh;
  return half + half;
}

/// ln of what is 1 + f for a below 2^40, and 2 a beyond.
template <class V> V areaLogarithm(V a, V f) {
  auto isLarge = a > 0x1p40f;
  V x = select(isLarge, a, f);
  V result = logOnePlus(x, x + 1.0f);
  return select(isLarge, result + Ln2, result);
}

template <class V> V asinh(V x) {
  V a = abs(x);
  V z = a * a;
  V f = (a + single::Tiny) + z / (sqrt(z + 1.0f) + 1.0f);
  // At most a, which is the result where Tiny shows.
  V result = areaLogarithm(a, f);
  return copySign(select(result > a, a, result), x);
}

template <class V> V acosh(V x) {
  V some = atLeast(x, 1.0f);
  V t = some - 1.0f;
  V f = t + sqrt(t * (t + 2.0f));
  return select(x >= 1.0f, areaLogarithm(some, f), NaN<V>);
}

template <class V> V atanh(V x) {
  V a = atMost(abs(x), 2.0f), normal = atLeast(a, single::Tiny);
  V f = (normal + normal) / (1.0f - normal);
  return copySign(select(a < normal, a, log1p(f) * 0.5f), x);
}

/// |x| up to which a whole number of turns leaves a rest that is right.
inline constexpr float TurnsLimit = 0x1p15f;

/// x = (n - 1/2 if Quarter) pi / Parts + rest. Of the sum of three numbers that
/// pi is, the product with the first leaves an exact rest.
template <class V> struct Turned {
  V rest;
  typename V::template As<std::int32_t> odd; ///< Negative if n is odd.
};

template <int Parts, bool Quarter = false, class V> Turned<V> turn(V x) {
  constexpr float inverse = 0x1.45f306p-2f * Parts;
  V shifted = x, n = x;
  if constexpr (Quarter) {
    shifted = fma(x, inverse, 0.5f) + single::Rounder;
    n = (shifted - single::Rounder) - 0.5f;
  } else {
    shifted = fma(x, inverse, single::Rounder);
    n = shifted - single::Rounder;
  }
  // Factors are negative, that -0 stays.
  V rest = fma(n, -0x1.921fb4p1f / Parts, x);
  rest = fma(n, -0x1.4442dp-23f / Parts, rest);
  rest = fma(n, -0x1.846988p-47f / Parts, rest).named("reduced");
  return {rest, shifted.template bits<std::int32_t>() << 31};
}

/// The value, negated where `odd` is negative.
template <class V, class I> V alternate(V value, I odd) {
  return (value.template bits<std::int32_t>() ^
          (odd & std::numeric_limits<std::int32_t>::min()))
      .template bits<float>();
}

/// sin(x), or cos(x) if that was turned with Quarter.
template <class V> V sine(Turned<V> turned) {
  auto [r, odd] = turned;
  V z = fma(r, r, 0x1p-100f); // which shows nowhere, and is never subnormal
  V ratio = horner(z, 0x1p0, -0x1.55554cp-3, 0x1.110ed4p-7, -0x1.9f6f2p-13,
                   0x1.5d9p-19);
  return alternate(r, odd) * ratio;
}

/// tan(x), turned by quarters.
template <class V> V tan(Turned<V> turned) {
  auto [r, odd] = turned;
  V z = r * r;
  V p = r * fma(z, -0x1.885314p-4f, 1.0f);
  V q = horner(z, 0x1p0, -0x1.b76a3cp-2, 0x1.3e2c3p-7);
  // tan(r + pi / 2) = -1 / tan(r)
  auto isOdd = odd < 0;
  return alternate(select(isOdd, q, p), odd) / select(isOdd, p, q);
}

/// atan(t) for 0 <= t <= 1.
template <class V> V arctangent(V t) {
  V z = t * t;
  V tail = horner(z, -0x1.5552dep-2, 0x1.99127cp-3, -0x1.1f916ap-3,
                  0x1.985134p-4, -0x1.ed3512p-5, 0x1.95465p-6, -0x1.3c158p-8);
  return fma(t, z * tail, t);
}

template <class V> V atan(V x) {
  V a = abs(x);
  V angle = arctangent(atMost(a, 1.0f) / atLeast(a, 1.0f));
  return copySign(select(a > 1.0f, HalfPi - angle, angle), x);
}

template <class V> V atan2(V y, V x) {
  V up = abs(y), across = abs(x);
  auto isSteep = up > across;
  V low = select(isSteep, across, up), high = select(isSteep, up, across);
  // 0 over 0 is to be 0, and infinity over infinity 1.
  V above = atLeast(high, 0x1p-149f);
  V angle = arctangent(select(low == above, 1.0f, low / above));
  angle = select(isSteep, HalfPi - angle, angle);
  // By its sign bit: (0, -0) is half a turn.
  auto isBehind = x.template bits<std::int32_t>() < 0;
  return copySign(select(isBehind, Pi - angle, angle), y);
}

/// asin(a), or (pi / 2 - asin(a)) / 2 where a is above 1/2.
template <class V> struct Arcsine {
  V angle;
  typename V::Mask isSteep;
};

template <class V> Arcsine<V> arcsine(V a) {
  auto isSteep = a > 0.5f;
  V half = (1.0f - a) * 0.5f;
  V z = select(isSteep, half, a * a);
  V s = select(isSteep, sqrt(half), a);
  return {fma(s, z * single::arcsineTail(z), s), isSteep};
}

template <class V> V asin(V x) {
  auto [angle, isSteep] = arcsine(abs(x));
  return copySign(select(isSteep, fma(angle, -2.0f, HalfPi), angle), x);
}

template <class V> V acos(V x) {
  auto [angle, isSteep] = arcsine(abs(x) + single::Tiny);
  V turned = copySign(angle, x);
  V steep = fma(turned, 2.0f, select(x < 0, Pi, x.like(0)));
  return select(isSteep, steep, HalfPi - turned);
}

} // namespace kexpr::ops::fast

#endif // KEXPR_OPS_FAST_H
