//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/Allocations.h"

#include "kexpr/kexpr.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <vector>

using kexpr::test::allocations;
using kexpr::test::allocationsLeft;
using kexpr::test::refusesOne;

thread_local std::size_t kexpr::test::allocations = 0;
thread_local std::size_t kexpr::test::allocationsLeft = -1;
thread_local bool kexpr::test::refusesOne = false;

/// Counts an allocation that may be made.
static void countAllocation() {
  if (allocationsLeft == 0) {
    if (refusesOne)
      allocationsLeft = -1;
    throw std::bad_alloc();
  }
  --allocationsLeft;
  ++allocations;
}

// Inlined into tests, these confuse GCC 12's check of what is freed how.
[[gnu::noinline]] void *operator new(std::size_t size) {
  countAllocation();
  if (void *memory = std::malloc(size))
    return memory;
  throw std::bad_alloc();
}
void *operator new(std::size_t size, std::align_val_t alignment) {
  countAllocation();
  const auto unit = static_cast<std::size_t>(alignment);
  if (void *memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit))
    return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void *memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void *memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void *memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void *memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

using namespace kexpr;

/// Heap allocations of one call, after a first one.
static std::size_t allocationsOf(const Kernel &kernel,
                                 std::vector<TensorView> inputs,
                                 const TensorView &output) {
  const RunOptions serial{.maxThreads = 1, .tileElements = 0};
  EXPECT_TRUE(kernel.run(inputs, output, serial));
  const std::size_t before = allocations;
  EXPECT_TRUE(kernel.run(inputs, output, serial));
  return allocations - before;
}

class Allocation : public testing::TestWithParam<Mode> {};

TEST_P(Allocation, AWarmSerialRunMakesNone) {
  Engine engine;
  auto kernel = engine.compile("add(mul(@0,@1),sqrt(@2))", {GetParam(), {}});
  ASSERT_TRUE(kernel) << kernel.error().render();
  std::vector<float> a(64 * 300, 1), b(64, 2), c(300, 3), out(64 * 300);
  const TensorView x(a.data(), {64, 300}), y(b.data(), {64, 1}),
      z(c.data(), {300});
  TensorView result(out.data(), {64, 300});
  EXPECT_EQ(allocationsOf(*kernel, {x, x, x}, result), 0u);
  EXPECT_EQ(allocationsOf(*kernel, {x, y, z}, result), 0u);
}

TEST_P(Allocation, AWarmSerialRunThatCopiesOperandsMakesNone) {
  Engine engine;
  auto kernel = engine.compile("add(mul(@0,@1),sqrt(@2))", {GetParam(), {}});
  ASSERT_TRUE(kernel) << kernel.error().render();
  std::vector<float> a(512 * 600, 1), out(512 * 600);
  const auto operand = [&](const Shape &shape, const Shape &strides) {
    return TensorView(static_cast<const void *>(a.data()), DType::F32, shape,
                      strides);
  };
  // Short rows, then a transposition.
  const TensorView x(a.data(), {4096, 7}), y(a.data(), {4096, 1}),
      z(a.data(), {7});
  EXPECT_EQ(allocationsOf(*kernel, {x, y, z}, {out.data(), {4096, 7}}), 0u);
  const TensorView whole(a.data(), {512, 600});
  const TensorView across = operand({512, 600}, {1, 512});
  EXPECT_EQ(
      allocationsOf(*kernel, {whole, across, across}, {out.data(), {512, 600}}),
      0u);
}

TEST_P(Allocation, AWarmSerialRunThatAsksForSizesMakesNone) {
  Engine engine;
  auto kernel = engine.compile("div(@0,mul(size(@0,-1),add(size(@1,0),2)))",
                               {GetParam(), {}});
  ASSERT_TRUE(kernel) << kernel.error().render();
  std::vector<float> a(64 * 300, 1), out(64 * 300);
  const TensorView x(a.data(), {64, 300});
  EXPECT_EQ(allocationsOf(*kernel, {x, x}, {out.data(), {64, 300}}), 0u);
  EXPECT_EQ(out[0], 1.0f / (300 * 66));
}

