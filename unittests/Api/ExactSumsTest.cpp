//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums and means at Precision::Accurate are the nearest numbers, whatever the
// order.
//
//===----------------------------------------------------------------------===//
#include "Api/ExactSums.h"

#include <algorithm>

namespace kexpr::test::rows::exact {
namespace {

constexpr DType Types[] = {DType::F16, DType::BF16, DType::F32, DType::F64};

Way accurate(Way way = {}) {
  way.precision = Precision::Accurate;
  return way;
}

std::vector<Way> accurateWays() {
  std::vector<Way> ways;
  for (const Way &way : allWays())
    ways.push_back(accurate(way));
  return ways;
}

/// Elements of a type with these bits.
Tensor tensorOf(DType type, const std::vector<std::uint64_t> &bits) {
  std::vector<char> bytes;
  for (std::uint64_t each : bits) {
    const char *first = reinterpret_cast<const char *>(&each);
    bytes.insert(bytes.end(), first, first + sizeOf(type));
  }
  return {type, {static_cast<std::int64_t>(bits.size())}, bytes};
}

using Random = std::mt19937_64;

/// Finite numbers whose exponents are spread over so many.
std::vector<std::uint64_t> spread(DType type, std::size_t count, Random &random,
                                  std::uint64_t exponents) {
  const Format format = Format::of(type);
  const std::uint64_t all = (std::uint64_t{1} << format.field) - 1;
  exponents = std::min(exponents, all);
  const std::uint64_t first = random() % (all - exponents + 1);
  std::vector<std::uint64_t> bits;
  for (std::size_t i = 0; i < count; ++i)
    bits.push_back((first + random() % exponents) << format.fraction |
                   (random() & ((std::uint64_t{1} << format.fraction) - 1)) |
                   (random() % 2 ? format.sign() : 0));
  return bits;
}

/// The same, of which all but some cancel; in any order.
std::vector<std::uint64_t> cancelling(DType type, std::size_t count,
                                      Random &random, std::uint64_t exponents) {
  auto bits = spread(type, count, random, exponents);
  for (std::size_t i = 0; 2 * i + 3 < count; ++i)
    bits[2 * i] = bits[2 * i + 1] ^ Format::of(type).sign();
  std::shuffle(bits.begin(), bits.end(), random);
  return bits;
}

void expectNearest(const std::vector<std::uint64_t> &bits, DType type,
                   const Way &way = accurate()) {
  const Tensor input = tensorOf(type, bits);
  ExactSum sum(type);
  sum.add(input);
  const Tensors outputs = outputsOf("[sum(@0),mean(@0,0)]", {input}, way);
  const auto count = static_cast<std::uint32_t>(bits.size());
  EXPECT_TRUE(sum.isNearest(type, bitsAt(outputs[0], 0), 1))
      << nameOf(type) << ", " << count << ", " << way.str();
  if (count > 0) {
    EXPECT_TRUE(sum.isNearest(type, bitsAt(outputs[1], 0), count))
        << nameOf(type) << ", " << count << ", " << way.str();
  }
}

TEST(ExactSums, AreTheNearest) {
  Random random(1);
  for (DType type : Types)
    for (std::size_t count :
         {0, 1, 2, 3, 31, 32, 33, 64, 1000, 2047, 2048, 2049, 6145})
      for (std::uint64_t exponents : {1, 3, 12, 18, 19, 40, 60, 73, 100, 2046})
        expectNearest(spread(type, count, random, exponents), type);
}

TEST(ExactSums, OfWhatCancelsAreTheNearest) {
  Random random(2);
  for (DType type : Types)
    for (std::uint64_t exponents : {1, 10, 30, 50, 80, 2046})
      for (std::size_t count : {3, 4, 5, 6, 2047, 2048, 6000})
        expectNearest(cancelling(type, count, random, exponents), type);
}

TEST(ExactSums, OfTheLargestAndTheSmallestAreTheNearest) {
  for (DType type : Types) {
    const Format format = Format::of(type);
    const std::uint64_t most = format.infinity() - 1, minus = format.sign();
    const std::uint64_t one = static_cast<std::uint64_t>(format.bias)
                              << format.fraction;
    for (const std::vector<std::uint64_t> &bits :
         {std::vector<std::uint64_t>{most, most, most | minus},
          {most, most},
          {most | minus, most | minus, most | minus},
          {most, one, most | minus},
          {1},
          {1 | minus},
          {1, 1, 1 | minus},
          {1, 0, 0},
          {1 | minus, 0, 0},
          {1, 1, 1, 0},
          {most, 1, 1 | minus}})
      expectNearest(bits, type);
    for (std::uint64_t size :
         {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, most})
      for (std::uint64_t sign : {std::uint64_t{0}, minus})
        expectNearest(std::vector<std::uint64_t>(5000, size | sign), type);
  }
}

/// Sums of integers just above 2^24 are ties, or next to them.
TEST(ExactSums, OfTiesAreEven) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint64_t> bits;
    for (int i = 0; i < 40; ++i)
      bits.push_back(
          std::bit_cast<std::uint32_t>(static_cast<float>(random() % 1000000)));
    expectNearest(bits, DType::F32);
    bits.push_back(1); // The smallest of all numbers decides.
    expectNearest(bits, DType::F32);
  }
}

