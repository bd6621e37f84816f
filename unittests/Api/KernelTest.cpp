//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/kexpr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

using namespace kexpr;

static std::uint32_t bitsOf(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

/// The one value that an expression gives for operands filled with `fills`.
static float valueOf(const Engine &engine, std::string_view text,
                     const std::vector<float> &fills) {
  const Shape shape{3, 224, 224};
  auto kernel = engine.compile(text);
  if (!kernel) {
    ADD_FAILURE() << kernel.error().render();
    return NAN;
  }
  const std::int64_t count = shape.elementCount();
  std::vector<std::vector<float>> memory;
  std::vector<TensorView> inputs;
  for (float fill : fills)
    memory.emplace_back(count, fill);
  for (const auto &operand : memory)
    inputs.emplace_back(operand.data(), shape);
  std::vector<float> out(count, NAN);
  auto status = kernel->run(inputs, TensorView(out.data(), shape));
  EXPECT_TRUE(status) << status.error().render();
  for (float value : out)
    if (bitsOf(value) != bitsOf(out[0])) {
      ADD_FAILURE() << text << " is not the same everywhere";
      break;
    }
  return out[0];
}

TEST(Kernel, ClassicExpressions) {
  Engine engine;
  auto value = [&](std::string_view text, const std::vector<float> &fills) {
    return valueOf(engine, text, fills);
  };
  EXPECT_EQ(value("add(@0,@1)", {2, 3}), 5);
  EXPECT_EQ(value("mul(@0,@1)", {2, 3}), 6);
  EXPECT_EQ(value("mul(@2,add(@0,@1))", {2, 3, 4}), 20);
  EXPECT_EQ(value("mul(@2, add(@0, @1))", {2, 3, 4}), 20);
  EXPECT_EQ(value("mul(add(@0,@1),add(@2,@3))", {2, 3, 4, 4}), 40);
  EXPECT_EQ(value("mul(mul(@0,@1),add(@2,@3))", {2, 3, 4, 4}), 48);
  EXPECT_EQ(value("mul(mul(@0,@1), mul(@2,@3))", {2, 3, 4, 4}), 96);
  EXPECT_EQ(value("mul(mul(@0,@1), mul(@2,add(@3,@4)))", {1, 2, 3, 4, 5}), 54);
  EXPECT_EQ(value("mul(mul(@0,@1), mul(@2,mul(@3,@4)))", {1, 2, 3, 4, 5}), 120);
  EXPECT_EQ(value("add(@0,div(@1,@2))", {1, 6, 3}), 3);
  EXPECT_NEAR(value("mul(@1,sin(@0))", {2, 3}), 3 * std::sin(2.f), 1e-6);
  EXPECT_EQ(value("sqrt(div(add(mul(@0,2),@1,1),12))", {50, 8}), 3);
  EXPECT_EQ(value("sqrt(div(add(mul(@0,2),@1),12))", {50, 8}), 3);
  EXPECT_EQ(value("add(add(mul(@0,@1),mul(@2,add(add(add(@0,@2),@3),@4))),@5)",
                  {1, 2, 3, 4, 5, 6}),
            1 * 2 + 3 * (1 + 3 + 4 + 5) + 6);
}

TEST(Kernel, ReadsOnlyTheOperandsItNames) {
  Engine engine;
  auto kernel = engine.compile("add(@31231,@2)");
  ASSERT_TRUE(kernel);
  float a = 1, b = 2, out = 0;
  std::vector<TensorView> inputs(31232);
  inputs[31231] = TensorView(&a, {1});
  inputs[2] = TensorView(&b, {1});
  ASSERT_TRUE(kernel->run(inputs, TensorView(&out, {1})));
  EXPECT_EQ(out, 3);
}

TEST(Kernel, SeveralOutputsAndConstants) {
  Engine engine;
  auto kernel = engine.compile("[add(@0,1),mul(@1,2),5]");
  ASSERT_TRUE(kernel);
  std::vector<float> a(100, 3), b(100, 4), x(100), y(100);
  std::int64_t z = 0; // no tensor is behind it
  const Shape shape{100};
  ASSERT_TRUE(
      kernel->run({TensorView(a.data(), shape), TensorView(b.data(), shape)},
                  {TensorView(x.data(), shape), TensorView(y.data(), shape),
                   TensorView(static_cast<void *>(&z), DType::I64, {})}));
  EXPECT_EQ(x[99], 4);
  EXPECT_EQ(y[99], 8);
  EXPECT_EQ(z, 5);
  float scalar = 0;
  ASSERT_TRUE(engine.compile("1.5")->run({}, TensorView(&scalar, {})));
  EXPECT_EQ(scalar, 1.5f);
}

TEST(Kernel, ABoundCallSeesWhatItsTensorsHold) {
  Engine engine;
  auto kernel = engine.compile("add(mul(@0,@1),1)");
  ASSERT_TRUE(kernel);
  for (const Shape &other : {Shape{5, 200}, Shape{5, 1}, Shape{}})
    for (unsigned threads : {0, 1}) {
      std::vector<float> a(1000, 2), b(1000, 3), out(1000);
      auto bound = kernel->bind(
          {TensorView(a.data(), {5, 200}), TensorView(b.data(), other)},
          TensorView(out.data(), {5, 200}), {threads, 64});
      ASSERT_TRUE(bound) << bound.error().render();
      EXPECT_TRUE(bound->run());
      EXPECT_EQ(out, std::vector<float>(1000, 7));
      std::fill(a.begin(), a.end(), 4.f);
      EXPECT_TRUE(bound->run());
      EXPECT_EQ(out, std::vector<float>(1000, 13));
    }
  float one = 1;
  EXPECT_FALSE(kernel->bind({TensorView(&one, {1})}, TensorView(&one, {1})));
}

TEST(Kernel, BatchesRunItemByItem) {
  Engine engine;
  auto kernel = engine.compile("mul(add(@0,@1),@2)");
  ASSERT_TRUE(kernel);
  for (std::size_t batch : {1, 4, 256}) {
    const Shape shape{3, 20, 10};
    const std::size_t size = 600;
    std::vector<float> in(3 * batch * size), out(batch * size);
    for (std::size_t i = 0; i < in.size(); ++i)
      in[i] = static_cast<float>(i % 1021);
    std::vector<TensorView> inputs, outputs;
    for (std::size_t i = 0; i < 3 * batch; ++i)
      inputs.emplace_back(&in[i * size], shape);
    for (std::size_t i = 0; i < batch; ++i)
      outputs.emplace_back(&out[i * size], shape);
    ASSERT_TRUE(kernel->runBatch(inputs, outputs));
    for (std::size_t i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i],
                (in[i] + in[i + batch * size]) * in[i + 2 * batch * size]);
  }
}

