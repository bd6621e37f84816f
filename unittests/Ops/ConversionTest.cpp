//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ops/Conversion.h"

#include "Ops/Table.h"
#include "TestUtil/Floats.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace kexpr;
using namespace kexpr::test;

namespace {

/// One element of `from`, by its C++ value, as an element of `to`.
template <class To, class From> To convert(DType from, DType to, From value) {
  To result{};
  const void *args[] = {&value};
  ops::conversion(from, to)(1, args, &result);
  return result;
}

constexpr DType AllIntegers[] = {DType::I8,  DType::U8,  DType::I16,
                                 DType::U16, DType::I32, DType::U32,
                                 DType::I64, DType::U64};

/// The value of an f16 pattern, by its definition.
double halfValue(std::uint16_t pattern) {
  const int exponent = pattern >> 10 & 31, fraction = pattern & 1023;
  const double sign = pattern & 0x8000 ? -1 : 1;
  if (exponent == 31)
    return fraction ? std::nan("") : sign * HUGE_VAL;
  return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25)
                          : std::ldexp(fraction, -24));
}

std::uint16_t toHalf(float x) {
  return convert<std::uint16_t>(DType::F32, DType::F16, x);
}

TEST(Conversion, WidensEveryHalf) {
  for (std::uint32_t i = 0; i < 1 << 16; ++i) {
    const auto pattern = static_cast<std::uint16_t>(i);
    const auto wide = convert<float>(DType::F16, DType::F32, pattern);
    ASSERT_PRED2(sameFloat, wide, static_cast<float>(halfValue(pattern)));
    const auto single = convert<float>(DType::BF16, DType::F32, pattern);
    ASSERT_PRED2(sameFloat, single, std::bit_cast<float>(i << 16));
  }
}

TEST(Conversion, RoundsToTheNearestHalfTiesToEven) {
  for (std::uint32_t i = 0; i < 0x7C00; ++i) {
    const auto low = static_cast<std::uint16_t>(i);
    const double next = i == 0x7BFF ? 65536 : halfValue(low + 1);
    const auto middle = static_cast<float>((halfValue(low) + next) / 2);
    const std::uint16_t even = low + (low & 1);
    ASSERT_EQ(toHalf(middle), even) << middle;
    ASSERT_EQ(toHalf(-middle), even | 0x8000) << middle;
    ASSERT_EQ(toHalf(std::nextafter(middle, 0.f)), low) << middle;
    ASSERT_EQ(toHalf(std::nextafter(middle, HUGE_VALF)), low + 1) << middle;
    ASSERT_EQ(toHalf(static_cast<float>(halfValue(low))), low);
  }
  EXPECT_EQ(toHalf(HUGE_VALF), 0x7C00);
  EXPECT_EQ(toHalf(1e30f), 0x7C00);
  EXPECT_TRUE(std::isnan(halfValue(toHalf(NAN))));
}

TEST(Conversion, RoundsToTheNearestBfloat) {
  for (float x : steppedFloats(1 << 20)) {
    const auto pattern = convert<std::uint16_t>(DType::F32, DType::BF16, x);
    const auto bits = std::bit_cast<std::uint32_t>(x);
    if (std::isnan(x)) {
      ASSERT_GT(pattern & 0x7FFF, 0x7F80);
      continue;
    }
    // Patterns are in the order of their numbers, also where they are steps.
    const std::uint32_t low = bits >> 16, rest = bits & 0xFFFF;
    const bool up = rest > 0x8000 || (rest == 0x8000 && low % 2 == 1);
    ASSERT_EQ(pattern, low + up) << x;
  }
}

TEST(Conversion, TruncatesAndGivesWhatX86GivesOutOfRange) {
  auto to8 = [](float x) {
    return convert<std::int8_t>(DType::F32, DType::I8, x);
  };
  EXPECT_EQ(to8(-2.9f), -2);
  EXPECT_EQ(to8(300), 44);
  EXPECT_EQ(to8(-300.7f), -44);
  EXPECT_EQ(to8(1e10f), 0);
  EXPECT_EQ(to8(NAN), 0);
  EXPECT_EQ(convert<std::uint8_t>(DType::F32, DType::U8, -1.f), 255);
  EXPECT_EQ(convert<std::int16_t>(DType::F32, DType::I16, 40000.f), -25536);
  EXPECT_EQ(convert<std::int32_t>(DType::F64, DType::I32, -2147483648.9),
            INT32_MIN);
  EXPECT_EQ(convert<std::int32_t>(DType::F64, DType::I32, 2147483647.9),
            INT32_MAX);
  for (double x : {3e9, -3e9, 1e300, double(NAN)})
    EXPECT_EQ(convert<std::int32_t>(DType::F64, DType::I32, x), INT32_MIN);
  EXPECT_EQ(convert<std::int64_t>(DType::F32, DType::I64, -3e9f), -3000000000);
  for (float x : {1e19f, -1e19f, HUGE_VALF, NAN})
    EXPECT_EQ(convert<std::int64_t>(DType::F32, DType::I64, x), INT64_MIN);
}

