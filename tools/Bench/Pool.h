//===- Bench/Pool.h - The memory that benchmarks run on -----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_BENCH_POOL_H
#define KEXPR_TOOLS_BENCH_POOL_H

#include "Common/Array.h"

#include <optional>
#include <vector>

namespace kexpr::tools {

/// Input and output memory that all cases share, so that gigabytes are filled
/// once and not once a case. Grows on demand; a pointer is good until the next
/// larger one of the same index is asked for. For one thread.
class Pool {
public:
  /// `count` values between 0.1 and 2, the same from run to run; different for
  /// each index.
  Expected<const float *> input(std::size_t index, std::int64_t count);
  /// `count` values to write, their pages touched before.
  Expected<float *> output(std::size_t index, std::int64_t count);

private:
  using Slots = std::vector<std::optional<Array>>;
  static Expected<float *> reserve(Slots &slots, std::size_t index,
                                   std::int64_t count, std::uint64_t seed);
  Slots inputs, outputs;
};

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_BENCH_POOL_H
