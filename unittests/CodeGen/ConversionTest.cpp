//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/CompiledLoop.h"

#include "Ops/Conversion.h"
#include "TestUtil/Floats.h"
#include "TestUtil/Skips.h"

#include <cstring>
#include <random>

using namespace kexpr;
using namespace kexpr::test;

namespace {

semantics::Plan planOf(DType from, DType to) {
  semantics::GraphBuilder builder;
  const auto result = builder.convert(builder.input(0, from), to);
  semantics::Plan plan{
      .graph = builder.finish({&result, 1}), .inputs = {}, .outputs = {}};
  plan.setContiguous();
  return plan;
}

/// Elements as bytes: all patterns of narrow types, many of wide ones, among
/// them floats near the ends of integers.
std::vector<char> elementsOf(DType type) {
  const std::size_t size = sizeOf(type), count = (1 << 16) + 37;
  std::vector<char> bytes(count * size);
  std::mt19937_64 random(11);
  const auto specials = specialFloats();
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t bits = size <= 2 ? i : random();
    if (type == DType::Bool)
      bits &= 1;
    if (type == DType::F32 && i % 2)
      bits = std::bit_cast<std::uint32_t>(specials[i / 2 % specials.size()]);
    if (type == DType::F64 && i % 2)
      bits = std::bit_cast<std::uint64_t>(
          static_cast<double>(specials[i / 2 % specials.size()]) +
          static_cast<double>(i % 3) - 1);
    std::memcpy(bytes.data() + i * size, &bits, size);
  }
  return bytes;
}

bool isNan(const char *element, DType type) {
  const void *args[] = {element};
  double wide = 0;
  if (!semantics::isFloatingPoint(type))
    return false;
  if (type == DType::F64)
    std::memcpy(&wide, element, sizeof wide);
  else
    ops::conversion(type, DType::F64)(1, args, &wide);
  return std::isnan(wide);
}

class EveryConversion : public testing::TestWithParam<DType> {};

} // namespace

TEST_P(EveryConversion, AsMachineCodeGivesTheInterpretersBits) {
  const DType from = GetParam();
  const auto in = elementsOf(from);
  const std::size_t count = in.size() / sizeOf(from);
  const void *args[] = {in.data()};
  for (DType to : ops::AllTypes) {
    if (to == from)
      continue;
    SCOPED_TRACE(nameOf(to));
    const std::size_t size = sizeOf(to);
    std::vector<char> expected(count * size), got(count * size);
    ops::conversion(from, to)(count, args, expected.data());
    forEachTier([&](const codegen::Target &target, codegen::OptLevel level) {
      const CompiledLoop loop(planOf(from, to), target, level);
      ASSERT_TRUE(loop);
      std::fill(got.begin(), got.end(), 'x');
      loop.run(static_cast<std::int64_t>(count), {got.data(), in.data()});
      for (std::size_t i = 0; i < count; ++i) {
        const char *a = got.data() + i * size, *b = expected.data() + i * size;
        ASSERT_TRUE(std::memcmp(a, b, size) == 0 ||
                    (isNan(a, to) && isNan(b, to)))
            << "element " << i;
      }
    });
  }
}

TEST(Conversions, AreExactWithoutInstructionsForHalf) {
#if !defined(__x86_64__)
  GTEST_SKIP() << kexpr::test::skips::NoSuchMachine;
#endif
  const auto target = codegen::makeTarget(
      {.triple = {}, .cpu = {}, .features = "-f16c,-avx512f", .vectorBits = 0});
  ASSERT_TRUE(target) << target.error().message();
  if (target->hasHalf || !target->hasFma)
    GTEST_SKIP() << kexpr::test::skips::NoSuchMachine;
  const auto in = elementsOf(DType::F32);
  const std::size_t count = in.size() / 4;
  std::vector<std::uint16_t> expected(count), got(count);
  const void *args[] = {in.data()};
  ops::conversion(DType::F32, DType::F16)(count, args, expected.data());
  const CompiledLoop loop(planOf(DType::F32, DType::F16), *target);
  ASSERT_TRUE(loop);
  loop.run(static_cast<std::int64_t>(count), {got.data(), in.data()});
  EXPECT_EQ(got, expected);
}

INSTANTIATE_TEST_SUITE_P(Types, EveryConversion,
                         testing::ValuesIn(ops::AllTypes),
                         [](const auto &info) {
                           return std::string(nameOf(info.param));
                         });
