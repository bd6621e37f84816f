//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Support/ThreadMemory.h"

#include <new>
#include <utility>

using namespace kexpr;

static constexpr std::align_val_t Line{64};
static constinit thread_local ThreadMemory *all = nullptr;

/// Frees the memory of the thread when its thread-local objects are destroyed.
struct kexpr::ThreadEnd {
  ~ThreadEnd() {
    while (all)
      std::exchange(all, all->next)->free();
  }
  void add(ThreadMemory &memory) { memory.next = std::exchange(all, &memory); }
};
static thread_local ThreadEnd threadEnd;

void ThreadMemory::grow(std::size_t bytes) {
  void *const more = ::operator new(bytes, Line);
  if (first)
    ::operator delete(first, Line);
  else
    threadEnd.add(*this);
  first = more;
  size = bytes;
}

void ThreadMemory::free() noexcept {
  ::operator delete(std::exchange(first, nullptr), Line);
  size = 0;
}