namespace {
/// Random operands with the special values among them.
std::vector<float> randomOperand(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> result(count);
  for (float &value : result) {
    const float special[] = {0.f, -0.f, INFINITY, -INFINITY, NAN, 1e-40f};
    value = random() % 50 ? normal(random) : special[random() % 6];
  }
  return result;
}

bool sameBits(const std::vector<float> &a, const std::vector<float> &b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (bitsOf(a[i]) != bitsOf(b[i]) &&
        !(std::isnan(a[i]) && std::isnan(b[i])))
      return false;
  return true;
}
} // namespace

static const char *const Varied =
    "add(sin(@0),mul(cos(@1),exp(neg(mul(@0,@0)))))";

TEST(Kernel, BitsDoNotDependOnThreadsOrTiles) {
  Engine engine;
  auto kernel = engine.compile(Varied);
  auto oracle = engine.compile(Varied, {Mode::Interpret, {}});
  ASSERT_TRUE(kernel && oracle);
  const Shape shape{100003};
  auto a = randomOperand(100003, 1), b = randomOperand(100003, 2);
  std::vector<float> expected(100003), out(100003);
  const std::vector<TensorView> inputs{{a.data(), shape}, {b.data(), shape}};
  ASSERT_TRUE(oracle->run(inputs, TensorView(expected.data(), shape), {1, 0}));
  for (unsigned threads : {1, 2, 3, 0})
    for (std::int64_t tile : {1, 65, 1000, 50000, 0}) {
      std::fill(out.begin(), out.end(), -1.f);
      ASSERT_TRUE(
          kernel->run(inputs, TensorView(out.data(), shape), {threads, tile}));
      EXPECT_TRUE(sameBits(out, expected)) << threads << ' ' << tile;
    }
}

TEST(Kernel, BitsDoNotDependOnTailsAlignmentOrPlace) {
  Engine engine;
  auto kernel = engine.compile(Varied);
  auto oracle = engine.compile(Varied, {Mode::Interpret, {}});
  ASSERT_TRUE(kernel && oracle);
  const std::size_t width = engine.vectorBits() ? engine.vectorBits() / 32 : 8;
  auto a = randomOperand(300, 3), b = randomOperand(300, 4);
  std::vector<float> expected(300);
  ASSERT_TRUE(
      oracle->run({TensorView(a.data(), {300}), TensorView(b.data(), {300})},
                  TensorView(expected.data(), {300})));
  for (std::int64_t count = 0; count <= std::int64_t(8 * width + 1); ++count)
    for (std::size_t offset : {0, 1, 4, 7}) {
      // Offsets in bytes: elements need not be aligned to their own size.
      std::vector<char> x(count * 4 + 8), out(count * 4 + 8, 'x');
      std::copy_n(reinterpret_cast<const char *>(a.data()), count * 4,
                  &x[offset]);
      const Shape shape{count};
      const TensorView in(static_cast<const void *>(&x[offset]), DType::F32,
                          shape);
      const TensorView y(b.data(), shape);
      TensorView apart(static_cast<void *>(&out[offset]), DType::F32, shape);
      ASSERT_TRUE(kernel->run({in, y}, apart));
      ASSERT_TRUE(kernel->run({in, y}, in)); // in place
      for (auto *result : {&out, &x}) {
        std::vector<float> got(count);
        std::copy_n(result->data() + offset, count * 4,
                    reinterpret_cast<char *>(got.data()));
        EXPECT_TRUE(sameBits(got, {expected.begin(), expected.begin() + count}))
            << count << ' ' << offset;
      }
      for (std::size_t i = 0; i < out.size(); ++i)
        if (i < offset || i >= offset + count * 4) {
          ASSERT_EQ(out[i], 'x');
        }
    }
}

