//===- TestUtil/Divisors.h - Divisions that may come out wrong ------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TESTUTIL_DIVISORS_H
#define KEXPR_TESTUTIL_DIVISORS_H

#include "Ops/KnownDivisor.h"
#include "TestUtil/Floats.h"

#include <random>

namespace kexpr::test {

/// Divisors that networks have, and some of either end.
inline std::vector<float> commonDivisors() {
  return {12,    3,    6,         7,      -12,         255,     127.5f,
          0.05f, 0.1f, -0.1f,     3.5f,   100,         1e-5f,   2.82842708f,
          1e6f,  768,  0x1.8p31f, 3e-38f, 0x1.8p-126f, 0.18215f};
}

/// `count` positive divisors, none near either end of f32.
inline std::vector<float> randomDivisors(unsigned count) {
  std::mt19937 generator(12);
  std::vector<float> values;
  for (unsigned i = 0; i < count; ++i)
    values.push_back(std::bit_cast<float>(
        static_cast<std::uint32_t>(0x3c000000 + generator() % 0x08000000)));
  return values;
}

/// 1 / y in two parts, whether or not they divide.
inline ops::SplitReciprocal splitReciprocal(float y) {
  auto high = static_cast<float>(1 / double{y});
  if (std::fabs(double{high} * y) > 1)
    high = std::nextafter(high, 0.0f);
  const double rest = std::fma(-double{high}, double{y}, 1.0);
  return {high, static_cast<float>(rest / y)};
}

/// For how many of the 2^23 significands `z` does not divide as y does.
inline unsigned wrongSignificands(float y, ops::SplitReciprocal z) {
  unsigned wrong = 0;
  for (std::uint32_t bits = 0x3f800000; bits < 0x40000000; ++bits) {
    const auto x = std::bit_cast<float>(bits);
    wrong += std::fma(x, z.high, x * z.low) != x / y;
  }
  return wrong;
}

/// Dividends from everywhere, and many where quotients or what is below them
/// underflow: around 2^-64 and subnormal, with all ties of small ones.
inline std::vector<float> dividends() {
  std::vector<float> values = specialFloats();
  for (float x : steppedFloats(1 << 15, 3))
    values.push_back(x);
  const auto addAround = [&values](std::uint32_t bits, std::uint32_t reach) {
    for (std::uint32_t i = bits - reach; i <= bits + reach; ++i)
      for (std::uint32_t sign : {0u, 0x80000000u})
        values.push_back(std::bit_cast<float>(i | sign));
  };
  constexpr std::uint32_t reach = 200;
  for (float x : {0x1p-149f * 201, 0x1p-126f, 0x1.8p-123f, 0x1p-64f, 0x1p-63f,
                  0x1p124f, 0x1.99999ap124f})
    addAround(std::bit_cast<std::uint32_t>(x), reach);
  return values;
}

} // namespace kexpr::test

#endif // KEXPR_TESTUTIL_DIVISORS_H
