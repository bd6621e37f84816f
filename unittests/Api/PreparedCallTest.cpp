//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/kexpr.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <numeric>
#include <thread>
#include <vector>

using namespace kexpr;

namespace {
using Sources = std::vector<const void *>;
using Targets = std::vector<void *>;

class Prepared : public testing::TestWithParam<Mode> {
protected:
  Kernel compile(const std::string &text, CompileOptions options = {}) {
    options.mode = GetParam();
    auto kernel = engine.compile(text, options);
    EXPECT_TRUE(kernel) << kernel.error().render();
    return *kernel;
  }
  static PreparedCall prepare(const Kernel &kernel,
                              const std::vector<TensorView> &inputs,
                              const std::vector<TensorView> &outputs) {
    auto call = kernel.prepare(inputs, outputs);
    EXPECT_TRUE(call) << call.error().render();
    return *call;
  }
  /// A view of f32 that has no memory.
  static TensorView shaped(const Shape &shape) {
    return {static_cast<float *>(nullptr), shape};
  }
  static TensorView shaped(const Shape &shape, const Shape &strides,
                           DType type = DType::F32) {
    return {static_cast<void *>(nullptr), type, shape, strides};
  }
  static std::string refusal(const Status &status, ErrorCode code) {
    return !status && status.error().code() == code ? status.error().message()
                                                    : "another answer";
  }
  Engine engine;
};
} // namespace

TEST_P(Prepared, RunsWhereverTheMemoryIs) {
  const Kernel kernel = compile("add(mul(@0,@1),1)");
  for (const std::int64_t count : {1, 7, 1000, 300000}) {
    const PreparedCall call =
        prepare(kernel, {shaped({count}), shaped({count})}, {shaped({count})});
    for (int place = 0; place < 3; ++place) {
      std::vector<float> a(count + place), b(count), out(count + place, -1);
      std::iota(a.begin(), a.end(), static_cast<float>(place));
      std::iota(b.begin(), b.end(), 2.0f);
      // A copy is the same call. NOLINTNEXTLINE(performance-*)
      const PreparedCall copy = call;
      ASSERT_TRUE(copy.run(Sources{a.data() + place, b.data()},
                           Targets{out.data() + place}));
      for (std::int64_t i = 0; i < count; ++i)
        ASSERT_EQ(out[i + place], a[i + place] * b[i] + 1) << i;
      EXPECT_TRUE(place == 0 || out[0] == -1);
    }
  }
}

// A pointer to pointers would be taken for the memory itself.
static_assert(!std::is_constructible_v<Span<const void *const>, void **> &&
              !std::is_constructible_v<Span<void *const>, void **> &&
              std::is_constructible_v<Span<const void *const>, float *>);

TEST_P(Prepared, PointersMayStandInAnArray) {
  const Kernel kernel = compile("sub(@0,@1)");
  const PreparedCall call =
      prepare(kernel, {shaped({2}), shaped({2})}, {shaped({2})});
  float a[] = {3, 5}, b[] = {1, 2}, out[2];
  const void *constant[] = {a, b};
  void *variable[] = {a, b}, *targets[] = {out};
  ASSERT_TRUE(call.run(constant, targets));
  EXPECT_EQ(out[1], 3);
  ASSERT_TRUE(call.run(variable, out));
  EXPECT_EQ(out[0], 2);
}

TEST_P(Prepared, MemoryOfTheViewsIsNotLookedAt) {
  const Kernel kernel = compile("[add(@0,1),mul(@1,2)]");
  float same[4] = {1, 2, 3, 4}, out[8];
  // All of it overlaps, as a call may not.
  const TensorView view(same, {4});
  const PreparedCall call = prepare(kernel, {view, view}, {view, view});
  ASSERT_TRUE(call.run(Sources{same, same}, Targets{out, out + 4}));
  EXPECT_EQ(out[3], 5);
  EXPECT_EQ(out[7], 8);
  EXPECT_EQ(same[0], 1);
}

TEST_P(Prepared, TooFewPointersAreAnError) {
  const Kernel kernel = compile("add(@0,@2)");
  const TensorView row = shaped({3});
  const PreparedCall call = prepare(kernel, {row, {}, row}, {row});
  float a[3] = {1, 2, 3}, out[3] = {-1, -1, -1};
  constexpr const char *message =
      "the call has 3 inputs and 1 outputs, but 2 and 1 pointers were given";
  EXPECT_EQ(refusal(call.run(Sources{a, a}, Targets{out}),
                    ErrorCode::InvalidArgument),
            message);
  for (const Targets &targets : {Targets{}, Targets{out, out}})
    EXPECT_NE(refusal(call.run(Sources{a, a, a}, targets),
                      ErrorCode::InvalidArgument),
              "another answer");
  EXPECT_EQ(out[0], -1);
  // What it has no use for may be null, and more may come.
  EXPECT_TRUE(call.run(Sources{a, nullptr, a, nullptr}, Targets{out}));
  EXPECT_EQ(out[2], 6);
}

