//===- Ulp/Verdict.h - How far results are from the exact ones -----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Errors are in units in the last place (ulp): the distance of two neighbours
/// of the result's type where the exact result is, which is the same for all
/// from one power of two up to the next, and for all subnormals. What is beyond
/// the largest number counts as 2^128 in f32, 2^1024 in f64. NaN is right where
/// NaN is, and infinitely wrong elsewhere.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_ULP_VERDICT_H
#define KEXPR_TOOLS_ULP_VERDICT_H

#include "Ulp/Real.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace kexpr::tools {

/// What a floating-point type can represent.
struct Format {
  int digits;      ///< Of a significand.
  int minExponent; ///< The smallest normal number is 2^minExponent.
  int maxExponent; ///< The largest number is just below 2^(maxExponent + 1).
};

constexpr Format formatOf(DType type) {
  return type == DType::F32 ? Format{24, -126, 127} : Format{53, -1022, 1023};
}

struct Verdict {
  double ulp = 0;
  /// |got - exact|.
  double absolute = 0;
  /// Whether the result is the number nearest to the exact result.
  bool isNearest = true;
  /// Whether the result is a zero, and right but for its sign.
  bool hasWrongSign = false;
};

/// Whether two numbers are the same bit for bit; any NaN is like another.
inline bool sameNumber(double a, double b) {
  return (a == b && std::signbit(a) == std::signbit(b)) ||
         (std::isnan(a) && std::isnan(b));
}

/// The verdict on `got`, a number of `type`.
Verdict judge(double got, const Real &exact, DType type);
/// An error in units in the last place of a number of this size.
double unitsOf(double error, double size, DType type);

/// How far the quick reference can be believed.
struct Trust {
  /// Its error in units of an f32, with room to spare.
  double doubt = 0;
  /// Whether its zeros, infinities and NaNs are right where a kernel has the
  /// same.
  bool edges = true;
  /// Whether it is used at all.
  bool any() const { return doubt < 0.125; }
};

/// The verdict on an f32 by a reference in double. Nothing where that does not
/// settle it: near the middle between two numbers, at the edges of the range,
/// and where the error is more than that of rounding and may be more than
/// `record`, the largest one so far.
std::optional<Verdict> judgeQuickly(double got, double exact,
                                    const Trust &trust, double record);

/// The largest of some errors, and the arguments at which it is: of equal ones
/// the first in the order of the inputs, whichever thread met it.
struct Largest {
  double error = 0;
  std::uint64_t index = 0;
  /// Empty as long as there is no error.
  std::vector<double> arguments = {};

  void add(const Largest &other) {
    add(other.error, other.index, other.arguments);
  }
  void add(double other, std::uint64_t at, std::span<const double> values) {
    if (other < error || other == 0 || (other == error && at >= index))
      return;
    error = other;
    index = at;
    arguments.assign(values.begin(), values.end());
  }
};

/// The sum of the verdicts on one kernel.
struct Tally {
  /// Upper ends, in ulp, of the steps that errors are counted in.
  static constexpr double Steps[] = {0.5,
                                     0.51,
                                     0.6,
                                     0.8,
                                     1.0,
                                     2.0,
                                     4.0,
                                     16.0,
                                     256.0,
                                     0x1p16,
                                     std::numeric_limits<double>::max(),
                                     std::numeric_limits<double>::infinity()};

  std::uint64_t inputs = 0;
  /// Results that are not the nearest number.
  std::uint64_t misrounded = 0;
  /// Zeros of the wrong sign.
  std::uint64_t wrongSigns = 0;
  /// Results with other bits than those of the interpreter.
  std::uint64_t differing = 0;
  Largest ulp = {}, absolute = {};
  /// The first of the zeros of the wrong sign, and of the results with other
  /// bits, each with an error of 1.
  Largest wrongSign = {}, different = {};
  /// Of all finite errors.
  double sum = 0;
  std::array<std::uint64_t, std::size(Steps)> counts = {};

  void add(const Verdict &verdict, std::uint64_t index,
           std::span<const double> arguments);
  void add(const Tally &other);
  /// Counts a result with other bits than the interpreter's.
  void addDiffering(std::uint64_t index, std::span<const double> arguments) {
    ++differing;
    different.add(1, index, arguments);
  }
  /// The mean of the finite errors.
  double mean() const {
    const std::uint64_t finite = inputs - counts.back();
    return finite ? sum / static_cast<double>(finite) : 0;
  }
};

/// The reference of an operator, over its arguments.
using ReferenceFn = double (*)(const double *arguments);

/// The quick way through the results of a function of one argument, which
/// several precisions may have computed: `results[s][i]` is that of
/// `arguments[i]`, input `first` + i. Nearly all results of a sweep over f32
/// are the nearest number, and the double reference leaves no doubt of it:
/// these take a few nanoseconds each, and are counted in the result. The
/// indices of the others are added to `left`, for `judge`.
Tally scan(std::uint64_t first, std::span<const float> arguments,
           std::span<const float *const> results, ReferenceFn reference,
           const Trust &trust, std::vector<std::size_t> &left);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_ULP_VERDICT_H
