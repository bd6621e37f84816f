//===- Run/Network.h - Runs PNNX networks -------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_RUN_NETWORK_H
#define KEXPR_TOOLS_RUN_NETWORK_H

#include "kexpr/PnnxGraph.h"

#include <string>
#include <vector>

namespace kexpr::tools {

/// What the command line says of a network.
struct NetworkOptions {
  std::string param; ///< Empty where an expression is to be run.
  std::string bin;   ///< Empty for the file beside it, if there is one.
  std::vector<std::string> inputs;  ///< `OPERAND` or `NAME=OPERAND`.
  std::vector<std::string> outputs; ///< `FILE` or `NAME=FILE`.
  Mode mode = Mode::Optimized;
  Precision precision = Precision::Default;
  unsigned threads = 0;
  bool noFuse = false;
  bool print = false; ///< What the network is; without inputs no more.
  bool stats = false;
};

/// Runs a network of elementwise operators and writes or prints its outputs.
Status runNetwork(const Engine &engine, const NetworkOptions &options);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_RUN_NETWORK_H
