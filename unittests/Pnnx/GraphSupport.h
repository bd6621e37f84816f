//===- Pnnx/GraphSupport.h - Networks for tests ---------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_PNNX_GRAPHSUPPORT_H
#define KEXPR_UNITTESTS_PNNX_GRAPHSUPPORT_H

#include "TestUtil/Models.h"
#include "TestUtil/Rotate.h"
#include "kexpr/PnnxGraph.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace kexpr::test {

/// A row-major tensor of f32.
struct Floats {
  Shape shape;
  std::vector<float> data;

  TensorView view() { return {data.data(), shape}; }
};

/// 0.25, 0.5... with signs in turns, from a number of its own.
inline Floats someFloats(const Shape &shape, int seed = 0) {
  Floats floats{shape, {}};
  for (std::int64_t i = 0; i < shape.elementCount(); ++i) {
    const auto step = static_cast<int>((i * 7 + seed * 13) % 41);
    floats.data.push_back(0.25f * static_cast<float>(step - 20));
  }
  return floats;
}

inline PnnxModel modelOf(const std::vector<std::string> &lines,
                         const std::vector<ZipEntry> &constants = {}) {
  auto model = parseModel(paramOf(lines),
                          constants.empty() ? std::string()
                                            : ZipWriter(true).write(constants));
  if (!model)
    throw std::runtime_error(model.error().message());
  return *model;
}

inline ZipEntry constantOf(const std::string &name,
                           const std::vector<float> &values) {
  return {name, std::string(reinterpret_cast<const char *>(values.data()),
                            values.size() * sizeof(float))};
}

/// Fails in every run.
class Failing : public Layer {
public:
  using Layer::Layer;
  Expected<std::vector<TensorType>>
  outputTypes(Span<const TensorType> inputs) const override {
    return std::vector<TensorType>{inputs[0]};
  }
  Status forward(Span<const TensorView>, Span<const TensorView>,
                 const RunOptions &) override {
    return Error(ErrorCode::Unsupported, "the moon is full");
  }
};

/// All that kexpr knows, `test.Rotate` and `test.Fail`.
inline LayerRegistry makeRegistry(Counts *counts) {
  LayerRegistry registry;
  EXPECT_TRUE(registry.addElementwise());
  EXPECT_TRUE(registry.add(
      "test.Rotate",
      [counts](const PnnxModel &model,
               const PnnxOperator &op) -> Expected<std::unique_ptr<Layer>> {
        return std::unique_ptr<Layer>(new Rotate(model, op, counts));
      }));
  EXPECT_TRUE(registry.add(
      "test.Fail",
      [](const PnnxModel &model,
         const PnnxOperator &op) -> Expected<std::unique_ptr<Layer>> {
        return std::unique_ptr<Layer>(new Failing(model, op));
      }));
  return registry;
}

/// Graphs with one engine, without machine code unless asked for.
class GraphTest : public ::testing::Test {
protected:
  Expected<PnnxGraph> tryMake(const PnnxModel &model,
                              GraphOptions options = {}) {
    options.mode = mode;
    return PnnxGraph::create(engine, model, makeRegistry(&counts), options);
  }
  PnnxGraph make(const PnnxModel &model, const GraphOptions &options = {}) {
    auto graph = tryMake(model, options);
    if (!graph)
      throw std::runtime_error(graph.error().message());
    return std::move(*graph);
  }
  /// The elements of an f32 output.
  static std::vector<float> elementsOf(const PnnxGraph &graph,
                                       std::string_view name) {
    const auto view = graph.output(name);
    EXPECT_TRUE(view) << view.error().message();
    if (!view)
      return {};
    EXPECT_EQ(view->type(), DType::F32);
    const auto *data = static_cast<const float *>(view->data());
    return {data, data + view->shape().elementCount()};
  }
  /// The message of a run that is refused.
  static std::string refusal(const Status &status) {
    return status ? "no refusal" : status.error().message();
  }

  Mode mode = Mode::Interpret;
  Engine engine;
  Counts counts;
};

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_PNNX_GRAPHSUPPORT_H
