//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What our layer computes, beside the one that it replaces.
//
//===----------------------------------------------------------------------===//
#include "Framework.h"
#include "expression.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>

using namespace kexpr::kuiper;

namespace {
struct Size {
  std::uint32_t channels, rows, cols;
};
} // namespace

static Tensors emptied(std::size_t batch, Size size) {
  Tensors tensors;
  for (std::size_t i = 0; i < batch; ++i)
    tensors.push_back(
        std::make_shared<ftensor>(size.channels, size.rows, size.cols));
  return tensors;
}

/// `batch` tensors for each operand, of the operand's size.
static Tensors inputsOf(const std::vector<Size> &operands, std::size_t batch) {
  Tensors tensors;
  for (Size size : operands)
    for (std::size_t i = 0; i < batch; ++i)
      tensors.push_back(randomTensor(static_cast<unsigned>(tensors.size()),
                                     size.channels, size.rows, size.cols));
  return tensors;
}

/// Both layers over the same inputs, bit for bit.
static void compare(const std::string &expression,
                    const std::vector<Size> &operands, Size result,
                    std::size_t batch) {
  SCOPED_TRACE(expression);
  const Tensors inputs = inputsOf(operands, batch);
  Tensors expected = emptied(batch, result), actual = emptied(batch, result);
  ASSERT_EQ(theirs(expression)->Forward(inputs, expected), Success);
  ASSERT_EQ(ours(expression)->Forward(inputs, actual), Success);
  for (std::size_t i = 0; i < batch; ++i) {
    ASSERT_EQ(actual[i]->shapes(), expected[i]->shapes());
    EXPECT_EQ(std::memcmp(actual[i]->raw_ptr(), expected[i]->raw_ptr(),
                          sizeof(float) * actual[i]->size()),
              0)
        << "item " << i;
  }
}

TEST(Layer, TheFactoryMakesOurs) {
  const LayerPtr layer = ours("add(@0,@1)");
  EXPECT_NE(dynamic_cast<ExpressionLayer *>(layer.get()), nullptr);
  EXPECT_EQ(layer->layer_name(), "Expression");
}

TEST(Layer, EqualsTheirs) {
  const Size size{3, 20, 31};
  for (std::size_t batch : {1, 4, 16})
    for (const char *expression :
         {"add(@0,@1)", "mul(@2,add(@0,@1))", "mul(add(@0,@1), add(@2,@3))",
          "add(add(mul(@0,@1),mul(@2,add(add(add(@0,@2),@3),@4))),@5)"})
      compare(expression, std::vector<Size>(6, size), size, batch);
}

TEST(Layer, BroadcastsAChannelAsTheirsOnEitherSide) {
  const Size plane{5, 7, 12}, channel{5, 1, 1}, tall{5, 12, 7};
  for (const Size &whole : {plane, tall}) {
    compare("mul(@0,@1)", {whole, channel}, whole, 3);
    compare("mul(@0,@1)", {channel, whole}, whole, 3);
    compare("add(mul(@0,@1),@2)", {whole, channel, whole}, whole, 2);
    compare("mul(add(@0,@1),@2)", {channel, channel, whole}, whole, 2);
  }
}

/// One output of an expression over 3x4x5 tensors of 0.25 and -1.5.
static float valueOf(const std::string &expression) {
  Tensors inputs = emptied(2, {3, 4, 5}), outputs = emptied(1, {3, 4, 5});
  inputs[0]->Fill(0.25f);
  inputs[1]->Fill(-1.5f);
  EXPECT_EQ(ours(expression)->Forward(inputs, outputs), Success);
  return outputs[0]->at(2, 3, 4);
}

TEST(Layer, ComputesWhatTheirsCannotRead) {
  EXPECT_FLOAT_EQ(valueOf("sigmoid(@0)"), 1 / (1 + std::exp(-0.25f)));
  EXPECT_EQ(valueOf("sub(@0,@1)"), 1.75f);
  EXPECT_EQ(valueOf("add(mul(@0,2),0.5)"), 1.0f);
  EXPECT_EQ(valueOf("div(sub(1,@0),@1)"), -0.5f);
  EXPECT_FLOAT_EQ(valueOf("mul(@1,sin(@0))"), -1.5f * std::sin(0.25f));
  EXPECT_EQ(valueOf("m ul(@ 0,\t@1)\n"), -0.375f) << "blanks are ignored";
}

TEST(Layer, ABareOperandIsCopied) {
  const Tensors inputs = inputsOf({{2, 3, 4}}, 2);
  Tensors outputs = emptied(2, {2, 3, 4});
  ASSERT_EQ(ours("@0")->Forward(inputs, outputs), Success);
  EXPECT_NE(outputs[1]->raw_ptr(), inputs[1]->raw_ptr());
  EXPECT_TRUE(
      arma::approx_equal(outputs[1]->data(), inputs[1]->data(), "absdiff", 0));
}

TEST(Layer, WritesIntoTheTensorsThatItIsGiven) {
  const Tensors inputs = inputsOf({{2, 3, 4}, {2, 3, 4}}, 2);
  Tensors outputs = emptied(2, {2, 3, 4});
  const Tensors given = outputs;
  const float *memory = outputs[0]->raw_ptr();
  ASSERT_EQ(ours("add(@0,@1)")->Forward(inputs, outputs), Success);
  EXPECT_EQ(outputs, given);
  EXPECT_EQ(outputs[0]->raw_ptr(), memory);
  outputs[1] = inputs[1];
  const float sum = inputs[1]->at(1, 2, 3) + inputs[3]->at(1, 2, 3);
  ASSERT_EQ(ours("add(@0,@1)")->Forward(inputs, outputs), Success);
  EXPECT_EQ(inputs[1]->at(1, 2, 3), sum) << "in place";
}

#ifndef KEXPR_KUIPER_COURSE
TEST(Layer, MakesOutputsThatAreNullOrEmpty) {
  const Tensors inputs = inputsOf({{2, 3, 4}, {2, 1, 1}}, 3);
  Tensors outputs = {nullptr, std::make_shared<ftensor>(),
                     std::make_shared<ftensor>(2, 3, 4)};
  const sftensor given = outputs[2];
  ASSERT_EQ(ours("add(@0,@1)")->Forward(inputs, outputs), Success);
  EXPECT_EQ(outputs[2], given);
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(outputs[i]->shapes(), std::vector<std::uint32_t>({2, 3, 4}));
    EXPECT_EQ(outputs[i]->at(1, 2, 3),
              inputs[i]->at(1, 2, 3) + inputs[3 + i]->at(1, 0, 0));
  }
}
#endif

TEST(Layer, RunsInsideAnOpenMpRegion) {
  const Tensors inputs = inputsOf({{8, 56, 56}, {8, 56, 56}}, 4);
  std::vector<Tensors> outputs(8);
  for (Tensors &each : outputs)
    each = emptied(4, {8, 56, 56});
  const LayerPtr layer = ours("mul(@0,@1)");
  int done = 0;
#pragma omp parallel for num_threads(4) reduction(+ : done)
  for (int i = 0; i < 8; ++i)
    done += layer->Forward(inputs, outputs[i]) == Success;
  ASSERT_EQ(done, 8);
  for (const Tensors &each : outputs)
    EXPECT_EQ(each[3]->at(7, 55, 55),
              inputs[3]->at(7, 55, 55) * inputs[7]->at(7, 55, 55));
}
