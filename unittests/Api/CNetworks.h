//===- CNetworks.h - Networks made by the functions of C ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_API_CNETWORKS_H
#define KEXPR_UNITTESTS_API_CNETWORKS_H

#include "Api/CObjects.h"
#include "Pnnx/GraphSupport.h"

#include <gtest/gtest.h>

namespace kexpr::test {

/// Graphs of C with one engine, without machine code unless asked for.
class CNetworks : public testing::Test {
protected:
  static CModel modelOf(const std::vector<std::string> &lines) {
    CModel model;
    CError error;
    kexpr_model_parse(paramOf(lines).c_str(), nullptr, 0, Out(model),
                      Out(error));
    EXPECT_TRUE(model) << messageOf(error);
    return model;
  }
  static CRegistry registryOf(bool elementwise) {
    CRegistry registry;
    EXPECT_EQ(kexpr_registry_create(elementwise, Out(registry), nullptr),
              KEXPR_OK);
    return registry;
  }
  static kexpr_graph_options interpreted() {
    kexpr_graph_options options = {};
    options.size = sizeof options;
    options.mode = KEXPR_MODE_INTERPRET;
    return options;
  }
  CGraph make(const CModel &model, const CRegistry &registry,
              const kexpr_graph_options &options = interpreted()) {
    CGraph graph;
    CError error;
    kexpr_graph_create(engine.get(), model.get(), registry.get(), &options,
                       Out(graph), Out(error));
    EXPECT_TRUE(graph) << messageOf(error);
    return graph;
  }
  /// The message of a graph that is refused.
  std::string
  refusalOfGraph(kexpr_code code, const CModel &model,
                 const CRegistry &registry,
                 const kexpr_graph_options &options = interpreted()) {
    CGraph graph;
    return refusalOf(code, [&](kexpr_error **error) {
      return kexpr_graph_create(engine.get(), model.get(), registry.get(),
                                &options, Out(graph), error);
    });
  }
  /// What a run with `inputs` alone comes to.
  static std::string
  refusalOfRun(kexpr_code code, const CGraph &graph,
               const std::vector<kexpr_named_tensor> &inputs,
               const std::vector<kexpr_named_tensor> &outputs = {}) {
    return refusalOf(code, [&](kexpr_error **error) {
      return kexpr_graph_run(graph.get(), inputs.data(), inputs.size(),
                             outputs.data(), outputs.size(), nullptr, error);
    });
  }
  /// The elements of an f32 output.
  static std::vector<float> valueOf(const CGraph &graph, const char *output) {
    kexpr_tensor tensor;
    CError error;
    kexpr_graph_value(graph.get(), output, &tensor, Out(error));
    EXPECT_EQ(tensor.type, KEXPR_F32) << messageOf(error);
    if (error)
      return {};
    EXPECT_EQ(tensor.strides, nullptr);
    const auto *data = static_cast<const float *>(tensor.data);
    return {data, data + Shape(tensor.shape, tensor.rank).elementCount()};
  }

  CEngine engine = makeEngine();
  float data[3] = {1, -2, 3};
  std::int64_t shape[1] = {3};
  kexpr_tensor x = tensorOf(data, shape);
};

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_API_CNETWORKS_H
