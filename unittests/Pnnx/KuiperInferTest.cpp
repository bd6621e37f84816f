//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What integrations/KuiperInfer has that needs no framework.
//
//===----------------------------------------------------------------------===//
#include "KuiperInfer/Blanks.h"
#include "KuiperInfer/StatusTable.h"
#include "Pnnx/LayerTensors.h"

#include <gtest/gtest.h>

#include <iterator>

using namespace kexpr;
using kuiper::Course;
using kuiper::Newest;

namespace {
/// Provokes refusals of a layer and looks them up.
class KuiperStatus : public testing::Test {
protected:
  using Codes = std::pair<Newest, Course>;

  static Codes codesOf(const LayerError &error) {
    const auto &row = kuiper::rowOf(error.status());
    return {row.newest, row.course};
  }
  Codes creation(std::string_view expression) const {
    return codesOf(ExpressionLayer::create(engine, expression).error());
  }
  Codes creation(const LayerOperator *description) const {
    return codesOf(ExpressionLayer::create(engine, description).error());
  }
  Codes call(const OutputAllocator &allocate = {}) const {
    auto layer = ExpressionLayer::create(engine, "add(@0,@1)");
    return codesOf(layer->forward(inputs, outputs, {}, allocate).error());
  }

  Engine engine;
  LayerTensors own;
  std::vector<TensorView> inputs = own.tensors(4, 1);
  std::vector<TensorView> outputs = own.tensors(2, 1);
};
} // namespace

TEST_F(KuiperStatus, TheTableHasARowForEach) {
  ASSERT_EQ(std::size(kuiper::statusTable), LayerStatusCount);
  for (std::size_t row = 0; row < LayerStatusCount; ++row)
    EXPECT_EQ(kuiper::statusTable[row].status, LayerStatus(row));
}

TEST_F(KuiperStatus, OfOperators) {
  const Codes none(Newest::ParseNullOperator, Course::Unknown);
  const Codes bad(Newest::ParseParameterError, Course::Unknown);
  EXPECT_EQ(creation(nullptr), none);
  const LayerOperator empty;
  EXPECT_EQ(creation(&empty), bad);
  for (const char *text : {" ", "add(@0", "ad(@0,@1)", "[@0,@1]"})
    EXPECT_EQ(creation(text), bad) << text;
}

TEST_F(KuiperStatus, OfInputs) {
  const TensorView right = std::exchange(inputs[3], {});
  EXPECT_EQ(call(), Codes(Newest::InferInputsEmpty, Course::InputEmpty));
  inputs[3] = own.tensor(1, {5});
  EXPECT_EQ(call(),
            Codes(Newest::InferDimMismatch, Course::ShapeParameterError));
  inputs[3] = right;
  for (int extra : {1, -1}) {
    inputs.resize(4 + extra, right);
    EXPECT_EQ(call(), Codes(Newest::InferParameterError,
                            Course::InputOutSizeMatchError));
  }
  inputs.clear();
  EXPECT_EQ(call(), Codes(Newest::InferInputsEmpty, Course::InputEmpty));
}

TEST_F(KuiperStatus, OfOutputs) {
  const Codes missing(Newest::InferOutputsEmpty, Course::OutputEmpty);
  const TensorView right = std::exchange(outputs[1], {});
  EXPECT_EQ(call(), missing);
  EXPECT_EQ(call([](auto &&...) { return TensorView(); }), missing);
  outputs[1] = own.tensor(1, {5});
  EXPECT_EQ(call(), Codes(Newest::InferDimMismatch, Course::OutputSizeError));
  outputs[1] = outputs[0] = right;
  EXPECT_EQ(call(), Codes(Newest::InferParameterError, Course::Unknown));
  outputs.clear();
  EXPECT_EQ(call(), missing);
}

TEST(KuiperText, HasNoBlanks) {
  EXPECT_EQ(kuiper::withoutBlanks(" a dd(@ 1 2,\t@0)\r\n\v\f"), "add(@12,@0)");
  EXPECT_EQ(kuiper::withoutBlanks(" \n"), "");
  EXPECT_EQ(kuiper::withoutBlanks("\xC2\xA0"), "\xC2\xA0");
}
