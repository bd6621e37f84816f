//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Jit/Prune.h"

#include "Support/QuietWrites.h"

#include <llvm/Support/CachePruning.h>

#include <algorithm>

using namespace kexpr;

void jit::prune(const std::string &directory, std::uint64_t bytes, bool isDue) {
  llvm::CachePruningPolicy policy;
  // LLVM takes 0 for no bound.
  policy.MaxSizeBytes = std::max<std::uint64_t>(bytes, 1);
  if (isDue)
    policy.Interval = std::chrono::seconds(0);
  const QuietWrites quiet;
  llvm::pruneCache(directory, policy);
}
