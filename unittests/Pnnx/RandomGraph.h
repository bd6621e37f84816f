//===- Pnnx/RandomGraph.h - Networks from a seed --------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_PNNX_RANDOMGRAPH_H
#define KEXPR_UNITTESTS_PNNX_RANDOMGRAPH_H

#include "kexpr/Tensor.h"

#include <functional>
#include <random>
#include <string>
#include <vector>

namespace kexpr::test {

/// Operators of a network, with its inputs: shapes that broadcast, types mixed,
/// layers of the host in between, several outputs.
struct RandomGraph {
  /// Random numbers decide.
  explicit RandomGraph(std::function<unsigned()> source);
  explicit RandomGraph(unsigned seed) : RandomGraph(std::mt19937(seed)) {}

  struct Input {
    std::string name;
    DType type;
    Shape shape;
  };
  std::vector<Input> inputs;
  std::vector<std::string> lines;
  std::vector<std::string> outputs; ///< Names of `pnnx.Output` operators.

private:
  unsigned below(unsigned bound) { return random() % bound; }
  template <class C> const auto &oneOf(const C &all) {
    return all[below(static_cast<unsigned>(std::size(all)))];
  }
  const std::string &anyValue();
  void addInputs();
  void addOperator(unsigned index);
  void addRows(const std::string &name, const std::string &result);
  void addExpression(const std::string &name, const std::string &result);
  void addOutputs();

  std::function<unsigned()> random;
  std::vector<std::string> values;
};

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_PNNX_RANDOMGRAPH_H
