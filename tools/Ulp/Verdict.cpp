//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ulp/Verdict.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

using namespace kexpr;
using namespace kexpr::tools;

static constexpr double Infinity = std::numeric_limits<double>::infinity();

/// log2 of the unit in the last place of `exact`.
static long unitOf(const Real &exact, const Format &format) {
  long exponent = format.minExponent;
  if (exact.isInfinite())
    exponent = format.maxExponent;
  else if (!exact.isZero())
    exponent = std::clamp<long>(exact.exponent(), format.minExponent,
                                format.maxExponent);
  return exponent - (format.digits - 1);
}

/// |a - b| / 2^unit, both brought to within +-2^(maxExponent + 1).
static double distance(const Real &a, const Real &b, long unit,
                       const Format &format) {
  const Real limit = Real(1).scaled(format.maxExponent + 1);
  auto limited = [&limit](const Real &x) {
    return x > limit ? limit : x < -limit ? -limit : x;
  };
  return fabs(limited(a) - limited(b)).scaled(-unit).roundTo(DType::F64);
}

Verdict tools::judge(double got, const Real &exact, DType type) {
  const double nearest = exact.roundTo(type);
  if (std::isnan(got) || std::isnan(nearest)) {
    const bool same = std::isnan(got) && std::isnan(nearest);
    const double error = same ? 0 : Infinity;
    return {error, error, same, false};
  }
  const Format format = formatOf(type);
  const Real wide = got;
  Verdict verdict;
  verdict.ulp = distance(wide, exact, unitOf(exact, format), format);
  verdict.absolute = wide == exact ? 0 : fabs(wide - exact).roundTo(DType::F64);
  verdict.isNearest = got == nearest;
  verdict.hasWrongSign = got == 0 && verdict.isNearest &&
                         std::signbit(got) != std::signbit(nearest);
  return verdict;
}

std::optional<Verdict> tools::judgeQuickly(double got, double exact,
                                           const Trust &trust, double record) {
  constexpr double least = 0x1p-300, limit = 0x1p128;
  const double size = std::fabs(exact);
  const double nearest = static_cast<float>(exact);
  if (!(size > least && size < Infinity)) {
    if (trust.edges && sameNumber(got, nearest))
      return Verdict{};
    return std::nullopt;
  }
  if (std::isnan(got))
    return std::nullopt;
  const double clamped = std::clamp(exact, -limit, limit);
  // 1 / unit; a double's exponent is biased by 1023.
  const auto bits =
      std::bit_cast<std::uint64_t>(std::clamp(size, 0x1p-126, 0x1p127));
  const double perUnit =
      std::bit_cast<double>((2046 + 23 - (bits >> 52)) << 52);
  auto errorOf = [&](double x) {
    return std::fabs(std::clamp(x, -limit, limit) - clamped) * perUnit;
  };
  const double error = errorOf(got);
  const bool isRecord = error > 0.5 && error + trust.doubt >= record;
  if (isRecord || std::fabs(errorOf(nearest) - 0.5) <= trust.doubt)
    return std::nullopt;
  const bool isNearest = got == nearest;
  return Verdict{error, got == exact ? 0 : std::fabs(got - exact), isNearest,
                 got == 0 && isNearest &&
                     std::signbit(got) != std::signbit(nearest)};
}
