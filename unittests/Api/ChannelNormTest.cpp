//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Norms of channels are layer norms of tensors in other shapes: with the same
// bits, in any way of a call.
//
//===----------------------------------------------------------------------===//
#include "Api/Rows.h"

namespace kexpr::test::rows::channels {
namespace {

/// The shape with the axis of channels as two, and a channel's axes as ones.
Shape split(const Shape &shape, std::int64_t groups, bool isWeight) {
  std::vector<std::int64_t> extents = {isWeight ? 1 : shape[0], groups,
                                       shape[1] / groups};
  for (std::size_t axis = 2; axis < shape.rank(); ++axis)
    extents.push_back(isWeight ? 1 : shape[axis]);
  return {extents.data(), extents.size()};
}

Tensor reshaped(const Tensor &x, const Shape &shape) {
  Tensor other = x;
  other.shape = shape;
  other.strides = contiguousStrides(shape);
  return other;
}

std::string axesFrom2(std::size_t rank) {
  std::string text = "[2";
  for (std::size_t axis = 3; axis < rank; ++axis)
    text += ',' + std::to_string(axis);
  return text + ']';
}

void expectLayerNorm(DType type, const Shape &shape, std::int64_t groups) {
  const Tensor x = randomTensor(type, shape, 31);
  const Tensor weight = randomTensor(type, {shape[1]}, 32),
               bias = randomTensor(type, {shape[1]}, 33);
  const Shape inGroups = split(shape, groups, false),
              ofChannel = split(shape, groups, true);
  const auto expected =
      outputsOf("layer_norm(@0," + axesFrom2(inGroups.rank()) + ",@1,@2,1e-3)",
                {reshaped(x, inGroups), reshaped(weight, ofChannel),
                 reshaped(bias, ofChannel)})[0]
          .bytes();
  const std::string text =
      groups == shape[1]
          ? "instance_norm(@0,@1,@2,1e-3)"
          : "group_norm(@0," + std::to_string(groups) + ",@1,@2,1e-3)";
  for (const Way &way : allWays())
    for (const Tensor &layout :
         {x, x.with(transposed(shape)), x.with(sliced(shape, 3)),
          x.with(reversed(shape, 6))})
      ASSERT_EQ(
          outputsOf(text, {layout, weight.with({2}), bias}, way)[0].bytes(),
          expected)
          << text << " of " << shape.str() << ", strides "
          << layout.strides.str() << ", " << way.str();
}

TEST(ChannelNorms, AreLayerNormsOfOtherShapes) {
  for (DType type : {DType::F32, DType::F64, DType::BF16}) {
    expectLayerNorm(type, {2, 6, 5, 7}, 2);
    expectLayerNorm(type, {2, 6, 5, 7}, 6);
    expectLayerNorm(type, {3, 8, 70}, 4);
    expectLayerNorm(type, {3, 8, 70}, 8);
    expectLayerNorm(type, {40, 6}, 3);
    expectLayerNorm(type, {1, 4, 2, 3, 5}, 1);
  }
  expectLayerNorm(DType::F32, {2, 4, 300, 301}, 2);
}

TEST(ChannelNorms, StandWhereAnExpressionMay) {
  const Tensor x = randomTensor(DType::F32, {3, 6, 8, 9}, 34),
               weight = randomTensor(DType::F32, {6}, 35);
  const auto run = [&](const char *text, const Tensors &inputs) {
    return outputsOf(text, inputs)[0];
  };
  for (const char *inner : {"mul(@0,2)", "softmax(@0,1)", "cumsum(@0,-1)",
                            "instance_norm(@0,@1)", "group_norm(@0,3,@1)",
                            "mean(@0,-1,True)", "neg(sum(@0,0,True))"}) {
    const Tensor inside = run(inner, {x, weight});
    const std::string nested =
        std::string("group_norm(") + inner + ",2,mul(@1,2))";
    EXPECT_EQ(run(nested.c_str(), {x, weight}).bytes(),
              run("group_norm(@0,2,mul(@1,2))", {inside, weight}).bytes())
        << inner;
  }
  const Tensor norm = run("group_norm(@0,2,@1)", {x, weight});
  for (const auto &[fused, apart] :
       {std::pair("sigmoid(group_norm(@0,2,@1))", "sigmoid(@0)"),
        std::pair("sum(group_norm(@0,2,@1),1)", "sum(@0,1)"),
        std::pair("softmax(group_norm(@0,2,@1),0)", "softmax(@0,0)"),
        std::pair("cumprod(group_norm(@0,2,@1),2)", "cumprod(@0,2)")})
    EXPECT_EQ(run(fused, {x, weight}).bytes(), run(apart, {norm}).bytes())
        << fused;
  const Tensors both =
      outputsOf("[group_norm(@0,2,@1),group_norm(@0,3),sum(@0)]", {x, weight});
  EXPECT_EQ(both[0].bytes(), norm.bytes());
  EXPECT_EQ(both[1].bytes(), run("group_norm(@0,3)", {x}).bytes());
}

TEST(ChannelNorms, AnOutputThatIsAnInputIsRightOrRefused) {
  for (const char *text : {"group_norm(@0,2)", "instance_norm(@0)",
                           "add(@0,group_norm(mul(@0,2),3))"}) {
    const Tensor before = randomTensor(DType::F32, {3, 6, 40}, 36);
    const Tensor expected = outputsOf(text, {before})[0];
    Tensor own = before;
    const auto status = compiled(text, {}).run({own.view()}, {own.view()});
    EXPECT_TRUE(status ||
                status.error().code() == ErrorCode::OverlappingOutput);
    EXPECT_EQ(own.bytes(), status ? expected.bytes() : before.bytes()) << text;
  }
}

TEST(ChannelNorms, ErrorsHaveAPlace) {
  const auto refusalOf = [](std::string_view text, const Shape &shape) {
    auto kernel = Engine().compile(text, {.mode = Mode::Interpret});
    if (!kernel)
      return kernel.error().render();
    const TensorView view(static_cast<const float *>(nullptr), shape);
    auto result = kernel->outputShape({view, view});
    return result ? result->str() : result.error().render();
  };
  EXPECT_EQ(refusalOf("neg(group_norm(@0,4))", {2, 6, 5}),
            "error: 6 channels are no 4 groups\n"
            "  neg(group_norm(@0,4))\n"
            "      ^~~~~~~~~~~~~~~~");
  EXPECT_EQ(refusalOf("instance_norm(@0)", {2, 6}),
            "error: a tensor of 2 axes has none from axis 2 on\n"
            "  instance_norm(@0)\n"
            "  ^~~~~~~~~~~~~~~~~");
  EXPECT_EQ(refusalOf("group_norm(@0,2,@1)", {2, 6}),
            "error: a weight or bias of shape [2,6] for 6 channels\n"
            "  group_norm(@0,2,@1)\n"
            "  ^~~~~~~~~~~~~~~~~~~");
  EXPECT_EQ(refusalOf("group_norm(@0,0)", {2, 6}),
            "error: 'group_norm' takes an integer from 1 on here\n"
            "  group_norm(@0,0)\n"
            "                ^");
}

} // namespace
} // namespace kexpr::test::rows::channels
