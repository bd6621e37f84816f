//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TestUtil/Models.h"

#include <gtest/gtest.h>

using namespace kexpr;
using namespace kexpr::test;

template <class C> static std::vector<std::uint32_t> listOf(const C &values) {
  return {values.begin(), values.end()};
}
using List = std::vector<std::uint32_t>;

TEST(Model, SaysWhatTheFileSays) {
  const auto model = parseModel(SampleParam, sampleBin(true));
  ASSERT_TRUE(model) << model.error().render();
  ASSERT_EQ(model->operators().size(), 7u);
  const PnnxOperator &op = model->operators()[4];
  EXPECT_EQ(op.type, "pnnx.Expression");
  EXPECT_EQ(op.name, "e");
  EXPECT_EQ(op.line, 7u);
  EXPECT_EQ(op.inputs, (List{3, 1, 3}));
  EXPECT_EQ(op.outputs, List{4});
  EXPECT_TRUE(op.inputNames.empty());
  ASSERT_TRUE(op.parameter("expr"));
  EXPECT_EQ(*op.parameter("expr"), "mul(add(@0,1.5),@2)");
  EXPECT_EQ(op.parameter("alpha"), nullptr);
  EXPECT_EQ(op.attribute("data"), nullptr);
}

TEST(Model, SaysWhatIsKnownOfOperands) {
  const auto model = parseModel(SampleParam, sampleBin(true));
  ASSERT_TRUE(model);
  const auto operands = model->operands();
  ASSERT_EQ(operands.size(), 7u);
  EXPECT_EQ(operands[3].name, "3");
  EXPECT_EQ(operands[3].producer, 3u);
  EXPECT_EQ(operands[3].consumers, (List{4, 4}));
  EXPECT_EQ(operands[3].shape, (Shape{1, -1, 2}));
  EXPECT_EQ(operands[3].type, DType::F32);
  EXPECT_EQ(operands[4].shape, (Shape{-1, 4})) << "an extent with a name";
  EXPECT_EQ(operands[4].type, DType::F64);
  EXPECT_EQ(operands[5].shape, std::nullopt);
  EXPECT_EQ(operands[5].type, std::nullopt);
  EXPECT_EQ(operands[6].producer, 5u);
  EXPECT_TRUE(operands[6].consumers.empty());
}

TEST(Model, ReadsTheFileOfOneExpression) {
  const std::string path = KEXPR_PNNX_DATA "/expr_12.pnnx.param";
  const auto model = PnnxModel::load(path);
  ASSERT_TRUE(model) << model.error().render();
  const PnnxOperator &op = model->operators()[2];
  EXPECT_EQ(op.name, "pnnx_expr_12");
  EXPECT_EQ(*op.parameter("expr"), "add(@0,@1)");
  for (const PnnxOperand &operand : model->operands())
    EXPECT_EQ(operand.shape, (Shape{4, 1, 4, 4})) << operand.name;
  EXPECT_EQ(listOf(model->order()), (List{0, 1, 2, 3}));
}

TEST(Model, KeepsTheTextOfParameters) {
  const auto model = parseModel("7767517\n1 0\n"
                                "t n 0 0 expr=3 a=(1,2) b= eq=b h, h -> b  h "
                                "c=x=y d=True e=%f\n");
  ASSERT_TRUE(model) << model.error().render();
  const PnnxOperator &op = model->operators()[0];
  EXPECT_EQ(*op.parameter("expr"), "3");
  EXPECT_EQ(*op.parameter("a"), "(1,2)");
  EXPECT_EQ(*op.parameter("b"), "");
  EXPECT_EQ(*op.parameter("eq"), "b h, h -> b  h") << "as PNNX writes strings";
  EXPECT_EQ(*op.parameter("c"), "x=y");
  EXPECT_EQ(*op.parameter("d"), "True");
  EXPECT_EQ(*op.parameter("e"), "%f");
}

