//===- Runtime/LaunchPolicy.h - How calls of a kernel are run -------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_LAUNCHPOLICY_H
#define KEXPR_RUNTIME_LAUNCHPOLICY_H

#include "Runtime/Executor.h"
#include "Runtime/Hardware.h"
#include "Semantics/Plan.h"
#include "kexpr/Kernel.h"

#include <algorithm>

namespace kexpr::runtime {

/// How calls of a kernel are split over threads and write their outputs,
/// depending on the number of elements and the caller's options.
class LaunchPolicy {
public:
  explicit LaunchPolicy(const semantics::Plan &plan);

  /// Elements of one task at least.
  std::int64_t grainFor(const RunOptions &options) const {
    return options.tileElements > 0 ? options.tileElements : grain;
  }
  /// Whether a call of so many elements stays on the calling thread.
  bool isSerial(std::int64_t count, const RunOptions &options) const {
    if (options.maxThreads == 1)
      return true;
    return options.tileElements > 0 ? count <= options.tileElements
                                    : count < GrainsShared * grain;
  }
  /// Whether a call or batch of so many elements is to write past the caches.
  bool streams(double count, const RunOptions &options) const {
    return options.stores == Stores::Choose
               ? isMemoryBound(count)
               : options.stores == Stores::Streamed;
  }
  /// Whether the caches do not hold so many elements, and memory is what a core
  /// waits for.
  bool isMemoryBound(double count) const {
    // Less than any machine's caches hold: what most calls move.
    constexpr double fewBytes = 1 << 20;
    const double bytes = count * static_cast<double>(bytesMoved);
    return bytes >= fewBytes && bytes >= static_cast<double>(lastCacheBytes());
  }

private:
  std::int64_t grain;
  /// Bytes an element moves; 0 where computing it takes longer than memory.
  std::size_t bytesMoved;
};

inline LaunchPolicy::LaunchPolicy(const semantics::Plan &plan)
    : bytesMoved(plan.bytesPerElement()) {
  const double bytes = static_cast<double>(bytesMoved);
  const double operations = plan.work().operations;
  // Several microseconds of work, for which handing it to another thread pays.
  // Rates are those of one current core.
  constexpr double perByte = 0.012, perOperation = 0.02, enough = 4000; // ns
  grain = static_cast<std::int64_t>(
      enough / std::max({perByte * bytes, perOperation * operations, perByte}));
  // For kernels that compute longer, streamed stores cost up to a twentieth
  // (Zen 5).
  constexpr double mostOperations = 6; // a byte
  if (operations > mostOperations * bytes)
    bytesMoved = 0;
}

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_LAUNCHPOLICY_H