TEST(Conversion, OfFloatsToUnsignedNumbersIsThatOfX86) {
  const auto to16 = [](double x) {
    return convert<std::uint16_t>(DType::F64, DType::U16, x);
  };
  const auto to32 = [](double x) {
    return convert<std::uint32_t>(DType::F64, DType::U32, x);
  };
  const auto to64 = [](double x) {
    return convert<std::uint64_t>(DType::F64, DType::U64, x);
  };
  EXPECT_EQ(to16(65535.9), 65535);
  EXPECT_EQ(to16(-1.5), 65535);
  EXPECT_EQ(to16(70000.7), 4464);
  EXPECT_EQ(to16(3e9), 0);
  EXPECT_EQ(to32(4294967295.5), 4294967295u);
  EXPECT_EQ(to32(-1.5), 4294967295u);
  EXPECT_EQ(to32(-3e9), 1294967296u);
  EXPECT_EQ(to32(0x1p32 + 5), 5u);
  for (double x : {1e19, -1e19, HUGE_VAL, double(NAN)})
    EXPECT_EQ(to32(x), 0u);
  EXPECT_EQ(to64(-1.5), ~std::uint64_t{0});
  EXPECT_EQ(to64(1e19), 10000000000000000000u);
  EXPECT_EQ(to64(0x1p63), std::uint64_t{1} << 63);
  EXPECT_EQ(to64(std::nextafter(0x1p64, 0)), ~std::uint64_t{0} << 11);
  EXPECT_EQ(to64(std::nextafter(0x1p63, 0)), (std::uint64_t{1} << 63) - 1024);
  for (double x : {0x1p64, 1e300, HUGE_VAL})
    EXPECT_EQ(to64(x), 0u);
  for (double x : {-1e19, -HUGE_VAL, double(NAN)})
    EXPECT_EQ(to64(x), std::uint64_t{1} << 63);
  EXPECT_EQ(convert<std::uint64_t>(DType::F32, DType::U64, 1e19f),
            9999999980506447872u);
}

TEST(Conversion, OfUnsignedNumbersToFloatsRoundsOnce) {
  for (std::uint64_t x :
       {~std::uint64_t{0}, std::uint64_t{1} << 63,
        (std::uint64_t{1} << 63) + 1024, (std::uint64_t{1} << 63) + 1025,
        0x8000008000000001u, 0x8000008000000000u, 0xFFFFFF7FFFFFFFFFu}) {
    // In two exact parts, of which the sum is rounded.
    const double high = static_cast<double>(x >> 32) * 0x1p32;
    const auto low = static_cast<double>(x & 0xFFFFFFFF);
    EXPECT_EQ(convert<double>(DType::U64, DType::F64, x), high + low) << x;
    const auto single = convert<float>(DType::U64, DType::F32, x);
    const long double exact = static_cast<long double>(x);
    for (float other :
         {std::nextafter(single, 0.f), std::nextafter(single, HUGE_VALF)})
      EXPECT_LE(std::abs(single - exact), std::abs(other - exact)) << x;
  }
  EXPECT_EQ(convert<float>(DType::U32, DType::F32, std::uint32_t{0xFFFFFF80}),
            0x1p32f);
  EXPECT_EQ(convert<float>(DType::U32, DType::F32, std::uint32_t{0xFFFFFF7F}),
            0x1.fffffep31f);
  EXPECT_EQ(convert<double>(DType::U32, DType::F64, ~std::uint32_t{0}),
            4294967295.0);
}

/// Few conversions are compiled; this is of the others.
TEST(Conversion, IsServedByOneOfTheSameBits) {
  for (DType from : AllIntegers)
    for (DType to : AllIntegers)
      for (std::uint64_t bits :
           {0x0ull, ~0ull, 0x8080808080808080ull, 0x7F7F7F7F7F7F7F7Full,
            0x123456789ABCDEF0ull}) {
        const std::size_t size = sizeOf(from);
        std::uint64_t wide = size == 8 ? bits : bits & ((1ull << 8 * size) - 1);
        const bool isNegative =
            ops::signedOf(from) == from && (wide >> (8 * size - 1) & 1);
        if (isNegative && size < 8)
          wide |= ~std::uint64_t{0} << 8 * size;
        const std::uint64_t kept =
            sizeOf(to) == 8 ? wide : wide & ((1ull << 8 * sizeOf(to)) - 1);
        std::uint64_t result = 0;
        const void *args[] = {&bits};
        ops::conversion(from, to)(1, args, &result);
        ASSERT_EQ(result, kept) << nameOf(from) << " to " << nameOf(to);
      }
}