TEST(ExactSums, OfALadderOfPowersAreTheNearest) {
  Random random(4);
  for (DType type : Types) {
    const Format format = Format::of(type);
    // The upper half cancels.
    const std::uint64_t fields = format.infinity() >> format.fraction;
    std::vector<std::uint64_t> bits;
    for (std::uint64_t field = 0; field < fields; ++field) {
      bits.push_back(field << format.fraction);
      if (field > fields / 2)
        bits.push_back(bits.back() | format.sign());
    }
    for (int round = 0; round < 3; ++round) {
      expectNearest(bits, type);
      std::shuffle(bits.begin(), bits.end(), random);
      bits.pop_back();
    }
  }
}

float sumOf(const std::vector<float> &values) {
  const auto count = static_cast<std::int64_t>(values.size());
  const Tensors outputs = outputsOf(
      "[sum(@0),mean(@0)]", {Tensor(DType::F32, {count}, values)}, accurate());
  const float sum = outputs[0].values<float>()[0];
  const float mean = outputs[1].values<float>()[0];
  if (!std::isfinite(sum) && count > 0) {
    EXPECT_EQ(std::isnan(sum), std::isnan(mean));
  }
  return sum;
}

TEST(ExactSums, OfWhatIsNotFinite) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(sumOf({inf, 1, 2}), inf);
  EXPECT_EQ(sumOf({1, -inf, 2, -inf}), -inf);
  EXPECT_TRUE(std::isnan(sumOf({inf, 1, -inf})));
  EXPECT_TRUE(std::isnan(sumOf({1, nan, 2})));
  EXPECT_TRUE(std::isnan(sumOf({inf, nan})));
  EXPECT_EQ(sumOf({3e38F, 3e38F, -3e38F}), 3e38F);
  EXPECT_EQ(sumOf({3e38F, 3e38F}), inf);
  EXPECT_EQ(sumOf({1e30F, 1, -1e30F}), 1);
  EXPECT_FALSE(std::signbit(sumOf({-0.0F, -0.0F})));
  EXPECT_FALSE(std::signbit(sumOf({})));
  const Tensors none = outputsOf(
      "mean(@0)", {Tensor(DType::F32, {0}, std::vector<float>())}, accurate());
  EXPECT_TRUE(std::isnan(none[0].values<float>()[0]));
  const Tensors large = outputsOf(
      "mean(@0)", {Tensor(DType::F32, {2}, std::vector<float>{3e38F, 2e38F})},
      accurate());
  EXPECT_EQ(large[0].values<float>()[0], 2.5e38F);
}

/// Rows of any length, in any layout, on any number of threads.
TEST(ExactSums, AreTheSameEveryWay) {
  Random random(5);
  for (DType type : {DType::F16, DType::F32, DType::F64})
    for (const auto &[rows, length] :
         {std::pair<std::int64_t, std::int64_t>{5, 3},
          {70, 7},
          {200, 40},
          {3, 2500},
          {40, 1030},
          {2, 20000}}) {
      std::vector<std::uint64_t> bits;
      for (std::int64_t row = 0; row < rows; ++row)
        for (std::uint64_t each :
             cancelling(type, static_cast<std::size_t>(length), random, 60))
          bits.push_back(each);
      Tensor input = tensorOf(type, bits);
      input = Tensor(type, {rows, length}, input.bytes());
      std::vector<ExactSum> sums(static_cast<std::size_t>(rows),
                                 ExactSum(type));
      for (std::int64_t i = 0; i < rows * length; ++i)
        sums[static_cast<std::size_t>(i / length)].add(bitsAt(input, i));
      for (const Way &way : accurateWays())
        for (const Shape &strides :
             {contiguousStrides(input.shape), transposed(input.shape),
              sliced(input.shape, 3), reversed(input.shape)}) {
          const Tensors outputs = outputsOf("[sum(@0,1),mean(@0,-1,True)]",
                                            {input.with(strides)}, way);
          for (std::int64_t row = 0; row < rows; ++row) {
            const ExactSum &sum = sums[static_cast<std::size_t>(row)];
            ASSERT_TRUE(sum.isNearest(type, bitsAt(outputs[0], row), 1))
                << nameOf(type) << ", row " << row << " of "
                << input.shape.str() << ", strides " << strides.str() << ", "
                << way.str();
            ASSERT_TRUE(sum.isNearest(type, bitsAt(outputs[1], row),
                                      static_cast<std::uint32_t>(length)))
                << nameOf(type) << ", row " << row << " of "
                << input.shape.str() << ", strides " << strides.str() << ", "
                << way.str();
          }
        }
    }
}

