//===- TestUtil/Floats.h - Which floats to test with, and how to compare --===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TESTUTIL_FLOATS_H
#define KEXPR_TESTUTIL_FLOATS_H

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace kexpr::test {

/// Distance of `got` from the exact result, in units in the last place of the
/// f32 nearest to it. What rounds to infinity is as far as 2^128; NaN is equal
/// to NaN and infinitely far from all else.
inline double ulpError(float got, double exact) {
  if (std::isnan(got) || std::isnan(exact))
    return std::isnan(got) == std::isnan(exact)
               ? 0
               : std::numeric_limits<double>::infinity();
  auto limit = [](double x) { return std::clamp(x, -0x1p128, 0x1p128); };
  const double scale = std::clamp(std::fabs(exact), 0x1p-126, 0x1p127);
  return std::fabs(limit(got) - limit(exact)) /
         std::ldexp(1.0, std::ilogb(scale) - 23);
}

/// Whether two numbers are the same: bit for bit, but any NaN is like another.
inline constexpr auto sameFloat = [](auto a, decltype(a) b) {
  return (a == b && std::signbit(a) == std::signbit(b)) ||
         (std::isnan(a) && std::isnan(b));
};

/// The numbers at which formulas go wrong; every one of both signs.
inline std::vector<float> specialFloats() {
  constexpr auto limits = std::numeric_limits<float>();
  std::vector<float> values = {
      0, limits.infinity(), limits.max(), limits.min(), limits.denorm_min(),
      // Subnormals, and steps off the smallest normal number and off 1.
      0x1p-140f, 0x1.fffffcp-127f, 0x1.000002p-126f, 0x1.fffffep-1f,
      0x1.000002p0f,
      // Whole numbers, halves and thirds; powers of two where significands end.
      1, 2, 3, 5, 7, 10, 12, 64, 100, 0.5f, 1.5f, 2.5f, 3.5f, 0.25f, 0.1f,
      0.333333343f, 0x1.fffffep-2f, 0x1.fffffep22f, 0x1p23f, 0x1.8p23f, 0x1p24f,
      0x1p31f, 0x1p63f, 0x1p100f, 0x1p-24f, 0x1p-60f,
      // e, and multiples of pi; the last is as near to one as any f32.
      2.71828175f, 0.785398185f, 1.57079637f, 3.14159274f, 6.28318548f,
      314.159271f, 0x1.6ac5b2p+3f, 0x1.fd4bbap-27f, 0x1.583d0cp+21f, 1e10f,
      1e30f,
      // Where exp and its kin overflow, underflow and saturate.
      9.01f, 17.4f, 88.7228317f, 88.7228394f, 87.3365402f, 103.972084f, 104.5f};
  for (std::size_t i = values.size(); i-- > 0;)
    values.push_back(-values[i]);
  values.push_back(limits.quiet_NaN());
  return values;
}

/// `count` floats in even steps over all bit patterns, NaNs among them.
inline std::vector<float> steppedFloats(std::uint32_t count,
                                        std::uint32_t first = 0) {
  const auto step =
      static_cast<std::uint32_t>((std::uint64_t{1} << 32) / count);
  std::vector<float> values(count);
  for (std::uint32_t i = 0; i < count; ++i)
    values[i] = std::bit_cast<float>(first + i * step);
  return values;
}

} // namespace kexpr::test

#endif // KEXPR_TESTUTIL_FLOATS_H
