//===- Ops/LogSums.h - logaddexp that nearly vanishes, in double lanes ----===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Logarithms of probabilities that add up to 1 have a logaddexp of about
/// 2^-25 times the larger, so what f32 formulas need of it is more than a
/// double has. With e^z = 1 - e^x and d = y - z,
///
///   ln(e^x + e^y) = ln(1 + t), t = (1 - e^x) (e^d - 1)
///   z = ln(-x) + x / 2 + ln(sinh(x / 2) / (x / 2))
///
/// where d is so small that its absolute error counts. Of y and the first terms
/// of z each takes off nearly all that is left; as x and y are f32 numbers,
/// most of these differences are exact. The tables and coefficients are made by
/// utils/minimax/logaddexp.py.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_LOGSUMS_H
#define KEXPR_OPS_LOGSUMS_H

#include "Ops/Double/Power.h"
#include "Ops/Wide.h"

namespace kexpr::ops::wide {

/// Inverses of 27 bits of numbers in 32 parts of [1, 2], and minus their
/// logarithms, which are as many multiples of 2^-53 but for 2^-68.
inline constexpr double LogSumInverses[32] = {
    0x1.f80a22p-1,  0x1.e9419ecp-1, 0x1.dab3d8cp-1, 0x1.cd655d8p-1,
    0x1.c0b0758p-1, 0x1.b4f879cp-1, 0x1.a964c7cp-1, 0x1.9ec7c3p-1,
    0x1.947ebdcp-1, 0x1.8ac7b84p-1, 0x1.816c8a4p-1, 0x1.78b61fcp-1,
    0x1.7015b1cp-1, 0x1.67f91a8p-1, 0x1.6038828p-1, 0x1.5914e6p-1,
    0x1.51c446p-1,  0x1.4ac271cp-1, 0x1.44789bcp-1, 0x1.3e181fp-1,
    0x1.3802d74p-1, 0x1.3275fep-1,  0x1.2c8c9b8p-1, 0x1.274ffd8p-1,
    0x1.222d154p-1, 0x1.1cc992cp-1, 0x1.17dce8cp-1, 0x1.1390514p-1,
    0x1.0ecd684p-1, 0x1.0a41dccp-1, 0x1.062801p-1,  0x1.01fa874p-1};
inline constexpr double LogSumLogs[32] = {
    0x1.00bc03427d4cp-6,  0x1.743a915e0e2fp-5,  0x1.35ce62c993678p-4,
    0x1.aa433fb472588p-4, 0x1.0e52db68daf5p-3,  0x1.4485fd88a4d2p-3,
    0x1.7b8398e526e38p-3, 0x1.af42421a0f90cp-3, 0x1.e2aed739d99ep-3,
    0x1.0a3c484daa684p-2, 0x1.22cbd206b389ep-2, 0x1.3a35a01a6ed24p-2,
    0x1.51ee845140202p-2, 0x1.68c021f7bf258p-2, 0x1.7f0b4c91188p-2,
    0x1.94033dbf4aa74p-2, 0x1.a9f3d62531fd6p-2, 0x1.bf6b5a32d22dp-2,
    0x1.d3133cb0cc4cap-2, 0x1.e76682e8ffc8cp-2, 0x1.fb2c382354552p-2,
    0x1.06c6a997831b3p-1, 0x1.10bfc21564756p-1, 0x1.19bfb1be5a0a5p-1,
    0x1.22bb7b747e5bfp-1, 0x1.2c546fe5a90dcp-1, 0x1.3542b9632943bp-1,
    0x1.3d2fd8a34d7dcp-1, 0x1.461c630c1b7edp-1, 0x1.4ec6f21e9eb0cp-1,
    0x1.56b97b70a6229p-1, 0x1.5ef306882b34cp-1};

/// y - ln(1 - e^x), off by less than 2^-66, of f32 numbers -0.6932 < x < 0 and
/// y where it is below 2^-17.
template <class D> D logSumGap(D x, D y) {
  // -x = m 2^n, ln(m) = ln(1 + f) - ln(inverse)
  auto bits = (-x).template bits<std::int64_t>();
  auto biased = shiftRightLogical(bits, 52) | 0x4330000000000000;
  D n = biased.template bits<double>() - (0x1p52 + 1023);
  auto one = (bits & 0x000fffffffffffff) | 0x3ff0000000000000;
  auto index = bits >> 47;
  D f = fma(one.template bits<double>(), index.lookUp(LogSumInverses), -1.0);
  D high = fma(n, -f64::Ln2, y) - index.lookUp(LogSumLogs) - f;

  // Less than a double holds all bits of the next three terms: of the first two
  // what is lost goes into a sum of its own.
  constexpr double part = 0x1.5555555555555p-5, rest = 0x1.5555555555555p-59;
  D half = x * 0.5, z = x * x, quadratic = z * part, square = f * f;
  D second = high - half, third = second - quadratic;
  D low = (high - second - half) + (second - third - quadratic);
  low = low - fma(z, rest, fma(z, part, -quadratic));
  low = fma(fma(f, f, -square), 0.5, fma(n, -f64::Ln2Low, low));

  D cubic =
      horner(f, 0x1.5555555555555p-2, -0x1p-2, 0x1.999999999c6cdp-3,
             -0x1.5555555557ec4p-3, 0x1.2492484054f68p-3, -0x1.fffffe5d8f1p-4,
             0x1.c74a8b1d9da24p-4, -0x1.99c3db8858956p-4);
  D quartic = horner(z, 0x1.6c16c16c16c17p-12, -0x1.71de3a556c6e4p-18,
                     0x1.bbd779332560bp-24, -0x1.1eed8ebe9bd6ap-29,
                     0x1.8355711fd112fp-35, -0x1.0cea7cd205af6p-40,
                     0x1.6f85bc4aa78cp-46);
  low = fma(z * z, quartic, fma(f * square, -cubic, low));
  return fma(square, 0.5, third) + low;
}

/// ln(e^x + e^y) of f32 numbers y <= x < 0 where it is below 2^-17 |x|.
template <class D> D logSumNearZero(D x, D y) {
  D d = logSumGap(x, y);
  D slope = horner(x, 0x1.fffffffff8814p-1, 0x1.fffffff52e756p-2,
                   0x1.555552c3ffffap-3, 0x1.5554de25f1fbp-5,
                   0x1.11066a4322c89p-7, 0x1.6b0c7ccfbbd38p-10,
                   0x1.91879fdeac733p-13, 0x1.32c4c62b31f4ap-16);
  D t = -x * slope * fma(d * d, 0.5, d);
  D result = fma(t * t, -0.5, t);
  // Two of 10,000 sums of probabilities.
  return rarely(abs(result) < abs(x) * 0x1p-37, result,
                [x, y] { return f64::logaddexpNearZero(x, y); });
}

} // namespace kexpr::ops::wide

#endif // KEXPR_OPS_LOGSUMS_H
