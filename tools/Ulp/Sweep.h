//===- Ulp/Sweep.h - Kernels held against references ---------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_ULP_SWEEP_H
#define KEXPR_TOOLS_ULP_SWEEP_H

#include "Ulp/Kernels.h"

namespace kexpr::tools {

struct SweepOptions {
  /// 0 is all the machine has.
  unsigned threads = 0;
  /// Called now and then, on the calling thread, with the part of the sweep
  /// that is done.
  std::function<void(double)> progress = {};
};

/// The tallies of a sweep: for each set of kernels, for each output, one for
/// each kernel of the set.
using Tallies = std::vector<std::vector<std::vector<Tally>>>;

/// Computes `inputs` with all kernels of `sets` and holds every result against
/// the subject's reference, which is computed once for an input. Errors: the
/// first that Kernel::run gave.
Expected<Tallies> sweep(const Subject &subject, std::span<const KernelSet> sets,
                        const Inputs &inputs, const SweepOptions &options);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_ULP_SWEEP_H
