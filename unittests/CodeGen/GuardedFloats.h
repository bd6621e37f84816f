//===- GuardedFloats.h - Floats between pages that fault ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_CODEGEN_GUARDEDFLOATS_H
#define KEXPR_UNITTESTS_CODEGEN_GUARDEDFLOATS_H

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>

namespace kexpr::test {

/// `count` floats, zero at first, of which the last ends where a page begins
/// that cannot be touched, or the first begins where such a page ends.
class GuardedFloats {
public:
  enum class Edge { Begin, End };

  GuardedFloats(std::size_t count, Edge edge) {
    const std::size_t page = sysconf(_SC_PAGESIZE);
    const std::size_t bytes = count * sizeof(float);
    const std::size_t room = (bytes + page - 1) / page * page;
    size = room + 2 * page;
    base = static_cast<char *>(
        mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base == MAP_FAILED ||
        (room && mprotect(base + page, room, PROT_READ | PROT_WRITE)))
      std::abort();
    first = reinterpret_cast<float *>(
        edge == Edge::Begin ? base + page : base + page + room - bytes);
  }
  ~GuardedFloats() { munmap(base, size); }
  GuardedFloats(const GuardedFloats &) = delete;
  GuardedFloats &operator=(const GuardedFloats &) = delete;

  float *data() { return first; }
  float &operator[](std::size_t i) { return first[i]; }

private:
  char *base;
  std::size_t size;
  float *first;
};

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_CODEGEN_GUARDEDFLOATS_H
