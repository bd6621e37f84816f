//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/CNetworks.h"

using namespace kexpr;
using namespace kexpr::test;

namespace {
/// What the functions of a host have seen, and are to do.
struct Host {
  int created = 0, destroyed = 0;
  kexpr_code createCode = KEXPR_OK, typesCode = KEXPR_OK, code = KEXPR_OK;
  kexpr_tensor_type says = {};
  std::uint32_t threads = 0;
  const std::int64_t *strides = nullptr;
};

/// Adds its operator's parameter `k`.
struct AddLayer {
  Host *host;
  float k;
};

class CApiHostLayer : public CNetworks {
protected:
  void SetUp() override {
    type.size = sizeof type;
    type.user = &host;
    type.create = create;
    type.destroy = destroy;
    type.output_types = outputTypes;
    type.forward = forward;
  }

  static kexpr_code create(void *user, const kexpr_node *node, void **layer) {
    auto *host = static_cast<Host *>(user);
    const char *k = kexpr_node_parameter(node, "k");
    if (host->createCode == KEXPR_OK) {
      ++host->created;
      *layer = new AddLayer{host, k ? std::strtof(k, nullptr) : 0};
    }
    return host->createCode;
  }
  static void destroy(void *layer) {
    auto *add = static_cast<AddLayer *>(layer);
    ++add->host->destroyed;
    delete add;
  }
  static kexpr_code outputTypes(void *layer, const kexpr_tensor_type *inputs,
                                std::size_t inputCount,
                                kexpr_tensor_type *outputs,
                                std::size_t outputCount) {
    const Host &host = *static_cast<AddLayer *>(layer)->host;
    EXPECT_EQ(inputCount, 1u);
    EXPECT_EQ(outputCount, 1u);
    outputs[0] = host.says.type || host.says.rank ? host.says : inputs[0];
    return host.typesCode;
  }
  static kexpr_code forward(void *layer, const kexpr_tensor *inputs,
                            std::size_t, const kexpr_tensor *outputs,
                            std::size_t, const kexpr_run_options *options) {
    auto &add = *static_cast<AddLayer *>(layer);
    add.host->threads = options->max_threads;
    add.host->strides = inputs[0].strides;
    const std::int64_t step = inputs[0].strides ? inputs[0].strides[0] : 1;
    for (std::int64_t i = 0; i < outputs[0].shape[0]; ++i)
      static_cast<float *>(outputs[0].data)[i] =
          static_cast<const float *>(inputs[0].data)[i * step] + add.k;
    return add.host->code;
  }

  CRegistry registryWith(const kexpr_layer_type &layer) {
    CRegistry registry = registryOf(true);
    EXPECT_EQ(kexpr_registry_add(registry.get(), "my.Add", &layer, nullptr),
              KEXPR_OK);
    return registry;
  }
  std::string refusalOfType(const char *name, const kexpr_layer_type *layer) {
    const CRegistry registry = registryOf(true);
    return refusalOf(KEXPR_INVALID_ARGUMENT, [&](kexpr_error **error) {
      return kexpr_registry_add(registry.get(), name, layer, error);
    });
  }

  Host host;
  kexpr_layer_type type = {};
  CModel model = modelOf({"pnnx.Input in 0 1 x", "my.Add five 1 1 x a k=5",
                          "my.Add six 1 1 a b k=6", "F.relu r 1 1 b y",
                          "pnnx.Output out 1 0 y"});
};
} // namespace

TEST_F(CApiHostLayer, IsMadeForEachOperatorAndRuns) {
  CGraph graph = make(model, registryWith(type));
  EXPECT_EQ(host.created, 2);
  kexpr_run_options options = {};
  options.size = sizeof options;
  options.max_threads = 3;
  const kexpr_named_tensor input = {"in", x};
  ASSERT_EQ(kexpr_graph_run(graph.get(), &input, 1, nullptr, 0, &options, {}),
            KEXPR_OK);
  EXPECT_EQ(valueOf(graph, "out"), (std::vector<float>{12, 9, 14}));
  EXPECT_EQ(host.threads, 3u);
  graph.reset();
  EXPECT_EQ(host.destroyed, 2);
}

TEST_F(CApiHostLayer, NodesLiveAsLongAsTheGraph) {
  type.create = [](void *, const kexpr_node *node, void **layer) -> kexpr_code {
    *layer = const_cast<kexpr_node *>(node);
    return KEXPR_OK;
  };
  type.destroy = nullptr;
  type.output_types = nullptr;
  type.forward = [](void *layer, const kexpr_tensor *, std::size_t,
                    const kexpr_tensor *, std::size_t,
                    const kexpr_run_options *) -> kexpr_code {
    const auto *node = static_cast<const kexpr_node *>(layer);
    return std::string(kexpr_node_name(node)) == "l" ? KEXPR_OK
                                                     : KEXPR_UNSUPPORTED;
  };
  model = modelOf({"pnnx.Input in 0 1 x", "my.Add l 1 1 x y #y=(3)f32",
                   "pnnx.Output out 1 0 y"});
  const CGraph graph = make(model, registryWith(type));
  model.reset();
  EXPECT_EQ(refusalOfRun(KEXPR_OK, graph, {{"in", x}}), "");
}

