//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/kexpr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

using namespace kexpr;

namespace {
/// Operands of one call, checked to be untouched by a refused one.
class BadCalls : public testing::Test {
protected:
  Engine engine;
  std::vector<float> a = std::vector<float>(64, 1);
  std::vector<float> b = std::vector<float>(64, 2);
  std::vector<float> out = std::vector<float>(64, -7);

  TensorView x{a.data(), {8, 8}};
  TensorView y{b.data(), {8, 8}};
  TensorView z{out.data(), {8, 8}};

  /// The message of a call that must be refused with `code`.
  std::string refusal(ErrorCode code, std::vector<TensorView> inputs,
                      std::vector<TensorView> outputs,
                      std::string_view text = "add(@0,@1)") {
    auto kernel = engine.compile(text);
    auto status = kernel->run(inputs, outputs);
    if (status)
      return "accepted";
    EXPECT_EQ(status.error().code(), code) << status.error().message();
    for (float value : out)
      EXPECT_EQ(value, -7);
    return status.error().message();
  }
};
} // namespace

TEST_F(BadCalls, TooFewOperands) {
  EXPECT_EQ(refusal(ErrorCode::MissingOperand, {x}, {z}),
            "the expression uses operand @1, but only 1 were given");
  EXPECT_EQ(refusal(ErrorCode::MissingOperand, {x, TensorView()}, {z}),
            "operand @1 is empty");
  EXPECT_EQ(refusal(ErrorCode::MissingOperand, {}, {z}),
            "the expression uses operand @1, but only 0 were given");
}

TEST_F(BadCalls, WrongNumberOfOutputs) {
  EXPECT_EQ(refusal(ErrorCode::InvalidArgument, {x, y}, {}),
            "the expression has 1 outputs, but 0 were given");
  EXPECT_EQ(refusal(ErrorCode::InvalidArgument, {x, y}, {z}, "[@0,@1]"),
            "the expression has 2 outputs, but 1 were given");
}

TEST_F(BadCalls, WrongTypes) {
  const TensorView ints(static_cast<void *>(a.data()), DType::I32, {8, 8});
  EXPECT_EQ(refusal(ErrorCode::TypeMismatch, {x, ints}, {z}),
            "operand @1 is i32; it must be f32");
  const TensorView half(static_cast<void *>(out.data()), DType::F16, {8, 8});
  EXPECT_EQ(refusal(ErrorCode::TypeMismatch, {x, y}, {half}),
            "output 0 is f16; it must be f32");
}

TEST_F(BadCalls, WrongShapes) {
  const TensorView seven(b.data(), {7, 8});
  EXPECT_EQ(refusal(ErrorCode::ShapeMismatch, {x, seven}, {z}),
            "operand @1 of shape [7,8] does not broadcast with [8,8]: axis -2 "
            "is 7 here and 8 there");
  const TensorView flat(static_cast<void *>(out.data()), DType::F32, {64});
  EXPECT_EQ(refusal(ErrorCode::ShapeMismatch, {x, y}, {flat}),
            "output 0 has shape [64]; its operands broadcast to [8,8]");
}

TEST_F(BadCalls, NullPointers) {
  const TensorView null(static_cast<const float *>(nullptr), {8, 8});
  EXPECT_EQ(refusal(ErrorCode::InvalidArgument, {x, null}, {z}),
            "operand @1 of shape [8,8] has a null pointer");
  EXPECT_EQ(refusal(ErrorCode::InvalidArgument, {x, y}, {null}),
            "output 0 of shape [8,8] has a null pointer");
}

