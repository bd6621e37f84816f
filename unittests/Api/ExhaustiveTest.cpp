//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every operator of one argument, over every float there is: machine code
// against the interpreter bit for bit, and against the reference within the
// bound that the table states.
//
//===----------------------------------------------------------------------===//
#include "Ops/Table.h"
#include "TestUtil/Floats.h"
#include "kexpr/kexpr.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

using namespace kexpr;

/// Floats that are looked at together.
static constexpr std::uint64_t ChunkSize = 1 << 16;
static constexpr std::uint64_t Chunks = (std::uint64_t{1} << 32) / ChunkSize;

namespace {
/// The largest error of one thread's chunks, and where it is.
struct Worst {
  double ulp = 0;
  float argument = 0;
};

class Walk {
public:
  explicit Walk(const ops::OpEntry &entry) : entry(entry) {
    const std::string call = std::string(entry.info.name) + "(@0)";
    kernel.emplace(*engine.compile(call));
    oracle.emplace(*engine.compile(call, {Mode::Interpret, {}}));
  }

  /// Takes chunks until none is left.
  void run(Worst &worst) {
    std::vector<float> in(ChunkSize), out(ChunkSize), expected(ChunkSize);
    const Shape shape{ChunkSize};
    const TensorView input(in.data(), shape);
    for (std::uint64_t chunk; (chunk = next++) < Chunks;) {
      for (std::uint64_t i = 0; i < ChunkSize; ++i)
        in[i] = std::bit_cast<float>(
            static_cast<std::uint32_t>(chunk * ChunkSize + i));
      ASSERT_TRUE(kernel->run(input, TensorView(out.data(), shape), serial));
      ASSERT_TRUE(
          oracle->run(input, TensorView(expected.data(), shape), serial));
      for (std::uint64_t i = 0; i < ChunkSize; ++i)
        check(in[i], out[i], expected[i], worst);
    }
  }

private:
  void check(float in, float out, float expected, Worst &worst) const {
    if (!test::sameFloat(out, expected))
      ADD_FAILURE() << "machine code and interpreter differ at " << in;
    const double argument = in;
    const double error = test::ulpError(out, entry.reference(&argument));
    if (error > worst.ulp)
      worst = {error, in};
  }

  static constexpr RunOptions serial{1, 0};
  const ops::OpEntry &entry;
  Engine engine;
  std::optional<Kernel> kernel, oracle;
  std::atomic<std::uint64_t> next = 0;
};
} // namespace

class Exhaustive : public testing::TestWithParam<ops::OpId> {};

TEST_P(Exhaustive, EveryFloatIsWithinTheBound) {
  const ops::OpEntry &entry = ops::table()[GetParam()];
  Walk walk(entry);
  std::vector<Worst> worst(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::thread> threads;
  for (Worst &own : worst)
    threads.emplace_back([&walk, &own] { walk.run(own); });
  for (std::thread &thread : threads)
    thread.join();
  for (const Worst &own : worst)
    EXPECT_LE(own.ulp, entry.info.maxUlp) << "at " << own.argument;
}

static std::vector<ops::OpId> unaryOperators() {
  std::vector<ops::OpId> result;
  for (ops::OpId id = 0; id < ops::table().size(); ++id)
    if (ops::table()[id].arity == 1 && ops::blocks()[id])
      result.push_back(id);
  return result;
}

INSTANTIATE_TEST_SUITE_P(Unary, Exhaustive, testing::ValuesIn(unaryOperators()),
                         [](const auto &test) {
                           return std::string(
                               ops::table()[test.param].info.name);
                         });
