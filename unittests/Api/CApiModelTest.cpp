//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/CNetworks.h"
#include "Api/TestData.h"

using namespace kexpr;
using namespace kexpr::test;

namespace {
class CApiModel : public CNetworks {
protected:
  static std::string refusalOfLoad(kexpr_code code, const char *param,
                                   const char *bin) {
    CModel model;
    return refusalOf(code, [&](kexpr_error **error) {
      return kexpr_model_load(param, bin, Out(model), error);
    });
  }
};
} // namespace

TEST_F(CApiModel, ListsItsOperators) {
  const CModel model = modelOf({"pnnx.Input in 0 1 x", "my.Layer l 1 1 x y k=3",
                                "pnnx.Output out 1 0 y"});
  ASSERT_EQ(kexpr_model_node_count(model.get()), 3u);
  EXPECT_EQ(kexpr_model_node(model.get(), 3), nullptr);
  const kexpr_node *node = kexpr_model_node(model.get(), 1);
  EXPECT_STREQ(kexpr_node_type(node), "my.Layer");
  EXPECT_STREQ(kexpr_node_name(node), "l");
  EXPECT_STREQ(kexpr_node_parameter(node, "k"), "3");
  EXPECT_EQ(kexpr_node_parameter(node, "j"), nullptr);
}

TEST_F(CApiModel, GivesConstants) {
  const std::string bin = sampleBin(true);
  CModel model;
  CError error;
  kexpr_model_parse(std::string(SampleParam).c_str(), bin.data(), bin.size(),
                    Out(model), Out(error));
  ASSERT_TRUE(model) << messageOf(error);
  const kexpr_node *node = kexpr_model_node(model.get(), 3);
  kexpr_tensor weight;
  ASSERT_EQ(kexpr_node_attribute(node, "weight", &weight, nullptr), KEXPR_OK);
  EXPECT_EQ(weight.type, KEXPR_F32);
  EXPECT_EQ(Shape(weight.shape, weight.rank), Shape({2, 4}));
  EXPECT_EQ(weight.strides, nullptr);
  EXPECT_EQ(static_cast<const char *>(weight.data)[1], 2);
  EXPECT_EQ(refusalOf(KEXPR_INVALID_ARGUMENT,
                      [&](kexpr_error **out) {
                        return kexpr_node_attribute(node, "w", &weight, out);
                      }),
            "operator 'fc' has no constant 'w'");
  EXPECT_EQ(weight.data, nullptr);
}

TEST_F(CApiModel, FilesThatAreNoModels) {
  EXPECT_NE(refusalOfLoad(KEXPR_IO, "/no/such.pnnx.param", ""), "");
  const std::string param = KEXPR_TEST_DATA "/pnnx/residual_tail.pnnx.param";
  EXPECT_NE(refusalOfLoad(KEXPR_IO, param.c_str(), "/no/such.bin"), "");
  EXPECT_NE(refusalOfLoad(KEXPR_INVALID_SYNTAX, param.c_str(), nullptr), "");
  CModel model;
  EXPECT_NE(refusalOf(KEXPR_INVALID_SYNTAX,
                      [&](kexpr_error **error) {
                        return kexpr_model_parse("7767517\n1", "PK", 2,
                                                 Out(model), error);
                      }),
            "");
}

TEST_F(CApiModel, NullsAreNoModels) {
  const auto parse = [](const char *param, std::size_t size) {
    CModel model;
    return refusalOf(KEXPR_INVALID_ARGUMENT, [&](kexpr_error **error) {
      return kexpr_model_parse(param, nullptr, size, Out(model), error);
    });
  };
  EXPECT_EQ(parse(nullptr, 0), "the text is null");
  EXPECT_EQ(parse("7767517\n0 0\n", 1), "the memory of constants is null");
  EXPECT_EQ(refusalOfLoad(KEXPR_INVALID_ARGUMENT, nullptr, ""),
            "the path is null");
  EXPECT_EQ(kexpr_model_load("p", nullptr, nullptr, nullptr),
            KEXPR_INVALID_ARGUMENT);
  EXPECT_EQ(kexpr_model_parse("", nullptr, 0, nullptr, nullptr),
            KEXPR_INVALID_ARGUMENT);
  EXPECT_EQ(kexpr_model_node_count(nullptr), 0u);
  EXPECT_EQ(kexpr_model_node(nullptr, 0), nullptr);
  kexpr_model_free(nullptr);
}

TEST_F(CApiModel, NullsAreNoNodes) {
  const CModel model = modelOf({"pnnx.Input in 0 1 x"});
  const kexpr_node *node = kexpr_model_node(model.get(), 0);
  EXPECT_STREQ(kexpr_node_type(nullptr), "");
  EXPECT_STREQ(kexpr_node_name(nullptr), "");
  EXPECT_EQ(kexpr_node_parameter(nullptr, "k"), nullptr);
  EXPECT_EQ(kexpr_node_parameter(node, nullptr), nullptr);
  const auto attribute = [](const kexpr_node *of, const char *key,
                            kexpr_tensor *tensor) {
    return refusalOf(KEXPR_INVALID_ARGUMENT, [&](kexpr_error **error) {
      return kexpr_node_attribute(of, key, tensor, error);
    });
  };
  kexpr_tensor tensor;
  EXPECT_EQ(attribute(nullptr, "k", &tensor), "the node is null");
  EXPECT_EQ(attribute(node, nullptr, &tensor), "the key is null");
  EXPECT_EQ(attribute(node, "k", nullptr), "the place for the tensor is null");
}
