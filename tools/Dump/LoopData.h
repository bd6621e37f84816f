//===- Dump/LoopData.h - What a loop is run over --------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_DUMP_LOOPDATA_H
#define KEXPR_TOOLS_DUMP_LOOPDATA_H

#include "Common/Array.h"
#include "Semantics/Plan.h"

#include <vector>

namespace kexpr::tools {

/// Operands, outputs and parameters of a plan's loop in memory.
class LoopData {
public:
  /// Errors: OutOfMemory; InvalidArgument for numbers that cannot be computed
  /// from operands of the shape [1,1,1,count].
  static Expected<LoopData> make(const semantics::Plan &plan,
                                 std::int64_t count);

  void run(semantics::LoopFn loop) const {
    loop(count, pointers.data(), strides.data());
  }

private:
  explicit LoopData(std::int64_t count) : count(count) {}
  Status addOperand(const semantics::Access &access);
  Status addParameters(const semantics::Graph &graph);

  std::int64_t count;
  std::vector<Array> arrays;
  std::vector<std::uint64_t> parameters;
  std::vector<void *> pointers;
  std::vector<std::int64_t> strides;
};

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_DUMP_LOOPDATA_H
