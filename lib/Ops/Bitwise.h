//===- Ops/Bitwise.h - and, or, xor, not and the shifts -------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Operators on integers; all but the shifts also on bools. Their references
/// take 64-bit integers. Shifts are those of newer PyTorch, which defines them
/// beyond the width.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_BITWISE_H
#define KEXPR_OPS_BITWISE_H

#include "Ops/Algebra/Value.h"
#include "Ops/Operator.h"

#include <type_traits>

namespace kexpr::ops {

struct And {
  static constexpr OpInfo info{.name = "and",
                               .doc = "x & y",
                               .types = TypeRule::Integral,
                               .ulp = Exact,
                               .isSignless = true};

  template <class R> static R reference(R x, R y) { return x & y; }

  template <class V> static V formula(V x, V y) { return x & y; }
};

struct Or {
  static constexpr OpInfo info{.name = "or",
                               .doc = "x | y",
                               .types = TypeRule::Integral,
                               .ulp = Exact,
                               .isSignless = true};

  template <class R> static R reference(R x, R y) { return x | y; }

  template <class V> static V formula(V x, V y) { return x | y; }
};

struct Xor {
  static constexpr OpInfo info{.name = "xor",
                               .doc = "x ^ y",
                               .types = TypeRule::Integral,
                               .ulp = Exact,
                               .isSignless = true};

  template <class R> static R reference(R x, R y) { return x ^ y; }

  template <class V> static V formula(V x, V y) { return x ^ y; }
};

struct BitwiseNot {
  static constexpr OpInfo info{.name = "bitwise_not",
                               .doc = "~x",
                               .types = TypeRule::Integral,
                               .ulp = Exact,
                               .pnnx = false,
                               .isSignless = true};

  template <class R> static R reference(R x) { return ~x; }

  template <class V> static V formula(V x) { return ~x; }
};

/// Whether a shift by `count` leaves any bit of its element in place.
template <class V> typename V::Mask isShiftCount(V count) {
  constexpr int width = 8 * sizeof(ElementOf<V>);
  return (count >= 0) & (count < width);
}

struct ShiftLeft {
  static constexpr OpInfo info{
      .name = "lshift",
      .doc = "x << y; 0 where y is negative or not less than the width",
      .types = TypeRule::Integer,
      .ulp = Exact,
      .domain = {-64, 128},
      .bakesLiterals = true,
      .isSignless = true};

  template <class R> static R reference(R x, R y) {
    if (y < 0 || y > 63)
      return 0;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) << y);
  }

  template <class V> static V formula(V x, V y) {
    auto inside = isShiftCount(y);
    return select(inside, x << select(inside, y, 0), 0);
  }
};

struct ShiftRight {
  static constexpr OpInfo info{
      .name = "rshift",
      .doc = "x >> y; the sign where y is negative or not less than the width",
      .types = TypeRule::Integer,
      .ulp = Exact,
      .domain = {-64, 128},
      .bakesLiterals = true};

  template <class R> static R reference(R x, R y) {
    return x >> (y < 0 || y > 63 ? 63 : y);
  }

  template <class V> static V formula(V x, V y) {
    using Element = ElementOf<V>;
    constexpr int width = 8 * sizeof(Element);
    auto inside = isShiftCount(y);
    if constexpr (std::is_unsigned_v<Element>)
      return select(inside, x >> select(inside, y, 0), 0);
    else
      return x >> select(inside, y, Element{width - 1});
  }
};

struct Popcount {
  static constexpr OpInfo info{.name = "popcount",
                               .doc = "how many bits of x are 1",
                               .types = TypeRule::Integer,
                               .ulp = Exact,
                               .pnnx = false,
                               .isSignless = true};

  template <class R> static R reference(R x) {
    return __builtin_popcountll(static_cast<std::uint64_t>(x));
  }

  /// Adds neighbouring fields of 1, 2 and 4 bits, then all bytes at once.
  template <class V> static V formula(V x) {
    using T = ElementOf<V>;
    constexpr auto ones = static_cast<std::make_unsigned_t<T>>(~T{0});
    constexpr auto of2 = static_cast<T>(ones / 3),
                   of4 = static_cast<T>(ones / 5),
                   of8 = static_cast<T>(ones / 17),
                   bytes = static_cast<T>(ones / 255);
    V pairs = x - (shiftRightLogical(x, 1) & of2);
    V nibbles = (pairs & of4) + (shiftRightLogical(pairs, 2) & of4);
    V each = (nibbles + shiftRightLogical(nibbles, 4)) & of8;
    if constexpr (sizeof(T) == 1)
      return each;
    else
      return shiftRightLogical(each * bytes, 8 * (sizeof(T) - 1));
  }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_BITWISE_H
