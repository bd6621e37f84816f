//===- Support/InlineBuffer.h - A buffer that rarely needs the heap -------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SUPPORT_INLINEBUFFER_H
#define KEXPR_SUPPORT_INLINEBUFFER_H

#include <cstddef>
#include <memory>
#include <type_traits>

namespace kexpr {

/// `size` values of a trivial type, uninitialised, inside the object itself up
/// to `Inline` of them. Calls that are made millions of times a second keep
/// their per-operand data here.
template <class T, std::size_t Inline> class InlineBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  explicit InlineBuffer(std::size_t size)
      : heap(size > Inline ? new T[size] : nullptr),
        first(heap ? heap.get() : local), count(size) {}
  InlineBuffer(const InlineBuffer &) = delete;
  InlineBuffer &operator=(const InlineBuffer &) = delete;

  std::size_t size() const { return count; }
  T *data() { return first; }
  const T *data() const { return first; }
  T &operator[](std::size_t i) { return first[i]; }
  const T &operator[](std::size_t i) const { return first[i]; }

private:
  std::unique_ptr<T[]> heap;
  T *first;
  std::size_t count;
  T local[Inline];
};

} // namespace kexpr

#endif // KEXPR_SUPPORT_INLINEBUFFER_H
