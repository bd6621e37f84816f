//===- Ops/Division.h - quotients, rests and divisors --------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Division with a whole quotient. The quotient of two f32 numbers, taken in
/// double, cannot round up to a whole number n below 2^28 that it is not: with
/// both significands whole numbers below 2^24, x / y differs from n by at least
/// n * 2^-52 of itself. So its truncation is exact, and so is x - n * y. Larger
/// quotients are taken off as in f64.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_DIVISION_H
#define KEXPR_OPS_DIVISION_H

#include "Ops/Double/Division.h"
#include "Ops/Operator.h"
#include "Ops/Polynomial.h"

#include <math.h>
#include <utility>

namespace kexpr::ops {

/// A whole number in [0, 2^32) as an integer. Vectors have no conversion to
/// unsigned numbers but the newest.
template <class D> auto toUnsigned(D whole) {
  auto below = (whole - 0x1p31).template to<std::int32_t>();
  return below.template bits<std::uint32_t>() ^ (std::uint32_t{1} << 31);
}

/// x / y towards zero, of integers: 0 where y is 0, and it wraps. No machine
/// has a vector division of integers; that of floats with twice the bits is
/// exact once it is truncated, by the argument above.
template <IsInteger V> V quotient(V x, V y) {
  using T = ElementOf<V>;
  using Wide = std::conditional_t<sizeof(T) < 4, float, double>;
  auto isZero = y == 0;
  if constexpr (sizeof(T) < 4) {
    auto divisor = select(isZero, 1, y).template to<Wide>();
    auto whole = (x.template to<Wide>() / divisor).template to<std::int32_t>();
    return select(isZero, 0, whole.template to<T>());
  } else {
    // The least number has no quotient by -1.
    auto isOpposite = std::is_signed_v<T> ? y == static_cast<T>(-1) : y != y;
    V divisor = select(isZero | isOpposite, 1, y);
    V whole = x.like(0);
    if constexpr (std::is_same_v<T, std::uint32_t>)
      whole = toUnsigned(
          trunc(x.template to<Wide>() / divisor.template to<Wide>()));
    else if constexpr (sizeof(T) == 4)
      whole = (x.template to<Wide>() / divisor.template to<Wide>())
                  .template to<T>();
    else
      whole = x / divisor;
    return select(isZero, 0, select(isOpposite, -x, whole));
  }
}

struct Fmod {
  static constexpr OpInfo info{.name = "fmod",
                               .doc = "x - y * trunc(x / y), exactly; has the "
                                      "sign of x; 0 for integers by 0",
                               .types = TypeRule::Number,
                               .ulp = Exact,
                               .bakesLiterals = true};

  template <class R> static R reference(R x, R y) { return fmod(x, y); }

  template <class V> static V formula(V x, V y) {
    auto wideX = x.template to<double>(), wideY = y.template to<double>();
    // An infinite x and y = 0 give NaN by themselves.
    auto isFar = (abs(x) >= abs(y) * 0x1p27f) & (abs(x) < Infinity<V>)&(y != 0);
    auto rest = rarely(isFar, f64::quotients::reduce<1>(wideX, wideY),
                       [=] { return reduceFar(abs(wideX), abs(wideY)); });
    V result = copySign(rest.template to<float>(), x);
    // Not only quicker: an infinite y leaves no rest to compute with.
    return select(abs(x) < abs(y), x, result);
  }

  template <IsDouble V> static V formula(V x, V y) { return f64::fmod(x, y); }

  template <IsInteger V> static V formula(V x, V y) {
    return select(y == 0, 0, x - quotient(x, y) * y);
  }

private:
  /// The quotient is below 2^278: six steps do, and three are often enough.
  template <class D> static D reduceFar(D x, D y) {
    D rest = f64::quotients::reduce<3>(x, y);
    rest = rarely(abs(rest) >= y, rest,
                  [=] { return f64::quotients::reduce<3>(rest, y); });
    return select(rest < 0, rest + y, rest);
  }
};

struct Remainder {
  static constexpr OpInfo info{.name = "remainder",
                               .doc = "x - y * floor(x / y); has the sign of "
                                      "y; 0 for integers by 0",
                               .types = TypeRule::Number,
                               .bakesLiterals = true};

  template <class R> static R reference(R x, R y) {
    R rest = fmod(x, y);
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
  }

  template <class V> static V formula(V x, V y) {
    V rest = Fmod::formula(x, y);
    // A rest of 0 keeps the sign of x, as in torch.
    auto opposed = ((rest < 0) & (y > 0)) | ((rest > 0) & (y < 0));
    return select(opposed, rest + y, rest);
  }

  template <IsDouble V> static V formula(V x, V y) {
    return f64::remainder(x, y);
  }

  template <IsInteger V> static V formula(V x, V y) {
    V rest = Fmod::formula(x, y);
    return select((rest != 0) & ((rest ^ y) < 0), rest + y, rest);
  }
};

/// An infinite dividend gives NaN, as in torch, unless the divisor is 0.
struct FloorDivide {
  static constexpr OpInfo info{.name = "floor_divide",
                               .doc = "floor(x / y), the quotient not rounded; "
                                      "0 for integers by 0",
                               .types = TypeRule::Number,
                               .ulp = {0.54, 0.51, 0.5},
                               .bakesLiterals = true};

