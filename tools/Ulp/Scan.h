//===- Ulp/Scan.h - The results that are right beyond doubt ---------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Nearly all results of a walk over f32 are the nearest number, and the double
/// reference leaves no doubt of it. These are counted here, a few nanoseconds
/// each; the rest is left for `judge`.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_ULP_SCAN_H
#define KEXPR_TOOLS_ULP_SCAN_H

#include "Ulp/Verdict.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kexpr::tools {

/// The reference of an operator, over its arguments.
using ReferenceFn = double (*)(const double *arguments);

/// An error and where it is.
struct ScannedError {
  double error = 0;
  std::size_t at = 0;

  void add(double other, std::size_t place) {
    if (other > error)
      *this = {other, place};
  }
};

/// Results that are the nearest number: how many, the sum of their errors in
/// ulp, and the largest errors.
struct Scanned {
  std::uint64_t count = 0;
  double sum = 0;
  ScannedError ulp = {}, absolute = {};
};

/// Scans the results of a function of one argument, which several precisions
/// may have computed: `results[s][i]` is that of `arguments[i]`. Where all of
/// them are the nearest number they are counted; the places of the others are
/// added to `left`.
Scanned scan(std::span<const float> arguments,
             std::span<const float *const> results, ReferenceFn reference,
             const Trust &trust, std::vector<std::size_t> &left);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_ULP_SCAN_H
