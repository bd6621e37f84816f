//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include <kexpr/kexpr.h>

#include <algorithm>
#include <iostream>

class Flip : public kexpr::Layer {
public:
  using Layer::Layer;
  kexpr::Expected<std::vector<kexpr::TensorType>>
  outputTypes(kexpr::Span<const kexpr::TensorType> inputs) const override {
    return std::vector<kexpr::TensorType>{inputs[0]};
  }
  kexpr::Status forward(kexpr::Span<const kexpr::TensorView> inputs,
                        kexpr::Span<const kexpr::TensorView> outputs,
                        const kexpr::RunOptions &) override {
    auto *x = static_cast<const float *>(inputs[0].data());
    auto *y = static_cast<float *>(outputs[0].data());
    std::reverse_copy(x, x + inputs[0].shape().elementCount(), y);
    return {};
  }
};

static kexpr::Expected<std::unique_ptr<kexpr::Layer>>
makeFlip(const kexpr::PnnxModel &model, const kexpr::PnnxOperator &op) {
  return std::unique_ptr<kexpr::Layer>(new Flip(model, op));
}

static const char Network[] = "7767517\n"
                              "4 3\n"
                              "pnnx.Input      in   0 1 0\n"
                              "pnnx.Expression twice 1 1 0 1 expr=mul(@0,2)\n"
                              "torch.flip      flip 1 1 1 2 dims=(0)\n"
                              "pnnx.Output     out  1 0 2\n";

static kexpr::Status runNetwork() {
  kexpr::Engine engine;
  kexpr::LayerRegistry registry;
  if (auto status = registry.addElementwise(); !status)
    return status;
  if (auto status = registry.add("torch.flip", makeFlip); !status)
    return status;
  auto model = kexpr::PnnxModel::parse(Network);
  if (!model)
    return model.error();
  auto graph = kexpr::PnnxGraph::create(engine, *model, registry);
  if (!graph)
    return graph.error();
  float x[] = {1, -2, 3, 4}, y[4];
  if (auto status = graph->run({{"in", {x, {4}}}}, {{"out", {y, {4}}}});
      !status)
    return status;
  std::cout << y[0] << ' ' << y[1] << ' ' << y[2] << ' ' << y[3] << '\n';
  return {};
}

int main() {
  if (auto status = runNetwork(); !status)
    return std::cerr << status.error().render() << '\n', 1;
}
