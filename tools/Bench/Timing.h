//===- Bench/Timing.h - Times and their medians --------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_BENCH_TIMING_H
#define KEXPR_TOOLS_BENCH_TIMING_H

#include <algorithm>
#include <chrono>
#include <functional>
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

/// Seconds of a pass, in ascending order of the trials. `work(thread)`
/// is a pass; it runs on that many threads at once, the caller's among them.
/// A trial is as many passes as take about `seconds`, after one that is not
/// timed, from the first start to the last end.
std::vector<double> timePasses(unsigned threads, int trials, double seconds,
                               const std::function<void(unsigned)> &work);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_BENCH_TIMING_H
