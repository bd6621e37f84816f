//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ops/KnownDivisor.h"

#include <bit>
#include <cmath>

using namespace kexpr::ops;

/// Significands are whole numbers here, from this one up to twice of it.
static constexpr std::uint64_t Least = std::uint64_t{1} << 23;

/// 1 / y in two parts, of which the second is 0 for a power of two.
static SplitReciprocal split(float y) {
  const double inverse = 1.0 / y;
  auto high = static_cast<float>(inverse);
  if (high > inverse)
    high = std::nextafter(high, 0.0f);
  // Exact: the product has 48 bits.
  const double rest = std::fma(-double{y}, double{high}, 1.0);
  return {high, static_cast<float>(rest / y)};
}

static bool isRightFor(std::uint64_t x, std::uint64_t y, SplitReciprocal z) {
  const auto dividend = static_cast<float>(x), divisor = static_cast<float>(y);
  return std::fma(dividend, z.high, dividend * z.low) == dividend / divisor;
}

/// 1 / 2^count modulo an odd number.
static std::uint64_t inverseOfPower(unsigned count, std::uint64_t modulus) {
  std::uint64_t inverse = 1 % modulus;
  for (unsigned i = 0; i < count; ++i)
    inverse = (inverse % 2 ? inverse + modulus : inverse) / 2;
  return inverse;
}

/// Tests every x that is `first` modulo `step` and whose quotient x 2^shift / y
/// is a significand: shift is 23 where x is not below y, else 24.
static bool isRightForAll(std::uint64_t first, std::uint64_t step,
                          unsigned shift, std::uint64_t y, SplitReciprocal z) {
  for (auto x = first + (Least - 1 - first + step) / step * step; x < 2 * Least;
       x += step)
    if ((x >= y) == (shift == 23) && !isRightFor(x, y, z))
      return false;
  return true;
}

/// Whether the form is right for every significand x, y being one. It can fail
/// only where x / y lies so near to the middle m + 1/2 of two neighbours that
/// its error reaches it. The error of `low`, the rounding of x * low and what
/// it loses by underflow are together at most the part `error` of the quotient,
/// which is below 2^24 units of its last place; and
///
///   x 2^shift / y - (m + 1/2) = (x 2^(shift + 1) - (2m + 1) y) / 2y
///
/// so the numerator must be at most 2^49 * error, about 8. With y = odd 2^even
/// it is distance * 2^even for an odd distance, and then x is distance /
/// 2^(shift + 1 - even) modulo odd: a few numbers, which are tried.
static bool isRight(std::uint64_t y, SplitReciprocal z) {
  const double error =
      2.02 * 0x1p-24 * double{z.low} * static_cast<double>(y) + 0x1p-52;
  const auto reach = static_cast<std::uint64_t>(0x1p49 * error);
  const auto even = static_cast<unsigned>(std::countr_zero(y));
  const std::uint64_t odd = y >> even;
  for (unsigned shift : {23u, 24u}) {
    const auto inverse = inverseOfPower(shift + 1 - even, odd);
    for (std::uint64_t distance = 1; distance << even <= reach; distance += 2) {
      const std::uint64_t x = distance * inverse % odd;
      if (!isRightForAll(x, odd, shift, y, z) ||
          !isRightForAll(odd - x, odd, shift, y, z))
        return false;
    }
  }
  return true;
}

std::optional<SplitReciprocal> kexpr::ops::reciprocalToDivideBy(float y) {
  // So x / y is at least 2^-96 where `DivBy` multiplies, and a product that
  // underflows loses at most 2^-150, less than the part 2^-52 of it.
  if (!std::isnormal(y) || std::fabs(y) > 0x1p32f)
    return std::nullopt;
  const int exponent = std::ilogb(y) - 23;
  const float significand = std::ldexp(std::fabs(y), -exponent);
  const SplitReciprocal z = split(significand);
  if (z.low == 0 || !isRight(static_cast<std::uint64_t>(significand), z))
    return std::nullopt;
  return SplitReciprocal{std::copysign(std::ldexp(z.high, -exponent), y),
                         std::copysign(std::ldexp(z.low, -exponent), y)};
}

LiteralForm kexpr::ops::divisionBy(double divisor) {
  const auto y = static_cast<float>(divisor);
  const auto z = y == divisor ? reciprocalToDivideBy(y) : std::nullopt;
  if (!z)
    return {};
  return {"div_by(@0,@1,@2,@3)", {divisor, z->high, z->low}};
}
