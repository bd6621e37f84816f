//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Jit/Prune.h"

#include <llvm/Support/CachePruning.h>

using namespace kexpr;

void jit::prune(const std::string &directory, std::uint64_t bytes, bool isDue) {
  llvm::CachePruningPolicy policy;
  policy.MaxSizeBytes = bytes;
  if (isDue)
    policy.Interval = std::chrono::seconds(0);
  llvm::pruneCache(directory, policy);
}