/// Long loops of few operations begin with the elements before the first output
/// is aligned.
TEST(Kernel, BitsDoNotDependOnHeads) {
  const char *const text = "[add(mul(@0,@1),@2),sub(@0,2.5)]";
  const Engine engine;
  const auto kernel = engine.compile(text);
  const auto oracle = engine.compile(text, {Mode::Interpret, {}});
  ASSERT_TRUE(kernel && oracle);
  constexpr std::int64_t count = 1501;
  const Shape shape{count};
  const auto operand = randomOperand(3 * count + 1, 5);
  std::vector<float> expected[2], got[2];
  for (int i : {0, 1}) {
    expected[i].resize(count);
    got[i].resize(count + 40);
  }
  const auto outputs = [&](std::vector<float> *memory, std::size_t offset) {
    return std::vector<TensorView>{
        {reinterpret_cast<char *>(memory[0].data()) + offset, DType::F32,
         shape},
        {memory[1].data() + 3, shape}};
  };
  for (std::size_t input : {0, 1}) {
    const std::vector<TensorView> inputs{
        {operand.data() + input, shape},
        {operand.data(), {}},
        {static_cast<const void *>(operand.data()), DType::F32, shape, {3}}};
    ASSERT_TRUE(oracle->run(
        inputs, {{expected[0].data(), shape}, {expected[1].data(), shape}}));
    for (std::size_t offset = 0; offset < 64; offset += offset % 5 ? 3 : 1) {
      const auto views = outputs(got, offset);
      const auto bound = kernel->bind(inputs, views);
      ASSERT_TRUE(bound);
      for (bool isBound : {false, true}) {
        for (auto &each : got)
          std::fill(each.begin(), each.end(), -7.f);
        ASSERT_TRUE(isBound ? bound->run()
                            : kernel->run(inputs, views, {.maxThreads = 1}));
        for (std::size_t i : {0, 1}) {
          std::vector<float> result(count);
          std::memcpy(result.data(), views[i].data(), 4 * count);
          EXPECT_TRUE(sameBits(result, expected[i]))
              << input << ' ' << offset << ' ' << isBound << ' ' << i;
        }
        const auto *bytes = reinterpret_cast<const char *>(got[0].data());
        float guard;
        std::memcpy(&guard, bytes + (offset + 4 * count + 3) / 4 * 4, 4);
        EXPECT_EQ(guard, -7);
      }
    }
  }
}

TEST(Kernel, BroadcastsAndStridesLikeTheNaiveLoop) {
  Engine engine;
  for (const char *text : {"add(mul(@0,@1),@2)", "sub(@2,div(@0,@1))"}) {
    auto kernel = engine.compile(text);
    auto oracle = engine.compile(text, {Mode::Interpret, {}});
    ASSERT_TRUE(kernel && oracle);
    auto memory = randomOperand(4 * 5 * 6 * 7, 9);
    const Shape full{4, 5, 6, 7};
    const TensorView views[] = {
        {memory.data(), full},
        {memory.data(), {5, 1, 1}},
        {memory.data(), {7}},
        {memory.data(), {}},
        {memory.data(), {4, 1, 6, 1}},
        {static_cast<const void *>(memory.data()),
         DType::F32,
         full,
         {1, 4, 20, 120}},
        {static_cast<const void *>(memory.data()),
         DType::F32,
         full,
         {0, 7, 35, 1}},
    };
    for (const TensorView &y : views)
      for (const TensorView &z : views) {
        std::vector<float> out(840), expected(840);
        ASSERT_TRUE(
            kernel->run({views[0], y, z}, TensorView(out.data(), full)));
        ASSERT_TRUE(
            oracle->run({views[0], y, z}, TensorView(expected.data(), full)));
        EXPECT_TRUE(sameBits(out, expected));
        // The definition itself, for one element.
        auto at = [](const TensorView &v, std::int64_t i) {
          const std::int64_t index[] = {i / 210, i / 42 % 5, i / 7 % 6, i % 7};
          std::int64_t offset = 0;
          const std::size_t missing = 4 - v.shape().rank();
          for (std::size_t k = 0; k < v.shape().rank(); ++k)
            if (v.shape()[k] != 1)
              offset += index[missing + k] * v.strides()[k];
          return static_cast<const float *>(v.data())[offset];
        };
        for (std::int64_t i : {0, 1, 41, 333, 839}) {
          const float x = at(views[0], i), b = at(y, i), c = at(z, i);
          const float plain = text[0] == 'a' ? x * b + c : c - x / b;
          EXPECT_TRUE(sameBits({out[i]}, {plain}));
        }
      }
  }
}