  template <class R> static R reference(R x, R y) {
    if (y == 0)
      return x / y;
    R rest = fmod(x, y);
    R quotient = (x - rest) / y;
    if (rest != 0 && (rest < 0) != (y < 0))
      quotient -= 1;
    return quotient == 0 ? copysign(R(0), x / y) : round(quotient);
  }

  template <class V> static V formula(V x, V y) {
    auto quotient = x.template to<double>() / y.template to<double>();
    V result = floor(quotient).template to<float>();
    // The quotient is -0 here, though it stands for less.
    auto isVanished =
        ((x < 0) & (y == Infinity<V>)) | ((x > 0) & (y == -Infinity<V>));
    result = select(isVanished, -1, result);
    return select((abs(x) == Infinity<V>)&(y != 0), NaN<V>, result);
  }

  template <IsDouble V> static V formula(V x, V y) {
    return f64::floorDivide(x, y);
  }

  template <IsInteger V> static V formula(V x, V y) {
    V whole = quotient(x, y), rest = x - whole * y;
    auto isAbove = (y != 0) & (rest != 0) & ((rest ^ y) < 0);
    return select(isAbove, whole - 1, whole);
  }
};

struct TruncDivide {
  static constexpr OpInfo info{
      .name = "trunc_divide",
      .doc = "x / y towards zero, 0 for integers by 0; of floating point "
             "trunc(div(x,y))",
      .types = TypeRule::Integer,
      .ulp = Exact,
      .pnnx = false,
      .ofFloats = "trunc(div(@0,@1))",
      .bakesLiterals = true};

  template <class R> static R reference(R x, R y) {
    // The least number has no quotient by -1.
    return y == 0    ? R(0)
           : y == -1 ? static_cast<R>(-static_cast<std::uint64_t>(x))
                     : x / y;
  }

  template <class V> static V formula(V x, V y) { return quotient(x, y); }
};

/// The greatest common divisor by halving, in steps that vectors do alike.
struct Gcd {
  static constexpr OpInfo info{.name = "gcd",
                               .doc = "the greatest common divisor of |x| and "
                                      "|y|; |y| where x is 0",
                               .types = TypeRule::Integer,
                               .ulp = Exact,
                               .pnnx = false};

  template <class R> static R reference(R x, R y) {
    auto a = static_cast<std::uint64_t>(x), b = static_cast<std::uint64_t>(y);
    a = x < 0 ? -a : a;
    b = y < 0 ? -b : b;
    while (b != 0)
      b = std::exchange(a, b) % b;
    return static_cast<R>(a);
  }

  /// The least number is its own opposite, and right without a sign.
  template <class V> static V formula(V x, V y) {
    V a = select(x < 0, -x, x), b = select(y < 0, -y, y);
    b = select(b == 0, a, b);
    V both = a | b, two = both & -both;
    return halve<8 * sizeof(ElementOf<V>)>(a, odd(b)) * two;
  }

private:
  /// b without factors of 2.
  template <class V> static V odd(V b) {
    using T = ElementOf<V>;
    for (int bits = 4 * sizeof(T); bits > 0; bits /= 2) {
      const auto low = static_cast<T>((std::uint64_t{1} << bits) - 1);
      b = select((b & low) == 0, shiftRightLogical(b, bits), b);
    }
    return b;
  }

  /// The odd part of the divisor of a and an odd b of so many bits together,
  /// twice: each step takes one off them.
  template <int Bits, class V> static V halve(V a, V b) {
    constexpr int steps = 16;
    for (int i = 0; i < steps; ++i) {
      auto isOdd = (a & 1) != 0, isLess = a < b;
      V distance = select(isLess, b - a, a - b);
      b = select(isOdd & isLess, a, b);
      a = shiftRightLogical(select(isOdd, distance, a), 1);
    }
    if constexpr (2 * Bits <= steps)
      return b;
    else
      return rarely(a != 0, b,
                    [a, b] { return halve<Bits - steps / 2>(a, b); });
  }
};

/// It wraps as a product does.
struct Lcm {
  static constexpr OpInfo info{.name = "lcm",
                               .doc = "the least common multiple of |x| and "
                                      "|y|, 0 if one is 0",
                               .types = TypeRule::Integer,
                               .ulp = Exact,
                               .pnnx = false};

  template <class R> static R reference(R x, R y) {
    const auto divisor = static_cast<std::uint64_t>(Gcd::reference(x, y));
    auto a = static_cast<std::uint64_t>(x), b = static_cast<std::uint64_t>(y);
    a = x < 0 ? -a : a;
    b = y < 0 ? -b : b;
    return divisor == 0 ? R(0) : static_cast<R>(a / divisor * b);
  }

  template <class V> static V formula(V x, V y) {
    return quotient(select(x < 0, -x, x), Gcd::formula(x, y)) *
           select(y < 0, -y, y);
  }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_DIVISION_H
