//===- Ops/Arithmetic.h - add, sub, mul, div and their kin ----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_ARITHMETIC_H
#define KEXPR_OPS_ARITHMETIC_H

#include "Ops/KnownDivisor.h"

#include <math.h>

namespace kexpr::ops {

struct Add {
  static constexpr OpInfo info{.name = "add",
                               .doc = "x + y; add(x,y,a) is x + a * y",
                               .types = TypeRule::Numeric,
                               .overload = {3, "add(@0,mul(@2,@1))"},
                               .isSignless = true};

  template <class R> static R reference(R x, R y) { return x + y; }

  template <class V> static V formula(V x, V y) { return x + y; }
  template <IsBool V> static V formula(V x, V y) { return x | y; }

  static constexpr LiteralForm withLiteral(int, double literal) {
    // x + -0 is x for every x; x + 0 turns -0 into 0.
    if (literal == 0 && std::signbit(literal))
      return {"@0"};
    return {};
  }
};

struct Sub {
  static constexpr OpInfo info{.name = "sub",
                               .doc = "x - y; sub(x,y,a) is x - a * y",
                               .types = TypeRule::Number,
                               .overload = {3, "sub(@0,mul(@2,@1))"},
                               .isSignless = true};

  template <class R> static R reference(R x, R y) { return x - y; }

  template <class V> static V formula(V x, V y) { return x - y; }

  static constexpr LiteralForm withLiteral(int argument, double literal) {
    // x - 0 is x for every x; x - -0 turns -0 into 0.
    if (argument == 1 && literal == 0 && !std::signbit(literal))
      return {"@0"};
    return {};
  }
};

struct Mul {
  static constexpr OpInfo info{.name = "mul",
                               .doc = "x * y",
                               .types = TypeRule::Numeric,
                               .isSignless = true};

  template <class R> static R reference(R x, R y) { return x * y; }

  template <class V> static V formula(V x, V y) { return x * y; }
  template <IsBool V> static V formula(V x, V y) { return x & y; }

  static constexpr LiteralForm withLiteral(int, double literal) {
    if (literal == 1)
      return {"@0"};
    return {};
  }
};

struct Fma {
  static constexpr OpInfo info{.name = "fma",
                               .doc = "x * y + z, rounded once",
                               .types = TypeRule::Number,
                               .pnnx = false,
                               .isSignless = true};

  template <class R> static R reference(R x, R y, R z) { return fma(x, y, z); }

  template <class V> static V formula(V x, V y, V z) { return fma(x, y, z); }
  template <IsInteger V> static V formula(V x, V y, V z) { return x * y + z; }
};

struct Div {
  static constexpr OpInfo info{.name = "div", .doc = "x / y"};

  template <class R> static R reference(R x, R y) { return x / y; }

  template <class V> static V formula(V x, V y) {
    return y.isOneValue() ? quotientByOne(x, y) : x / y;
  }

  template <IsDouble V> static V formula(V x, V y) { return x / y; }

  static LiteralForm withLiteral(int argument, double literal) {
    if (argument != 1)
      return {};
    if (literal == 1)
      return {"@0"};
    if (hasExactReciprocal(literal))
      return {"mul(@0,@1)", {1 / literal}};
    return divisionBy(literal);
  }

private:
  /// Whether x is a power of two and 1 / x a normal f32 like x itself.
  static constexpr bool hasExactReciprocal(double x) {
    const auto bits = __builtin_bit_cast(std::uint64_t, x) << 1;
    const int exponent = static_cast<int>(bits >> 53) - 1023;
    return bits << 11 == 0 && exponent >= -126 && exponent <= 126;
  }
};

struct Neg {
  static constexpr OpInfo info{.name = "neg",
                               .doc = "-x",
                               .types = TypeRule::Number,
                               .ulp = Exact,
                               .isSignless = true};

  template <class R> static R reference(R x) { return -x; }

  template <class V> static V formula(V x) { return -x; }
};

struct Abs {
  static constexpr OpInfo info{
      .name = "abs", .doc = "|x|", .types = TypeRule::Number, .ulp = Exact};

  template <class R> static R reference(R x) { return fabs(x); }

  template <class V> static V formula(V x) { return abs(x); }
  template <IsInteger V> static V formula(V x) { return select(x < 0, -x, x); }
};

struct Sign {
  static constexpr OpInfo info{.name = "sign",
                               .doc = "1, 0 or -1 as x is above 0, neither, or "
                                      "below; 0 for NaN",
                               .types = TypeRule::Numeric,
                               .ulp = Exact};

  template <class R> static R reference(R x) { return R((x > 0) - (x < 0)); }

  template <class V> static V formula(V x) {
    return select(x > 0, 1, select(x < 0, -1, x.like(0)));
  }
};

/// Rounds as PyTorch does: from y back where z is half or more.
struct Lerp {
  static constexpr OpInfo info{
      .name = "lerp",
      .doc = "x + z * (y - x)",
      .types = TypeRule::Composed,
      .ulp = Unbounded,
      .pnnx = false,
      .ofFloats = "where(lt(abs(@2),0.5),fma(@2,sub(@1,@0),@0),"
                  "fma(sub(@0,@1),sub(1,@2),@1))"};

  template <class R> static R reference(R x, R y, R z) {
    return x + z * (y - x);
  }
};

/// Of equal arguments, as 0 and -0 are, the first is taken; NaN wins.
struct Maximum {
  static constexpr OpInfo info{.name = "maximum",
                               .aliases = {"max"},
                               .doc = "the larger of x and y; NaN if one is",
                               .types = TypeRule::Numeric,
                               .ulp = Exact};

  template <class R> static R reference(R x, R y) {
    return isnan(x) ? x : isnan(y) ? y : x < y ? y : x;
  }

  template <class V> static V formula(V x, V y) {
    // False for y = NaN, which is then taken.
    return select((x >= y) | (x != x), x, y);
  }
};

/// Of equal arguments, as 0 and -0 are, the first is taken; NaN wins.
struct Minimum {
  static constexpr OpInfo info{.name = "minimum",
                               .aliases = {"min"},
                               .doc = "the smaller of x and y; NaN if one is",
                               .types = TypeRule::Numeric,
                               .ulp = Exact};

  template <class R> static R reference(R x, R y) {
    return isnan(x) ? x : isnan(y) ? y : y < x ? y : x;
  }

  template <class V> static V formula(V x, V y) {
    return select((x <= y) | (x != x), x, y);
  }
};

/// Of equal arguments, as 0 and -0 are, the first is taken; a number wins.
struct Fmax {
  static constexpr OpInfo info{.name = "fmax",
                               .doc = "the larger of x and y; of a number and "
                                      "NaN the number",
                               .types = TypeRule::Numeric,
                               .ulp = Exact,
                               .pnnx = false};

  template <class R> static R reference(R x, R y) {
    return isnan(x) ? y : isnan(y) ? x : x < y ? y : x;
  }

  template <class V> static V formula(V x, V y) {
    return select((x >= y) | (y != y), x, y);
  }
};

/// Of equal arguments, as 0 and -0 are, the first is taken; a number wins.
struct Fmin {
  static constexpr OpInfo info{.name = "fmin",
                               .doc = "the smaller of x and y; of a number "
                                      "and NaN the number",
                               .types = TypeRule::Numeric,
                               .ulp = Exact,
                               .pnnx = false};

  template <class R> static R reference(R x, R y) {
    return isnan(x) ? y : isnan(y) ? x : y < x ? y : x;
  }

  template <class V> static V formula(V x, V y) {
    return select((x <= y) | (y != y), x, y);
  }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_ARITHMETIC_H
