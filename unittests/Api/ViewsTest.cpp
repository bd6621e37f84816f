//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any views give what a plain loop over their elements gives, read nothing
// beyond themselves, and write nothing but the outputs' elements.
//
//===----------------------------------------------------------------------===//
#include "Api/StridedTensor.h"
#include "kexpr/kexpr.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

using namespace kexpr;
using test::offsetOf;
using test::typeOf;
template <class T> using Tensor = test::StridedTensor<T>;

static Shape randomShape(std::mt19937 &random, std::size_t rank) {
  Shape shape;
  std::int64_t extents[MaxRank], left = 40000;
  for (std::size_t axis = rank; axis-- > 0;) {
    const std::int64_t most[] = {3, 20, 70, 600};
    const std::int64_t limit = axis + 1 == rank && random() % 2
                                   ? 20
                                   : most[random() % std::size(most)];
    extents[axis] = 1 + random() % std::min(limit, left);
    left = std::max<std::int64_t>(left / extents[axis], 1);
  }
  return {extents, rank};
}

/// Strides of a layout in which axes stand in any order and direction, with
/// gaps.
static Shape randomStrides(std::mt19937 &random, const Shape &shape) {
  Shape strides = shape;
  std::vector<std::size_t> order(shape.rank());
  std::iota(order.rbegin(), order.rend(), 0);
  if (random() % 2)
    std::shuffle(order.begin(), order.end(), random);
  std::int64_t step = random() % 4 == 0 ? 2 : 1;
  for (std::size_t axis : order) {
    strides[axis] = step;
    step *= shape[axis];
    step += random() % 6 == 0 ? 3 : 0;
  }
  const unsigned most = random() % 3 == 0 ? 2 : 8;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis)
    strides[axis] *= random() % most == 0 ? -1 : 1;
  return strides;
}

template <class T>
static Tensor<T> randomInput(std::mt19937 &random, const Shape &full) {
  const std::size_t gone = random() % 4 == 0 ? random() % (full.rank() + 1) : 0;
  Shape shape(full.begin() + gone, full.rank() - gone);
  for (std::size_t axis = 0; axis < shape.rank(); ++axis)
    if (random() % 4 == 0)
      shape[axis] = 1;
  Shape strides = randomStrides(random, shape);
  for (std::size_t axis = 0; axis < shape.rank(); ++axis)
    if (random() % 10 == 0)
      strides[axis] = 0;
  Tensor<T> input(random, shape, strides);
  input.fill(random);
  return input;
}

static RunOptions randomOptions(std::mt19937 &random) {
  const std::int64_t tiles[] = {0, 1, 64, 1000, 5000};
  return {.maxThreads = static_cast<unsigned>(random() % 4),
          .tileElements = tiles[random() % std::size(tiles)]};
}

namespace {
/// One call of `[add(mul(@0,@1),@2),sub(@0,@2)]` and of what it should give.
template <class T> class Call {
public:
  Call(std::mt19937 &random, const Shape &full) : full(full) {
    // Of the full shape, so that the output has it, and may be this one.
    inputs.emplace_back(random, full, randomStrides(random, full));
    inputs[0].fill(random);
    inputs.push_back(randomInput<T>(random, full));
    inputs.push_back(randomInput<T>(random, full));
    for (int i = 0; i < 2; ++i)
      outputs.emplace_back(random, full, randomStrides(random, full));
    inPlace = random() % 4 == 0;
  }

  void run(const Kernel &kernel, std::mt19937 &random) {
    std::vector<T> sums, differences;
    for (std::int64_t i = 0; i < full.elementCount(); ++i) {
      const T a = inputs[0].get(full, i), c = inputs[2].get(full, i);
      sums.push_back(a * inputs[1].get(full, i) + c);
      differences.push_back(a - c);
    }
    const Tensor<T> &first = inPlace ? inputs[0] : outputs[0];
    const std::vector<char> gaps[] = {first.gaps(), outputs[1].gaps()};
    const std::vector<TensorView> in = {inputs[0].view(), inputs[1].view(),
                                        inputs[2].view()};
    const auto status = kernel.run(in, {first.view(), outputs[1].view()},
                                   randomOptions(random));
    ASSERT_TRUE(status) << status.error().message();
    for (std::int64_t i = 0; i < full.elementCount(); ++i) {
      ASSERT_EQ(first.get(full, i), sums[i]) << i;
      ASSERT_EQ(outputs[1].get(full, i), differences[i]) << i;
    }
    EXPECT_EQ(first.gaps(), gaps[0]);
    EXPECT_EQ(outputs[1].gaps(), gaps[1]);
  }

private:
  Shape full;
  std::vector<Tensor<T>> inputs, outputs;
  bool inPlace;
};

template <class T> class Views : public testing::Test {
public:
  static Kernel compile(Mode mode) {
    static const Engine engine;
    return *engine.compile(
        "[add(mul(@0,@1),@2),sub(@0,@2)]",
        {.mode = mode, .operandTypes = std::vector(3, typeOf<T>)});
  }
};
} // namespace

using ElementTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(Views, ElementTypes, );

TYPED_TEST(Views, GiveWhatAPlainLoopGives) {
  // So many layouts that the kernel falls back to its general loop, too.
  for (Mode mode : {Mode::Baseline, Mode::Interpret}) {
    const Kernel kernel = this->compile(mode);
    for (unsigned seed = 0; seed < 400; ++seed) {
      std::mt19937 random(seed);
      const Shape full = randomShape(random, random() % 7);
      SCOPED_TRACE(full.str() + ", seed " + std::to_string(seed));
      Call<TypeParam>(random, full).run(kernel, random);
      if (this->HasFatalFailure())
        return;
    }
  }
}

TYPED_TEST(Views, MayHaveAsManyAxesAsAShape) {
  const Kernel kernel = this->compile(Mode::Baseline);
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    std::int64_t extents[MaxRank];
    for (std::int64_t &extent : extents)
      extent = random() % 2 ? 1 : 2 + random() % 2;
    const Shape full(extents, MaxRank);
    SCOPED_TRACE(full.str());
    Call<TypeParam>(random, full).run(kernel, random);
  }
}

TYPED_TEST(Views, MayBeEmpty) {
  const Kernel kernel = this->compile(Mode::Baseline);
  for (const Shape &full : {Shape{0}, Shape{4, 0, 3}, Shape{0, 300}}) {
    std::mt19937 random(1);
    Call<TypeParam>(random, full).run(kernel, random);
  }
}

namespace {
/// One output that is contiguous and one operand that is broadcast or
/// transposed: the calls that are made of tiles.
struct TileCase {
  Shape full, shape, strides;
};
} // namespace

static std::vector<TileCase> tileCases() {
  std::vector<TileCase> cases;
  for (std::int64_t last = 1; last <= 20; ++last) {
    cases.push_back({{3000, last}, {3000, 1}, {1, 1}});
    cases.push_back({{3000, last}, {last}, {1}});
    cases.push_back({{50, 40, last}, {50, 1, last}, {last + 3, 1, 1}});
    cases.push_back({{50, 40, last}, {50, 40, last}, {1, 50, 2000}});
    cases.push_back({{50, 40, last}, {50, 40, last}, {40 * last, 1, 40}});
  }
  for (std::int64_t last : {1, 3, 16, 17}) {
    cases.push_back({{3000, last}, {3000, 1}, {-1, 1}});
    cases.push_back({{3000, last}, {last}, {-1}});
    cases.push_back({{50, 40, last}, {50, 40, last}, {-1, 50, -2000}});
    cases.push_back({{50, 40, last}, {50, 40, last}, {40 * last, -1, -40}});
  }
  cases.push_back({{70000}, {70000}, {-1}});
  cases.push_back({{70000}, {70000}, {-3}});
  cases.push_back({{33, 1000}, {33, 1000}, {-1000, -1}});
  cases.push_back({{33, 1000}, {33, 1000}, {1000, -1}});
  cases.push_back({{333, 517}, {333, 517}, {-1, 333}});
  cases.push_back({{333, 517}, {333, 517}, {1, -333}});
  cases.push_back({{333, 517}, {333, 517}, {-1, -333}});
  cases.push_back({{333, 517}, {333, 517}, {1, 333}});
  cases.push_back({{3, 1000}, {3, 1000}, {1, 3}});
  cases.push_back({{1000, 3}, {1000, 3}, {1, 1000}});
  cases.push_back({{33, 34, 35}, {33, 34, 35}, {1, 33, 1122}});
  cases.push_back({{5, 70, 300}, {70, 300}, {2, 141}});
  return cases;
}

