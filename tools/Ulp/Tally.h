//===- Ulp/Tally.h - Verdicts added up ----------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_ULP_TALLY_H
#define KEXPR_TOOLS_ULP_TALLY_H

#include "Ulp/Scan.h"

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace kexpr::tools {

/// The largest of some errors, and the arguments at which it is: of equal ones
/// the one met first in the order of the inputs, whichever thread met it.
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

/// What the verdicts on one kernel come to.
struct Tally {
  /// Upper ends, in ulp, of the steps that errors are counted in.
  static constexpr std::array Steps = {0.5,
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

  std::uint64_t walked = 0;
  /// Results that are not the nearest number.
  std::uint64_t misrounded = 0;
  /// Zeros of the wrong sign.
  std::uint64_t wrongSigns = 0;
  /// Results with other bits than those of the interpreter.
  std::uint64_t differing = 0;
  Largest ulp, absolute;
  /// The first of the zeros of the wrong sign, and of the results with other
  /// bits, each with an error of 1.
  Largest wrongSign, different;
  /// Of all finite errors.
  double sum = 0;
  std::array<std::uint64_t, Steps.size()> counts = {};

  void add(const Verdict &verdict, std::uint64_t index,
           std::span<const double> arguments);
  void add(const Tally &other);
  /// Results that are the nearest number; the first of the inputs that were
  /// scanned is `first`.
  void add(const Scanned &scanned, std::uint64_t first,
           std::span<const float> inputs);
  /// Notes that the result has other bits than the interpreter's.
  void addDiffering(std::uint64_t index, std::span<const double> arguments) {
    ++differing;
    different.add(1, index, arguments);
  }
  /// The mean of the finite errors.
  double mean() const;
};

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_ULP_TALLY_H
