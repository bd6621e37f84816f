//===- Bench/Timing.h - Times and their medians -----------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_BENCH_TIMING_H
#define KEXPR_TOOLS_BENCH_TIMING_H

#include <algorithm>
#include <chrono>
#include <vector>

namespace kexpr::tools {

/// Seconds that `work` took.
template <class F> double timeOf(F work) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Of at least one value.
inline double median(std::vector<double> values) {
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_BENCH_TIMING_H
