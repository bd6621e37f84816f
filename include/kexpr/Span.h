//===- kexpr/Span.h - A view of consecutive values --------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SPAN_H
#define KEXPR_SPAN_H

#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace kexpr {
inline namespace v2 {

/// A view of `size()` consecutive values that somebody else owns; C++17's
/// stand-in for `std::span`. It is valid as long as the values are. A span
/// made from a braced list is valid until the end of the full expression, so
/// take spans as parameters and do not keep them.
template <class T> class Span {
public:
  constexpr Span() = default;
  constexpr Span(T *data, std::size_t size) : first(data), count(size) {}
  constexpr Span(T &value) : first(&value), count(1) {}
  template <class U, std::size_t N,
            class = std::enable_if_t<std::is_convertible_v<U (*)[], T (*)[]>>>
  constexpr Span(U (&array)[N]) : first(array), count(N) {}
  /// Where pointers are the values, a pointer to some is none, though C++
  /// converts it to `const void *`.
  template <class P, class = std::enable_if_t<
                         std::is_pointer_v<std::remove_const_t<T>> &&
                         std::is_pointer_v<P>>>
  Span(P *const &) = delete;
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
// The class comment says how long such a span is valid.
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
  constexpr Span(std::initializer_list<std::remove_const_t<T>> list)
      : first(list.begin()), count(list.size()) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
  /// Any container with contiguous `data()` and `size()`.
  template <class C, class = std::enable_if_t<std::is_convertible_v<
                         decltype(std::declval<C &>().data()), T *>>>
  constexpr Span(C &&container)
      : first(container.data()), count(container.size()) {}

  constexpr T *data() const { return first; }
  constexpr std::size_t size() const { return count; }
  constexpr bool empty() const { return count == 0; }
  constexpr T *begin() const { return first; }
  constexpr T *end() const { return first + count; }
  constexpr T &operator[](std::size_t i) const { return first[i]; }

private:
  T *first = nullptr;
  std::size_t count = 0;
};

} // namespace v2
} // namespace kexpr

#endif // KEXPR_SPAN_H
