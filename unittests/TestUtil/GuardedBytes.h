//===- TestUtil/GuardedBytes.h - Memory between pages that fault ----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TESTUTIL_GUARDEDBYTES_H
#define KEXPR_TESTUTIL_GUARDEDBYTES_H

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <utility>

namespace kexpr::test {

/// Bytes, zero at first, of which the last ends where a page begins that cannot
/// be touched, or the first begins where such a page ends.
class GuardedBytes {
public:
  enum class Edge { Begin, End };

  GuardedBytes(std::size_t bytes, Edge edge) : length(bytes) {
    const std::size_t page = sysconf(_SC_PAGESIZE);
    const std::size_t room = (bytes + page - 1) / page * page;
    mapped = room + 2 * page;
    base = static_cast<char *>(
        mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base == MAP_FAILED ||
        (room && mprotect(base + page, room, PROT_READ | PROT_WRITE)))
      std::abort();
    first = edge == Edge::Begin ? base + page : base + page + room - bytes;
  }
  GuardedBytes(GuardedBytes &&other) noexcept
      : base(std::exchange(other.base, nullptr)), mapped(other.mapped),
        length(other.length), first(other.first) {}
  GuardedBytes &operator=(GuardedBytes &&) = delete;
  ~GuardedBytes() {
    if (base)
      munmap(base, mapped);
  }

  char *data() const { return first; }
  std::size_t size() const { return length; }

private:
  char *base;
  std::size_t mapped, length;
  char *first;
};

} // namespace kexpr::test

#endif // KEXPR_TESTUTIL_GUARDEDBYTES_H
