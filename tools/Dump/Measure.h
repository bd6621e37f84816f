//===- Dump/Measure.h - The time that a kernel takes here -----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_DUMP_MEASURE_H
#define KEXPR_TOOLS_DUMP_MEASURE_H

#include "Backend/Backend.h"
#include "CodeGen/LoopReport.h"

#include <span>
#include <string>
#include <vector>

namespace kexpr::tools {

/// A loop over so many elements on one thread; times are in seconds and of one
/// element.
struct LoopTime {
  std::int64_t elements = 0;
  /// Of operands and outputs, and the cache that holds them.
  std::int64_t bytes = 0;
  std::string level;
  /// Of many runs. They differ where others use the machine.
  double median = 0, best = 0;
  /// The least time for moving the bytes, by loops through that cache that do
  /// nothing else; 0 if it could not be measured.
  double moving = 0;
  /// Cycles a second, just afterwards.
  double clock = 0;
};

/// The measurements, or the reason why there are none, without a full stop.
struct Measured {
  std::vector<LoopTime> times;
  std::string reason;
};

/// Times a loop at a few sizes, of which `elements` is the largest, if the
/// target is this machine. Operands are between 0.1 and 2, integers from 1 to
/// 100; strided ones use every second element.
Measured measureHere(const backend::Backend &backend,
                     const semantics::Plan &plan, const codegen::Target &target,
                     codegen::OptLevel level, std::int64_t elements);

/// The times and the predicted ones, as a table.
std::string timesText(std::span<const LoopTime> times,
                      const codegen::LoopReport &report);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_DUMP_MEASURE_H
