//===- Graph/Memory.h - Where values lie ----------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_GRAPH_MEMORY_H
#define KEXPR_GRAPH_MEMORY_H

#include "kexpr/Error.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace kexpr::graph {

/// Memory that is in use from step `first` to step `last`, inclusive.
struct Interval {
  std::size_t bytes = 0;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

struct Layout {
  std::vector<std::size_t> offsets; ///< Of each interval; multiples of 64.
  std::size_t bytes = 0;            ///< Of all.
};

/// Assigns offsets in one piece of memory, so that intervals which share a step
/// share no byte: large ones first, or of thousands the earliest, each in the
/// smallest gap that it fits. Without `reuse`, no two intervals share a byte.
/// Errors: OutOfMemory where all together have more than 2^62 bytes.
Expected<Layout> layOut(const std::vector<Interval> &intervals, bool reuse);

/// Memory that only grows, aligned to 64 bytes. A large piece is aligned to,
/// and asks for, huge pages: kernels read and write all of it, and pay for page
/// faults and address look-ups by the page.
class Arena {
public:
  Arena() = default;
  Arena(Arena &&other) noexcept { *this = std::move(other); }
  Arena &operator=(Arena &&other) noexcept {
    mapping = std::move(other.mapping);
    base = std::exchange(other.base, nullptr);
    capacity = std::exchange(other.capacity, 0);
    return *this;
  }

  /// Makes the arena at least so large. Growing discards its contents. Errors:
  /// OutOfMemory, after which it is empty.
  Status reserve(std::size_t bytes);
  unsigned char *data() const { return base; }
  std::size_t size() const { return capacity; }

private:
  struct Unmap {
    std::size_t bytes;
    void operator()(void *memory) const;
  };

  std::unique_ptr<void, Unmap> mapping;
  unsigned char *base = nullptr;
  std::size_t capacity = 0;
};

} // namespace kexpr::graph

#endif // KEXPR_GRAPH_MEMORY_H
