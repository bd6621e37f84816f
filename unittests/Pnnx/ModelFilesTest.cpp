//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Networks that PNNX wrote, run and held against PyTorch.
///
//===----------------------------------------------------------------------===//
#include "Pnnx/ModelFile.h"
#include "kexpr/Operators.h"
#include "kexpr/PnnxGraph.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <iterator>
#include <set>

using namespace kexpr;
using namespace kexpr::test;
using tools::Array;

namespace {

/// The unit in the last place of elements of this size.
double lastPlace(DType type, double size) {
  struct Format {
    int digits, least;
  };
  const Format format = type == DType::F64    ? Format{53, -1022}
                        : type == DType::F32  ? Format{24, -126}
                        : type == DType::BF16 ? Format{8, -126}
                                              : Format{11, -14};
  const int exponent = size > 0 ? std::ilogb(size) : format.least;
  return std::ldexp(1.0, std::max(exponent, format.least) - format.digits + 1);
}

/// Whether a float is as near to the exact one as the network's entry says.
bool isNear(double got, double exact, const ListedOutput &listed) {
  if (std::isnan(exact) || std::isinf(exact))
    return std::isnan(exact) ? std::isnan(got) : got == exact;
  const double size = std::max(std::abs(exact), listed.floor);
  return std::abs(got - exact) <= listed.units * lastPlace(listed.type, size);
}

/// A copy of a result, which lives as long as the graph does not run.
Array copyOf(const TensorView &view) {
  Array copy = std::move(*Array::make(view.type(), view.shape()));
  std::memcpy(copy.data(), view.data(), copy.bytes());
  return copy;
}

void expectEqual(const Array &got, const Array &expected,
                 const ListedOutput &listed) {
  ASSERT_EQ(got.type(), listed.type);
  ASSERT_EQ(got.shape(), expected.shape());
  const bool isFloat = listed.type == DType::F32 || listed.type == DType::F64 ||
                       listed.type == DType::F16 || listed.type == DType::BF16;
  for (std::int64_t i = 0; i < got.count(); ++i)
    ASSERT_TRUE(isFloat ? isNear(got.at(i), expected.at(i), listed)
                        : got.at(i) == expected.at(i))
        << "element " << i << " is " << got.at(i) << ", not " << expected.at(i)
        << ": "
        << std::abs(got.at(i) - expected.at(i)) /
               lastPlace(listed.type, std::abs(expected.at(i)))
        << " units off";
}

/// Adds what a graph computes for a set of inputs.
Status addOutputs(PnnxGraph &graph, const ListedModel &model,
                  const std::string &set, std::vector<Array> &outputs) {
  std::vector<Array> arrays;
  std::vector<NamedTensor> given;
  if (graph.inputs().size() != model.inputs.size())
    return Error(ErrorCode::InvalidArgument, "another number of inputs");
  for (std::size_t i = 0; i < model.inputs.size(); ++i) {
    auto array = loadArray(set, "in", i);
    if (!array)
      return array.error();
    given.push_back({graph.inputs()[i].name, viewAs(model.inputs[i], *array)});
    arrays.push_back(std::move(*array));
  }
  if (Status status = graph.run(given); !status)
    return status;
  for (const GraphPort &port : graph.outputs()) {
    const auto view = graph.output(port.name);
    if (!view)
      return view.error();
    outputs.push_back(copyOf(*view));
  }
  return {};
}

Expected<PnnxGraph> graphOf(const std::string &stem,
                            const GraphOptions &options) {
  LayerRegistry registry;
  if (Status status = registry.addElementwise(); !status)
    return status.error();
  const auto model = loadListed(stem);
  if (!model)
    return model.error();
  return PnnxGraph::create(Engine(), *model, registry, options);
}

/// What a network computes for each set of inputs, by one graph.
Expected<std::vector<Array>> outputsOf(const ListedModel &listed,
                                       const std::string &stem,
                                       const GraphOptions &options) {
  auto graph = graphOf(stem, options);
  if (!graph)
    return graph.error();
  std::vector<Array> outputs;
  for (const std::string &set : listed.sets())
    if (Status status = addOutputs(*graph, listed, set, outputs); !status)
      return status.error();
  return outputs;
}

class ModelFile : public testing::TestWithParam<ListedModel> {};

std::string nameOfModel(const testing::TestParamInfo<ListedModel> &info) {
  return info.param.name;
}

} // namespace

