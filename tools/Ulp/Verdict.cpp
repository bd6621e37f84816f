//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ulp/Verdict.h"

#include <algorithm>
#include <bit>
#include <cmath>

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
  return {.ulp = distance(wide, exact, unitOf(exact, format), format),
          .absolute =
              wide == exact ? 0 : fabs(wide - exact).roundTo(DType::F64),
          .isNearest = got == nearest,
          .hasWrongSign = got == 0 && nearest == 0 &&
                          std::signbit(got) != std::signbit(nearest)};
}

double tools::unitsOf(double error, double size, DType type) {
  return std::ldexp(error, -static_cast<int>(unitOf(size, formatOf(type))));
}

/// 1 / unit of an f32 of this normal size.
static double unitsPer(double size) {
  // A double's exponent is biased by 1023.
  return std::bit_cast<double>(
      (2046 + 23 - (std::bit_cast<std::uint64_t>(size) >> 52)) << 52);
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
  const double perUnit = unitsPer(std::clamp(size, 0x1p-126, 0x1p127));
  auto errorOf = [&, clamped = std::clamp(exact, -limit, limit)](double x) {
    return std::fabs(std::clamp(x, -limit, limit) - clamped) * perUnit;
  };
  const double error = errorOf(got);
  const bool isRecord = error > 0.5 && error + trust.doubt >= record;
  if (isRecord || std::fabs(errorOf(nearest) - 0.5) <= trust.doubt)
    return std::nullopt;
  return Verdict{
      error, got == exact ? 0 : std::fabs(got - exact), got == nearest,
      got == 0 && nearest == 0 && std::signbit(got) != std::signbit(nearest)};
}

void Tally::add(const Verdict &verdict, std::uint64_t index,
                std::span<const double> arguments) {
  ++inputs;
  misrounded += !verdict.isNearest;
  wrongSigns += verdict.hasWrongSign;
  wrongSign.add(verdict.hasWrongSign, index, arguments);
  ulp.add(verdict.ulp, index, arguments);
  absolute.add(verdict.absolute, index, arguments);
  if (verdict.ulp < Infinity)
    sum += verdict.ulp;
  ++counts[std::lower_bound(std::begin(Steps), std::end(Steps), verdict.ulp) -
           Steps];
}

void Tally::add(const Tally &other) {
  inputs += other.inputs;
  misrounded += other.misrounded;
  wrongSigns += other.wrongSigns;
  differing += other.differing;
  ulp.add(other.ulp);
  absolute.add(other.absolute);
  wrongSign.add(other.wrongSign);
  different.add(other.different);
  sum += other.sum;
  for (std::size_t i = 0; i < counts.size(); ++i)
    counts[i] += other.counts[i];
}

Tally tools::scan(std::uint64_t first, std::span<const float> arguments,
                  std::span<const float *const> results, ReferenceFn reference,
                  const Trust &trust, std::vector<std::size_t> &left) {
  Tally tally;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const double argument = arguments[i];
    const double exact = reference(&argument), size = std::fabs(exact);
    const auto nearest = static_cast<float>(exact);
    bool isSettled =
        std::all_of(results.begin(), results.end(), [=](const float *result) {
          return sameNumber(result[i], nearest);
        });
    if (isSettled && size >= 0x1p-126 && size < 0x1p127) {
      const double distance = std::fabs(nearest - exact);
      const double error = distance * unitsPer(size);
      isSettled = error < 0.5 - trust.doubt;
      if (isSettled) {
        tally.sum += error;
        tally.ulp.add(error, first + i, {&argument, 1});
        tally.absolute.add(distance, first + i, {&argument, 1});
      }
    } else {
      isSettled &= trust.edges && (size == 0 || !(size < Infinity));
    }
    if (isSettled)
      ++tally.inputs;
    else
      left.push_back(i);
  }
  tally.counts[0] = tally.inputs;
  return tally;
}