TEST(Model, NamesInputsOneByOne) {
  const auto model = parseModel("7767517\n2 2\n"
                                "a a 0 2 x y\n"
                                "b b 4 0 x y x x $p=x $q=y $r=x\n");
  ASSERT_TRUE(model) << model.error().render();
  EXPECT_EQ(model->operators()[1].inputNames,
            (std::vector<std::string>{"p", "q", "r", ""}));
}

TEST(Model, TakesAnyOrderOfLinesAndMakesOne) {
  const auto model = parseModel("7767517\n5 4\n"
                                "c sum 2 1 l r s\n"
                                "b right 1 1 x r\n"
                                "a in 0 1 x\n"
                                "b left 1 1 x l\n"
                                "d other 0 0\n");
  ASSERT_TRUE(model) << model.error().render();
  EXPECT_EQ(listOf(model->order()), (List{2, 1, 3, 0, 4}));
  EXPECT_EQ(model->operands()[0].name, "l") << "as first listed";
  EXPECT_EQ(problemOf(*model), "");
}

TEST(Model, ReadsEveryTypeThatPnnxHas) {
  for (const char *known :
       {"f32", "f64", "f16", "bf16", "i64", "i32", "i16", "i8", "u8", "bool"}) {
    const auto model = parseModel("7767517\n1 1\na a 0 1 x #x=(3)" +
                                  std::string(known) + "\n");
    ASSERT_TRUE(model) << known;
    ASSERT_TRUE(model->operands()[0].type) << known;
    EXPECT_EQ(nameOf(*model->operands()[0].type), known);
  }
  for (const char *other :
       {"c64", "c128", "c32", "cp64", "cp128", "cp32", "null", ""}) {
    const auto model = parseModel("7767517\n1 1\na a 0 1 x @k=(2)" +
                                  std::string(other) + " #x=(3)" + other);
    ASSERT_TRUE(model) << other << model.error().render();
    EXPECT_EQ(model->operands()[0].type, std::nullopt) << other;
    EXPECT_EQ(model->operands()[0].shape, Shape{3}) << other;
    EXPECT_TRUE(model->operators()[0].attribute("k")->empty()) << other;
  }
}

TEST(Model, TakesLineEndsOfAllSystems) {
  std::string text(SampleParam);
  for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos; at += 2)
    text.insert(at, 1, '\r');
  const auto model = parseModel(text + "\r\n \t\n\n", sampleBin(false));
  ASSERT_TRUE(model) << model.error().render();
  EXPECT_EQ(*model->operators()[4].parameter("expr"), "mul(add(@0,1.5),@2)");
  text.resize(text.size() - 2);
  EXPECT_TRUE(parseModel(text, sampleBin(false))) << "no end of the last line";
}

TEST(Model, TakesVeryLongLines) {
  constexpr int count = 50000;
  std::string text = "7767517\n1 " + std::to_string(count) + "\nt n 0 " +
                     std::to_string(count);
  for (int i = 0; i < count; ++i)
    text += " " + std::to_string(i);
  for (int i = 0; i < count; ++i)
    text += " #" + std::to_string(i) + "=(1)f32 k" + std::to_string(i) + "=1";
  const auto model = parseModel(text);
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_EQ(model->operands()[count - 1].shape, Shape{1});
}

TEST(Model, OutlivesWhatItWasReadFrom) {
  TensorView view;
  std::optional<PnnxModel> copy;
  {
    auto param = std::string(SampleParam), bin = sampleBin(true);
    const auto model = parseModel(param, bin);
    ASSERT_TRUE(model);
    copy = *model;
    std::fill(param.begin(), param.end(), 'x');
    std::fill(bin.begin(), bin.end(), 'x');
  }
  EXPECT_EQ(copy->operators()[3].name, "fc");
  view = *copy->operators()[3].attribute("weight");
  EXPECT_EQ(static_cast<const unsigned char *>(view.data())[31], 32);
}
