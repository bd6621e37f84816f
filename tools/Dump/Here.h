//===- Dump/Here.h - What a kernel takes on this machine ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_DUMP_HERE_H
#define KEXPR_TOOLS_DUMP_HERE_H

#include "Backend/Backend.h"
#include "Dump/Measure.h"

#include <string>
#include <vector>

namespace kexpr::tools {

/// What was measured, or a sentence without a full stop about why not.
struct Measured {
  std::vector<LoopTime> times;
  std::string reason;
};

/// What a loop takes at a few sizes, of which `elements` is the largest, if the
/// target is this machine.
Measured measureHere(const backend::Backend &backend,
                     const semantics::Plan &plan, const codegen::Target &target,
                     codegen::OptLevel level, std::int64_t elements);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_DUMP_HERE_H
