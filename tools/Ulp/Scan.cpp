//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ulp/Scan.h"

#include <algorithm>
#include <bit>

using namespace kexpr;
using namespace kexpr::tools;

static bool allAre(std::span<const float *const> results, std::size_t i,
                   float nearest) {
  return std::all_of(results.begin(), results.end(), [=](const float *result) {
    return sameNumber(result[i], nearest);
  });
}

Scanned tools::scan(std::span<const float> arguments,
                    std::span<const float *const> results,
                    ReferenceFn reference, const Trust &trust,
                    std::vector<std::size_t> &left) {
  Scanned scanned;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const double argument = arguments[i];
    const double exact = reference(&argument), size = std::fabs(exact);
    const auto nearest = static_cast<float>(exact);
    if (!allAre(results, i, nearest)) {
      left.push_back(i);
      continue;
    }
    if (size >= 0x1p-126 && size < 0x1p127) {
      // 1 / unit; a double's exponent is biased by 1023.
      const double perUnit = std::bit_cast<double>(
          (2046 + 23 - (std::bit_cast<std::uint64_t>(size) >> 52)) << 52);
      const double distance = std::fabs(nearest - exact);
      const double error = distance * perUnit;
      if (error < 0.5 - trust.doubt) {
        ++scanned.count;
        scanned.sum += error;
        scanned.ulp.add(error, i);
        scanned.absolute.add(distance, i);
        continue;
      }
    } else if (trust.edges && (size == 0 || !(size < INFINITY))) {
      ++scanned.count;
      continue;
    }
    left.push_back(i);
  }
  return scanned;
}
