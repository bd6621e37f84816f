//===- Jit/ImageMemory.h - Where JITLink puts what it links ---------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_JIT_IMAGEMEMORY_H
#define KEXPR_JIT_IMAGEMEMORY_H

#include "Code/Image.h"

#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>

#include <map>
#include <mutex>

namespace kexpr::jit {

/// Gives each object plain memory in one piece, code and constants behind one
/// another, to become an image. Refuses objects whose bytes would depend on
/// where they lie.
class ImageMemory final : public llvm::jitlink::JITLinkMemoryManager {
public:
  ImageMemory();
  ~ImageMemory() override;

  using JITLinkMemoryManager::allocate;
  using JITLinkMemoryManager::deallocate;

  void allocate(const llvm::jitlink::JITLinkDylib *library,
                llvm::jitlink::LinkGraph &graph,
                OnAllocatedFunction onAllocated) override;
  void deallocate(std::vector<FinalizedAlloc> allocations,
                  OnDeallocatedFunction onDeallocated) override;

  /// The image that was linked into a library; its entry is at `address`.
  code::Image imageOf(const llvm::jitlink::JITLinkDylib &library,
                      llvm::orc::ExecutorAddr address) const;

private:
  class Allocation;

  mutable std::mutex mutex;
  /// By the library that they were linked into, one each.
  std::map<const llvm::jitlink::JITLinkDylib *, std::unique_ptr<Allocation>>
      finished;
};

} // namespace kexpr::jit

#endif // KEXPR_JIT_IMAGEMEMORY_H
