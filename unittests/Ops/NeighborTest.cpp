//===- Ops/NeighborTest.cpp - nextafter, ldexp and celu at their edges ----===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ops/Neighbor.h"
#include "Ops/Algebra/Scalar.h"
#include "Ops/Binary.h"
#include "Ops/Neural.h"
#include "TestUtil/Floats.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace kexpr::ops;

namespace {

template <class Op, class T> T eval(T x, T y) {
  return Op::formula(Scalar<T>{x}, Scalar<T>{y}).rep;
}

/// The same value, the sign of zero included; any NaN equals any NaN.
template <class T> bool same(T got, T want) {
  return std::isnan(want)
             ? std::isnan(got)
             : got == want && std::signbit(got) == std::signbit(want);
}

/// The value of the bits of a half type with so many bits of fraction.
float halfOf(unsigned bits, int fraction) {
  const int exponentBits = 15 - fraction;
  const int exponent =
      static_cast<int>(bits >> fraction & ((1u << exponentBits) - 1));
  const float part = static_cast<float>(bits & ((1u << fraction) - 1));
  const int least = 2 - (1 << (exponentBits - 1)) - fraction;
  float value = exponent == 0 ? std::ldexp(part, least)
                              : std::ldexp(part + std::ldexp(1.0f, fraction),
                                           least + exponent - 1);
  if (exponent + 1 == 1 << exponentBits)
    value = part == 0 ? std::numeric_limits<float>::infinity()
                      : std::numeric_limits<float>::quiet_NaN();
  return bits >> 15 ? -value : value;
}

template <class Op> void expectNeighborsOf(int fraction) {
  const unsigned infinite = (1u << 15) - (1u << fraction);
  for (unsigned bits = 0; bits < 1u << 16; ++bits)
    for (unsigned to : {0u, 1u << 15, infinite, infinite | 1u << 15, 1u,
                        infinite - 1, 0x3c00u, 0xbc00u, infinite + 1}) {
      const float x = halfOf(bits, fraction), y = halfOf(to, fraction);
      float want = y;
      if (std::isnan(x) || std::isnan(y))
        want = std::numeric_limits<float>::quiet_NaN();
      else if (x == 0 && y != 0)
        want = halfOf((to & 1u << 15) | 1, fraction);
      else if (x != y)
        want = halfOf((y > x) == (x > 0) ? bits + 1 : bits - 1, fraction);
      ASSERT_TRUE(same(eval<Op>(x, y), want)) << x << " towards " << y;
    }
}

TEST(Neighbor, OfF16AndBF16AreTheNextNumbersOfTheType) {
  expectNeighborsOf<NextafterF16>(10);
  expectNeighborsOf<NextafterBF16>(7);
}

TEST(Neighbor, OfF32AndF64AreThoseOfC) {
  const auto values = kexpr::test::specialFloats();
  for (float x : values)
    for (float y : values) {
      EXPECT_TRUE(same(eval<Nextafter>(x, y), std::nextafter(x, y)));
      const double wide = x, to = y;
      EXPECT_TRUE(same(eval<Nextafter>(wide, to), std::nextafter(wide, to)));
    }
}

/// A random number of every magnitude.
template <class T> T draw(std::mt19937_64 &generator) {
  using Bits = std::make_unsigned_t<IntOf<T>>;
  return std::bit_cast<T>(static_cast<Bits>(generator()));
}

TEST(Ldexp, OfWholePowersIsThatOfC) {
  std::mt19937_64 generator(7);
  std::uniform_int_distribution<int> power(-2300, 2300);
  for (int i = 0; i < 200'000; ++i) {
    const int n = i % 4 ? power(generator) : power(generator) / 10;
    const auto x = draw<double>(generator);
    ASSERT_TRUE(same(eval<Ldexp>(x, double(n)), std::ldexp(x, n)))
        << std::hexfloat << x << " by 2^" << n;
    const auto narrow = draw<float>(generator);
    ASSERT_TRUE(same(eval<Ldexp>(narrow, float(n)), std::ldexp(narrow, n)))
        << std::hexfloat << narrow << " by 2^" << n;
  }
}

TEST(Ldexp, OfInfinitePowersIsAProduct) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(same(eval<Ldexp>(2.0, inf), inf));
  EXPECT_TRUE(same(eval<Ldexp>(-2.0, -inf), -0.0));
  EXPECT_TRUE(std::isnan(eval<Ldexp>(0.0, inf)));
  EXPECT_TRUE(std::isnan(eval<Ldexp>(inf, -inf)));
}

TEST(Celu, PowersMayOverflowWhereTheProductDoesNot) {
  // e^1000 and e^1024 are none of f64.
  EXPECT_NEAR(eval<Celu>(-1e-297, -1e-300) / -0x1.158d3878a2fcbp+446, 1, 1e-14);
  EXPECT_NEAR(eval<Celu>(-0x1p-1063, -0x1p-1073) / -0x1.3f82d20e751a2p+404, 1,
              1e-14);
  EXPECT_EQ(eval<Celu>(-1e300, -1e-300),
            -std::numeric_limits<double>::infinity());
  EXPECT_EQ(eval<Celu>(-1e-320, 1e300), -1e-320);
  EXPECT_TRUE(same(eval<Celu>(-0.0, -2.0), -0.0));
}

} // namespace
