//===- Support/CallMemory.h - Memory of a call ----------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SUPPORT_CALLMEMORY_H
#define KEXPR_SUPPORT_CALLMEMORY_H

#include "Support/ThreadMemory.h"

namespace kexpr {

/// Memory that a call has to itself until it ends: that of its thread, but for
/// much of it, and for calls that a host makes inside another one.
class CallMemory {
public:
  /// What a thread keeps for calls of one kind: `constinit thread_local`.
  struct Kept {
    ThreadMemory memory;
    bool isTaken = false;
  };

  CallMemory(Kept &kept, std::size_t bytes)
      : kept(kept), isOwn(kept.isTaken || bytes > MostKept),
        memory(isOwn ? new std::byte[bytes]
                     : static_cast<std::byte *>(kept.memory.get(bytes))) {
    kept.isTaken |= !isOwn;
  }
  ~CallMemory() {
    if (isOwn)
      delete[] memory;
    else
      kept.isTaken = false;
  }
  CallMemory(const CallMemory &) = delete;
  CallMemory &operator=(const CallMemory &) = delete;

  std::byte *get() const { return memory; }

private:
  static constexpr std::size_t MostKept = std::size_t{1} << 20;

  Kept &kept;
  const bool isOwn;
  std::byte *const memory;
};

} // namespace kexpr

#endif // KEXPR_SUPPORT_CALLMEMORY_H