TEST_P(Allocation, AWarmSerialRunOfMixedTypesMakesNone) {
  Engine engine;
  CompileOptions options{GetParam(), {}};
  options.operandTypes = {DType::F32, DType::I32, DType::F32};
  auto kernel = engine.compile("add(mul(@0,@1),@2)", options);
  ASSERT_TRUE(kernel) << kernel.error().render();
  std::vector<float> a(1000, 1), out(1000);
  const std::vector<std::int32_t> b(1000, 2);
  const TensorView x(a.data(), {1000});
  const TensorView y(static_cast<const void *>(b.data()), DType::I32, {1000});
  const TensorView zeroDim(a.data(), {});
  const TensorView result(out.data(), {1000});
  EXPECT_EQ(allocationsOf(*kernel, {x, y, x}, result), 0u);
  // Nobody said that it is, and it makes no difference.
  EXPECT_EQ(allocationsOf(*kernel, {x, y, zeroDim}, result), 0u);
}

TEST_P(Allocation, AWarmSerialRunThatReducesMakesNone) {
  Engine engine;
  std::vector<float> a(96 * 300, 1), out(96 * 300);
  const TensorView x(a.data(), {96, 300});
  const TensorView across(static_cast<const void *>(a.data()), DType::F32,
                          {96, 300}, {1, 96});
  const std::pair<const char *, Shape> calls[] = {
      {"softmax(@0,-1)", {96, 300}},
      {"softmax(@0,0)", {96, 300}},
      {"sum(@0)", {}},
      {"amax(@0,0)", {300}},
      {"layer_norm(@0,-1,None,None,1e-5)", {96, 300}},
      {"sub(div(@0,sum(@0)),amax(@0,0,True))", {96, 300}},
      {"add(add(softmax(@0,-1),amin(@0,-1,True)),mul(prod(@0,-1,True),"
       "sum(@0,-1,True)))",
       {96, 300}},
      {"cumsum(@0,-1)", {96, 300}},
      {"sub(cumsum(@0,1),cumsum(@0,0))", {96, 300}}};
  for (const auto &[text, shape] : calls) {
    auto kernel = engine.compile(text, {GetParam(), {}});
    ASSERT_TRUE(kernel) << kernel.error().render();
    EXPECT_EQ(allocationsOf(*kernel, {x}, {out.data(), shape}), 0u) << text;
    EXPECT_EQ(allocationsOf(*kernel, {across}, {out.data(), shape}), 0u)
        << text;
  }
}

TEST_P(Allocation, AWarmSerialRunThatTakesShortRowsWholeMakesNone) {
  // Code for that comes later. Numbers are operands of it, too.
  Engine engine;
  std::vector<float> a(40 * 24, 1), out(40 * 24);
  const TensorView x(a.data(), {40, 24}), result(out.data(), {40, 24});
  auto kernel = engine.compile(
      "add(mul(softmax(mul(@0,0.7),-1),0.3),mul(sum(@1,-1,True),0.11))",
      {GetParam(), {}});
  ASSERT_TRUE(kernel) << kernel.error().render();
  EXPECT_EQ(allocationsOf(*kernel, {x, x}, result), 0u);
  engine.settle();
  EXPECT_EQ(allocationsOf(*kernel, {x, x}, result), 0u);
}

