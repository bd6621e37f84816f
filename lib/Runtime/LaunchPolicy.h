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
#include "Runtime/StoreChoice.h"
#include "Semantics/Plan.h"
#include "kexpr/Kernel.h"

#include <algorithm>
#include <limits>

namespace kexpr::runtime {

/// How calls of a kernel are split over threads and write their outputs,
/// depending on the number of elements and the caller's options.
class LaunchPolicy {
public:
  explicit LaunchPolicy(const semantics::Plan &plan);

  /// Whether a loop has a variant that writes past the caches, which large
  /// calls gain by.
  static bool isStreamable(const semantics::Plan &plan) {
    const auto isPlain = [](const semantics::Access &output) {
      return output.pattern == semantics::AccessPattern::Contiguous &&
             !output.reducing;
    };
    return std::ranges::all_of(plan.outputs, isPlain) && waitsForMemory(plan);
  }

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
  /// Whether it is one part of work there, between whose ends no host could
  /// end it.
  bool isOnePart(std::int64_t count, const RunOptions &options) const {
    return isSerial(count, options) &&
           (!options.interrupt.ask || count / GrainsAsked <= grainFor(options));
  }
  /// Whether a call or batch of so many elements may write past the caches.
  bool mayStream(double count, const RunOptions &options) const {
    return options.stores == Stores::Choose
               ? passes(count * bytesMoved, StoreChoice::FewestBytes)
               : options.stores == Stores::Streamed;
  }
  /// Whether it is to.
  bool streams(double count, const RunOptions &options) const {
    if (!learns(count, options))
      return mayStream(count, options);
    return choice.streams(count * bytesMoved);
  }
  /// Whether that depends on what such calls took, which `note` is to be told.
  bool learns(double count, const RunOptions &options) const {
    return options.stores == Stores::Choose && mayStream(count, options) &&
           !isMemoryBound(count);
  }
  void note(double count, bool streamed, std::chrono::nanoseconds took) const {
    choice.note(count * bytesMoved, streamed, took);
  }
  /// Whether the caches do not hold so many elements, and memory is what a core
  /// waits for.
  bool isMemoryBound(double count) const {
    constexpr auto any = std::numeric_limits<double>::max();
    return passes(count * bytesMoved, any);
  }

private:
  /// For kernels that compute longer, streamed stores cost up to a twentieth
  /// (Zen 5).
  static bool waitsForMemory(const semantics::Plan &plan) {
    constexpr double mostOperations = 6; // a byte
    return plan.work().operations <=
           mostOperations * static_cast<double>(plan.bytesPerElement());
  }
  /// Whether bytes are as many as a limit or the last-level cache has.
  static bool passes(double bytes, double limit) {
    // Less than any machine's caches hold: what most calls move.
    constexpr double fewBytes = 1 << 20;
    return bytes >= fewBytes &&
           (bytes >= limit || bytes >= static_cast<double>(lastCacheBytes()));
  }

  std::int64_t grain;
  /// Bytes an element moves; 0 where computing it takes longer than memory.
  double bytesMoved;
  mutable StoreChoice choice;
};

inline LaunchPolicy::LaunchPolicy(const semantics::Plan &plan)
    : bytesMoved(static_cast<double>(plan.bytesPerElement())) {
  const double bytes = bytesMoved;
  const double operations = plan.work().operations;
  // Several microseconds of work, for which handing it to another thread pays.
  // Rates are those of one current core.
  constexpr double perByte = 0.012, perOperation = 0.02, enough = 4000; // ns
  grain = static_cast<std::int64_t>(
      enough / std::max({perByte * bytes, perOperation * operations, perByte}));
  if (!waitsForMemory(plan))
    bytesMoved = 0;
}

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_LAUNCHPOLICY_H
