//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ops/BlockLoops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace kexpr;
using ops::ExactSums;

namespace {

using State = std::vector<std::int64_t>;

/// The state of doubles that are added one by one.
State stateOf(const std::vector<double> &elements) {
  const ExactSums &exact = ExactSums::of(DType::F64);
  State state(exact.words);
  for (const double &element : elements)
    exact.add(1, &element, state.data());
  return state;
}

/// The blocks of the baseline, and those that this CPU runs best.
template <class T> std::array<ops::ExactBlockFn, 2> blocksOf() {
  constexpr bool isWide = sizeof(T) == 8;
  return {ops::blockTables<ops::Isa::Baseline>().exactBlocks[isWide],
          ops::exactBlock(isWide ? DType::F64 : DType::F32)};
}

template <class T> struct ExactBlocks : testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(ExactBlocks, Types);

TYPED_TEST(ExactBlocks, HaveTheSumOfTheirElements) {
  std::mt19937_64 random(1);
  std::array<int, 4> found = {};
  for (int apart = 0; apart < 100; ++apart)
    for (std::size_t count : {0, 1, 7, 8, 31, 64, 2047, 2048}) {
      std::vector<TypeParam> elements(count);
      for (TypeParam &element : elements) {
        const auto size =
            std::ldexp(static_cast<TypeParam>(random() | 1),
                       -60 - static_cast<int>(random() % (apart + 1)));
        element = random() % 16 ? (random() % 2 ? size : -size) : 0;
      }
      const State expected =
          stateOf(std::vector<double>(elements.begin(), elements.end()));
      for (const ops::ExactBlockFn block : blocksOf<TypeParam>()) {
        double parts[3] = {};
        const unsigned number = block(count, elements.data(), parts);
        ASSERT_LE(number, 3u);
        ++found[number];
        if (number == 0)
          continue;
        ASSERT_EQ(stateOf({parts, parts + number}), expected)
            << count << " elements, " << apart << " apart";
      }
    }
  EXPECT_GT(found[0], 0);
  // f64 has no room for a block that is not cut.
  if (sizeof(TypeParam) == 4) {
    EXPECT_GT(found[1], 0);
  }
  EXPECT_GT(found[2], 0);
  EXPECT_GT(found[3], 0);
}

TYPED_TEST(ExactBlocks, RefuseWhatTheyCannotCut) {
  using Limits = std::numeric_limits<TypeParam>;
  for (const ops::ExactBlockFn block : blocksOf<TypeParam>())
    for (std::size_t place : {0, 3, 63, 64, 99})
      for (TypeParam odd : {Limits::infinity(), -Limits::infinity(),
                            Limits::quiet_NaN(), Limits::max()}) {
        std::vector<TypeParam> elements(100, 1);
        elements[place] = odd;
        double parts[3];
        EXPECT_EQ(block(elements.size(), elements.data(), parts), 0u);
      }
}

TEST(ExactSumStates, AreThoseOfTheirSums) {
  const ExactSums &exact = ExactSums::of(DType::F64);
  EXPECT_EQ(stateOf({1, 0x1p-1074, -1}), stateOf({0x1p-1074}));
  EXPECT_EQ(stateOf({0x1p1023, 1, -0x1p1023, -2}), stateOf({-1}));
  EXPECT_EQ(stateOf({0.0, -0.0}), State(exact.words));
  State state = stateOf({-3});
  EXPECT_TRUE(exact.merge(state.data(), stateOf({3}).data()));
  EXPECT_EQ(state, State(exact.words));
}

/// Quotients whose remainder decides, over numbers of any size.
TEST(ExactSumStates, AreDividedByLargeNumbers) {
  const ExactSums &exact = ExactSums::of(DType::F64);
  for (const std::int64_t divisor :
       {std::int64_t{3}, std::int64_t{0xffffffff}, std::int64_t{1} << 32,
        std::int64_t{1} << 53, (std::int64_t{1} << 53) - 1}) {
    double result;
    const auto exactly = static_cast<double>(divisor);
    exact.round(stateOf({exactly, exactly, exactly}).data(), divisor,
                DType::F64, &result);
    EXPECT_EQ(result, 3) << divisor;
    exact.round(stateOf({1}).data(), divisor, DType::F64, &result);
    EXPECT_EQ(result, 1 / exactly) << divisor;
    exact.round(stateOf({-1e300}).data(), divisor, DType::F64, &result);
    EXPECT_EQ(result, -1e300 / exactly) << divisor;
  }
}

} // namespace
