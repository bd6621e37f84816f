//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Graph/Memory.h"

#include <algorithm>
#include <string>
#include <utility>

#include <sys/mman.h>

using namespace kexpr;
using namespace kexpr::graph;

static constexpr std::size_t HugePage = std::size_t{2} << 20;

Arena::Arena(Arena &&other) noexcept { *this = std::move(other); }

Arena &Arena::operator=(Arena &&other) noexcept {
  std::swap(mapping, other.mapping);
  std::swap(mapped, other.mapped);
  std::swap(base, other.base);
  std::swap(capacity, other.capacity);
  return *this;
}

void Arena::release() {
  if (mapping)
    munmap(mapping, mapped);
  mapping = nullptr;
  base = nullptr;
  mapped = capacity = 0;
}

Status Arena::reserve(std::size_t bytes) {
  if (bytes <= capacity && base)
    return {};
  release();
  // Two huge pages at least: less gains little, and wastes up to one.
  const bool isLarge = bytes >= 2 * HugePage;
  const std::size_t wanted =
      std::max<std::size_t>(bytes, 1) + (isLarge ? 2 * HugePage : 0);
  void *memory = mmap(nullptr, wanted, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return Error(ErrorCode::OutOfMemory,
                 "no " + std::to_string(wanted) + " bytes for its values");
  mapping = memory;
  mapped = wanted;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::size_t skipped =
      isLarge ? (HugePage - address % HugePage) % HugePage : 0;
  base = static_cast<unsigned char *>(memory) + skipped;
  capacity = isLarge ? (bytes + HugePage - 1) / HugePage * HugePage : bytes;
#ifdef MADV_HUGEPAGE
  // Only advice: without it the memory is as good, but slower.
  if (isLarge)
    madvise(base, capacity, MADV_HUGEPAGE);
#endif
  return {};
}