TEST_P(ModelFile, ComputeWhatPyTorchDoes) {
  const ListedModel &model = GetParam();
  const std::size_t count = model.outputs.size();
  for (const std::string &stem : model.stems()) {
    const auto outputs = outputsOf(model, stem, {});
    ASSERT_TRUE(outputs) << outputs.error().render();
    ASSERT_EQ(outputs->size(), count * model.sets().size());
    for (std::size_t i = 0; i < outputs->size(); ++i) {
      SCOPED_TRACE(stem + ", output " + std::to_string(i));
      const auto expected =
          loadArray(model.sets()[i / count], "out", i % count);
      ASSERT_TRUE(expected) << expected.error().render();
      expectEqual((*outputs)[i], *expected, model.outputs[i % count]);
    }
  }
}

TEST_P(ModelFile, HaveTheSameBitsHoweverTheyRun) {
  const ListedModel &model = GetParam();
  const auto expected = outputsOf(model, model.name, {});
  ASSERT_TRUE(expected) << expected.error().render();
  const GraphOptions others[] = {
      {.mode = Mode::Interpret}, {.fuse = false}, {.reuseMemory = false}};
  for (const GraphOptions &options : others) {
    const auto outputs = outputsOf(model, model.name, options);
    ASSERT_TRUE(outputs) << outputs.error().render();
    ASSERT_EQ(outputs->size(), expected->size());
    for (std::size_t i = 0; i < outputs->size(); ++i)
      EXPECT_EQ(std::memcmp((*outputs)[i].data(), (*expected)[i].data(),
                            (*outputs)[i].bytes()),
                0)
          << "output " << i;
  }
}

/// Adds the operators that a kernel's expression calls.
static void addCalls(const std::string &text, std::set<std::string> &names) {
  const auto expression = Expression::parse(text);
  ASSERT_TRUE(expression) << text;
  for (const Node &node : expression->nodes())
    if (node.kind == NodeKind::Call)
      names.emplace(node.name);
}

/// Operators that no listed network has; GraphLoweringTest reads the rows by
/// which networks get to them.
static const char *const OutsideNetworks[] = {
    "trunc_divide", "fma",        "fmax",      "fmin",    "frac",
    "deg2rad",      "rad2deg",    "popcount",  "isnan",   "isinf",
    "isfinite",     "isposinf",   "isneginf",  "signbit", "copysign",
    "heaviside",    "nan_to_num", "exp2",      "log2",    "xlogy",
    "logit",        "cbrt",       "hypot",     "erfc",    "gcd",
    "lcm",          "ldexp",      "nextafter", "lerp"};

TEST(ModelFiles, UseEveryOperator) {
  std::set<std::string> names(std::begin(OutsideNetworks),
                              std::end(OutsideNetworks));
  for (const ListedModel &model : listedModels()) {
    const auto graph = graphOf(model.name, {});
    ASSERT_TRUE(graph) << graph.error().render();
    for (const GraphStep &step : graph->steps())
      if (!step.expression.empty())
        addCalls(step.expression, names);
  }
  for (const OperatorInfo &op : operators())
    EXPECT_TRUE(names.contains(std::string(op.name)) ||
                names.contains(std::string(op.aliases)))
        << op.name;
}

INSTANTIATE_TEST_SUITE_P(Listed, ModelFile, testing::ValuesIn(listedModels()),
                         nameOfModel);