TEST(ExactSums, DoNotDependOnTheOrder) {
  Random random(6);
  for (DType type : Types) {
    auto bits = cancelling(type, 5000, random, 90);
    const auto before =
        outputsOf("[sum(@0),mean(@0)]", {tensorOf(type, bits)}, accurate());
    for (int round = 0; round < 10; ++round) {
      std::shuffle(bits.begin(), bits.end(), random);
      const auto after =
          outputsOf("[sum(@0),mean(@0)]", {tensorOf(type, bits)}, accurate());
      EXPECT_EQ(before[0].bytes(), after[0].bytes());
      EXPECT_EQ(before[1].bytes(), after[1].bytes());
    }
  }
}

/// Over one axis, several, those in the middle and all of them.
TEST(ExactSums, OverAnyAxesAreThoseOfTheCopy) {
  for (DType type : {DType::F32, DType::F64})
    for (const Shape &shape : {Shape{3, 20, 5, 7}, Shape{2, 33, 40, 3}}) {
      const Tensor input = randomTensor(type, shape, 9);
      for (const char *axes : {"0", "1", "2", "3", "[0,2]", "[1,3]", "[1,2]",
                               "[0,1]", "[2,3]", "None"}) {
        const std::string text = std::string("[sum(@0,") + axes +
                                 ",True),amax(@0," + axes +
                                 "),sub(@0,mean(@0," + axes + ",True))]";
        const Tensors expected = outputsOf(text, {input}, accurate());
        const Tensors other =
            outputsOf(text, {input.with(transposed(shape))},
                      accurate({Mode::Optimized, 0, runOptions(4, 64)}));
        for (std::size_t i = 0; i < expected.size(); ++i)
          EXPECT_EQ(expected[i].bytes(), other[i].bytes())
              << text << " of " << shape.str() << ", output " << i;
      }
    }
}

/// Long rows in several runs, which threads share.
TEST(ExactSums, OfRowsInSeveralRunsAreTheNearest) {
  Random random(7);
  for (DType type : {DType::BF16, DType::F32, DType::F64})
    for (std::int64_t run : {4001, 4096}) {
      const Shape shape = {9, 2, run};
      const Tensor input(
          type, shape,
          tensorOf(type, cancelling(type, static_cast<std::size_t>(18 * run),
                                    random, 50))
              .bytes());
      std::vector<ExactSum> sums(2, ExactSum(type));
      for (std::int64_t i = 0; i < 18 * run; ++i)
        sums[static_cast<std::size_t>(i / run % 2)].add(bitsAt(input, i));
      for (const Way &way : accurateWays())
        for (const Shape &strides :
             {contiguousStrides(shape), transposed(shape), sliced(shape, 2),
              reversed(shape, 5)}) {
          const Tensors outputs =
              outputsOf("sum(@0,[0,2])", {input.with(strides)}, way);
          for (std::int64_t row = 0; row < 2; ++row)
            ASSERT_TRUE(sums[static_cast<std::size_t>(row)].isNearest(
                type, bitsAt(outputs[0], row), 1))
                << nameOf(type) << ", strides " << strides.str() << ", "
                << way.str();
        }
    }
}

TEST(ExactSums, OfOneElementThatIsBroadcast) {
  const float tenth = 0.1F;
  for (const std::int64_t count : {1, 31, 5000, 70000}) {
    const TensorView view(static_cast<const void *>(&tenth), DType::F32,
                          {count}, {0});
    for (const Way &way : accurateWays()) {
      const Kernel kernel = compiled("[sum(@0),mean(@0)]", {DType::F32}, way);
      float sum = 0, mean = 0;
      const TensorView outputs[] = {{&sum, {}}, {&mean, {}}};
      ASSERT_TRUE(kernel.run(view, outputs, way.options));
      EXPECT_EQ(sum, static_cast<float>(static_cast<double>(tenth) *
                                        static_cast<double>(count)));
      EXPECT_EQ(mean, tenth);
    }
  }
}