TEST_P(Prepared, NullIsAnErrorWhereThereAreElements) {
  const Kernel kernel = compile("[add(@0,@1),neg(@0)]");
  float a[3] = {1, 2, 3}, out[6] = {};
  const TensorView row = shaped({3});
  const PreparedCall call = prepare(kernel, {row, row}, {row, row});
  EXPECT_EQ(refusal(call.run(Sources{a, nullptr}, Targets{out, out + 3}),
                    ErrorCode::InvalidArgument),
            "operand @1 has a null pointer");
  EXPECT_EQ(refusal(call.run(Sources{a, a}, Targets{out, nullptr}),
                    ErrorCode::InvalidArgument),
            "output 1 has a null pointer");
  EXPECT_EQ(out[0], 0);
  const TensorView none = shaped({0});
  const PreparedCall empty = prepare(kernel, {none, none}, {none, none});
  EXPECT_TRUE(empty.run(Sources{nullptr, nullptr}, Targets{nullptr, nullptr}));
}

TEST_P(Prepared, AnOutputMayBeAnInputOfItsLayoutAlone) {
  const Kernel kernel = compile("add(@0,@1)");
  const TensorView square = shaped({2, 2}), across = shaped({2, 2}, {1, 2});
  float a[5] = {1, 2, 3, 4, 5}, b[4] = {10, 20, 30, 40};
  const PreparedCall call = prepare(kernel, {square, across}, {square});
  for (float *output : {a + 1, b})
    EXPECT_NE(refusal(call.run(Sources{a, b}, Targets{output}),
                      ErrorCode::OverlappingOutput),
              "another answer");
  EXPECT_EQ(a[1], 2);
  ASSERT_TRUE(call.run(Sources{a, b}, Targets{a}));
  EXPECT_EQ(std::vector<float>(a, a + 5),
            std::vector<float>({11, 32, 23, 44, 5}));
  EXPECT_TRUE(call.mayShare(0, 0));
  EXPECT_FALSE(call.mayShare(0, 1));
  EXPECT_FALSE(call.mayShare(0, 2));
  EXPECT_FALSE(call.mayShare(1, 0));
}

TEST_P(Prepared, NoPartWritesWhatOneBehindItReads) {
  const Kernel kernel = compile("[neg(@0),add(@0,@1)]");
  const TensorView row = shaped({1, 3}), column = shaped({3, 1});
  float a[3] = {1, 2, 3}, b[3] = {10, 20, 30}, out[9] = {};
  const PreparedCall call =
      prepare(kernel, {row, column}, {row, shaped({3, 3})});
  EXPECT_NE(refusal(call.run(Sources{a, b}, Targets{a, out}),
                    ErrorCode::OverlappingOutput),
            "another answer");
  EXPECT_EQ(a[0], 1);
  float minus[3];
  ASSERT_TRUE(call.run(Sources{a, b}, Targets{minus, out}));
  EXPECT_EQ(minus[2], -3);
  EXPECT_EQ(out[8], 33);
  // The other way round, all has been read.
  const Kernel reversed = compile("[add(@0,@1),neg(@0)]");
  const PreparedCall last =
      prepare(reversed, {row, column}, {shaped({3, 3}), row});
  ASSERT_TRUE(last.run(Sources{a, b}, Targets{out, a}));
  EXPECT_EQ(out[8], 33);
  EXPECT_EQ(a[2], -3);
}

TEST_P(Prepared, SizesAndZeroDimAreThoseItWasPreparedFor) {
  const Kernel kernel = compile("add(mul(@0,size(@1,0)),@2)");
  float a[4] = {1, 2, 3, 4}, scalar = 0.5f, out[4];
  for (const std::int64_t size : {1, 5, 1000}) {
    const PreparedCall call = prepare(
        kernel, {shaped({4}), shaped({size, 3}), shaped({})}, {shaped({4})});
    ASSERT_TRUE(call.run(Sources{a, nullptr, &scalar}, Targets{out}));
    EXPECT_EQ(out[3], static_cast<float>(4 * size) + 0.5f);
  }
}

