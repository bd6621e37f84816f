//===- Ops/Double/InverseTrigonometry.h - asin, acos and atan in f64 ------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// All end in a sum whose largest term is exact, and which is rounded once. The
/// polynomials are in utils/minimax.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_DOUBLE_INVERSETRIGONOMETRY_H
#define KEXPR_OPS_DOUBLE_INVERSETRIGONOMETRY_H

#include "Ops/Double/DoubleDouble.h"

namespace kexpr::ops::f64 {

namespace arcs {

inline constexpr double Pi = 0x1.921fb54442d18p1;
inline constexpr double HalfPi = 0x1.921fb54442d18p0;
/// What HalfPi, Pi / 4 or Pi lacks, over what it is.
inline constexpr double PiDefect = 0x1.678afae35cdd1p-55;

/// base + x + tail, where base is 0 or exceeds x.
template <class D> D sum(D base, D x, D tail) {
  Pair<D> head = quickTwoSum(base, x);
  return head.high + (head.low + tail);
}

/// asin(a) as high + low for 0 <= a <= 1/2. For a above, asin of
/// sqrt((1 - a) / 2), which is half of acos(a).
template <class D> struct Arc {
  D high, low;
  typename D::Mask steep;
};

/// The square root's rounding is made good with an inverse root good to 4 %, a
/// linear function of the logarithm that the bits amount to.
template <class D> Arc<D> arcOf(D a) {
  auto steep = a > 0.5;
  D half = fma(a, -0.5, 0.5);
  D root = sqrt(half);
  auto bits = half.template bits<std::int64_t>();
  D inverse =
      (0x5fe6eb50c7b537a9 - shiftRightLogical(bits, 1)).template bits<double>();
  D rootLow = fma(-root, root, half) * (inverse * 0.5);

  D z = select(steep, half, a * a);
  D high = select(steep, root, a);
  D tail =
      horner(z, 0x1.555555555539p-3, 0x1.333333336e80fp-4, 0x1.6db6db427a4f8p-5,
             0x1.f1c72c38fb342p-6, 0x1.6e89f440197a7p-6, 0x1.1c6be1a687738p-6,
             0x1.c6fdc1aaa5333p-7, 0x1.8ec2fca604435p-7, 0x1.abcf5cd7c44efp-8,
             0x1.3ff4a990b2879p-6, -0x1.09d32833a0d94p-6, 0x1.056d6c8139f2bp-5);
  return {high, fma(high * z, tail, select(steep, rootLow, 0)), steep};
}

/// base + atan(numerator / (denominator + low)) for quotients up to 1/2; base
/// is a multiple of pi / 4, less what a double lacks of it.
template <class D> D turned(D base, D numerator, D denominator, D low) {
  D inverse = 1.0 / denominator;
  D t = numerator * inverse;
  D missing = fma(-t, low, fma(-t, denominator, numerator)) * inverse;
  D z = t * t;
  D tail = horner(
      z, -0x1.5555555555516p-2, 0x1.9999999991142p-3, -0x1.249249215de3bp-3,
      0x1.c71c7090e8ec7p-4, -0x1.745cf4cb39789p-4, 0x1.3b113dc14f3cdp-4,
      -0x1.10f31f1dac3ebp-4, 0x1.dfe977c6dc21ep-5, -0x1.a39864e5a4c39p-5,
      0x1.56f5c027c5b34p-5, -0x1.c17fb6ad560d1p-6, 0x1.4b83dcb5d9702p-7);
  // The derivative, 1 / (1 + z), is near enough 1 - z.
  D rest = fma(t * z, tail, fma(-z, missing, missing));
  return sum(base, t, fma(base, PiDefect, rest));
}

/// The angle of the point (x, y) for y >= 0, x >= 0, mirrored where `behind`.
/// Needs what is not 0 of them to lie within 2^-500 and 2^700.
template <class D> D angle(D y, D x, typename D::Mask behind) {
  auto steep = y > x;
  D low = select(steep, x, y);
  // 0 over 0 is to be 0.
  D high = atLeast(select(steep, y, x), 0x1p-500);
  // Next to the diagonal, tan(b - pi / 4) = (tan b - 1) / (tan b + 1).
  auto diagonal = low > high * 0.5;
  D both = high + low;
  D numerator = select(diagonal, low - high, low);
  D denominator = select(diagonal, both, high);
  D lost = select(diagonal, (high - both) + low, 0);

  D eighths = select(diagonal, low.like(1), 0);
  eighths = select(steep, 2.0 - eighths, eighths);
  eighths = select(behind, 4.0 - eighths, eighths);
  numerator = select(steep ^ behind, -numerator, numerator);
  return turned(eighths * (HalfPi / 2), numerator, denominator, lost);
}

} // namespace arcs

/// Above 1/2, asin(a) = pi / 2 - 2 asin(sqrt((1 - a) / 2)).
template <class D> D asin(D x) {
  D a = abs(x);
  auto [high, low, steep] = arcs::arcOf(atLeast(a, Tiny));
  D pole = x.like(arcs::HalfPi);
  D above = arcs::sum(pole, high * -2.0,
                      fma(low, -2.0, arcs::HalfPi * arcs::PiDefect));
  D result = select(steep, above, high + low);
  return copySign(select(a < Tiny, a, result), x);
}

template <class D> D acos(D x) {
  auto [high, low, steep] = arcs::arcOf(abs(x) + Tiny);
  D base = select(steep, select(x < 0, arcs::Pi, x.like(0)), arcs::HalfPi);
  D factor = select(steep, x.like(2), -1) * copySign(1, x);
  return arcs::sum(base, high * factor,
                   fma(low, factor, base * arcs::PiDefect));
}

template <class D> D atan(D x) {
  D a = atLeast(atMost(abs(x), 0x1p60), Tiny);
  auto diagonal = a > 0.5, steep = a > 2;
  D both = a + 1.0;
  D base = select(diagonal, x.like(arcs::HalfPi / 2), 0);
  D numerator = select(diagonal, a - 1.0, a);
  D denominator = select(diagonal, both, 1);
  D lost = select(diagonal, (1.0 - both) + a, 0);
  D result = arcs::turned(
      select(steep, arcs::HalfPi, base), select(steep, -1, numerator),
      select(steep, a, denominator), select(steep, 0, lost));
  // No angle is larger than its tangent.
  return copySign(select(abs(x) < result, abs(x), result), x);
}

/// y / x for y < x 2^-60 and a normal x. Processors that divide subnormal
/// numbers empty their pipelines for it, so that the last product alone is
/// subnormal: there the quotient is rounded twice.
template <class D> D smallQuotient(D y, D x) {
  auto isTiny = y < 0x1p-200;
  auto isHuge = x > 0x1p500;
  D quotient = (y * select(isTiny, 0x1p300, y.like(1))) /
               (x * select(isHuge, 0x1p-300, x.like(1)));
  return quotient * (select(isTiny, 0x1p-300, y.like(1)) *
                     select(isHuge, 0x1p-300, x.like(1)));
}

/// Two numbers with the angle of the point (x, y), which may be far out: both
/// are scaled, and where the smaller one does not show, it is 0 instead of what
/// might be subnormal. A quotient that is all of the angle comes third; where
/// it is not, -1 does.
template <class D>
Several<D, 3> scaledPoint(D y, D x, typename D::Mask behind,
                          typename D::Mask isFar) {
  D high = select(y > x, y, x);
  D scale = select(high < 0x1p-400, 0x1p600, x.like(1));
  scale = select(high > 0x1p500, 0x1p-600, scale);
  auto isFlat = isFar & (y < x * 0x1p-60);
  auto isSteep = isFar & (x * 0x1p60 < y);
  // Infinity over infinity is to be 1: what dwarfs every scaled number does.
  D up = atMost(select(isFlat, 0, y) * scale, 0x1p700);
  D across = atMost(select(isSteep, 0, x) * scale, 0x1p700);
  auto isQuotient = isFlat & ~behind;
  D quotient = rarely(isQuotient, y.like(-1), [=] {
    return smallQuotient(select(isQuotient, y, -1), select(isQuotient, x, 1));
  });
  return {{up, across, quotient}};
}

template <class D> D atan2(D ordinate, D abscissa) {
  D y = abs(ordinate), x = abs(abscissa);
  // By its sign bit: (0, -0) is half a turn.
  auto behind = copySign(1, abscissa) < 0;
  D low = select(y > x, x, y), high = select(y > x, y, x);
  auto isFar = (high > 0x1p500) | ((low < 0x1p-500) & (low != 0));
  auto [up, across, quotient] =
      rarely(isFar, Several<D, 3>{{y, x, y.like(-1)}}, [=] {
        return scaledPoint(y, x, behind, isFar);
      }).each;
  D angle = arcs::angle(up, across, behind);
  return copySign(select(quotient < 0, angle, quotient), ordinate);
}

} // namespace kexpr::ops::f64

#endif // KEXPR_OPS_DOUBLE_INVERSETRIGONOMETRY_H
