//===- Ulp/Verdict.h - How far a result is from the exact one -----------===//
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

#include <cmath>
#include <optional>

namespace kexpr::tools {

/// What a floating-point type can represent.
struct Format {
  int digits;      ///< Of a significand.
  int minExponent; ///< The smallest normal number is 2^minExponent.
  int maxExponent; ///< The largest number is just below 2^(maxExponent + 1).
};

inline constexpr Format formatOf(DType type) {
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

/// What is to be said of `got`, a number of `type`.
Verdict judge(double got, const Real &exact, DType type);

/// How far the quick reference can be believed.
struct Trust {
  /// Its error in units of an f32, with room to spare.
  double doubt = 0;
  /// Whether its zeros, infinities and NaNs are right where a kernel has the
  /// same.
  bool edges = true;
  /// Whether it is asked at all.
  bool any() const { return doubt < 0.125; }
};

/// The same of an f32 from a reference in double. Nothing where that does not
/// settle it: near the middle between two numbers, at the edges of the range,
/// and where the error is more than that of rounding and may be more than
/// `record`, the largest one so far.
std::optional<Verdict> judgeQuickly(double got, double exact,
                                    const Trust &trust, double record);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_ULP_VERDICT_H