TEST(Conversion, WrapsIntegersAndReadsBools) {
  EXPECT_EQ(convert<std::int8_t>(DType::I64, DType::I8, std::int64_t{300}), 44);
  EXPECT_EQ(convert<std::uint8_t>(DType::I16, DType::U8, std::int16_t{-1}),
            255);
  EXPECT_EQ(convert<std::int64_t>(DType::U8, DType::I64, std::uint8_t{255}),
            255);
  EXPECT_EQ(convert<float>(DType::I64, DType::F32, std::int64_t{16777217}),
            16777216.f);
  EXPECT_TRUE(convert<bool>(DType::F32, DType::Bool, NAN));
  EXPECT_FALSE(convert<bool>(DType::F32, DType::Bool, -0.f));
  EXPECT_TRUE(convert<bool>(DType::I64, DType::Bool, INT64_MIN));
  EXPECT_EQ(convert<double>(DType::Bool, DType::F64, true), 1);
  EXPECT_EQ(
      convert<std::int64_t>(DType::BF16, DType::I64, std::uint16_t{0x40A0}), 5);
}

/// A double by way of the f32 with an odd last bit.
template <DType To> std::uint16_t roundedOnce(double x) {
  double odd = 0;
  const void *args[] = {&x};
  ops::blocks(ops::Arithmetic::F64)[*ops::findAny("round_to_odd")](1, args,
                                                                   &odd);
  return convert<std::uint16_t>(DType::F64, To, odd);
}

template <DType To> void checkRoundingOnce(double (*valueOf)(std::uint16_t)) {
  constexpr std::uint16_t infinity = To == DType::F16 ? 0x7C00 : 0x7F80;
  for (std::uint16_t low = 0; low < infinity; ++low) {
    const double a = valueOf(low);
    const double b = low + 1 == infinity
                         ? 2 * a - valueOf(static_cast<std::uint16_t>(low - 1))
                         : valueOf(static_cast<std::uint16_t>(low + 1));
    const double middle = (a + b) / 2, step = (b - a) * 0x1p-30;
    const auto high = static_cast<std::uint16_t>(low + 1);
    for (double near : {std::nextafter(middle, a), middle - step})
      ASSERT_EQ(roundedOnce<To>(near), low) << near;
    for (double near : {std::nextafter(middle, b), middle + step})
      ASSERT_EQ(roundedOnce<To>(near), high) << near;
    ASSERT_EQ(roundedOnce<To>(middle), low & 1 ? high : low) << middle;
    ASSERT_EQ(roundedOnce<To>(-std::nextafter(middle, b)), high | 0x8000);
    ASSERT_EQ(roundedOnce<To>(-std::nextafter(middle, a)), low | 0x8000);
    ASSERT_EQ(roundedOnce<To>(a), low);
  }
  for (double huge : {1e39, 1e300, HUGE_VAL}) {
    EXPECT_EQ(roundedOnce<To>(huge), infinity);
    EXPECT_EQ(roundedOnce<To>(-huge), infinity | 0x8000);
  }
  EXPECT_EQ(roundedOnce<To>(0x1p-1074), 0);
  EXPECT_EQ(roundedOnce<To>(-0x1p-200), 0x8000);
  EXPECT_GT(roundedOnce<To>(std::nan("")) & 0x7FFF, infinity);
}

TEST(Conversion, DoublesMadeOddAreRoundedToHalvesOnce) {
  checkRoundingOnce<DType::F16>(halfValue);
  checkRoundingOnce<DType::BF16>([](std::uint16_t pattern) {
    return double{std::bit_cast<float>(std::uint32_t{pattern} << 16)};
  });
  // What it is for: by way of the nearest f32 this is a tie.
  const double above = 1 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(convert<std::uint16_t>(DType::F64, DType::F16, above), 0x3C00);
  EXPECT_EQ(roundedOnce<DType::F16>(above), 0x3C01);
}

TEST(Conversion, RoundingToOddIsItsReference) {
  const auto entry = ops::allOperators()[*ops::findAny("round_to_odd")];
  std::vector<double> values;
  for (float x : specialFloats())
    for (double factor : {1.0, 1 + 0x1p-30, 1 - 0x1p-30, 1 + 0x1p-52, 0x1p-20})
      values.push_back(x * factor);
  std::vector<double> odd(values.size());
  const void *args[] = {values.data()};
  ops::blocks(ops::Arithmetic::F64)[*ops::findAny("round_to_odd")](
      values.size(), args, odd.data());
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_PRED2(sameFloat, odd[i], entry.reference(&values[i])) << values[i];
}

} // namespace
