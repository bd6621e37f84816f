//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TestUtil/Skips.h"
#include "kexpr/kexpr.h"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <vector>

using namespace kexpr;

namespace {

constexpr RunOptions Cached{.maxThreads = 1, .stores = Stores::Cached};
constexpr RunOptions Streamed{.maxThreads = 1, .stores = Stores::Streamed};

/// Memory between guards, at any offset from a cache line.
class Guarded {
public:
  Guarded(std::size_t bytes, std::size_t offset)
      : bytes(bytes), memory(bytes + 3 * Line, char{0x5a}) {
    const auto start = reinterpret_cast<std::uintptr_t>(memory.data());
    first = memory.data() + (Line - start % Line) % Line + Line + offset;
    for (std::size_t i = 0; i < bytes; ++i)
      first[i] = static_cast<char>(i * 37 + i / 251);
  }
  char *data() { return first; }
  std::string contents() const { return {first, bytes}; }
  bool isIntact() const {
    for (const char *c = memory.data(); c != memory.data() + memory.size(); ++c)
      if ((c < first || c >= first + bytes) && *c != char{0x5a})
        return false;
    return true;
  }

private:
  static constexpr std::size_t Line = 64;
  std::size_t bytes;
  std::vector<char> memory;
  char *first;
};

/// Streaming code takes over in the background, at a call that asks for it.
void buildStreaming(const Engine &engine, const Kernel &kernel, DType in,
                    DType out) {
  Guarded x(4096 * sizeOf(in), 0), y(4096 * sizeOf(out), 0);
  const TensorView input(x.data(), in, {4096}), output(y.data(), out, {4096});
  ASSERT_TRUE(kernel.run(input, output, Streamed));
  engine.settle();
}

TEST(Streamed, HasTheSameBitsAtAnyOffsetAndLength) {
  const Engine engine;
  const DType types[] = {DType::F32,  DType::F64, DType::F16,
                         DType::BF16, DType::I8,  DType::I32};
  for (DType type : types) {
    auto kernel = engine.compile("add(@0,@0)", {.operandTypes = {type}});
    ASSERT_TRUE(kernel);
    buildStreaming(engine, *kernel, type, type);
    const std::size_t size = sizeOf(type);
    for (std::size_t offset = 0; offset < 64; offset += offset < 9 ? 1 : 11)
      for (std::int64_t count : {1024, 1025, 1100, 4999}) {
        Guarded x(count * size, 3), y(count * size, offset),
            z(count * size, offset);
        const TensorView in(x.data(), type, {count});
        ASSERT_TRUE(
            kernel->run(in, TensorView(y.data(), type, {count}), Cached));
        ASSERT_TRUE(
            kernel->run(in, TensorView(z.data(), type, {count}), Streamed));
        EXPECT_EQ(y.contents(), z.contents())
            << nameOf(type) << ' ' << offset << ' ' << count;
        EXPECT_TRUE(z.isIntact());
      }
  }
}

TEST(Streamed, ComesInTheBackground) {
  const Engine engine;
  if (engine.vectorBits() == 0)
    GTEST_SKIP() << kexpr::test::skips::NoCode;
  auto kernel = engine.compile("mul(@0,sigmoid(@0))");
  ASSERT_TRUE(kernel);
  const std::size_t before = kernel->codeSize();
  EXPECT_EQ(engine.stats().compiled, 1u);
  buildStreaming(engine, *kernel, DType::F32, DType::F32);
  EXPECT_EQ(engine.stats().compiled, 2u);
  EXPECT_GT(kernel->codeSize(), before);
  // Once.
  buildStreaming(engine, *kernel, DType::F32, DType::F32);
  EXPECT_EQ(engine.stats().compiled, 2u);
}

TEST(Streamed, EndsAtTheLastTierOfItsMode) {
  for (Mode mode : {Mode::Baseline, Mode::Optimized, Mode::Tiered}) {
    const Engine engine;
    if (engine.vectorBits() == 0)
      GTEST_SKIP() << kexpr::test::skips::NoCode;
    auto kernel = engine.compile("add(@0,tanh(@0))", {.mode = mode});
    ASSERT_TRUE(kernel);
    // It may be asked for at any tier that has machine code.
    while (kernel->tier() == Tier::Interpreter)
      ;
    buildStreaming(engine, *kernel, DType::F32, DType::F32);
    const EngineStats stats = engine.stats();
    EXPECT_EQ(stats.baseline.loops, mode == Mode::Optimized  ? 0u
                                    : mode == Mode::Baseline ? 2u
                                                             : 1u);
    EXPECT_EQ(stats.optimized.loops, mode == Mode::Baseline ? 0u : 2u);
  }
}

TEST(Streamed, IsNotBuiltForSmallCallsOrInPlace) {
  const Engine engine;
  auto kernel = engine.compile("neg(@0)");
  ASSERT_TRUE(kernel);
  std::vector<float> x(1 << 16, 1), y(x.size());
  const std::int64_t count = static_cast<std::int64_t>(x.size());
  const TensorView in(x.data(), {count}), out(y.data(), {count});
  ASSERT_TRUE(kernel->run(in, out, {.maxThreads = 1}));
  ASSERT_TRUE(kernel->run(in, in, Streamed));
  engine.settle();
  EXPECT_LE(engine.stats().compiled, 1u);
  EXPECT_EQ(x[7], -1);
}

TEST(Streamed, SeveralOutputsOfAnyAlignment) {
  const Engine engine;
  auto kernel = engine.compile("[add(@0,1),mul(@0,2)]");
  ASSERT_TRUE(kernel);
  constexpr std::int64_t count = 3001;
  std::vector<float> x(count + 32);
  for (std::int64_t i = 0; i < count; ++i)
    x[i] = static_cast<float>(i);
  for (int round = 0; round < 2; ++round) {
    for (std::size_t second : {0, 4, 36, 63}) {
      Guarded a(count * 4, 8), b(count * 4, second);
      const std::vector<TensorView> outs = {
          TensorView(a.data(), DType::F32, {count}),
          TensorView(b.data(), DType::F32, {count})};
      const TensorView in(x.data(), {count});
      ASSERT_TRUE(kernel->run(in, outs, Streamed));
      for (std::int64_t i = 0; i < count; ++i) {
        float values[2];
        std::memcpy(values, a.data() + i * 4, 4);
        std::memcpy(values + 1, b.data() + i * 4, 4);
        ASSERT_EQ(values[0], x[i] + 1) << i;
        ASSERT_EQ(values[1], x[i] * 2) << i;
      }
      EXPECT_TRUE(a.isIntact() && b.isIntact());
    }
    engine.settle();
  }
}

/// Neither bytes between rows nor those around them may change.
TEST(Streamed, RowsThatAreApart) {
  const Engine engine;
  auto sum = engine.compile("add(@0,1)"),
       both = engine.compile("[add(@0,1),gt(@0,100)]");
  ASSERT_TRUE(sum && both);
  constexpr std::int64_t rows = 37;
  for (int round = 0; round < 2; ++round) {
    for (std::int64_t columns : {128, 131, 200, 1027})
      for (std::size_t offset : {0, 16, 36}) {
        const std::int64_t pitch = columns + 13;
        const auto count = static_cast<std::size_t>(rows * pitch);
        Guarded x(count * 4, 4), a(count * 4, offset), b(count * 4, offset),
            c(count, offset);
        std::string sums = a.contents(), masks = c.contents();
        for (std::int64_t i = 0; i < rows * pitch; ++i) {
          const auto value = static_cast<float>(i % 301), next = value + 1;
          std::memcpy(x.data() + i * 4, &value, 4);
          if (i % pitch < columns) {
            std::memcpy(sums.data() + i * 4, &next, 4);
            masks[static_cast<std::size_t>(i)] = value > 100;
          }
        }
        const Shape shape{rows, columns}, strides{pitch, 1};
        const auto view = [&](Guarded &of, DType type) {
          return TensorView(of.data(), type, shape, strides);
        };
        const TensorView in = view(x, DType::F32);
        ASSERT_TRUE(sum->run(in, view(a, DType::F32), Streamed));
        EXPECT_TRUE(a.contents() == sums) << columns << ' ' << offset;
        const std::vector<TensorView> outs = {view(b, DType::F32),
                                              view(c, DType::Bool)};
        ASSERT_TRUE(both->run(in, outs, Streamed));
        EXPECT_TRUE(b.contents() == sums && c.contents() == masks)
            << columns << ' ' << offset;
        EXPECT_TRUE(a.isIntact() && b.isIntact() && c.isIntact());
      }
    engine.settle();
  }
}

TEST(Streamed, BatchesRowsAndThreads) {
  const Engine engine;
  auto kernel = engine.compile("add(@0,@1)");
  ASSERT_TRUE(kernel);
  constexpr std::int64_t rows = 5, columns = 3137;
  const std::vector<float> bias = {1, 2, 3, 4, 5};
  std::vector<std::vector<float>> x, y;
  std::vector<TensorView> in, out;
  for (int item = 0; item < 3; ++item) {
    x.emplace_back(rows * columns, static_cast<float>(item));
    y.emplace_back(rows * columns + item);
    in.emplace_back(x.back().data(), Shape{rows, columns});
    out.emplace_back(y.back().data() + item, Shape{rows, columns});
  }
  for (int item = 0; item < 3; ++item)
    in.emplace_back(bias.data(), Shape{rows, 1});
  for (unsigned threads : {1u, 0u, 1u}) {
    for (auto &values : y)
      std::fill(values.begin(), values.end(), -1.0f);
    ASSERT_TRUE(kernel->runBatch(
        in, out, {.maxThreads = threads, .stores = Stores::Streamed}));
    for (std::size_t item = 0; item < 3; ++item)
      for (std::int64_t i = 0; i < rows * columns; ++i)
        ASSERT_EQ(static_cast<const float *>(out[item].data())[i],
                  static_cast<float>(item) + bias[i / columns]);
    engine.settle();
  }
}

/// Large calls over rows try either way, and go on in the faster one.
class StreamedRows : public testing::TestWithParam<Mode> {};

TEST_P(StreamedRows, HaveTheSameBitsWhicheverWayIsChosen) {
  const Engine engine;
  auto kernel =
      engine.compile("sub(@0,amax(@0,-1,True))", {.mode = GetParam()});
  ASSERT_TRUE(kernel);
  constexpr std::int64_t rows = 1500, length = 736;
  constexpr std::size_t bytes = rows * length * sizeof(float);
  std::vector<float> x(rows * length);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i * 7919 % 10007) * 0.37f;
  const TensorView in(x.data(), {rows, length});
  const auto view = [](Guarded &at) {
    return TensorView(at.data(), DType::F32, {rows, length});
  };
  Guarded expected(bytes, 4);
  ASSERT_TRUE(kernel->run(in, view(expected), Cached));
  engine.settle();
  const std::uint64_t before = engine.stats().compiled;
  for (int call = 0; call < 12; ++call) {
    Guarded y(bytes, 0);
    ASSERT_TRUE(kernel->run(in, view(y), {.maxThreads = call % 2 + 1u}));
    EXPECT_TRUE(y.contents() == expected.contents()) << call;
    EXPECT_TRUE(y.isIntact());
    engine.settle();
  }
  // The streaming loop.
  EXPECT_EQ(engine.stats().compiled, before + (engine.vectorBits() > 0));
}

