//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layer in a graph of the framework; the course's runs none until later.
//
//===----------------------------------------------------------------------===//
#include "Framework.h"
#include "runtime/runtime_ir.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

using namespace kexpr::kuiper;

TEST(Graph, RunsAnExpressionOverABatch) {
  namespace fs = std::filesystem;
  const fs::path folder = testing::TempDir();
  const std::string param = folder / "kexpr-check.pnnx.param";
  const std::string bin = folder / "kexpr-check.pnnx.bin";
  std::ofstream(param)
      << "7767517\n4 3\n"
         "pnnx.Input in 0 1 0 #0=(4,2,3,5)f32\n"
         "pnnx.Expression first 1 1 0 1 expr=mul(sigmoid(@0),2) "
         "#0=(4,2,3,5)f32 #1=(4,2,3,5)f32\n"
         "pnnx.Expression second 2 1 0 1 2 expr=add(@0,@1) "
         "#0=(4,2,3,5)f32 #1=(4,2,3,5)f32 #2=(4,2,3,5)f32\n"
         "pnnx.Output out 1 0 2 #2=(4,2,3,5)f32\n";
  std::ofstream{bin};
  RuntimeGraph graph(param, bin);
  graph.Build();
  Tensors inputs;
  for (unsigned i = 0; i < 4; ++i)
    inputs.push_back(randomTensor(i, 2, 3, 5));
  graph.set_inputs("in", inputs);
  graph.Forward(false);
  const Tensors outputs = graph.get_outputs("out");
  ASSERT_EQ(outputs.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const float x = inputs[i]->at(1, 2, 3);
    EXPECT_NEAR(outputs[i]->at(1, 2, 3), x + 2 / (1 + std::exp(-x)), 1e-6);
  }
  fs::remove(param);
  fs::remove(bin);
}
