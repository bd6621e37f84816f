//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include <kexpr/kexpr.h>

#include <iostream>

/// Runs the network tail.pnnx.param, whose path it is given.
static kexpr::Status runNetwork(const char *path) {
  kexpr::Engine engine;
  kexpr::LayerRegistry registry; // Who computes which type of operators.
  if (auto status = registry.addElementwise(); !status)
    return status;
  auto model = kexpr::PnnxModel::load(path);
  if (!model)
    return model.error();
  auto graph = kexpr::PnnxGraph::create(engine, *model, registry);
  if (!graph)
    return graph.error();
  float x[] = {1, -2, 3}, skip[] = {10, 0, -1}, y[3];
  if (auto status = graph->run({{"x", {x, {3}}}, {"skip", {skip, {3}}}},
                               {{"y", {y, {3}}}});
      !status)
    return status;
  std::cout << y[0] << ' ' << y[1] << ' ' << y[2] << '\n';
  for (const kexpr::GraphStep &step : graph->steps())
    std::cout << step.operators.size() << " operators: " << step.expression
              << '\n';
  return {};
}

int main(int argc, char **argv) {
  auto status = runNetwork(argc > 1 ? argv[1] : "tail.pnnx.param");
  if (!status)
    return std::cerr << status.error().render() << '\n', 1;
}