TEST_P(Prepared, TypesMayBeMixedAndViewsStrided) {
  CompileOptions options;
  options.operandTypes = {DType::F32, DType::I32, DType::Bool, DType::F64};
  const Kernel kernel = compile("add(mul(@0,@1),where(@2,1,@3))", options);
  const PreparedCall call =
      prepare(kernel,
              {shaped({2, 3}, {1, 2}), shaped({3}, {2}, DType::I32),
               shaped({2, 1}, {1, 1}, DType::Bool), shaped({}, {}, DType::F64)},
              {shaped({2, 3}, {6, 2}, kernel.outputType())});
  const float a[6] = {1, 2, 3, 4, 5, 6};
  const std::int32_t b[5] = {1, -1, 10, -1, 100};
  const std::uint8_t c[2] = {0, 1};
  const double d = 0.25;
  std::vector<double> out(12, -1);
  ASSERT_EQ(kernel.outputType(), DType::F64);
  ASSERT_TRUE(call.run(Sources{a, b, c, &d}, Targets{out.data()}));
  EXPECT_EQ(out, std::vector<double>({1.25, -1, 30.25, -1, 500.25, -1, 3, -1,
                                      41, -1, 601, -1}));
}

TEST_P(Prepared, OperandsMayBeMany) {
  std::string text = "@0";
  for (int i = 1; i < 40; ++i)
    text = "add(" + text + ",@" + std::to_string(i) + ")";
  const Kernel kernel = compile(text);
  const TensorView row = shaped({100});
  const PreparedCall call =
      prepare(kernel, std::vector<TensorView>(40, row), {row});
  std::vector<float> data(4000), out(100);
  std::iota(data.begin(), data.end(), 0.0f);
  Sources sources;
  for (int i = 0; i < 40; ++i)
    sources.push_back(data.data() + 100 * i);
  ASSERT_TRUE(call.run(sources, Targets{out.data()}));
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(out[i], static_cast<float>(40 * i + 100 * 780));
}

TEST_P(Prepared, SixteenThreadsRunOneWithMemoryOfTheirOwn) {
  const Kernel kernel = compile("[add(@0,@1),mul(@1,2)]");
  for (const std::int64_t count : {100, 60000}) {
    const TensorView row = shaped({count}), one = shaped({1});
    const PreparedCall same = prepare(kernel, {row, row}, {row, row}),
                       parts = prepare(kernel, {row, one}, {row, one});
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 16; ++thread)
      threads.emplace_back([&, thread] {
        const auto number = static_cast<float>(thread);
        std::vector<float> a(count, number), b(count, 0.5f), c(count), d(count);
        for (int round = 0; round < 10; ++round)
          for (const PreparedCall *call : {&same, &parts}) {
            ASSERT_TRUE(call->run(Sources{a.data(), b.data()},
                                  Targets{c.data(), d.data()}));
            ASSERT_EQ(c[0], number + 0.5f);
            ASSERT_EQ(c[0] * static_cast<float>(count),
                      std::accumulate(c.begin(), c.end(), 0.0f));
            ASSERT_EQ(d[0], 1);
          }
      });
    for (std::thread &thread : threads)
      thread.join();
  }
}

TEST_P(Prepared, WhatRunRefusesOfShapesIsRefusedAtOnce) {
  const Kernel kernel = compile("[add(@0,@1),neg(@0)]");
  const TensorView row = shaped({3}), other = shaped({4});
  const TensorView f64 = shaped({3}, {1}, DType::F64);
  const std::vector<std::vector<TensorView>> inputs = {
      {row}, {row, other}, {row, f64}, {row, {}}, {}};
  for (const auto &in : inputs) {
    float memory[4] = {};
    std::vector<TensorView> there;
    for (const TensorView &view : in)
      there.push_back(view.empty()
                          ? view
                          : TensorView(static_cast<void *>(memory), view.type(),
                                       view.shape(), view.strides()));
    float a[3], b[3];
    const Status ran =
        kernel.run(there, {TensorView(a, {3}), TensorView(b, {3})});
    const auto prepared = kernel.prepare(in, {row, row});
    ASSERT_FALSE(ran);
    ASSERT_FALSE(prepared);
    EXPECT_EQ(prepared.error().code(), ran.error().code());
    EXPECT_EQ(prepared.error().message(), ran.error().message());
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, Prepared,
                         testing::Values(Mode::Optimized, Mode::Baseline,
                                         Mode::Interpret, Mode::Tiered));