TEST_F(CApiHostLayer, SeesTheHostsStrides) {
  const CGraph graph =
      make(modelOf({"pnnx.Input in 0 1 x", "my.Add a 1 1 x y k=1",
                    "pnnx.Output out 1 0 y"}),
           registryWith(type));
  const std::int64_t two[] = {2};
  const kexpr_tensor spaced = {data, KEXPR_F32, 1, two, two};
  ASSERT_EQ(refusalOfRun(KEXPR_OK, graph, {{"in", spaced}}), "");
  EXPECT_NE(host.strides, nullptr);
  EXPECT_EQ(valueOf(graph, "out"), (std::vector<float>{2, 4}));
}

TEST_F(CApiHostLayer, FailuresNameTheOperator) {
  const CRegistry registry = registryWith(type);
  CGraph graph = make(model, registry);
  host.code = KEXPR_UNSUPPORTED;
  EXPECT_EQ(refusalOfRun(KEXPR_UNSUPPORTED, graph, {{"in", x}}),
            "my.Add 'five' in line 4: the host's forward returned code 10");
  kexpr_tensor tensor;
  EXPECT_EQ(kexpr_graph_value(graph.get(), "out", &tensor, nullptr),
            KEXPR_INVALID_ARGUMENT);
  host.code = -7;
  EXPECT_EQ(refusalOfRun(KEXPR_INVALID_ARGUMENT, graph, {{"in", x}}),
            "my.Add 'five' in line 4: the host's forward returned code -7");
  graph = make(model, registry);
  host.typesCode = KEXPR_SHAPE_MISMATCH;
  EXPECT_EQ(refusalOfRun(KEXPR_SHAPE_MISMATCH, graph, {{"in", x}}),
            "my.Add 'five' in line 4: the host's output_types returned code 6");
  host.createCode = KEXPR_OUT_OF_MEMORY;
  EXPECT_EQ(refusalOfGraph(KEXPR_OUT_OF_MEMORY, model, registry),
            "my.Add 'five' in line 4: the host's create returned code 12");
  graph.reset();
  EXPECT_EQ(host.created, host.destroyed);
}

TEST_F(CApiHostLayer, WhatItSaysIsNotTrusted) {
  const CGraph graph = make(model, registryWith(type));
  const auto refusal = [&](kexpr_code code, kexpr_tensor_type says) {
    host.says = says;
    return refusalOfRun(code, graph, {{"in", x}});
  };
  const std::string start =
      "my.Add 'five' in line 4: the host's output_types says output 0 has ";
  EXPECT_EQ(refusal(KEXPR_INVALID_ARGUMENT, {256 + KEXPR_F32, 1, {3}}),
            start + "type 257 and 1 axes");
  EXPECT_EQ(refusal(KEXPR_INVALID_ARGUMENT, {KEXPR_F32, 4000000000u, {}}),
            start + "type 1 and 4000000000 axes");
  EXPECT_EQ(refusal(KEXPR_SHAPE_MISMATCH, {KEXPR_F32, 1, {-3}}),
            "my.Add 'five' in line 4: its layer says output 0 has shape [-3]");
}

TEST_F(CApiHostLayer, TypesThatCannotBeAdded) {
  EXPECT_EQ(refusalOfType("F.relu", &type), "code 0: "); // It was kexpr's.
  EXPECT_NE(refusalOfType("", &type), "");
  EXPECT_NE(refusalOfType("pnnx.Input", &type), "");
  EXPECT_EQ(refusalOfType(nullptr, &type), "the type is null");
  EXPECT_EQ(refusalOfType("my.Add", nullptr), "the layer type is null");
  kexpr_layer_type bad = type;
  bad.create = nullptr;
  EXPECT_EQ(refusalOfType("my.Add", &bad),
            "kexpr_layer_type.destroy is set, and create is null");
  bad.forward = nullptr;
  EXPECT_EQ(refusalOfType("my.Add", &bad), "kexpr_layer_type.forward is null");
  bad.size = 0;
  EXPECT_EQ(refusalOfType("my.Add", &bad),
            "kexpr_layer_type.size is 0; it must be sizeof(kexpr_layer_type)");
  EXPECT_EQ(kexpr_registry_add(nullptr, "my.Add", &type, nullptr),
            KEXPR_INVALID_ARGUMENT);
}

TEST_F(CApiHostLayer, ElementwiseTypesOneByOne) {
  const CRegistry registry = registryOf(false);
  const auto add = [&](kexpr_registry *to, const char *name, kexpr_code code) {
    return refusalOf(code, [&](kexpr_error **error) {
      return kexpr_registry_add_elementwise(to, name, error);
    });
  };
  EXPECT_EQ(add(registry.get(), "F.relu", KEXPR_OK), "");
  EXPECT_EQ(add(registry.get(), "F.relu", KEXPR_INVALID_ARGUMENT),
            "layer type 'F.relu' is registered already");
  EXPECT_NE(add(registry.get(), "nn.Conv2d", KEXPR_UNKNOWN_OPERATOR), "");
  EXPECT_EQ(add(registry.get(), nullptr, KEXPR_INVALID_ARGUMENT),
            "the type is null");
  EXPECT_EQ(add(nullptr, "F.relu", KEXPR_INVALID_ARGUMENT),
            "the registry is null");
  EXPECT_EQ(kexpr_registry_create(true, nullptr, nullptr),
            KEXPR_INVALID_ARGUMENT);
  kexpr_registry_free(nullptr);
  EXPECT_NE(refusalOfGraph(KEXPR_UNKNOWN_OPERATOR, model, registry), "");
}