TYPED_TEST(Views, MadeOfTilesAreRightInPlaceAndHoweverSplit) {
  const Engine engine;
  const auto kernel = *engine.compile(
      "add(@0,@1)", {.operandTypes = std::vector(2, typeOf<TypeParam>)});
  std::mt19937 random(9);
  for (const TileCase &test : tileCases()) {
    SCOPED_TRACE(test.full.str() + " with strides " + test.strides.str());
    const Shape forwards = contiguousStrides(test.full);
    Shape backwards = forwards;
    for (std::size_t axis = 0; axis < backwards.rank(); ++axis)
      backwards[axis] *= axis % 2 ? 1 : -1;
    Tensor<TypeParam> operand(random, test.shape, test.strides);
    for (int round = 0; round < 6; ++round) {
      Tensor<TypeParam> target(random, test.full,
                               round < 4 ? forwards : backwards);
      target.fill(random);
      operand.fill(random);
      std::vector<TypeParam> expected;
      for (std::int64_t i = 0; i < test.full.elementCount(); ++i)
        expected.push_back(target.get(test.full, i) +
                           operand.get(test.full, i));
      const auto options = randomOptions(random);
      const std::vector<TensorView> in = {target.view(), operand.view()};
      if (round % 2)
        EXPECT_TRUE(kernel.bind(in, target.view(), options)->run());
      else
        ASSERT_TRUE(kernel.run(in, target.view(), options));
      for (std::int64_t i = 0; i < test.full.elementCount(); ++i)
        ASSERT_EQ(target.get(test.full, i), expected[i]) << i;
    }
  }
}

/// Runs the sum of f32 operands of small whole numbers.
static void expectSum(const Kernel &kernel, const Shape &full,
                      const std::vector<TensorView> &operands) {
  std::vector<float> out(full.elementCount());
  const auto status = kernel.run(operands, TensorView(out.data(), full));
  ASSERT_TRUE(status) << status.error().message();
  for (std::int64_t i = 0; i < full.elementCount(); ++i) {
    float sum = 0;
    for (const TensorView &view : operands)
      sum += static_cast<const float *>(
          view.data())[offsetOf(view.shape(), view.strides(), full, i)];
    ASSERT_EQ(out[i], sum) << i;
  }
}

TEST(ViewsOfManyKinds, ShareALoopThatReadsCopiesToo) {
  const Engine engine;
  const auto kernel = *engine.compile("add(add(add(add(@0,@1),@2),@3),@4)",
                                      {.mode = Mode::Baseline});
  std::vector<float> memory(50000);
  for (std::size_t i = 0; i < memory.size(); ++i)
    memory[i] = static_cast<float>(i % 251);
  const auto view = [&](int k, const Shape &shape, const Shape &strides) {
    return TensorView(static_cast<const void *>(&memory[k]), DType::F32, shape,
                      strides);
  };
  const Shape rows{2, 300}, tiles{3000, 7};
  // More access patterns than loops are kept for, each with a strided one.
  for (int kinds = 81; kinds < 81 + 70; ++kinds) {
    std::vector<TensorView> operands;
    for (int k = 0, rest = kinds; k < 5; ++k, rest /= 3)
      operands.push_back(rest % 3 == 0 || k == 4 ? view(k, rows, {600, 2})
                         : rest % 3 == 1         ? view(k, {2, 1}, {1, 1})
                                                 : view(k, rows, {300, 1}));
    expectSum(kernel, rows, operands);
  }
  for (int kinds = 1; kinds < 31; ++kinds) {
    // One operand has rows, and one has columns.
    if ((kinds & 10) == 10 || (kinds & 21) == 21)
      continue;
    std::vector<TensorView> operands;
    for (int k = 0; k < 5; ++k)
      operands.push_back(kinds >> k & 1 ? view(k, {1}, {1})
                         : k % 2        ? view(k, {3000, 1}, {1, 1})
                                        : view(k, {7}, {1}));
    expectSum(kernel, tiles, operands);
  }
}

TEST(ViewsOfABatch, MayBeWalkedDifferently) {
  const Engine engine;
  const auto kernel = *engine.compile("add(@0,@1)");
  const Shape full{90, 50, 7};
  const std::int64_t count = full.elementCount();
  std::vector<float> data(4 * count), row(count, 100);
  std::iota(data.begin(), data.end(), 0.f);
  std::vector<float> out(4 * count);
  std::vector<TensorView> inputs, outputs;
  for (int item = 0; item < 4; ++item)
    inputs.emplace_back(&data[item * count], full);
  const Shape shapes[] = {{7}, {1}, {90, 1, 1}, full};
  for (const Shape &shape : shapes)
    inputs.emplace_back(row.data(), shape);
  for (int item = 0; item < 4; ++item)
    outputs.emplace_back(static_cast<void *>(&out[item * count]), DType::F32,
                         full);
  for (std::int64_t tile : {0, 1, 3000}) {
    std::fill(out.begin(), out.end(), 0.f);
    ASSERT_TRUE(kernel.runBatch(inputs, outputs, {.tileElements = tile}));
    for (std::int64_t i = 0; i < 4 * count; ++i)
      ASSERT_EQ(out[i], data[i] + 100) << i;
  }
}
