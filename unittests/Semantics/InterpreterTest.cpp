//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/Interpreter.h"
#include "Semantics/Check.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace kexpr;
using namespace kexpr::semantics;

static Plan planFor(std::string_view text,
                    std::vector<AccessPattern> patterns = {}) {
  Plan plan{.graph = *check(*Expression::parse(text), {}),
            .inputs = {},
            .outputs = {}};
  plan.inputs.resize(plan.graph.inputs.size());
  plan.outputs.resize(plan.graph.outputs.size());
  for (std::size_t i = 0; i < patterns.size(); ++i)
    plan.inputs[i].pattern = patterns[i];
  return plan;
}

TEST(Interpreter, ComputesEveryLengthAcrossBlocks) {
  Interpreter interpreter(planFor("add(mul(@0,@1),@0)"));
  std::vector<float> a(5000), b(5000), out(5000);
  for (int i = 0; i < 5000; ++i)
    a[i] = i, b[i] = 5 - i;
  for (std::int64_t count : {0, 1, 63, 64, 1023, 1024, 1025, 2049, 4999}) {
    std::fill(out.begin(), out.end(), -1.f);
    void *pointers[] = {out.data(), a.data(), b.data()};
    interpreter.run(count, pointers, nullptr);
    for (std::int64_t i = 0; i < count; ++i)
      ASSERT_EQ(out[i], a[i] * b[i] + a[i]);
    EXPECT_EQ(out[count], -1.f);
  }
}

TEST(Interpreter, ReadsConstantAndStridedOperands) {
  Interpreter interpreter(planFor(
      "add(mul(@0,@1),@2)", {AccessPattern::Strided, AccessPattern::Constant,
                             AccessPattern::Contiguous}));
  std::vector<float> a(6000), c(3000), out(3000);
  for (int i = 0; i < 6000; ++i)
    a[i] = i;
  for (int i = 0; i < 3000; ++i)
    c[i] = 7 * i;
  float b = 3;
  void *pointers[] = {out.data(), a.data(), &b, c.data()};
  const std::int64_t strides[] = {0, 2 * sizeof(float), 0, 0};
  interpreter.run(3000, pointers, strides);
  for (int i = 0; i < 3000; ++i)
    ASSERT_EQ(out[i], a[2 * i] * 3 + c[i]);
}

TEST(Interpreter, OutputsMayBeInputs) {
  Interpreter interpreter(planFor("[add(@0,@1),@0]"));
  std::vector<float> a(2000, 2), b(2000, 3);
  void *pointers[] = {a.data(), b.data(), a.data(), b.data()};
  interpreter.run(2000, pointers, nullptr);
  EXPECT_EQ(a[1999], 5);
  EXPECT_EQ(b[1999], 2);
}

TEST(Interpreter, OutputsMayBeStatesOfReductions) {
  Plan plan = planFor("[neg(@0),@0]");
  const Reducing amax{*ops::findReduction("amax"), DType::F32};
  plan.outputs[0].reducing = plan.outputs[1].reducing = amax;
  plan.outputs[0].pattern = AccessPattern::Constant;
  // More than a block, so that lanes go on where one ends.
  constexpr int count = 2047;
  std::vector<float> in(count), lanes(32, -1e9f), each(2048, 100);
  for (int i = 0; i < count; ++i)
    in[i] = i;
  void *pointers[] = {lanes.data(), each.data(), in.data()};
  const std::int64_t strides[] = {0, 2048 * sizeof(float), 0};
  Interpreter(plan).run(count, pointers, strides);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(lanes[i], -i);
  for (int i = 0; i < 2048; ++i)
    ASSERT_EQ(each[i], i < count ? std::max(in[i], 100.f) : 100);
}

TEST(Interpreter, UnalignedMemoryIsFine) {
  Interpreter interpreter(planFor("mul(@0,2)"));
  std::vector<char> in(4 * 100 + 1), out(4 * 100 + 3);
  const float three = 3;
  for (int i = 0; i < 100; ++i)
    std::memcpy(&in[1 + 4 * i], &three, 4);
  float two = 2;
  void *pointers[] = {&out[3], &in[1], &two};
  interpreter.run(100, pointers, nullptr);
  float result;
  std::memcpy(&result, &out[3 + 4 * 99], 4);
  EXPECT_EQ(result, 6);
}