TEST_P(Allocation, AWarmSerialBatchThatReducesMakesNone) {
  Engine engine;
  const RunOptions serial{.maxThreads = 1, .tileElements = 0};
  for (const char *text :
       {"softmax(@0,-1)", "add(@0,amax(@1,0,True))", "cumsum(mul(@0,@1),1)"}) {
    auto kernel = engine.compile(text, {GetParam(), {}});
    ASSERT_TRUE(kernel) << kernel.error().render();
    for (const std::size_t batch : {1, 3, 40}) {
      std::vector<float> a(8 * 30, 1), out(batch * a.size());
      // Of three layouts.
      std::vector<TensorView> inputs, outputs;
      for (std::size_t i = 0; i < batch; ++i)
        outputs.emplace_back(out.data() + i * a.size(),
                             i % 3 ? Shape{8, 30} : Shape{30, 8});
      const auto operands = kernel->expression().operandCount();
      for (std::size_t operand = 0; operand < operands; ++operand)
        for (const TensorView &output : outputs)
          inputs.emplace_back(
              static_cast<const void *>(a.data()), DType::F32, output.shape(),
              output.shape()[0] == 8 ? Shape{30, 1} : Shape{1, 30});
      ASSERT_TRUE(kernel->runBatch(inputs, outputs, serial));
      const std::size_t before = allocations;
      EXPECT_TRUE(kernel->runBatch(inputs, outputs, serial));
      EXPECT_EQ(allocations, before) << text << ", " << batch;
    }
  }
}

TEST_P(Allocation, AWarmSerialPreparedCallMakesNone) {
  Engine engine;
  RunOptions serial;
  serial.maxThreads = 1;
  for (const char *text : {"add(mul(@0,@1),sqrt(@0))", "[neg(@0),abs(@1)]",
                           "div(@0,mul(size(@0,-1),add(size(@1,0),2)))"}) {
    auto kernel = engine.compile(text, {GetParam(), {}});
    ASSERT_TRUE(kernel) << kernel.error().render();
    std::vector<float> a(64 * 300, 1), b(64, 2), out(64 * 300), other(64);
    const TensorView x(a.data(), {64, 300}), y(b.data(), {64, 1});
    std::vector<TensorView> outputs = {{out.data(), {64, 300}}};
    std::vector<void *> to = {out.data()};
    if (kernel->outputCount() == 2) {
      outputs.emplace_back(other.data(), Shape{64, 1});
      to.push_back(other.data());
    }
    const auto call = kernel->prepare({x, y}, outputs, serial);
    ASSERT_TRUE(call) << call.error().render();
    const std::vector<const void *> from = {a.data(), b.data()};
    ASSERT_TRUE(call->run(from, to));
    const std::size_t before = allocations;
    EXPECT_TRUE(call->run(from, to));
    EXPECT_EQ(allocations, before) << text;
  }
}

TEST_P(Allocation, AWarmLayerOfOneItemMakesNone) {
  Engine engine;
  auto layer =
      ExpressionLayer::create(engine, "add(mul(@0,@1),@2)", {GetParam(), {}});
  ASSERT_TRUE(layer);
  std::vector<float> a(3 * 56 * 40, 2), b(3, 3), out(a.size());
  const TensorView x(a.data(), {3, 56, 40}), y(b.data(), {3, 1, 1});
  const std::vector<TensorView> inputs = {x, y, x};
  const std::vector<TensorView> outputs = {{out.data(), {3, 56, 40}}};
  RunOptions serial;
  serial.maxThreads = 1;
  ASSERT_TRUE(layer->forward(inputs, outputs, serial));
  const std::size_t before = allocations;
  ASSERT_TRUE(layer->forward(inputs, outputs, serial));
  EXPECT_EQ(allocations, before);
}

TEST_P(Allocation, ACachedLookUpMakesNone) {
  Engine engine;
  const CompileOptions options{GetParam(), {}};
  ASSERT_TRUE(engine.compile("add(mul(@0,@1),@2)", options));
  const std::size_t before = allocations;
  ASSERT_TRUE(engine.compile("add(mul(@0,@1),@2)", options));
  EXPECT_EQ(allocations, before);
}

INSTANTIATE_TEST_SUITE_P(Modes, Allocation,
                         testing::Values(Mode::Optimized, Mode::Baseline,
                                         Mode::Interpret));