/// Runs a kernel of one operand both ways, with outputs at offsets from a line.
void expectSameBits(const Engine &engine, std::string_view text, DType type,
                    const Shape &shape, std::size_t outputs = 1) {
  auto kernel = engine.compile(text, {.operandTypes = {type}});
  ASSERT_TRUE(kernel);
  std::int64_t count = 1;
  for (std::int64_t extent : shape)
    count *= extent;
  const auto bytes = static_cast<std::size_t>(count) * sizeOf(type);
  Guarded x(bytes, 8);
  const TensorView in(x.data(), type, shape);
  for (std::size_t offset : {0u, 16u, 56u}) {
    std::deque<Guarded> cached, streamed;
    for (std::size_t i = 0; i < outputs; ++i) {
      cached.emplace_back(bytes, offset);
      streamed.emplace_back(bytes, offset);
    }
    for (Stores stores : {Stores::Cached, Stores::Streamed, Stores::Streamed}) {
      std::vector<TensorView> out;
      for (Guarded &each : stores == Stores::Cached ? cached : streamed)
        out.emplace_back(each.data(), type, shape);
      ASSERT_TRUE(kernel->run(in, out, {.maxThreads = 1, .stores = stores}));
      engine.settle(); // The second call has the streaming loop.
    }
    for (std::size_t i = 0; i < outputs; ++i) {
      EXPECT_TRUE(cached[i].contents() == streamed[i].contents())
          << text << ' ' << nameOf(type) << ' ' << offset << ' ' << shape[1];
      EXPECT_TRUE(streamed[i].isIntact());
    }
  }
}

TEST(Streamed, RowsThatBeginAndEndWithinLines) {
  const Engine engine;
  constexpr std::int64_t elements = 600000;
  for (DType type : {DType::F32, DType::F16, DType::F64})
    for (std::int64_t length : {3, 12, 191, 250, 1000, 2049})
      expectSameBits(
          engine, "sub(@0,amax(@0,-1,True))", type,
          {elements * 4 / static_cast<std::int64_t>(sizeOf(type)) / length,
           length});
  for (std::int64_t length : {20, 250, 1000})
    expectSameBits(engine,
                   "[sub(@0,amax(@0,-1,True)),add(@0,amax(@0,-1,True))]",
                   DType::F32, {elements / length, length}, 2);
  expectSameBits(engine, "sub(@0,amax(@0,1,True))", DType::F32, {3, 7, 30001});
}

INSTANTIATE_TEST_SUITE_P(Modes, StreamedRows,
                         testing::Values(Mode::Optimized, Mode::Tiered));

} // namespace