TEST(ExactSums, StandInExpressions) {
  const Tensor x = randomTensor(DType::F32, {40, 300}, 1);
  const Tensor y = randomTensor(DType::F32, {40, 300}, 2);
  const Tensors products = outputsOf("mul(@0,@1)", {x, y}, accurate());
  const Tensors sums = outputsOf("sum(@0,-1)", products, accurate());
  for (const Way &way : accurateWays()) {
    const Tensors fused =
        outputsOf("[sum(mul(@0,@1),-1),amax(mul(@0,@1),-1),mul(@0,@1),"
                  "div(exp(sin(@0)),add(sum(exp(sin(@0)),-1,True),1.0))]",
                  {x, y}, way);
    EXPECT_EQ(fused[0].bytes(), sums[0].bytes()) << way.str();
    EXPECT_EQ(fused[2].bytes(), products[0].bytes()) << way.str();
    const Tensors powers = outputsOf("exp(sin(@0))", {x}, accurate());
    const Tensors total = outputsOf("sum(@0,-1,True)", powers, accurate());
    const Tensors last =
        outputsOf("div(@0,add(@1,1.0))", {powers[0], total[0]}, accurate());
    EXPECT_EQ(fused[3].bytes(), last[0].bytes()) << way.str();
  }
}

/// Elements that one sum keeps are there when another one reads them.
TEST(ExactSums, OfKeptElementsStandInExpressions) {
  const Tensor x = randomTensor(DType::F32, {40, 300}, 3);
  const Tensor y = randomTensor(DType::F32, {40, 300}, 4);
  for (Way way : allWays())
    for (Precision precision : {Precision::Default, Precision::Accurate}) {
      way.precision = precision;
      const Tensors power = outputsOf("exp(sin(@0))", {y}, way);
      const Tensors sums = outputsOf(
          "[sum(@0,-1,True),sum(mul(@0,@1),-1,True)]", {power[0], x}, way);
      const Tensors last = outputsOf("add(@0,div(@1,add(@2,@3)))",
                                     {x, power[0], sums[0], sums[1]}, way);
      const Tensors fused =
          outputsOf("add(@0,div(exp(sin(@1)),add(sum(exp(sin(@1)),-1,True),"
                    "sum(mul(exp(sin(@1)),@0),-1,True))))",
                    {x, y}, way);
      EXPECT_EQ(fused[0].bytes(), last[0].bytes()) << way.str();
    }
}

/// Blocks whose exponents are just near enough, or too far apart, for each
/// number of cuts: what the largest elements leave is seen when they cancel.
TEST(ExactSums, OfExponentsThatAreJustNearEnoughAreTheNearest) {
  for (DType type : {DType::F32, DType::F64}) {
    const Format format = Format::of(type);
    const std::uint64_t most = static_cast<std::uint64_t>(format.bias) + 30;
    const std::uint64_t rest = (std::uint64_t{1} << format.fraction) - 1;
    for (std::uint64_t apart = 0; apart < 120; ++apart)
      for (std::uint64_t sign : {std::uint64_t{0}, format.sign()}) {
        const std::uint64_t large = most << format.fraction | rest | sign;
        const std::uint64_t small = (most - apart) << format.fraction | 1;
        std::vector<std::uint64_t> bits(2047, large);
        bits.push_back(small);
        bits.insert(bits.end(), 2047, large ^ format.sign());
        expectNearest(bits, type);
        bits.push_back(small);
        expectNearest(bits, type);
      }
  }
}

/// What expressions do not name has the tree of any other precision.
TEST(ExactSums, AreThoseThatAreNamed) {
  const auto graphOf = [](std::string_view text, DType type) {
    return *compiled(text, {type}, accurate()).dump(Stage::Graph);
  };
  EXPECT_NE(graphOf("sum(@0,-1)", DType::F32).find("exact_sum f32"),
            std::string::npos);
  EXPECT_NE(graphOf("mean(@0,-1)", DType::F64).find("exact_mean f64"),
            std::string::npos);
  for (const char *text : {"var(@0,-1)", "softmax(@0,-1)", "layer_norm(@0,-1)",
                           "amax(@0,-1)", "prod(@0,-1)"})
    EXPECT_EQ(graphOf(text, DType::F32).find("exact"), std::string::npos);
  EXPECT_EQ(graphOf("sum(@0)", DType::I32).find("exact"), std::string::npos);
  EXPECT_EQ(compiled("sum(@0)", {}).dump(Stage::Graph)->find("exact"),
            std::string::npos);
}

} // namespace
} // namespace kexpr::test::rows::exact
