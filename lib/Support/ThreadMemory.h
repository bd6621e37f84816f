//===- Support/ThreadMemory.h - Memory that a thread uses again -----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SUPPORT_THREADMEMORY_H
#define KEXPR_SUPPORT_THREADMEMORY_H

#include <cstddef>

namespace kexpr {

struct ThreadEnd;

/// Memory that only grows and is freed when its thread ends. To be a `constinit
/// thread_local` variable. Objects of a host that are destroyed after those of
/// the thread, as static ones are, may run kernels: memory that they get is
/// never freed.
class ThreadMemory {
public:
  constexpr ThreadMemory() = default;

  /// At least `bytes` bytes, aligned to a cache line. Growing loses their
  /// content.
  void *get(std::size_t bytes) {
    if (bytes > size)
      grow(bytes);
    return first;
  }

private:
  friend struct ThreadEnd;

  void grow(std::size_t bytes);
  void free() noexcept;

  // Without a destructor, so that its life is the thread's.
  void *first = nullptr;
  std::size_t size = 0;
  ThreadMemory *next = nullptr; ///< In the list of the thread.
};

} // namespace kexpr

#endif // KEXPR_SUPPORT_THREADMEMORY_H