TEST_F(BadCalls, ImpossibleLayouts) {
  float *memory = out.data();
  auto view = [&](Shape shape, Shape strides) {
    return TensorView(static_cast<void *>(memory), DType::F32, shape, strides);
  };
  for (const TensorView &bad :
       {view({8, -8}, {8, 1}), view({8, 8}, {8}), view({8, 8}, {1, 1, 1}),
        view({std::int64_t{1} << 40, std::int64_t{1} << 40}, {0, 0}),
        view({8, 8}, {std::int64_t{1} << 60, 1}),
        view({8, 8}, {-(std::int64_t{1} << 60), 1}),
        view({2, 8}, {std::numeric_limits<std::int64_t>::min(), 1})}) {
    EXPECT_NE(refusal(ErrorCode::InvalidArgument, {x, bad}, {z}), "accepted");
  }
  // Bytes that no one axis spans, but all of them do.
  std::int64_t two[16], far[16];
  std::fill_n(two, 16, 2);
  std::fill_n(far, 16, std::int64_t{1} << 56);
  EXPECT_NE(refusal(ErrorCode::InvalidArgument,
                    {x, view(Shape(two, 16), Shape(far, 16))}, {z}),
            "accepted");
  EXPECT_EQ(
      refusal(ErrorCode::OverlappingOutput, {x, y}, {view({8, 8}, {0, 1})}),
      "output 0 of shape [8,8] and strides [0,1] overlaps itself");
  EXPECT_EQ(
      refusal(ErrorCode::OverlappingOutput, {x, y}, {view({8, 8}, {-7, 1})}),
      "output 0 of shape [8,8] and strides [-7,1] overlaps itself");
  const std::vector<std::int64_t> ones(17, 1);
  const Shape deep(ones.data(), ones.size());
  EXPECT_EQ(refusal(ErrorCode::InvalidArgument, {x, view(deep, deep)}, {z}),
            "operand @1 has more than 16 axes");
}

TEST_F(BadCalls, PartialOverlaps) {
  const TensorView shifted(out.data() + 4, {7, 8});
  const TensorView result(static_cast<void *>(out.data()), DType::F32, {7, 8});
  const TensorView other(a.data(), {7, 8});
  EXPECT_EQ(refusal(ErrorCode::OverlappingOutput, {other, shifted}, {result}),
            "output 0 overlaps operand @1 without being exactly it");
  // The same memory in another order is another tensor.
  const TensorView transposed(static_cast<const void *>(out.data()), DType::F32,
                              {8, 8}, {1, 8});
  EXPECT_EQ(refusal(ErrorCode::OverlappingOutput, {x, transposed}, {z}),
            "output 0 overlaps operand @1 without being exactly it");
  EXPECT_EQ(refusal(ErrorCode::OverlappingOutput, {x, y}, {z, z}, "[@0,@1]"),
            "output 1 overlaps output 0");
  // Turned around, from its last element to its first.
  const TensorView turned(static_cast<const void *>(out.data() + 63),
                          DType::F32, {8, 8}, {-8, -1});
  EXPECT_EQ(refusal(ErrorCode::OverlappingOutput, {x, turned}, {z}),
            "output 0 overlaps operand @1 without being exactly it");
}

TEST_F(BadCalls, Batches) {
  auto kernel = engine.compile("add(@0,@1)");
  const TensorView z1(static_cast<void *>(a.data()), DType::F32, {8, 8});
  auto message = [&](std::vector<TensorView> in, std::vector<TensorView> o) {
    auto status = kernel->runBatch(in, o);
    return status ? "accepted" : status.error().message();
  };
  EXPECT_EQ(message({x, y}, {}), "a batch without outputs");
  EXPECT_EQ(message({x, y, x}, {z, z}),
            "3 inputs are no whole number of operands for a batch of 2");
  EXPECT_EQ(message({x, x}, {z, z}),
            "batch item 0: the expression uses operand @1, but only 1 were "
            "given");
  EXPECT_EQ(message({y, y, y, TensorView()}, {z, z1}),
            "batch item 1: operand @1 is empty");
  EXPECT_EQ(message({y, y, y, y}, {z, z}),
            "the output of batch item 1 overlaps that of item 0");
  EXPECT_EQ(message({z1, y, y, y}, {z, z1}),
            "the output of batch item 1 overlaps operand @0 of item 0");
  for (float value : out)
    EXPECT_EQ(value, -7);
}

TEST_F(BadCalls, EmptyTensorsAreLegal) {
  auto kernel = engine.compile("add(@0,@1)");
  const TensorView nothing(static_cast<const float *>(nullptr), {0, 8});
  const TensorView row(a.data(), {1, 8});
  EXPECT_TRUE(kernel->run({nothing, row}, nothing));
  EXPECT_TRUE(kernel->run({nothing, nothing}, nothing));
  EXPECT_FALSE(kernel->run({nothing, x}, nothing));
}
