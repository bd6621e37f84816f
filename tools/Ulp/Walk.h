//===- Ulp/Walk.h - Kernels held against references ---------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_ULP_WALK_H
#define KEXPR_TOOLS_ULP_WALK_H

#include "Ulp/Inputs.h"
#include "Ulp/Kernels.h"
#include "Ulp/Subject.h"
#include "Ulp/Tally.h"

#include <functional>
#include <span>
#include <vector>

namespace kexpr::tools {

struct WalkOptions {
  /// 0 is all the machine has.
  unsigned threads = 0;
  /// Told now and then, on the calling thread, which part of the walk is done.
  std::function<void(double)> progress = {};
};

/// The tallies of a walk: for each set of kernels, for each output, one for
/// each kernel of the set.
using Tallies = std::vector<std::vector<std::vector<Tally>>>;

/// Computes `inputs` with all kernels of `sets` and holds every result against
/// the subject's reference, which is asked once for an input. Errors: what
/// Kernel::run says.
Expected<Tallies> walk(const Subject &subject, std::span<const KernelSet> sets,
                       const Inputs &inputs, const WalkOptions &options);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_ULP_WALK_H
